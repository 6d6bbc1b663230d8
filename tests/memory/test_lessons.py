"""Prior lessons: found when two of their key terms are in the prompt, never hidden by the gate, never in the way."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pal.base import clock, files, frontmatter
from pal.base.home import Home
from pal.memory import lesson_files, lesson_gate, lesson_index, lesson_store, lessons

DAY = 86_400.0
FILLER = (
    "gardens bloom while rivers carry timber",
    "planets orbit distant stars quietly tonight",
    "violins rehearse another slow movement",
    "bakers knead dough before sunrise daily",
    "sailors mend canvas along windy harbours",
    "glaciers shift boulders across valleys",
)


def learning(
    home: Home, name: str, title: str, now: float, *, cwd: str = "", insights: str = "", done: str = ""
) -> Path:
    header = {"title": title, "date": clock.iso(now)[:10], "ts": clock.iso(now), "cwd": cwd}
    body = f"## What Was Done\n\n{done}\n\n## Insights\n\n{insights}\n"
    path = Path(home.session_learning, clock.iso(now)[:7], name + ".md")
    files.write(str(path), frontmatter.render(header, body))
    return path


def failure(home: Home, name: str, now: float, rating: int = 2, **header: object) -> Path:
    path = Path(home.failures, clock.iso(now)[:7], name + ".md")
    body = "## What Happened\n\nIt went wrong.\n\n## Conversation Summary\n\nUSER: zebra xylophone\n"
    files.write(str(path), frontmatter.render({"rating": rating, "ts": clock.iso(now), **header}, body))
    return path


def crystal(home: Home, domain: str, *lines: str) -> None:
    files.write(
        os.path.join(home.wisdom, domain.lower() + ".md"), "# Frame: " + domain + "\n\n" + "\n".join(lines) + "\n"
    )


@pytest.fixture
def stocked(home, now) -> Home:
    """A home with one lesson that matters among some that do not."""
    learning(home, "db", "Run migrations before restarting the postgres container", now - 3 * DAY, cwd="/srv/shop")
    for number, text in enumerate(FILLER):
        learning(home, f"filler-{number}", text, now - DAY)
    lessons.rebuild(home, now)
    return home


def texts(home, prompt, now, cwd="/elsewhere") -> list[str]:
    return [lesson.text for lesson in lessons.match(home, prompt, cwd, now)]


def test_a_lesson_is_found_by_what_it_says(stocked, now):
    (lesson,) = lessons.match(stocked, "the postgres migration fails, why?", "/elsewhere", now)
    assert (lesson.kind, lesson.text) == ("learning", "Run migrations before restarting the postgres container")
    assert (lesson.rating, lesson.project, lesson.age_days) == (None, "/srv/shop", 3)
    assert lesson.path == os.path.join(stocked.session_learning, "2026-02", "db.md")
    assert 0.18 <= lesson.confidence <= 2


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "ok",
        "postgres",
        "is postgres fast for a dashboard of weather data?",
        "restarting restarted restarts",
        "commit and push",
        "the of and to",
    ],
)
def test_fewer_than_two_key_terms_find_nothing(stocked, now, prompt):
    assert texts(stocked, prompt, now) == []


def test_two_terms_in_a_long_prompt_about_something_else_are_too_little(stocked, now):
    chatter = " ".join(f"subject{number}" for number in range(50))
    assert texts(stocked, "postgres migrations " + chatter, now) == []


def test_only_the_beginning_of_a_huge_prompt_is_read(stocked, now):
    assert texts(stocked, "x " * 2100 + "postgres migrations", now) == []
    assert texts(stocked, "postgres migrations " + "the " * 2_000_000, now) != []


def test_the_project_the_prompt_comes_from_counts_half_as_much_again(home, now, tmp_path):
    shop = tmp_path / "shop"
    (shop / ".git").mkdir(parents=True)
    (shop / "deep").mkdir()
    learning(home, "here", "Postgres migrations need the replica stopped", now, cwd=str(shop / "deep"))
    learning(home, "there", "Postgres migrations want a snapshot taken", now, cwd="/srv/other")
    lessons.rebuild(home, now)
    here, there = lessons.match(home, "postgres migrations", str(shop), now)
    assert here.project == str(shop)
    assert here.confidence == pytest.approx(1.5 * there.confidence, rel=0.05)


def test_a_lesson_without_a_folder_belongs_to_the_project_it_speaks_of(home, now):
    learning(home, "named", "Webshop migrations break postgres replicas", now)
    lessons.rebuild(home, now)
    (named,) = lessons.match(home, "postgres migrations", "/srv/webshop", now)
    (elsewhere,) = lessons.match(home, "postgres migrations", "/srv/blog", now)
    assert named.confidence > elsewhere.confidence


def test_a_lesson_fades_with_age_until_it_is_told_no_more(stocked, now):
    prompt = "postgres migrations restarting"
    sure = [lessons.match(stocked, prompt, "", now + days * DAY)[0].confidence for days in (0, 30, 60)]
    assert sure[1] == pytest.approx(sure[0] * 0.7165, rel=0.02) and sure[2] < sure[1]
    assert lessons.match(stocked, prompt, "", now + 400 * DAY) == []


def test_a_failure_is_told_by_its_principle_with_its_rating(home, now):
    failure(
        home, "f", now - 2 * DAY, rating=2, context="you broke it", principle="Check the staging deploy first", cwd="/w"
    )
    lessons.rebuild(home, now)
    (lesson,) = lessons.match(home, "deploy to staging", "", now)
    assert (lesson.kind, lesson.text, lesson.rating) == ("failure", "Check the staging deploy first", 2)


def test_what_was_said_in_a_failed_conversation_is_no_lesson(home, now):
    failure(home, "f", now, context="Wrong timezone conversion")
    lessons.rebuild(home, now)
    assert texts(home, "zebra xylophone", now) == []
    assert texts(home, "timezone conversion", now) == ["Wrong timezone conversion"]


def test_crystals_do_not_fade_and_stand_in_for_the_failures_they_grew_from(home, now):
    crystal(
        home,
        "Deploying",
        "### Check the staging deploy first [CRYSTAL: 91%]",
        "### Unripe staging deploy [CRYSTAL: 60%]",
    )
    failure(home, "f", now, principle="Always check staging deploy logs first", context="x")
    learning(home, "l", "Staging deploy takes ten minutes", now)
    lessons.rebuild(home, now + 400 * DAY)
    wisdom, other = lessons.match(home, "staging deploy", "", now)
    assert (wisdom.kind, wisdom.text, wisdom.rating, wisdom.project) == (
        "wisdom",
        "Check the staging deploy first",
        91,
        "Deploying",
    )
    assert other.kind == "learning"
    assert [lesson.kind for lesson in lessons.match(home, "staging deploy", "", now + 400 * DAY)] == ["wisdom"]


def test_at_most_two_and_none_that_says_the_same_again(home, now):
    for number in range(4):
        learning(home, f"same-{number}", "Postgres migrations need the replica stopped", now - number * DAY)
    learning(home, "other", "Snapshot before any postgres migrations run", now - 5 * DAY)
    learning(home, "third", "Long postgres migrations lock tables badly", now - 6 * DAY)
    lessons.rebuild(home, now)
    assert texts(home, "postgres migrations", now) == [
        "Postgres migrations need the replica stopped",
        "Snapshot before any postgres migrations run",
    ]


def test_a_text_is_cut_to_what_fits_a_line(home, now):
    learning(home, "long", "Postgres migrations " + "and then " * 40, now)
    lessons.rebuild(home, now)
    (text,) = texts(home, "postgres migrations", now)
    assert len(text) <= 200 and text.endswith("…") and "\n" not in text


def test_private_text_in_a_file_written_by_hand_is_not_indexed(home, now):
    learning(home, "p", "Postgres migrations <private>for Acme Corp</private> need care", now)
    lessons.rebuild(home, now)
    (text,) = texts(home, "postgres migrations", now)
    assert "Acme" not in text
    assert b"Acme" not in Path(home.index).read_bytes()


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
def test_a_file_edited_by_hand_is_still_a_lesson(home, now, name, content):
    files.write(os.path.join(home.session_learning, "2026-03", name + ".md"), content)
    lessons.rebuild(home, now)
    assert len(texts(home, "postgres migrations by hand", now)) == 1


@pytest.mark.parametrize(("name", "at"), [("2026-02-20_x", "2026-02-20T12:00:00Z"), ("x", None)])
def test_a_lesson_without_a_time_has_the_one_of_its_file(name, at):
    (document,) = lesson_files.documents("learning", name + ".md", "Say it", 1000.0)
    assert document.ts == (clock.parse(at) if at else 1000.0)


# The index follows the files.


def rows(home: Home) -> dict[str, object]:
    connection = sqlite3.connect(home.index)
    try:
        fts = connection.execute("select 1 from sqlite_master where name = 'fts'").fetchone()
        if fts:
            connection.execute("insert into fts (fts, rank) values ('integrity-check', 1)")
        docs = connection.execute("select path, text, near, far, weights, rating, ts, project from doc order by 1, 2")
        return {
            "doc": docs.fetchall(),
            "term": connection.execute("select term, df from term where df > 0 order by 1").fetchall(),
            "file": connection.execute("select path, size from file order by 1").fetchall(),
            "docs": connection.execute("select value from meta where name = 'docs'").fetchone(),
            "lost": connection.execute("select * from key where doc not in (select id from doc)").fetchall(),
            "keys": connection.execute("select count(*) from key group by doc having count(*) > 8").fetchall(),
        }
    finally:
        connection.close()


def test_after_any_change_a_refresh_leaves_what_a_rebuild_would(home, now):
    lessons.refresh(home, now)

    def steps():
        for number, text in enumerate(FILLER):
            learning(home, f"l-{number}", text, now)
        crystal(home, "Deploying", "### Check staging first [CRYSTAL: 91%]")
        yield
        learning(home, "l-0", "Something else entirely now", now)
        failure(home, "f", now - 40 * DAY, principle="Never force push shared branches")
        yield
        os.remove(os.path.join(home.session_learning, "2026-03", "l-1.md"))
        crystal(home, "Deploying", "### Check staging twice [CRYSTAL: 92%]", "### Ask first [CRYSTAL: 99%]")
        yield
        os.rename(Path(home.failures, "2026-01"), Path(home.failures, "2026-01-moved"))
        yield
        files.write(os.path.join(home.failures, "2025", "12", "20251203_x", "capture.md"), "Nested older layout here")
        yield
        os.remove(os.path.join(home.failures, "2025", "12", "20251203_x", "capture.md"))
        os.rmdir(os.path.join(home.failures, "2025", "12", "20251203_x"))
        os.remove(os.path.join(home.wisdom, "deploying.md"))
        yield

    for _ in steps():
        lessons.refresh(home, now)
        refreshed = rows(home)
        lessons.rebuild(home, now)
        assert refreshed == rows(home)
        assert refreshed["lost"] == refreshed["keys"] == []


def later(home: Home) -> float:
    """A moment at which no folder of the home has changed just now."""
    return max(os.stat(folder).st_mtime for folder, _, _ in os.walk(home.memory)) + 60


def test_only_changed_folders_are_listed_and_only_changed_files_are_read(stocked, now, monkeypatch):
    learning(stocked, "first", "Make the folder old before anything is counted", now)
    moment = later(stocked)
    lessons.rebuild(stocked, moment)
    listed: list[str] = []
    read: list[str] = []
    scandir, read_text = os.scandir, files.read_text
    monkeypatch.setattr(os, "scandir", lambda path: listed.append(os.path.basename(path)) or scandir(path))
    monkeypatch.setattr(files, "read_text", lambda path: read.append(os.path.basename(path)) or read_text(path))
    lessons.refresh(stocked, moment)
    assert (listed, read) == ([], [])
    learning(stocked, "new", "Fresh insight about caching headers", now)
    lessons.refresh(stocked, moment)
    assert (listed, read) == (["2026-03"], ["new.md"])
    assert texts(stocked, "caching headers insight", now) == ["Fresh insight about caching headers"]


def test_a_folder_that_changed_while_it_was_read_is_listed_again(stocked, now):
    lessons.rebuild(stocked, os.stat(os.path.join(stocked.session_learning, "2026-03")).st_mtime)
    folder = os.path.join(stocked.session_learning, "2026-03")
    before = os.stat(folder)
    learning(stocked, "new", "Fresh insight about caching headers", now)
    os.utime(folder, ns=(before.st_atime_ns, before.st_mtime_ns))  # as when the clock of the disk did not tick
    lessons.refresh(stocked, now)
    assert texts(stocked, "caching headers insight", now) == ["Fresh insight about caching headers"]


def test_a_grown_store_gets_a_bigger_gate(home, now, monkeypatch):
    monkeypatch.setattr(lesson_gate, "_FEWEST", 2)
    for number in range(40):
        learning(home, f"l-{number}", f"alpha{number} beta{number} gamma{number} delta{number} epsilon{number}", now)
        if number % 4 == 0:
            lessons.refresh(home, now)
    lessons.refresh(home, now)
    gate = lesson_gate.load(home.lesson_gate)
    assert gate is not None and gate.count <= gate.capacity > 64
    for number in range(40):
        assert len(texts(home, f"alpha{number} gamma{number}", now)) == 1


DAMAGE = {
    "deleted": lambda home: os.remove(home.index),
    "empty": lambda home: Path(home.index).write_bytes(b""),
    "truncated": lambda home: os.truncate(home.index, 5000),
    "no database": lambda home: Path(home.index).write_bytes(b"x" * 9000),
    "another schema": lambda home: sql(home, "update meta set value = 99 where name = 'schema'"),
    "no tables": lambda home: sql(home, "drop table meta"),
    "another gate": lambda home: sql(home, "update meta set value = 'ffff' where name = 'generation'"),
    "no gate": lambda home: os.remove(home.lesson_gate),
    "torn gate": lambda home: os.truncate(home.lesson_gate, 3000),
    "foreign gate": lambda home: Path(home.lesson_gate).write_bytes(b"PALGATE0" + b"\0" * 9000),
    "cache deleted": lambda home: __import__("shutil").rmtree(home.cache),
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
def test_whatever_happens_to_the_cache_a_prompt_goes_on_and_the_next_refresh_mends_it(stocked, now, damage):
    prompt = "postgres migrations restarting"
    before = texts(stocked, prompt, now)
    damage(stocked)
    assert texts(stocked, prompt, now) in (before, [])
    lessons.refresh(stocked, now)
    assert texts(stocked, prompt, now) == before != []
    assert rows(stocked)["docs"] == (7,)


@pytest.mark.parametrize("damage", ["no gate", "torn gate", "foreign gate"])
def test_without_a_whole_gate_the_index_is_asked(stocked, now, damage):
    DAMAGE[damage](stocked)
    assert texts(stocked, "postgres migrations restarting", now) != []


def test_a_locked_index_is_waited_for_shortly_and_then_left_alone(stocked, now, monkeypatch):
    monkeypatch.setattr(lessons, "_WAIT", 0.01)
    other = sqlite3.connect(stocked.index, isolation_level=None)
    other.execute("begin exclusive")
    assert texts(stocked, "postgres migrations restarting", now) == []
    other.execute("rollback")
    other.close()
    assert texts(stocked, "postgres migrations restarting", now) != []


def test_while_another_process_refreshes_nothing_is_done_twice(stocked, now, monkeypatch):
    from pal.base import locks

    monkeypatch.setattr(locks.Lock.__init__, "__defaults__", (0.01,))
    learning(stocked, "new", "Fresh insight about caching headers", now)
    with locks.Lock(stocked.index):
        lessons.refresh(stocked, now)
        lessons.rebuild(stocked, now)
    assert texts(stocked, "caching headers insight", now) == []


@pytest.mark.parametrize("at", ["_fill", "gate"])
def test_a_build_that_dies_leaves_the_old_index_or_the_new_one(stocked, now, monkeypatch, at):
    class Died(BaseException):
        pass

    def die(*_):
        raise Died

    target = (lesson_index, "_fill") if at == "_fill" else (lesson_gate.Gate, "save")
    with monkeypatch.context() as patch:
        patch.setattr(*target, die)
        with pytest.raises(Died):
            lessons.rebuild(stocked, now)
    assert texts(stocked, "postgres migrations restarting", now) != []
    lessons.refresh(stocked, now)
    assert texts(stocked, "postgres migrations restarting", now) != []
    assert sorted(os.listdir(stocked.cache)) == [".index.sqlite.lock", "digests", "index.sqlite", "lessons.gate"]


def test_a_refresh_that_dies_before_it_commits_hides_nothing(stocked, now, monkeypatch):
    learning(stocked, "new", "Fresh insight about caching headers", now)
    save = lesson_gate.Gate.save

    def save_and_die(gate, path):
        save(gate, path)
        raise sqlite3.DatabaseError("as if killed here")

    with monkeypatch.context() as patch:
        patch.setattr(lesson_gate.Gate, "save", save_and_die)
        patch.setattr(lesson_index, "_build", lambda *_: None)
        lessons.refresh(stocked, now)
    assert texts(stocked, "postgres migrations restarting", now) != []
    lessons.refresh(stocked, now)
    assert texts(stocked, "caching headers insight", now) != []


def test_a_sqlite_without_fts5_matches_the_same(stocked, now, monkeypatch):
    prompt = "postgres migrations restarting"
    before = lessons.match(stocked, prompt, "", now)[0].confidence
    monkeypatch.setattr(lesson_store, "FTS", "create virtual table fts using no_such_module(text)")
    lessons.rebuild(stocked, now)
    assert lessons.match(stocked, prompt, "", now)[0].confidence == before
    learning(stocked, "new", "Fresh insight about caching headers", now)
    lessons.refresh(stocked, now)
    assert texts(stocked, "caching headers insight", now) != []
    os.remove(os.path.join(stocked.session_learning, "2026-03", "new.md"))
    lessons.refresh(stocked, now)
    assert texts(stocked, "caching headers insight", now) == []


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_links_are_not_followed_so_a_loop_ends(stocked, now):
    folder = Path(stocked.session_learning, "2026-03")
    (folder / "loop.md").symlink_to(folder / "loop.md")
    (folder / "up").symlink_to(folder.parent)
    lessons.rebuild(stocked, now)
    assert rows(stocked)["docs"] == (7,)


def test_a_home_with_no_lessons_has_an_empty_index(home, now):
    assert texts(home, "postgres migrations", now) == []
    lessons.refresh(home, now)
    assert texts(home, "postgres migrations", now) == []
    assert rows(home)["docs"] == (0,)


@pytest.mark.parametrize(
    ("prompt", "loaded"), [("weather dashboards everywhere", False), ("postgres migrations", True)]
)
def test_sqlite_is_loaded_only_for_a_prompt_that_may_match(stocked, tmp_path, now, prompt, loaded):
    code = (
        "import sys\nfrom pal.base.home import Home\nfrom pal.memory import lessons\n"
        "lessons.match(Home(sys.argv[1]), sys.argv[2], '', float(sys.argv[3]))\n"
        "print('_sqlite3' in sys.modules, 'sqlite3' in sys.modules, 're' in sys.modules)\n"
    )
    source = str(Path(lessons.__file__).parents[2])
    run = subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-c",
            f"import sys\nsys.path.insert(0, {source!r})\n" + code,
            stocked.root,
            prompt,
            str(now),
        ],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert run.stdout.split() == [str(loaded), "False", "False"], run.stderr


# The gate: no false negatives.

WORD = st.text("abcdefgh", min_size=3, max_size=5)


@settings(deadline=None)
@given(st.lists(st.lists(WORD, min_size=1, max_size=8, unique=True), max_size=12), st.lists(WORD, max_size=12))
def test_the_gate_never_refuses_a_prompt_that_shares_two_key_terms_with_a_lesson(tmp_path_factory, stored, prompt):
    gate = lesson_gate.empty(b"12345678", 40)
    for terms in stored:
        gate.add(terms)
    path = str(tmp_path_factory.getbasetemp() / "gate")
    gate.save(path)
    if any(len(set(prompt).intersection(terms)) >= 2 for terms in stored):
        assert lesson_gate.may_match(path, prompt)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.lists(st.sampled_from(" ".join(FILLER).split()), min_size=2, max_size=9), min_size=1, max_size=6),
    st.lists(st.sampled_from(" ".join(FILLER).split()), min_size=2, max_size=6),
    st.integers(0, 6),
)
def test_with_the_gate_a_prompt_finds_what_it_finds_without(tmp_path_factory, stored, prompt, built_after):
    home, now = Home(str(tmp_path_factory.mktemp("home"))), 1772439300.0
    for number, words in enumerate(stored):
        learning(home, f"l-{number}", " ".join(words), now)
        if number == built_after:
            lessons.rebuild(home, now)
    lessons.refresh(home, now)
    gated = texts(home, " ".join(prompt), now)
    os.remove(home.lesson_gate)
    assert texts(home, " ".join(prompt), now) == gated


def test_the_gate_refuses_nearly_everything_else(tmp_path):
    gate = lesson_gate.empty(b"12345678", 3000)
    for number in range(80):
        gate.add([f"term{number}x{position}" for position in range(8)])
    path = str(tmp_path / "gate")
    gate.save(path)
    pairs = [[f"term{n}x1", f"term{n + 1}x2", f"other{n}"] for n in range(79)]
    assert sum(lesson_gate.may_match(path, terms) for terms in pairs) <= 2
    assert lesson_gate.may_match(path, ["term7x1", "term7x2"])


def test_the_gate_is_the_same_in_every_process(tmp_path):
    code = (
        "import sys\nfrom pal.memory import lesson_gate\n"
        "gate = lesson_gate.empty(b'12345678', 10)\ngate.add(['alpha', 'beta', 'gam\\u00e9'])\ngate.save(sys.argv[1])\n"
    )
    source = str(Path(lessons.__file__).parents[2])
    for name, seed in (("a", "1"), ("b", "2")):
        run = [sys.executable, "-c", code, str(tmp_path / name)]
        subprocess.run(run, env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": source}, cwd=tmp_path, check=True)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
