"""Makes, undoes and checks the changes that are text inside somebody else's file: members, elements, tables, blocks.

Pure functions over texts. An entry is what changes.json keeps of a change, plain values that suffice to undo it without
any knowledge of the agent. Errors name the place in the text; the caller adds the file."""

from __future__ import annotations

import json
from typing import Any, Union

from pal.install import block, jsonedit, tomltables
from pal.install.changes import (
    BLOCK,
    ELEMENT,
    MEMBER,
    TABLE,
    Block,
    JsonElement,
    JsonMember,
    Match,
    TomlTable,
    match_from,
)  # fmt: skip
from pal.install.jsonedit import Trace
from pal.install.jsonscan import Node, scan

Entry = dict[str, Any]
TextChange = Union[Block, JsonElement, JsonMember, TomlTable]
MISSING, ALTERED, DOUBLED = tomltables.MISSING, tomltables.ALTERED, "doubled"
KINDS = (BLOCK, ELEMENT, MEMBER, TABLE)


def put(text: str, change: TextChange, entry: Entry | None) -> tuple[str, list[Trace], Entry | None]:
    """Make the change: the new text, its traces, and the new entry (None when what stands there is the user's)."""
    if isinstance(change, JsonElement):
        text, traces = _put_element(text, change)
        return text, traces, {"keys": list(change.keys), "match": change.match.facts()}
    if isinstance(change, JsonMember):
        return _put_member(text, change, entry)
    if isinstance(change, TomlTable):
        return tomltables.put(text, change, entry)
    begun = not text and bool(change.header)
    text, record = block.put(change.header if begun else text, change.text, change.style)
    made = {"style": change.style, "record": record or (entry.get("record") if entry else None)}
    header = change.header if begun else (entry or {}).get("header", "")
    return text, [], {**made, "header": header} if header else made


def take(text: str, kind: str, entry: Entry) -> str:
    """The text without what this entry describes; unchanged when that is gone, or was changed by somebody."""
    if kind == BLOCK:
        left = block.remove(text, entry["record"], entry["style"])
        return "" if left == entry.get("header") else left
    if kind == TABLE:
        return tomltables.take(text, entry)
    if kind == ELEMENT:
        while True:
            places = _places(text, tuple(entry["keys"]), match_from(entry["match"]))
            if not places:
                return text
            text = _take_place(text, places[-1])
    mine = _mine(text, entry)
    if mine is None:
        return text
    return jsonedit.remove(text, mine.start) if entry["was"] is None else jsonedit.swap(text, mine.start, entry["was"])


def tidy(text: str, traces: list[Trace]) -> tuple[str, list[Trace]]:
    """Take out the containers that were only there to hold our changes; the traces still needed come back."""
    tables = [trace for trace in traces if tomltables.TOML in trace]
    if tables:
        return tomltables.tidy(text, tables)
    return jsonedit.tidy(text, traces)


def stands(text: str, kind: str, entry: Entry) -> bool:
    """Whether anything of what this entry describes is in the text."""
    if kind == BLOCK:
        return block.inside(text, entry["style"]) is not None
    if kind == TABLE:
        return tomltables.stands(text, entry)
    if kind == ELEMENT:
        return bool(_places(text, tuple(entry["keys"]), match_from(entry["match"])))
    return _mine(text, entry) is not None


def agrees(text: str, change: TextChange) -> bool:
    """Whether what somebody else wrote there is just what we would have written."""
    node = scan(text).seen(change.keys) if isinstance(change, JsonMember) else None
    return node is not None and isinstance(change, JsonMember) and _same(node.value, change.value)


def look(text: str, change: TextChange, entry: Entry | None) -> str:
    """What is wrong with this change in the text: missing, altered, doubled or nothing."""
    if isinstance(change, JsonElement):
        places = _places(text, change.keys, change.match)
        if len(places) > 1:
            return DOUBLED
        return MISSING if not places else "" if _is_right(places[0], change) else ALTERED
    if isinstance(change, JsonMember):
        node = scan(text).seen(change.keys)
        if node is None:
            return MISSING
        if _same(node.value, change.value):
            return ""
        if change.only_if_absent:  # what somebody else wrote, or made of ours, is theirs and as it should be
            mine = _mine(text, entry or _entry(change))
            return ALTERED if mine is not None and mine.start == node.start else ""
        return ALTERED
    if isinstance(change, TomlTable):
        return tomltables.look(text, change, entry)
    inside = block.inside(text, change.style)
    if inside is None:
        return MISSING
    return "" if block.put(text, change.text, change.style)[0] == text else ALTERED


