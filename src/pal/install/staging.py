"""The files of a run as they are and as they will be, in memory until all of them are known to be right.

Nothing is written before every file was read, edited and found writable. A file that somebody changed in between stops
the writing; the run is then made again from what is there."""

from __future__ import annotations

import os
import time

from pal.base import files
from pal.base.errors import PalError


class Moved(Exception):
    """A file is no longer what was read at the beginning of the run."""


class Staging:
    """What the run read (`before`) and wants (`after`), by real path: a link is followed and stays."""

    __slots__ = ("after", "before", "durable", "folders", "modes", "names")

    def __init__(self) -> None:
        self.before: dict[str, bytes | None] = {}
        self.after: dict[str, bytes | None] = {}
        self.modes: dict[str, int] = {}
        self.names: dict[str, str] = {}
        self.durable: set[str] = set()
        self.folders: list[str] = []  # that are to be there though nothing is written into them now

    def read(self, path: str) -> bytes | None:
        """The file as it will be; None when there is none."""
        real = os.path.realpath(path)
        if real not in self.before:
            if os.path.isdir(real):
                raise PalError(f"{path} is a folder where a file should be; move it away")
            try:
                self.before[real] = self.after[real] = files.read_bytes(real)
            except OSError as fault:
                raise PalError(f"{path} cannot be read ({fault.strerror or fault}); mend that first") from None
            self.names[real] = path
        return self.after[real]

    def text(self, path: str) -> str:
        """The file as text, "" when there is none; only UTF-8 can be edited without harm."""
        try:
            return (self.read(path) or b"").decode("utf-8")
        except UnicodeDecodeError as fault:
            raise PalError(f"{path} is not UTF-8 (byte {fault.start + 1}); save it as UTF-8") from None

    def write(self, path: str, data: bytes, mode: int = 0o600, durable: bool = True) -> None:
        """The file is to hold these bytes; mode is for a new one. durable: it cannot be made again from ours."""
        self.read(path)
        real = os.path.realpath(path)
        self.after[real] = data
        self.modes[real] = mode
        if durable:
            self.durable.add(real)

    def delete(self, path: str) -> None:
        self.read(path)
        self.after[os.path.realpath(path)] = None

    def want_folder(self, path: str) -> None:
        self.folders.append(os.path.realpath(path))

    def changed(self) -> list[str]:
        """Real paths of the files to write or delete, in order of the plan."""
        return [real for real, data in self.after.items() if data != self.before[real]]

    def new_folders(self) -> list[str]:
        """The folders that are missing for the files to be written, outermost first."""
        found: list[str] = []
        written = [os.path.dirname(real) for real in self.changed() if self.after[real] is not None]
        for folder in [*written, *self.folders]:
            missing: list[str] = []
            while not os.path.isdir(folder) and folder != os.path.dirname(folder):
                missing.append(folder)
                folder = os.path.dirname(folder)
            found += [each for each in reversed(missing) if each not in found]
        return found

    def check(self) -> None:
        """PalError when one of the files cannot be written; nothing is written then."""
        for real in self.changed():
            if os.path.lexists(real) and not files.writable(real):
                raise PalError(f"{self.names[real]} is read-only; make it writable (nothing was changed)")
            folder = os.path.dirname(real)
            while not os.path.lexists(folder) and folder != os.path.dirname(folder):
                folder = os.path.dirname(folder)
            if not os.path.isdir(folder):
                raise PalError(f"{self.names[real]} cannot be made: {folder} is not a folder (nothing was changed)")
            if not files.writable(folder):
                raise PalError(
                    f"{self.names[real]} cannot be written: its folder {folder} is read-only (nothing was changed)"
                )

    def commit(self) -> None:
        """Write and delete, each file whole. Moved when one is not what was read."""
        for folder in self.folders:
            try:
                files.make_folder(folder)
            except OSError as fault:
                raise PalError(f"{folder} cannot be made ({fault.strerror or fault}); mend that first") from None
        for real in self.changed():
            try:
                if files.read_bytes(real) != self.before[real]:
                    raise Moved(self.names[real])
                data = self.after[real]
                if data is None:
                    files.remove(real)
                else:
                    mode = self.modes[real] & ~_umask() if self.before[real] is None else None
                    files.write(real, data, durable=real in self.durable, mode=mode)
            except OSError as fault:
                raise PalError(
                    f"{self.names[real]} cannot be written ({fault.strerror or fault}); mend that and run it again"
                ) from None


def sweep(paths: list[str]) -> None:
    """Delete what a killed writer of one of these files left beside it.

    Under the lock the only other writer is a hook that refreshes a block; one that loses its file so tries again."""
    begins: dict[str, set[str]] = {}
    for path in paths:
        folder, name = os.path.split(os.path.realpath(path))
        begins.setdefault(folder, set()).add(files.TEMPORARY + name[:80] + "-")
    for folder, starts in begins.items():
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        for name in names:
            if name.startswith(tuple(starts)):
                files.remove(os.path.join(folder, name))


def remove_empty(folders: list[str]) -> None:
    """Remove those of these folders that are empty, innermost first."""
    for folder in sorted(folders, key=len, reverse=True):
        try:
            os.rmdir(folder)
        except OSError:
            continue  # gone already, or somebody keeps something there


def stamp(now: float) -> str:
    """The moment as a name that sorts by time (UTC)."""
    return time.strftime("%Y%m%d-%H%M%S", time.gmtime(now))


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
