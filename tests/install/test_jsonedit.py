"""The JSON editor puts in and takes out without touching a byte of what other people and programs wrote."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pal.base.errors import PalError
from pal.install import jsonedit
from pal.install.jsonscan import scan

OURS = {"matcher": "*", "hooks": [{"type": "command", "command": "pal"}]}


def take(text: str, keys, element) -> str:
    """The text without the element of the array, or the member, at this path."""
    for node in reversed(scan(text).nodes(tuple(keys))):
        if node.value == element:
            return jsonedit.remove(text, node.start)
        for item in node.items or ():
            if item.node.value == element:
                return jsonedit.remove(text, item.node.start)
    return text


# Looks


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"a": 1}', '{"a": 1, "hooks": {"Stop": ["pal"]}}'),
        ('{"a":1}', '{"a":1,"hooks":{"Stop":["pal"]}}'),
        ("{}", '{\n  "hooks": {\n    "Stop": [\n      "pal"\n    ]\n  }\n}'),
        ("{ }\n", '{\n  "hooks": {\n    "Stop": [\n      "pal"\n    ]\n  }\n}\n'),
        ("{\n}\n", '{\n  "hooks": {\n    "Stop": [\n      "pal"\n    ]\n  }\n}\n'),
        ("", '{\n  "hooks": {\n    "Stop": [\n      "pal"\n    ]\n  }\n}\n'),
        ("\n \n", '{\n  "hooks": {\n    "Stop": [\n      "pal"\n    ]\n  }\n}\n'),
        ("\r\n", '{\r\n  "hooks": {\r\n    "Stop": [\r\n      "pal"\r\n    ]\r\n  }\r\n}\r\n'),
        ("\ufeff", '\ufeff{\n  "hooks": {\n    "Stop": [\n      "pal"\n    ]\n  }\n}\n'),
        ("// mine", '// mine\n{\n  "hooks": {\n    "Stop": [\n      "pal"\n    ]\n  }\n}\n'),
        ('\ufeff{\n\t"a": 1\n}', '\ufeff{\n\t"a": 1,\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t"pal"\n\t\t]\n\t}\n}'),
        (
            '{\r\n    "a": 1\r\n}\r\n',
            (
                '{\r\n    "a": 1,\r\n    "hooks": {\r\n        "Stop": [\r\n            "pal"\r\n        ]\r\n'
                "    }\r\n}\r\n"
            ),
        ),
        (
            '{\n  "a": 1, // one\n  // two\n}\n',
            '{\n  "a": 1, // one\n  "hooks": {\n    "Stop": [\n      "pal"\n    ]\n  },\n  // two\n}\n',
        ),
        (
            '{\n  "a": 1 // one\n}\n',
            '{\n  "a": 1, // one\n  "hooks": {\n    "Stop": [\n      "pal"\n    ]\n  }\n}\n',
        ),
        ('{"hooks": {"Stop": []}}', '{"hooks": {"Stop": ["pal"]}}'),
        ('{"hooks": {"Stop": [ ]}}', '{"hooks": {"Stop": [ "pal" ]}}'),
        ('{"hooks": {"Stop": [/* none */]}}', '{"hooks": {"Stop": [/* none */ "pal"]}}'),
        (
            '{\n  "hooks": {\n    // none yet\n  }\n}',
            '{\n  "hooks": {\n    // none yet\n    "Stop": [\n      "pal"\n    ]\n  }\n}',
        ),
        ('{\n  "hooks": {}\n}', '{\n  "hooks": {\n    "Stop": [\n      "pal"\n    ]\n  }\n}'),
        (
            '{\n  "hooks": {/* none */}\n}',
            '{\n  "hooks": {/* none */\n    "Stop": [\n      "pal"\n    ]\n  }\n}',
        ),
        ('{"hooks": {"Stop": [1,2]}}', '{"hooks": {"Stop": [1,2,"pal"]}}'),
        ('{"hooks": {"Stop": [1, 2,]}}', '{"hooks": {"Stop": [1, 2, "pal",]}}'),
        ('{"hooks": {"Stop": [1 // x\n]}}', '{"hooks": {"Stop": [1, // x\n  "pal"\n]}}'),
        ('{"hooks": 1, "hooks": {"Stop": [1]}}', '{"hooks": 1, "hooks": {"Stop": [1, "pal"]}}'),
        ('{"hooks": {"Stop": [1]}, "hooks": {}}', '{"hooks": {"Stop": [1]}, "hooks": {"Stop": ["pal"]}}'),
        ('{"é": "ű"}', '{"é": "ű", "hooks": {"Stop": ["pal"]}}'),
    ],
)
def test_what_is_put_in_looks_as_the_file_does_and_goes_without_a_trace(before, after):
    text, traces = jsonedit.append(before, ("hooks", "Stop"), "pal")
    assert text == after
    text, traces = jsonedit.tidy(take(text, ("hooks", "Stop"), "pal"), traces)
    assert (text, traces) == (before, [])


def test_a_group_is_appended_after_the_groups_of_other_tools():
    before = (
        '{\n  "hooks": {\n    "Stop": [\n      {\n        "hooks": [{ "type": "command", "command": "theirs" }]\n'
        "      }\n    ]\n  }\n}\n"
    )
    text, traces = jsonedit.append(before, ("hooks", "Stop"), OURS)
    assert traces == []
    assert text == before.replace(
        "      }\n    ]",
        '      },\n      {\n        "matcher": "*",\n        "hooks": [\n          {\n            "type": "command",\n'
        '            "command": "pal"\n          }\n        ]\n      }\n    ]',
    )
    assert take(text, ("hooks", "Stop"), OURS) == before


def test_letters_beyond_ascii_stay_and_a_lone_surrogate_is_escaped():
    text, _ = jsonedit.add_member("{}", ("név",), "űrhajó 🚀 \ud83d\u2028")
    assert text == '{\n  "név": "űrhajó 🚀 \\ud83d\u2028"\n}'
    text.encode("utf-8")
    assert jsonedit.value(text) == {"név": "űrhajó 🚀 \ud83d\u2028"}


def test_a_value_is_replaced_in_place_in_the_style_of_its_line():
    text = '{\n    "a": [1], // kept\n    "b": {"x": [0]}\n}\n'
    text = jsonedit.replace(text, scan(text).nodes(("a",))[0].start, {"k": [1]})
    text = jsonedit.replace(text, scan(text).nodes(("b", "x"))[0].start, {"k": [1]})
    assert text == (
        '{\n    "a": {\n        "k": [\n            1\n        ]\n    }, // kept\n    "b": {"x": {"k": [1]}}\n}\n'
    )
    assert jsonedit.swap(text, scan(text).nodes(("a",))[0].start, "[1 /* as was */]").startswith(
        '{\n    "a": [1 /* as was */], // kept'
    )


def test_a_member_that_is_there_is_not_put_in_twice():
    with pytest.raises(PalError, match='"a.b" is there already'):
        jsonedit.add_member('{"a": {"b": 1}}', ("a", "b"), 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "the whole file is not an object"),
        ('"text"', "the whole file is not an object"),
        ('{"hooks": []}', '"hooks" is not an object'),
        ('{"hooks": null}', '"hooks" is not an object'),
        ('{"hooks": {"Stop": {}}}', '"hooks.Stop" is not a list'),
        ('{"hooks": {"Stop": []}, "hooks": 1}', '"hooks" is not an object'),
    ],
)
def test_a_container_of_another_kind_is_refused(text, message):
    with pytest.raises(PalError, match=message):
        jsonedit.append(text, ("hooks", "Stop"), "pal")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', r"line 3, column 3: a comma or '}' is missing"),
        ('{"a": 1', r"line 1, column 1: this '{' is never closed"),
        ('{"a"\r\n\r\n 1}', "line 3, column 2: a colon is missing"),
        ("{'a': 1}", "a key in double quotes"),
        ("{\"a\": 'x'}", "single quotes"),
        ('{"a": nope}', "'nope' is not a JSON value"),
        ('{"a": NaN}', "'NaN' is not a JSON value"),
        ('{"a": 01}', "column 7: not a JSON number"),
        ('{"a": 1.}', "not a JSON number"),
        ('{"a": 0x10}', "not a JSON number"),
        ('{"a": -}', "not a JSON number"),
        ('{"a": "x\ny"}', "column 7: this text is not closed"),
        ('{"a": "x', "this text is not closed"),
        ('{"a": "\\x"}', "not a JSON escape"),
        ('{"a": "\\u12g4"}', "not a JSON escape"),
        ('{"a": ,}', "a value is missing before ','"),
        ("{,}", "a key in double quotes"),
        ("[1,,2]", "a value is missing before ','"),
        ("[1]]", "goes on after its closing bracket"),
        ("{} {}", "goes on after its closing bracket"),
        ("/* open", "comment never ends"),
        ("[", "never closed"),
        ('{"a":', "the file ends where a value should stand"),
        ("[" * 5000, "nested deeper than"),
        ("{\x00}", "a key in double quotes"),
        ("<!doctype html>", "'<' is not a JSON value"),
    ],
)
def test_a_broken_file_is_refused_with_the_place(text, message):
    with pytest.raises(PalError, match=message) as caught:
        jsonedit.value(text)
    assert str(caught.value).startswith("line ")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text(), below, max_size=4),
    max_leaves=12,
)


@given(json_values, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_the_scanner_reads_what_json_reads(written, indent, ascii_only):
    assert jsonedit.value(json.dumps(written, indent=indent, ensure_ascii=ascii_only)) == written


def test_repeated_keys_count_as_the_last_and_an_escaped_pair_is_one_letter():
    assert jsonedit.value('{"a": 1, "a": "\\ud83d\\ude80"}') == {"a": "🚀"}


# Edits by several owners, in files of every style


def is_ours(written) -> bool:
    return (
        isinstance(written, (str, dict))
        and "pal-" in json.dumps(written)
        and (isinstance(written, str) or "command" in written)
    )


KEYS = st.sampled_from(["hooks", "Stop", "a", "b"])
SCALARS = st.sampled_from(["1", "-0.5e3", "true", "null", '"x"', '"{\\"[,]//"', '"ű"'])


@st.composite
def texts(draw) -> str:
    """A JSON text as somebody might have written it: any white space and comments, or one common style."""
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    gaps = st.sampled_from(
        draw(
            st.sampled_from(
                [
                    [""],
                    ["", " "],
                    ["", " ", newline, newline + "  ", "\t"],
                    ["", " ", newline + "\t", " // c" + newline, "/* c */", "/* c" + newline + "*/ "],
                ]
            )
        )
    )
    trailing = draw(st.booleans())
    unit = draw(st.sampled_from([None, "  ", "    ", "\t"]))

    def gap() -> str:
        return draw(gaps)

    def written(depth: int, is_object: bool) -> str:
        rows = []
        for _ in range(draw(st.integers(0, 3 if depth < 3 else 0))):
            kind = draw(st.sampled_from(["scalar", "object", "array"]))
            below = draw(SCALARS) if kind == "scalar" else written(depth + 1, kind == "object")
            key = json.dumps(draw(KEYS)) + (": " if unit is not None else gap() + ":" + gap()) if is_object else ""
            rows.append(key + below)
        opening, closing = "{}" if is_object else "[]"
        last = "," if trailing and rows else ""
        if unit is None:
            inside = ",".join(gap() + row + gap() for row in rows) or gap()
            return opening + inside + last + (gap() if last else "") + closing
        if not rows:
            return opening + closing
        inner = newline + unit * (depth + 1)
        return opening + inner + ("," + inner).join(rows) + last + newline + unit * depth + closing

    if draw(st.integers(0, 9)) == 0:
        return draw(st.sampled_from(["", "\ufeff", " ", newline, "// nothing", "/* nothing */" + newline]))
    around = gap() if unit is None else ""
    return draw(st.sampled_from(["", "\ufeff"])) + around + written(0, True) + draw(st.sampled_from(["", newline]))


@st.composite
def insertions(draw) -> list:
    """What several owners put in: (is element, path, value)."""
    rows = []
    for number in range(draw(st.integers(1, 5))):
        name = f"pal-{number}"
        ours = draw(st.sampled_from([name, {"command": name, "more": [1, {"x": {}}]}]))
        keys = tuple(draw(st.lists(KEYS, max_size=2)))
        rows.append((True, (*keys, draw(KEYS)), ours) if draw(st.booleans()) else (False, (*keys, name), ours))
    return rows


def put_all(text: str, rows) -> tuple[str, list, list]:
    """Text and traces after all insertions that the text allows, and those."""
    traces: list = []
    done = []
    for element, keys, ours in rows:
        try:
            edit = jsonedit.append if element else jsonedit.add_member
            text, new = edit(text, keys, ours)
        except PalError:
            continue
        traces = jsonedit.merge(traces, new)
        done.append((element, keys, ours))
    return text, traces, done


@settings(max_examples=400, deadline=None)
@given(texts(), insertions(), st.data())
def test_whatever_order_owners_leave_in_the_text_is_as_it_was(before, rows, data):
    text, traces, done = put_all(before, rows)
    for _, keys, ours in data.draw(st.permutations(done)):
        text, traces = jsonedit.tidy(take(text, keys, ours), traces)
    assert text == before
    assert traces == []


def containers(node):
    """Containers that are not part of what we put in."""
    if node.items is not None and not is_ours(node.value):
        yield node
        for item in node.items:
            yield from containers(item.node)


def add_by_hand(text: str, number: int, data) -> str:
    """The text after somebody typed one more member or element somewhere."""
    root = scan(text).root
    if root is None:
        return text
    node = data.draw(st.sampled_from(list(containers(root))))
    note = data.draw(st.sampled_from(["", " ", "\n", " /* u */", " // u\n"]))
    typed = (f'"user-{number}": ' if node.is_object else "") + f'"user-{number}"' + note
    place = data.draw(st.integers(0, len(node.items)))
    if not node.items:
        return text[: node.start + 1] + typed + text[node.start + 1 :]
    if place < len(node.items):
        start = node.items[place].start
        return text[:start] + typed + "," + note + text[start:]
    last = node.items[-1]
    end = last.end if last.comma < 0 else last.comma + 1
    return text[:end] + (", " if last.comma < 0 else " ") + typed + text[end:]


def without_ours(written, made, path=()):
    """A value without what we put in, and without the containers we made that are empty then."""
    if isinstance(written, list):
        return [without_ours(below, made, (*path, None)) for below in written if not is_ours(below)]
    if not isinstance(written, dict):
        return written
    left = {key: without_ours(below, made, (*path, key)) for key, below in written.items() if not is_ours(below)}
    return {key: below for key, below in left.items() if below or [*path, key] not in made}


@settings(max_examples=400, deadline=None)
@given(texts(), insertions(), st.data())
def test_what_people_type_in_between_stays_and_the_text_stays_sound(before, rows, data):
    text, traces, done = put_all(before, rows)
    comments = sum(1 for _ in scan(text).comments)
    for number in range(data.draw(st.integers(1, 3))):
        text = add_by_hand(text, number, data)
    typed = len(scan(text).comments) - comments
    made = [trace["made"] for trace in traces if "made" in trace]
    edited = jsonedit.value(text)
    for _, keys, ours in data.draw(st.permutations(done)):
        text, traces = jsonedit.tidy(take(text, keys, ours), traces)
    assert len(scan(text).comments) >= typed
    found = without_ours(jsonedit.value(text), [])
    if not scan(text).comments:  # a comment somebody typed keeps an otherwise empty container
        assert jsonedit.value(text) == without_ours(edited, made)
    for number in itertools.count():
        if f'"user-{number}"' not in json.dumps(edited):
            break
        assert f'"user-{number}"' in json.dumps(found)
    assert "pal-" not in json.dumps(jsonedit.value(text))
