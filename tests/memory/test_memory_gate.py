"""The gate before the index: it may let a prompt through in vain, it never hides what would have been told."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pal.memory import telling
from pal.memory.index import gate

WORD = st.text("abcdefgh", min_size=3, max_size=6)


@settings(deadline=None)
@given(st.dictionaries(WORD, st.integers(1, 9), max_size=30), st.lists(WORD, max_size=8, unique=True))
def test_it_never_refuses_a_prompt_of_which_enough_is_known(tmp_path_factory, counts, prompt):
    path = str(tmp_path_factory.getbasetemp() / "gate")
    gate.make(b"12345678", counts, (), 2000).save(path)
    weights = {term: telling.idf(2000, counts.get(term, 0), term) for term in prompt}
    known = {term for term in prompt if term in counts}
    assert gate.may_match(path, prompt, {}) == telling.coverage_known(prompt, weights, known)


@settings(deadline=None)
@given(WORD.filter(lambda word: len(word) > 4), st.integers(1, 5), st.sampled_from("abcz"), st.sampled_from("dis"))
def test_a_name_is_let_through_with_one_letter_wrong(tmp_path_factory, name, at, letter, edit):
    path = str(tmp_path_factory.getbasetemp() / "names")
    gate.make(b"12345678", {name: 1}, {name}, 2000).save(path)
    assert gate.may_match(path, [name], {})
    wrong = {
        "d": name[:at] + name[at + 1 :],
        "i": name[:at] + letter + name[at:],
        "s": name[:at] + letter + name[at + 1 :],
    }
    assert gate.may_match(path, [wrong[edit]], {})


def test_it_refuses_nearly_everything_else(tmp_path):
    counts = {f"term{number}": 1 + number % 7 for number in range(3000)}
    path = str(tmp_path / "gate")
    gate.make(b"12345678", counts, (), 3000).save(path)
    prompts = [[f"term{n}", *(f"other{n}x{m}" for m in range(4))] for n in range(300)]
    assert sum(gate.may_match(path, prompt, {}) for prompt in prompts) == 0
    assert gate.may_match(path, ["term7", "term8", "other"], {})
    assert gate.may_match(path, ["k8", "term8"], {"k8": ("term7",)})


def test_it_grows_by_what_is_put_into_it_until_it_is_full():
    table = gate.make(b"12345678", {}, (), 0)
    for number in range(10_000):
        table.put(f"term{number}", 1, False)
        if table.full:
            break
    assert 250 < number < 400


@pytest.mark.parametrize("harm", [b"", b"PALGATE1" + b"\0" * 500, b"x" * 4160])
def test_without_a_whole_gate_everything_is_let_through(tmp_path, harm):
    (tmp_path / "gate").write_bytes(harm)
    assert gate.may_match(str(tmp_path / "gate"), ["word"], {})
    assert gate.load(str(tmp_path / "gate")) is None
    assert gate.may_match(str(tmp_path / "none"), ["word"], {})


def test_it_is_the_same_in_every_process(tmp_path):
    code = (
        "import sys\nfrom pal.memory.index import gate\n"
        "gate.make(b'12345678', {'alpha': 1, 'gam\\u00e9': 2}, {'alpha'}, 2).save(sys.argv[1])\n"
    )
    source = str(Path(gate.__file__).parents[3])
    for name, seed in (("a", "1"), ("b", "2")):
        run = [sys.executable, "-c", code, str(tmp_path / name)]
        subprocess.run(run, env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": source}, cwd=tmp_path, check=True)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
