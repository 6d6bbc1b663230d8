"""What a run may write, asked before a tool writes and again when a step is reported."""

from __future__ import annotations

import os

from pal.base.home import PROJECT_BOARD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

PROJECT, TARGET, REVIEWS, PLANS, TEMP = "project", "target", "reviews", "plans", "temp"
# What PAL itself keeps in a board's folder; everybody else goes through its commands.
_OURS = ("board.db", "archive.db", ".board.db", ".archive.db", "workspace-id", "events.jsonl")
_MAIL, _DROP = "inbox/", "/drop/"
WORKFLOWS = (".agent/workflows/", ".agent/personas/")


class Place:
    """Where a run works, and which of its rules say what may be written there."""

    __slots__ = ("root", "target", "worktree", "writes")

    def __init__(self, root: str, worktree: str, writes: Sequence[str], target: str = "") -> None:
        self.root = root
        self.worktree = worktree or root
        self.writes = tuple(writes)
        self.target = target  # relative to the root

    def may_write(self, path: str) -> bool:
        """Whether an absolute path is among what this run may write. Scratch below the temporary folder always is."""
        if PROJECT in self.writes:
            return True
        inside = within(path, self.root)
        board = (inside or "").partition(PROJECT_BOARD + "/")
        if inside is not None and board[0] == "" and board[1]:
            if REVIEWS in self.writes and board[2].startswith("reviews/"):
                return True
            if PLANS in self.writes and board[2].startswith("plans/"):
                return True
        if TARGET in self.writes and self.target and inside is not None and _same(inside, self.target):
            return True
        if inside is not None or within(path, self.worktree) is not None:
            return False
        import tempfile

        return within(path, tempfile.gettempdir()) is not None or path.startswith("/dev/")

    def said(self) -> str:
        """What may be written, in words."""
        words = {
            PROJECT: "the project's files", TARGET: self.target or "the plan, once it is pinned",
            REVIEWS: PROJECT_BOARD + "/reviews/", PLANS: PROJECT_BOARD + "/plans/", TEMP: "the temporary folder",
        }  # fmt: skip
        return ", ".join(words[each] for each in self.writes) or "nothing"


def _same(one: str, other: str) -> bool:
    return os.path.normcase(one) == os.path.normcase(other)


def within(path: str, folder: str) -> str | None:
    """What of a path lies below a folder, by whole names and after all links, with `/`; None when it is elsewhere."""
    real, top = os.path.realpath(path), os.path.realpath(folder).rstrip(os.sep)
    named, lead = os.path.normcase(real), os.path.normcase(top)
    if named.rstrip(os.sep) == lead:
        return ""
    return real[len(top) + 1 :].replace(os.sep, "/") if named.startswith(lead + os.sep) else None


def kept_by_pal(path: str) -> str:
    """The file of PAL's own in a `.switchboard/` that a path names, as a word for people; "" for any other."""
    text = path.replace("\\", "/")
    at = text.rfind(PROJECT_BOARD + "/")
    if at < 0 or text[at - 1 : at] not in ("", "/"):
        return ""
    name = text[at + len(PROJECT_BOARD) + 1 :]
    if name.startswith(_OURS):
        return PROJECT_BOARD + "/" + name
    if name.startswith(_MAIL) and _DROP not in name:
        return PROJECT_BOARD + "/" + name
    return ""


def defines_workflows(path: str, users: str) -> bool:
    """Whether a file says what a workflow is: in a project's folder for them, or in the user's (`users`)."""
    text = path.replace("\\", "/")
    return any("/" + folder in "/" + text for folder in WORKFLOWS) or within(path, users) is not None
