"""The columns of the board, every word people use for one, and which coder a plan goes to by its complexity."""

from __future__ import annotations

from pal.switchboard.errors import refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from sqlite3 import Connection

CREATED, PLANNED, LEAD, CODER, INTERN, REVIEWED, DONE = (
    "CREATED", "PLAN REVIEWED", "LEAD CODED", "CODER CODED", "INTERN CODED", "CODE REVIEWED", "COMPLETED",
)  # fmt: skip


class Column:
    """One lane: the id that files and tools use, the label people see, who works there, and what kind of work it is."""

    __slots__ = ("id", "kind", "label", "role", "sort")

    def __init__(self, id: str, label: str, sort: int, role: str, kind: str) -> None:
        self.id = id
        self.label = label
        self.sort = sort
        self.role = role
        self.kind = kind


BUILT_IN = (
    Column(CREATED, "Created", 0, "", "created"),
    Column(PLANNED, "Planned", 100, "planner", "review"),
    Column(LEAD, "Lead Coder", 190, "lead", "coded"),
    Column(CODER, "Coder", 200, "coder", "coded"),
    Column(INTERN, "Intern", 210, "intern", "coded"),  # shown only while somebody holds the role
    Column(REVIEWED, "Reviewed", 300, "reviewer", "reviewed"),
    Column(DONE, "Done", 9999, "", "completed"),
)
GENERIC = ("coded", "team", "next")  # a way to go on, not a column
_WORDS = {
    "created": CREATED, "new": CREATED, "plan created": CREATED,
    "planned": PLANNED, "planner": PLANNED, "planning": PLANNED, "plan reviewed": PLANNED,
    "lead": LEAD, "lead coder": LEAD, "lead coded": LEAD,
    "coder": CODER, "coder coded": CODER, "intern": INTERN, "intern coded": INTERN,
    "reviewed": REVIEWED, "reviewer": REVIEWED, "review": REVIEWED, "code reviewed": REVIEWED,
    "done": DONE, "completed": DONE, "complete": DONE,
}  # fmt: skip
_BEFORE = ("to ", "the ")
_AFTER = (" column", " lane", " stage", " queue", " agent", " role", " terminal")
_RESERVED = frozenset((*_WORDS, *GENERIC, "user", "session", "sidebar", "board"))
CUSTOM = "custom_agent_"
_LOW, _MIDDLE, _HIGH = 4, 6, 10  # the highest scores of the three bands


def defined(db: Connection) -> list[Column]:
    """The board's columns in order: the built-in ones, and those of custom agents that are on the board."""
    made = [each for each in BUILT_IN if each.id != INTERN or _held(db, "intern")]
    rows = db.execute("select role, name, sort from roles where kind = 'custom' and in_board = 1 and visible = 1")
    made += [Column(role, name, sort, role, "custom") for role, name, sort in rows]
    return sorted(made, key=lambda column: (column.sort, column.label))


def _held(db: Connection, role: str) -> bool:
    return bool(db.execute("select 1 from agents where role = ? limit 1", (role,)).fetchone())


def normal(words: str) -> str:
    """Lower case, `_` and `-` as blanks, single blanks."""
    return " ".join(words.lower().replace("_", " ").replace("-", " ").split())


def cleaned(words: str) -> str:
    """What is left of `to the Reviewed column`."""
    found = normal(words)
    while found.startswith(_BEFORE):
        found = found.split(" ", 1)[1]
    for ending in _AFTER:
        if found.endswith(ending):
            return found[: -len(ending)]
    return found


def named(columns: Iterable[Column], words: str) -> Column | None:
    """The column these words mean; None for none. Ids, labels and aliases come before custom agents' names."""
    every = list(columns)
    by_id = {column.id: column for column in every}
    for form in dict.fromkeys((normal(words), cleaned(words))):
        found = by_id.get(_WORDS.get(form, "")) or next((each for each in every if normal(each.id) == form), None)
        found = found or next((each for each in every if form in (normal(each.label), cleaned(each.label))), None)
        if found:
            return found
    return None


def several(columns: Iterable[Column], words: str) -> list[Column]:
    """What to read for these words: one column, or every lane of that kind for `coded`."""
    every = list(columns)
    if cleaned(words) == "coded":
        return [column for column in every if column.kind == "coded"]
    found = named(every, words)
    return [found] if found else []


def unknown(columns: Iterable[Column], words: str) -> Exception:
    """E_TARGET with everything that would have been valid."""
    valid = [f"{column.id} ({column.label})" for column in columns]
    return refused(
        "E_TARGET", f"there is no column or agent {words!r}", f"valid are {', '.join([*valid, *GENERIC])}",
        valid=[*valid, *GENERIC],
    )  # fmt: skip


def taken(words: str) -> bool:
    """Whether a custom agent of this name would stand in for something that is there already."""
    return normal(words) in _RESERVED or cleaned(words) in _RESERVED


def route(score: int, usable: Callable[[str], bool], legacy: bool = False) -> tuple[str, str, str]:
    """(role, what decided, a note) for a plan to be coded: 1 to 4 intern, to 6 coder, above and unknown lead.

    Where a role cannot be used, the next one up takes the plan; the lead takes what comes. `legacy` knows two ways
    only, low to the coder and all else to the lead."""
    told = f"complexity({score or 'unknown'})"
    if not 0 < score <= (_LOW if legacy else _MIDDLE):
        return "lead", told, ""
    if score <= _LOW and not legacy and usable("intern"):
        return "intern", told, ""
    if usable("coder"):
        return "coder", told, ""
    return "lead", "fallback", "the coder is hidden"


def band(score: int) -> str:
    """The word for a score: low, medium, high, or unknown."""
    if not score:
        return "unknown"
    return "low" if score <= _LOW else "medium" if score <= _MIDDLE else "high"


def following(columns: list[Column], current: Column) -> Column:
    """The column after this one; lanes of one kind are side by side, so the others of that kind are passed over."""
    for column in columns:
        if column.sort > current.sort and column.kind != current.kind:
            return column
    return columns[-1]
