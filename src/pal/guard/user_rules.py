"""The user's own rules, and those a project brings along: patterns of words or of a path, never expressions.

`settings` reads them, `judge` asks with every effective command and every path. They can stop more, never less.
"""

from __future__ import annotations

from pal.base.home import PROJECT_RULES
from pal.guard.model import ASK, DENY, STRENGTH, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

GROUP = "user"
OPERATIONS = ("read", "write")
_KEYS = frozenset(("id", "argv", "not", "path", "ops", "decision", "reason", "instead"))
_LONGEST = 64  # words or segments of a pattern; matching costs at most their number times that of the command


class Rule:
    """One rule: either `argv` (words; `*` within one, `**` for any number) or `path` with its operations."""

    __slots__ = ("argv", "decision", "folded", "instead", "name", "operations", "path", "reason", "unless")

    def __init__(self, name: str, decision: str, reason: str, instead: str) -> None:
        self.name = name
        self.decision = decision
        self.reason = reason
        self.instead = instead
        self.argv: tuple[str, ...] = ()
        self.unless: tuple[str, ...] = ()
        self.path: tuple[str, ...] = ()
        self.operations: tuple[str, ...] = OPERATIONS
        self.folded = False  # the path goes by its letters, whatever their case


def _built_in() -> tuple[Rule, ...]:
    """What holds without being asked for: nobody but a person lifts a denial or a project's rules."""
    typed = Rule("guard.allow-once", DENY, "only a person may lift a denial, at a terminal of their own", "")
    typed.argv = ("pal*", "**", "guard", "allow-once")
    through = Rule(typed.name, DENY, typed.reason, "")
    through.argv = ("py*", "**", "*pal.py*", "**", "guard", "allow-once")
    keep = Rule("guard.project-rules", DENY, f"{PROJECT_RULES} holds this project's rules, which a person edits", "")
    keep.path, keep.operations = ("**", PROJECT_RULES), ("write",)
    keep.folded = True
    return typed, through, keep


def read(listed: Any, where: str, case_insensitive: bool = False) -> tuple[list[Rule], list[str]]:
    """(the rules of a list as it stands in a file, a sentence for each entry that is none)."""
    rules: list[Rule] = []
    problems: list[str] = []
    if not isinstance(listed, list):
        return [], [f"{where} is no list of rules"] if listed is not None else []
    for number, entry in enumerate(listed, 1):
        rule = _read_one(entry, f"{where}[{number}]")
        if isinstance(rule, Rule):
            rules.append(rule)
            if case_insensitive:
                rule.folded, rule.path = True, tuple(part.lower() for part in rule.path)
        else:
            problems.append(f"{where}: rule {number} is skipped: {rule}")
    return rules, problems


def _read_one(entry: Any, where: str) -> Rule | str:
    if not isinstance(entry, dict):
        return "it is no object"
    unknown = sorted(key for key in entry if key not in _KEYS)
    if unknown:
        return f"it has the unknown key {unknown[0]!r}"
    decision = entry.get("decision", DENY)
    if decision not in (DENY, ASK):
        return f"its decision {decision!r} is neither deny nor ask"
    texts = [entry.get(key, "") for key in ("id", "reason", "instead")]
    if not all(isinstance(text, str) for text in texts):
        return "its id, reason and instead must be texts"
    rule = Rule(texts[0] or where, decision, texts[1] or "a rule of the user forbids it", texts[2])
    if ("argv" in entry) == ("path" in entry):
        return "it needs either argv or path"
    if "path" in entry:
        path, operations = entry["path"], entry.get("ops", list(OPERATIONS))
        if not isinstance(path, str) or not path.strip("/") or path.count("/") >= _LONGEST or "not" in entry:
            return "its path is no pattern such as **/secrets/** (and a path knows no `not`)"
        if not isinstance(operations, list) or not operations or not set(map(str, operations)) <= set(OPERATIONS):
            return "its ops are not a list of read and write"
        rule.path = tuple(path.replace("\\", "/").split("/"))
        rule.operations = tuple(operations)
        return rule
    words, unless = entry["argv"], entry.get("not", [])
    if "ops" in entry or not _words(words) or not words or set(words) <= {"*", "**"}:
        return "its argv is no list of words with one that says something"
    if not _words(unless):
        return "its not is no list of words"
    rule.argv, rule.unless = tuple(words), tuple(unless)
    return rule


def _words(value: Any) -> bool:
    return isinstance(value, list) and len(value) <= _LONGEST and all(isinstance(word, str) and word for word in value)


def match_command(rules: object, argv: Sequence[str | None]) -> Verdict | None:
    """The strongest verdict of the rules about this effective command; a word that is None matches only `*` and `**`.

    A pattern fits from the program on and may end before the command does. The program goes by its name alone."""
    words = list(argv)
    if words and words[0] is not None:
        words[0] = words[0].replace("\\", "/").rpartition("/")[2]
    found = [
        rule
        for rule in _all(rules)
        if rule.argv
        and _fits(rule.argv, words)
        and not any(word is not None and _like(pattern, word) for pattern in rule.unless for word in words)
    ]
    return _verdict(found)


def match_path(rules: object, path: str, operation: str) -> Verdict | None:
    """The strongest verdict of the rules about reading or writing this path (absolute, as text)."""
    segments = path.replace("\\", "/").split("/")
    folded = [segment.lower() for segment in segments]
    found = [
        rule
        for rule in _all(rules)
        if rule.path and operation in rule.operations and _covers(rule.path, folded if rule.folded else segments)
    ]
    return _verdict(found)


def _all(rules: object) -> Iterable[Rule]:
    own = rules if isinstance(rules, (list, tuple)) else ()
    return (*BUILT_IN, *own)


def _verdict(found: list[Rule]) -> Verdict | None:
    if not found:
        return None
    strongest = max(found, key=lambda rule: STRENGTH[rule.decision])
    return Verdict(strongest.decision, strongest.name, GROUP, (0, 0), strongest.reason, strongest.instead)


def _covers(pattern: tuple[str, ...], segments: list[str]) -> bool:
    """A pattern from the root covers whole paths; another one fits at any depth. A folder's covers all in it."""
    if pattern[0] not in ("", "**"):
        pattern = ("**", *pattern)
    return _whole(pattern, segments) or (pattern[-1] != "**" and _whole((*pattern, "**"), segments))


def _fits(pattern: tuple[str, ...], words: Sequence[str | None]) -> bool:
    return _whole((*pattern, "**") if pattern[-1] != "**" else pattern, words)


def _whole(pattern: tuple[str, ...], words: Sequence[str | None]) -> bool:
    """`**` takes any number of words. One step back at most to the last `**`: never more than words times pattern."""
    at = word = 0
    star, resume = -1, 0
    while word < len(words):
        if at < len(pattern) and pattern[at] == "**":
            star, resume = at, word
            at += 1
        elif at < len(pattern) and _same(pattern[at], words[word]):
            at += 1
            word += 1
        elif star >= 0:
            resume += 1
            at, word = star + 1, resume
        else:
            return False
    return all(part == "**" for part in pattern[at:])


def _same(pattern: str, word: str | None) -> bool:
    return pattern == "*" if word is None else _like(pattern, word)


def _like(pattern: str, word: str) -> bool:
    """`*` takes any characters."""
    if "*" not in pattern:
        return pattern == word
    first, *middle, last = pattern.split("*")
    if len(word) < len(first) + len(last) or not word.startswith(first) or not word.endswith(last):
        return False
    at, end = len(first), len(word) - len(last)
    for piece in middle:
        found = word.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


BUILT_IN = _built_in()
