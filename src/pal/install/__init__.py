"""Putting PAL on a machine and taking it off again: change plans, editors, archives, owners."""

from __future__ import annotations
