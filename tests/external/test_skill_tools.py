"""Skills in the list of tools: a name of their own in two spellings, and few bytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pal.base.asking import nobody
from pal.external import skill_tools
from pal.external.mcp.catalog import Catalog
from pal.external.tools import Call


def expose(home, name: str, description: str = "Says it again.", **more: object) -> None:
    folder = Path(home.skills, name)
    folder.mkdir(parents=True)
    args = {"text": {"type": "string", "required": True, "description": "what to say"}}
    schema = {"mcp_exposed": True, "description": description, "executable": "echo {text}", "args": args, **more}
    (folder / "skill.schema.json").write_text(json.dumps(schema), "utf-8")


def listed(home, env, taken=(), notes=None):
    return skill_tools.tools(home, env, nobody, set(taken), (notes if notes is not None else []).append)


def test_a_skill_is_called_by_two_spellings_and_runs(home, clean_env):
    expose(home, "say-again")
    (tool,) = listed(home, clean_env)
    assert (tool.name, tool.safe_name) == ("skill/say-again", "skill_say-again")
    outcome = tool.run({"text": "hi; rm -rf /"}, Call("mcp"))
    assert outcome.content[0]["text"].strip() == "hi; rm -rf /" or outcome.error_type == "denied"


@pytest.mark.parametrize("words", [3, 30, 300])
@pytest.mark.parametrize("read_only", [True, False])
def test_an_entry_costs_at_most_450_bytes(home, clean_env, words, read_only):
    expose(home, "say", "Übersetzt alles. " * words, readOnlyHint=read_only)
    (tool,) = listed(home, clean_env)
    entry = Catalog(lambda: [tool]).described(tool)
    assert len(json.dumps(entry, ensure_ascii=False).encode()) <= skill_tools.BYTES
    assert entry.get("annotations") == ({"readOnlyHint": True} if read_only else None)


def test_long_arguments_leave_a_description_all_the_same(home, clean_env):
    args = {f"argument{number}": {"type": "string", "description": "x" * 90} for number in range(8)}
    expose(
        home,
        "many",
        "Takes many things and says them one after another, in the order they came.",
        args=args,
        executable="echo",
    )
    (tool,) = listed(home, clean_env)
    assert tool.description.startswith("Takes many things and says them")


def test_a_name_that_is_taken_is_left_out_with_a_note(home, clean_env):
    expose(home, "search")
    notes: list[str] = []
    assert listed(home, clean_env, ["skill_search"], notes) == []
    assert "another tool is called skill_search already" in notes[0]
