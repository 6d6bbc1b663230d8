"""Hands verbs and jobs their way of asking a model: every agent's one-shot form, joined with the dispatcher."""

from __future__ import annotations

from pal.base import clock, settings
from pal.inference import services
from pal.inference.dispatcher import API, SPAWN, Dispatcher
from pal.targets import asking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pal.base.asking import Ask
    from pal.base.home import Home
    from pal.base.settings import Settings
    from pal.cli.context import Context


def routes() -> list[str]:
    """The name of every route there could be."""
    return [name + SPAWN for name in asking.ONE_SHOT] + [service.name + API for service in services.SERVICES]


def dispatcher(
    home: Home, values: Settings, env: Mapping[str, str], agent: str = "", only: str = "",
    now: Callable[[], float] = clock.now,
) -> Dispatcher:  # fmt: skip
    """The ways of the named agent, or of the one at work in this environment; or the one way that `only` names."""
    if only.endswith(SPAWN):
        agent = only[: -len(SPAWN)]
    return Dispatcher(home, values, env, agent or asking.active(env), asking.shots(), only, now)


def typed(context: Context, only: str = "") -> Dispatcher:
    """The ways open to a typed command."""
    return dispatcher(context.home, settings.load(context.home), context.env, "", only, lambda: context.now)


def asker(context: Context) -> Ask:
    """An `Ask` for one typed command."""
    return typed(context).ask
