"""Input that nobody promised: hooks stay silent or answer as always, commands say one sentence; nobody ever crashes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from payload_examples import EVENTS

MEGABYTES_5 = 5 * 1024 * 1024
PATIENCE = 15.0  # seconds, on a busy machine; what is not bounded takes minutes

# What is no JSON object: there is nothing to answer, and one line in the log says so.
UNUSABLE = {
    "nothing": b"",
    "white space": b" \r\n\t ",
    "half an object": b'{"session_id": "s1", "prompt": "say he',
    "two objects": b"{}\n{}",
    "an object and more": b'{"session_id": "s1"} and more',
    "single quotes": b"{'session_id': 's1'}",
    "a list": b"[]",
    "a string": b'"x"',
    "null": b"null",
    "true": b"true",
    "a number": b"17",
    "infinity": b"-Infinity",
    "a number of 1,000 digits": b"9" * 1000,
    "bytes that are no UTF-8": b"\xff\xfe\x00\xc3\x28",
    "UTF-16": '{"session_id": "s1"}'.encode("utf-16"),
    "5 MB of letters": b"x" * MEGABYTES_5,
    "5 MB of zeros": bytes(MEGABYTES_5),
    "5 MB of quotes": b'"' * MEGABYTES_5,
    "5 MB of random bytes": os.urandom(MEGABYTES_5),
    "lists 100,000 deep": b"[" * 100_000 + b"]" * 100_000,
    "objects 100,000 deep": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "depth inside the object": b'{"session_id": "s1", "tool_input": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
}
TEXTS = (
    "session_id", "cwd", "prompt", "prompt_id", "last_assistant_message", "tool_name", "source", "reason", "trigger",
    "custom_instructions", "agent_type", "transcript_path",
)  # fmt: skip
# What is an object, with fields nobody expects: the event is served as far as it makes sense.
ODD = {
    "an empty object": {},
    "unknown keys only": {"novelty": 1, "": {}, "hook_event_name": ["x"]},
    "numbers for texts": dict.fromkeys(TEXTS, 7),
    "lists for texts": {name: ["a", 1] for name in TEXTS},
    "objects for texts": {name: {"a": 1} for name in TEXTS},
    "null for everything": {**dict.fromkeys(TEXTS), "tool_input": None, "agent_id": None},
    "true for everything": {**dict.fromkeys(TEXTS, True), "tool_input": True},
    "empty texts": {**dict.fromkeys(TEXTS, ""), "tool_input": {}},
    "the transcript is missing": {"transcript_path": "/nowhere/at/all.jsonl"},
    "the transcript is a folder": {"transcript_path": "/"},
    "the transcript is behind a file": {"transcript_path": __file__ + "/x"},
    "the transcript's name has a zero byte": {"transcript_path": "a\0b"},
    "the folder is missing": {"cwd": "/nowhere/at/all"},
    "the folder is relative": {"cwd": "../.."},
    "the folder's name has a zero byte": {"cwd": "a\0b"},
    "the folder's name is endless": {"cwd": "/x" * 50_000},
    "the session climbs": {"session_id": "../../../climbed"},
    "the session is a path": {"session_id": "/tmp/a/b"},
    "the session is endless": {"session_id": "s" * 100_000},
    "the session has line ends": {"session_id": "a\nb\r\0c"},
    "lone surrogates": {"session_id": "s\ud800", "prompt": "8 \udfff", "last_assistant_message": "\ud83d"},
    "control characters": {"prompt": "\x00\x01\x1b[2J\x7f", "last_assistant_message": "\x07\r\n" * 50},
    "5 MB of prompt": {"prompt": "why " * (MEGABYTES_5 // 4), "prompt_id": "long"},
    "5 MB of one word": {"prompt": "w" * MEGABYTES_5, "last_assistant_message": "w" * MEGABYTES_5},
    "5 MB of digits": {"prompt": "8" * MEGABYTES_5},
    "5 MB of reply": {"last_assistant_message": "1. a line\n" * (MEGABYTES_5 // 10)},
    "5 MB of open tags": {"prompt": "<private>" * 500_000, "last_assistant_message": "</private>" * 500_000},
    "5 MB of tool input": {"tool_input": {"file_path": "/a", "content": "x" * MEGABYTES_5}},
    "tool input in a string": {"tool_input": '{"file_path": "/a/b.py"}'},
    "half a tool input in a string": {"tool_input": '{"file_path": '},
    "tool input deep in a string": {"tool_input": '{"a":' * 50_000},
    "tool input of lists": {"tool_input": [1, [2]], "tool_response": 3},
    "a file name that is a number": {"tool_input": {"file_path": 7, "path": ["x"]}},
    "numbers beyond all bounds": {"duration_ms": float("inf"), "prompt_id": 10**400, "x": float("nan")},
    "a subagent without a name": {"agent_id": "a1", "agent_type": None},
}
# The command line of a hook; the payload is the event's own.
STRANGE = {
    "no agent": ("stop",),
    "an unknown agent": ("stop", "--agent=nobody"),
    "an empty agent": ("stop", "--agent="),
    "an agent apart from its flag": ("stop", "--agent", "claude"),
    "a path for an agent": ("stop", "--agent=../../claude"),
    "an unknown event": ("full-moon", "--agent=claude"),
    "an event that PAL has no use for": ("post-compact", "--agent=claude"),
    "the agent first": ("--agent=claude", "stop"),
    "nothing": (),
    "an empty event": ("", "--agent=claude"),
    "many events": ("stop",) * 500,
    "bytes that are no UTF-8": (b"st\xffop", b"--agent=cl\xfeaude"),
}


@pytest.fixture
def timed(installed):
    """timed(event, payload): the output of a hook that ended in time and left the user's own folder alone."""
    beside = {path.name for path in installed.user.iterdir()}

    def run(event: str, payload) -> bytes:
        began = time.monotonic()
        done = installed.hook(event, payload)
        assert time.monotonic() - began < PATIENCE, event
        assert {path.name for path in installed.user.iterdir()} == beside, event
        return done.stdout

    return run


