"""Which prompts start which workflow, for every agent as its payload hands the prompt over; all else starts none."""

from __future__ import annotations

import json
import os

import pytest
from payload_examples import EXAMPLES

from pal import targets
from pal.switchboard import detect

PAYLOADS = os.path.join(os.path.dirname(__file__), "payloads")
NOTE = "<task-notification>\n<summary>done</summary>\n/accuracy fix it\n</task-notification>"
EXPANDED = (
    "<command-message>sb-export is running</command-message>\n<command-name>/sb-export</command-name>\n"
    "<command-args></command-args>"
)

# prompt, workflow, what comes with it (None: not looked at)
STARTS = [
    ("/accuracy fix login", "accuracy", "fix login"),
    ("  /Improve_Plan sess_1", "improve-plan", "sess_1"),
    ("/challenge --self", "challenge", "--self"),
    ("/challenge", "challenge", ""),
    ("/challenge --self sess_17 please", "challenge", "--self sess_17 please"),
    ("/sb-export", "export", ""),
    ("/sb:chat hi", "chat", "hi"),
    ("/SB:CHAT", "chat", ""),
    ("/pal:archive login", "archive", "login"),
    ("/switchboard:accuracy", "accuracy", ""),
    ("/switchboard-improve-plan x", "improve-plan", "x"),
    ("/sb-improve_plan x", "improve-plan", "x"),
    ("\ufeff/accuracy", "accuracy", ""),
    ("\n\n/export", "export", ""),
    ("\t/archive x", "archive", "x"),
    ("/accuracy\nfix the login\nand the logout", "accuracy", "fix the login\nand the logout"),
    ("$challenge sess_1", "challenge", "sess_1"),
    ("$sb-export", "export", ""),
    ("<command-name>/challenge</command-name>\n<command-args>--self</command-args>", "challenge", "--self"),
    (EXPANDED, "export", ""),
    ("<command-name>archive</command-name>", "archive", ""),
    ("pal-workflow: challenge sess_9 --self\n# Challenge\nYou review.", "challenge", None),
    ("PAL-Workflow: /sb-export", "export", ""),
    ("Please run the accuracy workflow on src/a.py", "accuracy", "on src/a.py"),
    ("Fix it. Start the challenge workflow.", "challenge", ""),
    ("please start the improve-plan workflow for sess_2", "improve-plan", "for sess_2"),
    ("Could you please run the improve plan workflow?", "improve-plan", ""),
    ("Use the archive workflow to find the login plan", "archive", "to find the login plan"),
    ("execute the export workflow", "export", ""),
    ("Activate the chat workflow", "chat", ""),
    ("ok, now run accuracy workflow", "accuracy", ""),
    ("Let's start the challenge workflow on .switchboard/plans/a.md", "challenge", "on .switchboard/plans/a.md"),
    ("RUN THE ACCURACY WORKFLOW", "accuracy", ""),
    ("The tests are red.\nRun the accuracy workflow", "accuracy", ""),
    ("Great! Run the challenge workflow", "challenge", ""),
    ("run /challenge on sess_4", "challenge", "on sess_4"),
    ("Please use /improve-plan for sess_5", "improve-plan", "for sess_5"),
    ("Please run /sb-export.", "export", ""),
    ("I said \"never\" before. Run the accuracy workflow now", "accuracy", "now"),
    ("```\nsome code\n```\nRun the accuracy workflow", "accuracy", ""),
    ("/accuracy " + "x" * 20_000, "accuracy", "x" * 20_000),
    ("/export\n/archive x", "export", None),
]  # fmt: skip

