"""Takes single values out of the raw bytes of a JSON object, for a look before anything is parsed or imported.

Keys are given with their quotes. Whatever could be read in two ways is nothing."""

from __future__ import annotations


def fields(raw: bytes, key: bytes, allowed: tuple[bytes, ...]) -> dict[bytes, bytes]:
    """The texts of the only object behind this key by their names, as they stand in the payload. Empty if it holds
    anything but texts, numbers and switches, a name twice, or one that is not allowed."""
    at = raw.find(key)
    if at < 1 or raw.find(key, at + 1) >= 0 or raw[at - 1 : at] == b"\\":
        return {}
    at = _past(raw, at + len(key), b":")
    at = _past(raw, at, b"{")
    found: dict[bytes, bytes] = {}
    while at > 0:
        end = _end_of_text(raw, at)
        name = raw[at + 1 : end - 1]
        if end < 0 or name in found or name not in allowed:
            return {}
        at = _past(raw, end, b":")
        if raw[at : at + 1] == b'"':
            end = _end_of_text(raw, at)
            found[name] = raw[at + 1 : end - 1]
        else:
            end = at
            while raw[end : end + 1].isalnum():
                end += 1
            found[name] = b""
            if end == at:
                return {}
        if at < 0 or end < 0:
            return {}
        at = _past(raw, end, b",")
        if at < 0:
            return found if _past(raw, end, b"}") > 0 else {}
    return {}


def _past(raw: bytes, at: int, sign: bytes) -> int:
    """Behind the sign that stands at `at`, and the blanks around it; -1 when it does not."""
    while at >= 0 and raw[at : at + 1] in (b" ", b"\n", b"\r", b"\t"):
        at += 1
    if at < 0 or raw[at : at + 1] != sign:
        return -1
    at += 1
    while raw[at : at + 1] in (b" ", b"\n", b"\r", b"\t"):
        at += 1
    return at


def _end_of_text(raw: bytes, at: int) -> int:
    """Behind the string that begins at `at`; -1 when none does or it never ends."""
    if at < 0 or raw[at : at + 1] != b'"':
        return -1
    end = raw.find(b'"', at + 1)
    while end > 0:
        slashes = end
        while raw[slashes - 1 : slashes] == b"\\":
            slashes -= 1
        if (end - slashes) % 2 == 0:
            return end + 1
        end = raw.find(b'"', end + 1)
    return -1


def text(raw: bytes, key: bytes) -> bytes:
    """The string behind the only such key; empty when there is none, more than one, or an escape in it."""
    at = raw.find(key)
    if at < 1 or raw.find(key, at + 1) >= 0 or raw[at - 1 : at] == b"\\":
        return b""
    at += len(key)
    if raw[at : at + 3] == b': "':
        at += 3
    elif raw[at : at + 2] == b':"':
        at += 2
    else:
        return b""
    value = raw[at : raw.find(b'"', at)]
    return b"" if b"\\" in value else value
