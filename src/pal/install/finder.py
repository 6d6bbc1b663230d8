"""Gives PAL's modules to Python from the bytecode that an engine carries in a few pieces.

The launcher runs this instead of putting the engine on the path: reading an archive's directory, and opening it again
for every module, costs more than all of PAL's modules take to run. The first piece comes with the launcher; another is
read when a module of it is asked for."""

from __future__ import annotations

import sys
from _frozen_importlib import ModuleSpec
from marshal import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    Modules = dict[str, tuple[bool, bytes]]  # is it a package, its marshalled code; by dotted name
    Pieces = list[tuple[int, int, list[str]]]  # where in the engine, how long, which modules


class Finder:
    """Finder and loader in one, as the import system asks for them."""

    __slots__ = ("engine", "modules", "pieces")

    def __init__(self, modules: Modules, pieces: Pieces, engine: str) -> None:
        self.modules = modules
        self.pieces = pieces
        self.engine = engine

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        found = self.modules.get(name) or (self.read(name) if name[:4] == "pal." else None)
        if found is None:
            return None
        loader: Any = self  # the import system asks for these methods only, not for its abstract class
        folder = self.engine + "/" + name.replace(".", "/")
        spec = ModuleSpec(name, loader, origin=folder + ("/__init__.py" if found[0] else ".py"), is_package=found[0])
        if found[0]:
            spec.submodule_search_locations = [folder]
        return spec

    def read(self, name: str) -> tuple[bool, bytes] | None:
        """Read the piece that holds a module; None when no piece does."""
        for piece in self.pieces:
            if name in piece[2]:
                with open(self.engine, "rb") as stream:
                    stream.seek(piece[0])
                    self.modules.update(loads(stream.read(piece[1])))
                self.pieces.remove(piece)
                return self.modules[name]
        return None

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        # Had the spec a location, Python would do this, and work out for each module where its bytecode might be.
        module.__file__ = module.__spec__.origin if module.__spec__ else None
        exec(loads(self.modules[module.__name__][1]), module.__dict__)

    def get_source(self, name: str) -> str:
        """For tracebacks."""
        import zipfile

        inside = name.replace(".", "/") + ("/__init__.py" if self.modules[name][0] else ".py")
        with zipfile.ZipFile(self.engine) as archive:
            return archive.read(inside).decode("utf-8")


def install(modules: Modules, pieces: Pieces, engine: str) -> None:
    """From now on `import pal…` comes from these modules of the engine at this path."""
    sys.meta_path.insert(0, Finder(modules, pieces, engine))
