"""Files that people read and edit as well as PAL: changed under a lock, with every foreign character kept.

A report carries a seal in its header, a number made from its text. While seal and text agree PAL may renew the report;
once a person has changed it, it is theirs and the next one gets a name of its own."""

from __future__ import annotations

import os

from pal.base import files, frontmatter, locks
from pal.base.errors import PalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

WAIT = 10.0  # seconds; no agent waits for these
_SEAL = "seal"


def edit(path: str, change: Callable[[str], str]) -> bool:
    """Replace a file's text by what `change` makes of it (empty when there is none); True if it is another.

    `change` sees plain line ends; the file keeps the ones it has. PalError when it is no UTF-8 or is being written."""
    files.make_folder(os.path.dirname(path))
    with locks.Lock(path, WAIT) as held:
        if not held:
            raise PalError(f"{path} is being written by another program, or its folder is read-only; try again.")
        before = _text(path)
        windows = "\r\n" in before and before.count("\n") == before.count("\r\n")
        plain = before.replace("\r\n", "\n") if windows else before
        after = change(plain)
        if after == plain:
            return False
        return files.write(path, after.replace("\n", "\r\n") if windows else after, durable=True)


def _text(path: str) -> str:
    try:
        return (files.read_bytes(path) or b"").decode("utf-8")
    except UnicodeDecodeError:
        raise PalError(f"{path} is not UTF-8 text; save it as UTF-8, then try again.") from None


def report(stem: str, fields: dict[str, Any], body: str, renew: bool = True) -> str:
    """Write `<stem>.md`, or `<stem>-2.md` and so on where that is taken; the path.

    A report that PAL wrote and nobody touched is replaced, unless `renew` is off and it says something else."""
    number = 1
    while True:
        path = stem + (f"-{number}" if number > 1 else "") + ".md"
        taken = False

        def fill(before: str) -> str:
            nonlocal taken
            taken = bool(before) and not (untouched(before) if renew else _says(before, body))
            return before if taken or _says(before, body) else sealed(fields, body)

        edit(path, fill)
        if not taken:
            return path
        number += 1


def sealed(fields: dict[str, Any], body: str) -> str:
    """A report's text, with its seal."""
    return frontmatter.render({**fields, _SEAL: _number(body)}, body)


def untouched(content: str) -> bool:
    """Whether a report says what PAL wrote."""
    fields, body = frontmatter.parse(content)
    return fields.get(_SEAL) == _number(body)


def _says(content: str, body: str) -> bool:
    return untouched(content) and frontmatter.parse(content)[1].strip() == body.strip()


def _number(body: str) -> str:
    import binascii

    return f"{binascii.crc32(body.strip().encode('utf-8', 'backslashreplace')):08x}"
