"""`pal wisdom`: the frames, one a domain, with what was observed and which of it is crystallised."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pal.base.errors import PalError
from pal.cli.parser import actions, json_option
from pal.memory.tools import frames

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal wisdom list
pal wisdom observe development "Small commits are reviewed the same day" --kind rule
pal wisdom crystallise development "Reproduce a bug before mending it" --confidence 90
pal wisdom dissolve development "Reproduce a bug"
"""
_KINDS = (frames.PRINCIPLE, frames.RULE, frames.ANTI_PATTERN)


def configure(parser: argparse.ArgumentParser) -> None:
    table = actions(
        parser,
        (
            ("list", "list the frames and what is crystallised in them"),
            ("show", "show one frame"),
            ("observe", "note an observation; sessions are not told of it"),
            ("crystallise", "mark a principle, rule or anti-pattern; from 85 percent on, every session is told"),
            ("dissolve", "take the mark away again; the words stay"),
        ),
    )
    for name in ("show", "observe", "crystallise", "dissolve"):
        table[name].add_argument("domain", help="a domain, such as development or communication")
    for name in ("observe", "crystallise", "dissolve"):
        table[name].add_argument("text", help="one sentence; of a crystal to dissolve its beginning is enough")
    table["observe"].add_argument(
        "--kind", choices=(*_KINDS, frames.EVOLUTION), default=frames.EVOLUTION, help="what it is (default evolution)"
    )
    table["crystallise"].add_argument(
        "--kind", choices=_KINDS, default=frames.PRINCIPLE, help="what it is (default principle)"
    )
    table["crystallise"].add_argument(
        "--confidence", type=int, default=90, metavar="PERCENT", help="how sure (default 90)"
    )
    table["crystallise"].add_argument("--detail", default="", help="why it holds, below the principle")
    for action in table.values():
        json_option(action)


def run(options: argparse.Namespace, context: Context) -> int:
    home, now, zone = context.home, context.now, context.zone
    if options.action == "list":
        return _list(options, context)
    said = ""
    if options.action == "observe":
        is_new = frames.observe(home, options.domain, options.kind, options.text, now, zone)
        said = "Noted in" if is_new else "Known already to"
    elif options.action == "crystallise":
        is_new = frames.crystallise(
            home, options.domain, options.kind, options.text, options.confidence, now, zone, options.detail
        )
        said = "Crystallised in" if is_new else "Crystallised already in"
    elif options.action == "dissolve":
        frames.dissolve(home, options.domain, options.text, now, zone)
        said = "No longer a crystal of"
    frame = frames.load(home, options.domain)
    if frame is None:
        raise PalError(f"There is no frame {options.domain!r}; `pal wisdom list` names them.")
    if options.json:
        context.output.json(frame.facts())
    elif said:
        context.output.line(f"{said} {frame.path}")
    else:
        with open(frame.path, encoding="utf-8", errors="replace") as page:
            context.output.text(page.read())
    return 0


def _list(options: argparse.Namespace, context: Context) -> int:
    found = [frame for name in frames.names(context.home) if (frame := frames.load(context.home, name)) is not None]
    if options.json:
        context.output.json([frame.facts() for frame in found])
        return 0
    if not found:
        context.output.line("No frame yet; `pal wisdom observe DOMAIN TEXT` begins one.")
    for frame in found:
        context.output.line(context.output.style(frame.domain, "bold") + f"  {frame.path}")
        for entry in frame.entries:
            sure = "    " if entry.sure is None else f"{entry.sure:3d}%"
            context.output.line(f"  {sure}  {entry.kind:<13}{entry.text}")
    return 0
