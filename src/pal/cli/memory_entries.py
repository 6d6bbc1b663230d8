"""`pal memory store, show, list, update, forget, supersede, pin`: long-term memories one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pal.base import log
from pal.base.errors import PalError
from pal.memory.icm import entry as entries
from pal.memory.icm import events, fold, store

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context
    from pal.memory.icm.entry import Entry

EXAMPLES = """
pal memory store "The dev server listens on port 5173" --topic facts-shop --keyword port
git log -1 --format=%B | pal memory store - --project shop --importance high
pal memory show 01J8ZC4TQ3
pal memory list --project shop --limit 20
pal memory update 01J8ZC4TQ3 --importance high
pal memory forget 01J8ZC4TQ3
pal memory supersede 01J8ZC4TQ3 --by 01J9AAKQ7M
pal memory pin 01J8ZC4TQ3
"""
_FIELDS = (
    ("topic", "TOPIC", "`kind-project`, such as decisions-shop, or any word"),
    ("kind", "KIND", "what it is: decision, fact, preference, error, …"),
    ("project", "NAME", "the project it belongs to"),
)


def configure(name: str, parser: argparse.ArgumentParser) -> None:
    if name == "store":
        parser.add_argument("text", help="what to remember; `-` reads it from standard input")
        _field_options(parser)
    elif name == "list":
        parser.add_argument("--kind", metavar="KIND", help="only this kind")
        parser.add_argument("--project", metavar="NAME", help="only this project")
        parser.add_argument(
            "--status", choices=entries.STATUSES, help="only this status (default: active and disputed)"
        )
        parser.add_argument("--limit", type=int, default=50, metavar="N", help="how many (default 50)")
    else:
        parser.add_argument("id", help="a memory's id, or the beginning of it")
    if name == "update":
        parser.add_argument("--text", metavar="TEXT", help="the new text")
        parser.add_argument("--status", choices=entries.STATUSES, help="the new status")
        _field_options(parser)
    elif name == "supersede":
        parser.add_argument("--by", required=True, metavar="ID", help="the memory that stands for it from now on")
    elif name == "forget":
        parser.add_argument("--reason", default="", metavar="WORDS", help="why")
    elif name == "pin":
        parser.add_argument("--off", action="store_true", help="let it fade again")


def _field_options(parser: argparse.ArgumentParser) -> None:
    for name, value, text in _FIELDS:
        parser.add_argument(f"--{name}", metavar=value, help=text)
    parser.add_argument("--importance", choices=tuple(entries.IMPORTANCE), help="default: medium")
    parser.add_argument("--keyword", action="append", metavar="WORDS", help="a name it is found by; may be repeated")


def run(options: argparse.Namespace, context: Context) -> int:
    if options.action in ("list", "show"):
        return _list(options, context) if options.action == "list" else _show(options, context)
    code = _changed(options, context)
    refresh(context)
    return code


def refresh(context: Context) -> None:
    """Let the next prompt know what changed; where the cache cannot be written, the next search reads the files."""
    from pal.memory import search

    try:
        search.refresh(context.home, context.now)
    except OSError as problem:
        log.warning(context.home, "memory", f"the index was not renewed: {problem}")


def _show(options: argparse.Namespace, context: Context) -> int:
    return _say(options, context, store.get(context.home, options.id), "")


def _changed(options: argparse.Namespace, context: Context) -> int:
    home, now = context.home, context.now
    if options.action == "store":
        name = store.store(home, _text(options.text), now, **_fields(options), **_by(context))
        return _say(options, context, store.get(home, name), f"Remembered as {name}.")
    if options.action == "update":
        changes = _fields(options)
        changes.update({"content": options.text} if options.text is not None else {})
        changes.update({"status": options.status} if options.status else {})
        if not changes:
            raise PalError("say what to change: --text, --topic, --importance, … (`pal memory update --help`)")
        found = store.update(home, options.id, now, **changes)
        return _say(options, context, found, f"Changed {found.id}.")
    if options.action == "forget":
        found = store.forget(home, options.id, now, options.reason)
        said = f"Forgot {found.id}; `pal memory update {found.id} --status active` brings it back."
        return _say(options, context, found, said)
    if options.action == "supersede":
        found = store.supersede(home, options.id, options.by, now)
        return _say(options, context, found, f"{found.superseded_by} stands for {found.id} now.")
    found = store.pin(home, options.id, now, not options.off)
    return _say(options, context, found, f"{found.id} {'fades again' if options.off else 'does not fade any more'}.")


def _text(typed: str) -> str:
    if typed != "-":
        return typed
    import sys

    return sys.stdin.read()


def _fields(options: argparse.Namespace) -> dict[str, Any]:
    values = {name: getattr(options, name) for name in ("topic", "kind", "project", "importance")}
    values["keywords"] = options.keyword
    return {name: value for name, value in values.items() if value is not None}


def _by(context: Context) -> dict[str, Any]:
    who = context.author
    return {"source_agent": who["agent"], "source": {"session": who["session"]}}


def _say(options: argparse.Namespace, context: Context, found: Entry, said: str) -> int:
    if options.json:
        context.output.json(found.shown())
    elif said:
        context.output.line(said)
    else:
        context.output.table([(f"{name}:", _plain(value)) for name, value in found.shown().items()])
    return 0


def _plain(value: object) -> object:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{key} {item}" for key, item in value.items())
    return value


def _list(options: argparse.Namespace, context: Context) -> int:
    events.settle(context.home, context.now)
    wanted = (options.status,) if options.status else (entries.ACTIVE, entries.DISPUTED)
    rows = [
        found
        for found in fold.load(context.home).values()
        if found.status in wanted
        and (not options.kind or found.kind == options.kind)
        and (not options.project or found.project.lower() == options.project.lower())
    ]
    rows.sort(key=lambda found: (found.ts, found.id), reverse=True)
    rows = rows[: max(options.limit, 1)]
    if options.json:
        context.output.json([found.shown() for found in rows])
    elif not rows:
        context.output.line('Nothing yet: `pal memory store "…"` remembers a text.')
    else:
        cells = [(found.id, found.ts[:10], found.importance, found.topic or "-", found.content) for found in rows]
        context.output.table(cells, ("id", "since", "importance", "topic", "text"))
    return 0
