"""The one list of workflows, for documents, hooks, commands and tools: PAL's own, the user's instead of or beside them.

A project may word a workflow its own way; steps, evidence and what may be written never come from a project."""

from __future__ import annotations

import os

from pal.base import assets, files, frontmatter
from pal.base.errors import PalError
from pal.switchboard import definition, detect
from pal.switchboard.errors import refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.base.home import Home
    from pal.switchboard.definition import Workflow

ASSETS = "workflows/"
PROJECT = (".agent", "workflows")  # where agents of this protocol look in a project
_LONGEST = 64 * 1024  # bytes of a file that words a workflow


def names(home: Home) -> tuple[str, ...]:
    """Every workflow there is: PAL's in their order, then the user's own."""
    return (*detect.BUILT_IN, *[name for name in _users(home) if name not in detect.BUILT_IN])


def _users(home: Home) -> list[str]:
    try:
        listed = os.listdir(home.switchboard_workflows)
    except OSError:
        return []
    found = [name[:-3] for name in listed if name.endswith(".md")]
    return sorted(name for name in found if definition.NAME.issuperset(name) and name not in detect.RETIRED)


def load(home: Home, name: str) -> Workflow:
    """The definition in force; E_NOT_FOUND with the known names, PalError for a user's file that is not sound."""
    name = canonical(home, name)
    path = os.path.join(home.switchboard_workflows, name + ".md")
    own = files.read_text(path)
    if own is not None:
        return definition.parse(name, own, "user", path)
    return definition.parse(name, shipped(name))


def canonical(home: Home, name: str) -> str:
    """`/SB:Improve_Plan` → `improve-plan`; E_NOT_FOUND for a name that no workflow has."""
    known = names(home)
    said = "/" + name.strip().lstrip("/$")
    found = detect.find(said, known)
    if found is not None and found.name in known and not found.args:
        return found.name
    if found is not None and found.retired:
        raise refused("E_NOT_FOUND", f"{found.name} is not run here", RETIRED)
    raise refused("E_NOT_FOUND", f"there is no workflow {name!r}", f"known are {', '.join(known)}", known=list(known))


RETIRED = "plans are handed on over the board: `move_kanban_card(sessionId, target)` or `pal sb move ID TARGET`"


def shipped(name: str) -> str:
    """PAL's own text of a workflow."""
    return assets.read(f"{ASSETS}{name}.md").decode("utf-8")


def every(home: Home) -> list[Workflow]:
    return [load(home, name) for name in names(home)]


def wording(root: str, workflow: Workflow) -> tuple[str, str]:
    """(the words to follow, the project's file they come from or ""). A project's file changes the words only."""
    path = os.path.join(root, *PROJECT, workflow.name + ".md") if root else ""
    try:
        data = files.read_bytes(path) if path and not _led_away(path, root) else None
    except OSError:
        data = None
    if not data or len(data) > _LONGEST:
        return workflow.body, ""
    body = frontmatter.parse(data.decode("utf-8", "replace"))[1]
    if not body.strip() or body.strip() == workflow.body.strip():
        return workflow.body, ""
    return body, path


def _led_away(path: str, root: str) -> bool:
    """Whether a link leads out of the project."""
    return not os.path.realpath(path).startswith(os.path.realpath(root) + os.sep)


def check(home: Home) -> list[str]:
    """What is wrong with the user's own workflows, for `doctor`."""
    found = []
    for name in _users(home):
        try:
            load(home, name)
        except PalError as fault:
            found.append(str(fault))
    return found
