"""Makes, undoes and checks the changes that are members of a table in somebody else's TOML file.

Pure functions over texts, with entries of plain values as `edits` has them, which hands its tables on to here."""

from __future__ import annotations

from typing import Any

from pal.install import tomledit
from pal.install.changes import TomlTable, match_from

Entry = dict[str, Any]
Trace = dict[str, Any]  # {"made": keys, TOML: True}: a table in braces that we created
MISSING, ALTERED = "missing", "altered"
TOML = "toml"  # marks a trace of a file that is no JSON


def put(text: str, change: TomlTable, entry: Entry | None) -> tuple[str, list[Trace], Entry | None]:
    """Make the change: the new text, its traces, and the new entry (None when what stands there is somebody else's)."""
    standing = tomledit.table_at(text, change.keys)
    if standing is not None and entry is None and change.only_if_absent and not _fits(standing, change):
        return text, [], None
    made: Entry = {
        "keys": list(change.keys),
        "ours": [dict(change.values)],
        "was": dict(entry["was"]) if entry else {},
        # What was ours and is no longer recorded was made with its header.
        "before": entry["before"] if entry else None if standing is None else "" if _same(standing, change) else None,
        "match": change.match.facts() if change.match else None,
    }
    traces = [{"made": list(keys), TOML: True} for keys in tomledit.missing_in_braces(text, change.keys)]
    for name, value in change.values.items():
        keys = (*change.keys, name)
        before = tomledit.table_at(text, change.keys) or {}
        if name in before and before[name] == value:
            continue
        if name in before and name not in made["was"] and not _ours(before, name, entry):
            made["was"][name] = tomledit.raw(text, keys)
        text, header = tomledit.set_member(text, keys, value)
        if header is not None:
            made["before"] = header
    for name in _names(entry) - change.values.keys():  # an older version's
        text = _take_member(text, entry or made, name)
    return text, traces, made


def tidy(text: str, traces: list[Trace]) -> tuple[str, list[Trace]]:
    """Take out the tables in braces that we made and that are empty again; the traces still needed come back."""
    kept = []
    for trace in sorted(traces, key=lambda trace: -len(trace["made"])):
        text, gone = tomledit.remove_empty(text, tuple(trace["made"]))
        if not gone:
            kept.append(trace)
    return text, kept


def take(text: str, entry: Entry) -> str:
    """The text without the members that still say what we wrote, and without a header of ours that is empty then."""
    for name in sorted(_names(entry), reverse=True):
        text = _take_member(text, entry, name)
    if entry["before"] is not None:
        text, _ = tomledit.remove_header(text, tuple(entry["keys"]), entry["before"])
    return text


def stands(text: str, entry: Entry) -> bool:
    """Whether anything of what this entry describes is in the text."""
    standing = tomledit.table_at(text, tuple(entry["keys"])) or {}
    return any(_ours(standing, name, entry) for name in _names(entry))


def look(text: str, change: TomlTable, entry: Entry | None) -> str:
    """What is wrong with this change in the text: missing, altered or nothing."""
    standing = tomledit.table_at(text, change.keys)
    if standing is None:
        return MISSING
    if change.only_if_absent and entry is None and not _fits(standing, change):
        return ""  # somebody else's, and as it should be
    if all(standing.get(name) == value for name, value in change.values.items()):
        return ""
    return ALTERED if change.values.keys() & standing.keys() else MISSING


def _take_member(text: str, entry: Entry, name: str) -> str:
    keys = tuple(entry["keys"])
    standing = tomledit.table_at(text, keys) or {}
    if not _ours(standing, name, entry):
        return text
    was = entry["was"].get(name)
    return tomledit.remove(text, (*keys, name)) if was is None else tomledit.swap(text, (*keys, name), was)


def _ours(standing: dict[str, Any], name: str, entry: Entry | None) -> bool:
    """Whether a member still says what we wrote."""
    if entry is None or name not in standing:
        return False
    match = match_from(entry["match"]) if entry["match"] else None
    return any(name in ours and standing[name] == ours[name] for ours in entry["ours"]) or bool(
        match and match.fits(standing)
    )


def _names(entry: Entry | None) -> set[str]:
    return {name for ours in entry["ours"] for name in ours} if entry else set()


def _fits(standing: dict[str, Any], change: TomlTable) -> bool:
    return _same(standing, change) or bool(change.match and change.match.fits(standing))


def _same(standing: dict[str, Any], change: TomlTable) -> bool:
    return standing == dict(change.values)
