"""The people, companies, projects, tools and ideas a session was about, kept until the user looks through them.

Only a model finds them; only names that were really said are kept, each once."""

from __future__ import annotations

from pal.base import clock, records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from pal.base.home import Home

_LOOKED_THROUGH = 1000  # newest records


def keep(home: Home, found: Sequence[tuple[str, str, str]], who: dict[str, Any], cwd: str, now: float) -> int:
    """Add (kind, name, what is known) to the list that waits for review; how many were new."""
    known = {
        (str(row.get("kind")), str(row.get("name")).casefold())
        for row in records.tail(home.entity_candidates, _LOOKED_THROUGH)
    }
    added = 0
    for kind, name, about in found:
        if (kind, name.casefold()) not in known:
            row = {"ts": clock.iso(now), **who, "kind": kind, "name": name, "about": about, "cwd": cwd}
            added += records.append(home, home.entity_candidates, row, now, once=("kind", "name"))
    return added
