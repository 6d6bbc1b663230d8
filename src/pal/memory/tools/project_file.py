"""The page of a project that is tracked by criteria (`projects/<slug>/ISA.md`): read and changed as text.

The header holds status, next steps and blockers, the sections what is wanted and why. A criterion is one line,
`- [ ] ISC-3: text`, with `x` when it is met and `~` when it was given up; its number is never used again."""

from __future__ import annotations

from pal.base import frontmatter, jsontext
from pal.base.errors import PalError
from pal.memory.tools import sections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Row = dict[str, Any]

ACTIVE, PAUSED, COMPLETE, ARCHIVED = "active", "paused", "complete", "archived"
OPEN, DONE, RETIRED = "open", "done", "retired"
SECTIONS = {
    "problem": "Problem",
    "goal": "Goal",
    "criteria": "Criteria",
    "vision": "Vision",
    "constraints": "Constraints",
    "out_of_scope": "Out of Scope",
    "context": "Context",
    "decisions": "Decisions",
    "changelog": "Changelog",
}
_CRITERIA, _CHANGELOG = SECTIONS["criteria"], SECTIONS["changelog"]
_MARKS = {" ": OPEN, "x": DONE, "X": DONE, "~": RETIRED}
_PREFIX = "ISC-"


class Criterion:
    """What must be true at the end, so that anybody can say whether it is."""

    __slots__ = ("line", "number", "status", "text")

    def __init__(self, number: int, status: str, text: str, line: int) -> None:
        self.number = number
        self.status = status
        self.text = text
        self.line = line

    def facts(self) -> Row:
        return {"id": f"{_PREFIX}{self.number}", "status": self.status, "text": self.text}


def new(name: str, fields: Row, goals: list[str]) -> str:
    """A project's first page; the goals become its first criteria."""
    criteria = [_line(number, " ", goal) for number, goal in enumerate(goals, 1)]
    body = [f"# {name}", ""]
    for title in SECTIONS.values():
        body += ["## " + title, "", *([*criteria, ""] if title == _CRITERIA else [])]
    return frontmatter.render(fields, "\n".join(body))


def fields(page: str) -> Row:
    """The header."""
    return frontmatter.parse(page)[0]


def listed(page: str, key: str) -> list[str]:
    """A list of the header: `next` or `blockers`."""
    value = fields(page).get(key)
    return [str(item) for item in value] if isinstance(value, list) else []


def section(page: str, key: str) -> str:
    """The text of a section, by its key in SECTIONS."""
    return "\n".join(sections.body(page.split("\n"), SECTIONS[key]))


def criteria(page: str) -> list[Criterion]:
    """The criteria still listed as such, in their order."""
    return _all(page.split("\n"), _CRITERIA)


def settled(page: str) -> list[Criterion]:
    """The criteria that moved to the changelog."""
    return _all(page.split("\n"), _CHANGELOG)


def set_field(page: str, key: str, value: Any) -> str:
    """The page with one field of its header set; every other line stays, a person's remarks too."""
    lines = page.split("\n")
    end = next((at for at in range(1, len(lines)) if lines[at].rstrip() == "---"), 0) if lines[0] == "---" else 0
    if not end:
        return frontmatter.render({key: value}, page)
    said = f"{key}: {jsontext.dumps(value)}"
    at = next((at for at in range(1, end) if lines[at].partition(":")[0] == key), end)
    after = at + (at < end)
    while after < end and lines[after].startswith((" ", "\t", "- ")):
        after += 1  # what belongs to the old value
    return "\n".join([*lines[:at], said, *lines[after:]])


def set_section(page: str, key: str, said: str) -> str:
    """The page with the text of one section replaced. Headings in it go down, or they would end the section."""
    if key == "criteria":
        raise PalError("Criteria are kept one by one: use add-isc, complete-isc, reopen-isc and retire-isc.")
    block = ["#" + line if line.startswith("## ") else "##" + line if line.startswith("# ") else line
             for line in said.strip().split("\n")]  # fmt: skip
    return "\n".join(sections.replace(page.split("\n"), SECTIONS[key], block if said.strip() else []))


def add_to_section(page: str, key: str, line: str) -> str:
    return "\n".join(sections.append(page.split("\n"), SECTIONS[key], [line]))


def add_criterion(page: str, said: str) -> tuple[str, Criterion]:
    """The page with one more criterion, and the criterion; the one that says just this already, if there is one."""
    known = criteria(page)
    for criterion in known:
        if criterion.text.casefold() == said.casefold() and criterion.status != RETIRED:
            return page, criterion
    number = max((criterion.number for criterion in (*known, *settled(page))), default=0) + 1
    lines = sections.append(page.split("\n"), _CRITERIA, [_line(number, " ", said)])
    return "\n".join(lines), Criterion(number, OPEN, said, -1)


def mark(page: str, wanted: str, status: str, day: str) -> tuple[str, Criterion]:
    """The page with a criterion open, done or retired, and the criterion. What is retired moves to the changelog."""
    lines = page.split("\n")
    found = one(page, wanted)
    sign = next(sign for sign, name in _MARKS.items() if name == status)
    if any(found.line == criterion.line for criterion in criteria(page)):
        lines[found.line] = _line(found.number, sign, found.text)
        if status == RETIRED:
            del lines[found.line]
            lines = _settle(lines, [_line(found.number, sign, found.text)], f"Retired {day}")
    elif status != found.status:
        del lines[found.line]
        lines = sections.append(lines, _CRITERIA, [_line(found.number, sign, found.text)])
    return "\n".join(lines), Criterion(found.number, status, found.text, -1)


def archive_done(page: str, day: str) -> str:
    """The page with all met criteria moved to the changelog."""
    done = [criterion for criterion in criteria(page) if criterion.status == DONE]
    lines = page.split("\n")
    for criterion in reversed(done):
        del lines[criterion.line]
    moved = [_line(criterion.number, "x", criterion.text) for criterion in done]
    return "\n".join(_settle(lines, moved, f"Archived {day}")) if done else page


def one(page: str, wanted: str) -> Criterion:
    """The criterion with this number (`3` or `ISC-3`), wherever it stands."""
    number = wanted.strip().upper().removeprefix(_PREFIX)
    for criterion in (*criteria(page), *settled(page)):
        if number == str(criterion.number):
            return criterion
    raise PalError(f"There is no criterion {wanted!r}; `pal project list-isc` shows their numbers.")


def _settle(lines: list[str], moved: list[str], heading: str) -> list[str]:
    known = "### " + heading
    below = sections.body(lines, _CHANGELOG)
    last = next((line for line in reversed(below) if line.startswith("### ")), "")
    block = moved if last == known else [known, "", *moved]
    return sections.append(lines, _CHANGELOG, block, apart=last != known)


def _all(lines: list[str], title: str) -> list[Criterion]:
    begin, end = sections.bounds(lines, title)
    found = []
    for at in range(begin + 1, end):
        criterion = _parsed(lines[at], at)
        if criterion is not None:
            found.append(criterion)
    return found


def _parsed(line: str, at: int) -> Criterion | None:
    head, _, said = line.strip().partition(": ")
    mark, _, name = head.partition("] ")
    sign = mark.removeprefix("- [").removeprefix("* [")
    number = name.strip().removeprefix(_PREFIX)
    if sign not in _MARKS or len(mark) != 4 or not name.startswith(_PREFIX) or not number.isdecimal():
        return None
    return Criterion(int(number), _MARKS[sign], said.strip(), at)


def _line(number: int, sign: str, said: str) -> str:
    return f"- [{sign}] {_PREFIX}{number}: {said}"
