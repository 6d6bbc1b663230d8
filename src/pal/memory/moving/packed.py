"""Opens what somebody wants to take in, an export, a backup or a folder, and says what is in it. It trusts nothing:
one entry whose name leads elsewhere, a link or a device, and the whole of it is refused."""

from __future__ import annotations

import os

from pal.base import files
from pal.base.errors import PalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from zipfile import ZipFile, ZipInfo

_LARGEST = 256 << 20  # bytes of one file
_MOST = 4 << 30  # bytes of all


def entries(path: str) -> Iterator[tuple[str, bytes]]:
    """(name with forward slashes, bytes) of every file in a zip or below a folder, by name. PalError before the first
    one when anything in it must not be there."""
    if os.path.isdir(path):
        yield from _of_folder(path)
        return
    import zipfile

    if not os.path.isfile(path):
        raise PalError(f"there is no file or folder {path}")
    try:
        with zipfile.ZipFile(path) as archive:
            wanted = [info for info in archive.infolist() if not info.is_dir()]
            for info in archive.infolist():
                _check(path, info)
            if sum(info.file_size for info in wanted) > _MOST:
                raise PalError(f"{path} holds more than {_MOST >> 30} GB; that is no memory of PAL")
            for info in sorted(wanted, key=lambda info: info.filename):
                yield info.filename, _read(archive, info, path)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as fault:
        raise PalError(f"{path} is no zip that can be read: {fault}") from None


def _check(path: str, info: ZipInfo) -> None:
    import stat

    mode = info.external_attr >> 16
    kind = stat.S_IFMT(mode)
    if kind and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise PalError(f"{path} is refused: {info.filename!r} in it is a link or a device")
    if not is_safe(info.filename):
        raise PalError(f"{path} is refused: {info.filename!r} in it leads out of the folder")
    if info.file_size > _LARGEST:
        raise PalError(f"{path} is refused: {info.filename!r} in it has more than {_LARGEST >> 20} MB")


def is_safe(name: str) -> bool:
    """True for a name that stays below the folder it is put in, on every system."""
    parts = name.rstrip("/").split("/")
    return not ({"", ".", ".."}.intersection(parts) or {"\\", "\0", ":"}.intersection(name))


def _read(archive: ZipFile, info: ZipInfo, path: str) -> bytes:
    """At most what the entry says it holds: one that lies about it would fill the memory of the machine."""
    import zlib

    try:
        with archive.open(info) as stream:
            data = stream.read(info.file_size + 1)
    except zlib.error as fault:
        raise PalError(f"{path} is damaged: {info.filename!r} cannot be unpacked ({fault})") from None
    if len(data) != info.file_size:
        raise PalError(f"{path} is refused: {info.filename!r} in it is not as long as it says")
    return data


def _of_folder(path: str) -> Iterator[tuple[str, bytes]]:
    found = []
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not os.path.islink(os.path.join(folder, name)))
        for name in names:
            whole = os.path.join(folder, name)
            if os.path.isfile(whole) and not os.path.islink(whole):
                relative = os.path.relpath(whole, path).replace(os.sep, "/")
                if is_safe(relative) and os.path.getsize(whole) <= _LARGEST:
                    found.append((relative, whole))
    for relative, whole in sorted(found):
        data = files.read_bytes(whole)
        if data is not None:
            yield relative, data
