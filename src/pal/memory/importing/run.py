"""Takes items of a reader into the memory, each once; with `dry` it only counts what it would do.

The store knows a memory by the digest of its text, a page and a conversation by what they hold: importing twice, or
after the source has grown, adds only what is new."""

from __future__ import annotations

import os

from pal.base import clock, files, frontmatter, locks, redaction, text
from pal.base.errors import PalError
from pal.memory.importing.items import LONGEST, Conversation, Memory, Note, parts
from pal.memory.knowledge import intake, pages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, Union

    from pal.base.home import Home

    Progress = Callable[[int], None]
    Item = Union[Memory, Note, Conversation]

_TURN = 8000  # bytes of one turn
_SMALLEST = 500  # bytes
_AT_ONCE = 500  # memories that are stored together


class Counts:
    """What came of an import: kinds of items by what happened to them."""

    __slots__ = ("empty", "known", "new", "read")

    def __init__(self) -> None:
        self.read = 0
        self.new: dict[str, int] = {}
        self.known = 0
        self.empty = 0

    def count(self, kind: str, new: int, known: int) -> None:
        self.known += known
        if new:
            self.new[kind] = self.new.get(kind, 0) + new

    def shown(self) -> dict[str, Any]:
        return {"read": self.read, "new": sum(self.new.values()), **self.new, "known": self.known, "empty": self.empty}


def take(
    home: Home, items: Iterable[Item], source: str, now: float, dry: bool = False, progress: Progress | None = None
) -> Counts:
    """Take in every item; `progress` hears how many have been read."""
    from pal.memory.icm import fold

    counts = Counts()
    seen = {entry.hash for entry in fold.load(home).values()} if dry else set()
    drafts: list[dict[str, Any]] = []
    for item in items:
        counts.read += 1
        if progress is not None:
            progress(counts.read)
        if isinstance(item, Memory):
            made = _drafts(item, source, now)
            counts.empty += not made
            drafts += made
            if len(drafts) >= _AT_ONCE:
                _store(home, drafts, counts, now, dry, seen)
                drafts = []
        elif isinstance(item, Note):
            _count(counts, "pages", _page(home, item, source, now, dry))
        else:
            _count(counts, "conversations", _conversation(home, item, source, now, dry))
    _store(home, drafts, counts, now, dry, seen)
    return counts


def _count(counts: Counts, kind: str, new: bool | None) -> None:
    if new is None:
        counts.empty += 1
    else:
        counts.count(kind, int(new), int(not new))


def _drafts(item: Memory, source: str, now: float) -> list[dict[str, Any]]:
    fields = {"source_tier": "derived", "source_agent": source, **item.fields, "evidence": [f"import:{source}"]}
    return list(_fitting(redaction.scrub(item.text), LONGEST, fields, now))


def _fitting(said: str, limit: int, fields: dict[str, Any], now: float) -> Iterator[dict[str, Any]]:
    """A draft for each part of the text; smaller parts where quotes and line ends make a line too long."""
    from pal.memory.icm import store

    for piece in parts(said, limit):
        draft = store.draft(piece, now, **fields)
        if store.room(draft) < 0 and limit > _SMALLEST:
            yield from _fitting(piece, limit // 2, fields, now)
        else:
            yield draft


def _store(home: Home, drafts: list[dict[str, Any]], counts: Counts, now: float, dry: bool, seen: set[str]) -> None:
    if not drafts:
        return
    if dry:
        fresh = [draft["hash"] for draft in drafts if draft["hash"] not in seen]
        new = len(set(fresh))
        seen.update(fresh)
        counts.count("memories", new, len(drafts) - new)
        return
    from pal.memory.icm import store

    ids, known = store.put_all(home, drafts, now)
    counts.count("memories", len(ids), known)


def _page(home: Home, item: Note, source: str, now: float, dry: bool) -> bool | None:
    title = redaction.scrub(item.title).strip()
    if not title:
        return None
    body = redaction.scrub(item.body).strip()
    try:
        page = pages.find(home, title)
    except PalError:
        page = None
    if dry:
        return page is None or not _holds(page.body, body)
    if page is None:
        related = [(name, _relation(kind)) for name, kind in item.related]
        pages.add(home, item.domain, title, now, body, item.tags, related, created=item.created)
        return True
    return not _holds(page.body, body) and intake.note(home, page, body, source, now)


def _holds(body: str, said: str) -> bool:
    return " ".join(said.split()) in " ".join(body.split())


def _relation(kind: str) -> str:
    try:
        return pages.relation_of(kind)
    except PalError:
        return "related"


def _conversation(home: Home, item: Conversation, source: str, now: float, dry: bool) -> bool | None:
    turns = []
    for who, said in item.turns:
        piece = _turn(redaction.scrub(said))
        if piece:
            turns.append(f"## {' '.join(redaction.scrub(who).split())}\n\n{piece}")
    if not turns:
        return None
    day = item.day or clock.iso(now)[:10]
    title = " ".join(redaction.scrub(item.title).split())
    fields: dict[str, Any] = {"title": title, "type": "transcript", "date": day, "ts": f"{day}T12:00:00Z"}
    fields.update({name: value for name, value in (("session", item.session), ("project", item.project)) if value})
    fields["source"] = source
    data = frontmatter.render(fields, "\n\n".join(turns)).encode("utf-8", "replace")
    folder = os.path.join(home.session_learning, clock.month(day))
    place = _place(folder, f"{day}_{text.slug(title, 8)}", data)
    if place is None:
        return False
    if not dry:
        files.make_folder(folder)
        with locks.Lock(place) as held:
            if not held:
                raise PalError(f"another process keeps {place} locked; import again")
            files.write(place, data, durable=True)
    return True


def _turn(said: str) -> str:
    """The text of one turn as it may stand below its heading: nothing in it begins a turn of its own or hides one."""
    lines, fence = [], ""
    for line in said.encode("utf-8", "replace")[:_TURN].decode("utf-8", "ignore").strip().split("\n"):
        bare = line.lstrip()[:3]
        if bare in ("```", "~~~"):
            fence = "" if fence == bare else fence or bare
        lines.append("\\" + line if line.startswith("#") and not fence else line)
    return "\n".join([*lines, fence] if fence else lines)


def _place(folder: str, name: str, data: bytes) -> str | None:
    """A free path for these bytes; None when a file of this name holds them already. A conversation that went on
    takes the place of its beginning."""
    number = 1
    while True:
        place = os.path.join(folder, f"{name}{'' if number == 1 else f'-{number}'}.md")
        there = files.read_bytes(place)
        if there is None or data.startswith(there.rstrip()):
            return None if there == data else place
        if there == data:
            return None
        number += 1
