"""Edits TOML that other programs and people own: puts members into a table and takes them out, and nothing else.

Pure functions from text to text; nothing is ever re-serialised. A table that is missing gets a header at the end of the
file, one that is there is added to in the way it is written: below its header, by dotted keys, or in its braces. Every
edit is shown to mean what it should before it is handed out."""

from __future__ import annotations

import json
from typing import Any

from pal.base.errors import PalError
from pal.install.jsonscan import BOM
from pal.install.jsonstyle import newline_of
from pal.install.tomlscan import Keys, Node, Pair, Raw, Section
from pal.install.tomltree import Document, Table, scan

_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_SPACE = " \t\r\n"


def table_at(text: str, keys: Keys) -> dict[str, Any] | None:
    """What a reader sees in the table at this path; None when there is no such table."""
    found = _find(scan(text), keys)
    return found.value if found else None


def raw(text: str, keys: Keys) -> str | None:
    """How the member at this path is written; None when there is none, or when it is a table with a header."""
    node = _node(scan(text), keys)
    return None if node is None else text[node.start : node.end]


def set_member(text: str, keys: Keys, value: Any) -> tuple[str, str | None]:
    """Give a member of a table a value: the new text, and what was put before a header if one had to be made."""
    document = scan(text)
    node = _node(document, keys)
    written = render(value)
    if node is not None:
        return _checked(text[: node.start] + written + text[node.end :], keys, value, document), None
    table = _find(document, keys[:-1])
    line = key_of(keys[-1:]) + " = " + written
    before = None
    if table is None:
        edited, before = _begun(document, keys, value, line)
    elif table.inline:
        edited = _into_braces(text, table.inline.node, line)
    elif table.section:
        edited = _below(text, table.section, line)
    elif table.dotted:
        first = _path_in(table.dotted, document, table)
        edited = _below(text, table.dotted, key_of((*first, keys[-1])) + " = " + written)
    else:
        edited, before = _appended(text, keys[:-1], line)
    return _checked(edited, keys, value, document), before


def swap(text: str, keys: Keys, written: str) -> str:
    """Write this TOML where the member at this path has its value."""
    node = _node(scan(text), keys)
    assert node is not None
    return text[: node.start] + written + text[node.end :]


def remove(text: str, keys: Keys) -> str:
    """Take out a member with its line, or with one comma. Comments stay."""
    document = scan(text)
    holder = _holder(document, keys)
    if holder is None:
        return text
    pair, inline = holder
    if inline is not None:
        edited = _out_of_braces(text, inline, pair)
    else:
        edited = _without_line(text, pair.start, pair.node.end)
    return _checked(edited, keys, None, document)


def missing_in_braces(text: str, keys: Keys) -> list[Keys]:
    """The tables on this path that putting in a member would create inside the braces of one that is there."""
    document = scan(text)
    for depth in range(len(keys), 0, -1):
        above = _find(document, keys[:depth])
        if above is not None:
            return [keys[:end] for end in range(depth + 1, len(keys) + 1)] if above.inline else []
    return []


def remove_empty(text: str, keys: Keys) -> tuple[str, bool]:
    """Take out a table that is written in braces and holds nothing any more; whether it is gone."""
    table = _find(scan(text), keys)
    if table is None or not table.inline:
        return text, True
    return (text, False) if table.members else (remove(text, keys), True)


def remove_header(text: str, keys: Keys, before: str) -> tuple[str, bool]:
    """Take out the header of a table that holds nothing any more, with what was put before it; whether it is gone."""
    document = scan(text)
    table = _find(document, keys)
    if table is None or table.section is None:
        return text, True
    if table.members or table.section.pairs:
        return text, False
    start, end = table.section.start, table.section.end
    line = text[start:end]
    if "#" in line[line.rindex("]") :]:
        return text, False  # somebody's words stand behind it
    if text[:start].endswith(before) and before:
        above = text[: start - len(before)]
        # One line end closed a line that had none; where something follows, that line must stay closed.
        closed = above in ("", BOM) or above.endswith("\n") or not text[end:] or text[end] in "\r\n"
        start = len(above) if closed else start - len(before) + len(newline_of(before))
    edited = text[:start] + text[end:]
    scan(edited)
    return edited, True


def key_of(keys: Keys) -> str:
    """A dotted key as TOML writes it."""
    return ".".join([key if key and _BARE.issuperset(key) else _quoted(key) for key in keys])


def render(value: Any) -> str:
    """A text, number, truth value, list or table of these, on one line."""
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join([render(item) for item in value]) + "]"
    if isinstance(value, dict):
        inside = ", ".join([f"{key_of((key,))} = {render(item)}" for key, item in value.items()])
        return "{ " + inside + " }" if inside else "{}"
    return value.text if isinstance(value, Raw) else json.dumps(value)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


# Finding


def _find(document: Document, keys: Keys) -> Table | None:
    """The table at this path; PalError where something on the way is no table."""
    table = document.root
    for number, key in enumerate(keys):
        member = table.members.get(key)
        if member is None:
            return None
        if not isinstance(member, Table):
            kind = "a list" if isinstance(member, list) else "not a table"
            raise PalError(f"{key_of(keys[: number + 1])} is {kind}; make it a table [{key_of(keys[: number + 1])}]")
        table = member
    return table


def _node(document: Document, keys: Keys) -> Node | None:
    table = _find(document, keys[:-1])
    member = table.members.get(keys[-1]) if table else None
    if isinstance(member, Table) and member.inline:
        return member.inline.node
    if isinstance(member, (Table, list)):
        raise PalError(f"{key_of(keys)} is a table; it is not overwritten")
    return member.node if member else None


