"""The launcher that agents start, and the command they start it with.

A missing or broken PAL must never block an agent: Python exits 2 for a script that is not there, and 2 means "refused"
to most agents. So a shell-form command ends in `; exit 0`, and the launcher itself lets nothing out."""

from __future__ import annotations

from pal.base import process
from pal.base.home import Home

_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:~=")

_TEXT = '''\
"""Starts PAL for one hook of an agent; written by `pal install`. Nothing that goes wrong here may stop the agent."""
import sys

try:
    home = __file__[: -len("hook.py") - 1]
    engine = home + "/engine/{engine}"
    tuned = sys.implementation.cache_tag == "{tag}"
    if tuned:
        from marshal import loads

        with open(engine, "rb") as stream:
            stream.seek({offset})
            modules = loads(stream.read({length}))
        scope = {{"__name__": "finder"}}
        exec(loads(modules["pal.install.finder"][1]), scope)
        scope["install"](modules, engine)
    else:
        sys.path.insert(0, engine)
    from pal.app import from_launcher

    from_launcher(sys.argv[1:], home, tuned)
except BaseException:
    pass
finally:
    try:
        from posix import _exit
    except ImportError:
        from nt import _exit
    _exit(0)
'''


def text(engine: str, tag: str, offset: int, length: int) -> str:
    """The launcher's source: the engine's file name, the cache tag (`cpython-313`) its bytecode is for, and where in
    the file the bytecode stands. Another Python runs the sources that the engine holds as well."""
    return _TEXT.format(engine=engine, tag=tag, offset=offset, length=length)


def arguments(python: str, home: Home) -> list[str]:
    """The interpreter's argv up to the event: no site, no user settings, nothing from the current folder, UTF-8."""
    return [python, "-I", "-S", "-X", "utf8", home.launcher]


def command(python: str, home: Home, words: list[str], windows: bool) -> dict[str, str]:
    """The fields `command` and, where one must be named, `shell` of a hook entry that hands these words to PAL.

    On Windows a client may hand the string to Git Bash, PowerShell or cmd. Bare words with forward slashes mean the
    same to all three (to cmd, `; exit 0` is two more arguments, which the launcher ignores). Where a path cannot be
    written so, not even by its short name, PowerShell is asked for, which every Windows has."""
    import shlex

    words = [*arguments(python, home), *words]
    if not windows:
        return {"command": " ".join([shlex.quote(word) for word in words]) + "; exit 0"}
    words = [_forward(word) for word in words]
    if all(_BARE.issuperset(word) for word in words):
        return {"command": " ".join(words) + "; exit 0"}
    quoted = ["'" + word.replace("'", "''") + "'" for word in words]
    return {"command": "& " + " ".join(quoted) + "; exit 0", "shell": "powershell"}


def _forward(word: str) -> str:
    plain = word.replace("\\", "/")
    if _BARE.issuperset(plain) or "/" not in plain:
        return plain
    return process.short_path(word).replace("\\", "/")
