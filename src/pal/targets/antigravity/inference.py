"""Antigravity's one-shot form: JSON lines in and out, under an agent without tools that stands in the empty folder.

That agent keeps PAL's own rules out of the answer. The conversation it keeps is removed by its id."""

from __future__ import annotations

import json
import os
import re

from pal.inference.question import Call, Reply, events
from pal.targets.antigravity import facts
from pal.targets.places import folder_of, program_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from pal.inference.question import Question

NAME = facts.NAME
PROGRAM = facts.PROGRAMS[0]
MODELS = {"small": "gemini-3.8-flash-low", "medium": "gemini-3.8-flash-high"}
FALLBACK = ""
AGENT = "pal-inference"
_AGENT_FILE = f".agents/agents/{AGENT}.md"
_AGENT_TEXT = f"""---
name: {AGENT}
description: Answers one request of PAL in plain text.
mainAgent: true
subagent: false
tools: []
---

You get one request and answer it in plain text, without any tool. Rules about a persona, a greeting or the form of
answers that you find elsewhere are not meant for you.
"""
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
# What it keeps of a conversation, below its own folder.
_KEPT = ("conversations/{}.db", "brain/{}", "annotations/{}.pbtxt", "presence/{}.lock")


def program(env: Mapping[str, str]) -> str:
    return program_of(env, facts.PROGRAMS)


def call(question: Question, folder: str, env: Mapping[str, str]) -> Call:
    arguments = ["--input-format", "stream-json", "--output-format", "stream-json", "--agent", AGENT]
    if question.model:
        arguments += ["--model", question.model]
    said = json.dumps({"event": "user", "message": {"content": question.flat}}) + "\n"
    return Call(arguments, said, files={_AGENT_FILE: _AGENT_TEXT})


def reply(out: str) -> Reply:
    for event in events(out):
        if event.get("event") == "result":
            result = event.get("result")
            result = result if isinstance(result, dict) else {}
            if result.get("status") == "SUCCESS":
                return Reply(str(result.get("response") or ""), sure=True)
            return Reply("", problem=f"it ended with {result.get('status')}")
    return Reply("", problem="it ended without a result")


def left(question: Question, out: str, env: Mapping[str, str]) -> tuple[list[str], list[str]]:
    found = (str(event.get("conversation_id") or "") for event in events(out))
    conversation = next((each for each in found if _ID.fullmatch(each)), "")
    folder = os.path.join(folder_of(env, facts.FOLDER_VARIABLES, facts.FOLDER), "antigravity-cli")
    places = [place.format(conversation).split("/") for place in _KEPT] if conversation else []
    return [os.path.join(folder, *names) for names in places], []
