"""Two versions of one file of the memory become one, by the kind of file its name says it is.

Pure: bytes in, bytes out. The sync, the driver that git calls and the import of an export all come here."""

from __future__ import annotations

from pal.memory.sync import documents, lines, objects

LOG, DOCUMENT, OBJECT, OTHER = "log", "document", "object", "other"
_KINDS = ((".jsonl", LOG), (".md", DOCUMENT), (".json", OBJECT))


def kind(name: str) -> str:
    """Which of the four kinds a file of this name is."""
    return next((kind for ending, kind in _KINDS if name.endswith(ending)), OTHER)


def merged(name: str, base: bytes | None, ours: bytes, theirs: bytes) -> tuple[bytes, bytes | None]:
    """(the file, what could not be united and has to be kept beside it, or None).

    `base` is what both come from, None when that is not known. Nothing is in neither of the two that was not removed
    on purpose on one side; the order of the two sides makes no difference."""
    if ours == theirs:
        return ours, None
    what = kind(name)
    if what == LOG:
        return lines.united(ours, theirs), None
    if base is not None and base in (ours, theirs):
        return (theirs if ours == base else ours), None
    if what == DOCUMENT:
        try:
            texts = [data.decode("utf-8") for data in (base or b"", ours, theirs)]
        except UnicodeDecodeError:
            return _one_of(ours, theirs)
        return documents.merged(*texts).encode("utf-8"), None
    if what == OBJECT:
        return _objects(base, ours, theirs)
    return _one_of(ours, theirs)


def _objects(base: bytes | None, ours: bytes, theirs: bytes) -> tuple[bytes, bytes | None]:
    first, second = sorted((ours, theirs))
    values = []
    for data in (first, second):
        try:
            values.append(objects.read(data))
        except ValueError:
            broken, whole = data, second if data == first else first
            return whole, broken  # one that a person broke, say; when both are, one of the two stands
    try:
        before = objects.read(base) if base is not None else None
    except ValueError:
        before = None
    value = objects.merged(before, *values)
    for data, same in zip((first, second), values):
        if value == same and objects.sound(data):
            return data, None
    return objects.render(value, first), None


def _one_of(ours: bytes, theirs: bytes) -> tuple[bytes, bytes | None]:
    low, high = sorted((ours, theirs))
    return high, low


def aside(name: str, data: bytes) -> str:
    """The name under which a version that lost is kept beside the file, so that nobody writes over it."""
    import binascii

    folder, slash, last = name.rpartition("/")
    stem, dot, ending = last.rpartition(".")
    mark = f"kept-{binascii.crc32(data):08x}"
    return f"{folder}{slash}{stem}.{mark}.{ending}" if dot and stem else f"{folder}{slash}{last}.{mark}"
