"""What other memories remember comes in once, whole, and its source stays as it was."""

from __future__ import annotations

import io
import json
import os
import sqlite3
from pathlib import Path

import pytest

from pal.base.errors import PalError
from pal.cli import main, memory_import
from pal.cli.output import Output
from pal.memory.icm import fold
from pal.memory.importing import items, pages, run, stores
from pal.memory.importing.databases import Database

TOKEN = "ghp_" + "0123456789abcdefghij0123456789abcdef"


@pytest.fixture
def source(tmp_path) -> Path:
    made = tmp_path / "source"
    made.mkdir()
    return made


@pytest.fixture
def typed(home, fresh_home, now):
    """typed("server-memory", path, …) → what --json says."""

    def call(form: str, *argv: object):
        out, err = io.StringIO(), io.StringIO()
        values = {"HOME": str(fresh_home), "USERPROFILE": str(fresh_home), "PATH": ""}
        words = ("memory", "import", "--from", form, *map(str, argv), "--json")
        code = main.run(words, values, now, Output(values, out, err))
        assert (code, err.getvalue()) == (0, "")
        return json.loads(out.getvalue())

    return call


def contents(home) -> dict[str, str]:
    return {entry.content: entry for entry in fold.load(home).values()}


def database(path: Path, *statements: str) -> Path:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path


def server_memory(folder: Path) -> Path:
    rows = [
        {"type": "entity", "name": "Anna", "entityType": "person", "observations": ["likes tea", "Anna lives in Pécs"]},
        {"type": "relation", "from": "Anna", "to": "Shop", "relationType": "works_at"},
        {"type": "entity", "name": "Empty", "entityType": "thing", "observations": [f"<private>{TOKEN}</private>"]},
    ]
    path = folder / "memory.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + '{"type": "ent')
    return path


def observer(folder: Path) -> Path:
    return database(
        folder / "observer.db",
        "create table observations (id integer primary key, memory_session_id text, project text, text text, "
        "type text, title text, subtitle text, facts text, narrative text, concepts text, created_at text, "
        "created_at_epoch int)",
        "insert into observations values (1, 's1', 'shop', null, 'bugfix', 'Login loop', 'Cookie was lost', "
        "'[\"SameSite was Strict\"]', 'The cookie went missing on redirect.', '[\"auth\"]', "
        "'2026-01-05T10:00:00.123Z', 0)",
        "create table session_summaries (id integer primary key, memory_session_id text, project text, request text, "
        "learned text, completed text, created_at text, created_at_epoch integer)",
        "insert into session_summaries values (1, 's1', 'shop', 'mend the login', 'cookies', 'done', null, "
        "1767693600000)",
    )


def topic_store(folder: Path) -> Path:
    return database(
        folder / "memories.db",
        "create table memories (id text, created_at text, topic text, summary text, raw_excerpt text, keywords text, "
        "importance text)",
        "insert into memories values ('1', '2026-01-05T10:00:00+00:00', 'decisions-shop', 'Use Postgres 16', 'raw', "
        "'[\"db\"]', 'High')",
        "create table facts (id text, entity text, key text, value text, created_at text, superseded_at text)",
        "insert into facts values ('1', 'dev server', 'listens_on', '5173', '2026-01-05', null)",
        "insert into facts values ('2', 'dev server', 'listens_on', '3000', '2026-01-01', '2026-01-05')",
        "create table feedback (id text, topic text, predicted text, corrected text, reason text, created_at text)",
        "insert into feedback values ('1', 'style', 'tabs', 'spaces', 'the linter', '2026-01-05')",
    )


def test_entities_and_relations_become_memories(home, typed, source):
    assert typed("server-memory", server_memory(source))["new"] == 3
    held = contents(home)
    assert set(held) == {"Anna: likes tea", "Anna lives in Pécs", "Anna works at Shop"}
    assert held["Anna: likes tea"].entities == ["Anna"]
    assert held["Anna: likes tea"].source_tier == "derived"


def test_observations_and_summaries_become_memories_of_their_project_and_day(home, typed, source):
    assert typed("claude-mem", observer(source))["new"] == 2
    first, second = sorted(fold.load(home).values(), key=lambda entry: entry.ts)
    assert first.content == "Login loop\nCookie was lost\nThe cookie went missing on redirect.\n- SameSite was Strict"
    assert (first.kind, first.project, first.keywords, first.ts) == (
        "learning",
        "shop",
        ["auth"],
        "2026-01-05T10:00:00Z",
    )
    assert first.source == {"session": "s1"}
    assert second.content == "Asked: mend the login\nLearned: cookies\nDone: done"


