"""`jsontext` gives what `json` gives, with the C scanner and without it, and refuses broken texts with ValueError."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pal.base import jsontext

SOURCE = str(Path(jsontext.__file__).resolve().parents[2])

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=25)
# Texts that are nearly JSON: a value's text with one piece cut out, doubled or put in.
NEARLY = st.builds(
    lambda text, at, length, piece: text[: at % (len(text) + 1)] + piece + text[at % (len(text) + 1) + length :],
    VALUES.map(json.dumps),
    st.integers(0, 200),
    st.integers(0, 3),
    st.sampled_from(["", *',]}"\\0-.e \n\x00\ufeff', "\\u", "\\ud800", "nul"]),
)

BROKEN = [
    "", " ", "\n\t", "{", "[", '"', "}", "{]", "[1,]", '{"a":1,}', "{'a': 1}", '{"a" 1}', '{"a":}', "{1: 2}",
    "[1 2]", "nul", "truefalse", "1 2", "{} {}", "{}x", "01", "1.", ".5", "+1", "--1", "0x10", "1e", '"\\x"',
    '"\\u12"', '"open', "\x00", "NaNs", "infinity", "/* no */ 1", "\u00a01", "\ufeff\ufeff1",
]  # fmt: skip


@pytest.fixture(params=["C scanner", "json"])
def either(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The test runs with the C scanner and with the fall-back."""
    if request.param == "json":
        monkeypatch.setattr(jsontext, "_scan", None)
        monkeypatch.setattr(jsontext, "_encode", None)
    else:
        assert jsontext._scan is not None
        assert jsontext._encode is not None
    return request.param


def slowly(function, argument):
    """What the function gives, or the class of its error, when the C module is missing."""
    kept = jsontext._scan, jsontext._encode
    jsontext._scan = jsontext._encode = None
    try:
        return outcome(function, argument)
    finally:
        jsontext._scan, jsontext._encode = kept


def outcome(function, argument):
    try:
        return function(argument)
    except ValueError:
        return ValueError


@given(VALUES)
def test_a_value_comes_back_as_it_was_and_reads_the_same_with_json(value):
    text = jsontext.dumps(value)
    assert "\n" not in text
    assert jsontext.loads(text) == value == json.loads(text)
    assert slowly(jsontext.dumps, value) == text
    assert slowly(jsontext.loads, text) == value


@given(NEARLY)
@settings(max_examples=400)
def test_both_ways_of_reading_agree_on_every_text(text):
    fast = outcome(jsontext.loads, text)
    assert repr(fast) == repr(slowly(jsontext.loads, text))
    assert fast is ValueError or repr(fast) == repr(json.loads(text.lstrip("\ufeff"), strict=False))


@given(st.text() | st.text(alphabet='{}[]",:\\0123456789.eE+-trufalsn \n'))
def test_any_text_gives_a_value_or_a_value_error(text):
    assert repr(outcome(jsontext.loads, text)) == repr(slowly(jsontext.loads, text))


@given(st.binary())
def test_any_bytes_give_a_value_or_a_value_error(data):
    assert repr(outcome(jsontext.loads, data)) == repr(slowly(jsontext.loads, data))


@pytest.mark.parametrize("text", BROKEN, ids=repr)
def test_what_is_not_exactly_one_value_is_refused(either, text):
    with pytest.raises(ValueError):
        jsontext.loads(text)


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":', "[[1],"])
def test_nesting_a_hundred_thousand_deep_is_refused(either, opening):
    with pytest.raises(ValueError):
        jsontext.loads(opening * 100_000)


def test_a_value_nested_too_deep_to_write_says_so(either):
    value: list = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises((ValueError, RecursionError)):
        jsontext.dumps(value)
    while value:  # taken apart by hand: letting go of it at once would need the depth again
        value = value[0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"\\ud800"', "\ud800"),
        ('"\\ud83d\\ude00"', "😀"),
        ('"\ud800"', "\ud800"),
        ('{"a": 1, "a": 2}', {"a": 2}),
        ('\ufeff{"a": 1}', {"a": 1}),
        ('"a\tb\nc\x01"', "a\tb\nc\x01"),
        (" \r\n\t[ ] \n", []),
        ("-0", 0),
        ("1E3", 1000.0),
        ("Infinity", math.inf),
        ("-Infinity", -math.inf),
        ("1e999", math.inf),
        ("123456789012345678901234567890", 123456789012345678901234567890),
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
        (b'"\xff\xfe"', "\ufffd\ufffd"),
        (bytearray(b"[1]"), [1]),
    ],
    ids=repr,
)
def test_a_text_of_an_unusual_form_has_its_value(either, text, value):
    assert jsontext.loads(text) == value


def test_nan_is_read_and_written(either):
    assert math.isnan(jsontext.loads("NaN"))
    assert jsontext.dumps([math.nan, math.inf]) == "[NaN, Infinity]"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": [1, None, True]}, '{"a": [1, null, true]}'),
        ("űrlap 😀", '"űrlap 😀"'),
        ("\ud800", '"\\ud800"'),
        ({"\udfff": 1}, '{"\\udfff": 1}'),
        ("\u2028\n\x00", '"\u2028\\n\\u0000"'),
        ({1: 2, None: 3, 2.5: 4, False: 5}, '{"1": 2, "null": 3, "2.5": 4, "false": 5}'),
        (Path("a"), '"a"'),
    ],
    ids=repr,
)
def test_a_value_has_one_text(either, value, text):
    assert jsontext.dumps(value) == text


@given(st.dictionaries(st.text(), VALUES))
def test_rows_are_one_line_a_key_and_read_back(value):
    text = jsontext.dumps_rows(value)
    assert jsontext.loads(text) == value
    assert text.endswith("}\n")
    assert text.count("\n") == (len(value) + 2 if value else 1)


def test_pretty_is_for_people():
    assert jsontext.pretty({"ű": [1]}) == '{\n  "ű": [\n    1\n  ]\n}\n'


def test_a_circle_is_refused_and_not_followed_for_ever(either):
    value: list = []
    value.append(value)
    with pytest.raises((ValueError, RecursionError)):
        jsontext.dumps(value)


# Python 3.9's scanner wants an error class from `json.decoder` and fails otherwise when that was never imported.
ALONE = """
import sys
sys.path.insert(0, sys.argv[1])
from pal.base import jsontext
assert "json" not in sys.modules and "re" not in sys.modules
assert jsontext._scan is not None and jsontext._encode is not None
assert jsontext.loads(jsontext.dumps({"a": [1, 2.5, None, "\\ud800"]})) == {"a": [1, 2.5, None, "\\ud800"]}
assert "json" not in sys.modules and "re" not in sys.modules
for text in eval(sys.argv[2]) + ["[" * 100000]:
    try:
        jsontext.loads(text)
    except ValueError:
        continue
    raise AssertionError(text[:40])
print("well")
"""


def test_it_needs_no_json_package_and_refuses_broken_texts_without_it():
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", ALONE, SOURCE, repr(BROKEN)], capture_output=True, text=True, timeout=60
    )
    assert (done.stdout, done.stderr) == ("well\n", "")
