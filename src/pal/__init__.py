"""PAL, the Portable Agent Layer: one memory, one guard and one set of skills for every coding agent."""

from __future__ import annotations

__version__ = "0.1.0"
