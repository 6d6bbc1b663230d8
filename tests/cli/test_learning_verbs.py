"""The verbs of what PAL learns: what a person reads, what a program gets, what is refused, what can be undone."""

from __future__ import annotations

import io
import json
import os
import shutil
from pathlib import Path

import pytest

from pal.cli import main, plot
from pal.cli.output import Output
from pal.install import scaffold
from pal.memory import ratings, sessions
from pal.memory.tools import frames, opinion_book, relationship_notes

WHO = {"session": "s1", "agent": "claude"}
DAY = 86_400.0


@pytest.fixture
def typed(home, fresh_home, now, monkeypatch, tmp_path):
    """typed("opinion", "list", "--json") → (exit code, stdout, stderr), in a folder that is a project."""
    scaffold.lay_out(home)
    folder = tmp_path / "work" / "shop"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)

    def run(*argv: str, at: float = 0.0):
        out, err = io.StringIO(), io.StringIO()
        values = {"HOME": str(fresh_home), "USERPROFILE": str(fresh_home), "PATH": "", "PAL_INFERENCE_DISABLED": "1"}
        code = main.run(argv, values, now + at, Output(values, out, err))
        return code, out.getvalue(), err.getvalue()

    return run


@pytest.fixture
def facts(typed):
    def read(*argv: str, at: float = 0.0):
        code, out, err = typed(*argv, "--json", at=at)
        assert (code, err) == (0, "")
        return json.loads(out)

    return read


LOOKING = [
    ("opinion", "list"), ("relationship", "list"), ("reflect", "--dry-run"), ("wisdom", "list"), ("analyze",),
    ("synthesize", "--dry-run"), ("algorithm", "list"), ("algorithm", "stats"), ("self-model", "show"),
    ("self-model", "history"), ("thread", "list"), ("project", "list"),
]  # fmt: skip


@pytest.mark.parametrize("argv", LOOKING, ids=" ".join)
def test_an_empty_home_gets_a_sentence_and_json_and_nothing_is_made(typed, facts, home, argv):
    code, out, err = typed(*argv)
    assert (code, err) == (0, "")
    assert out.strip()
    facts(*argv)
    shutil.rmtree(home.root)
    assert typed(*argv)[0] == 0
    assert not os.path.exists(home.root)


def test_an_opinion_is_weighed_shown_and_taken_back(typed, facts):
    assert typed("opinion", "add", "Prefers small commits")[1].startswith("Added: Prefers small commits (prefers-sm")
    assert typed("opinion", "confirm", "prefers", "--because", "yes")[1].startswith("Confirmed")
    assert typed("opinion", "confirm", "prefers", "--because", "yes")[1].startswith("Counted before")
    assert facts("opinion", "contradict", "prefers")["confidence"] == 0.4
    assert facts("opinion", "evidence", "prefers", "--for", "did it")["confidence"] == 0.42
    assert facts("opinion", "evidence", "prefers", "--against", "did not")["confidence"] == 0.37
    assert facts("opinion", "undo", "prefers")["confidence"] == 0.42
    out = typed("opinion", "show", "prefers")[1]
    assert "confidence:  42%" in out
    assert "contradiction" in out
    assert typed("opinion", "remove", "prefers")[1].startswith("Forgotten")
    assert facts("opinion", "list") == []


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (("opinion", "confirm", "nope"), 1),
        (("opinion", "evidence", "x"), 2),
        (("opinion", "evidence", "x", "--for", "a", "--against", "b"), 2),
        (("opinion", "add", "x", "--category", "nope"), 2),
        (("relationship", "note"), 1),
        (("relationship", "note", "-o", "x", "-c", "2"), 1),
        (("wisdom", "show", "nope"), 1),
        (("wisdom", "crystallise", "dev", "x", "--confidence", "200"), 1),
        (("wisdom", "observe", "dev", "x", "--kind", "law"), 2),
        (("synthesize", "yearly"), 2),
        (("algorithm", "reflect", "--task", "x", "--passed", "2"), 1),
        (("thread", "resolve", "zz"), 1),
        (("project", "resume", "nope"), 1),
        (("project", "create", "--path", "/no/such/folder"), 1),
        (("project", "add-next", "nope", "x"), 1),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else str(value),
)
def test_what_makes_no_sense_is_refused_in_one_line(typed, argv, code):
    found, out, err = typed(*argv)
    assert (found, out, err.count("\n")) == (code, "", 1)