NOTHING = [
    "review this", "delegate this", "quick start", "export this conversation", "what does /archive do?", "/chatty",
    "/archive/x.md please read", "see https://example.org/archive", "https://example.org/export",
    "/home/user/archive is full", "/accuracyfix", "/accuracy.", "/accuracy,", "/challenge-me", "/improve plan",
    "/ accuracy", "//accuracy", "\\/accuracy", "- /accuracy", "> /accuracy", "`/accuracy`",
    "\"/accuracy\" is what I typed", "(/export)", "don't run the accuracy workflow",
    "do not run the accuracy workflow", "never start the challenge workflow", "please do not use the chat workflow",
    "why did you run the accuracy workflow?", "you should run the accuracy workflow",
    "I will run the accuracy workflow later", "what happens if I run the accuracy workflow?",
    "he wrote \"run the accuracy workflow\" in the ticket",
    "the words “start the challenge workflow” are in the docs", "say 'run the chat workflow' to begin",
    "`run the accuracy workflow`", "``` \nrun the accuracy workflow\n```", "~~~\nstart the export workflow\n~~~",
    "> run the accuracy workflow", "see:\n    run the accuracy workflow",
    "<system-reminder>run the accuracy workflow</system-reminder>", "<document>Run the accuracy workflow</document>",
    NOTE, "<system-reminder>\n/accuracy\n</system-reminder>", "<bash-stdout>/accuracy</bash-stdout>",
    "<local-command-stdout>/export</local-command-stdout>", "<hook_prompt>/accuracy</hook_prompt>",
    "This session is being continued from a previous conversation\n/accuracy",
    "<subagent_notification>/challenge</subagent_notification>", "run the workflow", "run the test workflow",
    "use the github workflow", "start the accuracy check", "run accuracy",
    "use the accuracy workflow file as a model", "read accuracy.md", "use the chat workflow document for the wording",
    "the accuracy workflow is good", "accuracy", "export", "archive this plan", "improve the plan",
    "challenge my assumptions", "let us chat about it", "handoff to the next session", "/handoff", "/help", "/clear",
    "/review", "/", "$", "$HOME/archive", "", "   ", "\n", "the accuracy of the model is 3 %", "chat with me",
    "move the card to done",
]  # fmt: skip


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """asked(agent, prompt): the turn of this agent whose person typed that."""
    folder = tmp_path_factory.mktemp("transcripts")

    def turn(agent, prompt):
        payload = {"session_id": "ses_1", "cwd": "/home/user/project"}  # as PAL's own plugin writes it
        if agent in EXAMPLES:
            path = os.path.join(PAYLOADS, agent, EXAMPLES[agent]["user-prompt"] + ".json")
            with open(path, encoding="utf-8") as stream:
                payload = json.load(stream)
        if agent == "antigravity":  # its prompt stands in the transcript alone
            path = folder / "transcript.jsonl"
            row = {
                "source": "USER_EXPLICIT", "type": "USER_INPUT", "step_index": 0,
                "content": f"<USER_REQUEST>\n{prompt}\n</USER_REQUEST>",
            }  # fmt: skip
            path.write_text(json.dumps(row) + "\n", encoding="utf-8")
            payload["transcriptPath"] = str(path)
        else:
            payload["prompt"] = prompt
        return targets.turn(agent).parse("user-prompt", payload, {})

    return turn


def found(turn):
    """What the hook would start for this turn."""
    if turn is None or not turn.human or not detect.concerned(turn.prompt):
        return None
    return detect.find(turn.prompt)


@pytest.mark.parametrize(("prompt", "workflow", "args"), STARTS, ids=[repr(row[0])[1:40] for row in STARTS])
def test_an_explicit_command_starts_its_workflow_whatever_agent_hands_it_over(asked, prompt, workflow, args):
    for agent in targets.NAMES:
        start = found(asked(agent, prompt))
        assert start is not None, agent
        assert start.name == workflow, agent
        if args is not None:
            assert start.args == args, agent


@pytest.mark.parametrize("prompt", NOTHING, ids=[f"{number}-{prompt[:30]!r}" for number, prompt in enumerate(NOTHING)])
def test_everything_else_starts_nothing_whatever_agent_hands_it_over(asked, prompt):
    for agent in targets.NAMES:
        start = found(asked(agent, prompt))
        assert start is None, f"{agent}: {start.name}"


def test_the_table_is_as_long_as_it_has_to_be():
    assert len(STARTS) + len(NOTHING) >= 80
    assert len({prompt for prompt, *_ in STARTS} | set(NOTHING)) == len(STARTS) + len(NOTHING)


@pytest.mark.parametrize(
    ("prompt", "flags"),
    [
        ("/challenge --self", ("--self",)),
        ("/challenge", ()),
        ("/challenge -- x", ()),
        ("/challenge a --self", ("--self",)),
    ],
)
def test_flags_are_read_wherever_they_stand(prompt, flags):
    assert detect.find(prompt).flags == flags


def test_one_prompt_starts_one_workflow_and_names_the_others():
    start = detect.find("/export\n/archive x\n/sb:chat\n/export again\n/nothing")
    assert (start.name, start.others) == ("export", ("archive", "chat"))


@pytest.mark.parametrize(
    ("prompt", "retired"),
    [("/sb-handoff", True), ("/handoff-lead do it", True), ("/switchboard:handoff-relay", True), ("/handoff", False)],
)
def test_the_retired_family_is_recognised_but_for_everybodys_word(prompt, retired):
    start = detect.find(prompt)
    assert (start is not None and start.retired) is retired


def test_a_workflow_of_the_users_own_is_started_by_its_name():
    assert detect.find("/release 1.2", (*detect.BUILT_IN, "release")).name == "release"
    assert detect.find("Run the release workflow", (*detect.BUILT_IN, "release")).name == "release"


@pytest.mark.parametrize(
    "prompt",
    ["rename the helper and run the linter", "why does src/a.py fail?", "fix / mend the parser", "1/2 of it", ""],
)
def test_an_everyday_prompt_is_not_even_looked_at(prompt):
    assert not detect.concerned(prompt)
