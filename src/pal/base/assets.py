"""Reads the plain files PAL ships, whether it runs from a checkout, from ``pal.pyz`` or from an engine.

Names are relative to ``assets/`` with ``/`` between the parts. ``PAL_PKG`` names another checkout,
unpacked archive or archive file to read from instead.
"""

from __future__ import annotations

import os

from pal.base.errors import PalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any
    from zipfile import ZipFile

FOLDER = "assets/"
BUNDLE = "assets.zip"  # pal.pyz and engines keep all assets in this one entry
# Only these get their line ends made equal; a .cmd needs CRLF and a picture is not text.
TEXT = (
    ".py",
    ".md",
    ".json",
    ".jsonl",
    ".txt",
    ".html",
    ".css",
    ".js",
    ".mjs",
    ".svg",
    ".toml",
    ".yaml",
    ".yml",
)


def package(env: Mapping[str, str] | None = None) -> str:
    """The checkout or folder, or the archive file, whose code and assets are in use (absolute)."""
    named = (os.environ if env is None else env).get("PAL_PKG", "")
    if named:
        named = os.path.abspath(os.path.expanduser(named))
        if os.path.isfile(named) or os.path.isdir(os.path.join(named, "assets")):
            return named
        raise PalError(f"PAL_PKG names {named}, which is neither an archive nor a folder with assets/ in it.")
    return running()


def running() -> str:
    """Where the code that is running now came from: a checkout or folder, or an archive file."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    checkout = os.path.basename(root) == "src" and not os.path.isdir(os.path.join(root, "assets"))
    return os.path.dirname(root) if checkout else root


def read(name: str, env: Mapping[str, str] | None = None) -> bytes:
    """The bytes of one asset; PalError when there is no such asset."""
    place = package(env)
    try:
        if name not in ("", ".") and not {"", ".", ".."}.intersection(name.split("/")):
            if os.path.isfile(place):
                return _archive(place).read(name)
            path = os.path.join(place, "assets", *name.split("/"))
            with open(path, "rb") as stream:
                return portable(name, stream.read())
    except (KeyError, OSError):
        pass
    raise PalError(f"The asset {name!r} is missing from {place}; get a whole copy of PAL.")


def names(prefix: str = "", env: Mapping[str, str] | None = None) -> list[str]:
    """The sorted names of all assets that start with prefix, such as ``skills/``."""
    place = package(env)
    if os.path.isfile(place):
        found = _archive(place).namelist()
    else:
        found = below(os.path.join(place, "assets"))
    return sorted(name for name in found if name.startswith(prefix) and not name.endswith("/"))


def below(folder: str) -> list[str]:
    """The files that belong to PAL below folder, as sorted names with ``/``: no bytecode, nothing hidden."""
    found = []
    for path, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name[0] != "." and name != "__pycache__"]
        inside = os.path.relpath(path, folder).replace(os.sep, "/") + "/"
        for name in files:
            if name[0] != "." and not name.endswith((".pyc", "~")):
                found.append(name if inside == "./" else inside + name)
    return sorted(found)


def portable(name: str, data: bytes) -> bytes:
    """Our text as it is everywhere, though a checkout on Windows may have CRLF at its line ends."""
    return data.replace(b"\r\n", b"\n") if name.endswith(TEXT) else data


_opened: tuple[object, Any] = (None, None)  # which file, as it was, and its assets: a run reads many of them


def _archive(place: str) -> ZipFile:
    """The inner archive of the assets, whose names are those of the assets."""
    global _opened
    import io
    import zipfile

    status = os.stat(place)
    mark = (place, status.st_mtime_ns, status.st_size, status.st_ino)
    if _opened[0] != mark:
        try:
            with zipfile.ZipFile(place) as archive:
                _opened = mark, zipfile.ZipFile(io.BytesIO(archive.read(BUNDLE)))
        except (zipfile.BadZipFile, KeyError):
            raise PalError(f"{place} is not a whole archive of PAL; get a new copy.") from None
    found: ZipFile = _opened[1]
    return found
