"""Where a project's board is: the folder `.switchboard/`, found from any folder of the project and of its worktrees.

Only `init` makes one. `find` is asked by hooks too, so it reads a few names and writes nothing."""

from __future__ import annotations

import os

from pal.base import clock, files
from pal.base import home as homes
from pal.switchboard.errors import refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from pal.base.home import Home

ROOT = "PAL_SB_ROOT"  # names the project, whatever folder a command runs in
ISOLATED = "isolated: true"  # a worktree that wants a board of its own says so below its id
_IGNORED = (
    "# PAL: plans may be committed, everything else belongs to this machine.\n*\n!.gitignore\n!plans/\n!plans/**\n"
)
_NOTED_EVERY = 86400.0  # seconds; when a known workspace is written down again as seen
_LONGEST_LINK = 4096  # bytes of a `.git` file


class Workspace:
    """A project and the places in its `.switchboard/`; every attribute is an absolute path."""

    __slots__ = (
        "archive", "archived", "board", "events", "folder", "handoff", "identity", "ignore", "inbox",
        "plans", "reviews", "root", "trash",
    )  # fmt: skip

    def __init__(self, root: str) -> None:
        self.root = root
        self.folder = os.path.join(root, homes.PROJECT_BOARD)
        self.plans = os.path.join(self.folder, "plans")
        self.trash = os.path.join(self.folder, "trash")
        self.archived = os.path.join(self.folder, "archive")
        self.reviews = os.path.join(self.folder, "reviews")
        self.handoff = os.path.join(self.folder, "handoff")
        self.inbox = os.path.join(self.folder, "inbox")
        self.board = os.path.join(self.folder, "board.db")
        self.archive = os.path.join(self.folder, "archive.db")
        self.events = os.path.join(self.folder, "events.jsonl")
        self.identity = os.path.join(self.folder, "workspace-id")
        self.ignore = os.path.join(self.folder, ".gitignore")

    @property
    def id(self) -> str:
        """128 bits of chance in hexadecimal; empty before the first write."""
        lines = (files.read_text(self.identity) or "").split()
        return lines[0] if lines else ""

    def relative(self, path: str) -> str:
        """A path below the project as the board writes it: relative, with forward slashes."""
        return os.path.relpath(path, self.root).replace(os.sep, "/")

    def at(self, relative: str) -> str:
        """The absolute path of what `relative` gave."""
        return os.path.join(self.root, *relative.split("/"))


def find(env: Mapping[str, str], cwd: str, named: str = "") -> Workspace | None:
    """The workspace a folder belongs to, None without one. A named root, or PAL_SB_ROOT, is taken at its word.

    The way up ends at the top of the repository; the user's home folder and `/` are nobody's project."""
    chosen = named or env.get(ROOT, "")
    if chosen:
        root = os.path.abspath(os.path.expanduser(chosen))
        return _standing(root)
    home = homes.user_folder(env)
    folder = os.path.abspath(cwd) if cwd else ""
    while folder and folder != home and os.path.dirname(folder) != folder:
        found = _standing(folder)
        link = os.path.join(folder, ".git")
        if os.path.isfile(link):
            main = _main_checkout(link)
            shared = _standing(main) if main and main != home else None
            return found if found and (shared is None or _isolated(found)) else shared
        if found or os.path.exists(link):
            return found
        folder = os.path.dirname(folder)
    return None


def repository(env: Mapping[str, str], cwd: str) -> str:
    """The top of the repository around a folder, of a worktree the main checkout's; empty where there is none, and for
    the user's home folder, which is nobody's project. A first plan makes its board there."""
    folder, home = os.path.abspath(cwd), homes.user_folder(env)
    while folder != home and os.path.dirname(folder) != folder:
        link = os.path.join(folder, ".git")
        if os.path.exists(link):
            main = _main_checkout(link) if os.path.isfile(link) else ""
            return main if main and main != home else folder
        folder = os.path.dirname(folder)
    return ""


def _standing(root: str) -> Workspace | None:
    folder = os.path.join(root, homes.PROJECT_BOARD)
    # A link could lead a cloned repository's board anywhere.
    return Workspace(root) if os.path.isdir(folder) and not os.path.islink(folder) else None


def _isolated(workspace: Workspace) -> bool:
    return ISOLATED in (files.read_text(workspace.identity) or "")


