"""`pal self-model`: the short portrait each session begins with: who the user is, and PAL's one priority now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pal.base.asking import nobody
from pal.cli.asking import asker
from pal.cli.parser import actions, json_option
from pal.memory import selfmodel
from pal.memory.tools import self_portrait

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal self-model show
pal self-model write
pal self-model write --no-model --dry-run
"""
NONE_YET = "No self-model yet; there is one as soon as something is known of you and your work."


def configure(parser: argparse.ArgumentParser) -> None:
    table = actions(
        parser,
        (
            ("show", "print the portrait"),
            ("write", "renew it; the one before is kept under its day"),
            ("history", "list the earlier ones, newest first"),
        ),
    )
    table["write"].add_argument("--no-model", action="store_true", help="put it together by rule, and ask no model")
    table["write"].add_argument("--dry-run", action="store_true", help="print what would be written")
    for action in table.values():
        json_option(action)


def run(options: argparse.Namespace, context: Context) -> int:
    home, now, zone = context.home, context.now, context.zone
    if options.action == "history":
        paths = self_portrait.versions(home)
        if options.json:
            context.output.json(paths)
        for path in () if options.json else paths or ("No earlier self-model.",):
            context.output.line(path)
        return 0
    path = ""
    if options.action == "write":
        ask = nobody if options.no_model else asker(context)
        if not options.no_model:
            context.output.progress("Putting together what is known, with a model's help if one is at hand ...")
        if options.dry_run:
            text = self_portrait.draft(home, ask, now, zone)
        else:
            path = self_portrait.write(home, ask, now, zone)
            text = selfmodel.text(home)
    else:
        path = home.self_model
        text = selfmodel.text(home)
    if options.json:
        context.output.json({"path": path, "text": text})
    else:
        context.output.text(text or NONE_YET)
    return 0
