"""Long-term memory: events in, entries out; the same whatever order they come in, and nothing is ever lost."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from pal.base import clock, ids, jsontext
from pal.base.errors import PalError
from pal.base.home import Home
from pal.memory.icm import entry, events, fold, store, upkeep

DAY = 86_400.0


def lines(home: Home) -> list[dict]:
    return [jsontext.loads(line) for path in events.paths(home) for line in Path(path).read_bytes().splitlines()]


def shown(entries: dict[str, entry.Entry]) -> dict[str, dict]:
    return {name: {**one.shown(), "access": one.access} for name, one in entries.items()}


def test_a_text_becomes_an_entry_with_all_that_was_said_of_it(home, now):
    name = store.store(
        home, " We use  Postgres 15 ", now, topic="decisions-shop", keywords=["db", "db", " pg "], importance="high",
        source_agent="someone", source={"session": "s1"}, evidence=["turn 4"], confidence=0.9,
    )  # fmt: skip
    one = store.get(home, name)
    assert (one.content, one.kind, one.project, one.keywords) == (
        "We use  Postgres 15",
        "decision",
        "shop",
        ["db", "pg"],
    )
    assert (one.importance, one.status, one.source_tier, one.ts) == ("high", "active", "user", clock.iso(now))
    assert one.source == {"session": "s1"} and one.evidence == ["turn 4"] and one.confidence == 0.9
    assert ids.is_sortable(name)
    assert fold.load(home)[name].shown() == one.shown()


@pytest.mark.parametrize(
    ("topic", "parts"),
    [
        ("decisions-shop", ("decision", "shop")),
        ("Facts-my-app", ("fact", "my-app")),
        ("preferences", ("preference", "")),
        ("errors-resolved", ("error", "")),
        ("shop", ("", "")),
        ("", ("", "")),
    ],
)
def test_a_topic_may_name_a_kind_and_a_project(topic, parts):
    assert entry.split_topic(topic) == parts


def test_secrets_and_private_text_never_reach_the_disk(home, now):
    key = "ghp_" + "Zk3PqX7Lm9Tv2Rb6Yc8Wd4Hf1Jg5NsQaUeIo"
    name = store.store(home, f"The token is {key} <private>for Acme</private> only", now, keywords=[key])
    store.update(home, name, now, content=f"Now it is {key}")
    written = b"".join(Path(path).read_bytes() for path in events.paths(home))
    assert key.encode() not in written and b"Acme" not in written
    assert "[redacted:github-token]" in store.get(home, name).content


@pytest.mark.parametrize("text", ["", "  \n", "<private>all of it</private>"])
def test_an_empty_text_is_refused(home, now, text):
    with pytest.raises(PalError, match="needs a text"):
        store.store(home, text, now)
    assert lines(home) == []


def test_a_text_that_is_too_long_is_refused_and_said_why(home, now):
    with pytest.raises(PalError, match="at most 8,192 fit"):
        store.store(home, "x " * 5000, now)
    store.store(home, "x" * 7500, now)
    assert all(
        len(line) < entry.LONGEST for path in events.paths(home) for line in Path(path).read_bytes().splitlines()
    )


@pytest.mark.parametrize(
    "text", ["我们使用 PostgreSQL 数据库", "مرحبا بالعالم", "ship 🚀 it", "def f():\n\treturn {'a': 1}", "\u2028"]
)
def test_any_script_and_code_come_back_as_they_went_in(home, now, text):
    assert store.get(home, store.store(home, "a " + text, now)).content == ("a " + text).strip()


def test_the_same_text_is_one_entry_that_was_used_twice(home, now):
    first = store.store(home, "We use Postgres", now)
    assert store.store(home, "we  USE postgres", now + 1) == first
    assert store.store(home, "We use Postgres", now + 2, topic="facts-shop") != first
    one = store.get(home, first)
    assert (one.uses, one.last_access) == (1, clock.iso(now + 1))


def test_what_was_forgotten_stays_so_until_it_is_stored_again(home, now):
    name = store.store(home, "We use Postgres", now)
    assert store.forget(home, name, now + 1).status == "forgotten"
    store.update(home, name, now + 2, importance="high")
    assert store.get(home, name).status == "forgotten"
    assert store.store(home, "We use Postgres", now + 3) == name
    assert store.get(home, name).status == "active"


def test_a_newer_memory_stands_for_an_older_one(home, now):
    old, new = store.store(home, "Postgres 15", now), store.store(home, "Postgres 16", now)
    assert store.supersede(home, old, new, now).superseded_by == new
    assert store.get(home, new).supersedes == [old]
    with pytest.raises(PalError, match="the newer"):
        store.supersede(home, new, old, now)
    store.forget(home, new, now)
    assert store.get(home, old).status == "superseded"


def test_members_of_a_cluster_come_back_when_its_head_is_forgotten(home, now):
    one, other, head = (store.store(home, text, now) for text in ("Port 80", "Port eighty", "It is port 80"))
    store.merge(home, [one, other, head], head, now)
    assert [store.get(home, name).status for name in (one, other, head)] == ["superseded", "superseded", "active"]
    store.forget(home, head, now)
    assert [found.status for found in fold.load(home).values()].count("active") == 2
    assert store.get(home, one).status == "active"


def test_an_entry_is_named_by_the_beginning_of_its_id_where_that_is_clear(home, now):
    name = store.store(home, "One", now)
    store.store(home, "Two", now + 1)
    assert store.get(home, name[:-3].lower()).id == name
    with pytest.raises(PalError, match="type more"):
        store.get(home, name[:6])
    for wrong in ("", "01", "ZZZZZZZZ"):
        with pytest.raises(PalError):
            store.get(home, wrong)


@pytest.mark.parametrize("field", [{"importance": "huge"}, {"status": "gone"}, {"hlc": "1"}, {"content": " "}])
def test_a_change_that_makes_no_sense_is_refused(home, now, field):
    name = store.store(home, "One", now)
    before = lines(home)
    with pytest.raises(PalError):
        store.update(home, name, now, **field)
    assert lines(home) == before


def test_memories_fade_by_importance_and_use_and_pinned_ones_never(home, now):
    def weight(days: float, **fields: object) -> float:
        one = entry.Entry("X")
        one.ts = clock.iso(now)
        for name, value in fields.items():
            setattr(one, name, value)
        return entry.weight(one, now + days * DAY)

    assert weight(120) == pytest.approx(0.25) and weight(0) == 0.5 and weight(-5) == 0.5
    assert weight(1000, importance="critical") == 1.0
    assert weight(30, importance="low") == pytest.approx(0.15)
    assert weight(180, access={"a": 3, "b": 9}) == pytest.approx(0.25)
    assert weight(1000, pinned=True) == 0.5
    assert weight(120, last_access=clock.iso(now + 120 * DAY)) == 0.5


# Events: the order they are read in does not matter.


def history(home: Home, now: float) -> list[dict]:
    """What two machines did to three entries, one of them with its clock a day ahead."""
    names = [store.store(home, f"Fact {number}", now + number) for number in range(3)]
    store.update(home, names[0], now + 5, content="Fact zero", keywords=["zero"])
    store.touch(home, store.get(home, names[0]), now + 6)
    ahead = f"{int((now + DAY) * 1000):013d}-0000-ffffffff"
    other = {"v": 1, "op": "update", "id": names[0], "hlc": ahead, "ts": clock.iso(now + DAY), "importance": "high"}
    extra = [other, {"v": 1, "op": "touch", "id": names[0], "hlc": ahead, "n": 4, "at": clock.iso(now + DAY)}]
    Path(events.path(home, "ffffffff")).write_text("".join(jsontext.dumps(event) + "\n" for event in extra))
    store.update(home, names[0], now + 7, importance="low")
    store.forget(home, names[1], now + 8)
    store.merge(home, [names[2]], names[0], now + 9)
    return lines(home)


def test_a_change_outlives_one_of_a_clock_that_is_a_day_ahead(home, now):
    history(home, now)
    one = next(iter(fold.load(home).values()))
    assert (one.content, one.importance, one.uses) == ("Fact zero", "low", 5)


def test_any_order_of_lines_and_files_is_the_same_state(home, now):
    found = history(home, now)
    before = shown(fold.load(home))
    assert len(before) == 3
    chance = random.Random(5)
    for _ in range(20):
        mixed = found + chance.sample(found, 3)  # a line that came twice changes nothing
        chance.shuffle(mixed)
        assert shown(fold.fold(mixed)) == before


def test_two_changes_of_the_same_moment_end_the_same_on_every_machine():
    event = {"v": 1, "op": "update", "id": "A", "hlc": "0000000000005-0000-aaaaaaaa"}
    added = {"v": 1, "op": "add", "id": "A", "hlc": "0000000000001-0000-aaaaaaaa", "content": "x"}
    changes = [added, {**event, "importance": "low"}, {**event, "importance": "high"}]
    ends = {fold.one(list(order)).importance for order in itertools.permutations(changes)}
    assert len(ends) == 1


@pytest.mark.parametrize(
    "line",
    [b"", b"{", b"[]", b"7", b'{"id": "A"}', b'{"id": "A", "op": "explode", "hlc": "1"}',
     b'{"id": 3, "op": "add", "hlc": "1"}', b"\xff\xfe", '{"id":"Á","op":"add"'.encode()],
)  # fmt: skip
def test_torn_and_foreign_lines_are_passed_over(home, now, line):
    name = store.store(home, "One", now)
    (path,) = events.paths(home)
    with open(path, "ab") as stream:
        stream.write(line)
    other = store.store(home, "Two", now)
    assert list(fold.load(home)) == sorted([name, other])
    assert store.get(home, other).content == "Two"


def test_odd_values_of_known_fields_do_no_harm():
    event = {
        "op": "add", "id": "A", "hlc": "1", "content": "x", "keywords": "no list", "importance": 7, "pinned": "yes",
        "confidence": "sure", "status": "odd", "slot": [], "evidence": [1, None, "e"], "related": ["a", "a"],
    }  # fmt: skip
    one = fold.one([event])
    assert (one.importance, one.pinned, one.confidence, one.status) == ("medium", False, 1.0, "active")
    assert (one.keywords, one.evidence, one.related) == ([], ["e"], ["a"])


def test_a_copied_home_writes_a_file_of_its_own(home, now, monkeypatch):
    first = events.host(home)
    assert events.host(home) == first and len(first) == 8
    monkeypatch.setattr(events, "_machine", lambda: "another")
    second = events.host(home)
    assert second != first
    store.store(home, "One", now)
    assert [os.path.basename(path) for path in events.paths(home)] == [second + ".jsonl"]


def test_a_stamp_is_later_than_what_was_seen():
    assert events.stamp(5.0, "h") == "0000000005000-0000-h"
    assert events.stamp(5.0, "h", "0000000005000-0000-x") == "0000000005000-0001-h"
    assert events.stamp(5.0, "h", "0000000009000-00ff-x") == "0000000009000-0100-h"
    assert events.stamp(5.0, "h", "rubbish") == events.stamp(5.0, "h", "a-b-c") == "0000000005000-0000-h"


# Many writers, no room, a lock that is held.

STORE = (
    "import sys\nsys.path.insert(0, sys.argv[1])\nfrom pal.base.home import Home\nfrom pal.memory.icm import store\n"
    "for number in range(3):\n    store.store(Home(sys.argv[2]), f'fact {sys.argv[3]} {number}', 1772439300.0)\n"
    "    store.store(Home(sys.argv[2]), 'what all of them know', 1772439300.0)\n"
)


def test_many_processes_at_once_lose_nothing_and_repeat_nothing(home):
    source = str(Path(events.__file__).parents[3])
    command = [sys.executable, "-I", "-S", "-c", STORE, source, home.root]
    running = [subprocess.Popen([*command, str(number)]) for number in range(10)]
    assert [child.wait(60) for child in running] == [0] * 10
    events.settle(home, 0.0)
    found = sorted(one.content for one in fold.load(home).values())
    assert found == sorted([f"fact {n} {m}" for n in range(10) for m in range(3)] + ["what all of them know"])


def test_what_was_written_while_the_file_was_locked_is_folded_in(home, now, monkeypatch):
    from pal.base import locks

    store.store(home, "One", now)
    (path,) = events.paths(home)
    monkeypatch.setattr(locks.Lock.__init__, "__defaults__", (0.01,))
    with locks.Lock(path):
        name = store.store(home, "Two", now)
    assert name not in fold.load(home)
    events.settle(home, now)
    assert fold.load(home)[name].content == "Two"
    assert os.listdir(home.spill) == []


def test_a_full_disk_is_said_and_leaves_whole_lines(home, now, monkeypatch):
    name = store.store(home, "One", now)
    write = os.write

    def full(descriptor: int, data: bytes) -> int:
        return write(descriptor, data[: len(data) // 2])

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(OSError, match="no room"):
            store.store(home, "Two", now)
    assert list(fold.load(home)) == [name]
    other = store.store(home, "Two", now)
    assert list(fold.load(home)) == sorted([name, other])


def test_an_import_is_all_or_nothing_and_counts_what_was_known(home, now):
    drafts = [store.draft(f"Fact {number}", now) for number in range(50)]
    new, same = store.put_all(home, [*drafts, store.draft("fact 3", now)], now)
    assert (len(new), same) == (50, 1)
    assert store.put_all(home, [store.draft("Fact 7", now), store.draft("Fact 99", now)], now)[1] == 1
    before = lines(home)
    with pytest.raises(PalError, match="nothing was stored"):
        store.put_all(home, [store.draft("Fact 100", now), store.draft("y " * 5000, now)], now)
    assert lines(home) == before


# Keeping it small.


def test_only_what_has_faded_is_archived_and_it_can_come_back(home, now):
    for text, importance in (("Old low", "low"), ("Old high", "high"), ("Old critical", "critical")):
        store.store(home, text, now - 400 * DAY, importance=importance)
    store.store(home, "New low", now, importance="low")
    store.pin(home, store.store(home, "Pinned low", now - 400 * DAY, importance="low"), now - 400 * DAY)
    found = upkeep.faded(home, now)
    assert [one.content for one in found] == ["Old low"]
    upkeep.prune(home, found, now)
    assert upkeep.faded(home, now) == []
    (archived,) = [name for name in os.listdir(home.entries_archive) if name[0] != "."]
    assert "Old low" in Path(home.entries_archive, archived).read_text()
    store.update(home, found[0].id, now, status="active")
    assert store.get(home, found[0].id).status == "active"


def test_what_says_the_same_is_represented_by_the_one_most_like_the_others(home, now):
    for text in (
        "The dev server of the shop listens on port 5173",
        "The shop dev server listens on port 5173",
        "Dev server of the shop: listens on port 5173 always",
        "The dev server of the shop listens on port 9000",
        "Invoices are rounded half up per line",
    ):
        store.store(home, text, now, topic="facts-shop", keywords=text.split()[-1:])
    (cluster,) = upkeep.clusters(home)
    assert {one.content.split()[-1] for one in cluster.members} <= {"5173", "always"}
    assert len(cluster.members) == 2 and "9000" not in cluster.head.content
    upkeep.consolidate(home, [cluster], now)
    assert upkeep.clusters(home) == []
    assert store.get(home, cluster.head.id).evidence == [one.id for one in cluster.members]
    assert upkeep.count(home)["memories superseded"] == 2
    store.forget(home, cluster.head.id, now)
    assert upkeep.count(home)["memories active"] == 4
