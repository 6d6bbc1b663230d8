"""The launcher that agents start, and the command they start it with.

A missing or broken PAL must never block an agent: Python exits 2 for a script that is not there, and 2 means "refused"
to most agents. So a shell-form command ends in `; exit 0`, and the launcher itself lets nothing out."""

from __future__ import annotations

from pal.base import process
from pal.base.home import Home

_BARE = frozenset("_-./:~=")  # beside letters and digits of any script: what no shell of Windows reads as more

_TEXT = '''\
"""Starts PAL for one hook of an agent, or for `cli …` of a person; written by `pal install`. Nothing that goes wrong
here may stop the agent, and a person is served by the whole archive then."""
import gc
import sys

gc.disable()  # a hook is over before collecting would pay
code = 0
try:
    home = __file__[: -len("hook.py") - 1]
    engine = home + "/engine/{engine}"
    tuned = sys.implementation.cache_tag == "{tag}"
    if tuned:
        from marshal import loads

        with open(engine, "rb") as stream:
            stream.seek({offset})
            modules, pieces = loads(stream.read({length}))
        scope = {{"__name__": "finder"}}
        exec(loads(modules["pal.install.finder"][1]), scope)
        scope["install"](modules, pieces, engine)
    else:
        sys.path.insert(0, engine)
    from pal.app import from_launcher

    code = from_launcher(sys.argv[1:], home, tuned)
except BaseException:
    if sys.argv[1:2] == ["cli"]:
        from subprocess import call

        code = call([sys.executable, "-I", "-X", "utf8", home + "/pal.pyz", *sys.argv[2:]])
finally:
    try:
        from posix import _exit
    except ImportError:
        from nt import _exit
    _exit(code or 0)
'''

_END_ON_WINDOWS = " ; exit 0 # || exit 0"


def text(engine: str, tag: str, offset: int, length: int) -> str:
    """The launcher's source: the engine's file name, the cache tag (`cpython-313`) its bytecode is for, and where in
    the file the first piece of the bytecode stands. Another Python runs the sources that the engine holds as well."""
    return _TEXT.format(engine=engine, tag=tag, offset=offset, length=length)


def arguments(python: str, home: Home) -> list[str]:
    """The interpreter's argv up to the event: no site, no user settings, nothing from the current folder, UTF-8."""
    return process.isolated(python, home.launcher)


def command(python: str, home: Home, words: list[str], windows: bool) -> dict[str, str]:
    """The fields `command` and, where one must be named, `shell` of a hook entry that hands these words to PAL.

    On Windows a client may hand the string to Git Bash, PowerShell or cmd. Bare words with forward slashes mean the
    same to all three (superuser.com/a/1060315 for cmd). The end keeps the exit status 0 in each: the first two take
    `; exit 0` and leave out what follows `#`; cmd hands `; exit 0 #` to the launcher, which stops reading at `;`, and
    runs the second `exit 0` if Python fails. Where a path cannot be written so, not even by its short name, PowerShell
    is asked for, which every Windows has; there `.` starts a program as `&` does, and is no syntax error elsewhere
    (with status 2 for Git Bash)."""
    import shlex

    words = [*arguments(python, home), *words]
    if not windows:
        return {"command": " ".join([shlex.quote(word) for word in words]) + "; exit 0"}
    words = [_forward(word) for word in words]
    if all(_is_bare(word) for word in words):
        return {"command": " ".join(words) + _END_ON_WINDOWS}
    quoted = [word if _is_bare(word) else "'" + word.replace("'", "''") + "'" for word in words]
    return {"command": ". " + " ".join(quoted) + _END_ON_WINDOWS, "shell": "powershell"}


def _is_bare(word: str) -> bool:
    return all(char.isalnum() or char in _BARE for char in word)


def _forward(path: str) -> str:
    """With forward slashes, and short (8.3) names as far as the last part that needs one."""
    parts = path.replace("\\", "/").split("/")
    odd = [number for number, part in enumerate(parts) if not _is_bare(part)]
    if odd:
        end = odd[-1] + 1
        parts[:end] = process.short_path("\\".join(parts[:end])).replace("\\", "/").split("/")
    return "/".join(parts)
