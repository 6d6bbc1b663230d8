"""The daily copy of what a user cannot replace: settings, TELOS, memory, their own skills and agents, in one zip.

The stop hook asks `due` (one folder listing), a job or `pal backup` calls `run`. Restoring needs no PAL: unzip the file
over the home folder. Names inside are the paths below it; `backup-manifest.json` says what there is and when."""

from __future__ import annotations

import os
import time

from pal.base import clock, files, jsontext, locks, log
from pal.base.errors import PalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from zipfile import ZipInfo

    from pal.base.home import Home

EVERY = 86_400.0  # seconds
KEPT = 14
MANIFEST = "backup-manifest.json"
_BEGIN, _END = "pal-backup-", ".zip"
_STAMP = "%Y%m%d-%H%M%S"  # UTC
_HALF = ".pal-backup-"  # begins the name of a zip that is still being written


def due(home: Home, now: float) -> bool:
    """True when the newest backup is a day old, or there is none. A stamp from the future does not count."""
    oldest, newest = _name(now - EVERY), _name(now + EVERY)
    return not any(oldest < name < newest for name in _kept(home))


def run(home: Home, now: float) -> str:
    """Write a backup and remove the oldest beyond the newest 14; its path. PalError when it cannot be written.

    Each file is read at one moment and a log is cut after its last whole line, so every file in the zip is whole. Only
    a finished zip gets the final name."""
    try:
        files.make_folder(home.backups)
        with locks.Lock(os.path.join(home.backups, "backup")) as held:
            if not held:
                raise PalError(f"Another process is writing a backup to {home.backups}; wait for it and look there.")
            files.sweep(home.memory, now)
            for name in os.listdir(home.backups):
                if name.startswith(_HALF) and name.endswith(".tmp"):
                    files.remove(os.path.join(home.backups, name))
            path = os.path.join(home.backups, _name(now))
            half = os.path.join(home.backups, _HALF + os.urandom(4).hex() + ".tmp")
            try:
                zipped(home, half, now, sources(home), MANIFEST)
                files.replace(half, path)
            except BaseException:
                files.remove(half)
                raise
            for name in _kept(home)[:-KEPT]:
                files.remove(os.path.join(home.backups, name))
            return path
    except OSError as problem:
        raise PalError(
            f"The backup could not be written to {home.backups}: {problem.strerror or problem}."
        ) from problem


def _name(moment: float) -> str:
    return _BEGIN + time.strftime(_STAMP, time.gmtime(moment)) + _END


def _kept(home: Home) -> list[str]:
    """The names of the backups there are, oldest first; nothing else in the folder is ever looked at."""
    try:
        names = os.listdir(home.backups)
    except OSError:
        return []
    return sorted(name for name in names if _is_backup(name))


def _is_backup(name: str) -> bool:
    stamp = name[len(_BEGIN) : -len(_END)]
    day, dash, second = stamp[:8], stamp[8:9], stamp[9:]
    return name == _BEGIN + stamp + _END and dash == "-" and len(second) == 6 and (day + second).isdecimal()


def zipped(
    home: Home,
    half: str,
    now: float,
    found: Iterable[tuple[str, str]],
    manifest_name: str,
    clean: Callable[[str, bytes], bytes] | None = None,
) -> int:
    """Write a new zip of (name, path) with a manifest, safely on the disk; how many files. `clean` may change each."""
    import zipfile

    from pal import __version__

    kind = zipfile.ZIP_DEFLATED if _zlib() else zipfile.ZIP_STORED
    descriptor = os.open(half, os.O_RDWR | os.O_CREAT | os.O_EXCL | files.BINARY, 0o600)
    with os.fdopen(descriptor, "w+b") as stream:
        count = size = 0
        with zipfile.ZipFile(stream, "w", kind) as archive:
            for name, path in found:
                data = _whole(home, path)
                if data is None:
                    continue  # gone since the folder was read
                data = data if clean is None else clean(name, data)
                archive.writestr(_entry(zipfile.ZipInfo(name), kind, files.modified(path)), data)
                count, size = count + 1, size + len(data)
            manifest = {"version": __version__, "created": clock.iso(now), "files": count, "bytes": size}
            archive.writestr(_entry(zipfile.ZipInfo(manifest_name), kind, now), jsontext.pretty(manifest))
        stream.flush()
        os.fsync(stream.fileno())
    return count


def _zlib() -> bool:
    try:
        import zlib  # noqa: F401  some Pythons are built without it
    except ImportError:
        return False
    return True


def _entry(info: ZipInfo, kind: int, modified: float) -> ZipInfo:
    """Everything a reader of the zip sees is set, so that the same files give the same bytes."""
    info.date_time = time.gmtime(min(max(modified, 315_532_800), 4_354_819_198))[:6]  # zip knows 1980 to 2107
    info.compress_type = kind
    info.create_system = 3  # POSIX, so that the mode below counts
    info.external_attr = 0o100600 << 16
    return info


def sources(home: Home) -> Iterator[tuple[str, str]]:
    """(name in the zip, path) of every file to keep, in the order of names within each place."""
    if os.path.isfile(home.settings):
        yield home.relative(home.settings), home.settings
    without = {home.cache, home.jobs, home.spill, os.path.join(home.memory, ".git")}
    for place in (home.telos, home.memory):
        for path in _below(place, without):
            yield home.relative(path), path
    shipped = _shipped()
    for place in (home.skills, home.agents):
        for path in _below(place, without):
            name = home.relative(path)
            if name not in shipped or not _as_shipped(name, path):
                yield name, path


def _below(folder: str, without: set[str]) -> Iterator[str]:
    """The regular files below a folder, links left out: what they lead to is somebody else's to keep."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            if entry.path not in without and entry.name != "__pycache__":
                yield from _below(entry.path, without)
        elif entry.is_file(follow_symlinks=False) and not _passing(entry.name):
            yield entry.path


def _passing(name: str) -> bool:
    """True for locks and half-written files, which mean nothing without the process that made them."""
    return name.startswith(files.TEMPORARY) or (name[0] == "." and name.endswith(".lock"))


def _shipped() -> frozenset[str]:
    from pal.base import assets

    try:
        return frozenset(assets.names("skills/") + assets.names("agents/"))
    except PalError:
        return frozenset()  # then the copies of ours are kept as well, which costs only room


def _as_shipped(name: str, path: str) -> bool:
    from pal.base import assets

    try:
        return assets.portable(name, files.read_bytes(path) or b"") == assets.read(name)
    except (OSError, PalError):
        return False


def _whole(home: Home, path: str) -> bytes | None:
    """The file's bytes, a log only to the end of its last whole record; None when it cannot be read any more."""
    try:
        data = files.read_bytes(path)
    except OSError as problem:
        log.error(home, "backup", f"{path} is not in the backup: {problem}")
        return None
    if data is None or not path.endswith(".jsonl") or data.endswith(b"\n"):
        return data
    whole, end, rest = data.rpartition(b"\n")
    try:
        jsontext.loads(rest)
    except ValueError:
        return whole + end
    return data
