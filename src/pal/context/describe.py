"""Every part of what an agent may be told, with its size, its cap and its switch; for `pal debug context`."""

from __future__ import annotations

from pal.base.text import units
from pal.context import digests, prompt, semi_static, session, session_parts, tier1

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from pal.base.home import Home
    from pal.base.settings import Settings

    Row = tuple[str, int, int, bool]  # part, its units now, its cap, whether it is switched on

TIER1_CAP = 6 * 1024  # units; by house rule, no agent sets one


def describe(
    home: Home, settings: Settings, cwd: str, now: float, env: Mapping[str, str], asked: str = ""
) -> list[Row]:
    """The parts of tier 1, tier 2, a session's start in cwd, and the prompt `asked`; nothing is written or used up."""
    rows: list[Row] = [("tier 1", units(tier1.render(home, settings, imports=True, env=env)), TIER1_CAP, True)]
    for source in semi_static.SOURCES:
        text = semi_static.text_of(source, home, settings, now)
        size = units(digests.rendered(source, text)) if text else 0
        rows.append((f"digest: {source.slug}", size, source.cap, settings.on(source.switch)))
    start = session_parts.Start(home, settings, cwd, "", now, env)
    for part in session.PARTS:
        on = part.on(settings)
        rows.append((f"session: {part.name}", units(session.said(part, start)) if on else 0, part.cap, on))
    told = {section.name: units(section.text) for section in prompt.parts(home, settings, asked, cwd, "", now)}
    for name, _, switch, cap, _ in prompt.PARTS:
        rows.append((f"prompt: {name}", told.get(name, 0), cap, settings.on(switch)))
    return rows
