"""The actions of `pal switchboard` on the archive: put in, look for, ask by SQL, take out, and export conversations."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pal.cli import transcripts
from pal.cli.parser import actions
from pal.switchboard import archive, archive_query, archive_search, cards, columns, export, moves
from pal.switchboard.errors import refused

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from pal.cli.context import Context
    from pal.switchboard.desk import Desk

    Answer = tuple[Any, list[str]]

ACTIONS = (
    ("archive", "finish plans, look for old ones, ask by SQL"),
    ("export", "put a conversation into the archive"),
)
_PARTS = (
    ("add", "finish a plan and file it away"),
    ("search", "find plans and conversations by words"),
    ("query", "ask by one SELECT"),
    ("restore", "take a finished plan up again"),
    ("stats", "count what the archive holds"),
)


def configure(table: dict[str, argparse.ArgumentParser]) -> list[argparse.ArgumentParser]:
    parts = actions(table["archive"], _PARTS, "part")
    for name in ("add", "restore"):
        parts[name].add_argument("id", help="session id, plan id, six characters of one, or its file")
    parts["search"].add_argument("query", nargs="+", help="words that it holds, all of them")
    parts["search"].add_argument("--limit", type=int, default=10, help="how many (default: 10)")
    parts["query"].add_argument("sql", help="one SELECT over plans, plan_revisions, conversations, fts")
    parts["query"].add_argument("--limit", type=int, default=100, help="rows (default: 100, at most 1,000)")
    given = table["export"].add_mutually_exclusive_group()
    given.add_argument("--file", default="", help="this text; - reads stdin (default: this session's transcript)")
    given.add_argument("--session", default="", metavar="ID", help="another session's transcript")
    for name, about in (("topic", "what it is about"), ("title", "its title"), ("tags", "words between commas")):
        table["export"].add_argument(f"--{name}", default="", help=about)
    table["export"].add_argument("--raw", action="store_true", help="leave secrets in")
    return [*parts.values(), table["export"]]


def run(options: argparse.Namespace, context: Context, desk: Desk) -> Answer:
    if options.action == "export":
        return _export(options, context, desk)
    answer = {"add": _add, "search": _search, "query": _query, "restore": _restore, "stats": _stats}
    return answer[options.part](options, desk)


def _add(options: argparse.Namespace, desk: Desk) -> Answer:
    reply = moves.move(desk, options.id, columns.DONE, force=True)
    return reply, [f"{reply['topic']} is done and in the archive (revision {reply['revision']})."]


def _search(options: argparse.Namespace, desk: Desk) -> Answer:
    facts = archive_search.search(desk, " ".join(options.query), options.limit)
    lines = []
    for hit in facts["hits"]:
        lines += [f"{hit['kind']} {hit['id']}  {hit['title']}  {hit['date'][:10]}", f"    {hit['snippet']}"]
    if facts["method"] == "like":
        lines.append("This Python's SQLite has no full-text search: texts were compared one by one.")
    return facts, lines or ["Nothing in the archive holds these words."]


def _query(options: argparse.Namespace, desk: Desk) -> Answer:
    facts = archive_query.query(desk, options.sql, options.limit)
    lines = ["\t".join(facts["columns"])] if facts["columns"] else []
    lines += ["\t".join(" ".join(str(value).split()) for value in row) for row in facts["rows"]]
    lines += ["(more rows were left out)"] if facts["truncated"] else []
    return facts, lines or [facts.get("note", "No row.")]


def _restore(options: argparse.Namespace, desk: Desk) -> Answer:
    card = cards.restore(desk, options.id)
    return card, [f"{card['topic']} is back in {card['label']}."]


def _stats(options: argparse.Namespace, desk: Desk) -> Answer:
    facts = archive.stats(desk)
    names = (("plans", "plans"), ("revisions", "former texts"), ("conversations", "conversations"), ("bytes", "bytes"))
    return facts, [", ".join(f"{facts[name]:,} {said}" for name, said in names)]


def _export(options: argparse.Namespace, context: Context, desk: Desk) -> Answer:
    count = 0
    if options.file:
        content = sys.stdin.read() if options.file == "-" else export.from_file(options.file)
    else:
        found = transcripts.reader(context)(options.session or desk.session, desk.host)
        content, count = export.written(found)
        if not content:
            raise refused("E_NOT_FOUND", f"no transcript of session {options.session or desk.session or 'none'!r}",
                          "name one that `pal sessions` lists: --session ID, or give --file")  # fmt: skip
    facts = export.export(desk, content, count, options.title, options.topic, options.tags,
                          original=options.file.strip("-"), raw=options.raw)  # fmt: skip
    said = "is in the archive already" if facts["duplicate"] else "is in the archive"
    return facts, [f"{facts['title']} {said} ({facts['id']})."]
