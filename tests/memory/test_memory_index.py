"""The index follows the files: whatever changed, a refresh leaves what a rebuild would, and damage is mended."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path

import pytest
from remembered import DAY, FILLER, crystal, failure, learning, transcript

from pal.base import clock, files, jsontext
from pal.base.home import Home
from pal.memory import search
from pal.memory.icm import events, store
from pal.memory.index import build, gate, markdown, schema

QUERY = "postgres migrations restarting"


@pytest.fixture
def stocked(home, now) -> Home:
    """A home with one note and one memory that matter among some that do not."""
    learning(home, "db", "Run migrations before restarting the postgres container", now - 3 * DAY, cwd="/srv/shop")
    for number, text in enumerate(FILLER):
        learning(home, f"filler-{number}", text, now - DAY)
    store.store(home, "Postgres listens on port 5433", now, topic="facts-shop")
    search.rebuild(home, now)
    return home


def texts(home: Home, query: str, now: float) -> list[str]:
    return [hit.document.said for hit in search.search(home, query, now)]


def rows(home: Home) -> dict[str, object]:
    connection = sqlite3.connect(home.index)
    try:
        if schema.has_fts(connection):
            assert connection.execute("insert into fts (fts) values ('integrity-check')").fetchall() == []
        docs = connection.execute(f"select {schema.COLUMNS} from doc order by ref, seq")
        places = connection.execute("select id from doc order by id").fetchall()
        words = connection.execute("select rowid from fts where fts match 'postgr OR garden OR stage'").fetchall()
        return {
            "doc": docs.fetchall(),
            "term": connection.execute("select term, df from term where df > 0 order by 1").fetchall(),
            "file": connection.execute("select path, size from file order by 1").fetchall(),
            "log": connection.execute("select path, done from log order by 1").fetchall(),
            "meta": connection.execute("select * from meta where name != 'generation' order by 1").fetchall(),
            "lost": [row for row in words if row not in places],
        }
    finally:
        connection.close()


def test_after_any_change_a_refresh_leaves_what_a_rebuild_would(home, now):
    search.refresh(home, now)
    kept: dict[str, str] = {}

    def steps():
        for number, text in enumerate(FILLER):
            learning(home, f"l-{number}", text, now)
        crystal(home, "Deploying", "### Check staging first [CRYSTAL: 91%]")
        yield
        learning(home, "l-0", "Something else entirely now", now)
        failure(home, "f", now - 40 * DAY, principle="Never force push shared branches")
        kept["a"] = store.store(home, "We deploy from staging", now, keywords=["deploy"])
        kept["b"] = store.store(home, "We deploy from main", now)
        yield
        os.remove(os.path.join(home.session_learning, "2026-03", "l-1.md"))
        crystal(home, "Deploying", "### Check staging twice [CRYSTAL: 92%]", "### Ask first [CRYSTAL: 99%]")
        store.supersede(home, kept["a"], kept["b"], now)
        transcript(home, "talk", "2026-02-02", [("Ann", "Hello staging"), ("Ben", "Gardens again"), ("Ann", "Bye")])
        yield
        os.rename(Path(home.failures, "2026-01"), Path(home.failures, "2026-01-moved"))
        store.update(home, kept["b"], now, content="We deploy from trunk and postgres")
        files.write(home.opinions, jsontext.dumps({"opinions": [{"statement": "Likes short text", "confidence": 0.9}]}))
        yield
        files.write(os.path.join(home.failures, "2025", "12", "20251203_x", "capture.md"), "Nested older layout here")
        kept["c"] = store.store(home, "We deploy from trunk with postgres", now)
        store.merge(home, [kept["b"]], kept["c"], now)
        yield
        os.remove(os.path.join(home.failures, "2025", "12", "20251203_x", "capture.md"))
        os.rmdir(os.path.join(home.failures, "2025", "12", "20251203_x"))
        os.remove(os.path.join(home.wisdom, "deploying.md"))
        store.forget(home, kept["c"], now)
        files.remove(home.opinions)
        yield

    for _ in steps():
        search.refresh(home, now)
        refreshed = rows(home)
        search.rebuild(home, now)
        assert refreshed == rows(home)
        assert refreshed["lost"] == []


def later(home: Home) -> float:
    """A moment at which no folder of the home has changed just now."""
    return max(os.stat(folder).st_mtime for folder, _, _ in os.walk(home.memory)) + 60


def test_only_changed_folders_are_listed_and_only_changed_files_are_read(stocked, now, monkeypatch):
    learning(stocked, "first", "Make the folder old before anything is counted", now)
    moment = later(stocked)
    search.rebuild(stocked, moment)
    listed: list[str] = []
    read: list[str] = []
    scandir, read_text = os.scandir, files.read_text
    monkeypatch.setattr(os, "scandir", lambda path: listed.append(os.path.basename(path)) or scandir(path))
    monkeypatch.setattr(files, "read_text", lambda path: read.append(os.path.basename(path)) or read_text(path))
    search.refresh(stocked, moment)
    assert ([name for name in listed if name not in ("frames", "knowledge")], read) == ([], [])
    learning(stocked, "new", "Fresh insight about caching headers", now)
    search.refresh(stocked, moment)
    assert [name for name in listed if name not in ("frames", "knowledge")] == ["2026-03"] and read == ["new.md"]
    assert texts(stocked, "caching headers insight", now) == ["Fresh insight about caching headers"]


def test_of_a_file_of_events_only_what_was_appended_is_read(stocked, now, monkeypatch):
    parsed: list[bytes] = []
    parse = events.parse
    monkeypatch.setattr(events, "parse", lambda line: parsed.append(line) or parse(line))
    search.refresh(stocked, now)
    assert parsed == []
    store.put_all(stocked, [store.draft("Caching headers are stale", now)], now)
    parsed.clear()
    search.refresh(stocked, now)
    assert len(parsed) == 2, "once to see whose it is, once to fold it"


def test_a_folder_that_changed_while_it_was_read_is_listed_again(stocked, now):
    search.rebuild(stocked, os.stat(os.path.join(stocked.session_learning, "2026-03")).st_mtime)
    folder = os.path.join(stocked.session_learning, "2026-03")
    before = os.stat(folder)
    learning(stocked, "new", "Fresh insight about caching headers", now)
    os.utime(folder, ns=(before.st_atime_ns, before.st_mtime_ns))  # as when the clock of the disk did not tick
    assert texts(stocked, "caching headers insight", now) == ["Fresh insight about caching headers"]


def test_torn_and_foreign_lines_are_passed_over_and_the_rest_is_found(stocked, now):
    (path,) = events.paths(stocked)
    with open(path, "ab") as stream:
        stream.write(b'not json\n\n[1]\n{"id": 5}\n{"v":1,"op":"add","id":"X","hlc":"1-0-a","content":"torn')
    search.refresh(stocked, now)
    assert texts(stocked, "torn", now) == []
    store.store(stocked, "Caching headers are stale", now)
    assert texts(stocked, "caching headers", now) == ["Caching headers are stale"]
    assert texts(stocked, "postgres port", now)[0] == "Postgres listens on port 5433"


@pytest.mark.parametrize("harm", ["shrunk", "rewritten", "deleted", "another host"])
def test_a_file_of_events_that_is_another_one_is_read_anew(stocked, now, harm):
    (path,) = events.paths(stocked)
    data = Path(path).read_bytes()
    if harm == "shrunk":
        Path(path).write_bytes(data[: data.rfind(b"\n", 0, -1) + 1])
    elif harm == "rewritten":
        Path(path).write_bytes(data.replace(b"5433", b"6544"))
    elif harm == "deleted":
        os.remove(path)
    else:
        os.rename(path, os.path.join(os.path.dirname(path), "00000000.jsonl"))
    search.refresh(stocked, now)
    refreshed = rows(stocked)
    search.rebuild(stocked, now)
    assert refreshed == rows(stocked)


DAMAGE = {
    "deleted": lambda home: os.remove(home.index),
    "empty": lambda home: Path(home.index).write_bytes(b""),
    "truncated": lambda home: os.truncate(home.index, 5000),
    "no database": lambda home: Path(home.index).write_bytes(b"x" * 9000),
    "another schema": lambda home: sql(home, "update meta set value = 99 where name = 'schema'"),
    "no tables": lambda home: sql(home, "drop table meta"),
    "another gate": lambda home: sql(home, "update meta set value = 'ffff' where name = 'generation'"),
    "no gate": lambda home: os.remove(home.memory_gate),
    "torn gate": lambda home: os.truncate(home.memory_gate, 3000),
    "foreign gate": lambda home: Path(home.memory_gate).write_bytes(b"PALGATE0" + b"\0" * 9000),
    "cache deleted": lambda home: shutil.rmtree(home.cache),
    "damaged pages": lambda home: Path(home.index).write_bytes(
        Path(home.index).read_bytes()[:4096] + b"\xff" * (os.path.getsize(home.index) - 4096)
    ),
}


def sql(home: Home, statement: str) -> None:
    connection = sqlite3.connect(home.index)
    with connection:
        connection.execute(statement)
    connection.close()


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_whatever_happens_to_the_cache_a_prompt_goes_on_and_the_next_search_mends_it(stocked, now, damage):
    from pal.memory import recall

    before = texts(stocked, QUERY, now)
    told = [one.document.said for one in recall.recall(stocked, QUERY, "", now)]
    assert told
    damage(stocked)
    assert [one.document.said for one in recall.recall(stocked, QUERY, "", now)] in (told, [])
    assert texts(stocked, QUERY, now) == before != []
    assert [one.document.said for one in recall.recall(stocked, QUERY, "", now)] == told
    refreshed = rows(stocked)
    search.rebuild(stocked, now)
    assert refreshed == rows(stocked)


def test_while_another_process_writes_the_index_the_files_are_searched(stocked, now, monkeypatch):
    monkeypatch.setattr(search, "_WAIT", 0.01)
    before = texts(stocked, QUERY, now)
    other = sqlite3.connect(stocked.index, isolation_level=None)
    other.execute("begin exclusive")
    assert texts(stocked, QUERY, now) == before
    other.execute("rollback")
    other.close()


def test_while_another_process_refreshes_nothing_is_done_twice(stocked, now, monkeypatch):
    from pal.base import locks

    monkeypatch.setattr(locks.Lock.__init__, "__defaults__", (0.01,))
    monkeypatch.setattr(build.refresh, "__defaults__", (0.01,))
    learning(stocked, "new", "Fresh insight about caching headers", now)
    before = rows(stocked)
    with locks.Lock(stocked.index):
        search.refresh(stocked, now)
        search.rebuild(stocked, now)
    assert rows(stocked) == before


@pytest.mark.parametrize("at", ["_fill", "gate"])
def test_a_build_that_dies_leaves_the_old_index_or_the_new_one(stocked, now, monkeypatch, at):
    class Died(BaseException):
        pass

    def die(*_):
        raise Died

    target = (build, "_fill") if at == "_fill" else (gate.Gate, "save")
    with monkeypatch.context() as patch:
        patch.setattr(*target, die)
        with pytest.raises(Died):
            search.rebuild(stocked, now)
    assert texts(stocked, QUERY, now) != []
    assert sorted(os.listdir(stocked.cache)) == [".index.sqlite.lock", "digests", "index.sqlite", "memory.gate"]


def test_a_refresh_that_dies_before_it_commits_hides_nothing(stocked, now, monkeypatch):
    learning(stocked, "new", "Fresh insight about caching headers", now)
    save = gate.Gate.save

    def save_and_die(table, path):
        save(table, path)
        raise sqlite3.DatabaseError("as if killed here")

    with monkeypatch.context() as patch:
        patch.setattr(gate.Gate, "save", save_and_die)
        patch.setattr(build, "_build", lambda *_: None)
        search.refresh(stocked, now)
    assert texts(stocked, "caching headers insight", now) != []


def test_without_fts5_and_without_sqlite_the_answers_are_the_same(stocked, now, monkeypatch):
    store.store(stocked, "Gardens of postgres bloom in timber", now, keywords=["garden"])
    transcript(
        stocked, "talk", "2026-02-02", [("Ann", "Hello timber"), ("Ben", "Gardens bloom"), ("Ann", "Yes, quietly")]
    )
    queries = (QUERY, "gardens bloom", "timber in the gardens", "gardns bloom", "port 5433", "quietly")

    def answers() -> list[list[tuple[str, float]]]:
        return [[(hit.id, hit.score) for hit in search.search(stocked, query, now)] for query in queries]

    search.rebuild(stocked, now)
    before = answers()
    assert all(before)
    monkeypatch.setattr(schema, "FTS", "create virtual table fts using no_such_module(text)")
    search.rebuild(stocked, now)
    assert answers() == before
    store.store(stocked, "Unlike anything else at all", now)
    search.refresh(stocked, now)
    after = answers()
    assert [[name for name, _ in row] for row in after] == [[name for name, _ in row] for row in before]

    def missing(*_):
        raise ImportError("no sqlite3")

    monkeypatch.setattr(schema, "connect", missing)
    assert answers() == after


def test_a_home_with_nothing_in_it_has_an_empty_index(home, now):
    assert texts(home, "postgres migrations", now) == []
    assert dict(rows(home)["meta"])["docs"] == 0


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_links_are_not_followed_so_a_loop_ends(stocked, now):
    folder = Path(stocked.session_learning, "2026-03")
    before = rows(stocked)["doc"]
    (folder / "loop.md").symlink_to(folder / "loop.md")
    (folder / "up").symlink_to(folder.parent)
    search.rebuild(stocked, now)
    assert rows(stocked)["doc"] == before


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("plain", "Postgres migrations by hand\n\nmore\n"),
        ("heading", "# Postgres migrations by hand\n"),
        ("open-header", "---\ntitle: x\nPostgres migrations by hand\n"),
        ("bom", "\ufeff---\r\ntitle: Postgres migrations by hand\r\n---\r\nx\r\n"),
        ("odd-types", '---\ntitle: "Postgres migrations by hand"\nrating: [1]\ncwd: 7\nts: soon\n---\n'),
    ],
)
def test_a_file_edited_by_hand_is_still_found(home, now, name, content):
    files.write(os.path.join(home.session_learning, "2026-03", name + ".md"), content)
    assert texts(home, "postgres migrations by hand", now) != []


@pytest.mark.parametrize(("name", "at"), [("2026-02-20_x", "2026-02-20T12:00:00Z"), ("x", None)])
def test_a_note_without_a_time_has_the_one_of_its_file(name, at):
    (document,) = markdown.documents("learning", name + ".md", "Say it", 1000.0)
    assert document.ts == (clock.parse(at) if at else 1000.0)


def test_a_section_is_a_document_and_a_heading_in_code_is_none():
    text = "---\ntitle: Retries\n---\n\n## Why\n\nThe queue\n\n```sh\n# not a heading\n```\n\n## How\n\nBack off\n"
    found = markdown.documents("learning", "2026-02-20_x.md", text, 0.0)
    assert [one.said.split("\n")[0] for one in found] == ["Retries", "The queue", "Back off"]
    assert "# not a heading" in found[1].said
    assert found[1].streams[2] == "retri back", "its neighbours are its context"


def test_a_note_on_the_user_is_found_with_its_session_and_day(home, now):
    text = "# 2026-02-20\n\n## 09:15\n<!-- session:abc cwd:/srv/shop -->\n- O(c=0.85): Likes terse answers\n"
    files.write(os.path.join(home.relationship, "2026-02", "2026-02-20.md"), text)
    (hit,) = search.search(home, "terse answers", now, kinds=["relationship"])
    one = hit.document
    assert (one.session, one.project, clock.iso(one.ts)[:10]) == ("abc", "/srv/shop", "2026-02-20")


def test_what_is_known_of_people_is_found_by_their_other_names(home, now):
    text = "---\ntitle: Grace Hopper\naliases: [Amazing Grace]\ntype: person\ntags: [navy]\n---\n\n## Work\n\nCOBOL\n"
    files.write(os.path.join(home.knowledge, "people", "grace.md"), text)
    hits = search.search(home, "amazing grace", now, kinds=["person"])
    assert [hit.id for hit in hits][0] == home.relative(os.path.join(home.knowledge, "people", "grace.md"))


def test_a_cache_that_cannot_be_written_leaves_search_to_the_files(stocked, now, monkeypatch):
    before = texts(stocked, QUERY, now)
    shutil.rmtree(stocked.cache)

    def full(*_):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(build, "_fill", full)
    assert texts(stocked, QUERY, now) == before
    assert not os.path.exists(stocked.index)
    with pytest.raises(OSError, match="disk is full"):
        search.rebuild(stocked, now)


def test_half_of_a_character_does_no_harm(stocked, now):
    name = store.store(stocked, "A torn \udc00 surrogate \ud83d in text", now, project="\udfff")
    assert "torn" in store.get(stocked, name).content
    (hit,) = search.search(stocked, "torn surrogate", now)
    assert hit.id == name and hit.document.said.startswith("A torn ")
    assert texts(stocked, QUERY + " \udc00", now) != []
