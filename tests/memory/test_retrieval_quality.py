"""The labelled sets still come out as they did: a change that costs quality fails here, not in a benchmark later."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))
import retrieval_beliefs as beliefs
import retrieval_notes as notes
import retrieval_talks as talks

from pal.base.home import Home
from pal.memory import search


def test_coding_memories_are_found_before_those_that_speak_of_the_same(tmp_path, now):
    found = notes.measure(str(tmp_path), now)
    assert found["pool"] == 100 and found["dev"]["questions"] == found["test"]["questions"] == 100
    for split in ("dev", "test"):
        assert found[split]["r5"] >= 80 and found[split]["mrr"] >= 0.67


def test_what_may_be_told_and_what_must_not(tmp_path, shared, require):
    folder = shared / "data" / "precisionmembench"
    require(folder.is_dir(), f"no data set {folder}")
    found = beliefs.measure(str(folder), str(tmp_path))
    assert found["passed"] >= 74 and found["precision"] >= 0.93 and found["recall"] >= 0.95


@pytest.mark.parametrize(("number", "least"), [(0, 70.0), (5, 62.0)])
def test_turns_of_a_conversation_are_found(tmp_path, now, shared, require, number, least):
    path = shared / "data" / "locomo" / "locomo10.json"
    require(path.is_file(), f"no data set {path}")
    home = Home(str(tmp_path / "pal"))
    talk = talks.load(str(path))[number]
    places = talks.take_in(home, [(number, talk)], os.path.join(tmp_path, "source"), now)
    search.rebuild(home, now)
    found = talks.mean(talks.ask(home, talks.questions(number, talk, places)))
    assert found["r10"] >= least and found["questions"] > 80
