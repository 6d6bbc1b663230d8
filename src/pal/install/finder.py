"""Gives PAL's modules to Python from the bytecode that an engine carries in one piece.

The launcher runs this instead of putting the engine on the path: reading an archive's directory, and opening it again
for every module, costs more than all of PAL's modules take to run."""

from __future__ import annotations

import sys
from _frozen_importlib import ModuleSpec
from marshal import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    Modules = dict[str, tuple[bool, bytes]]  # is it a package, its marshalled code; by dotted name


class Finder:
    """Finder and loader in one, as the import system asks for them."""

    __slots__ = ("engine", "modules")

    def __init__(self, modules: Modules, engine: str) -> None:
        self.modules = modules
        self.engine = engine

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        found = self.modules.get(name)
        if found is None:
            return None
        loader: Any = self  # the import system asks for these methods only, not for its abstract class
        folder = self.engine + "/" + name.replace(".", "/")
        spec = ModuleSpec(name, loader, origin=folder + ("/__init__.py" if found[0] else ".py"), is_package=found[0])
        spec.has_location = True  # so that modules get a __file__
        if found[0]:
            spec.submodule_search_locations = [folder]
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(loads(self.modules[module.__name__][1]), module.__dict__)

    def get_source(self, name: str) -> str:
        """For tracebacks."""
        import zipfile

        inside = name.replace(".", "/") + ("/__init__.py" if self.modules[name][0] else ".py")
        with zipfile.ZipFile(self.engine) as archive:
            return archive.read(inside).decode("utf-8")


def install(modules: Modules, engine: str) -> None:
    """From now on `import pal…` comes from these modules of the engine at this path."""
    sys.meta_path.insert(0, Finder(modules, engine))