def test_notes_are_left_and_become_an_opinion(typed, facts, home):
    code, out, _ = typed("relationship", "note", "-o", "Prefers short answers", "-c", "0.9", "-w", "Ships on Friday")
    assert code == 0
    assert out.startswith("Noted 2 on 2026-03-02")
    assert typed("relationship", "note", "-o", "prefers short answers")[1] == "Noted today already.\n"
    assert facts("relationship", "note", "-b", "Likes short answers")[0]["confidence"] == 0.5
    rows = facts("relationship", "list")
    assert [(row["kind"], row["text"]) for row in rows] == [
        ("W", "Ships on Friday"), ("O", "Prefers short answers"), ("B", "Likes short answers")
    ]  # fmt: skip
    assert rows[0]["cwd"] == os.getcwd()
    dry = typed("reflect", "--dry-run")[1]
    assert "  new, 50%: Prefers short answers\n" in dry
    assert "Nothing was written." in dry
    assert not os.path.exists(home.opinions)
    assert facts("reflect")["created"][0]["id"] == "prefers-short-answers"
    assert facts("opinion", "list")[0]["confidence"] == 0.5


def test_wisdom_is_observed_crystallised_and_dissolved(typed, facts, home):
    assert typed("wisdom", "observe", "dev", "Ask once", "--kind", "rule")[1].startswith("Noted in ")
    assert typed("wisdom", "observe", "dev", "Ask once", "--kind", "rule")[1].startswith("Known already to ")
    frame = facts("wisdom", "crystallise", "dev", "Measure first", "--detail", "Guessing cost two days")
    assert frame["entries"][0] == {
        "kind": "principle", "text": "Measure first", "crystal": 90, "detail": "Guessing cost two days"
    }  # fmt: skip
    assert "   90%  principle    Measure first\n" in typed("wisdom", "list")[1]
    assert typed("wisdom", "show", "dev")[1] == Path(home.wisdom, "dev.md").read_text("utf-8")
    typed("wisdom", "dissolve", "dev", "measure")
    assert [entry["crystal"] for entry in facts("wisdom", "list")[0]["entries"]] == [None, None]


def test_a_report_is_shown_before_it_is_written(typed, facts, home, now):
    sessions.prompt_seen(home, WHO, os.getcwd(), "rename the gallery component", now)
    code, shown, _ = typed("synthesize", "--dry-run")
    assert code == 0
    assert facts("synthesize", "--dry-run")["text"] + "\n" == shown
    assert "- 1 session on 1 day\n" in shown
    assert not os.path.exists(home.synthesis)
    written = facts("synthesize")
    assert written["figures"]["sessions"]["count"] == 1
    assert Path(written["path"]).read_text("utf-8").endswith(shown)


def test_the_self_model_is_shown_before_it_is_written_and_earlier_ones_are_kept(typed, facts, home, now):
    relationship_notes.append(home, [("W", "Builds shops", None)], WHO, now, "UTC")
    shown = typed("self-model", "write", "--dry-run")[1]
    assert "- Builds shops" in shown
    assert not os.path.exists(home.self_model)
    assert facts("self-model", "write")["path"] == home.self_model
    assert typed("self-model", "show")[1] == shown
    relationship_notes.append(home, [("W", "Moves to Graz", None)], WHO, now, "UTC")
    typed("self-model", "write", at=DAY)
    assert [os.path.basename(path) for path in facts("self-model", "history")] == ["2026-03-02.md"]


