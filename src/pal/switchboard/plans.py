"""What a plan's text says of itself: title, complexity, tags, dependencies, its parts; and how several in one paste
come apart. This is the only reader of plans; where a mark stands twice the last counts, and unknown stays unknown."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_FENCES = ("```", "~~~")
_FIELD = re.compile(r"^\s*(?:[-*]\s+)?\*\*\s*([A-Za-z ]+?)\s*:?\s*\*\*\s*:?\s*(.*)$")
_NUMBER = re.compile(r"^\D{0,12}?(10|[0-9])(?!\d)")
_SENT = re.compile(r"\bsend(?:\s+(?:it|this|the plan|this plan))?\s+to\s+(?:the\s+)?(lead\s+coder|lead|coder)\b", re.I)
_SESSION = re.compile(r"\bsess_[0-9A-Za-z_]+")
_PLAN_ID = re.compile(r"\b[0-9a-f]{32}\b")
_SPLIT = re.compile(r"^\s{0,3}#{1,6}\s+PLAN\s+(\d+)\s+START\b.*$", re.I | re.M)
_PREFIX = re.compile(r"^(?:feature_plan_)?\d{8}_\d{6}_|^feature_plan_|^brain_")
_WORDS = {"very low": 1, "low": 3, "medium": 5, "moderate": 5, "high": 8, "very high": 10}
_LOW_WORDS = sorted(_WORDS, key=len, reverse=True)
_NOTHING = frozenset(("", "none", "n/a", "na", "-", "–", "—", "complex", "risky", "complex / risky", "nothing"))
_LONGEST_TITLE = 200
_LOW, _HIGH = 3, 8


class Facts:
    """What was found in one plan. `score` is 0 for unknown, `source` says what it comes from."""

    __slots__ = ("deps", "repo", "score", "source", "tags", "title")

    def __init__(self) -> None:
        self.title = ""
        self.score = 0
        self.source = "none"
        self.tags: list[str] = []
        self.deps: list[str] = []
        self.repo = ""


def facts(text: str, name: str = "") -> Facts:
    """Read a plan; `name` is its file's name, which serves where it has no title."""
    found = Facts()
    lines = list(_open_lines(text))
    found.title = _title(lines) or title_of_name(name)
    fields = _fields(lines)
    found.tags = tags(fields.get("tags", ""))
    found.repo = fields.get("repo", "").strip("` ")
    found.deps = _deps(lines, fields)
    found.score, found.source = _score(lines, fields)
    return found


def _open_lines(text: str) -> Iterator[str]:
    """The lines outside code fences, as blank lines inside: nothing in an example is said of the plan."""
    fence = ""
    for line in text.lstrip("\ufeff").splitlines():
        bare = line.strip()
        if fence:
            fence = "" if bare.startswith(fence) and not bare.strip(fence[0]) else fence
            yield ""
        elif bare.startswith(_FENCES):
            fence = bare[: len(bare) - len(bare.lstrip(bare[0]))]
            yield ""
        else:
            yield line


def _heading(line: str) -> tuple[int, str]:
    bare = line.rstrip()
    level = len(bare) - len(bare.lstrip("#"))
    if not 0 < level < 7 or bare[level : level + 1] not in (" ", "\t"):
        return 0, ""
    return level, bare[level:].strip().rstrip("#").strip()


def _title(lines: list[str]) -> str:
    for line in lines:
        level, words = _heading(line)
        if level == 1 and words:
            return words[:_LONGEST_TITLE]
    return ""


def title_of_name(name: str) -> str:
    """The title a file's name stands for: without its stamp and ending."""
    bare = _PREFIX.sub("", name.rpartition("/")[2].rpartition(".")[0] or name)
    return " ".join(bare.replace("_", " ").replace("-", " ").split()).capitalize()[:_LONGEST_TITLE] or "Untitled plan"


def _fields(lines: list[str]) -> dict[str, str]:
    found = {}
    for line in lines:
        match = _FIELD.match(line)
        if match:
            found[" ".join(match.group(1).lower().split())] = match.group(2).strip()
    return found


