"""What the system offers to reach a person: the terminal a process writes to, and a notice on the desktop."""

from __future__ import annotations

import os
import sys

from pal.base import process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def terminal_of(process_id: int) -> str:
    """The terminal device a process writes to, where /proc tells; else empty."""
    try:
        place = os.readlink(f"/proc/{process_id}/fd/1")
    except OSError:
        return ""
    return place if place.startswith(("/dev/pts/", "/dev/tty")) else ""


def set_title(terminal: str, title: str) -> None:
    """Name the terminal's tab; an empty title gives it back to the terminal. OSError when it is gone."""
    shown = "".join([char for char in title if char.isprintable()])[:60]
    descriptor = os.open(terminal, os.O_WRONLY | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        os.write(descriptor, b"\x1b]0;" + shown.encode("utf-8", "replace") + b"\x07")  # OSC 0: icon and title
    finally:
        os.close(descriptor)


def notice_command(env: Mapping[str, str], title: str, text: str, platform: str = sys.platform) -> list[str]:
    """The command that shows a notice on this system; empty when it offers none."""
    if platform == "darwin":
        program = process.find_program("osascript", env)
        script = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run"
        return [program, "-e", script, title, text] if program else []
    if env.get("DISPLAY") or env.get("WAYLAND_DISPLAY"):
        program = process.find_program("notify-send", env)
        return [program, "--app-name=PAL", "--", title, text] if program else []
    return []
