"""What a long-term memory is: its fields, their limits, its hash, and how much it still weighs at a moment.

An entry is made of events (`fold`); nothing here reads or writes a file."""

from __future__ import annotations

from pal.base import clock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LONGEST = 8 * 1024  # bytes of an event's whole line
IMPORTANCE = {"critical": 1.0, "high": 0.8, "medium": 0.5, "low": 0.3}
TIERS = ("trusted", "user", "derived", "external")
ACTIVE, PENDING, SUPERSEDED, FORGOTTEN, DISPUTED = "active", "pending", "superseded", "forgotten", "disputed"
STATUSES = (ACTIVE, PENDING, SUPERSEDED, FORGOTTEN, DISPUTED)
MOST_KEYWORDS = 8
FADED = 0.1  # the weight below which a memory is not put before an agent any more
_HALF_LIFE = {"high": 360.0, "medium": 120.0, "low": 30.0}  # days since the last use; critical never fades
_MOST_USES = 5
_DAY = 86_400.0
# Kinds that a topic may begin with, in the singular; `decisions-shop` is a decision in the project `shop`.
KINDS = frozenset(
    ("context", "convention", "decision", "error", "fact", "feedback", "learning", "lesson", "note", "preference",
     "project", "reference", "rule", "user")
)  # fmt: skip


class Entry:
    """The state of one memory. Times are ISO 8601 in UTC; `access` counts uses, a number for each machine."""

    __slots__ = (
        "access", "confidence", "content", "entities", "evidence", "hash", "hlc", "id", "importance", "keywords",
        "kind", "last_access", "merged_into", "pinned", "project", "raw_excerpt", "related", "slot", "source",
        "source_agent", "source_tier", "status", "superseded_by", "supersedes", "topic", "ts", "updated", "valid_from",
        "valid_to",
    )  # fmt: skip

    def __init__(self, name: str) -> None:
        self.id = name
        self.hlc = ""  # of the newest event that changed it
        self.ts = ""
        self.updated = ""
        self.topic = ""
        self.kind = ""
        self.project = ""
        self.content = ""
        self.raw_excerpt = ""
        self.importance = "medium"
        self.slot: dict[str, str] = {}  # entity, key, value of a fact that has one value at a time
        self.source_agent = ""
        self.source_tier = "user"
        self.source: dict[str, str] = {}  # session, turn, hook, host
        self.confidence = 1.0
        self.status = ACTIVE
        self.superseded_by = ""
        self.merged_into = ""
        self.pinned = False
        self.valid_from = ""
        self.valid_to = ""
        self.last_access = ""
        self.hash = ""
        self.keywords: list[str] = []
        self.entities: list[str] = []
        self.related: list[str] = []
        self.evidence: list[str] = []
        self.supersedes: list[str] = []
        self.access: dict[str, int] = {}

    @property
    def uses(self) -> int:
        """How often it was used, on all machines."""
        return sum(self.access.values())

    def shown(self) -> dict[str, Any]:
        """The fields that hold something, for `--json` and exports."""
        value = {name: getattr(self, name) for name in self.__slots__ if name not in ("access", "hlc")}
        value["uses"] = self.uses
        return {name: value[name] for name in sorted(value, key=_ORDER.index) if value[name] not in ("", [], {})}


_ORDER = (
    "id", "content", "topic", "kind", "project", "importance", "status", "pinned", "keywords", "entities", "slot",
    "ts", "updated", "source_agent", "source_tier", "source", "confidence", "evidence", "related", "supersedes",
    "superseded_by", "merged_into", "valid_from", "valid_to", "uses", "last_access", "raw_excerpt", "hash",
)  # fmt: skip


def weight(entry: Entry, now: float) -> float:
    """Importance times decay since the last use; computed when it is asked for, so no job ever rewrites it."""
    if entry.pinned:
        return IMPORTANCE.get(entry.importance, IMPORTANCE["medium"])
    used = max(_moment(moment) for moment in (entry.ts, entry.updated, entry.last_access))
    return weighed(entry.importance, used, entry.uses, now)


def weighed(importance: str, used: float, uses: int, now: float) -> float:
    """The same from the parts: the moment of the last use (0 when it is not known) and how many there were."""
    strength = IMPORTANCE.get(importance, IMPORTANCE["medium"])
    half = _HALF_LIFE.get(importance)
    if half is None or not used:
        return strength
    half *= 1 + 0.1 * min(uses, _MOST_USES)
    return float(strength * 2 ** (-max(0.0, now - used) / _DAY / half))


def _moment(stamp: str) -> float:
    try:
        return clock.parse(stamp)
    except ValueError:
        return 0.0


def hidden(entry: Entry, now: float) -> bool:
    """True for what is never put before an agent: not active, out of its time, or faded."""
    if entry.status not in (ACTIVE, DISPUTED):
        return True
    if (entry.valid_to and clock.age(entry.valid_to, now) > 0) or (
        entry.valid_from and clock.age(entry.valid_from, now) < 0
    ):
        return True
    return weight(entry, now) < FADED


def hash_of(topic: str, content: str) -> str:
    """Thirty-two hexadecimal digits; the same for texts that differ in letter case and white space only."""
    from hashlib import sha256
    from unicodedata import normalize

    plain = " ".join(normalize("NFC", content).casefold().split())
    return sha256((" ".join(topic.casefold().split()) + "\0" + plain).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def split_topic(topic: str) -> tuple[str, str]:
    """(kind, project) of a topic such as `decisions-shop`; both empty where it is just a word."""
    first, dash, rest = topic.strip().partition("-")
    kind = first.lower().rstrip("s")
    if kind not in KINDS:
        return "", ""
    return kind, rest.strip() if dash and rest not in ("resolved",) else ""
