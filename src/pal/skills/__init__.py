"""Floor 4: which skills there are and which of them a prompt asks for."""

from __future__ import annotations
