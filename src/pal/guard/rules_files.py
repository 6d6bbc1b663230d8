"""Rules about files and disks: recursive deletes, moves, modes, owners, devices.

Each function answers for the commands named in CHECKS with the rows they meet; what a path means is paths.py's
business.
"""

from __future__ import annotations

from pal.guard import paths, rows
from pal.guard.delete_targets import delete_target
from pal.guard.launch_programs import FIND_EXEC, find_roots
from pal.guard.model import UNKNOWN, Argument, Command, Row
from pal.guard.streams import operands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

PROTECTED = frozenset({"root", "drive", "system", "home", "other-home", "user-folder", "state"})
GROUND = frozenset({"root", "drive", "system", "home", "other-home"})  # of these no name below them is safe to move
HARMLESS = frozenset({"inside", "temporary", "cache"})
ROW_OF_TARGET = {
    **dict.fromkeys(PROTECTED, rows.DELETE_PROTECTED),
    "container": rows.CONTAINER_WIPE,
    "project": rows.DELETE_PROJECT,
    "git": rows.DELETE_HISTORY,
    "outside": rows.DELETE_OUTSIDE,
    "unknown": rows.DELETE_UNKNOWN,
}
EVERYTHING = frozenset({"*", "**", ".*", "*.*", ".", "..", "./", "../"})


class Place:
    """Where a command is judged: the user's home, the project, PAL's own folder, and whether paths are Windows
    paths."""

    __slots__ = ("home", "pal", "project", "windows")

    def __init__(self, home: str, project: str, pal: str, windows: bool) -> None:
        self.home = home
        self.project = project
        self.pal = pal
        self.windows = windows

    def target(self, command: Command, argument: Argument) -> str:
        """What deleting this argument would take, one of delete_target's words or "container"."""
        text = argument.text
        if UNKNOWN in text:
            return self.partly_known(command, argument)
        if command.mounts is not None:
            return self.in_container(command, text, argument.glob)
        if not command.cwd and not text.startswith(("/", "\\")) and not paths.drive_of(text):
            first = text.lstrip("./") if text[:2] == "./" else text
            return "unknown" if first in EVERYTHING or not first or text.startswith("..") else "inside"
        found = delete_target(
            text, command.cwd, self.home, self.project, self.pal, self.windows, tilde=False, globs=argument.glob
        )
        return self.across(command, text, argument.glob) if found == "outside" else found

    def across(self, command: Command, text: str, glob: bool) -> str:
        """A folder of the same user on the Windows side: the project may be there under another name."""
        path = paths.normalise(text, command.cwd, self.home, self.windows)
        users = f"/Users/{self.home.rpartition('/')[2]}/"
        if paths.drive_of(path) and path[2:].startswith(users):
            there = delete_target(self.home + "/" + path[2 + len(users) :], "/", self.home, self.project, globs=glob)
            return there if there in HARMLESS else "outside"
        return "outside"

    def partly_known(self, command: Command, argument: Argument) -> str:
        head, _, rest = argument.text.partition(UNKNOWN)
        last = rest.rpartition("/")[2]
        if "/" in rest and last and self.named(last) == "cache":
            return "cache"
        if not head or ("/" in head and not head.strip("/.")):
            return "inside" if head.startswith("./") else "unknown"
        known = self.target(command, Argument(head + "x", False))
        return known if known in HARMLESS else "unknown"

    def named(self, name: str) -> str:
        return delete_target("/srv/x/" + name, "/srv/x", self.home, "/srv/y")

    def in_container(self, command: Command, text: str, glob: bool) -> str:
        mounts = command.mounts or []
        # Below a made-up root, so that /c or /mnt are no second names of anything.
        path = paths.normalise("/srv/root" + text if text[:1] == "/" else text, "/srv/root/inside", "/root")[9:] or "/"
        bare = path[:-2] or "/" if glob and path.endswith("/*") else path
        for target, host in mounts:
            below = paths.below(path, target)
            if below is not None or target == "/":
                joined = host.rstrip("/") + "/" + (path.lstrip("/") if target == "/" else below or "")
                return delete_target(joined, self.project, self.home, self.project, self.pal, globs=glob)
            if paths.below(target, bare) is not None:
                found = delete_target(host, self.project, self.home, self.project, self.pal)
                if found in PROTECTED:
                    return found
        found = delete_target(path, "/srv/inside", "/root", globs=glob)
        return "container" if found in PROTECTED else "inside"


def short(argv: list[Argument], letters: str, *names: str) -> bool:
    """True when one of the short options (in any cluster) or long names is among the words before `--`."""
    for word in argv[1:]:
        text = word.text
        if text == "--":
            return False
        if text[:2] == "--":
            name = text.partition("=")[0]
            if any(long == name or (len(name) > 4 and long.startswith(name)) for long in names):
                return True
        elif text[:1] == "-" and any(letter in text for letter in letters):
            return True
    return False


def targets(command: Command, place: Place, words: list[Argument]) -> list[tuple[Row, str]]:
    found = []
    for word in words:
        row = ROW_OF_TARGET.get(place.target(command, word))
        if row is not None:
            found.append((row, word.text))
    return found


