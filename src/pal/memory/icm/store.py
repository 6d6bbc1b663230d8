"""The only door through which long-term memories are written: what comes in is scrubbed, checked and kept once.

`store` gives an id; the other functions take one, or its beginning where that is clear. PalError for what cannot be."""

from __future__ import annotations

from pal.base import clock, ids, redaction
from pal.base.errors import PalError
from pal.memory.icm import events, fold
from pal.memory.icm.entry import (
    ACTIVE,
    FORGOTTEN,
    IMPORTANCE,
    LONGEST,
    MOST_KEYWORDS,
    STATUSES,
    TIERS,
    Entry,
    hash_of,
    split_topic,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from pal.base.home import Home

_FEWEST_LETTERS = 6  # of an id's beginning
_LONGEST_FIELD = 200  # characters of a keyword, an entity, a name
_EXCERPT = 1000  # characters
_CHANGEABLE = ("content", "topic", "kind", "project", "importance", "keywords", "entities", "related", "evidence",
               "confidence", "status", "pinned", "valid_from", "valid_to", "slot", "raw_excerpt")  # fmt: skip


def draft(text: str, now: float, **fields: Any) -> dict[str, Any]:
    """The `add` event for a text, without its `hlc`: scrubbed, with its id, hash, kind and project.

    Fields: topic, kind, project, importance, keywords, entities, slot, source_agent, source_tier, evidence, confidence,
    source (session, turn, hook), status, related, pinned, supersedes, valid_from, valid_to, raw_excerpt, ts, id."""
    content = redaction.scrub(text).strip()
    if not content:
        raise PalError("a memory needs a text; what stands in <private> is never kept")
    _check(fields)
    topic = _name(fields.pop("topic", ""))
    kind, project = split_topic(topic)
    moment = str(fields.pop("ts", "") or clock.iso(now))
    event: dict[str, Any] = {
        "v": events.VERSION,
        "op": events.ADD,
        "id": str(fields.pop("id", "") or ids.sortable(_moment(moment, now))),
        "hlc": "",
        "ts": moment,
        "topic": topic,
        "kind": _name(fields.pop("kind", "")) or kind,
        "project": _name(fields.pop("project", "")) or project,
        "content": content,
        "importance": fields.pop("importance", "medium"),
        "keywords": _names(fields.pop("keywords", ()))[:MOST_KEYWORDS],
        "source_agent": _name(fields.pop("source_agent", "")),
        "source_tier": fields.pop("source_tier", "user"),
        "hash": hash_of(topic, content),
    }
    event.update(_cleaned(fields))
    return event


def store(home: Home, text: str, now: float, **fields: Any) -> str:
    """Keep a text (see `draft` for the fields) and give its id; the same text twice is one entry, used once more."""
    return put(home, draft(text, now, **fields), now)[0]


def put(home: Home, event: dict[str, Any], now: float) -> tuple[str, bool]:
    """Write what `draft` made; (id, True if it is new)."""
    known = find(home, event["hash"])
    if known is None:
        event["hlc"] = events.stamp(now, events.host(home))
        if events.append(home, event, now):
            return event["id"], True
        known = find(home, event["hash"])  # another process stored the same a moment ago
        if known is None:
            raise PalError("this memory was being written by another process and is not there; store it again")
    if known.status == FORGOTTEN:
        _write(home, known, {"op": events.UPDATE, "status": ACTIVE}, now)
    else:
        touch(home, known, now)
    return known.id, False


def put_all(home: Home, found: Iterable[dict[str, Any]], now: float) -> tuple[list[str], int]:
    """Write many drafts; (the ids of the new ones, how many were known). For imports: memory is read once, written
    once. PalError, and nothing written, when one of them is too long."""
    known = {entry.hash for entry in fold.load(home).values() if entry.status != FORGOTTEN}
    of, before, same = events.host(home), "", 0
    new: list[dict[str, Any]] = []
    for event in found:
        if event["hash"] in known:
            same += 1
            continue
        known.add(event["hash"])
        event["hlc"] = before = events.stamp(now, of, before)
        if events.length(event) > LONGEST:
            raise PalError(f"{event['content'][:60]!r}… takes more than {LONGEST:,} bytes; nothing was stored")
        new.append(event)
    if new:
        events.append_all(home, new, now)
    return [event["id"] for event in new], same


def find(home: Home, digest: str) -> Entry | None:
    """The entry with this hash, an active one first; found by its bytes, so it never waits for an index."""
    needle = digest.encode()
    wanted: set[str] = set()
    lines = _lines_with(home, needle)
    for line in lines:
        event = events.parse(line)
        if event is not None and event.get("hash") == digest:
            wanted.add(event["id"])
    entries = [entry for entry in (_read(home, name) for name in sorted(wanted)) if entry and entry.hash == digest]
    entries.sort(key=lambda entry: (entry.status == FORGOTTEN, entry.id))
    return entries[0] if entries else None


def get(home: Home, name: str) -> Entry:
    """The entry with this id, or whose id alone begins so; PalError when there is none or more than one."""
    name = name.strip().upper()
    entry = _read(home, name) if name else None
    if entry is not None:
        return entry
    near: dict[str, Entry] = {}
    if len(name) >= _FEWEST_LETTERS:
        near = {key: value for key, value in fold.load(home).items() if key.startswith(name)}
    if len(near) > 1:
        raise PalError(f"{len(near)} memories begin with {name}; type more of the id")
    if not near:
        raise PalError(f"there is no memory {name or 'without a name'}; `pal memory list` shows their ids")
    return next(iter(near.values()))


def update(home: Home, name: str, now: float, **fields: Any) -> Entry:
    """Change fields of an entry; a new text brings a new hash. Keywords, entities and links are added, never taken."""
    entry = get(home, name)
    unknown = sorted(set(fields) - set(_CHANGEABLE))
    if unknown:
        raise PalError(f"a memory's {unknown[0]} cannot be changed; these can: {', '.join(_CHANGEABLE)}")
    _check(fields)
    if "content" in fields:
        fields["content"] = redaction.scrub(str(fields["content"])).strip()
        if not fields["content"]:
            raise PalError("a memory needs a text; `pal memory forget` takes one away")
    if "content" in fields or "topic" in fields:
        topic = _name(fields.get("topic", entry.topic))
        fields["hash"] = hash_of(topic, str(fields.get("content", entry.content)))
    _write(home, entry, {"op": events.UPDATE, **_cleaned(fields)}, now)
    return get(home, entry.id)


def forget(home: Home, name: str, now: float, reason: str = "") -> Entry:
    """Never show the entry again; the tombstone is on the disk when this returns."""
    entry = get(home, name)
    if entry.status != FORGOTTEN:
        _write(home, entry, {"op": events.FORGET, "reason": _name(reason)}, now)
    return get(home, entry.id)


def supersede(home: Home, name: str, by: str, now: float) -> Entry:
    """Let the entry `by` stand for `name` from now on."""
    entry, head = get(home, name), get(home, by)
    if entry.id == head.id or head.superseded_by == entry.id:
        raise PalError(f"{head.id} cannot supersede {entry.id}: one of them must be the newer")
    _write(home, entry, {"op": events.SUPERSEDE, "by": head.id}, now)
    if entry.id not in head.supersedes:
        _write(home, head, {"op": events.UPDATE, "supersedes": [entry.id]}, now)
    return get(home, entry.id)


def merge(home: Home, names: Iterable[str], into: str, now: float) -> None:
    """Let a head stand for the members of a cluster; forgetting the head brings them back."""
    head = get(home, into)
    for name in names:
        entry = get(home, name)
        if entry.id != head.id:
            _write(home, entry, {"op": events.MERGE, "into": head.id}, now)


def pin(home: Home, name: str, now: float, pinned: bool = True) -> Entry:
    """A pinned memory never fades and is never pruned."""
    return update(home, name, now, pinned=pinned)


def touch(home: Home, entry: Entry, now: float) -> None:
    """Count one use of the entry on this machine."""
    count = entry.access.get(events.host(home), 0) + 1
    _write(home, entry, {"op": events.TOUCH, "n": count, "at": clock.iso(now)}, now)


def _write(home: Home, entry: Entry, change: dict[str, Any], now: float) -> None:
    hlc = events.stamp(now, events.host(home), entry.hlc)
    event = {"v": events.VERSION, "op": change.pop("op"), "id": entry.id, "hlc": hlc, "ts": clock.iso(now), **change}
    events.append(home, event, now)


def _read(home: Home, name: str) -> Entry | None:
    """One entry, from the lines that name it; what it was merged into is looked up too."""
    entry = _folded(home, name)
    if entry is not None and entry.merged_into:
        head = _folded(home, entry.merged_into)
        fold.settle({found.id: found for found in (entry, head) if found})
    return entry


def _folded(home: Home, name: str) -> Entry | None:
    found = [events.parse(line) for line in _lines_with(home, name.encode())]
    about = [event for event in found if event is not None and event["id"] == name]
    return fold.one(about) if about else None


def _lines_with(home: Home, needle: bytes) -> list[bytes]:
    from pal.base import files

    found = []
    for name in events.paths(home):
        try:
            data = files.read_bytes(name) or b""
        except OSError:
            continue
        at = data.find(needle)
        while at >= 0:
            begin, end = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
            end = len(data) if end < 0 else end
            found.append(data[begin:end])
            at = data.find(needle, end)
    return found


def _check(fields: dict[str, Any]) -> None:
    for name, allowed in (("importance", tuple(IMPORTANCE)), ("source_tier", TIERS), ("status", STATUSES)):
        value = fields.get(name)
        if value is not None and value not in allowed:
            raise PalError(f"{name} must be one of {', '.join(allowed)}, not {value!r}")


def _cleaned(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields as an event holds them; empty ones are left out, except a flag and a number."""
    kept: dict[str, Any] = {}
    for name, value in fields.items():
        if name in ("keywords", "entities", "related", "evidence", "supersedes"):
            value = _names(value)
        elif name == "raw_excerpt":
            value = redaction.scrub(str(value or ""))[:_EXCERPT]
        elif name in ("slot", "source"):
            value = {str(key): _name(item) for key, item in dict(value or {}).items() if item}
        elif name in ("topic", "kind", "project", "valid_from", "valid_to", "source_agent"):
            value = _name(value)
        if value not in (None, "", [], {}):
            kept[name] = value
    return kept


def _name(value: object) -> str:
    return " ".join(redaction.scrub(str(value or ""))[:_LONGEST_FIELD].split())


def _names(values: Sequence[object] | str) -> list[str]:
    parts = values.split(",") if isinstance(values, str) else values
    return list(dict.fromkeys(name for name in map(_name, parts) if name))


def _moment(stamp: str, now: float) -> float:
    try:
        return clock.parse(stamp)
    except ValueError:
        return now


def room(event: dict[str, Any]) -> int:
    """How many bytes are left in the line of a draft; negative when it is too long to be kept."""
    return LONGEST - events.length(event) - 32  # the hlc that is still to come
