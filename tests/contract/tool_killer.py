"""`python tool_killer.py NAME FOLDER` lets one memory tool die at each of its file operations and run again after that;
test_kill_tools.py starts it, as it forks, which a process with threads should not.

It ends well when nothing was ever half-written and each second run ended where an undisturbed one does."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from contract.killer import KILLED, Counter

from pal.base.asking import nobody
from pal.base.home import Home
from pal.memory.tools import (
    algorithm,
    frames,
    opinion_book,
    project_book,
    project_file,
    reflect,
    relationship_notes,
    self_portrait,
    synthesis_report,
    threads,
)

NOW = 1_772_439_300.0
WHO = {"session": "s1", "agent": "claude"}

TOOLS = {
    "note": lambda home: relationship_notes.append(home, [("O", "Likes answers short", 0.8)], WHO, NOW, "UTC"),
    "opinion": lambda home: opinion_book.add(home, "Likes tabs", NOW, "UTC"),
    "evidence": lambda home: opinion_book.weigh(home, "drinks-tea", opinion_book.CONFIRMATION, "yes", NOW, "UTC"),
    "reflect": lambda home: reflect.run(home, NOW, "UTC"),
    "frame": lambda home: frames.crystallise(home, "dev", "rule", "Ask once", 90, NOW, "UTC"),
    "synthesis": lambda home: synthesis_report.write(home, "weekly", nobody, NOW, "UTC"),
    "self-model": lambda home: self_portrait.write(home, nobody, NOW, "UTC"),
    "criterion": lambda home: project_book.change(
        home, "shop", lambda page: project_file.add_criterion(page, "Orders are paid once")[0], NOW
    ),
    "reflection": lambda home: algorithm.reflect(home, "Search", 1, 1, 0, 8, {}, "/w", WHO, NOW),
    "create": lambda home: project_book.create(home, "site", home.root, ["It loads"], NOW),
}


def begin(home: Home) -> None:
    """A home in which every tool finds something that was there before."""
    relationship_notes.append(
        home, [("O", "Prefers short answers", 0.8), ("W", "Ships on Friday", None)], WHO, NOW, "UTC"
    )
    relationship_notes.append(home, [("B", "Wants answers short", 0.8)], WHO, NOW - 86_400, "UTC")
    opinion_book.add(home, "Drinks tea", NOW, "UTC")
    frames.observe(home, "dev", "principle", "Measure first", NOW, "UTC")
    project_book.create(home, "shop", home.root, [], NOW)
    threads.add(home, "Ask Ann", "", "/w", WHO, NOW)
    self_portrait.write(home, nobody, NOW - 86_400, "UTC")


def files_of(home: Home) -> dict[str, bytes]:
    """What stands in the memory; locks and what a dead writer left behind are nobody's reading."""
    found = (path for path in Path(home.memory).rglob("*") if path.is_file() and not path.name.startswith("."))
    return {home.relative(str(path)): path.read_bytes() for path in found}


def killed_at(step: int, act, home: Home) -> bool:
    """Run in a child that dies at its n-th file operation; False when it came to its end before."""
    pid = os.fork()
    if not pid:
        status = 99
        try:
            Counter(step).start()
            act(home)
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(pid, 0)
    code = os.WEXITSTATUS(status)
    assert code in (0, KILLED), code
    return code == KILLED


def main(name: str, folder: str) -> None:
    os.fsync = lambda _: None  # a process dies here, not the machine
    home, start, act = Home(os.path.join(folder, "home")), os.path.join(folder, "start"), TOOLS[name]
    os.makedirs(home.state)
    begin(home)
    shutil.copytree(home.root, start)
    act(home)
    log = home.relative(home.algorithm)  # its torn line is skipped by readers
    expected, before, step = files_of(home), files_of(Home(start)), 0
    while True:
        step += 1
        shutil.rmtree(home.root)
        shutil.copytree(start, home.root)
        if not killed_at(step, act, home):
            break
        for path, data in files_of(home).items():
            if path != log:
                assert data in (before.get(path), expected.get(path)), f"{path} is half-written after step {step}"
        act(home)
        after = files_of(home)
        for path in {*expected, *after} - {log}:
            assert after.get(path) == expected.get(path), f"{path} differs after step {step}"
        assert len(algorithm.recent(home, 9)) == (1 if log in expected else 0)
    assert step > 2, "it wrote nothing"


if __name__ == "__main__":
    main(*sys.argv[1:])
