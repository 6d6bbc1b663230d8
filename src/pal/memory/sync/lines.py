"""Unites two versions of a log (`*.jsonl`): every line of either is there, once, whoever can read it.

A log only grows, so a line that one side lacks was not removed there: it has not arrived yet."""

from __future__ import annotations

from pal.base import clock, jsontext

_TIMES = ("ts", "timestamp", "created", "date")


def united(ours: bytes, theirs: bytes) -> bytes:
    """Both logs in one: what they have in common at the start, then the rest by time.

    A side that holds every line of the other stays as it is, so that an index can go on where it stopped."""
    first, second = sorted((ours, theirs))
    one, other = _lines(first), _lines(second)
    of_one, of_other = set(one), set(other)
    if of_one >= of_other:
        return first
    if of_other >= of_one:
        return second
    shared = 0
    while shared < min(len(one), len(other)) and one[shared] == other[shared]:
        shared += 1
    begin = list(dict.fromkeys(one[:shared]))
    rest = (of_one | of_other).difference(begin)
    return b"".join(line + b"\n" for line in [*begin, *sorted(rest, key=_moment)])


def _lines(data: bytes) -> list[bytes]:
    return [line for line in data.split(b"\n") if line.strip()]


def _moment(line: bytes) -> tuple[float, int, str, bytes]:
    """(milliseconds, count within one, id, the line itself): the order of lines that two machines wrote."""
    try:
        row = jsontext.loads(line)
    except ValueError:
        row = None
    if not isinstance(row, dict):
        return 0.0, 0, "", line
    milliseconds, count = 0.0, 0
    try:
        first, second, _ = str(row.get("hlc")).split("-")
        return float(int(first)), int(second, 16), str(row.get("id") or ""), line
    except ValueError:
        pass  # no line of an entry
    for name in _TIMES:
        try:
            milliseconds = clock.parse(str(row.get(name))) * 1000
            break
        except ValueError:
            continue
    return milliseconds, count, str(row.get("id") or ""), line
