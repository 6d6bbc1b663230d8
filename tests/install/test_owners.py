"""changes.json: read with suspicion, written whole, and enough to undo everything by."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from pal.base.errors import PalError
from pal.base.home import Home
from pal.install import apply as installer
from pal.install import owners
from pal.install.changes import Block, CopyTree, JsonElement, JsonMember, Match, match_from
from pal.install.owners import State

MATCH = Match(("hook.py stop --agent=one",), ("command",), "hooks")


def plan_for(user: Path) -> list:
    settings = str(user / "settings.json")
    group = {"hooks": [{"command": "hook.py stop --agent=one"}]}
    return [
        JsonElement(settings, ("hooks", "stop"), group, MATCH),
        JsonMember(settings, ("statusLine",), "pal"),
        Block(str(user / "notes" / "CLAUDE.md"), "text\n"),
        CopyTree(str(user / "skills"), {"pal/SKILL.md": b"x"}),
    ]


def test_the_record_names_owners_places_and_what_was_made(home, fresh_home, now):
    installer.apply(plan_for(fresh_home), "one", home, now)
    installer.apply(plan_for(fresh_home), "two", home, now)
    record = json.loads(Path(home.changes).read_text())
    settings = str(fresh_home / "settings.json")
    assert record["version"] == 1
    assert record["changes"][f"{settings}|hooks/stop#hook.py stop --agent=one"] == {
        "kind": "element",
        "path": settings,
        "place": "hooks/stop#hook.py stop --agent=one",
        "owners": ["one", "two"],
        "keys": ["hooks", "stop"],
        "match": {"says": ["hook.py stop --agent=one"], "fields": ["command"], "inside": "hooks"},
    }
    assert record["files"][settings] == {
        "made": True,
        "traces": [{"begun": ""}, {"made": ["hooks", "stop"]}, {"made": ["hooks"]}, {"filled": [], "was": ""}],
    }
    assert record["folders"] == [
        str(fresh_home / "notes"),
        str(fresh_home / "skills"),
        str(fresh_home / "skills" / "pal"),
    ]
    assert owners.installed(home) == ["one", "two"]


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"version": 1}',
        b'{"version": 0, "changes": {}, "files": {}, "folders": []}',
        b'{"version": 1, "changes": {"x": 1}, "files": {}, "folders": []}',
        b'{"version": 1, "changes": {"x": {"kind": "block", "owners": [], "path": "/x"}}, "files": {}, "folders": []}',
        (
            b'{"version": 1, "changes": {"x": {"kind": "new", "owners": [], "path": "", "place": ""}}, "files": {}, '
            b'"folders": []}'
        ),
        None,
    ],
)
def test_a_record_that_cannot_be_read_stops_everything_with_a_way_out(home, fresh_home, now, text):
    (fresh_home / "settings.json").write_text("{}")
    if text is None:
        os.mkdir(home.changes)
    else:
        Path(home.changes).write_bytes(text)
    for act in (
        lambda: installer.apply(plan_for(fresh_home), "one", home, now),
        lambda: installer.undo("one", home, now),
        lambda: installer.preview(plan_for(fresh_home), home),
        lambda: installer.preview_undo("one", home),
        lambda: installer.drift(plan_for(fresh_home), home),
        lambda: owners.installed(home),
    ):
        with pytest.raises(PalError, match="cannot be read .* nothing was touched: put back a good copy, or delete it"):
            act()
    assert (fresh_home / "settings.json").read_text() == "{}"
    assert text is None or Path(home.changes).read_bytes() == text


def test_the_record_of_a_newer_pal_is_left_to_it(home):
    Path(home.changes).write_text('{"version": 2, "anything": []}')
    with pytest.raises(PalError, match="was written by a newer PAL"):
        owners.load(home)


def test_with_the_record_lost_hooks_and_blocks_are_still_found_and_taken_out(home, fresh_home, now):
    (fresh_home / "settings.json").write_text('{"hooks": {"stop": []}}')
    (fresh_home / "notes").mkdir()
    (fresh_home / "notes" / "CLAUDE.md").write_text("mine\n")
    plan = plan_for(fresh_home)[:3:2]
    installer.apply(plan, "one", home, now)
    os.remove(home.changes)
    assert installer.drift(plan, home) == []
    installer.apply(plan, "one", home, now)
    installer.undo("one", home, now)
    assert json.loads((fresh_home / "settings.json").read_text()) == {"hooks": {"stop": []}}
    assert (fresh_home / "notes" / "CLAUDE.md").read_text() == "mine\n"


def test_an_empty_record_is_no_file(home):
    assert owners.save(home, State()) is False
    assert owners.save(home, State(folders=["/x"])) is True
    assert owners.save(home, State(folders=["/x"])) is False
    assert owners.load(home).folders == ["/x"]
    assert owners.save(home, State()) is True
    assert not os.path.exists(home.changes)


def test_the_intention_knows_what_stands_before_and_after():
    def entry(**more):
        return {"kind": "x", "path": "/f", "place": "", "owners": ["one"], **more}

    old = State(
        {"a": entry(ours=[1]), "b": entry(hashes={"f": ["h1"], "g": ["h1"]}), "gone": entry()},
        {"/f": {"made": False, "traces": [{"made": ["x"]}]}, "/old": {"made": True, "traces": []}},
        ["/one"],
    )
    new = State(
        {"a": entry(ours=[2]), "b": entry(hashes={"f": ["h2"]}), "new": entry()},
        {"/f": {"made": False, "traces": [{"made": ["y"]}]}},
        ["/two"],
    )
    both = owners.intention(old, new)
    assert list(both.changes) == ["a", "b", "new", "gone"]
    assert both.changes["a"]["ours"] == [2, 1]
    assert both.changes["b"]["hashes"] == {"f": ["h2", "h1"], "g": ["h1"]}
    assert both.files["/f"]["traces"] == [{"made": ["y"]}, {"made": ["x"]}]
    assert both.files["/old"]["made"] is True
    assert both.folders == ["/two", "/one"]
    assert new.changes["a"]["ours"] == [2]


@pytest.mark.parametrize(
    ("match", "entry", "fits"),
    [
        (MATCH, {"command": "/p -I '/home/user/.pal/hook.py' stop --agent=one; exit 0"}, True),
        (MATCH, {"command": '& "C:\\p.exe" "C:\\.pal\\hook.py"  stop --agent=one'}, True),
        (MATCH, {"command": "/p /home/user/.pal/hook.py stop --agent=one-more"}, False),
        (MATCH, {"command": "/p /home/user/.pal/my_hook.py stop --agent=one"}, False),
        (MATCH, {"command": "/p /home/user/.pal/hook.py pre-stop --agent=one"}, False),
        (MATCH, {"args": "hook.py stop --agent=one"}, False),
        (MATCH, {"command": ["/p", "hook.py", "stop", "--agent=one", 1]}, True),
        (MATCH, "hook.py stop --agent=one", False),
        (MATCH, None, False),
        (Match(("a b", "c d")), "x c d y", True),
        (Match(("a b", "c d")), 5, False),
        (Match(("a b",), ("x", "y")), {"x": "a", "y": "b"}, True),
    ],
)
def test_an_entry_is_ours_when_it_says_so_on_whole_words(match, entry, fits):
    assert match.fits(entry) is fits
    assert match_from(json.loads(json.dumps(match.facts()))) == match


def test_a_home_that_cannot_be_made_is_said_in_a_sentence(fresh_home, now):
    (fresh_home / ".pal").write_text("a file")
    with pytest.raises(PalError, match="cannot be made .* nothing was changed"):
        installer.apply(plan_for(fresh_home), "one", Home(str(fresh_home / ".pal")), now)
    assert sorted(os.listdir(fresh_home)) == [".pal"]
