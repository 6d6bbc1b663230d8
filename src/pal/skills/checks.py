"""What `pal skill doctor` finds: the rules of the public Agent Skills format, and what makes a skill a good one (cold).

An error keeps some agent from loading or running it; a warning makes it worse than it could be."""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterator
from typing import Any

from pal.base import files, frontmatter
from pal.skills import catalog, exposed, triggers
from pal.skills.index import MAIN_FILE, triggers_in

ERROR, WARNING = "error", "warning"
Finding = tuple[str, str]  # ERROR or WARNING, one sentence

KEYS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
LONGEST_DESCRIPTION, LONGEST_COMPATIBILITY = 1024, 500  # characters
MOST_LINES = 500  # of the body; an agent reads all of it
FEWEST_TRIGGERS = 3
_RESERVED = ("anthropic", "claude")  # the format keeps these out of names
_FIRST_PERSON = re.compile(r"(?<![\w'’])(?:I|I'm|I’m|I'll|I’ll|I've|I’ve|my|me|we|our|us)(?![\w'’])")
_SECOND_PERSON = re.compile(r"(?<![\w'’])(?:you|your|yours|you'll)(?![\w'’])", re.IGNORECASE)
_MACHINE_PATH = re.compile(r"(?<![\w.~])(?:/(?:Users|home)/[A-Za-z]|[A-Za-z]:\\Users\\)")
_BACKSLASH_PATH = re.compile(r"(?<![\\\w])[\w.-]+\\[\w.-]+\\?[\w.-]*\.(?:md|py|json|html|txt)\b")
_NAMED_FILE = re.compile(r"(?<![\w./-])((?:references|scripts|tools|assets|templates)/[\w./-]*\w)")
_FENCED = re.compile(r"^(`{3,}|~{3,})[^\n]*\n.*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)
_INLINE_CODE = re.compile(r"`[^`\n]*`")
_QUOTED = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”")


def findings(folder: str, shipped: bool = False) -> list[Finding]:
    """All there is to say of one skill's folder, errors first."""
    name = os.path.basename(folder)
    try:
        names = sorted(os.listdir(folder))
    except OSError as fault:
        return [(ERROR, f"{folder} cannot be read: {fault.strerror or fault}")]
    if MAIN_FILE not in names:
        other = next((each for each in names if each.lower() == MAIN_FILE.lower()), "")
        return [(ERROR, f"its file is called {other}, not {MAIN_FILE}" if other else f"it has no {MAIN_FILE}")]
    data = files.read_bytes(os.path.join(folder, MAIN_FILE)) or b""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return [(ERROR, f"{MAIN_FILE} is not UTF-8")]
    fields, body = frontmatter.parse(text)
    if not fields:
        return [(ERROR, f"{MAIN_FILE} has no header between two `---` lines")]
    found = [
        *_header(name, fields), *_description(fields, text), *_triggers(name, fields), *_body(body),
        *_files(folder, body), *_tools(folder), *_schema(name, folder),
    ]  # fmt: skip
    if shipped and not fields.get("license"):
        found.append((WARNING, "it is shipped and names no license"))
    return sorted(found, key=lambda finding: finding[0] != ERROR)


def _header(folder: str, fields: dict[str, Any]) -> Iterator[Finding]:
    unknown = [key for key in fields if key not in KEYS]
    if unknown:
        yield ERROR, f"the header has {', '.join(unknown)}, which the format does not know (it knows {', '.join(KEYS)})"
    name = fields.get("name")
    if not isinstance(name, str) or not name:
        yield ERROR, "the header has no name"
    else:
        if name != folder:
            yield ERROR, f"it is called {name}, and its folder {folder}"
        if not catalog.well_named(name):
            yield ERROR, "its name is not made of lower-case words with one hyphen between, at most 64 letters"
        for word in _RESERVED:
            if word in name:
                yield ERROR, f"its name holds {word}, which is reserved"
    said = fields.get("compatibility")
    if said is not None and (not isinstance(said, str) or not 0 < len(said) <= LONGEST_COMPATIBILITY):
        yield ERROR, f"compatibility is no text of 1 to {LONGEST_COMPATIBILITY} characters"
    metadata = fields.get("metadata", {})
    if not isinstance(metadata, dict):
        yield ERROR, "metadata is no list of `key: value` lines"
    elif any(not isinstance(value, str) for value in metadata.values()):
        yield WARNING, "a value in metadata is not one quoted text, as strict readers of the format want it"


def _description(fields: dict[str, Any], text: str) -> Iterator[Finding]:
    said = fields.get("description")
    if not isinstance(said, str) or not said.strip():
        yield ERROR, "the header has no description"
        return
    if len(said) > LONGEST_DESCRIPTION:
        yield ERROR, f"its description has {len(said)} characters, more than {LONGEST_DESCRIPTION}"
    line = next((line for line in text.splitlines() if line.startswith("description:")), "")
    if line.partition(":")[2].strip()[:1] != '"':
        yield WARNING, "its description is not in double quotes; a colon in it would end it"
    if "<" in said or ">" in said:
        yield WARNING, "its description has angle brackets, which agents take for markup"
    if "when" not in said.lower():
        yield WARNING, "its description does not say when to use it (“Use when …”)"
    plain = _QUOTED.sub("", said)
    if _FIRST_PERSON.search(plain) or _SECOND_PERSON.search(plain):
        yield (
            WARNING,
            "its description speaks in the first or second person; name the thing",
        )


def _triggers(name: str, fields: dict[str, Any]) -> Iterator[Finding]:
    listed = triggers_in(fields)
    if len(listed) < FEWEST_TRIGGERS:
        yield WARNING, f"it has {len(listed)} triggers; with fewer than {FEWEST_TRIGGERS} it is hardly ever offered"
    elif triggers.plain(listed[0]) != triggers.plain(name):
        yield WARNING, f"its triggers do not begin with its name ({name.replace('-', ' ')})"


def _body(body: str) -> Iterator[Finding]:
    lines = body.count("\n")
    if not body.strip():
        yield ERROR, "there is nothing below the header"
    if lines > MOST_LINES:
        yield WARNING, f"its text has {lines} lines; move what is not always needed to files of their own"
    prose = _QUOTED.sub("", _INLINE_CODE.sub("", _FENCED.sub("", body)))
    spoken = _FIRST_PERSON.search(prose)
    if spoken:
        yield WARNING, f"its text speaks in the first person ({spoken.group()!r}); tell the reader what to do"
    for pattern, what in ((_BACKSLASH_PATH, "a path with backslashes"), (_MACHINE_PATH, "a path of one machine")):
        seen = pattern.search(body)
        if seen:
            yield WARNING, f"its text has {what}: {seen.group()}"


def _files(folder: str, body: str) -> Iterator[Finding]:
    """What the text names below the skill's folder is there, and leads to nothing deeper."""
    for named in dict.fromkeys(_NAMED_FILE.findall(body)):
        path = os.path.join(folder, *named.split("/"))
        if not os.path.exists(path):
            yield ERROR, f"it names {named}, which is not there"
        elif named.endswith(".md"):
            text = _FENCED.sub("", files.read_text(path) or "")
            further = [each for each in re.findall(r"\]\(([^)#:\s]+\.md)", text) if each != MAIN_FILE]
            if further:
                yield WARNING, f"{named} sends on to {further[0]}; references are one level deep"


def _tools(folder: str) -> Iterator[Finding]:
    known: frozenset[str] = getattr(sys, "stdlib_module_names", frozenset())
    for tool in catalog.tools(folder):
        where = f"{catalog.TOOLS}/{tool}.py"
        try:
            tree = ast.parse(files.read_bytes(os.path.join(folder, catalog.TOOLS, tool + ".py")) or b"", where)
        except (SyntaxError, ValueError) as fault:
            yield ERROR, f"{where} is no Python: {fault}"
            continue
        foreign = sorted({name for name in _imports(tree) if known and name not in known})
        if foreign:
            yield ERROR, f"{where} imports {', '.join(foreign)}, which not every Python has"


def _imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0] if not node.level else "."


def _schema(name: str, folder: str) -> Iterator[Finding]:
    if not os.path.isfile(os.path.join(folder, exposed.FILE)):
        return
    try:
        exposed.read(name, folder)
    except exposed.Wrong as fault:
        yield ERROR, f"as a tool for programs it is of no use: {fault}"
