"""The projects that are tracked by criteria: one folder each with its page, and where each lies on this machine.

The page travels between machines and holds no path; `state/bindings.json` says which folder it means here."""

from __future__ import annotations

import os

from pal.base import clock, files, state, text
from pal.base.errors import PalError
from pal.memory import projects
from pal.memory.tools import pages, project_file, wording

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pal.base.home import Home

    Row = dict[str, Any]

_PAGE = "ISA.md"
_LONGEST = 300  # UTF-16 units of a line
_SECTION = 20_000
_REMOVED = "project-"  # begins the name of a removed project's folder in the archive


def create(home: Home, name: str, path: str, goals: list[str], now: float) -> tuple[str, bool]:
    """Track a project: its slug, and False when it is tracked already. Without a name it is called like its folder."""
    folder = projects.folder_key(path)
    title = plain(name) or os.path.basename(folder.rstrip("/\\"))
    slug = text.slug(title)
    page = _path(home, slug)
    stamp = clock.iso(now)
    fields = {
        "name": title,
        "status": project_file.ACTIVE,
        "created": stamp,
        "updated": stamp,
        "remote": _origin(folder),
        "next": [],
        "blockers": [],
        "handoff": "",
    }
    said = [goal for goal in (plain(goal) for goal in goals) if goal]
    is_new = pages.edit(page, lambda before: before or project_file.new(title, fields, said))
    if os.path.isdir(folder) and (is_new or slug not in state.read(home, home.bindings)):
        bind(home, slug, folder, now)
    return slug, is_new


def bind(home: Home, slug: str, path: str, now: float) -> str:
    """Say where a project lies on this machine; the folder must be there."""
    folder = projects.folder_key(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise PalError(f"{folder} is no folder on this machine; name the one the project lies in.")
    known(home, slug)
    state.update(home, home.bindings, lambda rows: rows.update({slug: folder}), now)
    return folder


def known(home: Home, wanted: str) -> str:
    """The slug of a tracked project by its slug or name, `.` for the one here; PalError when there is none."""
    slug = of_folder(home, os.getcwd()) if wanted == "." else text.slug(wanted) if wanted else ""
    if slug and os.path.isfile(_path(home, slug)):
        return slug
    raise PalError(f"No project {wanted!r} is tracked; `pal project list` names them, `pal project create` adds one.")


def of_folder(home: Home, cwd: str) -> str:
    """The slug of the project this folder lies in, the innermost of several; empty when it is in none."""
    folder = projects.folder_key(cwd)
    best, slug = "", ""
    for name, path in state.read(home, home.bindings).items():
        inside = isinstance(path, str) and (folder == path or folder.startswith((path + "/", path + os.sep)))
        if inside and len(path) > len(best) and os.path.isfile(_path(home, name)):
            best, slug = path, name
    return slug


def here(home: Home, cwd: str) -> Row | None:
    """The summary of the project this folder lies in, with its open `criteria` in words; None unless work goes on."""
    slug = of_folder(home, cwd)
    row = summary(home, slug) if slug else None
    if row is None or row["status"] not in (project_file.ACTIVE, project_file.PAUSED):
        return None
    found = project_file.criteria(page_of(home, slug))
    row["criteria"] = [f"ISC-{c.number} {c.text}" for c in found if c.status == project_file.OPEN]
    return row


def slugs(home: Home) -> list[str]:
    try:
        names = sorted(os.listdir(home.project_files))
    except OSError:
        return []
    return [name for name in names if os.path.isfile(os.path.join(home.project_files, name, _PAGE))]


def page_of(home: Home, slug: str) -> str:
    """A project's page as text."""
    return (files.read_text(_path(home, known(home, slug))) or "").replace("\r\n", "\n")


def change(home: Home, slug: str, edit: Callable[[str], str], now: float) -> bool:
    """Change a project's page, and the time at its top if that changed anything."""

    def stamped(page: str) -> str:
        if not page:
            raise PalError(f"The page of {slug} is gone; `pal project list` names those that are tracked.")
        after = edit(page)
        return page if after == page else project_file.set_field(after, "updated", clock.iso(now))

    return pages.edit(_path(home, known(home, slug)), stamped)


def remove(home: Home, slug: str, now: float) -> str:
    """Stop tracking a project; its folder moves to the archive, whose path is given."""
    slug = known(home, slug)
    stamp = clock.iso(now).replace(":", "").replace("-", "")
    files.make_folder(home.archive_rows)
    place = os.path.join(home.archive_rows, f"{_REMOVED}{slug}-{stamp}")
    os.rename(os.path.dirname(_path(home, slug)), place)
    state.update(home, home.bindings, lambda rows: rows.pop(slug, None), now)
    return place


def summary(home: Home, slug: str) -> Row:
    """A project in a row: header, where it lies here, how many criteria are open and done."""
    page = page_of(home, slug)
    fields = project_file.fields(page)
    found = project_file.criteria(page)
    met = sum(c.status == project_file.DONE for c in (*found, *project_file.settled(page)))
    return {
        "slug": slug,
        "name": str(fields.get("name") or slug),
        "status": str(fields.get("status") or project_file.ACTIVE),
        "updated": str(fields.get("updated") or ""),
        "path": str(state.read(home, home.bindings).get(slug) or ""),
        "open": sum(c.status == project_file.OPEN for c in found),
        "done": met,
        "next": project_file.listed(page, "next"),
        "blockers": project_file.listed(page, "blockers"),
        "handoff": str(fields.get("handoff") or ""),
    }


def plain(said: str) -> str:
    """One line of text as it may be kept."""
    return wording.line(said, _LONGEST)


def prose(said: str) -> str:
    """The text of a section as it may be kept."""
    return wording.prose(said, _SECTION)


def _path(home: Home, slug: str) -> str:
    return os.path.join(home.project_files, slug, _PAGE)


def _origin(folder: str) -> str:
    """`host/owner/name` of the folder's git remote, the same for every way to write it; empty when there is none."""
    try:
        config = files.read_text(os.path.join(projects.root_of(folder) or folder, ".git", "config")) or ""
    except OSError:
        return ""
    section = config.partition('[remote "origin"]')[2].partition("\n[")[0]
    lines = (line.partition("=") for line in section.splitlines())
    address = next((value.strip() for key, _, value in lines if key.strip() == "url"), "")
    place = address.partition("://")[2] or address
    place = place.rpartition("@")[2]  # a name or a password is nobody else's
    if "://" not in address:
        place = place.replace(":", "/", 1)
    return place.removesuffix("/").removesuffix(".git")