def test_analysis_counts_and_recommends_without_writing(typed, facts, home):
    for session in "abc":
        folder = Path(home.failures, "2026-03")
        folder.mkdir(parents=True, exist_ok=True)
        content = f'---\nrating: 2\ncontext: "run the tests before reporting it"\nsession: "{session}"\n---\n'
        (folder / f"2026-03-01_{session}.md").write_text(content, "utf-8")
    before = {path: path.stat().st_mtime_ns for path in Path(home.root).rglob("*")}
    found = facts("analyze")
    assert (found["figures"]["failures"], found["patterns"][0]["occurrences"]) == (3, 3)
    command = "pal wisdom crystallise development 'Run the tests before reporting it' --confidence 85"
    assert found["recommendations"] == [command]
    assert command in typed("analyze", "--actionable")[1]
    assert {path: path.stat().st_mtime_ns for path in Path(home.root).rglob("*")} == before
    typed("wisdom", "crystallise", "development", "Run the tests before reporting", "--confidence", "90")
    found = facts("analyze")
    assert (found["patterns"][0]["crystallised"], found["recommendations"]) == (True, [])
    assert facts("analyze", "--actionable")["patterns"] == []


def test_tasks_are_looked_back_on(typed, facts):
    argv = ("algorithm", "reflect", "--task", "Search", "--criteria", "8", "--passed", "7", "--failed", "1")
    assert facts(*argv, "--sentiment", "8", "--q1", "Measure")["q1"] == "Measure"
    assert "7/8     8     Search" in typed("algorithm", "list")[1]
    assert facts("algorithm", "stats")["pass_rate"] == 0.88
    assert "7 of 8 (88%)" in typed("algorithm", "stats")[1]


def test_threads_are_opened_and_settled(typed, facts):
    row = facts("thread", "add", "Ask Ann", "--context", "licence")
    assert row["id"] in typed("thread", "list")[1]
    assert facts("thread", "list", "--here")[0]["context"] == "licence"
    assert "resolved: Ask Ann" in typed("thread", "resolve", row["id"][:4])[1]
    assert facts("thread", "list") == []
    assert [each["status"] for each in facts("thread", "list", "--all")] == ["resolved"]
    assert facts("thread", "reopen", row["id"])["status"] == "open"


def test_a_project_is_tracked_from_its_first_criterion_to_the_last(typed, facts, home):
    made = facts("project", "create", "--objectives", "Orders are paid once; The cart survives")
    assert (made["slug"], made["open"], made["path"]) == ("shop", 2, os.getcwd())
    assert "tracked already" in typed("project", "create")[1]
    added = facts("project", "add-isc", ".", "No order is lost")
    assert (added["id"], added["announce"]) == ("ISC-3", "🎫 ISC-3: No order is lost")
    assert typed("project", "complete-isc", "shop", "1")[1] == "ISC-1 is met; 2 open\n"
    assert typed("project", "reopen-isc", "shop", "1")[1] == "ISC-1 is open again; 3 open\n"
    facts("project", "complete-isc", "shop", "ISC-1")
    facts("project", "retire-isc", "shop", "2")
    for action, text in (("next", "Call the bank"), ("next", "Write docs"), ("blocker", "No test card")):
        facts("project", f"add-{action}", "shop", text)
    assert facts("project", "rm-next", "shop", "1")["next"] == ["Write docs"]
    assert typed("project", "rm-next", "shop", "5")[0] == 1
    facts("project", "add-decision", "shop", "Use Postgres", "transactions")
    facts("project", "add-handoff", "shop", "Payment half done")
    facts("project", "update-section", "shop", "goal", "Sell *more*.")
    seen = facts("project", "resume", ".")
    assert [row["id"] for row in seen["criteria"]] == ["ISC-3"]
    assert (seen["next"], seen["blockers"], seen["handoff"]) == (["Write docs"], ["No test card"], "Payment half done")
    out = typed("project", "resume", "shop")[1]
    assert out.startswith("shop  active, 1 met, 1 open\nHandoff: Payment half done\nOpen:\n  ISC-3  No order is lost\n")
    page = typed("project", "show")[1]
    assert "## Goal\n\nSell *more*.\n" in page
    assert "- 2026-03-02: Use Postgres (because transactions)\n" in page
    assert "shop active 1/2" in typed("project", "list")[1]
    assert facts("project", "show-isc", "shop", "2")["status"] == "retired"
    assert [row["status"] for row in facts("project", "list-isc", "shop")] == ["done", "open", "retired"]
    assert facts("project", "pause", "shop")["status"] == "paused"
    assert facts("project", "unpause", "shop")["status"] == "active"
    assert typed("project", "complete", "shop")[1] == "shop is complete, with 1 criterion open\n"
    assert facts("project", "archive", "shop")["status"] == "archived"
    assert os.path.isdir(facts("project", "rm", "shop")["archived"])
    assert facts("project", "list") == []


