"""Puts the statements of a TOML text together into tables, and knows of each how it was defined (cold)."""

from __future__ import annotations

from typing import Any, Union

from pal.base.errors import PalError
from pal.install.tomlscan import Pair, Section, fault, statements


class Table:
    """A table of the tree. What defined it says how it can be added to: `section`, an `inline` value, or `dotted` keys
    of a section; without any of these it is only there for a table further down. One that dotted keys made `inside` an
    inline value is left alone."""

    __slots__ = ("dotted", "inline", "inside", "members", "section")

    def __init__(self) -> None:
        self.members: dict[str, Member] = {}
        self.section: Section | None = None
        self.inline: Pair | None = None
        self.dotted: Section | None = None
        self.inside = False

    @property
    def value(self) -> dict[str, Any]:
        return {name: _value(member) for name, member in self.members.items()}


Member = Union[Table, "list[Table]", Pair]


def _value(member: Member) -> Any:
    if isinstance(member, list):
        return [table.value for table in member]
    return member.value if isinstance(member, Table) else member.node.plain


class Document:
    """A scanned text: its sections in order, and the tree they make."""

    __slots__ = ("root", "sections", "text")

    def __init__(self, text: str, sections: list[Section], root: Table) -> None:
        self.text = text
        self.sections = sections
        self.root = root


def scan(text: str) -> Document:
    """The statements and the tree of a text; PalError (line, what to do) when it is not TOML."""
    sections = statements(text)
    return Document(text, sections, _Tree(text, sections).root)


class _Tree:
    """Puts the sections together and refuses what defines a thing twice."""

    __slots__ = ("root", "text")

    def __init__(self, text: str, sections: list[Section]) -> None:
        self.text = text
        self.root = Table()
        for section in sections:
            table = self._open(section) if section.keys else self.root
            if not section.keys:
                table.section = section
            for pair in section.pairs:
                self._add(table, pair, section)

    def _open(self, section: Section) -> Table:
        table = self.root
        for number, key in enumerate(section.keys):
            last = number == len(section.keys) - 1
            member = table.members.get(key)
            if last and section.is_array:
                rows = member if isinstance(member, list) else []
                if member is not None and not rows:
                    raise self._twice(section.start, key)
                table.members[key] = [*rows, Table()]
                table = table.members[key][-1]  # type: ignore[index]
            elif member is None:
                table.members[key] = made = Table()
                table = made
            elif isinstance(member, list) and not last:
                table = member[-1]
            elif isinstance(member, Table) and not member.inline and not (last and (member.section or member.dotted)):
                table = member
            else:
                raise self._twice(section.start, key)
        table.section = section
        return table

    def _add(self, table: Table, pair: Pair, section: Section) -> None:
        for key in pair.keys[:-1]:
            member = table.members.get(key)
            if member is None:
                table.members[key] = member = Table()
                member.dotted = section
            if not isinstance(member, Table) or member.dotted is not section:
                raise self._twice(pair.start, key)
            table = member
        name = pair.keys[-1]
        if name in table.members:
            raise self._twice(pair.start, name)
        if pair.node.pairs is None:
            table.members[name] = pair
        else:
            table.members[name] = _inline(pair)

    def _twice(self, at: int, key: str) -> PalError:
        return fault(self.text, at, f"`{key}` is defined twice")


def _inline(pair: Pair) -> Table:
    """The tables of an inline value; the scanner has seen to it that none is defined twice."""
    made = Table()
    made.inline = pair
    for inner in pair.node.pairs or ():
        table = made
        for key in inner.keys[:-1]:
            below = table.members.setdefault(key, Table())
            assert isinstance(below, Table)
            below.inside = True
            table = below
        table.members[inner.keys[-1]] = inner if inner.node.pairs is None else _inline(inner)
    return made