@pytest.mark.parametrize("kind", UNUSABLE)
def test_a_payload_that_is_no_object_is_logged_and_answered_with_nothing(installed, timed, kind):
    for event in EVENTS:
        assert timed(event, UNUSABLE[kind]) == b"", event
        logged = installed.logged()
        assert logged.count("\n") == 1, event
        assert f"ERROR hook: {event} of claude: the payload of {len(UNUSABLE[kind])} bytes is unusable" in logged


@pytest.mark.parametrize("kind", ODD)
def test_an_odd_object_is_served_as_far_as_it_makes_sense(installed, timed, whole, kind):
    payload = json.dumps({"session_id": "s1", "cwd": str(installed.user), **ODD[kind]}).encode()
    for event in EVENTS:
        installed.answers(event, timed(event, payload))
    faults = [line for line in installed.logged().splitlines() if "ERROR" in line]
    assert not faults or kind in ("the transcript is a folder", "the transcript's name has a zero byte"), faults
    whole(installed.pal)
    assert not (installed.user.parent / "climbed").exists()


def test_every_field_in_turn_may_have_any_type(installed, timed, whole):
    for event in EVENTS:
        good = installed.payload(event)
        for value in (-1.5, True, [[]], {"a": None}):
            installed.answers(event, timed(event, json.dumps(dict.fromkeys(good, value)).encode()))
    assert "Traceback" not in installed.logged()
    whole(installed.pal)


@pytest.mark.parametrize("kind", STRANGE)
@pytest.mark.parametrize("through", ["launcher", "archive"])
def test_a_command_line_that_nobody_registered_is_logged_and_answered_with_nothing(installed, archive, kind, through):
    words = [word if isinstance(word, bytes) else word.encode() for word in STRANGE[kind]]
    start = installed.argv("")[:-1] if through == "launcher" else [sys.executable, str(archive), "hook"]
    payload = json.dumps(installed.payload("stop")).encode()
    done = subprocess.run(
        [*map(os.fsencode, start), *words], input=payload, capture_output=True, env=installed.env, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    if kind != "the agent first":
        assert installed.logged().count("ERROR hook: ") == 1


def test_a_hook_whose_input_is_closed_says_nothing(installed):
    for event in EVENTS:
        script = f'exec "$@" <&-; echo "{event}"'
        done = subprocess.run(
            ["sh", "-c", script, "sh", *installed.argv(event, "--agent=claude")],
            capture_output=True, env=installed.env, timeout=60,
        )  # fmt: skip
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), event


def test_a_hook_whose_reader_is_gone_ends_quietly(installed):
    installed.speak()
    payload = json.dumps(installed.payload("session-start")).encode()
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        installed.argv("session-start", "--agent=claude"),
        input=payload, stdout=writer, stderr=subprocess.PIPE, env=installed.env, timeout=60,
    )  # fmt: skip
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("end", ["a long conversation", "one exchange", "nothing"])
def test_a_transcript_of_200_megabytes_is_read_from_its_end_in_bounded_time_and_room(installed, end):
    resource = pytest.importorskip("resource")
    installed.speak()
    speech = installed.transcript.read_bytes()
    lines = {"a long conversation": speech, "one exchange": b"".join(speech.splitlines(True)[-2:]), "nothing": b""}[end]
    with open(installed.transcript, "wb") as stream:
        stream.truncate(200 * 1024 * 1024)
        stream.seek(0, os.SEEK_END)
        stream.write(b"\n" + lines)
    payload = installed.payload("stop")
    del payload["last_assistant_message"]
    room = 150 * 1024 * 1024  # bytes of memory; the interpreter alone takes a third

    def little_memory() -> None:
        if sys.platform == "linux":
            resource.setrlimit(resource.RLIMIT_AS, (room, room))

    began = time.monotonic()
    assert installed.hook("stop", payload, preexec_fn=little_memory).stdout == b""
    assert time.monotonic() - began < PATIENCE
    replies = json.loads(Path(installed.home.last_responses).read_bytes()) if lines else {}
    assert ("s1" in replies) == bool(lines)
    assert not lines or replies["s1"]["response"].startswith("Step 5. The parser reads")
    assert "ERROR" not in installed.logged()


