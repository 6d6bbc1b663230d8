"""Two hundred hooks at once on one session while PAL is installed again, twice: nothing lost, nothing twice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import Counter

import pytest

CROWD = 200
PATIENCE = 120.0  # seconds for all of them; on a quiet machine of two cores they take about ten

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the crowd is made with the POSIX shell")


def prompt_of(number: int) -> str:
    """Every third prompt is a rating, most of them the very same words."""
    return (
        f"Look at part {number} of the parser"
        if number % 3
        else "8"
        if number % 2
        else f"9, well done with part {number}"
    )


def test_a_crowd_of_hooks_during_installs_loses_nothing_and_doubles_nothing(installed, archive, records, whole):
    installed.speak()
    installed.hook("session-start")
    installed.logged()
    command = installed.command("user-prompt")
    crowd = [
        subprocess.Popen(["sh", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=installed.env)
        for _ in range(CROWD)
    ]
    again = subprocess.Popen(
        ["sh", "-c", '"$@" && "$@"', "sh", sys.executable, str(archive), "install", "--claude"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=installed.env,
    )  # fmt: skip
    said: list[bytes] = [b""] * CROWD

    def talk(number: int) -> None:
        payload = installed.payload("user-prompt", prompt=prompt_of(number), prompt_id=f"crowd-{number}")
        said[number] = crowd[number].communicate(json.dumps(payload).encode(), timeout=PATIENCE)[0]

    talkers = [threading.Thread(target=talk, args=(number,)) for number in range(CROWD)]
    for talker in talkers:
        talker.start()
    for talker in talkers:
        talker.join()
    errors = again.communicate(timeout=PATIENCE)[1]
    assert again.returncode == 0, errors
    assert [hook.returncode for hook in crowd] == [0] * CROWD
    assert all(installed.answers("user-prompt", output) for output in said)

    # One more hook takes in what the crowd could not write in time.
    installed.hook("user-prompt", installed.payload("user-prompt", prompt="10, great", prompt_id="last"))
    prompts = [prompt_of(number) for number in range(CROWD)] + ["10, great"]

    expected = Counter(int(prompt.split(",")[0]) for prompt in prompts if prompt[0].isdigit())
    rated = records(installed.pal / "memory/signals/ratings.jsonl")
    assert Counter(row["rating"] for row in rated) == expected
    assert {(row["session"], row["agent"]) for row in rated} == {("s1", "claude")}
    comments = Counter(row["context"] for row in rated)
    assert all(comments[f"well done with part {number}"] == 1 for number in range(0, CROWD, 6))

    (month,) = (installed.pal / "memory/signals/interaction").glob("*.jsonl")
    turns = records(month)
    assert len(turns) == len(prompts)
    assert Counter(turn["words"] for turn in turns) == Counter(len(prompt.split()) for prompt in prompts)

    row = json.loads((installed.pal / "memory/state/sessions.json").read_bytes())["s1"]
    assert row["prompts"] == len(prompts)

    whole(installed.user)
    assert list((installed.pal / "memory/state/spill").glob("*")) == []
    assert list((installed.pal / "memory/state").glob("*.corrupt-*")) == []
    logged = installed.logged()
    assert "ERROR" not in logged, logged


def test_what_a_locked_file_could_not_take_waits_and_is_taken_in_once(installed, records, whole):
    fcntl = pytest.importorskip("fcntl")
    ratings = installed.pal / "memory/signals/ratings.jsonl"
    sessions = installed.pal / "memory/state/sessions.json"
    spill = installed.pal / "memory/state/spill"
    for prompt in ("8", "9"):
        installed.hook("user-prompt", installed.payload("user-prompt", prompt=prompt, prompt_id=prompt))
    with open(ratings.with_name(".ratings.jsonl.lock")) as one, open(sessions.with_name(".sessions.json.lock")) as two:
        fcntl.flock(one, fcntl.LOCK_EX)
        fcntl.flock(two, fcntl.LOCK_EX)
        # Hooks wait for a lock only so long: both of these end while it is held.
        talkers = [
            threading.Thread(
                target=installed.hook,
                args=("user-prompt", installed.payload("user-prompt", prompt="8", prompt_id=f"locked-{number}")),
            )
            for number in range(2)
        ]
        for talker in talkers:
            talker.start()
        for talker in talkers:
            talker.join()
        assert [row["rating"] for row in records(ratings)] == [8, 9]
        assert len(list(spill.iterdir())) == 4
    installed.hook("user-prompt", installed.payload("user-prompt", prompt="10", prompt_id="10"))
    assert [row["rating"] for row in records(ratings)] == [8, 9, 8, 8, 10]
    assert json.loads(sessions.read_bytes())["s1"]["prompts"] == 5
    assert list(spill.iterdir()) == []
    whole(installed.pal)
