"""The JSON in what models write: found in any wrapping, and held against the form that was asked for."""

from __future__ import annotations

import json
import time

import pytest

from pal.inference import schema

NOTE = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "minLength": 1, "maxLength": 20},
        "rating": {"type": ["integer", "null"], "minimum": 1, "maximum": 10},
        "kind": {"enum": ["W", "O", "B"]},
        "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
    },
    "required": ["title"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    "text",
    [
        '{"title": "a"}',
        '  \n{"title":"a"}\n',
        '\ufeff{"title": "a"}',
        '```json\n{"title": "a"}\n```',
        'Sure! Here is the JSON:\n\n```\n{"title": "a"}\n```\nLet me know {if} you need [more].',
        'In short: {"title": "a"}. I hope that helps.',
        'I thought about {braces} and [lists] first. {"title": "a"}',
        'The schema was {"type": "object"}, so: {"title": "a"}',
        '{"result": {"title": "a"}}',
        '[{"title": "a"}]',
        '{"title": ""} or rather {"title": "a"}',
        '{"broken": } {"title": "a"}',
    ],
)
def test_the_first_value_that_fits_is_found_in_any_prose(text):
    assert schema.extract(text, NOTE) == (True, {"title": "a"}, "")


@pytest.mark.parametrize(
    ("text", "form", "value"),
    [
        ("7", {"type": "integer"}, 7),
        ('"yes"', {"type": "string"}, "yes"),
        ("null", {"type": "null"}, None),
        ('["a", "b"]', {"type": "array", "items": {"type": "string"}}, ["a", "b"]),
        ("the list: [1, 2] and more", {"type": "array"}, [1, 2]),
        ('{"a": "line\nbreak"}', {"type": "object"}, {"a": "line\nbreak"}),
        ("{}", {}, {}),
    ],
)
def test_values_of_every_kind(text, form, value):
    assert schema.extract(text, form) == (True, value, "")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "holds no JSON"),
        ("I cannot do that.", "holds no JSON"),
        ('{"title": "a"', "holds no JSON"),
        ('{"name": "a"}', "has no title"),
        ('{"title": "a", "rating": 11}', "above its maximum"),
        ("[1, 2, 3]", "is no object"),
        ('{"name": {"deep": [1]}, "list": []}', "the answer has no title"),
        ("12", "is no object"),
    ],
)
def test_what_does_not_fit_says_why(text, why):
    found, value, reason = schema.extract(text, NOTE)
    assert (found, value) == (False, None)
    assert why in reason


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        ({"title": "a"}, ""),
        ({"title": "a", "rating": 10, "kind": "W", "tags": ["x"]}, ""),
        ({"title": "a", "rating": None}, ""),
        ({"title": "a", "rating": 7.0}, ""),
        ({"title": "a", "rating": 7.5}, "the answer.rating is no integer or null"),
        ({"title": "a", "rating": True}, "the answer.rating is no integer or null"),
        ({"title": "a", "rating": 0}, "below its minimum 1"),
        ({"title": "a", "rating": "7"}, "is no integer or null"),
        ({"title": ""}, "below its minLength 1"),
        ({"title": "a" * 21}, "above its maxLength 20"),
        ({"title": None}, "the answer.title is no string"),
        ({"title": "a", "kind": "X"}, "is none of W, O, B"),
        ({"title": "a", "tags": []}, "below its minItems"),
        ({"title": "a", "tags": ["x"] * 4}, "above its maxItems"),
        ({"title": "a", "tags": ["x", 5]}, "the answer.tags[1] is no string"),
        ({"title": "a", "mood": "good"}, "has a mood"),
        ({}, "has no title"),
        ([], "is no object"),
        ("x", "is no object"),
    ],
)
def test_what_is_wrong_with_a_value_is_named(value, wrong):
    found = schema.mismatch(value, NOTE)
    assert wrong in found
    assert bool(found) == bool(wrong)


@pytest.mark.parametrize(
    ("value", "form", "fits"),
    [
        (1, {"const": 1}, True),
        (True, {"const": 1}, False),
        (True, {"enum": [1, 2]}, False),
        (3, {"anyOf": [{"type": "string"}, {"type": "integer"}]}, True),
        (None, {"anyOf": [{"type": "string"}, {"type": "integer"}]}, False),
        ({"a": 1}, {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": True}, True),
        (5, {"type": "unheard-of"}, False),
        ("x", {"format": "date", "$comment": "passed over"}, True),
    ],
)
def test_the_other_keywords(value, form, fits):
    assert (schema.mismatch(value, form) == "") is fits


def test_the_line_that_asks_for_it_holds_the_schema_on_one_line():
    line = schema.instruction(NOTE)
    assert "\n" not in line
    assert json.loads(line[line.index("{") :]) == NOTE


@pytest.mark.parametrize("text", ["[" * 400_000, "{" * 400_000, '{"a":' * 100_000, "[{" * 200_000, "{ " * 300_000])
def test_hostile_text_is_looked_through_in_little_time(text):
    began = time.process_time()
    assert schema.extract(text, NOTE)[0] is False
    assert time.process_time() - began < 20


@pytest.mark.parametrize(
    "form", [{"type": "object", "required": None}, {"properties": None}, {"items": True}, {"anyOf": []}]
)
def test_a_schema_of_odd_shape_raises_nothing(form):
    assert schema.extract('{"a": [1]}', form)[0] is True
