"""What every hook is handed beside its turn: home, settings, the moment, the environment, a way to start jobs."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pal.base.home import Home
    from pal.base.settings import Settings


class Frame:
    """The surroundings of one hook run."""

    __slots__ = ("env", "home", "later", "now", "revive", "settings")

    def __init__(
        self,
        home: Home,
        settings: Settings,
        now: float,
        env: Mapping[str, str],
        later: Callable[..., object],
        revive: Callable[[], object],
    ) -> None:
        self.home = home
        self.settings = settings
        self.now = now
        self.env = env
        # later(name) hands the named job to a child that outlives the hook; once, however often asked.
        # later(name, payload) hands over this very piece of work.
        self.later = later
        self.revive = revive  # offers jobs again whose process died
