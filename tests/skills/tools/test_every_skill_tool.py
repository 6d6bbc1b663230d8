"""What holds for the tools of all shipped skills."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SKILLS = Path(__file__).resolve().parents[3] / "assets" / "skills"
TOOLS = sorted(path.relative_to(SKILLS).as_posix() for path in SKILLS.glob("*/tools/*.py"))
SOURCES = sorted(path.relative_to(SKILLS).as_posix() for path in SKILLS.glob("*/*/*.py"))

each_tool = pytest.mark.parametrize("tool", TOOLS)


@each_tool
def test_a_tool_explains_itself_with_an_example(tool, load, ran):
    skill, _, name = tool.split("/")
    done = ran(load(skill, name[: -len(".py")]), "--help")
    assert done.status == 0
    assert "example" in done.out
    assert "--json" in done.out


@each_tool
def test_a_tool_says_in_one_sentence_that_a_file_is_not_there(tool, load, ran, tmp_path):
    skill, _, name = tool.split("/")
    done = ran(load(skill, name[: -len(".py")]), tmp_path / "nothing.md")
    assert done.status == 1
    assert done.out == ""
    assert "nothing.md" in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("source", SOURCES)
def test_a_tool_is_written_like_the_rest_of_the_house(source):
    text = (SKILLS / source).read_text("utf-8")
    tree = ast.parse(text, source, feature_version=(3, 9))
    assert ast.get_docstring(tree)
    assert text.count("\n") <= 320
    assert "from __future__ import annotations" in text


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.skipif(sys.version_info < (3, 10), reason="sys.stdlib_module_names came with Python 3.10")
def test_a_tool_imports_the_standard_library_and_its_own_folder(source):
    own = {path.stem for path in (SKILLS / source).parent.glob("*.py")} if "/lib/" in source else set()
    for node in ast.walk(ast.parse((SKILLS / source).read_text("utf-8"))):
        names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            assert name.partition(".")[0] in sys.stdlib_module_names | own, f"{source}:{node.lineno} imports {name}"


def test_a_tool_runs_isolated_from_another_folder(tmp_path):
    deck = tmp_path / "talk.md"
    deck.write_text("## One slide that says something\n\n- yes\n", "utf-8")
    tool = SKILLS / "presentation" / "tools" / "build.py"
    words = [sys.executable, "-I", "-X", "utf8", str(tool), "talk.md"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "talk.html").is_file()
    assert not list(SKILLS.glob("*/lib/__pycache__/markdown_blocks*.pyc")), "a skill's folder stays as it was installed"
