"""The optional gate at a stop: claims that no command backs are sent back once, and nothing else ever is."""

from __future__ import annotations

import json

import pytest

from pal.base.settings import Settings
from pal.hooks import quality_gate, stop
from pal.hooks.frame import Frame
from pal.hooks.turn import HookInput
from pal.memory import interaction, sessions
from pal.targets.claude import transcript
from pal.targets.claude import turn as claude

ON = Settings({"qualityGate": {"claims": True}})
CLAIM = "I mended it. All tests pass now."


def turn(reply: str = CLAIM, commands: list[str] | None = (), **fields) -> HookInput:
    made = HookInput("stop", "claude", "s-1", "/srv/site")
    made.reply = reply
    made.read_commands = lambda _: list(commands) if commands is not None else None
    made.read_transcript = lambda _: [("user", "mend it", "")]
    for name, value in fields.items():
        setattr(made, name, value)
    return made


@pytest.fixture
def frame(home, now):
    def build(settings: Settings = ON) -> Frame:
        return Frame(home, settings, now, {}, lambda *_: None, lambda: None)

    sessions.prompt_seen(home, {"session": "s-1", "agent": "claude"}, "/srv/site", "mend the parser", now)
    return build


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ("All tests pass now.", "result"),
        ("Done: the build is green.", "result"),
        ("CI passes, and the lint is clean", "result"),
        ("I verified that the page loads.", "result"),
        ("It works now!", "result"),
        ("I've committed the change.", "version"),
        ("Committed and pushed.", "version"),
        ("The change has been merged.", "version"),
        ("The site is deployed.", "state"),
        ("- Everything is released", "state"),
        ("The tests should pass now.", ""),
        ("Once the tests pass, it can be merged.", ""),
        ("Do all tests pass?", ""),
        ("The tests do not pass.", ""),
        ("I have not run it; all tests pass in theory", ""),
        ('The log says "all tests pass".', ""),
        ("```\nall tests pass\n```", ""),
        ("> all tests pass", ""),
        ("`all tests pass` is what it prints.", ""),
        ("Next: make all tests pass.", ""),
        ("I added a test for the empty list.", ""),
        ("The live preview shows it.", ""),
        ("A merged cell is kept.", ""),
        ("You can verify it with make test.", ""),
    ],
)
def test_a_claim_says_that_something_was_seen_to_work_or_was_done(reply, kind):
    assert quality_gate.first_claim(reply)[1] == kind


@pytest.mark.parametrize(
    ("kind", "commands", "backed"),
    [
        ("result", [], False),
        ("result", ["ls"], True),
        ("state", [], False),
        ("version", ["pytest -q"], False),
        ("version", ["cd site && git commit -m x"], True),
        ("version", ["gh pr merge 3"], True),
    ],
)
def test_a_claim_is_backed_by_a_command_that_can_have_shown_it(kind, commands, backed):
    assert quality_gate.is_backed(kind, commands) is backed


def test_an_unbacked_claim_is_sent_back_once_and_the_turn_is_filed_at_its_real_end(frame, home):
    answer = stop.run(turn(), frame())
    assert answer.permission == "continue" and "All tests pass now." in answer.reason
    assert sessions.get(home, "s-1").get("turns") == 0
    assert stop.run(turn(), frame()).permission == ""
    assert sessions.get(home, "s-1")["turns"] == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"commands": ["pytest -q"]},
        {"commands": None},
        {"continued": True},
        {"reply": "I changed the parser."},
        {"subagent": True},
    ],
)
def test_whatever_is_backed_unknown_or_sent_on_before_ends_the_turn(frame, fields):
    assert stop.run(turn(**fields), frame()).permission == ""


def test_the_gate_is_off_until_a_person_wants_it_and_fails_open(frame, home, monkeypatch):
    assert stop.run(turn(), frame(Settings({}))).permission == ""

    def breaks(_):
        raise RuntimeError("an unreadable transcript")

    made = turn(event_id="p2")
    made.read_commands = breaks
    assert stop.run(made, frame()).permission == ""
    assert interaction.since_prompt(home, "s-1", 1.0) == 0.0


def test_the_client_is_answered_in_the_form_that_makes_it_go_on(frame):
    answer = json.loads(claude.render("stop", stop.run(turn(), frame())))
    assert answer["decision"] == "block" and "No command of this turn shows it." in answer["reason"]
    parsed = claude.parse("stop", {"session_id": "s", "stop_hook_active": True}, {})
    assert parsed.continued is True


def test_the_commands_of_a_turn_are_read_from_the_end_of_the_transcript(tmp_path):
    def row(role: str, content) -> str:
        return json.dumps({"type": role, "message": {"role": role, "content": content}}) + "\n"

    ran = [{"type": "tool_use", "name": "Bash", "input": {"command": "pytest -q"}}]
    read = [{"type": "tool_use", "name": "Read", "input": {"file_path": "/a"}}]
    result = [{"type": "tool_result", "content": "ok"}]
    path = tmp_path / "t.jsonl"
    path.write_text(
        row("user", "first") + row("assistant", ran) + row("user", result) + row("user", "second")
        + row("assistant", read) + row("user", result) + "{torn\n"
    )  # fmt: skip
    assert transcript.commands(str(path)) == []
    with path.open("a") as out:
        out.write(row("assistant", [*ran, *ran]) + row("assistant", [{"type": "text", "text": "Done."}]))
    assert transcript.commands(str(path)) == ["pytest -q", "pytest -q"]
    path.write_text('{"type": "another format"}\n')
    assert transcript.commands(str(path)) is None
    assert transcript.commands("") is None and transcript.commands(str(tmp_path / "none")) is None
