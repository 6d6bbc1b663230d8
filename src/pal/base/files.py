"""Whole files, safely: a reader sees the old bytes or the new ones, never half; a writer that dies leaves the old."""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    Done = TypeVar("Done")

TEMPORARY = ".pal-tmp-"  # begins the name of every half-written file; a crash may leave one behind
STALE = 3600.0  # seconds after which such a file has lost its writer
PRIVATE = 0o600  # the mode of a file that is the user's alone; no usual umask takes anything from it
BINARY = getattr(os, "O_BINARY", 0)  # Windows would write `\r\n` for `\n`
_PATIENCE = 1.0  # seconds; Windows refuses to open, replace or delete a file that a scanner or somebody else holds


def read_bytes(path: str) -> bytes | None:
    """The file's bytes, or None when there is no such file. OSError for a folder or anything unreadable."""
    try:
        descriptor = open_to_read(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        return _all(descriptor)
    finally:
        os.close(descriptor)


def open_to_read(path: str) -> int:
    """A descriptor for reading bytes."""
    return _patiently(path, lambda: os.open(path, os.O_RDONLY | BINARY))


def _patiently(path: str, act: Callable[[], Done]) -> Done:
    """What `act` gives, tried for a while on Windows: a file that is held or just being replaced is soon free."""
    until = time.monotonic() + _PATIENCE if os.name == "nt" else 0.0
    while True:
        try:
            return act()
        except PermissionError:
            if time.monotonic() >= until or os.path.isdir(path):
                raise
            time.sleep(0.005)


def _all(descriptor: int) -> bytes:
    parts: list[bytes] = []
    room = 1 << 16  # most files are small, and room that is not used costs as well
    while True:
        part = os.read(descriptor, room)
        if not part:
            return b"".join(parts)
        parts.append(part)
        room = 1 << 20


def read_text(path: str) -> str | None:
    """The file's text (UTF-8, a broken byte becomes U+FFFD, line ends untouched), or None when there is none."""
    data = read_bytes(path)
    return None if data is None else data.decode("utf-8", "replace")


def tail_bytes(path: str, limit: int) -> bytes:
    """At most the last `limit` bytes; empty when there is no such file."""
    try:
        descriptor = open_to_read(path)
    except (FileNotFoundError, NotADirectoryError):
        return b""
    try:
        size = os.fstat(descriptor).st_size
        if size > limit:
            os.lseek(descriptor, size - limit, os.SEEK_SET)
        return _all(descriptor)
    finally:
        os.close(descriptor)


def write(path: str, data: str | bytes, durable: bool = False, mode: int | None = None) -> bool:
    """Replace a whole file atomically, only when its content changes; True if it did.

    A link is followed: its target is replaced, the link stays. What is written gets `mode`; without one an existing
    file keeps its own and a new one gets 0600. `durable` forces the bytes to the disk: for what cannot be rebuilt."""
    if isinstance(data, str):
        data = data.encode("utf-8", "backslashreplace")
    try:
        if read_bytes(path) == data:
            return False
    except OSError:
        pass  # unreadable is not unchanged; the replacement below says what is wrong
    if mode is None:
        try:
            mode = os.stat(path).st_mode & 0o777
        except OSError:
            mode = PRIVATE
    put(path, data, durable, mode)
    return True


def put(path: str, data: bytes, durable: bool = False, mode: int = PRIVATE) -> None:
    """Replace a whole file, or what a link names, atomically: for a caller who knows that it changes."""
    path = os.path.realpath(path) if os.path.islink(path) else path
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, TEMPORARY + name[:80] + "-" + os.urandom(4).hex())
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY
    try:
        descriptor = os.open(temporary, flags, mode)
    except FileNotFoundError:
        make_folder(folder)
        descriptor = os.open(temporary, flags, mode)
    try:
        try:
            _write_all(descriptor, data)
            if durable:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if mode != PRIVATE and os.name != "nt":
            os.chmod(temporary, mode)  # the umask may have taken bits the old file had
        replace(temporary, path)
    except BaseException:
        remove(temporary)
        raise


def force(path: str) -> None:
    """Have what stands in a file on the disk, whoever wrote it; nothing when it is gone."""
    try:
        descriptor = os.open(path, os.O_RDWR | BINARY)
    except FileNotFoundError:
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def make_folder(path: str) -> None:
    """The folder and those above it that are missing, readable by the user alone."""
    try:
        os.mkdir(path, 0o700)
    except FileNotFoundError:
        above = os.path.dirname(path)
        if above == path:
            raise
        make_folder(above)  # os.makedirs would give these the umask's mode
        make_folder(path)
    except OSError:
        if not os.path.isdir(path):  # another process was quicker; Windows says other things of a drive's root
            raise


def remove(path: str) -> bool:
    """True if the file was there and is gone; a missing one is fine."""
    try:
        _patiently(path, lambda: os.unlink(path))
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def sweep(root: str, now: float) -> None:
    """Remove what killed writers left anywhere below a folder; cold, since it lists every folder there."""
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            if name.startswith(TEMPORARY) and now - modified(path) > STALE:
                remove(path)


def replace(source: str, target: str) -> None:
    """`os.replace`, patient with Windows' sharing violations."""
    _patiently(target, lambda: os.replace(source, target))


def claim(path: str, into: str) -> bool:
    """Take a one-shot file by renaming it inside its folder; False when another process has it already."""
    try:
        os.rename(path, into)
    except (FileNotFoundError, PermissionError, FileExistsError):
        return False
    return True


def writable(path: str) -> bool:
    """Whether this file or folder may be written. Not where no write bit is set: somebody meant that, root or not."""
    bits = os.name == "nt" or os.stat(path).st_mode & 0o222
    return bool(bits) and os.access(path, os.W_OK)


def set_aside(path: str) -> str:
    """Give what stands at `path` a name of its own, `<name>.corrupt-<stamp>`, so that its bytes are kept; that name."""
    aside = "{}.corrupt-{}".format(path, time.strftime("%Y%m%d-%H%M%S", time.gmtime()))
    while os.path.lexists(aside):
        aside += "x"
    os.rename(path, aside)
    return os.path.basename(aside)


def modified(path: str) -> float:
    """When the file or folder last changed; 0.0 when there is none."""
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
