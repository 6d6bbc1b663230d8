"""Runs a hook's handlers one after another: a failing one is logged and never stops the next.

They run in order, not in threads: each takes microseconds, and starting a thread costs more than most of them."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from pal.base.home import Home

    Result = TypeVar("Result")

BUDGET = 0.25  # seconds a handler may take before the log says so


def attempt(home: Home, name: str, handler: Callable[[], Result], otherwise: Result) -> Result:
    """The handler's result; `otherwise`, and a log line with the traceback, when it fails."""
    began = time.perf_counter()
    try:
        result = handler()
    except Exception as problem:
        import traceback  # rare, and dear to import

        from pal.base import log

        log.error(home, name, f"{type(problem).__name__}: {problem}", traceback.format_exc())
        return otherwise
    took = time.perf_counter() - began
    if took > BUDGET:
        from pal.base import log

        log.warning(home, name, f"took {took * 1000:.0f} ms of a budget of {BUDGET * 1000:.0f} ms")
    return result


def all_of(home: Home, handlers: Sequence[tuple[str, Callable[[], object]]]) -> None:
    """Run each handler for what it does."""
    for name, handler in handlers:
        attempt(home, name, handler, None)
