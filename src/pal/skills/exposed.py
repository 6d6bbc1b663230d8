"""Skills that programs may call as tools: what `skill.schema.json` in a skill's folder says, read and checked.

A schema that is wrong is left out with one sentence; it never stops a server. Which field means what is fixed by the
page on external agents that PAL follows."""

from __future__ import annotations

import os

from pal.base import files, frontmatter, jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from pal.base.home import Home

FILE = "skill.schema.json"
MAIN_FILE = "SKILL.md"
# The programs a skill may start; anything else is a mistake or an attack.
ALLOWED = (
    "bun", "node", "python3", "claude", "curl", "echo", "jq", "rg", "openspec", "pi-gsd-tools", "git", "gh", "yt-dlp",
    "date", "ls", "cat", "grep",
)  # fmt: skip
JUDGE = "claude"  # who answers for a skill with `requires_claude`
LONGEST_TEMPLATE = 4096  # characters
LONGEST_NAME = 40  # clients put a name of their own before it, and models' services end at 64
TIMEOUT, LONGEST_TIMEOUT = 30.0, 300.0  # seconds
_NAME_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")
_DESCRIPTION = 300  # characters; every client pays for them in every session
_TYPES = ("string", "number", "integer", "boolean", "array", "object")
_KEPT = ("type", "description", "enum", "default", "minimum", "maximum", "minLength", "maxLength", "items")


class Exposed:
    """One skill as a tool. `template` is its argv before values are put in; empty for one that a model answers."""

    __slots__ = (
        "defaults",
        "description",
        "folder",
        "input",
        "json",
        "name",
        "read_only",
        "template",
        "text",
        "timeout",
    )

    def __init__(self, name: str, folder: str) -> None:
        self.name = name
        self.folder = folder
        self.description = ""
        self.input: dict[str, Any] = {}
        self.defaults: dict[str, Any] = {}
        self.template: list[str] = []
        self.text = ""  # SKILL.md, for a skill that a model answers
        self.timeout = TIMEOUT
        self.json = False
        self.read_only = False


class Wrong(Exception):
    """What makes a schema unusable, in a few words."""


def found(folders: Iterable[str], note: Callable[[str], object]) -> list[Exposed]:
    """Every skill in these folders that asks to be a tool, by name; the first of a name counts. `note` hears what is
    wrong with the others."""
    skills: dict[str, Exposed] = {}
    for folder in folders:
        for name in _listed(folder):
            path = os.path.join(folder, name)
            if name in skills or not os.path.isfile(os.path.join(path, FILE)):
                continue
            try:
                skill = read(name, path)
            except Wrong as fault:
                note(f"skill {name} is no tool: {fault}")
                continue
            if skill is not None:
                skills[name] = skill
    return [skills[name] for name in sorted(skills)]


def fingerprint(folders: Iterable[str]) -> object:
    """Another value whenever a skill came, went or changed."""
    seen = []
    for folder in folders:
        for name in _listed(folder):
            for file in (FILE, MAIN_FILE):
                seen.append((name, files.modified(os.path.join(folder, name, file))))
    return tuple(seen)


def folders_of(home: Home) -> list[str]:
    """Where skills that may be tools stand."""
    return [home.skills]


