"""What agents wrote down of the tokens their requests took, in one form, from files read line by line (cold).

An agent's `usage` module gives `read(env, since)`. Numbers are its own; nothing is reckoned where it tells none."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pal import targets

LONGEST = 16 * 1024 * 1024  # bytes of a line that is looked at; a longer one holds a picture, not a count


class Used(NamedTuple):
    """One request to a model. `input` is what neither came from a cache nor went into one; tokens are whole numbers."""

    key: str  # the same request has the same key, wherever it is written down again
    at: str  # ISO time
    session: str
    project: str  # its folder
    model: str
    input: int
    output: int
    cache_write: int = 0
    cache_read: int = 0
    cache_write_long: int = 0  # kept for an hour, at a price of its own


def readers() -> Iterator[tuple[str, Any]]:
    """(agent, its module) of every agent that writes its tokens down."""
    for name in targets.NAMES:
        try:
            yield name, __import__(targets.TARGETS[name] + ".usage", fromlist=("read",))
        except ModuleNotFoundError as missing:
            if missing.name != targets.TARGETS[name] + ".usage":
                raise


def files_below(folder: str, ending: str, since: float) -> Iterator[str]:
    """The files with this ending that were written since, in the order of their names."""
    for path, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            whole = os.path.join(path, name)
            try:
                if name.endswith(ending) and os.stat(whole).st_mtime >= since:
                    yield whole
            except OSError:
                continue  # gone in between


def rows(path: str, *marks: bytes) -> Iterator[dict[str, Any]]:
    """The JSON objects of the lines that hold one of the marks; a file is never held whole, a torn line is passed."""
    try:
        with open(path, "rb") as stream:
            for line in stream:
                if len(line) > LONGEST or not any(mark in line for mark in marks):
                    continue
                try:
                    row = json.loads(line)
                except (ValueError, RecursionError):
                    continue
                if isinstance(row, dict):
                    yield row
    except OSError:
        return


def number(row: Any, *names: str) -> int:
    """The first of these members that is a whole number from 0; 0 without one."""
    for name in names if isinstance(row, Mapping) else ():
        value = row.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
    return 0
