"""The headers of Markdown files: what is rendered is read back, and what a person wrote never fails to load."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pal.base import frontmatter

KEYS = st.text(alphabet="abcdefgh_-", min_size=1, max_size=8).filter(lambda key: key[0] not in "-")
SCALARS = st.booleans() | st.integers(-(10**13), 10**14) | st.text(alphabet=st.characters(exclude_categories=("Cs",)))
FIELDS = st.dictionaries(
    KEYS, SCALARS | st.lists(SCALARS, max_size=4) | st.dictionaries(KEYS, SCALARS, min_size=1, max_size=4), max_size=6
)


@given(FIELDS, st.text(alphabet=st.characters(exclude_categories=("Cs",))))
@settings(max_examples=300)
def test_what_is_rendered_is_read_back(fields, body):
    again, rest = frontmatter.parse(frontmatter.render(fields, body))
    assert again == fields
    assert rest == (body.strip("\r\n") + "\n" if body.strip("\r\n") else "")


@given(FIELDS, st.text())
def test_rendering_what_was_read_changes_nothing_more(fields, body):
    once = frontmatter.render(fields, body)
    assert frontmatter.render(*frontmatter.parse(once)) == once


@pytest.mark.parametrize(
    ("text", "fields", "body"),
    [
        ("---\na: b\n---\nbody\n", {"a": "b"}, "body\n"),
        ("\ufeff---\na: b\n---\n\nbody", {"a": "b"}, "body"),
        ("---\r\na: b\r\nc: 1\r\n---\r\nbody\r\n", {"a": "b", "c": 1}, "body\r\n"),
        ('---\nname: x-y\ndescription: "Use when: x"\n---\n', {"name": "x-y", "description": "Use when: x"}, ""),
        ("---\na: 'it''s'\n---\n", {"a": "it's"}, ""),
        ("---\na: [x, 'y z', 3]\n---\n", {"a": ["x", "y z", 3]}, ""),
        ("---\na:\n  - x\n  - y z\n---\n", {"a": ["x", "y z"]}, ""),
        ("---\na:\n- x\n- y\nb: 1\n---\n", {"a": ["x", "y"], "b": 1}, ""),
        ("---\nm:\n  source: pal\n  triggers: [a, b]\n---\n", {"m": {"source": "pal", "triggers": ["a", "b"]}}, ""),
        ("---\nm:\n  triggers:\n    - a\n    - b\n  n: 1\n---\n", {"m": {"triggers": ["a", "b"], "n": 1}}, ""),
        ("---\na: >\n  long text: here\n  - and more\nb: 2\n---\n", {"a": "long text: here - and more", "b": 2}, ""),
        ("---\n# note\na: b # not a note\n\nc: d\n---\n", {"a": "b # not a note", "c": "d"}, ""),
        ("---\na: true\nb: no\nc: -12\nd: 1.5\ne:\n---\n", {"a": True, "b": "no", "c": -12, "d": "1.5", "e": ""}, ""),
        ("---\nunknown-key_9: stays\n---\n", {"unknown-key_9": "stays"}, ""),
        ("---\na: b\nbody without an end", {}, "---\na: b\nbody without an end"),
        ("no header\n---\na: b\n---\n", {}, "no header\n---\na: b\n---\n"),
        ("---\n---\nbody", {}, "body"),
        ("---", {}, "---"),
        ("", {}, ""),
        ("---\nno colon here\n- orphan\n  indented\n---\nx", {}, "x"),
        ("---\na: [broken\nb: \"broken\nc: 'broken\n---\nx", {"a": "[broken", "b": "broken", "c": "'broken"}, "x"),
        ("---\na: b\n---\none\u2028two\x0cthree\x85four\n", {"a": "b"}, "one\u2028two\x0cthree\x85four\n"),
        ("---\na: b\n--- \nx", {"a": "b"}, "x"),
    ],
    ids=repr,
)  # fmt: skip
def test_a_header_is_read_as_people_write_it(text, fields, body):
    assert frontmatter.parse(text) == (fields, body)


@given(
    st.text()
    | st.lists(
        st.sampled_from(["---", "- x", "a:", "  b:", "  - y", "\ta: 1", "'", '"', "[", "]", "{", "#", ":", ": :", ""])
    ).map(lambda lines: "---\n" + "\n".join(lines) + "\n---\n")
)
@settings(max_examples=300)
def test_no_text_makes_it_fail_and_the_body_is_part_of_the_text(text):
    fields, body = frontmatter.parse(text)
    assert isinstance(fields, dict)
    assert body in text