# Elements: a hook stands alone in its list, or in a group that a user's hooks may have joined


class _Place:
    """Where an entry of ours stands: its own node, and the group and list it stands in, if any."""

    __slots__ = ("alone", "group", "node", "seen")

    def __init__(self, node: Node, group: Node | None, alone: bool, seen: bool) -> None:
        self.node = node
        self.group = group
        self.alone = alone
        self.seen = seen


def _places(text: str, keys: tuple[str, ...], match: Match) -> list[_Place]:
    """Every entry of ours in the lists at this path, those hidden by a repeated key too, in the order of the text."""
    document = scan(text)
    seen = document.seen(keys)
    found = []
    for node in document.nodes(keys):
        for item in (node.items or ()) if node.is_array else ():
            if not match.inside:
                if match.fits(item.node.value):
                    found.append(_Place(item.node, None, True, node is seen))
                continue
            for member in (item.node.items or ()) if item.node.is_object else ():
                if member.key == match.inside and member.node.is_array:
                    rows = member.node.items or []
                    ours = [row.node for row in rows if match.fits(row.node.value)]
                    found += [_Place(row, item.node, len(rows) == 1, node is seen) for row in ours]
    return found


def _put_element(text: str, change: JsonElement) -> tuple[str, list[Trace]]:
    """One right entry in the list: what is there of ours is mended in its place, and what is there twice goes."""
    while True:
        places = _places(text, change.keys, change.match)
        if not places:
            return jsonedit.append(text, change.keys, change.value)
        right = [place for place in places if _is_right(place, change)]
        keep = (right or [place for place in places if place.seen] or places)[0]
        rest = [place for place in places if place is not keep]
        if rest:
            text = _take_place(text, rest[-1])
        elif right:
            return text, []
        elif keep.seen and keep.group is None:
            return jsonedit.replace(text, keep.node.start, change.value), []
        elif keep.seen and keep.group is not None and _same(_around(keep.group.value, change), _around(None, change)):
            return jsonedit.replace(text, keep.node.start, _hook(change)), []
        elif keep.seen and keep.group is not None and keep.alone:
            return jsonedit.replace(text, keep.group.start, change.value), []
        else:
            text = _take_place(text, keep)  # a group with hooks of somebody else, or a list that no reader sees


def _is_right(place: _Place, change: JsonElement) -> bool:
    if place.group is None:
        return place.seen and _same(place.node.value, change.value)
    right = _same(place.node.value, _hook(change))
    return place.seen and right and _same(_around(place.group.value, change), _around(None, change))


def _hook(change: JsonElement) -> Any:
    """Our entry inside the group that the change puts in."""
    return next(entry for entry in change.value[change.match.inside] if change.match.fits(entry))


def _around(group: Any, change: JsonElement) -> dict[str, Any]:
    """A group (default: the change's own) without its list of hooks."""
    whole = change.value if group is None else group
    return {key: part for key, part in whole.items() if key != change.match.inside}


def _take_place(text: str, place: _Place) -> str:
    """Without the entry; a group in which it was alone goes with it."""
    alone = place.group is not None and place.alone
    return jsonedit.remove(text, place.group.start if place.group and alone else place.node.start)


# Members


def _put_member(text: str, change: JsonMember, entry: Entry | None) -> tuple[str, list[Trace], Entry | None]:
    made = _entry(change)
    node = scan(text).seen(change.keys)
    if node is None:
        text, traces = jsonedit.add_member(text, change.keys, change.value)
        return text, traces, made
    ours = _mine(text, entry or {**made, "ours": []})
    if ours is None or ours.start != node.start:
        if change.only_if_absent:
            return text, [], entry
        if _same(node.value, change.value):
            return text, [], entry
        made["was"] = text[node.start : node.end]
    else:
        made["was"] = entry["was"] if entry else None
    if not _same(node.value, change.value):
        text = jsonedit.replace(text, node.start, change.value)
    return text, [], made


def _entry(change: JsonMember) -> Entry:
    match = change.match.facts() if change.match else None
    return {"keys": list(change.keys), "ours": [change.value], "was": None, "match": match}


def _mine(text: str, entry: Entry) -> Node | None:
    """The member this entry put in, if it still says what we wrote."""
    match = match_from(entry["match"]) if entry["match"] else None
    for node in reversed(scan(text).nodes(tuple(entry["keys"]))):
        if any(_same(node.value, ours) for ours in entry["ours"]) or (match and match.fits(node.value)):
            return node
    return None


def _same(one: Any, other: Any) -> bool:
    """Equal as JSON: true is not 1, and the order of members is of no account."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
