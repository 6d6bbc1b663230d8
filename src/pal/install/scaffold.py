"""What a new home is given once and then belongs to the user: the settings file and the telos (cold).

Install lays out what is missing and never touches what is there. `set_value` changes one setting and keeps every other
byte of the user's file.
"""

from __future__ import annotations

import os

from pal.base import assets, files
from pal.base.errors import PalError
from pal.base.home import Home
from pal.install import jsonedit
from pal.install.jsonscan import scan

SETTINGS = "templates/pal-settings.json"
TELOS = "telos/"
NAME = "identity.principal.name"
ASSISTANT = "identity.ai.name"
TIMEZONE = "identity.principal.timezone"


def missing(home: Home) -> list[tuple[str, bytes]]:
    """(path, bytes) of every scaffold file that is not there, in the order it would be written."""
    wanted = [(home.settings, SETTINGS)]
    wanted += [(os.path.join(home.telos, name[len(TELOS) :]), name) for name in assets.names(TELOS)]
    return [(path, assets.read(name)) for path, name in wanted if not os.path.lexists(path)]


def lay_out(home: Home) -> list[str]:
    """Write what is missing; the paths written."""
    written = []
    for path, data in missing(home):
        files.make_folder(os.path.dirname(path))
        files.write(path, data, durable=True)
        written.append(path)
    return written


def set_value(home: Home, dotted: str, value: str | list[str]) -> None:
    """Give one setting a value; every other byte of the file stays. PalError when the file cannot be understood."""
    try:
        text = (files.read_bytes(home.settings) or b"").decode("utf-8")
        keys = tuple(dotted.split("."))
        found = scan(text).nodes(keys)
        if not found:
            text, _ = jsonedit.add_member(text, keys, value)
        elif found[-1].value != value:
            text = jsonedit.replace(text, found[-1].start, value)
    except UnicodeDecodeError:
        raise PalError(f"{home.settings} is not UTF-8; save it as UTF-8, then try again") from None
    except PalError as problem:
        raise PalError(f"{home.settings} was left alone: {problem}") from None
    files.write(home.settings, text, durable=True)
