"""Unites two versions of a JSON value, or of a Markdown header, field by field; in doubt both are kept.

Of two texts for one field the one of the later `updated` stands there; the other is kept in the row's `kept`."""

from __future__ import annotations

from pal.base import jsontext
from pal.memory.sync import sequences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KEPT = "kept"  # {field: [the texts that do not stand there]}
_STAMPS = ("updated", "lastReflect", "touched", "ts")  # the first that a row has says which row is newer
_LATER = frozenset((*_STAMPS, "last", "decidedAt"))  # of two of these the later is right
_ORDERED = _LATER | {"created", "createdAt", "started"}  # of two of the others the earlier
_IDENTITIES = ("id", "slug")  # what makes two rows of a list the same row


def merged(base: Any, ours: Any, theirs: Any) -> Any:
    """One value of both; `base` is what both come from, None when that is not known."""
    if ours == theirs:
        return min(ours, theirs, key=jsontext.dumps)  # the order of an object's fields may differ
    if theirs == base:
        return ours
    if ours == base:
        return theirs
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return _rows(base if isinstance(base, dict) else {}, ours, theirs)
    if isinstance(ours, list) and isinstance(theirs, list):
        return _lists(base if isinstance(base, list) else [], ours, theirs)
    return max(ours, theirs, key=jsontext.dumps)


def _rows(base: dict[str, Any], ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    one, other = _stamp(ours), _stamp(theirs)
    newer = ours if one > other else theirs if other > one else None
    row: dict[str, Any] = {}
    kept: dict[str, list[Any]] = {}
    stays = [[key for key in side if not _removed(key, base, ours, theirs)] for side in (ours, theirs)]
    for key in sequences.united((), *stays):
        if key in ours and key in theirs:
            row[key], lost = _field(key, base.get(key), ours[key], theirs[key], newer)
            if lost is not None:
                kept[key] = [lost]
        else:
            row[key] = ours[key] if key in ours else theirs[key]
    if kept:
        row[KEPT] = _with(row.get(KEPT), kept)
    return row


def _removed(key: str, base: dict[str, Any], ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """True when one side removed the field and the other left it as it was. A stamp, which decides, never goes."""
    if key in _STAMPS or key not in base or (key in ours and key in theirs):
        return False
    return bool((ours[key] if key in ours else theirs[key]) == base[key])


def _field(key: str, before: Any, ours: Any, theirs: Any, newer: dict[str, Any] | None) -> tuple[Any, Any]:
    """(what stands in the field, the text that has to be kept beside it or None)."""
    low, high = sorted((ours, theirs), key=jsontext.dumps)
    if isinstance(ours, str) and isinstance(theirs, str) and key in _ORDERED:
        return (high if key in _LATER else low), None
    alike = type(ours) is type(theirs) and isinstance(ours, (dict, list))
    if ours in (theirs, before) or theirs == before or alike:
        return merged(before, ours, theirs), None
    chosen = high if newer is None else newer[key]
    other = low if chosen == high else high
    return chosen, None if isinstance(other, (bool, int, float)) or not other else other


def _with(held: Any, more: dict[str, list[Any]]) -> dict[str, Any]:
    rows = dict(held) if isinstance(held, dict) else {}
    for key, values in more.items():
        before = rows.get(key)
        known = {jsontext.dumps(value): value for value in [*(before if isinstance(before, list) else []), *values]}
        rows[key] = [known[text] for text in sorted(known)]
    return rows


def _stamp(row: dict[str, Any]) -> str:
    return next((row[name] for name in _STAMPS if isinstance(row.get(name), str)), "")


def _lists(base: list[Any], ours: list[Any], theirs: list[Any]) -> list[Any]:
    name = next((name for name in _IDENTITIES if all(_names(side, name) for side in (ours, theirs))), "")
    if name:
        sides = [{str(row[name]): row for row in side} for side in (ours, theirs)]
        before = {str(row[name]): row for row in base} if _names(base, name) else {}
        return list(_rows(before, *sides).values())
    values = {jsontext.dumps(value): value for value in [*ours, *theirs]}
    texts = [[jsontext.dumps(value) for value in side] for side in (base, ours, theirs)]
    return [values[text] for text in sequences.united(*texts)]


def _names(rows: list[Any], name: str) -> bool:
    """Whether each row is an object with a name of its own."""
    return bool(rows) and len({str(row[name]) for row in rows if isinstance(row, dict) and name in row}) == len(rows)


def read(data: bytes) -> Any:
    """The value of a JSON file, also of one in which a plain union of lines left a row twice; ValueError otherwise."""
    try:
        return jsontext.loads(data)
    except ValueError:
        value: Any = None
        for line in data.decode("utf-8", "replace").splitlines():
            bare = line.strip().rstrip(",")
            if bare not in ("", "{", "}"):
                row = jsontext.loads("{" + bare + "}")
                value = row if value is None else merged(None, value, row)
        if value is None:
            raise
        return value


def sound(data: bytes) -> bool:
    """Whether the file is JSON as it stands."""
    try:
        jsontext.loads(data)
    except ValueError:
        return False
    return True


def render(value: Any, like: bytes) -> bytes:
    """The value as a file, in the form of the one it replaces."""
    if isinstance(value, dict) and not like.startswith(b"{\n  "):
        return jsontext.dumps_rows(value).encode()
    return jsontext.pretty(value).encode("utf-8", "backslashreplace")
