"""`pal memory search, why`: find what is remembered, and explain why it was found or told."""

from __future__ import annotations

from pal.base import clock, records
from pal.base.errors import PalError
from pal.memory import ranking, search, synonyms, terms
from pal.memory.index.documents import name_of
from pal.memory.index.reader import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any

    from pal.cli.context import Context
    from pal.memory.index.documents import Document
    from pal.memory.index.reader import Reader

EXAMPLES = """
pal memory search "which port does the dev server use"
pal memory search retry budget --project shop --since 2026-01-01 --json
pal memory why 01J8ZC4TQ3
pal memory why 01J8ZC4TQ3 --query "dev server port"
pal memory why 3f2a9c10
"""
_LINES = 2  # of a snippet
_WIDTH = 100  # characters of a line
_ROWS = 1000  # of the log of what was told


def configure(name: str, parser: argparse.ArgumentParser) -> None:
    if name == "why":
        parser.add_argument("id", help="a memory's id or file, or the id of a session")
        parser.add_argument("--query", metavar="WORDS", help="explain how well it answers this")
        return
    parser.add_argument("query", nargs="+", help="what to look for")
    parser.add_argument("--kind", action="append", metavar="KIND", help="only this kind; may be repeated")
    parser.add_argument("--project", default="", metavar="NAME", help="only this project")
    parser.add_argument("--since", default="", metavar="DATE", help="only what is from this day on (YYYY-MM-DD)")
    parser.add_argument("--limit", type=int, default=search.LIMIT, metavar="N", help="how many (default 10)")


def run(options: argparse.Namespace, context: Context) -> int:
    if options.action == "why":
        return _why(options, context)
    kinds, scope = options.kind or (), (options.project, options.since, options.limit)
    return _search(context, " ".join(options.query), kinds, *scope, as_json=options.json)


def run_quickly(argv: list[str], context: Context) -> int | None:
    """A search whose command line is words and whole options; None where the parser has to look at it."""
    words: list[str] = []
    kinds: list[str] = []
    values = {"--project": "", "--since": "", "--limit": str(search.LIMIT)}
    as_json = False
    left = iter(argv)
    for word in left:
        if word[:1] != "-":
            words.append(word)
        elif word == "--json":
            as_json = True
        else:
            value = next(left, "")
            if not value or value[:1] == "-" or (word not in values and word != "--kind"):
                return None
            if word == "--kind":
                kinds.append(value)
            else:
                values[word] = value
    limit = values["--limit"]
    if not words or not (limit.isascii() and limit.isdigit()):
        return None
    return _search(context, " ".join(words), kinds, values["--project"], values["--since"], int(limit), as_json)


def _search(
    context: Context, query: str, kinds: Sequence[str], project: str, since: str, limit: int, as_json: bool
) -> int:
    hits = search.search(context.home, query, context.now, kinds, project, since, limit)
    if as_json:
        context.output.json([hit.shown() for hit in hits])
        return 0
    if not hits:
        context.output.line("Nothing that is remembered answers this.")
    for number, hit in enumerate(hits):
        if number:
            context.output.line()
        one = hit.document
        about = [f"{hit.score:.2f}", one.kind or one.source, one.project, one.title if one.title != one.said else ""]
        about += [clock.iso(one.ts)[:10] if one.ts else "", one.status if one.status == "disputed" else ""]
        context.output.line(context.output.style(hit.id, "bold") + "  " + "  ".join(filter(None, about)))
        for line in snippet(one.said, hit.found.held):
            shown = [context.output.style(text, "yellow") if marked else text for text, marked in line]
            context.output.line("  " + "".join(shown))
    return 0


def snippet(said: str, held: set[str]) -> list[list[tuple[str, bool]]]:
    """The lines of a text that hold most of these stems, as pieces; the words that were found are marked."""
    lines = []
    for number, text in enumerate(" ".join(part.split()) for part in said.splitlines()):
        words = text.split(" ")
        for at in range(0, len(words), 16):
            pieces = words[at : at + 16]
            found = [set(terms.stems(word)) & held for word in pieces]
            lines.append((-len(set().union(*found)), number, at, list(zip(pieces, map(bool, found)))))
    best = sorted(sorted(line for line in lines if any(line[3]))[:_LINES], key=lambda line: line[1:3])
    return [_joined(pieces) for _, _, _, pieces in best if any(word for word, _ in pieces)]


def _joined(pieces: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    found: list[tuple[str, bool]] = []
    room = _WIDTH * _LINES
    for number, (word, marked) in enumerate(pieces):
        room -= len(word) + 1
        if room < 0:
            found.append((" …", False))
            break
        if number:
            found.append((" ", False))
        found.append((word, marked))
    return found


def _why(options: argparse.Namespace, context: Context) -> int:
    """How a memory answers a question, and when it was put before an agent; or what a session was told."""
    home, now = context.home, context.now
    told = [row for row in records.tail(home.recalls, _ROWS, 1 << 20) if isinstance(row.get("told"), list)]
    of_session = [row for row in told if str(row.get("session") or "").startswith(options.id)]
    value: dict[str, Any] = {"id": options.id}
    one = search.consult(home, now, lambda reader: _named(reader, options.id))
    if one is None and not of_session:
        raise PalError(f"nothing is called {options.id!r}; `pal memory search` shows ids")
    if one is None:
        value["told"] = of_session
    else:
        name = name_of(one)
        value = {"id": name, "kind": one.kind or one.source, "content": one.said, "told": []}
        for row in told:
            value["told"] += [{**row, "told": [item]} for item in row["told"] if item.get("id") == name]
        if options.query:
            value["query"] = search.consult(home, now, lambda reader: explained(reader, one, options.query, context))
    if options.json:
        context.output.json(value)
        return 0
    rows = [(name, value[name]) for name in ("id", "kind", "content") if name in value]
    rows += list(value.get("query", {}).items())
    context.output.table([(f"{name}:", item) for name, item in rows])
    for row in value["told"]:
        for item in row["told"]:
            context.output.line(f"told at {row['ts']} to session {row.get('session')}: {item['id']}")
            names = f"the prompt names it: {', '.join(item['names'])}; " if item.get("names") else ""
            shared = ", ".join(item.get("shared") or [])
            context.output.line(f"  {names}it covers {item.get('covered')} of the prompt by {shared}")
    return 0


def _named(reader: Reader, name: str) -> Document | None:
    ref, _, seq = name.partition("#")
    return reader.get(ref if "/" in ref else ref.upper(), int(seq) if seq.isdigit() else 0)


def explained(reader: Reader, one: Document, query: str, context: Context) -> dict[str, Any]:
    """The parts of a score: each stem of the question, how much it tells and where the memory has it."""
    words = terms.stems(query)
    question = ranking.Question(reader, words, synonyms.groups(context.home))
    place = 0
    for number, found in enumerate(ranking.ranked(reader, question, Scope()), 1):
        if name_of(found.document) == name_of(one):
            place = number
    parts = {}
    for term in question.terms:
        others = [other for other, (meant, _) in question.instead.items() if meant == term]
        where = [
            f"{name} {stream.split().count(stem)}"
            for stem in (term, *others)
            for name, stream in zip(("text", "key", "near", "far", "date"), one.streams)
            if stem in stream.split()
        ]
        parts[term] = f"tells {question.telling[term]:.2f}, found in {', '.join(where) or 'nothing'}"
    return {"score": round(question.score(one), 4), "place": place or "not among the candidates", **parts}
