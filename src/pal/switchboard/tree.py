"""What a project's files looked like at one moment, and what differs at another: the outcome, whoever wrote and how.

With git, what its status shows and the content of that; without, size and time of each file. A tree too big to look at
in time is unknown, never unchanged."""

from __future__ import annotations

import os
import subprocess
import time

from pal.base import files, process
from pal.base.home import PROJECT_BOARD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Tree = dict[str, Any]  # kind ("git", "walk" or "unknown"), head, files: path → what it was like

GIT_WAITS = 5.0  # seconds
WALK_WAITS = 0.2
_MOST_FILES = 5_000
_MOST_CHANGED = 2_000
_HASHED = 4 * 1024 * 1024  # bytes; a bigger file is known by its size and time
# A repository's settings may name programs to run at every status; none of them runs for this.
_GIT = ("git", "-c", "core.fsmonitor=false", "-c", "core.quotepath=false", "-c", "status.relativePaths=false")
_PASSED_OVER = frozenset((".git", "node_modules", "__pycache__", ".venv", "venv", ".tox", ".mypy_cache", ".cache"))
_PLANS = PROJECT_BOARD + "/plans/"
UNKNOWN = "unknown"


def top(folder: str) -> str:
    """The top of the repository or worktree a folder lies in; the folder itself where there is none."""
    here = os.path.abspath(folder)
    while os.path.dirname(here) != here:
        if os.path.exists(os.path.join(here, ".git")):
            return here
        here = os.path.dirname(here)
    return os.path.abspath(folder)


def take(root: str, wait: float = GIT_WAITS) -> Tree:
    """The tree as it is now; git is given so many seconds to tell."""
    if os.path.exists(os.path.join(root, ".git")):
        found = _through_git(root, wait)
        if found is not None:
            return found
    return _walked(root)


def _through_git(root: str, wait: float) -> Tree | None:
    if not process.find_program("git", os.environ):
        return None
    until = time.monotonic() + wait
    status = _git(root, wait, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all")
    if status is None:  # it took too long, or this is no sound repository
        return {"kind": UNKNOWN, "head": "", "files": {}}
    paths = [entry[3:] for entry in status.split("\0") if len(entry) > 3]
    if len(paths) > _MOST_CHANGED:
        return {"kind": UNKNOWN, "head": "", "files": {}}
    head = (_git(root, max(0.1, until - time.monotonic()), "rev-parse", "--verify", "-q", "HEAD") or "").strip()
    return {"kind": "git", "head": head, "files": {path: _content(os.path.join(root, path)) for path in paths}}


def _git(root: str, wait: float, *words: str) -> str | None:
    program = process.find_program("git", os.environ)
    if not program:
        return None
    env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    try:
        done = subprocess.run(
            [program, *_GIT[1:], *words], cwd=root, env={**env, "GIT_OPTIONAL_LOCKS": "0"}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=wait, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "surrogateescape") if done.returncode in (0, 1) else None


def _content(path: str) -> str:
    """A short word for what a file holds; "" for one that is not there."""
    try:
        facts = os.lstat(path)
        if os.path.islink(path):
            return "link:" + os.readlink(path)
        if facts.st_size > _HASHED or not os.path.isfile(path):
            return f"{facts.st_size}:{facts.st_mtime_ns}"
        data = files.read_bytes(path)
    except OSError:
        return ""
    import hashlib

    return hashlib.sha256(data or b"").hexdigest()[:16]


def _walked(root: str) -> Tree:
    until = time.monotonic() + WALK_WAITS
    found: dict[str, str] = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in _PASSED_OVER]
        inside = os.path.relpath(folder, root).replace(os.sep, "/")
        for name in names:
            path = name if inside == "." else f"{inside}/{name}"
            if path.startswith(PROJECT_BOARD + "/") and not path.startswith(_PLANS):
                continue
            try:
                facts = os.lstat(os.path.join(folder, name))
            except OSError:
                continue
            found[path] = f"{facts.st_size}:{facts.st_mtime_ns}"
        if len(found) > _MOST_FILES or time.monotonic() > until:
            return {"kind": UNKNOWN, "head": "", "files": {}}
    return {"kind": "walk", "head": "", "files": found}


def differing(before: Tree, now: Tree, root: str) -> list[str] | None:
    """The paths below the root whose content is another one, sorted; None when that cannot be told."""
    if before.get("kind") != now.get("kind") or now.get("kind") == UNKNOWN:
        return None
    old, new = before.get("files", {}), now["files"]
    found = {path for path in {*old, *new} if old.get(path) != new.get(path)}
    if now["kind"] == "git":
        # A path that left the status was committed or taken back: its content tells which.
        found = {path for path in found if path in new or old.get(path) != _content(os.path.join(root, path))}
        if before.get("head") != now["head"]:
            found |= _committed(root, str(before.get("head") or ""), now["head"], old)
    return sorted(path for path in found if not path.startswith(PROJECT_BOARD + "/") or path.startswith(_PLANS))


def _committed(root: str, old: str, new: str, known: dict[str, str]) -> set[str]:
    listed = _git(root, GIT_WAITS, "diff", "--name-only", "-z", "--no-renames", old, new) if old and new else None
    paths = [path for path in (listed or "").split("\0") if path]
    return {path for path in paths if known.get(path) != _content(os.path.join(root, path))}


def digest(tree: Tree) -> str:
    """One word for the whole tree; "" where it is unknown."""
    if tree.get("kind") == UNKNOWN:
        return ""
    import hashlib

    lines = [f"{path}\0{what}" for path, what in sorted(tree["files"].items()) if not path.startswith(PROJECT_BOARD)]
    return hashlib.sha256("\n".join([str(tree["head"]), *lines]).encode("utf-8", "surrogateescape")).hexdigest()[:16]