def test_topics_facts_and_corrections_become_memories(home, typed, source):
    assert typed("icm", topic_store(source))["new"] == 3
    held = contents(home)
    assert set(held) == {
        "Use Postgres 16",
        "dev server listens on: 5173",
        "Instead of tabs, do spaces, because the linter",
    }
    decision = held["Use Postgres 16"]
    assert (decision.kind, decision.project, decision.importance) == ("decision", "shop", "high")
    assert held["dev server listens on: 5173"].slot == {"entity": "dev server", "key": "listens_on", "value": "5173"}


def linked(folder: Path) -> Path:
    notes = folder / "notes"
    (notes / ".hidden").mkdir(parents=True)
    (notes / ".hidden" / "x.md").write_text("# no\n")
    (notes / "coffee.md").write_text(
        "---\ntitle: Coffee\ntype: note\ntags: [a, b]\n---\n# Coffee\n\n"
        "- [method] Pour over #x\n- extends [[Tea Brewing]]\n"
    )
    (notes / "anna.md").write_text("---\ntitle: Anna\ntype: Person\n---\nHi.\n")
    return notes


def test_linked_notes_become_pages_with_their_links(home, typed, source):
    assert typed("basic-memory", linked(source)) | {"source": ""} == {
        "source": "", "dry_run": False, "read": 2, "new": 2, "pages": 2, "known": 0, "empty": 0,
    }  # fmt: skip
    text = (Path(home.knowledge) / "Ideas" / "coffee.md").read_text()
    assert 'related: [{"slug": "tea-brewing", "type": "extends"}]' in text and "- [method] Pour over #x" in text
    assert (Path(home.knowledge) / "People" / "anna.md").is_file()


def fact_folder(folder: Path) -> Path:
    memory = folder / "projects" / "-srv-site" / "memory"
    memory.mkdir(parents=True)
    (memory / "MEMORY.md").write_text("- [deploy](deploy.md)\n")
    (memory / "deploy.md").write_text(
        "---\nname: deploy\ndescription: The site deploys on Thursday\nmetadata:\n  type: project\n---\n\n"
        "After the audit.\n"
    )
    return folder / "projects"


def test_the_fact_files_of_an_agent_become_memories_of_their_project(home, typed, source):
    assert typed("claude-code", fact_folder(source))["new"] == 1
    (entry,) = fold.load(home).values()
    assert entry.content == "The site deploys on Thursday\nAfter the audit."
    assert (entry.kind, entry.project, entry.source_agent) == ("project", "srv-site", "claude")


def chat(folder: Path) -> Path:
    path = folder / "chat.md"
    path.write_text(
        "---\ntitle: Trip\nproject: travel\n---\n# Session 1, 2023-05-08\n\n## D1:1 Anna\nHi there\n\n## D1:2 Mel\n"
        "```\n# no heading\n```\n# Session 2\n**Anna:** yes\n**Mel**: no\nmore\n"
    )
    return path


def test_conversations_are_filed_a_session_a_file_a_turn_a_section(home, typed, source):
    assert typed("transcripts-markdown", chat(source))["conversations"] == 2
    first, second = sorted(Path(home.session_learning).rglob("*.md"))
    assert first.relative_to(home.session_learning).as_posix() == "2023-05/2023-05-08_trip-session-1-2023-05-08.md"
    assert (
        first.read_text().split("---\n\n")[1] == "## D1:1 Anna\n\nHi there\n\n## D1:2 Mel\n\n```\n# no heading\n```\n"
    )
    assert 'type: "transcript"' in first.read_text() and 'project: "travel"' in first.read_text()
    assert second.read_text().split("---\n\n")[1] == "## Anna\n\nyes\n\n## Mel\n\nno\nmore\n"
    assert 'date: "2023-05-08"' in second.read_text(), "a session without a day was held after the one before it"


FORMS = {
    "server-memory": server_memory, "claude-mem": observer, "icm": topic_store, "basic-memory": linked,
    "claude-code": fact_folder, "transcripts-markdown": chat,
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_a_dry_run_counts_a_second_run_adds_nothing_and_the_source_keeps_every_byte(home, typed, source, form):
    path = FORMS[form](source)
    before = snapshot(source)
    dry = typed(form, path, "--dry-run")
    assert dry["new"] > 0 and fold.load(home) == {} and not os.path.exists(home.knowledge)
    real = typed(form, path)
    assert real | {"dry_run": True} == dry
    again = typed(form, path)
    assert (again["new"], again["known"]) == (0, real["new"])
    assert typed(form, path, "--dry-run")["new"] == 0
    assert snapshot(source) == before


def snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    found = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in found}