def test_a_project_from_another_machine_is_told_where_it_lies_here(typed, facts, home, tmp_path):
    facts("project", "create")
    os.remove(home.bindings)
    assert "pal project set-path shop DIR" in typed("project", "resume", "shop")[1]
    assert facts("project", "list")[0]["root"] == ""
    assert facts("project", "set-path", "shop", ".")["path"] == os.getcwd()
    assert typed("project", "set-path", "shop", str(tmp_path / "nope"))[0] == 1


def test_the_trend_is_drawn_day_by_day(typed, facts, home, now):
    for back, said in ((2, "10"), (1, "5"), (0, "8")):
        ratings.record(home, ratings.parse(said), WHO, None, "/srv", now - back * DAY)
    assert facts("ratings", "trend", "--days", "3")["days"] == [
        {"day": "2026-02-28", "average": 10.0}, {"day": "2026-03-01", "average": 5.0},
        {"day": "2026-03-02", "average": 8.0},
    ]  # fmt: skip
    drawn = typed("ratings", "trend", "--days", "4")[1].partition("\n\n")[2]
    assert drawn == (
        "  10 |  █\n   8 |  █   █\n   6 |  █ ▄ █\n   4 |  █ █ █\n   2 |  █ █ █\n     +--------\n      02-27\n"
    )


def test_a_plain_terminal_gets_a_plain_plot():
    assert plot.columns([10, None, 5], 10, blocks=False) == [
        "  10 |#", "   8 |#", "   6 |#   :", "   4 |#   #", "   2 |#   #", "     +------"
    ]  # fmt: skip


def test_sessions_are_picked_by_agent_status_and_folder(facts, home, now):
    for session, agent, cwd in (("a", "claude", os.getcwd()), ("b", "codex", os.getcwd()), ("c", "claude", "/else")):
        sessions.open(home, {"session": session, "agent": agent}, cwd, "startup", now)
    sessions.close(home, {"session": "a", "agent": "claude"}, "exit", now)

    def listed(*argv: str) -> str:
        return "".join(sorted(row["session"] for row in facts("sessions", "list", *argv)))

    assert listed() == "abc"
    assert listed("--agent", "claude") == "ac"
    assert listed("--status", "active") == "bc"
    assert listed("--here") == "ab"
    assert listed("--here", "--agent", "claude", "--status", "completed") == "a"


def test_a_handoff_is_closed_with_its_words_kept(typed, facts):
    assert typed("handoff", "close")[1].startswith("Nothing is open")
    facts("handoff", "note", "--title", "Parser", "--text", "Two tests left")
    assert typed("handoff", "close")[1].startswith("Closed for ")
    note = facts("handoff", "close")
    assert (note["status"], note["handoff"]) == ("completed", "Two tests left")


def test_a_file_that_a_person_broke_is_named_and_kept(typed, home):
    Path(home.opinions).parent.mkdir(parents=True, exist_ok=True)
    Path(home.opinions).write_text("{ broken", "utf-8")
    for argv in (("opinion", "list"), ("opinion", "add", "x"), ("reflect",), ("synthesize",)):
        code, _, err = typed(*argv)
        assert (code, err.count("\n")) == (1, 1)
        assert home.opinions in err
    assert Path(home.opinions).read_text("utf-8") == "{ broken"


def test_what_is_crystallised_and_confirmed_reaches_the_next_session(home, now):
    from pal.base.settings import Settings
    from pal.context import semi_static

    frames.crystallise(home, "dev", "principle", "Measure first", 90, now)
    opinion_book.add(home, "Prefers short answers", now)
    for number in range(4):
        opinion_book.weigh(home, "prefers", opinion_book.CONFIRMATION, f"yes {number}", now)
    told = {source.slug: semi_static.text_of(source, home, Settings({}), now) for source in semi_static.SOURCES}
    assert told["wisdom"] == "- [Dev] Measure first (90%)"
    assert told["opinions"] == "- [communication] Prefers short answers (90%)"
