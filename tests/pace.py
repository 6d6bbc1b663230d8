"""How long a piece of work takes on a machine at rest: tests of speed ask here, so that a busy machine fails none."""

from __future__ import annotations

import gc
import time

AT_REST = 0.015  # seconds of `pace` where nothing else runs
TRIES = 8  # the least of a few measures: a busy machine makes one longer, never shorter


def pace():
    """What a fixed piece of work takes now: cores that are shared make everything slower alike."""
    begin = time.process_time()
    for _ in range(1_000_000):
        pass
    return time.process_time() - begin


def spent(work):
    """The CPU seconds that `work()` takes on a machine at rest, without collecting garbage, as hooks run."""
    before = pace()
    gc.disable()
    try:
        begin = time.process_time()
        work()
        taken = time.process_time() - begin
    finally:
        gc.enable()
    return taken / max(1.0, (before + pace()) / 2 / AT_REST)


def least(work, enough):
    """The least that `work()` takes in a few tries; the first one below `enough` seconds will do."""
    best = float("inf")
    for _ in range(TRIES):
        best = min(best, spent(work))
        if best < enough:
            break
    return best