def read(name: str, folder: str) -> Exposed | None:
    """The skill in this folder; None when it does not ask to be a tool. Wrong when its schema cannot be used."""
    if not name or len(name) > LONGEST_NAME or not set(name) <= _NAME_LETTERS:
        raise Wrong(f"its name has more than {LONGEST_NAME} letters, or others than a-z, 0-9, - and _")
    try:
        schema = jsontext.loads(files.read_text(os.path.join(folder, FILE)) or "")
    except (OSError, ValueError) as fault:
        raise Wrong(f"{FILE} cannot be read ({fault})") from None
    if not isinstance(schema, dict):
        raise Wrong(f"{FILE} is no object")
    if schema.get("mcp_exposed") is not True:
        return None
    if schema.get("name", name) != name:
        raise Wrong(f"it calls itself {str(schema['name'])[:40]!r}")
    skill = Exposed(name, folder)
    text = files.read_text(os.path.join(folder, MAIN_FILE)) or ""
    skill.description = _description(schema, text)
    skill.input, skill.defaults = _input(schema)
    executable, judged = schema.get("executable"), schema.get("requires_claude") is True
    if (executable is None) != judged:
        raise Wrong("it needs either executable or requires_claude")
    if judged:
        if not text:
            raise Wrong(f"it has no {MAIN_FILE}")
        skill.text = frontmatter.parse(text)[1].strip() or text
    else:
        skill.template = template(executable)
        unknown = {name for word in skill.template for name in names_in(word)} - set(skill.input["properties"])
        if unknown:
            raise Wrong(f"executable names {sorted(unknown)[0]}, which is no argument")
    milliseconds = schema.get("timeout_ms", TIMEOUT * 1000)
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, (int, float)) or milliseconds <= 0:
        raise Wrong("timeout_ms is no number of milliseconds")
    skill.timeout = min(milliseconds / 1000, LONGEST_TIMEOUT)
    skill.json = schema.get("output") == "json"
    skill.read_only = schema.get("readOnlyHint") is True
    return skill


def template(executable: Any) -> list[str]:
    """The words of `executable`, split once, before any value is put in; its first word is an allowed program."""
    if isinstance(executable, str):
        text = executable.strip()
        if len(text) > LONGEST_TEMPLATE or text.endswith(("…", "...")):
            raise Wrong("executable is cut short")
        import shlex

        try:
            words = shlex.split(text)
        except ValueError:
            raise Wrong("executable is cut short: a quote or an escape has no end") from None
    elif isinstance(executable, list) and all(isinstance(word, str) for word in executable):
        words = list(executable)
        if sum(map(len, words)) > LONGEST_TEMPLATE:
            raise Wrong("executable is cut short")
    else:
        raise Wrong("executable is neither a text nor a list of words")
    if any("\0" in word for word in words):
        raise Wrong("executable holds a NUL")
    if not words or words[0] not in ALLOWED:
        raise Wrong(f"it may start {', '.join(ALLOWED)}, not {(words or [''])[0][:40]!r}")
    return words


def names_in(word: str) -> list[str]:
    """The names of the placeholders in a word of a template."""
    found_names = []
    for piece in word.split("{")[1:]:
        name, closed, _ = piece.partition("}")
        if closed and name and set(name.lower()) <= _NAME_LETTERS:
            found_names.append(name)
    return found_names


def _description(schema: dict[str, Any], text: str) -> str:
    told = schema.get("description") or frontmatter.parse(text)[0].get("description")
    if not isinstance(told, str) or not told.strip():
        raise Wrong("it has no description")
    told = " ".join(told.split())
    return told if len(told) <= _DESCRIPTION else told[: _DESCRIPTION - 1] + "…"


def _input(schema: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """(the JSON schema of its arguments, their defaults)."""
    ready = schema.get("input_schema")
    if ready is not None:
        if (
            not isinstance(ready, dict)
            or ready.get("type") != "object"
            or not isinstance(ready.get("properties"), dict)
        ):
            raise Wrong("input_schema is no schema of an object")
        fields = ready["properties"]
        return ready, {name: field["default"] for name, field in fields.items() if _has_default(field)}
    args = schema.get("args", {})
    if not isinstance(args, dict):
        raise Wrong("args is no object")
    properties, required = {}, []
    for name, field in args.items():
        if not isinstance(field, dict) or field.get("type") not in _TYPES or not set(name.lower()) <= _NAME_LETTERS:
            raise Wrong(f"argument {name[:40]} has no type")
        properties[name] = {key: field[key] for key in _KEPT if key in field}
        if field.get("required") is True:
            required.append(name)
    made: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        made["required"] = required
    return made, {name: field["default"] for name, field in args.items() if _has_default(field)}


def _has_default(field: Any) -> bool:
    return isinstance(field, dict) and "default" in field


def _listed(folder: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except OSError:
        return []
