"""Programs within bounds on a real Windows Python, in Wine: a job object ends them and all they started."""

from __future__ import annotations

import json

import pytest
import wine

pytestmark = [pytest.mark.windows, pytest.mark.slow]


@pytest.fixture(scope="module")
def told(require, tmp_path_factory):
    require(not wine.missing(), wine.missing())
    folder = tmp_path_factory.mktemp("bounded")
    script = wine.windows(wine.HERE / "bounded_programs.py")
    return json.loads(wine.python(script, wine.windows(wine.ROOT / "src"), wine.windows(folder)))


def test_one_that_answers(told):
    assert told["answers"] == {"problem": "", "status": 3, "out": "100000\r\n", "err": ""}


def test_what_it_leaves_running_is_ended(told):
    assert (told["leaves"]["problem"], told["leaves"]["out"], told["leaves"]["gone"]) == ("", "spoke\r\n", True)


def test_one_that_hangs_is_ended_with_what_it_started(told):
    assert (told["hangs"]["problem"], told["hangs"]["out"], told["hangs"]["gone"]) == ("timeout", "spoke\r\n", True)


def test_one_that_prints_without_end_is_cut(told):
    assert (told["floods"]["problem"], told["floods"]["out"]) == ("overflow", "x" * 5000)


def test_one_that_is_gone(told):
    assert told["missing"]["problem"] == "missing"


def test_a_batch_file_gets_plain_words_and_no_others(told):
    assert told["batch"]["out"] == 'got --tools= "a b"\r\n'
    assert told["unsafe"]["problem"] == "refused"
