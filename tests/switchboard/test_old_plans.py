"""The archive: what is kept, found and asked for, that asking does nothing else, and talks without secrets."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from pal.memory.icm import fold
from pal.switchboard import archive, archive_query, archive_search, board, cards, export, moves
from pal.switchboard.errors import Refused


def code(act):
    with pytest.raises(Refused) as refusal:
        act()
    return refusal.value.code


@pytest.fixture
def finished(at, plan):
    card = plan("Import the orders", score=4, tags="data")
    moves.move(at(), card["sessionId"], "done")
    return card


def test_a_finished_plan_is_kept_with_text_and_history(at, finished):
    got = archive_query.query(at(), "select topic, score, revision, body, events, days_to_completion from plans")
    ((topic, score, revision, body, events, days),) = got["rows"]
    assert (topic, score, revision, days) == ("Import the orders", 4, 1, 0)
    assert body.startswith("# Import the orders") and '"completed"' in events


def test_finished_again_it_is_a_revision_and_the_former_text_stays(at, finished):
    cards.restore(at(), finished["planId"])
    text, sha = cards.text(at(), finished["planId"])
    cards.edit(at(), finished["planId"], text + "\nrevised\n", sha)
    moves.move(at(3 * 86400), finished["sessionId"], "done")
    got = archive_query.query(at(), "select revision, days_to_completion, body like '%revised%' from plans")
    assert got["rows"] == [[2, 3, 1]]
    assert archive_query.query(at(), "select revision, body like '%revised%' from plan_revisions")["rows"] == [[1, 0]]
    assert archive.stats(at())["revisions"] == 1


def test_memory_learns_one_line_of_a_finished_plan_and_no_text_of_it(at, home, finished):
    path = board.find(at(), finished["planId"])["planFile"]
    assert archive_search.search(at(), "orders")["hits"][0]["file"] == path
    cards.restore(at(), finished["planId"])
    moves.move(at(86400), finished["sessionId"], "done")
    (kept,) = fold.load(home).values()
    assert kept.content == f"Plan finished in project: Import the orders (complexity 4, 0 days, {path})"
    assert (kept.project, kept.source_tier, kept.importance) == ("project", "external", "low")


def test_archived_twice_without_a_change_is_once(at, finished):
    assert archive.add(at(), finished["planId"]) == {
        "planId": finished["planId"], "revision": 1, "changed": False, "days": 0,
    }  # fmt: skip


@pytest.fixture(params=["fts5", "like"])
def way(request, at, finished):
    export.export(at(), "# Talk about orders\n\nWe import 100% of them, under_scored and all.\n")
    if request.param == "like":
        db = sqlite3.connect(at().workspace.archive)
        db.execute("drop table fts")
        db.commit()
        db.close()
    return request.param


@pytest.mark.parametrize(
    ("query", "kinds"),
    [
        ("orders", {"plan", "conversation"}),
        ("IMPORT orders", {"plan", "conversation"}),
        ("talk orders", {"conversation"}),
        ("nowhere", set()),
        ('orders" OR "x', set()),
        ("orders NOT talk", set()),
        ("NEAR(orders", set()),
        ("*", set()),
        ("", set()),
    ],
)
def test_search_holds_every_word_and_no_word_is_an_operator(at, way, query, kinds):
    found = archive_search.search(at(), query)
    assert {hit["kind"] for hit in found["hits"]} == kinds
    if kinds:
        assert found["method"] == way
        assert all(len(hit["snippet"]) <= 200 and hit["title"] for hit in found["hits"])


def test_percent_and_underscore_are_themselves_when_texts_are_compared(at, way):
    if way == "like":
        assert len(archive_search.search(at(), "100%")["hits"]) == 1
        assert archive_search.search(at(), "1_0")["hits"] == []
        assert archive_search.search(at(), "under_scored")["hits"]


def test_an_archive_that_is_not_there_is_empty(at, place):
    assert archive_search.search(at(), "x") == {"hits": [], "method": "none"}
    assert archive_query.query(at(), "select 1")["rows"] == []
    assert archive.stats(at())["plans"] == 0
    assert not os.path.exists(place.archive)


ATTACKS = [
    "delete from plans",
    "with gone as (select plan_id from plans) delete from plans where plan_id in gone",
    "with a as (select 1) insert into plans select * from plans",
    "update plans set topic = 'x'",
    "insert into conversations select * from conversations",
    "replace into plans select * from plans",
    "drop table plans",
    "create table x (y)",
    "create temp table x (y)",
    "create trigger t after insert on plans begin delete from plans; end",
    "alter table plans rename to x",
    "attach database ':memory:' as other",
    "attach database '{other}' as other",
    "detach database main",
    "vacuum",
    "vacuum into '{out}'",
    "reindex",
    "analyze",
    "pragma user_version",
    "pragma data_version = 1",
    "pragma user_version = 9",
    "pragma writable_schema = on",
    "pragma journal_mode = wal",
    "select * from pragma_table_info('plans')",
    "select * from pragma_database_list",
    "select * from dbstat",
    "select load_extension('/tmp/x')",
    "select writefile('{out}', 'x')",
    "select readfile('{other}')",
    "select fts3_tokenizer('x', x'00')",
    "select zeroblob(1000000000)",
    "insert into fts (fts) values ('rebuild')",
    "insert into fts (fts, rank) values ('merge', 1)",
    "begin; delete from plans; commit",
    "select 1; delete from plans",
    "select 1; select 2",
    "begin immediate",
    "savepoint a",
    "commit",
    "explain delete from plans",
    "",
    "-- nothing",
    "/* select */",
    "nonsense",
    "select * from nowhere",
]


@pytest.mark.parametrize("sql", ATTACKS)
def test_no_statement_does_more_than_read_the_archive(at, finished, tmp_path, sql):
    other, out = tmp_path / "other.db", tmp_path / "out.db"
    sqlite3.connect(other).execute("create table secret (x)").connection.close()
    before = Path(at().workspace.archive).read_bytes()
    assert code(lambda: archive_query.query(at(), sql.format(other=other, out=out))) == "E_SQL"
    assert Path(at().workspace.archive).read_bytes() == before
    assert not out.exists()


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("select topic from plans where topic like '%import%'", [["Import the orders"]]),
        ("select 'drop table plans; delete' as words", [["drop table plans; delete"]]),
        ("with a as (select score from plans) select sum(score) from a", [[4]]),
        (
            "with recursive n(i) as (select 1 union all select i + 1 from n where i < 3) select i from n",
            [[1], [2], [3]],
        ),
        ("select count(*) from plans -- how many", [[1]]),
        ("select hex(x'00ff'), x'00ff'", [["00FF", "00ff"]]),
        ("select ref is not null from fts where fts match 'orders'", [[1]]),
        ("select upper(group_concat(column_id)) from plans group by status;", [["COMPLETED"]]),
    ],
)
def test_reading_in_any_form_works(at, finished, sql, rows):
    assert archive_query.query(at(), sql)["rows"] == rows


def test_a_question_without_end_is_stopped(at, finished, monkeypatch):
    monkeypatch.setattr(archive_query, "SECONDS", 0.05)
    endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"
    with pytest.raises(Refused, match="took longer"):
        archive_query.query(at(), endless)


def test_an_answer_has_a_size(at, finished):
    rows = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000) select i from n"
    got = archive_query.query(at(), rows, 99_999)
    assert (len(got["rows"]), got["truncated"]) == (1000, True)
    assert len(archive_query.query(at(), rows, 3)["rows"]) == 3
    wide = rows.replace("select i from n", "select printf('%20000d', i) from n")
    assert archive_query.query(at(), wide)["truncated"]


TALK = [("user", "my key is ghp_" + "a1B2" * 9, "2026-03-02T08:00:00Z"), ("assistant", "I see.", ""), ("user", " ", "")]


def test_a_conversation_is_kept_without_its_secrets(at):
    content, count = export.written(TALK)
    assert count == 2 and "## User (2026-03-02T08:00:00Z)" in content
    kept = export.export(at(session="s", host="h"), content, count, topic="keys", tags="A, b")
    assert (kept["duplicate"], kept["scrubbed"]) == (False, True)
    assert kept["title"].startswith("my key is [redacted")
    row = archive_query.query(at(), "select content, host, session_id, messages, tags, project from conversations")[
        "rows"
    ]
    assert "ghp_" not in row[0][0] and row[0][1:] == ["h", "s", 2, ",a,b,", "project"]
    assert export.export(at(9), content, count) == {**kept, "duplicate": True}


def test_secrets_stay_when_asked_for(at):
    content, _ = export.written(TALK)
    assert not export.export(at(), content, raw=True)["scrubbed"]
    assert "ghp_" in archive_query.query(at(), "select content from conversations")["rows"][0][0]


@pytest.mark.parametrize(
    ("content", "title"),
    [("intro\n# The heading\n", "The heading"), ("x" * 80, "x" * 49 + "…"), ("## Only\n\nwords here", "words here")],
)
def test_a_title_is_the_first_heading_or_the_first_words(at, content, title):
    assert export.export(at(), content)["title"] == title


def test_what_is_empty_or_too_big_is_not_kept(at, monkeypatch):
    assert code(lambda: export.export(at(), " \n")) == "E_SIZE"
    monkeypatch.setattr(export, "LARGEST", 100)
    assert code(lambda: export.export(at(), "x" * 101)) == "E_SIZE"


def test_a_conversation_longer_than_a_command_line_is_kept(at):
    assert export.export(at(), "# Long\n" + "words and words\n" * 40_000)["title"] == "Long"


def test_a_file_is_taken_from_the_folders_that_are_allowed_and_not_by_their_names_beginning(tmp_path):
    inside, beside = tmp_path / "temp", tmp_path / "tempfoo"
    for folder in (inside, beside):
        folder.mkdir()
        (folder / "talk.md").write_text("hello")
    (inside / "link.md").symlink_to(beside / "talk.md")
    assert export.from_file(str(inside / "talk.md"), [str(inside)]) == "hello"
    for path in (beside / "talk.md", inside / "link.md", inside / ".." / "tempfoo" / "talk.md"):
        assert code(lambda: export.from_file(str(path), [str(inside)])) == "E_READONLY"  # noqa: B023
    assert code(lambda: export.from_file(str(inside / "none.md"), [str(inside)])) == "E_NOT_FOUND"