def _main_checkout(link: str) -> str:
    """The folder of the main checkout a worktree's `.git` file leads to; empty for a submodule and anything else."""
    line = (files.read_bytes(link) or b"")[:_LONGEST_LINK].decode("utf-8", "replace").strip()
    if not line.startswith("gitdir:"):
        return ""
    git = os.path.normpath(os.path.join(os.path.dirname(link), line[len("gitdir:") :].strip()))
    common = (files.read_text(os.path.join(git, "commondir")) or "").strip()
    if not common:
        return ""
    common = os.path.normpath(os.path.join(git, common))
    return os.path.dirname(common) if os.path.basename(common) == ".git" else ""


def need(home: Home, env: Mapping[str, str], cwd: str, named: str = "", now: float = 0.0) -> Workspace:
    """The workspace, noted in the user's registry; E_NOT_WORKSPACE where there is none."""
    found = find(env, cwd, named)
    if found is None:
        looked = named or env.get(ROOT, "") or cwd
        raise refused(
            "E_NOT_WORKSPACE", f"there is no board in {looked}", "`pal switchboard init` makes one there", looked=looked
        )
    note(home, found, now or clock.now())
    return found


def init(home: Home, root: str, now: float, isolated: bool = False) -> tuple[Workspace, bool]:
    """The project's board and whether it is new. Nothing that stands there is changed."""
    root = os.path.abspath(root)
    if os.path.dirname(root) == root or not os.path.isdir(root):
        raise refused("E_NOT_WORKSPACE", f"{root} cannot be a project", "name the project's own folder")
    workspace = Workspace(root)
    if os.path.islink(workspace.folder):
        raise refused("E_NOT_WORKSPACE", f"{workspace.folder} is a link", "a board is a folder of the project itself")
    new = not os.path.isfile(workspace.identity)
    for folder in (workspace.folder, workspace.plans):
        files.make_folder(folder)
    identify(workspace, isolated)
    note(home, workspace, now)
    return workspace, new


def identify(workspace: Workspace, isolated: bool = False) -> None:
    """Give a folder that has none its id, and keep git from what is not for it."""
    if not os.path.exists(workspace.ignore):
        files.write(workspace.ignore, _IGNORED, mode=0o644)
    if not workspace.id:
        line = os.urandom(16).hex() + "\n" + (ISOLATED + "\n" if isolated else "")
        try:
            made = os.open(workspace.identity, os.O_WRONLY | os.O_CREAT | os.O_EXCL | files.BINARY, 0o600)
        except FileExistsError:
            return  # another process was quicker
        try:
            os.write(made, line.encode())
        finally:
            os.close(made)


def note(home: Home, workspace: Workspace, now: float) -> None:
    """Write down in the user's registry that this workspace stands here, once a day."""
    identity = workspace.id
    if not identity:
        return
    row = known(home).get(identity) or {}
    roots = [root for root in row.get("roots", []) if isinstance(root, str)]
    if workspace.root in roots and clock.age(row.get("seen"), now) < _NOTED_EVERY:
        return
    from pal.base import state

    roots = [*[root for root in roots if root != workspace.root], workspace.root]
    state.merge(home, home.switchboard_registry, identity, {"roots": roots, "seen": clock.iso(now)}, now)


def known(home: Home) -> dict[str, dict[str, list[str]]]:
    """Every workspace this user has worked in: id → its row with `roots` and `seen`."""
    from pal.base import state

    try:
        rows = state.read(home, home.switchboard_registry)
    except OSError:
        return {}
    return {name: row for name, row in rows.items() if isinstance(row, dict)}


def others(home: Home, workspace: Workspace) -> list[Workspace]:
    """The user's other workspaces that still stand."""
    roots = {root for row in known(home).values() for root in row.get("roots", [])}
    return [Workspace(root) for root in sorted(roots) if root != workspace.root and _standing(root)]


def copies(home: Home, workspace: Workspace) -> list[str]:
    """Other folders that carry the same id: one of them is a copy."""
    row = known(home).get(workspace.id) or {}
    here = os.path.realpath(workspace.root)
    return [
        root for root in row.get("roots", [])
        if os.path.realpath(root) != here and (Workspace(root).id == workspace.id)
    ]  # fmt: skip
