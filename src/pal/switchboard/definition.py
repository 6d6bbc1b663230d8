"""One workflow as its Markdown file defines it: a header with steps, evidence and write rules, and the words to follow.

Step lists, evidence and write rules come only from files that PAL ships or the user keeps; see `registry`."""

from __future__ import annotations

from pal.base import frontmatter
from pal.base.errors import PalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What a step can be made to prove; `evidence` checks each. `none` asks for nothing.
EVIDENCE = (
    "none", "notes", "target", "reads", "checked", "findings", "marker", "reviews", "plan", "recommendation", "file",
    "archived",
)  # fmt: skip
# What a run may write: everything in the project, its plan, the reviews, any plan, the system's temporary folder.
WRITES = ("project", "target", "reviews", "plans", "temp")
DENIED = ("terminal", "send_message")
TURBO, TURBO_ALL = "// turbo", "// turbo-all"
NAME = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")


class Step:
    """One gate: its number, its word, what must be shown, and whether the next step's report may close it too."""

    __slots__ = ("evidence", "name", "number", "turbo")

    def __init__(self, number: int, name: str, evidence: tuple[str, ...], turbo: bool = False) -> None:
        self.number = number
        self.name = name
        self.evidence = evidence
        self.turbo = turbo


class Workflow:
    """One definition. `source` says whose it is: PAL's own (`shipped`) or the user's file at `path`."""

    __slots__ = (
        "aliases", "answers", "body", "denied", "flags", "force", "free", "moves", "name", "path", "persona", "source",
        "steps", "sha", "summary", "target", "turbo_all", "writes",
    )  # fmt: skip

    def __init__(self, name: str, fields: dict[str, Any], body: str, source: str, path: str) -> None:
        self.name = name
        self.source = source
        self.path = path
        self.body = body
        self.summary = str(fields.get("summary") or "")
        self.persona = str(fields.get("persona") or "")
        self.aliases = tuple(_texts(fields.get("aliases")))
        self.flags = tuple(_texts(fields.get("flags")))
        self.writes = tuple(_texts(fields.get("writes")))
        self.denied = tuple(_texts(fields.get("denied")))
        self.target = bool(fields.get("target"))
        self.moves = str(fields.get("moves") or "")
        self.free = fields.get("free") is True  # no gates: it ends when it is stopped or another one starts
        self.answers = fields.get("ends") == "answer"  # the next prompt finds it over
        self.force = fields.get("starts") == "force"  # takes the place of whatever runs
        lines = [line.strip() for line in body.split("\n")]
        self.turbo_all = TURBO_ALL in lines
        self.steps = _steps(_texts(fields.get("steps")), lines)
        self.sha = ""

    def rules(self) -> dict[str, Any]:
        """What a run keeps of its definition, so that a file that changes or goes changes no run."""
        return {
            "steps": [[step.name, list(step.evidence), step.turbo] for step in self.steps],
            "writes": list(self.writes), "denied": list(self.denied), "free": self.free, "moves": self.moves,
            "turbo_all": self.turbo_all, "target": self.target, "answers": self.answers,
        }  # fmt: skip


def steps_of(rules: dict[str, Any]) -> list[Step]:
    """The steps that `rules` kept."""
    return [Step(at + 1, str(row[0]), tuple(row[1]), bool(row[2])) for at, row in enumerate(rules.get("steps", []))]


def parse(name: str, text: str, source: str = "shipped", path: str = "") -> Workflow:
    """The definition in this text. PalError for one that leaves anything open: a gate nobody understands is none."""
    fields, body = frontmatter.parse(text)
    found = Workflow(name, fields, body, source, path)
    wrong = _wrong(found, fields)
    if wrong:
        raise PalError(f"the workflow {name} in {path or 'PAL'} {wrong}")
    import hashlib

    found.sha = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
    return found


def _wrong(found: Workflow, fields: dict[str, Any]) -> str:
    if not found.name or not NAME.issuperset(found.name):
        return "has a name with other signs than small letters, digits and hyphens"
    if fields.get("name") != found.name:
        return f"calls itself {fields.get('name')!r}: name the file after it"
    if not found.persona:
        return "names no persona"
    if not found.steps:
        return "has no steps"
    for step in found.steps:
        unknown = [kind for kind in step.evidence if kind not in EVIDENCE]
        if unknown or not step.name:
            return f"asks for {', '.join(unknown) or 'a step without a name'}; evidence is one of {', '.join(EVIDENCE)}"
    for names, known, what in ((found.writes, WRITES, "writes"), (found.denied, DENIED, "denied")):
        unknown = [each for each in names if each not in known]
        if unknown:
            return f"says {what}: {', '.join(unknown)}; known are {', '.join(known)}"
    headings = sum(1 for line in found.body.split("\n") if _numbered(line))
    return "" if headings == len(found.steps) else f"lists {len(found.steps)} steps and describes {headings}"


def _numbered(line: str) -> int:
    """The number of a heading such as `## 3. Review`; 0 for every other line."""
    digits = line[3:].partition(".")[0] if line.startswith("## ") else ""
    return int(digits) if digits.isascii() and digits.isdigit() else 0


def _steps(rows: list[str], lines: list[str]) -> tuple[Step, ...]:
    merged = _turbo(lines)
    made = []
    for at, row in enumerate(rows, 1):
        name, _, kinds = row.partition(":")
        evidence = tuple(kind.strip() for kind in (kinds.strip() or "none").split("+"))
        made.append(Step(at, name.strip(), evidence, at in merged))
    return tuple(made)


def _turbo(lines: list[str]) -> set[int]:
    """The steps whose heading follows a turbo mark."""
    found = set()
    marked = False
    for line in lines:
        if line == TURBO:
            marked = True
        elif _numbered(line):
            if marked:
                found.add(_numbered(line))
            marked = False
    return found


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value] if value else []
    return [str(each) for each in value] if isinstance(value, list) else []
