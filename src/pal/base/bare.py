"""What the running system says without `os`, whose import costs a fifth of an interpreter's start."""

from __future__ import annotations

import sys

try:
    import posix as _system
except ImportError:  # Windows
    import nt as _system  # type: ignore[no-redef]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

WINDOWS = sys.platform == "win32"
CASE_INSENSITIVE = sys.platform in ("win32", "darwin")  # as their file systems come
_environ: Any = getattr(_system, "environ", {})  # of bytes on POSIX
# The type checker does not know Windows' module.
_stat: Any = getattr(_system, "stat", None)
_call: Any = _system


def exists(path: str) -> bool:
    """True if there is anything of that name, or if that cannot be told."""
    try:
        _stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError):
        return True
    return True


def environment() -> dict[str, str]:
    """All variables, as `os.environ` has them."""
    if WINDOWS:  # names in capitals, whoever set them
        return {name.upper(): value for name, value in _environ.items()}
    return {_text(name): _text(value) for name, value in _environ.items()}


def variable(name: str) -> str:
    """The value of one variable; empty when it is not set."""
    return environment().get(name, "") if WINDOWS else _text(_environ.get(name.encode(), b""))


def variables(ending: str) -> list[str]:
    """The values of all variables whose names end so."""
    if WINDOWS:
        return [value for name, value in environment().items() if name.endswith(ending)]
    end = ending.encode()
    return [_text(value) for name, value in _environ.items() if name.endswith(end)]


def read_bytes(path: str) -> bytes | None:
    """The file's bytes, or None when there is no such file. OSError for a folder or anything unreadable."""
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError:
        if not WINDOWS:
            raise
    from pal.base import files  # waits while another process replaces the file

    return files.read_bytes(path)


def chance(count: int) -> bytes:
    """So many bytes of chance, from the system."""
    drawn: bytes = _call.urandom(count)
    return drawn


def append(path: str, data: bytes) -> int:
    """Add whole lines in one write, which on POSIX no other writer's can come into; the file's size then. A torn last
    line gets its end first. OSError."""
    descriptor = _call.open(path, _call.O_RDWR | _call.O_APPEND | _call.O_CREAT, 0o600)
    try:
        before: int = _call.fstat(descriptor).st_size
        if before:
            _call.lseek(descriptor, before - 1, 0)
            if _call.read(descriptor, 1) != b"\n":
                data = b"\n" + data
        if _call.write(descriptor, data) != len(data):
            raise OSError(f"no room to append to {path}")
        return before + len(data)
    finally:
        _call.close(descriptor)


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")
