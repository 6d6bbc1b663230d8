"""Loads the tools of shipped skills from their files, once each, and runs them in this process."""

from __future__ import annotations

import importlib.util
import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

SKILLS = Path(__file__).resolve().parents[3] / "assets" / "skills"
LOADED: dict[tuple[str, str], ModuleType] = {}


class Ran(NamedTuple):
    status: int
    out: str
    err: str


@pytest.fixture
def load() -> Iterator[Callable[[str, str], ModuleType]]:
    """load(skill, tool): the tool as a module. What a tool does to this process's imports is undone."""
    path, bytecode = list(sys.path), sys.dont_write_bytecode

    def loaded(skill: str, tool: str) -> ModuleType:
        if (skill, tool) in LOADED:
            return LOADED[skill, tool]
        place = SKILLS / skill / "tools" / f"{tool}.py"
        spec = importlib.util.spec_from_file_location(f"tool_{skill}_{tool}".replace("-", "_"), place)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.dont_write_bytecode = True
        spec.loader.exec_module(module)
        LOADED[skill, tool] = module
        return module

    yield loaded
    sys.path[:], sys.dont_write_bytecode = path, bytecode


@pytest.fixture
def ran(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """ran(module, *arguments, stdin=""): what came of its main."""

    def run(module: ModuleType, *arguments: object, stdin: str = "") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        try:
            status = module.main([str(each) for each in arguments])
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 1
        said = capsys.readouterr()
        return Ran(status, said.out, said.err)

    return run
