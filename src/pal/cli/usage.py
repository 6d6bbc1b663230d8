"""`pal usage`: tokens and what they would cost at list prices, from what the agents wrote down, and PAL's own calls."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from pal import targets
from pal.base import clock, settings
from pal.base.errors import PalError
from pal.cli.parser import json_option
from pal.inference import spend
from pal.targets import prices, usage

if TYPE_CHECKING:
    import argparse

    from pal.cli.context import Context
    from pal.targets.usage import Used

EXAMPLES = """
pal usage
pal usage --by project --days 7
pal usage --by day --json
"""
BY = ("agent", "model", "project", "day", "session")
DAYS, MOST_DAYS = 30, 3650
_DAY = 86_400.0
_SHOWN = 40  # rows


class Sum:
    """Requests, tokens and cost of one group; `unpriced` counts the tokens that have no price."""

    __slots__ = ("cost", "requests", "tokens", "unpriced")

    def __init__(self) -> None:
        self.requests = 0
        self.tokens = dict.fromkeys(prices.KINDS, 0)
        self.cost = 0.0
        self.unpriced = 0

    def add(self, used: Used, price: prices.Price | None) -> None:
        self.requests += 1
        for kind in prices.KINDS:
            self.tokens[kind] += getattr(used, kind)
        if price is None:
            self.unpriced += sum(getattr(used, kind) for kind in prices.KINDS)
        else:
            self.cost += prices.cost(used, price)

    def facts(self) -> dict[str, Any]:
        return {
            "requests": self.requests,
            **self.tokens,
            "total": sum(self.tokens.values()),
            "cost": round(self.cost, 4),
            "unpriced": self.unpriced,
        }


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--by", choices=BY, default="model", help="what to add up by (default model)")
    parser.add_argument("--days", type=int, default=DAYS, metavar="N", help=f"how many days back (default {DAYS})")
    parser.add_argument("--agent", choices=targets.NAMES, help="only this agent")
    json_option(parser)


def run(options: argparse.Namespace, context: Context) -> int:
    if not 1 <= options.days <= MOST_DAYS:
        raise PalError(f"--days takes 1 to {MOST_DAYS}, not {options.days}")
    values = settings.load(context.home)
    since = context.now - options.days * _DAY
    read, silent = _read(options, context, since)
    groups, whole = summed(read, since, options.by, prices.table(values.get(prices.SETTING)), values.zone)
    own = _own(context, since, values.zone)
    if options.json:
        rows = [{options.by: name, **group.facts()} for name, group in groups]
        facts = {"by": options.by, "days": options.days, "rows": rows, "total": whole.facts(), "pal": own}
        context.output.json({**facts, "unread": silent})
        return 0
    _show(groups, whole, options, context)
    if own["calls"]:
        context.output.line(
            f"PAL itself asked models {own['calls']} times, about {own['tokens']:,} tokens, which no client notes."
        )
    if silent and not options.agent:
        titles = ", ".join(targets.installer(name).TITLE for name in silent)
        context.output.line(f"{titles}: no token counts are written down there.")
    return 0


def summed(
    read: Iterable[tuple[str, Used]], since: float, by: str, table: dict[str, prices.Price], zone: str
) -> tuple[list[tuple[str, Sum]], Sum]:
    """(name and sum of each group, the dearest first or days in order; the sum of all)."""
    groups: dict[str, Sum] = {}
    whole = Sum()
    seen: set[int] = set()
    known: dict[str, prices.Price | None] = {}
    name_of = _namer(by, zone)
    begins = clock.iso(since)
    for agent, used in read:
        mark = hash((agent, used.key))
        if used.at < begins or (used.key and mark in seen):
            continue
        seen.add(mark)
        if used.model not in known:
            known[used.model] = prices.of(used.model, table)
        price = known[used.model]
        groups.setdefault(name_of(agent, used), Sum()).add(used, price)
        whole.add(used, price)
    if by == "day":
        return sorted(groups.items()), whole
    return sorted(groups.items(), key=lambda row: (-row[1].cost, -sum(row[1].tokens.values()), row[0])), whole


def _namer(by: str, zone: str) -> Callable[[str, Used], str]:
    if by == "agent":
        return lambda agent, used: agent
    if by == "model":
        return lambda agent, used: used.model or "unknown"
    if by == "project":
        return lambda agent, used: used.project or "unknown"
    if by == "session":
        return lambda agent, used: f"{agent} {used.session}"
    return lambda agent, used: clock.day(clock.parse(used.at), zone)


def _read(options: argparse.Namespace, context: Context, since: float) -> tuple[Iterable[tuple[str, Used]], list[str]]:
    """(every request that was written down since, the agents on this machine that write none down)."""
    readers = dict(usage.readers())
    chosen = [options.agent] if options.agent else list(targets.NAMES)
    silent = [
        name for name in chosen if name not in readers and os.path.isdir(targets.installer(name).folder(context.env))
    ]

    def every() -> Iterable[tuple[str, Used]]:
        for name in chosen:
            if name in readers:
                context.output.progress(f"Reading what {targets.installer(name).TITLE} wrote down ...")
                for used in readers[name].read(context.env, since):
                    yield name, used

    return every(), silent


def _own(context: Context, since: float, zone: str) -> dict[str, Any]:
    """PAL's own calls in these days, together and by route."""
    begins = clock.day(since, zone)
    calls = tokens = 0
    routes: dict[str, dict[str, int]] = {}
    for day, row in spend.days(context.home).items():
        if day < begins:
            continue
        calls, tokens = calls + usage.number(row, "calls"), tokens + usage.number(row, "tokens")
        for route, part in (row.get("routes") or {}).items():
            sums = routes.setdefault(route, {"calls": 0, "tokens": 0})
            for key in sums:
                sums[key] += usage.number(part, key)
    return {"calls": calls, "tokens": tokens, "routes": routes}


def _show(groups: list[tuple[str, Sum]], whole: Sum, options: argparse.Namespace, context: Context) -> None:
    if not groups:
        context.output.line(f"No agent wrote down a request in the last {options.days} days.")
        return
    shown = groups[-_SHOWN:] if options.by == "day" else groups[:_SHOWN]
    rows = [_cells(name, group) for name, group in shown]
    if len(groups) > 1:
        rows.append(_cells("together", whole))
    headings = ("requests", "input", "cached", "output", "cost", options.by)
    context.output.table(rows, headings)
    if len(shown) < len(groups):
        context.output.line(f"({len(groups) - len(shown)} more; `--json` has them all)")
    if whole.unpriced:
        context.output.line(
            f"\n{whole.unpriced:,} tokens have no price; give one in pal-settings.json ({prices.SETTING}), "
            "in dollars for a million."
        )
    context.output.line("Costs are at list prices; a subscription pays for itself in another way.")


def _cells(name: str, group: Sum) -> tuple[str, ...]:
    tokens = group.tokens
    fresh = tokens["input"] + tokens["cache_write"] + tokens["cache_write_long"]
    cost = f"${group.cost:,.2f}" if group.cost or not group.unpriced else "?"
    return (f"{group.requests:,}", f"{fresh:,}", f"{tokens['cache_read']:,}", f"{tokens['output']:,}", cost, name)
