"""PAL's own log: errors always, debug lines only while the flag file exists; never a reason for anything to fail."""

from __future__ import annotations

import os
import time

from pal.base import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.base.home import Home

ROTATE_AT = 50_000  # bytes
OLD_FILES = 5  # with the current one about 300 kB in all
_LONGEST = 4000  # characters of one message


def error(home: Home, source: str, message: str, trace: str = "") -> None:
    """One line for a fault of ours, with its traceback indented below it."""
    _line(home, "ERROR", source, message, trace)


def warning(home: Home, source: str, message: str) -> None:
    """One line for what is odd but no fault, such as a slow step."""
    _line(home, "WARNING", source, message, "")


def info(home: Home, source: str, message: str) -> None:
    """One line for what is no fault but must be found later, such as every question to a model."""
    _line(home, "INFO", source, message, "")


def debug(home: Home, source: str, message: str) -> None:
    """A line for somebody who follows what PAL does (`pal debug on`)."""
    if os.path.exists(home.debug_flag):
        _line(home, "DEBUG", source, message, "")


def _line(home: Home, level: str, source: str, message: str, trace: str) -> None:
    from pal.base.redaction import scrub  # a run without a fault never needs it here

    stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
    text = "[{}] {} {}: {}\n".format(stamp, level, source, " ".join(scrub(message)[:_LONGEST].split()))
    if trace:
        text += "".join("    " + row + "\n" for row in scrub(trace)[-_LONGEST:].splitlines())
    try:
        if not os.path.isdir(home.root):
            return  # PAL was removed; a log line is no reason to bring its folder back
        files.make_folder(home.state)
        descriptor = os.open(home.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | files.BINARY, 0o600)
        try:
            os.write(descriptor, text.encode("utf-8", "backslashreplace"))
            size = os.fstat(descriptor).st_size
        finally:
            os.close(descriptor)
        if size > ROTATE_AT:
            from pal.base import rotation  # seldom

            rotation.rotate(home.log, ROTATE_AT, OLD_FILES)
    except OSError:
        pass  # a full or read-only disk: there is nowhere left to say so
