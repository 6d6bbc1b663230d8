"""What the memory folder holds at a moment, as git would name it; files that did not change are not read again."""

from __future__ import annotations

from pal.base import files, jsontext, locks
from pal.memory import cleaning
from pal.memory.sync import places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.base.home import Home
    from pal.memory.sync.repository import Tree

_FRESH = 3_000_000_000  # nanoseconds; a file changed this recently may change again within one tick of its clock
_MANY = 20  # files; when more than half of so many are gone at once, something happened to the folder


class Snapshot:
    """The ids of all files that travel, and the texts of those that differ from the commit they were compared with."""

    __slots__ = ("changes", "restored", "tree")

    def __init__(self) -> None:
        self.tree: Tree = {}
        self.changes: dict[str, bytes | None] = {}
        self.restored = 0  # files whose loss looks like an accident


def take(home: Home, committed: Tree, now: float) -> Snapshot:
    """Compare the folder with a commit. Secrets are taken out of what would leave; a lost log counts as unchanged."""
    width = len(next(iter(committed.values()), "")) or 40
    known = _remembered(home)
    snapshot = Snapshot()
    rows: dict[str, list[object]] = {}
    for name, entry in places.listing(home):
        about = entry.stat(follow_symlinks=False)
        row = known.get(name)
        if row and row[:2] == [about.st_size, about.st_mtime_ns] and len(str(row[2])) == width:
            snapshot.tree[name] = str(row[2])
        if snapshot.tree.get(name, "") != committed.get(name):
            data = _read(entry.path)
            if data is None:
                continue
            data = cleaning.cleaned(name, data)
            snapshot.tree[name] = blob_id(data, width)
            if snapshot.tree[name] != committed.get(name):
                snapshot.changes[name] = data
        if now * 1e9 - about.st_mtime_ns > _FRESH:
            rows[name] = [about.st_size, about.st_mtime_ns, snapshot.tree[name]]
    files.write(home.sync_cache, jsontext.dumps_rows(rows))
    gone = [name for name in committed if name not in snapshot.tree]
    accident = len(committed) >= _MANY and 2 * len(gone) > len(committed)
    for name in gone:
        if (accident or name.endswith(".jsonl")) and places.travels(home, name):
            snapshot.tree[name] = committed[name]
            snapshot.restored += 1
        else:
            snapshot.changes[name] = None
    return snapshot


def _remembered(home: Home) -> dict[str, list[object]]:
    try:
        rows = jsontext.loads(files.read_bytes(home.sync_cache) or b"{}")
    except (OSError, ValueError):
        return {}
    found = rows.items() if isinstance(rows, dict) else ()
    return {name: row for name, row in found if isinstance(row, list) and len(row) == 3}


def _read(path: str) -> bytes | None:
    """The file's bytes; a log that seems to end within a line is read again once nobody writes to it."""
    data = files.read_bytes(path)
    if data and path.endswith(".jsonl") and not data.endswith(b"\n"):
        with locks.Lock(path):
            data = files.read_bytes(path)
    return data


def blob_id(data: bytes, width: int) -> str:
    """The id git gives to these bytes; 64 digits wide in a repository that uses SHA-256."""
    import hashlib

    digest = hashlib.sha256() if width == 64 else hashlib.sha1(usedforsecurity=False)
    digest.update(b"blob %d\0" % len(data))
    digest.update(data)
    return digest.hexdigest()
