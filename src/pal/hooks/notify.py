"""Two courtesies to a person at a terminal: the tab bears the session's name, and a long turn's end makes a notice.

Only where the system offers them, a person is there, and `PAL_NOTIFICATIONS_DISABLED` is not set."""

from __future__ import annotations

from pal.base import desktop, process
from pal.memory import interaction, sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from pal.base.home import Home
    from pal.hooks.frame import Frame
    from pal.hooks.turn import HookInput

AFTER = 60  # seconds of work after which a person may have looked away


def wanted(turn: HookInput, env: Mapping[str, str]) -> bool:
    """True if a person is there who did not ask for quiet."""
    return turn.attended and not env.get("PAL_NOTIFICATIONS_DISABLED")


def name_tab(name: str, turn: HookInput, env: Mapping[str, str]) -> None:
    """Set the title of the agent's terminal; an empty name gives it back to the terminal."""
    if wanted(turn, env):
        terminal = desktop.terminal_of(turn.process)
        if terminal:
            desktop.set_title(terminal, name)


def name_of(home: Home, session: str) -> str:
    """The session's name in the registry; empty while it has none."""
    row = sessions.get(home, session)
    return str(row.get("name") or "") if row else ""


def turn_ended(turn: HookInput, frame: Frame) -> None:
    """The tab keeps the session's name; a turn that took long also makes a notice on the desktop."""
    if not wanted(turn, frame.env):
        return
    name = name_of(frame.home, turn.session)
    name_tab(name, turn, frame.env)
    after = frame.settings.number("notifications.afterSeconds", AFTER)
    took = interaction.since_prompt(frame.home, turn.session, frame.now)
    if took >= after and frame.settings.flag("notifications.desktop", True):
        argv = desktop.notice_command(frame.env, frame.settings.assistant, name or "The turn is done.")
        if argv:
            process.detached(argv, frame.env)
