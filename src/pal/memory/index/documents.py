"""One thing that can be found: a long-term memory, a section of a Markdown file, a row of a state file.

Sources make documents, the index keeps them, search ranks them. `of_row` and `Document.row` agree on the columns."""

from __future__ import annotations

from pal.base import clock
from pal.memory import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

# Where a document comes from, as `--kind` takes it; an entry's own kind is asked for by its name.
MEMORY, LEARNING, FAILURE, WISDOM = "memory", "learning", "failure", "wisdom"
RELATIONSHIP, KNOWLEDGE, OPINION, HANDOFF, TRANSCRIPT = "relationship", "knowledge", "opinion", "handoff", "transcript"
SOURCES = (MEMORY, LEARNING, FAILURE, WISDOM, RELATIONSHIP, KNOWLEDGE, OPINION, HANDOFF, TRANSCRIPT)
STREAMS = ("text", "key", "near", "far", "date")  # what is searched, as stems
_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
           "december")  # fmt: skip
_ASIDE = 6000  # characters of a section that are read
FIELDS = (
    "ref", "seq", "source", "kind", "project", "session", "ts", "title", "said", "names", "importance", "uses", "used",
    "status", "head", "tier", "rating", "valid_from", "valid_to", "pinned",
)  # fmt: skip


class Document:
    """`ref` is an entry's id or a file below the home, `seq` its place in the file; `said` is what people read.

    `names` are what it is called (keywords, aliases): a prompt that holds a whole one is about it. `head` is the ref
    that stands for a superseded one. `ts` and `used` are seconds; 0 for what does not age. `streams` are stems."""

    __slots__ = (*FIELDS, "id", "streams")

    def __init__(self, ref: str, source: str, said: str) -> None:
        self.id = 0
        self.ref = ref
        self.seq = 0
        self.source = source
        self.kind = ""
        self.project = ""
        self.session = ""
        self.ts = 0.0
        self.title = ""
        self.said = said
        self.names = ""
        self.importance = ""
        self.uses = 0
        self.used = 0.0
        self.status = ""
        self.head = ""
        self.tier = ""
        self.rating: int | None = None
        self.valid_from = 0.0
        self.valid_to = 0.0
        self.pinned = 0
        self.streams: tuple[str, str, str, str, str] = ("", "", "", "", "")

    def row(self) -> tuple[Any, ...]:
        """The values of FIELDS and STREAMS; half of a character, which JSON can hold and SQLite cannot, becomes `?`."""
        values = [getattr(self, name) for name in FIELDS]
        return (*[_whole(value) if isinstance(value, str) else value for value in values], *self.streams)


def _whole(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def name_of(one: Document) -> str:
    """What a hit is called: an entry's id, else the file below the home, with `#n` for a section after the first."""
    return one.ref if not one.seq else f"{one.ref}#{one.seq}"


def of_row(row: Sequence[Any]) -> Document:
    """The document of a row that begins with its id."""
    made = Document("", "", "")
    made.id = row[0]
    for name, value in zip(FIELDS, row[1:]):
        setattr(made, name, value)
    made.streams = (row[-5], row[-4], row[-3], row[-2], row[-1])
    return made


def finish(found: list[Document], keys: Sequence[str], contextual: bool) -> None:
    """Cut the streams of the documents of one file; with `contextual`, neighbours are each other's context."""
    texts = [" ".join(terms.stems(one.said[:_ASIDE])) for one in found]
    last = len(found) - 1
    for at, one in enumerate(found):
        near = far = ""
        if contextual:
            near = " ".join([texts[to] for to in (at - 1, at + 1) if 0 <= to <= last])
            far = " ".join([texts[to] for to in (at - 2, at + 2) if 0 <= to <= last])
        key = dict.fromkeys([*terms.stems(keys[at]), *one.names.split()])
        one.streams = (texts[at], " ".join(key), near, far, date_words(one.ts))


def date_words(ts: float) -> str:
    """`2026 03 02 march 2` of a moment; what people say of a day."""
    if not ts:
        return ""
    iso = clock.iso(ts)
    return f"{iso[:4]} {iso[5:7]} {iso[8:10]} {terms.stem_of(_MONTHS[int(iso[5:7]) - 1])} {int(iso[8:10])}"


def name_stems(names: Sequence[str]) -> str:
    """Names as the index keeps them: the stems of each, in order, one name a line. A name such as `TypeScript` is one
    word here: its parts are others' names."""
    kept = dict.fromkeys(" ".join(dict.fromkeys(terms.stems(name.lower()))) for name in names)
    return "\n".join(name for name in kept if name)
