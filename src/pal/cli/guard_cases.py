"""Labelled cases put to the guard: rows of a tool call and what must come of it, counted and listed.

Each case names its own folder; the user's home is told from it, so that a file says the same on every machine."""

from __future__ import annotations

from typing import Any

from pal.base import bare, files, jsontext
from pal.base.errors import PalError
from pal.base.home import FOLDER
from pal.base.settings import Settings
from pal.guard import decide, tools
from pal.guard import settings as guard_settings
from pal.guard.model import ALLOW, ASK, DENY

POLICY = "policy"  # the category of cases about which reasonable people differ: counted, never wrong
_KEYS = {tools.READ: "file_path", tools.WRITE: "file_path", tools.EDIT: "file_path", tools.SKILL: "skill"}


class Result:
    """How many cases came out in which way, and those that came out wrong."""

    __slots__ = ("counts", "misses", "policy")

    def __init__(self) -> None:
        self.counts = {(expect, said): 0 for expect in (ALLOW, ASK, DENY) for said in (ALLOW, ASK, DENY)}
        self.misses: list[dict[str, str]] = []
        self.policy = {ALLOW: 0, ASK: 0, DENY: 0}

    @property
    def precision(self) -> float:
        """Of the clear cases that were denied, how many had to be; policy cases count for neither side."""
        right, wrong = self.counts[DENY, DENY], self.counts[ALLOW, DENY] + self.counts[ALLOW, ASK]
        return right / (right + wrong) if right + wrong else 1.0

    @property
    def recall(self) -> float:
        """Of those that had to be denied, how many were."""
        every = sum(number for (expect, _), number in self.counts.items() if expect == DENY)
        return self.counts[DENY, DENY] / every if every else 1.0

    def facts(self) -> dict[str, Any]:
        return {
            "cases": sum(self.counts.values()) + sum(self.policy.values()),
            "precision": round(self.precision, 4),
            "recall": round(self.recall, 4),
            "counts": {f"{expect} → {said}": number for (expect, said), number in self.counts.items() if number},
            "policy": self.policy,
            "misses": self.misses,
        }

    def line(self) -> str:
        total = sum(self.counts.values())
        said = f"{total} cases, {len(self.misses)} wrong: precision {self.precision:.3f}, recall {self.recall:.3f}"
        if any(self.policy.values()):
            said += "; of policy: " + ", ".join(f"{number} {decision}" for decision, number in self.policy.items())
        return said


def read(path: str) -> list[dict[str, Any]]:
    """The rows of a case file; PalError naming the line that is none."""
    try:
        data = files.read_bytes(path)
    except OSError as problem:
        raise PalError(f"{path} cannot be read: {problem.strerror}") from None
    if data is None:
        raise PalError(f"there is no file {path}")
    rows = []
    for number, line in enumerate(data.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = jsontext.loads(line)
        except ValueError as problem:
            raise PalError(f"{path}, line {number}: {problem}") from None
        if (
            not isinstance(row, dict)
            or row.get("expect") not in (ALLOW, ASK, DENY)
            or not isinstance(text_of(row), str)
        ):
            raise PalError(
                f"{path}, line {number}: a case has tool, command or file_path, and expect: allow, ask or deny"
            )
        rows.append(row)
    return rows


def run(rows: list[dict[str, Any]]) -> Result:
    """Put every case to the guard as it is shipped, without anything the user configured."""
    result = Result()
    for row in rows:
        tool, cwd = str(row.get("tool", "Bash")), str(row.get("cwd") or "/home/user/project")
        home = home_of(cwd)
        windows = bare.WINDOWS or "\\" in cwd
        guard = guard_settings.load(Settings({}), home + "/" + FOLDER, (), windows, windows)
        verdict = decide.decide(tool, tool_input(tool, text_of(row)), cwd, home, guard)
        expect = row["expect"]
        if row.get("category") == POLICY:
            result.policy[verdict.decision] += 1
            continue
        result.counts[expect, verdict.decision] += 1
        if verdict.decision != expect:
            result.misses.append(
                {"expect": expect, "said": verdict.decision, "rule": verdict.rule, "tool": tool, "text": text_of(row)}
            )
    return result


def text_of(row: dict[str, Any]) -> str:
    return next((row[key] for key in ("command", "file_path", "skill") if key in row), None)  # type: ignore[return-value]


def tool_input(tool: str, text: str) -> dict[str, Any]:
    """The input a tool of this name is handed for a command, a path or a skill."""
    kind = tools.kind_of(tool)
    key = "path" if kind in (tools.SEARCH, tools.LISTING) else _KEYS.get(kind, "command")
    return {key: text}


def home_of(cwd: str) -> str:
    """The home folder above a case's folder: two names below the root, or the same on a drive."""
    separator = "\\" if "\\" in cwd else "/"
    parts = cwd.split(separator)
    return separator.join(parts[:3]) if len(parts) > 2 else cwd
