"""Two versions of a file become one: nothing is lost, either order gives the same, again changes nothing."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from pal.base import frontmatter
from pal.memory.sync import merging

MANY = settings(max_examples=60, deadline=None)

rows = some.builds(
    lambda id, op, at, text: json.dumps({"id": f"e{id}", "op": op, "hlc": f"{at}-0-aaaa", "text": text}),
    some.integers(0, 5), some.sampled_from(("add", "update")), some.integers(0, 9), some.text("ab ", max_size=3),
)  # fmt: skip
foreign = some.sampled_from(("not json", '{"half": ', '{"ts": "2026-03-02T08:15:00Z", "rating": 9}', "[1]"))
logs = some.lists(some.one_of(rows, rows, foreign), max_size=8).map(
    lambda found: "".join(f"{line}\n" for line in found)
)

headings = some.sampled_from(("## 10:15", "## 09:00", "## Notes", "### 2026-03-02 — mail", "# Title"))
bullets = some.lists(some.sampled_from(("- W: one", "- O(c=0.85): two", "- three", "", "text")), max_size=3)
section = some.builds(lambda head, below: "\n".join([head, *below]).rstrip() + "\n", headings, bullets)
days = some.sampled_from(("2026-03-02T08:15:00Z", "2026-03-03T08:15:00Z"))
fields = some.fixed_dictionaries(
    {},
    optional={
        "title": some.sampled_from(("one", "two", "three")), "quality": some.integers(0, 3), "updated": days,
        "tags": some.lists(some.sampled_from("abc"), max_size=3, unique=True),
    },
)  # fmt: skip
documents = some.builds(
    lambda head, parts: frontmatter.render(head, "\n".join(parts)) if head else "\n".join(parts),
    fields, some.lists(section, max_size=4),
)  # fmt: skip

opinion = some.fixed_dictionaries(
    {"id": some.sampled_from("abc"), "statement": some.sampled_from(("likes tabs", "likes spaces"))},
    optional={
        "confidence": some.sampled_from((0.5, 0.52, 0.7)),
        "updated": some.sampled_from(("2026-03-01", "2026-03-02")),
        "evidence": some.lists(some.fixed_dictionaries({"date": some.sampled_from("12")}), max_size=2),
    },
)  # fmt: skip
objects = some.builds(
    lambda found, last: json.dumps({"lastReflect": last, "opinions": list({row["id"]: row for row in found}.values())}),
    some.lists(opinion, max_size=3), some.sampled_from(("2026-03-01", "2026-03-02")),
)  # fmt: skip

KINDS = {"signals/ratings.jsonl": logs, "relationship/2026-03/2026-03-02.md": documents, "opinions.json": objects}
each_kind = pytest.mark.parametrize("name", list(KINDS))


def united(name, base, ours, theirs):
    return merging.merged(name, base, ours, theirs)[0]


@each_kind
def test_the_order_of_the_two_sides_makes_no_difference(name):
    @MANY
    @given(some.none() | KINDS[name], KINDS[name], KINDS[name])
    def check(base, ours, theirs):
        old = None if base is None else base.encode()
        assert united(name, old, ours.encode(), theirs.encode()) == united(name, old, theirs.encode(), ours.encode())

    check()


@each_kind
def test_a_file_merged_with_itself_stays_as_it_is(name):
    @MANY
    @given(some.none() | KINDS[name], KINDS[name])
    def check(base, ours):
        assert united(name, None if base is None else base.encode(), ours.encode(), ours.encode()) == ours.encode()

    check()


@each_kind
def test_merging_a_result_once_more_with_either_side_changes_nothing(name):
    """What a kill between two steps of a sync leads to."""

    @MANY
    @given(some.none() | KINDS[name], KINDS[name], KINDS[name])
    def check(base, ours, theirs):
        old = None if base is None else base.encode()
        once = united(name, old, ours.encode(), theirs.encode())
        for side in (ours.encode(), theirs.encode()):
            assert plain(united(name, old, once, side)) == plain(once)

    check()


def plain(data: bytes) -> list[str]:
    return [line.rstrip() for line in data.decode().splitlines() if line.strip()]


@each_kind
def test_without_a_common_version_every_line_or_value_of_both_is_in_the_result(name):
    @MANY
    @given(KINDS[name], KINDS[name])
    def check(ours, theirs):
        result = united(name, None, ours.encode(), theirs.encode()).decode()
        if name.endswith(".json"):
            held = words(json.loads(result))
            assert words(json.loads(ours)) | words(json.loads(theirs)) <= held | {"2026-03-01"}
        else:
            header = ("---", "title:", "status:", "updated:", "tags:", "quality:")
            lines = {
                line for line in (ours + "\n" + theirs).splitlines() if line.strip() and not line.startswith(header)
            }
            assert lines <= set(result.splitlines())

    check()


def words(value) -> set[str]:
    if isinstance(value, dict):
        return set().union(*map(words, value.values()))
    if isinstance(value, list):
        return set().union(*map(words, value))
    return {value} if isinstance(value, str) else set()


@MANY
@given(logs, logs, logs)
def test_logs_of_three_machines_hold_the_same_lines_in_whatever_order_they_meet(one, two, three):
    def all_of(*order):
        result = order[0].encode()
        for side in order[1:]:
            result = united("x.jsonl", None, result, side.encode())
        return set(plain(result))

    assert all_of(one, two, three) == all_of(three, one, two) == all_of(two, three, one)


def test_a_log_that_holds_all_of_the_other_keeps_its_bytes():
    longer = b'{"id": "1"}\n{"id": "3"}\n{"id": "2"}\n'
    assert united("a.jsonl", None, b'{"id": "3"}\n', longer) == longer


def test_new_lines_of_a_log_stand_by_time_behind_what_both_have():
    shared = '{"ts": "2026-03-02T09:00:00Z", "n": 1}\n'
    ours = shared + '{"ts": "2026-03-02T12:00:00Z", "n": 2}\n'
    theirs = shared + '{"ts": "2026-03-02T11:00:00Z", "n": 3}\n'
    result = united("a.jsonl", shared.encode(), ours.encode(), theirs.encode())
    assert [json.loads(line)["n"] for line in result.splitlines()] == [1, 3, 2]


def test_notes_of_two_machines_stand_side_by_side_in_the_order_of_their_times():
    base = "# 2026-03-02\n\n## 08:00\n- W: early\n"
    ours = base + "\n## 10:15\n<!-- session:a -->\n- W: ours\n"
    theirs = base + "\n## 09:30\n- W: before\n\n## 10:15\n<!-- session:b -->\n- W: theirs\n"
    assert united("n.md", base.encode(), ours.encode(), theirs.encode()).decode() == (
        "# 2026-03-02\n\n## 08:00\n- W: early\n\n## 09:30\n- W: before\n\n"
        "## 10:15\n<!-- session:a -->\n- W: ours\n\n## 10:15\n<!-- session:b -->\n- W: theirs\n"
    )


def test_a_criterion_ticked_here_and_one_added_there_are_both_in_the_project():
    base = '---\nname: "site"\nstatus: "active"\n---\n\n## Criteria\n- [ ] ISC-1: loads\n'
    ours = base.replace("[ ]", "[x]").replace("active", "paused")
    theirs = base + "- [ ] ISC-2: prints\n"
    result = united("projects/site/ISA.md", base.encode(), ours.encode(), theirs.encode()).decode()
    assert "- [x] ISC-1: loads\n- [ ] ISC-2: prints\n" in result and "- [ ]" not in result.split("ISC-1")[0]
    assert frontmatter.parse(result)[0] == {"name": "site", "status": "paused"}


def test_a_field_that_both_changed_has_the_newer_text_and_keeps_the_other():
    base = {"opinions": [{"id": "tabs", "statement": "old", "updated": "2026-03-01"}]}
    ours = {"opinions": [{"id": "tabs", "statement": "ours", "updated": "2026-03-02", "confidence": 0.6}]}
    theirs = {"opinions": [{"id": "tabs", "statement": "theirs", "updated": "2026-03-03"}]}
    sides = [json.dumps(value).encode() for value in (base, ours, theirs)]
    assert json.loads(united("opinions.json", *sides)) == {
        "opinions": [
            {
                "id": "tabs", "statement": "theirs", "updated": "2026-03-03", "confidence": 0.6,
                "kept": {"statement": ["ours"]},
            }
        ]
    }  # fmt: skip


def test_what_one_side_removed_and_the_other_left_alone_is_gone():
    base = "# T\n\n## One\na\n\n## Two\nb\n"
    assert united("n.md", base.encode(), b"# T\n\n## One\na\n", base.encode()) == b"# T\n\n## One\na\n"


def test_an_object_in_which_a_plain_union_left_a_row_twice_is_read_all_the_same():
    ours = b'{\n"opinions": [{"id": "a", "statement": "x"}]\n}\n'
    both = b'{\n"opinions": [{"id": "a", "statement": "x"}]\n"opinions": [{"id": "b", "statement": "y"}]\n}\n'
    found = json.loads(united("opinions.json", None, ours, both))
    assert sorted(row["id"] for row in found["opinions"]) == ["a", "b"]


def test_a_broken_object_is_kept_beside_the_whole_one():
    assert merging.merged("o.json", None, b'{"a": 1}\n', b'{"a": ') == (b'{"a": 1}\n', b'{"a": ')
    assert merging.aside("x/o.json", b'{"a": ').startswith("x/o.kept-")


def test_of_other_files_one_stands_and_the_other_is_kept_beside_it():
    assert merging.merged("a.bin", None, b"1", b"2") == merging.merged("a.bin", None, b"2", b"1") == (b"2", b"1")
