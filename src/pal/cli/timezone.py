"""`pal timezone`: show the user's time zone, or set it after checking that this machine knows it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pal.base import clock, settings
from pal.base.errors import PalError
from pal.cli.parser import json_option
from pal.install import scaffold

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context

EXAMPLES = """
pal timezone
pal timezone Europe/Budapest
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("zone", nargs="?", help="an IANA name, such as America/New_York")
    json_option(parser)


def run(options: argparse.Namespace, context: Context) -> int:
    if options.zone:
        scaffold.set_value(context.home, scaffold.TIMEZONE, known(options.zone))
    zone = settings.load(context.home).zone
    time = clock.wall(context.now, zone)
    if options.json:
        context.output.json({"timezone": zone, "now": time})
    elif zone and not clock.valid_zone(zone):
        context.output.line(f"{zone}, which is not known here, so PAL uses UTC (now {time})")
    elif zone:
        context.output.line(f"{zone} (now {time})")
    else:
        context.output.line(f"None set; PAL uses this machine's (now {time}). Set one with `pal timezone ZONE`.")
    return 0


def known(zone: str) -> str:
    """The zone as the time zone data spells it; PalError for one that nobody knows."""
    import zoneinfo

    zones = zoneinfo.available_timezones()
    spelled = {name.casefold(): name for name in zones}.get(zone.casefold(), zone)
    if clock.valid_zone(spelled):
        return spelled
    if not clock.knows_zones():
        raise PalError(
            "this Python has no time zone data, so PAL goes by the machine's clock; to name a zone, run"
            f" `{sys.executable} -m pip install tzdata`, then set it again (nothing was changed)"
        )
    import difflib

    near = difflib.get_close_matches(spelled, zones, 1, 0.6)
    hint = f"; did you mean {near[0]}?" if near else ", such as Europe/Budapest"
    raise PalError(f"{zone!r} is not the name of a time zone{hint}")
