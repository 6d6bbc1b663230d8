"""Sends events on to a collector for as long as a server runs: one thread in the background, and a last time at the
end. A server's callers never wait for it."""

from __future__ import annotations

from pal.events import outlets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pal.base.home import Home

EVERY = 5.0  # seconds
LAST = 2.0  # seconds for what is left at the end


def begin(home: Home, env: Mapping[str, str], every: float = EVERY, last: float = LAST) -> Callable[[], object]:
    """Export from now on; what comes back ends it. Without a collector in the environment nothing happens."""
    if not outlets.collector(env):
        return lambda: None
    import threading

    from pal.base import log
    from pal.events import export

    over = threading.Event()

    def work() -> None:
        while True:
            ending = over.wait(every)
            try:
                export.run(home, env, over.wait)
            except Exception as fault:  # a full disk, say; the next time may do better
                log.error(home, "otlp", f"{type(fault).__name__} while exporting: {fault}")
            if ending:
                return

    thread = threading.Thread(target=work, name="exporting", daemon=True)
    thread.start()

    def end() -> None:
        over.set()
        thread.join(last)

    return end