def test_a_conversation_that_went_on_takes_the_place_of_its_beginning(home, typed, source):
    path = chat(source)
    typed("transcripts-markdown", path)
    path.write_text(path.read_text() + "\n**Anna:** and so on\n")
    assert typed("transcripts-markdown", path) | {"source": ""} == {
        "source": "", "dry_run": False, "read": 2, "new": 1, "conversations": 1, "known": 1, "empty": 0,
    }  # fmt: skip
    assert len(list(Path(home.session_learning).rglob("*.md"))) == 2


def test_a_database_that_its_program_writes_to_is_read_up_to_its_last_commit(source):
    path = topic_store(source)
    writer = sqlite3.connect(path)
    writer.execute("pragma journal_mode=wal")
    writer.execute("insert into memories (summary, topic) values ('fresh', 'x')")
    writer.commit()
    names = sorted(os.listdir(source))
    assert {item.text for item in stores.topics(str(path))} >= {"Use Postgres 16", "fresh"}
    assert sorted(os.listdir(source)) == names
    writer.execute("insert into memories (summary, topic) values ('later', 'x')")
    writer.commit()
    writer.close()


def test_the_log_of_a_program_that_died_is_read_from_a_copy(source, tmp_path):
    path = topic_store(source)
    writer = sqlite3.connect(path)
    writer.execute("pragma journal_mode=wal")
    writer.execute("insert into memories (summary, topic) values ('fresh', 'x')")
    writer.commit()
    dead = tmp_path / "dead"
    dead.mkdir()
    for ending in ("", "-wal"):
        (dead / f"m.db{ending}").write_bytes(Path(f"{path}{ending}").read_bytes())
    writer.close()
    before = snapshot(dead)
    assert "fresh" in {item.text for item in stores.topics(str(dead / "m.db"))}
    assert snapshot(dead) == before


@pytest.mark.parametrize("data", [b"", b"no database at all, just text" * 50])
def test_what_is_no_database_is_one_sentence(source, data):
    path = source / "x.db"
    path.write_bytes(data)
    if data:
        with pytest.raises(PalError, match="cannot be read as an SQLite file"):
            Database(str(path))
    else:
        assert list(stores.topics(str(path))) == []
    with pytest.raises(PalError, match="there is no file"):
        Database(str(source / "missing.db"))


def test_a_secret_in_the_source_does_not_come_along(home, now, source):
    run.take(home, [items.Memory(f"the key is {TOKEN}", keywords=[TOKEN])], "x", now)
    (entry,) = fold.load(home).values()
    assert TOKEN not in json.dumps(entry.shown()) and "[redacted:github-token]" in entry.content


@pytest.mark.parametrize("piece", ['word "quoted"\n', "字", "x" * 100 + " "])
def test_a_text_that_is_too_long_becomes_several_and_nothing_is_lost(home, now, piece):
    text = "".join(f"{piece}<{number}>" for number in range(30_000 // len(piece.encode())))
    run.take(home, [items.Memory(text)], "x", now)
    held = "".join(entry.content for entry in fold.load(home).values())
    assert sorted("".join(text.split())) == sorted("".join(held.split()))
    assert all(
        len(line) <= 8192 for path in Path(home.entries).glob("*.jsonl") for line in path.read_bytes().splitlines()
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [("2026-01-05T10:00:00Z", "2026-01-05T10:00:00Z"), ("2026-01-05 10:00:00", "2026-01-05T10:00:00Z"),
     ("2026-01-05T10:00:00.123456789+02:00", "2026-01-05T08:00:00Z"), (1767607200, "2026-01-05T10:00:00Z"),
     (1767607200000, "2026-01-05T10:00:00Z"), ("yesterday", ""), (None, ""), (True, ""), (-1, "")],
)  # fmt: skip
def test_times_of_every_make_are_read(value, expected):
    assert items.stamp(value) == expected


def test_every_form_is_listed_and_a_missing_source_is_one_sentence(home, fresh_home, now):
    assert set(memory_import.known()) >= set(FORMS)
    out, err = io.StringIO(), io.StringIO()
    values = {"HOME": str(fresh_home), "USERPROFILE": str(fresh_home), "PATH": ""}
    for words in (("server-memory",), ("icm",), ("basic-memory", "/nowhere/x")):
        assert main.run(("memory", "import", "--from", *words), values, now, Output(values, out, err)) == 1
    assert err.getvalue().count("\n") == 3 and out.getvalue() == ""


def test_links_and_hidden_folders_are_not_read(source, tmp_path):
    notes = linked(source)
    (tmp_path / "secret.md").write_text("# secret\n")
    (notes / "link.md").symlink_to(tmp_path / "secret.md")
    assert {os.path.basename(path) for path, _ in pages.markdown(str(notes))} == {"anna.md", "coffee.md"}
