"""Gives Python the modules of `pal.pyz`, which keeps all but two of them in one inner archive.

Packed one by one they take half as much again: a file that must go by mail is small first. The inner archive is a
plain zip without compression of its own; the entry that holds it is compressed as a whole. Starts before anything of
PAL can be imported, so it uses nothing but what Python has at hand."""

from __future__ import annotations

import sys
from _frozen_importlib import ModuleSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

INNER = "pal.zip"
_END, _ENTRY = b"PK\x05\x06", b"PK\x01\x02"


class Finder:
    """Finder and loader in one, as the import system asks for them."""

    __slots__ = ("data", "places", "root")

    def __init__(self, data: bytes, root: str) -> None:
        self.data = data
        self.root = root
        self.places = directory(data)

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name[:4] != "pal.":
            return None
        file = name.replace(".", "/")
        package = file + "/__init__.py" in self.places
        file += "/__init__.py" if package else ".py"
        if file not in self.places:
            return None
        loader: Any = self  # the import system asks for these methods only, not for its abstract class
        spec = ModuleSpec(name, loader, origin=self.root + "/" + file, is_package=package)
        if package:
            spec.submodule_search_locations = [self.root + "/" + file[: -len("/__init__.py")]]
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        origin = str(module.__spec__.origin if module.__spec__ else module.__name__)
        module.__file__ = origin
        exec(compile(self.get_source(module.__name__), origin, "exec", dont_inherit=True), module.__dict__)

    def get_source(self, name: str) -> str:
        """For tracebacks too."""
        file = name.replace(".", "/")
        begin, end = self.places.get(file + ".py") or self.places[file + "/__init__.py"]
        return self.data[begin:end].decode("utf-8")


def directory(data: bytes) -> dict[str, tuple[int, int]]:
    """Where each file of an uncompressed zip archive begins and ends, by name (PKWARE's APPNOTE, 4.3)."""

    def number(at: int, size: int) -> int:
        return int.from_bytes(data[at : at + size], "little")

    found = {}
    at = number(data.rfind(_END) + 16, 4)
    while data[at : at + 4] == _ENTRY:
        length, more, header = number(at + 28, 2), number(at + 30, 2) + number(at + 32, 2), number(at + 42, 4)
        begin = header + 30 + number(header + 26, 2) + number(header + 28, 2)
        found[data[at + 46 : at + 46 + length].decode("utf-8")] = (begin, begin + number(at + 24, 4))
        at += 46 + length + more
    return found


def install(loader: Any) -> None:
    """From now on `import pal…` comes from the inner archive of the zip that this importer reads, if it has one."""
    try:
        data = loader.get_data(INNER)
    except OSError:
        return  # an engine, whose modules stand one by one
    sys.meta_path.insert(0, Finder(data, loader.archive.replace("\\", "/")))
