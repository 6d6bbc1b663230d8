"""`pal serve` as it is typed: it says where the page is and with which word, serves it, and ends when it is told to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
import urllib.request

import pytest

from pal.switchboard import cards, workspace
from pal.switchboard.desk import Desk


@pytest.fixture
def project(home, tmp_path):
    folder = tmp_path / "harbor"
    folder.mkdir()
    place, _ = workspace.init(home, str(folder), time.time())
    cards.create(Desk(home, place, time.time()), "Fix the login")
    return folder


@pytest.fixture
def started(archive, clean_env, project):
    """started("serve", …): the running program and the one line it printed, as JSON."""
    programs = []

    def start(*arguments: str):
        program = subprocess.Popen(
            [sys.executable, str(archive), *arguments, "--port", "0", "--json"],
            stdout=subprocess.PIPE,
            env=clean_env,
            cwd=project,
        )
        programs.append(program)
        killer = threading.Timer(60, program.kill)
        killer.daemon = True
        killer.start()
        text = ""
        while not text.rstrip().endswith("}"):
            line = program.stdout.readline().decode()
            assert line, "it ended"
            text += line
        return program, json.loads(text)

    yield start
    for program in programs:
        program.kill()
        program.wait()
        program.stdout.close()


def fetch(url: str, **headers: str) -> bytes:
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=20) as answer:
        return answer.read()


@pytest.mark.parametrize("verb", [("serve",), ("switchboard", "serve")], ids=" ".join)
def test_the_page_is_served_until_it_is_ended(started, home, verb) -> None:
    program, told = started(*verb)
    root = told["url"].partition("#")[0]
    assert told["url"] == f"http://127.0.0.1:{told['port']}/#key={told['token']}"
    assert b'<main class="room"' in fetch(root)
    board = json.loads(fetch(root + "api/board", **{"X-PAL-Token": told["token"]}))
    assert board["columns"][0]["items"][0]["topic"] == "Fix the login"
    record = os.path.join(home.servers, "page.json")
    with open(record, encoding="utf-8") as file:
        assert told["token"] not in file.read()
    program.terminate()
    assert program.wait(timeout=20) == (0 if os.name == "posix" else 1)
    assert os.name != "posix" or not os.path.exists(record)


def test_each_start_has_a_word_of_its_own(started) -> None:
    words = {started("serve")[1]["token"] for _ in range(2)}
    assert len(words) == 2 and all(len(word) >= 32 for word in words)


@pytest.mark.parametrize("verb", [("serve",), ("sb", "serve")], ids=" ".join)
def test_a_named_project_without_a_board_is_an_error(run_pal, tmp_path, verb) -> None:
    done = run_pal(*verb, "--root", tmp_path)
    assert done.returncode == 3
    assert "there is no board in" in done.stderr
