"""The one exception that is meant for people; the command line prints it, hooks log it."""

from __future__ import annotations


class PalError(Exception):
    """One sentence: what was wrong, where, and what to do about it."""