def remove(command: Command, place: Place) -> list[tuple[Row, str]]:
    argv = command.argv
    if short(argv, "", "--help", "--version"):
        return []
    words = operands(argv)
    if command.name in ("rm", "grm", "srm") and not short(argv, "rR", "--recursive"):
        # Single files: only what holds a whole protected folder, or an account file (see rules_paths).
        return [
            (rows.DELETE_PROTECTED, word.text)
            for word in words
            if word.glob and word.text.rpartition("/")[2] in EVERYTHING and place.target(command, word) in PROTECTED
        ]
    return targets(command, place, words)


def shred(command: Command, place: Place) -> list[tuple[Row, str]]:
    found = []
    for word in operands(command.argv, "ns"):
        if device(command, place, word):
            found.append((rows.DISK_WRITE, word.text))
        elif place.target(command, word) in PROTECTED:
            found.append((rows.DELETE_PROTECTED, word.text))
    return found


def find(command: Command, place: Place) -> list[tuple[Row, str]]:
    """What find deletes or changes below its roots: everything, or what a test lets through."""
    roots, i = find_roots(command.argv)
    words = [word.text for word in command.argv]
    action = ""
    filters: list[str] = []
    other = False
    while i < len(words):
        word = words[i]
        if word == "-delete":
            action = "delete"
        elif word in FIND_EXEC and i + 1 < len(words):
            name = acting(words[i + 1 :])
            if name in ("rm", "unlink", "shred", "srm", "rmdir", "truncate"):
                action = action or ("delete" if name != "rmdir" else "")
            elif name in ("chmod", "chown", "chgrp"):
                action = action or name
        elif word in ("-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex") and i + 1 < len(words):
            filters.append(words[i + 1])
        elif word in (
            "-mtime",
            "-mmin",
            "-atime",
            "-amin",
            "-ctime",
            "-cmin",
            "-size",
            "-empty",
            "-newer",
            "-user",
            "-inum",
        ):
            other = True
        i += 1
    if not action:
        return []
    narrow = [name for name in filters if name.strip("*./") and name.strip("*./") != "?"]
    found: list[tuple[Row, str]] = []
    for root in roots:
        target = place.target(command, Argument(root))
        if target == "outside" and place.target(command, Argument(root.rstrip("/") + "/*", True)) in HARMLESS:
            continue
        if action != "delete":
            if target in ("root", "system") and not root.startswith(("/var/www", "/usr/local", "/opt", "/srv")):
                found.append((rows.TREE_MODE, root))
            continue
        if target in ("root", "drive", "system", "other-home"):
            varying = root.startswith("/var/") and (narrow or other)
            found.append((rows.DELETE_OUTSIDE if varying else rows.FIND_DELETE, root))
        elif target in PROTECTED:
            found.append((rows.DELETE_OUTSIDE if narrow else rows.FIND_DELETE, root))
        elif target == "project":
            if any(name.strip("*/") == ".git" for name in filters):
                found.append((rows.DELETE_HISTORY, root))
            elif not narrow and not other:
                found.append((rows.DELETE_PROJECT, root))
        elif target in ROW_OF_TARGET:
            found.append((ROW_OF_TARGET[target], root))
    return found


def acting(words: list[str]) -> str:
    """The command an -exec runs, behind the usual wrappers."""
    for word in words[:6]:
        name = word.rpartition("/")[2]
        if name not in ("sudo", "env", "nice", "command", "doas", "-n", "--"):
            return name
    return ""


def move(command: Command, place: Place) -> list[tuple[Row, str]]:
    words = operands(command.argv, "tS")
    if len(words) < 2:
        return []
    found: list[tuple[Row, str]] = []
    nowhere = words[-1].text == "/dev/null"
    for word in words[:-1]:
        target = place.target(command, word)
        if target in GROUND or (nowhere and target in PROTECTED):
            found.append((rows.MOVE_PROTECTED, word.text))
    return found


def mirror(command: Command, place: Place) -> list[tuple[Row, str]]:
    """rsync --delete into a protected folder."""
    argv = command.argv
    if not short(argv, "", "--delete", "--delete-after", "--delete-before", "--delete-during", "--delete-excluded"):
        return []
    if short(argv, "n", "--dry-run"):
        return []
    words = operands(argv, "efBT")
    if len(words) < 2 or ":" in words[-1].text:
        return []
    target = place.target(command, words[-1])
    return [(rows.MIRROR_PROTECTED, words[-1].text)] if target in PROTECTED else []


def device(command: Command, place: Place, word: Argument) -> bool:
    return paths.device(paths.normalise(word.text, command.cwd, place.home, place.windows)) in ("block", "memory")


CHECKS: dict[str, Callable[[Command, Place], list[tuple[Row, str]]]] = {
    "rm": remove,
    "grm": remove,
    "srm": remove,
    "rimraf": remove,
    "del-cli": remove,
    "trash": remove,
    "shred": shred,
    "find": find,
    "gfind": find,
    "mv": move,
    "gmv": move,
    "rsync": mirror,
}
