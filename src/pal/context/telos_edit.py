"""Writes what the user says into a topic of their telos: under its lock, and never over an earlier answer unasked.

What an answer replaces goes to the backups first; the scaffold's heading and question stay where they are."""

from __future__ import annotations

import os

from pal.base import clock, files, locks, text
from pal.base.errors import PalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pal.base.home import Home
    from pal.context.telos import Topic


def put(home: Home, topic: Topic, answer: str, now: float, replace: bool) -> str:
    """Answer the topic; the path of the copy of an earlier answer, empty when there was none."""
    from pal.context.telos import says_something

    said = _worth(answer)

    def change(before: str) -> str:
        if says_something(before) and not replace:
            raise PalError(
                f"{topic.name} is answered already; `pal telos append` adds to it, `--replace` takes its place (a copy "
                "is kept)"
            )
        return _scaffold(before, topic.name) + "\n" + said + "\n"

    return _changed(home, topic, change, now)


def append(home: Home, topic: Topic, line: str, now: float) -> str:
    """Add a line to the topic, as a bullet unless it is a heading, a bullet or a row of a table; always empty."""
    said = _worth(line)
    if not said.startswith(("- ", "* ", "#", "|", "1.")):
        said = "- " + said

    def change(before: str) -> str:
        if said in before.splitlines():
            return before
        held = before.rstrip("\n") or f"# {topic.name.capitalize()}\n"
        last = held.rsplit("\n", 1)[-1].lstrip()
        gap = "\n" if last.startswith(("- ", "* ", "|", "1.")) and said[:1] == last[:1] else "\n\n"
        return held + gap + said + "\n"

    return _changed(home, topic, change, now, keep=False)


def _changed(home: Home, topic: Topic, change: Callable[[str], str], now: float, keep: bool = True) -> str:
    files.make_folder(os.path.dirname(topic.path))
    with locks.Lock(topic.path) as held:
        if not held:
            raise PalError(f"{topic.path} is being written by somebody else; try again")
        data = files.read_bytes(topic.path)
        before = _decoded(topic.path, data or b"")
        after = change(before.replace("\r\n", "\n"))
        if "\r\n" in before:
            after = after.replace("\n", "\r\n")
        copy = ""
        if keep and data is not None and _says(before):
            folder = os.path.join(home.backups, "telos")
            files.make_folder(folder)
            copy = os.path.join(folder, f"{topic.name}-{clock.iso(now).replace(':', '')}.md")
            files.write(copy, data, durable=True)
        files.write(topic.path, after, durable=True)
        return copy


def _says(before: str) -> bool:
    from pal.context.telos import says_something

    return says_something(before)


def _scaffold(before: str, name: str) -> str:
    """The heading and the comment that asks the question, as they stand at the file's beginning."""
    lines = before.splitlines()
    kept: list[str] = []
    inside = False
    for line in lines:
        bare = line.strip()
        if not inside and bare and not bare.startswith(("# ", "<!--")):
            break
        kept.append(line)
        inside = (inside or bare.startswith("<!--")) and not bare.endswith("-->")
    head = "\n".join(kept).rstrip()
    return (head or f"# {name.capitalize()}") + "\n"


def _decoded(path: str, data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise PalError(f"{path} is not UTF-8; save it as UTF-8, then try again") from None


def _worth(said: str) -> str:
    from pal.base.redaction import scrub

    kept = scrub(said.replace("\r\n", "\n").strip())
    if not text.first_line(kept):
        raise PalError("there is nothing to write; give the text after the topic, or on stdin with `-`")
    return kept
