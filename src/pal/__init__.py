"""PAL, the Portable Agent Layer: one memory, one guard and one set of skills for every coding agent."""

from __future__ import annotations

__version__ = "0.1.0"


def _open(loader: object) -> None:
    """In `pal.pyz` everything else is in an archive of its own."""
    if type(loader).__name__ == "zipimporter":
        from pal import bundled

        bundled.install(loader)


_open(globals()["__loader__"])
