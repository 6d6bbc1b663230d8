"""Rules about git: what throws away work that no commit holds, and what others have already pulled."""

from __future__ import annotations

from pal.guard import rows
from pal.guard.model import Command, Row
from pal.guard.rules_files import Place

GLOBAL_VALUED = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix"})
WHOLE = frozenset({".", "./", "*", ":/", ":/.", "-A", ":(top)", ":"})


def git(command: Command, place: Place) -> list[tuple[Row, str]]:
    settings: list[str] = []
    argv = [word.text for word in command.argv]
    i = 1
    while i < len(argv) and argv[i].startswith("-"):
        if argv[i] == "-c" and i + 1 < len(argv):
            settings.append(argv[i + 1].lower())
        i += 2 if argv[i] in GLOBAL_VALUED else 1
    if i >= len(argv):
        return []
    verb, words = argv[i], argv[i + 1 :]
    if any(word in ("--help", "-h") for word in words[:1]):
        return []
    row = judge(verb, words, settings)
    return [(row, f"git {verb}")] if row is not None else []


def has(words: list[str], letters: str, *names: str) -> bool:
    for word in words:
        if word == "--":
            return False
        if word[:2] == "--":
            if word.partition("=")[0] in names:
                return True
        elif word[:1] == "-" and any(letter in word for letter in letters):
            return True
    return False


def plain(words: list[str]) -> list[str]:
    return [word for word in words if not word.startswith("-")]


def judge(verb: str, words: list[str], settings: list[str]) -> Row | None:
    if verb == "reset":
        return rows.GIT_DISCARD if has(words, "", "--hard", "--merge") else None
    if verb == "checkout":
        return checkout(words)
    if verb == "restore":
        staged = has(words, "S", "--staged") and not has(words, "W", "--worktree")
        if staged or not plain(words):
            return None
        return rows.GIT_DISCARD if WHOLE.intersection(plain(words)) else rows.GIT_DISCARD_FILE
    if verb == "switch":
        return rows.GIT_DISCARD if has(words, "f", "--discard-changes", "--force") else None
    if verb == "clean":
        forced = has(words, "f", "--force") or any(
            item in ("clean.requireforce=false", "clean.requireforce=0") for item in settings
        )
        return (
            rows.GIT_CLEAN
            if forced and not has(words, "n", "--dry-run") and not has(words, "i", "--interactive")
            else None
        )
    if verb == "stash":
        if plain(words)[:1] == ["clear"]:
            return rows.GIT_DISCARD
        return rows.GIT_UNCLEAR if plain(words)[:1] == ["drop"] else None
    if verb == "push":
        return push(words)
    if verb == "branch":
        return (
            rows.GIT_REF_DELETE
            if has(words, "D") or (has(words, "d", "--delete") and has(words, "f", "--force"))
            else None
        )
    if verb == "tag":
        return rows.GIT_REF_DELETE if has(words, "d", "--delete") else None
    if verb == "reflog":
        return (
            rows.GIT_REF_DELETE if words[:1] in (["expire"], ["delete"]) and not has(words, "n", "--dry-run") else None
        )
    if verb == "update-ref":
        return rows.GIT_REF_DELETE if has(words, "d", "--delete") else None
    if verb == "gc" or verb == "prune":
        pruned = any(word in ("--prune=now", "--prune=all", "--expire=now", "--expire=all") for word in words)
        return rows.GIT_REF_DELETE if pruned else None
    if verb in ("filter-branch", "filter-repo"):
        return rows.GIT_HISTORY
    if verb == "worktree":
        return rows.GIT_UNCLEAR if words[:1] == ["remove"] and has(words, "f", "--force") else None
    if verb == "rm":
        whole = has(words, "r") and has(words, "f", "--force") and not has(words, "", "--cached", "--dry-run")
        return rows.GIT_DISCARD if whole and WHOLE.intersection(words) else None
    if verb == "read-tree":
        return rows.GIT_DISCARD if has(words, "", "--reset") and has(words, "u") else None
    return None


def checkout(words: list[str]) -> Row | None:
    if has(words, "bB", "--orphan", "--track") and not has(words, "f", "--force"):
        return None
    if has(words, "f", "--force"):
        return rows.GIT_DISCARD
    if "--" in words:
        named = words[words.index("--") + 1 :]
        if WHOLE.intersection(named):
            return rows.GIT_DISCARD
        return rows.GIT_DISCARD_FILE if named else None
    return rows.GIT_DISCARD if WHOLE.intersection(words) else None


def push(words: list[str]) -> Row | None:
    if has(words, "n", "--dry-run"):
        return None
    if has(words, "d", "--delete", "--prune"):
        return rows.GIT_REF_DELETE
    refs = plain(words)[1:]
    if any(ref.startswith(":") and len(ref) > 1 for ref in refs):
        return rows.GIT_REF_DELETE
    if has(words, "f", "--force", "--mirror") or any(ref.startswith("+") for ref in refs):
        return rows.GIT_FORCE_PUSH
    return None