def tags(words: str) -> list[str]:
    """`Frontend, backend,` → frontend, backend: lower case, each once, in order."""
    parts = [" ".join(each.strip(" `#.").lower().split()) for each in words.strip("[]").split(",")]
    return list(dict.fromkeys(each for each in parts if each and each not in ("none", "n/a")))


def stored_tags(found: list[str]) -> str:
    """`,a,b,`: so that one tag is looked for between commas."""
    return f",{','.join(found)}," if found else ""


def score(words: str) -> int:
    """1 to 10 of `7`, `8/10`, `High`, `Very low`; 0 for anything else."""
    lowered = " ".join(words.lower().strip("*`_ .").split())
    for word in _LOW_WORDS:
        if lowered.startswith(word):
            return _WORDS[word]
    number = _NUMBER.match(lowered)
    return int(number.group(1)) if number else 0


def _score(lines: list[str], fields: dict[str, str]) -> tuple[int, str]:
    """An override, then the metadata, then what was recommended, then the audit; the first that knows decides."""
    for name in ("manual complexity override", "complexity override"):
        if score(fields.get(name, "")):
            return score(fields[name]), "override"
    if score(fields.get("complexity", "")):
        return score(fields["complexity"]), "metadata"
    sent = _SENT.findall("\n".join(lines))
    if sent:
        return (_HIGH if sent[-1].lower().startswith("lead") else _LOW), "recommendation"
    return _audited(lines)


def _audited(lines: list[str]) -> tuple[int, str]:
    """Without an audit unknown; with nothing that is complex low; otherwise high."""
    inside = seen = complex_part = False
    content = []
    for line in lines:
        level, words = _heading(line)
        lowered = words.lower()
        if level == 2:
            inside = lowered.startswith("complexity audit")
            seen, complex_part = seen or inside, False
        elif level > 2 and inside:
            complex_part = lowered.startswith(("complex", "risky", "band b"))
        elif inside and complex_part:
            content.append(line.strip().lstrip("-*•0123456789.) ").strip("*_`. ").lower())
    if not seen:
        return 0, "none"
    return (_HIGH, "audit") if any(each not in _NOTHING for each in content) else (_LOW, "audit")


def _deps(lines: list[str], fields: dict[str, str]) -> list[str]:
    """The session ids, plan ids and file names under `## Dependencies`."""
    inside = False
    found = named(fields.get("dependencies", ""))
    for line in lines:
        level, words = _heading(line)
        if level:
            inside = words.lower() == "dependencies" if level <= 2 else inside
        elif inside:
            found += named(line)
    return list(dict.fromkeys(found))


def named(words: str) -> list[str]:
    """The plans a line names."""
    found = [*_SESSION.findall(words), *_PLAN_ID.findall(words)]
    first = words.strip().lstrip("-*• ").strip("`").split(" ")[0].strip("`,;:")
    return found or ([first] if first.endswith(".md") else [])


def split(text: str) -> list[str]:
    """The plans in one paste, divided at lines `### PLAN 1 START`; a text without such lines is one plan."""
    starts = list(_SPLIT.finditer(text))
    if not starts:
        return [text.strip() + "\n"] if text.strip() else []
    ends = [start.start() for start in starts[1:]] + [len(text)]
    parts = [text[start.end() : end].strip() for start, end in zip(starts, ends)]
    return [part + "\n" for part in parts if part]


def parts(text: str) -> tuple[list[str], list[str]]:
    """(the headings, the fenced blocks) of a plan, as they stand: what an improvement must not lose."""
    headings, blocks, block, fence = [], [], [], ""
    for line in text.splitlines():
        bare = line.strip()
        if fence:
            block.append(line)
            if bare.startswith(fence) and not bare.strip(fence[0]):
                blocks.append("\n".join(block))
                fence = ""
        elif bare.startswith(_FENCES):
            fence, block = bare[: len(bare) - len(bare.lstrip(bare[0]))], [line]
        elif _heading(line)[0]:
            headings.append(line.strip())
    return headings, blocks
