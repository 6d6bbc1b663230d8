"""Everything a person or a program reads from a verb goes out through here: plain lines, tables, JSON, questions.

Verbs hold an `Output` and never print. Colours appear on a terminal only and not under NO_COLOR, so that a pipe,
a log and a screen reader get plain text.
"""

from __future__ import annotations

import os
import sys

from pal.base import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, TextIO

STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}


class Output:
    """The two streams of a command, and whether they may be coloured or asked."""

    __slots__ = ("_colour", "_err", "_out", "_stdin")

    def __init__(self, env: Mapping[str, str], out: TextIO | None = None, err: TextIO | None = None) -> None:
        self._out = out if out is not None else sys.stdout
        self._err = err if err is not None else sys.stderr
        self._stdin = sys.stdin
        self._colour = _is_terminal(self._out) and not env.get("NO_COLOR") and env.get("TERM") != "dumb"
        for stream in (self._out, self._err):
            _accept_every_character(stream)

    @property
    def interactive(self) -> bool:
        """Whether a person sits in front of both ends, so that a question can be answered."""
        return _is_terminal(self._stdin) and _is_terminal(self._out)

    def line(self, text: str = "") -> None:
        self._out.write(text + "\n")

    def text(self, text: str) -> None:
        """Write a ready text as it stands, with one line end after it."""
        self._out.write(text if text.endswith("\n") else text + "\n")

    def error(self, text: str) -> None:
        # What was said on stdout so far comes first when both go to one terminal.
        self._out.flush()
        self._err.write(f"pal: {text}\n")
        self._err.flush()

    def json(self, value: Any) -> None:
        self._out.write(jsontext.pretty(value).rstrip("\n") + "\n")

    def style(self, text: str, name: str) -> str:
        return f"\x1b[{STYLES[name]}m{text}\x1b[0m" if self._colour else text

    def shows(self, text: str) -> bool:
        """Whether the stream can carry these characters, or would escape them."""
        try:
            text.encode(getattr(self._out, "encoding", None) or "utf-8")
        except (UnicodeEncodeError, LookupError):
            return False
        return True

    def table(self, rows: Iterable[Sequence[object]], headings: Sequence[str] = ()) -> None:
        """Rows in aligned columns; the last column runs on, so that a copy of it is whole."""
        body = [[_cell(cell) for cell in row] for row in rows]
        every = [list(headings), *body] if headings else body
        if not every:
            return
        widths = [max(len(row[column]) for row in every) for column in range(len(every[0]))]
        for number, row in enumerate(every):
            cells = [cell.ljust(width) for cell, width in zip(row[:-1], widths)] + [row[-1]]
            text = "  ".join(cells).rstrip()
            self.line(self.style(text, "bold") if headings and number == 0 else text)

    def progress(self, text: str) -> None:
        """Say what long work is doing: on a terminal's error stream, so that no pipe ever carries it."""
        if _is_terminal(self._err):
            self._err.write(text + "\n")
            self._err.flush()

    def advance(self, done: int, total: int, what: str) -> None:
        """A bar that grows in place while long work goes on; like `progress` for a person only."""
        if not _is_terminal(self._err) or not total or (done < total and done % max(1, total // 100)):
            return
        filled = 30 * done // total
        self._err.write(f"\r[{'#' * filled}{'.' * (30 - filled)}] {done:,} of {total:,} {what}")
        self._err.write("\n" if done >= total else "")
        self._err.flush()

    def ask(self, question: str, default: str = "") -> str:
        """A person's answer, or the default where nobody can be asked or only Enter was typed."""
        if not self.interactive:
            return default
        self._out.write(f"{question} [{default}] " if default else f"{question} ")
        self._out.flush()
        answer = self._stdin.readline()
        if not answer:
            self.line()
            return default
        return answer.strip() or default

    def confirm(self, question: str) -> bool:
        return self.ask(f"{question} (y/N)").lower() in ("y", "yes")

    def flush(self) -> None:
        self._out.flush()
        self._err.flush()

    def abandon(self) -> None:
        """The reader of stdout went away: point the descriptor at nothing, so that the exit flush stays silent."""
        try:
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, self._out.fileno())
            os.close(nothing)
        except (OSError, ValueError):
            return


def _cell(value: object) -> str:
    return " ".join(str(value).split()) if value is not None else ""


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # a closed stream
        return False


def _accept_every_character(stream: TextIO) -> None:
    """Keep a C locale or a Windows code page from ending a command at a letter it does not know.

    A pipe or a file gets the same bytes on every system: UTF-8, and line ends as they are written."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is None:
        return
    if _is_terminal(stream):
        reconfigure(errors="backslashreplace")
    else:
        reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
