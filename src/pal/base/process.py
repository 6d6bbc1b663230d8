"""Starting other programs: children that outlive a hook, and where a program stands on this machine."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SPAWNED = "PAL_SPAWNED_INFERENCE"  # set on every model program PAL starts, so that its hooks do nothing
WINDOWS = os.name == "nt"  # for those who write commands that a person or an agent runs later
DEPTHS = ("PAL_SPAWN_DEPTH", "PAL_INFERENCE_DEPTH")  # the second is what an earlier PAL called it


def spawned(env: Mapping[str, str]) -> bool:
    """True inside a model program that PAL itself started."""
    return env.get(SPAWNED, "") not in ("", "0") or depth(env) > 0


def depth(env: Mapping[str, str]) -> int:
    """How many model programs of PAL this process stands in."""
    deepest = 0
    for name in DEPTHS:
        value = env.get(name, "0") or "0"
        deepest = max(deepest, int(value) if value.isdigit() and value.isascii() else 1)
    return deepest


def isolated(python: str, script: str) -> list[str]:
    """The argv that runs a script with no site, no user settings, nothing from the current folder, and UTF-8."""
    return [python, "-I", "-S", "-X", "utf8", script]


def detached(argv: Sequence[str], env: Mapping[str, str], cwd: str | None = None, polite: bool = False) -> int:
    """Start a program that outlives this process: own session, no streams, no window. Its pid; 0 if it did not start.

    An agent waits until every holder of its pipes is gone, so the child must hold none. A polite one leaves the
    processor to whoever else wants it."""
    if sys.platform == "win32":
        return _detached_windows(argv, env, cwd, polite)
    if not os.path.isfile(argv[0]) or not os.access(argv[0], os.X_OK) or not (cwd is None or os.path.isdir(cwd)):
        return 0
    try:
        pid = os.fork()
    except OSError:
        return 0
    if pid:
        return pid
    try:
        os.setsid()
        if polite:
            os.nice(10)
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        _close_inherited()
        if cwd is not None:
            os.chdir(cwd)
        os.execve(argv[0], list(argv), dict(env))
    finally:
        os._exit(127)


def _close_inherited() -> None:
    try:
        numbers = [int(name) for name in os.listdir("/dev/fd")]
    except (OSError, ValueError):  # a BSD without fdescfs, a bare container
        numbers = list(range(3, 1024))
    for number in numbers:
        if number > 2:
            try:
                os.close(number)
            except OSError:
                pass  # the one that listed the folder


def _detached_windows(argv: Sequence[str], env: Mapping[str, str], cwd: str | None, polite: bool) -> int:
    """A console of its own that is never shown, rather than none at all: what the child starts in turn shares it,
    where a child of DETACHED_PROCESS would open a window for each. The two flags do not go together: Windows ignores
    CREATE_NO_WINDOW beside DETACHED_PROCESS (learn.microsoft.com, "Process Creation Flags")."""
    import subprocess

    if sys.platform == "win32":
        flags = subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
        if polite:
            flags |= subprocess.BELOW_NORMAL_PRIORITY_CLASS
        # An agent may keep its children in a job that ends them with it; not every job lets them leave.
        for leaving in (subprocess.CREATE_BREAKAWAY_FROM_JOB, 0):
            try:
                child = subprocess.Popen(
                    list(argv),
                    env=dict(env),
                    cwd=cwd,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    creationflags=flags | leaving,
                )
            except OSError:
                continue
            child.returncode = 0  # it is not ours to wait for; silences the warning at exit
            return child.pid
    return 0


def alive(pid: int) -> bool:
    """True while a process of this number runs (it may belong to somebody else by now)."""
    if pid <= 0:
        return False
    if sys.platform == "win32":
        return _alive_windows(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # not ours, but there
    return True


def _alive_windows(pid: int) -> bool:
    if sys.platform == "win32":
        import ctypes

        kernel = ctypes.windll.kernel32
        handle = kernel.OpenProcess(0x1000, False, pid)  # PROCESS_QUERY_LIMITED_INFORMATION
        if handle:
            code = ctypes.c_ulong()
            kernel.GetExitCodeProcess(handle, ctypes.byref(code))
            kernel.CloseHandle(handle)
            return code.value == 259  # STILL_ACTIVE
    return False


def find_program(name: str, env: Mapping[str, str]) -> str | None:
    """The absolute path of a program on PATH (with PATHEXT on Windows), or None."""
    endings = [""]
    if os.name == "nt":
        endings = [ending for ending in env.get("PATHEXT", ".COM;.EXE;.BAT;.CMD").split(";") if ending]
        if os.path.splitext(name)[1].upper() in (ending.upper() for ending in endings):
            endings = [""]
    for folder in env.get("PATH", "").split(os.pathsep):
        for ending in endings:
            path = os.path.join(folder.strip('"'), name + ending)
            if folder and os.path.isfile(path) and (os.name == "nt" or os.access(path, os.X_OK)):
                return os.path.abspath(path)
    return None


def short_path(path: str) -> str:
    """The 8.3 form of a Windows path, which holds no spaces; the path itself where there is none."""
    if sys.platform == "win32":
        import ctypes

        buffer = ctypes.create_unicode_buffer(1024)
        length = ctypes.windll.kernel32.GetShortPathNameW(path, buffer, 1024)
        return buffer.value if 0 < length < 1024 else path
    return path
