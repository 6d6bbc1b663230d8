"""VS Code's transcripts are events files; the client writes them out before each hook, so a stop finds the reply."""

from __future__ import annotations

from pal.targets import event_lines

recent = event_lines.recent
commands = event_lines.commands
