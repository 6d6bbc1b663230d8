"""Rules about modes and owners: who may change what, in every spelling of chmod, chown and their relatives."""

from __future__ import annotations

from pal.guard import paths, rows
from pal.guard.model import UNKNOWN, Argument, Command, Row
from pal.guard.rules_files import Place, short
from pal.guard.streams import operands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable


def mode_class(text: str) -> str:
    """ "open" for 777 in any spelling, "weak" for other modes that let everybody write, "closed" where the owner is
    locked out, "sticky", "remove" (symbolic, takes rights away) or "plain"."""
    digits = text.lstrip("0") if text.isdigit() else ""
    if text.isdigit():
        if not digits:
            return "closed"
        last, special = digits[-3:].rjust(3, "0"), digits[:-3]
        if last == "777":
            return "sticky" if special in ("1", "3") else "weak" if special == "2" else "open"
        if last[2] in "2367" or special in ("4", "6", "2"):
            return "weak"
        return "closed" if last[0] not in "57" else "plain"
    bits = {"u": set("rwx"), "g": set(), "o": set()}
    removes = setuid = False
    for clause in text.split(","):
        i = 0
        while i < len(clause) and clause[i] in "ugoa":
            i += 1
        who = clause[:i].replace("a", "ugo")
        operator, perms = clause[i : i + 1], clause[i + 1 :].replace("X", "x")
        if operator == "-":
            removes = True
            for name in who or "ugo":
                bits[name] -= set(perms)
        elif operator in ("+", "="):
            setuid = setuid or ("s" in perms and "t" not in perms)
            for name in who:
                bits[name] = (bits[name] if operator == "+" else set()) | set(perms)
            if operator == "=" and not perms:
                removes = True
    full = set("rwx")
    if full <= bits["o"] and full <= bits["g"] and full <= bits["u"]:
        return "sticky" if "t" in bits["o"] else "open"
    if "w" in bits["o"] or setuid:
        return "weak"
    return "remove" if removes else "plain"


def chmod(command: Command, place: Place) -> list[tuple[Row, str]]:
    argv = command.argv
    recursive = short(argv, "R", "--recursive")
    words: list[Argument] = []
    for word in argv[1:]:
        text = word.text
        if text.startswith("--reference"):
            return []
        if text.startswith("-") and len(text) > 1 and not words and text[1] in "rwxXst":
            words.append(word)  # -x, -w: a mode
        elif not text.startswith("-") or (words and text[:1] != "-"):
            words.append(word)
    if not words:
        return []
    kind = mode_class(words[0].text)
    if kind == "open":
        return [(rows.WORLD_WRITABLE, words[0].text)]
    found: list[tuple[Row, str]] = []
    if kind == "weak":
        found.append((rows.WEAK_MODE, words[0].text))
    for word in words[1:]:
        target = place.target(command, word)
        ground = (recursive or kind == "closed") and core(command, place, word, target)
        locked = recursive and target in ("home", "user-folder") and kind in ("closed", "remove")
        if (ground and kind != "sticky") or locked:
            found.append((rows.TREE_MODE, word.text))
    return found


def core(command: Command, place: Place, word: Argument, target: str) -> bool:
    """Whether the target is of the system itself, and no folder that services and tools are given."""
    if target in ("root", "drive"):
        return True
    path = paths.normalise(word.text, command.cwd, place.home, place.windows)
    return target == "system" and not path.startswith(
        ("/var/", "/usr/local", "/opt", "/srv", "/mnt", "/media", "/Users/")
    )


def chown(command: Command, place: Place) -> list[tuple[Row, str]]:
    argv = command.argv
    words = operands(argv)
    if not short(argv, "R", "--recursive") or len(words) < 2:
        return []
    owner = words[0].text.partition(":")[0].partition(".")[0]
    own = place.home.rpartition("/")[2]
    found = []
    for word in words[1:]:
        target = place.target(command, word)
        if core(command, place, word, target) or (
            target in ("home", "user-folder") and UNKNOWN not in owner and owner not in (own, "")
        ):
            found.append((rows.TREE_OWNER, word.text))
    return found


def made_with_mode(command: Command, place: Place) -> list[tuple[Row, str]]:
    """install -m and mkdir -m."""
    words = [word.text for word in command.argv]
    for i, word in enumerate(words):
        mode = ""
        if word in ("-m", "--mode") and i + 1 < len(words):
            mode = words[i + 1]
        elif word.startswith(("--mode=", "-m")):
            mode = word.partition("=")[2] or word[2:]
        if mode and mode_class(mode) == "open":
            return [(rows.WORLD_WRITABLE if command.name == "install" else rows.WEAK_MODE, mode)]
    return []


def umask(command: Command, place: Place) -> list[tuple[Row, str]]:
    return [(rows.WEAK_MODE, word.text) for word in command.argv[1:] if word.text in ("0", "00", "000", "0000")]


CHECKS: dict[str, Callable[[Command, Place], list[tuple[Row, str]]]] = {
    "chmod": chmod,
    "gchmod": chmod,
    "chown": chown,
    "chgrp": chown,
    "gchown": chown,
    "install": made_with_mode,
    "mkdir": made_with_mode,
    "umask": umask,
}
