"""Copilot CLI's transcripts are events files; the reply is in the file before the hook of its turn's end runs."""

from __future__ import annotations

from pal.targets import event_lines

recent = event_lines.recent