def _holder(document: Document, keys: Keys) -> tuple[Pair, Node | None] | None:
    """The statement of the member at this path, and the inline table it stands in, if it does."""
    node = _node(document, keys)
    if node is None:
        return None
    for section in document.sections:
        for pair in section.pairs:
            if pair.node is node:
                return pair, None
            inner = _inside(pair.node, node)
            if inner:
                return inner
    return None


def _inside(holder: Node, wanted: Node) -> tuple[Pair, Node | None] | None:
    for pair in holder.pairs or ():
        if pair.node is wanted:
            return pair, holder
        inner = _inside(pair.node, wanted)
        if inner:
            return inner
    return None


def _path_in(section: Section, document: Document, table: Table) -> Keys:
    """The dotted keys that lead from a section to a table they defined."""
    start = document.root
    for key in section.keys:
        member = start.members[key]
        start = member[-1] if isinstance(member, list) else member  # type: ignore[assignment]
    for pair in section.pairs:
        here = start
        for number, key in enumerate(pair.keys[:-1]):
            here = here.members[key]  # type: ignore[assignment]
            if here is table:
                return pair.keys[: number + 1]
    raise PalError("this file is written in a way that PAL cannot edit safely; make the change by hand")


# What is put in


def _begun(document: Document, keys: Keys, value: Any, line: str) -> tuple[str, str | None]:
    """A table that is missing: in the braces of the table above it, else with a header at the end."""
    for depth in range(len(keys) - 2, -1, -1):
        above = _find(document, keys[:depth])
        if above is None:
            continue
        if above.inside:
            raise PalError(f"{key_of(keys[:depth])} has dotted keys in braces; make it a table with a header")
        if above.inline:
            for key in reversed(keys[depth + 1 :]):
                value = {key: value}
            inner = key_of(keys[depth : depth + 1]) + " = " + render(value)
            return _into_braces(document.text, above.inline.node, inner), None
        break
    return _appended(document.text, keys[:-1], line)


def _appended(text: str, keys: Keys, line: str) -> tuple[str, str]:
    newline = newline_of(text)
    if not text.strip(_SPACE + BOM) or text.endswith(("\n\n", "\n\r\n")):
        before = "" if text in ("", BOM) or text.endswith("\n") else newline
    else:
        before = newline if text.endswith("\n") else newline * 2
    return f"{text}{before}[{key_of(keys)}]{newline}{line}{newline}", before


def _below(text: str, section: Section, line: str) -> str:
    """After the section's last statement, or its header, indented as that one is."""
    newline = newline_of(text)
    if not section.pairs:
        at, indent = section.end, ""
        if not section.keys:
            return text[:at] + line + newline + text[at:]
    else:
        last = section.pairs[-1]
        at = text.find("\n", last.node.end) + 1 or len(text)
        begin = text.rfind("\n", 0, last.start) + 1
        indent = text[begin : last.start].lstrip(BOM)
    if text[:at].endswith("\n"):
        return text[:at] + indent + line + newline + text[at:]
    return text[:at] + newline + indent + line + text[at:]


def _into_braces(text: str, node: Node, line: str) -> str:
    if node.pairs:
        end = node.pairs[-1].node.end
        return text[:end] + ", " + line + text[end:]
    inside = text[node.start + 1 : node.end - 1]
    return text[: node.start + 1] + inside + line + inside + text[node.end - 1 :]


# What is taken out


def _without_line(text: str, start: int, end: int) -> str:
    begin = text.rfind("\n", 0, start) + 1
    if text[begin:start].strip(" \t"):
        begin = start  # a byte order mark stands before it
    stop = text.find("\n", end) + 1
    rest = text[end : stop or len(text)]
    if rest.strip(_SPACE):
        return text[:start] + text[end + len(rest) - len(rest.lstrip(" \t")) :]
    if stop:
        return text[:begin] + text[stop:]
    # The last line of a file that does not end in a line end: the one before it goes.
    cut = 2 if text[:begin].endswith("\r\n") else 1 if text[:begin].endswith("\n") else 0
    return text[: begin - cut]


def _out_of_braces(text: str, node: Node, pair: Pair) -> str:
    pairs = node.pairs or []
    at = pairs.index(pair)
    if at:
        return text[: pairs[at - 1].node.end] + text[pair.node.end :]
    if len(pairs) > 1:
        return text[: pair.start] + text[pairs[1].start :]
    before, after = text[node.start + 1 : pair.start], text[pair.node.end : node.end - 1]
    kept = before if before == after else before + after
    return text[: node.start + 1] + kept + text[node.end - 1 :]


def _checked(edited: str, keys: Keys, value: Any, before: Document) -> str:
    """The edited text, once it is shown to differ in this member alone: a slip here must not reach a file."""
    expected, found = before.root.value, scan(edited).root.value
    for tree in (expected, found):
        _drop(tree, keys)
    holder = _find(scan(edited), keys[:-1])
    got = holder.value.get(keys[-1]) if holder else None
    if expected != found or (value is not None and render(got) != render(value)):
        raise PalError("this file is written in a way that PAL cannot edit safely; make the change by hand")
    return edited


def _drop(tree: dict[str, Any], keys: Keys) -> None:
    """Without the member at this path, and without the tables that are empty then."""
    if len(keys) == 1:
        tree.pop(keys[0], None)
        return
    below = tree.get(keys[0])
    if isinstance(below, dict):
        _drop(below, keys[1:])
        if not below:
            del tree[keys[0]]
