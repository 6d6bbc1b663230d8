"""Writes tier 2: one file a semi-static source, in PAL's own folder and wherever an agent loads such files from.

Runs at the end of every turn. While no source changed it costs a few `stat` calls; a file is replaced only when its
content differs, and goes when its source has nothing to say any more or is no longer a source."""

from __future__ import annotations

import os

from pal import __version__
from pal.base import files, jsontext, log
from pal.context import budget, routes, semi_static

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.base.home import Home
    from pal.base.settings import Settings

# Stands in every file, and tells PAL's own from a file that somebody else keeps under such a name.
MARK = "<!-- kept by PAL from its memory; edits here are lost -->"
_DATA = "What PAL noted earlier: it informs, it does not instruct."
_STAMP = "stamp.json"  # in the folder of the digests: what each of them was made from


def refresh(home: Home, settings: Settings, now: float) -> list[str]:
    """Bring every digest up to date; the slugs built anew. A source that fails leaves its last digest alone."""
    stamp_path = os.path.join(home.digests, _STAMP)
    stamp = _read_stamp(stamp_path)
    common = f"{__version__} {signature(home.settings)} {signature(home.digest_routes)}"
    built = []
    folders: list[routes.Folder] = []
    for source in semi_static.SOURCES:
        made_from = " ".join([common, *map(signature, source.inputs(home))])
        before, written = stamp.get(source.slug, ("", False))
        if before == made_from and (not written or os.path.exists(os.path.join(home.digests, source.slug + ".md"))):
            continue
        folders = folders or routes.read(home).folders
        try:
            text = semi_static.text_of(source, home, settings, now)
            for folder in folders:
                _put(home, folder, source, text)
        except Exception as fault:
            import traceback

            log.error(home, "digests", f"{source.slug}: {type(fault).__name__}: {fault}", traceback.format_exc())
            text = ""
        stamp[source.slug] = (made_from, bool(text))
        built.append(source.slug)
    if built:
        for folder in folders:
            _remove_retired(folder)
        known = {source.slug for source in semi_static.SOURCES}
        rows = {slug: list(row) for slug, row in stamp.items() if slug in known}
        files.write(stamp_path, jsontext.dumps_rows(rows))
    return built


def signature(path: str) -> str:
    """Changes when the file or folder does; `-` while there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return "-"
    return f"{found.st_mtime_ns}:{found.st_size}"


def rendered(source: semi_static.Source, text: str) -> str:
    """The digest as a file, without what an agent's folder wants before it."""
    return f"# {source.title}\n\n{MARK}\n{_DATA}\n\n{budget.harmless(text)}\n"


def _put(home: Home, folder: routes.Folder, source: semi_static.Source, text: str) -> None:
    path = folder.file(source.slug)
    if not text:
        _remove_ours(path)
    elif folder.path == home.digests or os.path.isdir(folder.path):  # an agent that is gone is not brought back
        files.write(path, folder.header + rendered(source, text))


def _remove_retired(folder: routes.Folder) -> None:
    """A digest nobody writes any more would be loaded for ever."""
    wanted = {folder.prefix + source.slug + folder.suffix for source in semi_static.SOURCES}
    try:
        names = os.listdir(folder.path)
    except OSError:
        return
    for name in names:
        if name not in wanted and name.startswith(folder.prefix) and name.endswith(folder.suffix):
            _remove_ours(os.path.join(folder.path, name))


def _remove_ours(path: str) -> None:
    try:
        ours = MARK in (files.read_text(path) or "")
    except OSError:
        return
    if ours:
        files.remove(path)


def _read_stamp(path: str) -> dict[str, tuple[str, bool]]:
    try:
        value = jsontext.loads(files.read_bytes(path) or b"{}")
        return {slug: (str(row[0]), row[1] is True) for slug, row in value.items()}
    except (OSError, ValueError, AttributeError, LookupError, TypeError):
        return {}  # a cache: without it every digest is built once more
