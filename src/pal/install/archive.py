"""The files that make up PAL and the one archive they are packed into (cold).

``build_zipapp.py`` and the installer call this. The same files give the same bytes on every Python with the
same zlib, and the same content digest everywhere.
"""

from __future__ import annotations

import hashlib
import io
import os
import time
import zipfile
from collections.abc import Mapping

from pal import bundled
from pal.base import assets
from pal.base.errors import PalError

Files = dict[str, bytes]

SHEBANG = b"#!/usr/bin/env python3\n"
MAIN = "__main__.py"
LICENCE = "LICENSE"
# What stands by itself in the archive; everything else is in `bundled.INNER`.
PLAIN = (MAIN, LICENCE, "pal/__init__.py", "pal/bundled.py")
CODE = "bytecode/"  # an engine's entries that hold its modules' code in a few pieces; `finder` serves them
EARLIEST = 315_532_800  # 1980-01-01, the first day a zip entry can name
UNIX = 3  # the system an entry claims to come from; zipfile would write 0 on Windows


def files(source: str) -> Files:
    """All files of the PAL found at source (checkout, unpacked archive, ``pal.pyz`` or engine), by archive name."""
    found = _from_archive(source) if os.path.isfile(source) else _from_folder(source)
    if MAIN not in found or "pal/__init__.py" not in found:
        raise PalError(f"{source} holds no PAL: name a checkout, an unpacked archive or a pal.pyz.")
    return dict(sorted(found.items()))


def pack(contents: Files, epoch: int = EARLIEST) -> bytes:
    """The archive people run. epoch (seconds) becomes the time of every entry, not before 1980."""
    buffer = io.BytesIO()
    buffer.write(SHEBANG)
    outer = {name: contents[name] for name in PLAIN if name in contents}
    code = {name: data for name, data in contents.items() if name not in outer and not name.startswith(assets.FOLDER)}
    outer.update({bundled.INNER: inner(code, zipfile.ZIP_STORED), assets.BUNDLE: bundle(contents, zipfile.ZIP_STORED)})
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in sorted(outer):
            archive.writestr(entry(name, zipfile.ZIP_DEFLATED, epoch), outer[name], compresslevel=9)
    return buffer.getvalue()


def bundle(contents: Files, method: int) -> bytes:
    """All assets in one inner archive, in which their names stand without the folder."""
    shipped = {name: data for name, data in contents.items() if name.startswith(assets.FOLDER)}
    return inner({name[len(assets.FOLDER) :]: data for name, data in shipped.items()}, method)


def inner(contents: Files, method: int) -> bytes:
    """An archive to be an entry of another."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        for name in sorted(contents):
            made.writestr(entry(name, method), contents[name], compresslevel=9)
    return buffer.getvalue()


def entry(name: str, method: int, epoch: int = EARLIEST) -> zipfile.ZipInfo:
    """An entry whose bytes depend on nothing but these arguments."""
    made = zipfile.ZipInfo(name, time.gmtime(max(epoch, EARLIEST))[:6])
    made.compress_type = method
    made.create_system = UNIX
    made.external_attr = 0o100644 << 16
    return made


def source_epoch(env: Mapping[str, str]) -> int:
    """SOURCE_DATE_EPOCH (reproducible-builds.org/specs/source-date-epoch), or the first day of zip."""
    value = env.get("SOURCE_DATE_EPOCH", "")
    if not value:
        return EARLIEST
    if not value.isascii() or not value.isdigit():
        raise PalError(f"SOURCE_DATE_EPOCH is {value!r}; it must be a whole number of seconds.")
    return int(value)


def content_digest(contents: Files) -> str:
    """SHA-256 over names, lengths and bytes: equal for equal files, however they were packed."""
    digest = hashlib.sha256()
    for name in sorted(contents):
        data = contents[name]
        digest.update(f"{len(name.encode())}:{name}{len(data)}:".encode())
        digest.update(data)
    return digest.hexdigest()


def _from_folder(root: str) -> Files:
    checkout = os.path.isdir(os.path.join(root, "src", "pal"))
    code = os.path.join(root, "src", "pal") if checkout else os.path.join(root, "pal")
    places = {MAIN: os.path.join(root, "pal.py" if checkout else MAIN), LICENCE: os.path.join(root, LICENCE)}
    places.update({f"pal/{name}": os.path.join(code, name) for name in assets.below(code)})
    shipped = os.path.join(root, "assets")
    places.update({assets.FOLDER + name: os.path.join(shipped, name) for name in assets.below(shipped)})
    found = {}
    for name, path in places.items():
        if os.path.isfile(path):
            with open(path, "rb") as stream:
                found[name] = assets.portable(name, stream.read())
    return found


def _from_archive(path: str) -> Files:
    try:
        with zipfile.ZipFile(path) as archive:
            found = {name: archive.read(name) for name in archive.namelist() if not name.endswith((".pyc", "/"))}
        found = {name: data for name, data in found.items() if not name.startswith(CODE)}
        if bundled.INNER in found:
            with zipfile.ZipFile(io.BytesIO(found.pop(bundled.INNER))) as code:
                found.update({name: code.read(name) for name in code.namelist()})
        if assets.BUNDLE in found:
            with zipfile.ZipFile(io.BytesIO(found.pop(assets.BUNDLE))) as shipped:
                found.update({assets.FOLDER + name: shipped.read(name) for name in shipped.namelist()})
    except (zipfile.BadZipFile, OSError) as fault:
        raise PalError(f"{path} cannot be read as an archive of PAL ({fault}); get a new copy.") from None
    return found
