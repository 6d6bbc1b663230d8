"""Every agent PAL knows on a real Windows Python, in Wine: one install, each registered hook, one uninstall."""

from __future__ import annotations

import json

import pytest
from payload_examples import EXAMPLES

from pal import targets

pytestmark = [pytest.mark.windows, pytest.mark.slow]
SPEAKS = ("session-start", "user-prompt")


@pytest.fixture(scope="session")
def life(telling):
    return telling("agents", "plain")[0]


def said(done: dict) -> str:
    """Standard output of a step that succeeded without a complaint but for the agents that are not there."""
    assert done["code"] == 0, done
    assert all("was not found on this machine" in row for row in done["err"].splitlines()), done
    return done["out"]


def answers(life: dict, agent: str, event: str) -> list[str]:
    return [said(done) for name, each, done in life["hooks"] if (name, each) == (agent, event)]


def test_every_agent_is_installed_at_once_and_again_changes_nothing(life):
    assert "PAL is installed for" in said(life["install"])
    assert "nothing to change" in said(life["again"])
    before, installed, again, _ = life["tree"]
    assert installed == again
    assert set(before) < set(installed)


@pytest.mark.parametrize("agent", targets.NAMES)
def test_each_agents_hooks_are_registered_in_words_that_cmd_takes_too(life, agent):
    commands = [command for name, _, command in life["registered"] if name == agent]
    assert commands
    for command in commands:
        assert f"--agent={agent}" in command
        assert ".pal/hook.py" in command
        assert "exit 0" in command


@pytest.mark.parametrize("agent", EXAMPLES)
def test_each_hook_ends_well_and_speaks_only_where_an_answer_is_taken(life, agent):
    done = {event for name, event, _ in life["hooks"] if name == agent}
    assert done - {"deadly"} <= set(EXAMPLES[agent])
    assert len(done) >= 3
    for name, event, step in life["hooks"]:
        if name == agent and event != "deadly":
            text = said(step)
            assert not text or event in SPEAKS, (event, text)
            assert "\r" not in text
    assert "Now: " in "".join(text for event in SPEAKS for text in answers(life, agent, event))


@pytest.mark.parametrize("agent", EXAMPLES)
def test_the_guard_stops_a_deadly_command_in_each_agents_form(life, agent):
    told = answers(life, agent, "deadly")
    if agent == "antigravity":
        assert told == []  # not registered until it is proven or asked for
        return
    assert told
    for text in told:
        assert '"deny"' in text
        json.loads(text)


def test_a_session_of_each_agent_is_kept_under_the_name_of_its_agent(life):
    agents = {row["agent"] for row in json.loads(life["sessions"]).values()}
    assert agents >= {"claude", "cursor", "vscode", "antigravity"}


def test_doctor_finds_nothing_broken(life):
    findings = json.loads(life["doctor"]["out"])
    assert not [row for row in findings if row["level"] == "fail"]
    assert {row["level"] for row in findings if row["id"] == "mcp"} == {"pass"}, "each agent's server was started"


def test_uninstall_gives_back_every_byte_of_every_agent(life):
    assert "PAL is out of" in said(life["one_less"])
    said(life["uninstall"])
    before, after = life["tree"][0], life["tree"][-1]
    after.pop("transcript.jsonl", None)
    assert after == before
    kept = {path.split("/")[1] for path in life["left"]}
    assert kept == {"backups", "memory", "pal-settings.json", "telos"}
