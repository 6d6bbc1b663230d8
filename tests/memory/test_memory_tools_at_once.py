"""The memory tools in several processes at the same moment: nothing is lost, nothing is doubled."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from pal.base import records
from pal.memory.tools import frames, opinion_book, project_book, project_file, relationship_notes, threads

SOURCES = str(Path(__file__).resolve().parents[2] / "src")
NOW = 1_772_439_300.0
PROCESSES = 4
TURNS = 6

WRITER = f"""
import sys
sys.path.insert(0, {SOURCES!r})
from pal.base.home import Home
from pal.memory.tools import algorithm, frames, opinion_book, project_book, project_file, reflect, relationship_notes
from pal.memory.tools import threads

home, number = Home(sys.argv[1]), int(sys.argv[2])
who = {{"session": "s%d" % number, "agent": "a"}}
sys.stdin.readline()
for turn in range({TURNS}):
    own = "%d-%d" % (number, turn)
    opinion_book.add(home, "Opinion " + own, {NOW})
    opinion_book.weigh(home, "shared", opinion_book.SUPPORTING, own, {NOW})
    relationship_notes.append(home, [("W", "Note " + own, None), ("W", "Said by all", None)], who, {NOW}, "UTC")
    frames.observe(home, "dev", "rule", "Rule " + own, {NOW})
    threads.add(home, "Thread " + own, "", "/w", who, {NOW})
    algorithm.reflect(home, "Task " + own, 1, 1, 0, 8, {{}}, "/w", who, {NOW})
    project_book.change(home, "shop", lambda page: project_file.add_criterion(page, "Criterion " + own)[0], {NOW})
    reflect.run(home, {NOW}, "UTC")
"""
EVERY = {f"{number}-{turn}" for number in range(PROCESSES) for turn in range(TURNS)}


def test_tools_that_write_at_once_lose_nothing(home, tmp_path):
    opinion_book.add(home, "Shared", NOW)
    project_book.create(home, "shop", str(tmp_path), [], NOW)
    children = [
        subprocess.Popen([sys.executable, "-c", WRITER, home.root, str(number)], stdin=subprocess.PIPE)
        for number in range(PROCESSES)
    ]
    for child in children:
        child.stdin.write(b"go\n")
        child.stdin.close()
    assert [child.wait(120) for child in children] == [0] * PROCESSES

    rows = {row["statement"]: row for row in opinion_book.load(home)}
    assert {name.partition(" ")[2] for name in rows if name.startswith("Opinion")} == EVERY
    assert rows["Shared"]["confidence"] == 0.98
    assert {piece["source"] for piece in rows["Shared"]["evidence"]} == EVERY

    notes = [note.text for note in relationship_notes.noted(home, NOW, "UTC", 1)]
    assert sorted(notes) == sorted([*(f"Note {own}" for own in EVERY), "Said by all"])

    frame = frames.load(home, "dev")
    assert {entry.text.partition(" ")[2] for entry in frame.entries} == EVERY
    assert (frame.observations, len(frame.log)) == (len(EVERY), len(EVERY))

    assert {row["title"].partition(" ")[2] for row in threads.listing(home)} == EVERY
    assert {row["task"].partition(" ")[2] for row in records.each(home.algorithm)} == EVERY
    criteria = project_file.criteria(project_book.page_of(home, "shop"))
    assert [criterion.number for criterion in criteria] == list(range(1, len(EVERY) + 1))
    assert {criterion.text.partition(" ")[2] for criterion in criteria} == EVERY
    assert not os.listdir(home.spill)
