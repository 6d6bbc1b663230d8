"""A skill that an agent calls, or that a person types, is counted once; what is no skill is not."""

from __future__ import annotations

import os

import pytest

from pal.base import settings as settings_file
from pal.hooks import pre_tool, user_prompt
from pal.hooks.frame import Frame
from pal.hooks.turn import HookInput
from pal.skills import used


@pytest.fixture
def frame(home, now, fresh_home):
    env = {"HOME": str(fresh_home), "USERPROFILE": str(fresh_home)}
    return Frame(home, settings_file.load(home), now, env, lambda *_: None, lambda: None)


def called(frame: Frame, tool: str, **tool_input: object) -> None:
    turn = HookInput("pre-tool", "claude", "s1", "/srv/site")
    turn.tool, turn.tool_input = tool, tool_input
    reply = pre_tool.run(turn, frame)
    if reply.afterwards:
        reply.afterwards()


def typed(frame: Frame, prompt: str, event_id: str) -> None:
    turn = HookInput("user-prompt", "claude", "s1", "/srv/site")
    turn.prompt, turn.event_id = prompt, event_id
    user_prompt.run(turn, frame)


def uses(home) -> dict[str, int]:
    return {name: count for name, (count, _) in used.counts(home).items()}


def test_a_call_by_an_agent_counts_whatever_the_agent_calls_its_field(home, frame) -> None:
    called(frame, "skill", skill="think")
    called(frame, "skill", name="think")
    called(frame, "bash", command="ls", skill="think")
    called(frame, "skill", skill=3)
    assert uses(home) == {"think": 2}


def test_a_blocked_skill_is_not_counted(home, frame) -> None:
    frame.settings.values["security"] = {"skills": {"block": ["think"]}}
    called(frame, "skill", skill="think")
    assert uses(home) == {}


def test_a_typed_command_counts_if_it_is_a_skill(home, frame) -> None:
    os.makedirs(os.path.join(home.skills, "think"))
    typed(frame, "/think about the launch", "e1")
    typed(frame, "/think about the launch", "e1")
    typed(frame, "/clear", "e2")
    typed(frame, "/../think", "e3")
    assert uses(home) == {"think": 1}


def test_the_uses_of_many_skills_stay_bounded(home, now, monkeypatch) -> None:
    monkeypatch.setattr(used, "_MOST", 10)
    for number in range(used._MOST + 20):
        used.note(home, f"skill-{number}", now + number)
    assert len(used.counts(home)) == used._MOST
    assert "skill-0" not in used.counts(home)