# arguments, exit code, what the sentence names
MISTAKES = [
    (("nonsense",), 2, "nonsense"),
    (("instal",), 2, "install"),
    (("",), 2, "''"),
    (("install", "--nonsense"), 2, "--nonsense"),
    (("install", "--claude=yes"), 2, "--claude"),
    (("uninstall", "claude"), 2, "claude"),
    (("status", "now"), 2, "now"),
    (("doctor", "--mend"), 2, "--mend"),
    (("update",), 2, "file"),
    (("update", "/nowhere/pal.pyz", "--yes"), 1, "/nowhere/pal.pyz"),
    (("update", "/", "--yes"), 1, "/"),
    (("memory",), 2, "ACTION"),
    (("memory", "burn"), 2, "burn"),
    (("ratings", "list", "--count", "many"), 2, "many"),
    (("sessions", "show"), 2, "session"),
    (("sessions", "show", "nobody"), 1, "nobody"),
    (("sessions", "show", "../../etc/passwd"), 1, "passwd"),
    (("handoff", "note", "--title", "x"), 2, "--text"),
    (("telos", "show", "../pal-settings"), 1, "pal-settings"),
    (("telos", "show", "doubts"), 1, "doubts"),
    (("timezone", "Mars/Olympus"), 1, "Mars/Olympus"),
    (("timezone", "../../etc/passwd"), 1, "passwd"),
    (("debug", "context", "--source", "dream"), 2, "dream"),
    (("debug", "log", "--lines", "x"), 2, "x"),
    (("completion", "tcsh"), 2, "tcsh"),
]


@pytest.mark.parametrize(("words", "code", "named"), MISTAKES, ids=[" ".join(row[0]) or "empty" for row in MISTAKES])
def test_a_mistyped_command_is_told_in_one_sentence(run_pal, installed, words, code, named):
    done = run_pal(*words, env=installed.env)
    assert done.returncode == code, done.stderr
    assert done.stderr.count("\n") == 1
    assert named in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("broken", [b"", b"{", b"[1]", b"\xff\xfe", b"null"], ids=repr)
def test_a_command_that_would_change_broken_settings_refuses_and_one_that_reads_them_goes_on(
    run_pal, installed, broken
):
    path = installed.pal / "pal-settings.json"
    path.write_bytes(broken)
    for words in (("status",), ("telos", "list"), ("debug", "context", "--prompt", "hello")):
        done = run_pal(*words, env=installed.env)
        assert (done.returncode, done.stderr) == (0, ""), words
    done = run_pal("timezone", "Europe/Budapest", env=installed.env)
    if done.returncode:
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
        assert str(path) in done.stderr
        assert path.read_bytes() == broken
    else:  # nothing stood there
        assert not broken.strip()
        assert json.loads(path.read_bytes())["identity"]["principal"]["timezone"] == "Europe/Budapest"


@pytest.mark.parametrize("payload", [b"", b"[]", b"\xff", b"7", b'{"session_id": 1, "cwd": []}', b"[" * 100_000])
def test_the_status_line_says_nothing_to_what_it_cannot_use(run_pal, installed, payload):
    done = run_pal("statusline", stdin=payload, env=installed.env)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert installed.hook("statusline", payload, flags=()).stdout == b""


def file_in_its_place(place):
    place.write_text("a file")


def folder_without_anything(place):
    place.mkdir()


@pytest.mark.parametrize("put", [file_in_its_place, folder_without_anything, None])
@pytest.mark.parametrize(
    "words",
    [
        ("status",), ("doctor",), ("handoff", "list"), ("handoff", "note", "--title", "a", "--text", "b"),
        ("memory", "stats"), ("memory", "reindex"), ("ratings", "list"), ("ratings", "trend"), ("sessions", "list"),
        ("project", "list"), ("backup", "now"), ("backup", "list"), ("telos", "list"), ("telos", "show", "goals"),
        ("timezone", "Europe/Budapest"), ("debug", "status"), ("debug", "on"), ("debug", "off"), ("debug", "log"),
        ("debug", "context"), ("statusline",), ("uninstall", "--claude"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_command_on_a_home_that_is_none_ends_in_at_most_one_sentence(run_pal, tmp_path, words, put):
    place = tmp_path / "elsewhere"
    if put:
        put(place)
    done = run_pal(*words, env={"PAL_HOME": str(place)})
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") <= 1
