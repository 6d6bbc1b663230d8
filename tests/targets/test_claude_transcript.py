"""Reading a client's transcript from its end: whose words count, and how much of the file is touched."""

from __future__ import annotations

import json
import os

import pytest
from pace import least

from pal.targets.claude import transcript

CAPTURED = os.path.join(os.path.dirname(os.path.dirname(__file__)), "contract", "payloads", "claude", "transcript.json")


def write(path, entries):
    with open(path, "w", encoding="utf-8") as out:
        for entry in entries:
            out.write((entry if isinstance(entry, str) else json.dumps(entry)) + "\n")
    return str(path)


def user(text, **more):
    return {"type": "user", "message": {"role": "user", "content": text}, **more}


def assistant(text, message_id="", **more):
    message = {"role": "assistant", "id": message_id, "content": [{"type": "text", "text": text}]}
    return {"type": "assistant", "message": message, **more}


def test_a_captured_transcript_gives_the_prompt_and_the_reply(tmp_path):
    with open(CAPTURED, encoding="utf-8") as stream:
        entries = json.load(stream)
    found = transcript.recent(write(tmp_path / "t.jsonl", entries))
    assert [role for role, _, _ in found] == ["user", "assistant"]
    assert found[0][1] == "the prompt text"


NOT_WORDS = [
    user("meta", isMeta=True),
    user("side", isSidechain=True),
    user("feedback", rowSource="hook"),
    user([{"type": "tool_result", "content": "x"}]),
    user("<task-notification>\n<task-id>a</task-id>"),
    user("<command-name>/clear</command-name>"),
    assistant("side reply", isSidechain=True),
    {"type": "attachment", "attachment": {"type": "hook_success", "content": "message"}},
    {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "tool_use", "name": "Bash"}]}},
    {"type": "user", "message": "not an object"},
    '{"type": "user", "message": {"role": "user", "content": "torn li',
    "[]",
    "",
]


@pytest.mark.parametrize("entry", NOT_WORDS, ids=[str(at) for at in range(len(NOT_WORDS))])
def test_a_line_that_is_nobodys_words_is_passed_over(tmp_path, entry):
    found = transcript.recent(write(tmp_path / "t.jsonl", [user("asked"), entry, assistant("answered")]))
    assert [text for _, text, _ in found] == ["asked", "answered"]


def test_blocks_of_one_message_are_one_message(tmp_path):
    path = write(
        tmp_path / "t.jsonl", [user("q"), assistant("one", "m1"), assistant("two", "m1"), assistant("x", "m2")]
    )
    assert [text for _, text, _ in transcript.recent(path)] == ["q", "one\n\ntwo", "x"]


@pytest.mark.parametrize("path", ["", "/nowhere/at/all.jsonl"])
def test_a_missing_transcript_is_an_empty_one(path):
    assert transcript.recent(path) == []


def test_a_transcript_of_200_megabytes_is_read_from_its_end(tmp_path):
    path = tmp_path / "huge.jsonl"
    with open(path, "wb") as out:
        out.truncate(200 * 1024 * 1024)  # a sparse hole stands for a long history
        out.seek(0, os.SEEK_END)
        out.write(b"\n")
        for number in range(30):
            out.write(json.dumps(user(f"question {number}")).encode() + b"\n")
            out.write(json.dumps(assistant(f"answer {number}")).encode() + b"\n")
    found = transcript.recent(str(path))
    assert found[-1][1] == "answer 29"
    assert len(found) == transcript.ENOUGH
    assert least(lambda: transcript.recent(str(path)), 0.5) < 0.5


def test_an_image_of_megabytes_between_two_messages_hides_neither(tmp_path):
    result = user([{"type": "tool_result", "content": "x" * 3_000_000}])
    path = write(tmp_path / "t.jsonl", [user("before"), assistant("seen"), result, assistant("after")])
    assert [text for _, text, _ in transcript.recent(path)] == ["before", "seen", "after"]
