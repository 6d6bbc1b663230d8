"""Takes secrets and private passages out of whole files of the memory without breaking their form.

Writers scrub what they write; this is for what came in otherwise: old data, a person's editor, another machine."""

from __future__ import annotations

import os

from pal.base import files, jsontext, locks, redaction
from pal.base.secret_values import MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from pal.base.home import Home


def cleaned(name: str, data: bytes) -> bytes:
    """The file without secrets, the same bytes when it holds none; a log line by line, JSON stays JSON."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return data  # nothing that PAL writes
    if name.endswith(".jsonl"):
        lines = text.split("\n")
        fresh = [_line(line) for line in lines]
        return data if fresh == lines else "\n".join(fresh).encode("utf-8", "backslashreplace")
    fresh_text = _json(text) if name.endswith(".json") else redaction.scrub(text)
    return data if fresh_text == text else fresh_text.encode("utf-8", "backslashreplace")


def leaving(home: Home, name: str, data: bytes) -> bytes:
    """A file of the home (its name below it) as it may go to or come from another machine. A skill is program text,
    which a scrubbing could break; it stays as it is."""
    return cleaned(name, data) if name.startswith(home.relative(home.memory) + "/") else data


def kinds(before: bytes, after: bytes) -> dict[str, int]:
    """How many secrets of each kind were taken out; `private` counts passages, which leave no mark."""
    counts: dict[str, int] = {}
    for sign, data in ((1, after), (-1, before)):
        for part in data.decode("utf-8", "replace").split(MARK)[1:]:
            kind = part.split("]", 1)[0]
            counts[kind] = counts.get(kind, 0) + sign
    gone = before.lower().count(b"<private") - after.lower().count(b"<private")
    return {kind: count for kind, count in sorted({**counts, "private": gone}.items()) if count > 0}


def _line(line: str) -> str:
    return _json(line) if line[:1] in ("{", "[") else redaction.scrub(line)


def _json(text: str) -> str:
    """The scrubbed text where that is still the same object with other values, else value by value."""
    scrubbed = redaction.scrub(text)
    if scrubbed == text:
        return text
    try:
        value = jsontext.loads(text)
    except ValueError:
        return scrubbed
    try:
        if _form(jsontext.loads(scrubbed)) == _form(value):
            return scrubbed
    except ValueError:
        pass  # a passage went from one value into another
    return jsontext.dumps(_values(value))


def _form(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _form(item) for key, item in value.items()}
    return [_form(item) for item in value] if isinstance(value, list) else type(value).__name__


def _values(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _values(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_values(item) for item in value]
    return redaction.scrub(value) if isinstance(value, str) else value


def scan(home: Home) -> Iterator[tuple[str, dict[str, int]]]:
    """(path, secrets by kind) of every file of the memory that holds some; caches and git's own are left out."""
    for folder, folders, names in os.walk(home.memory):
        folders[:] = sorted(name for name in folders if name != ".git" and os.path.join(folder, name) != home.cache)
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.islink(path) or name.endswith(".lock"):
                continue
            data = files.read_bytes(path) or b""
            clean = cleaned(name, data)
            if clean != data:
                yield path, kinds(data, clean) or {"other": 1}


def fix(path: str) -> bool:
    """Take the secrets out of a file of the memory; False when another process kept it. A reader sees it whole."""
    with locks.Lock(path) as held:
        if not held:
            return False
        data = files.read_bytes(path)
        if data is not None:
            files.write(path, cleaned(os.path.basename(path), data), durable=True)
        return True


def forget_index(home: Home) -> None:
    """Throw away what was made from the files, which may still hold what they held; it is built again when needed."""
    folder, name = os.path.split(home.index)
    for other in os.listdir(folder) if os.path.isdir(folder) else ():
        if other.startswith(name):
            files.remove(os.path.join(folder, other))
    files.remove(home.memory_gate)
