"""The real clients with PAL's server registered by `install --mcp`: the model is offered its tools under the names that
each client makes of them, calls one, and is sent what PAL remembers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import run_claude
import run_codex
import run_copilot
import run_gemini
import run_opencode

FACT = "The dev server of the shop listens on port 5173."
QUESTION = {"query": "which port does the dev server listen on"}
SEARCH, STORE = "pai_icm_search", "pai_icm_store"


class Case:
    """One client: how it runs, the flag that installs for it, what its model calls the tools, and how it is asked."""

    def __init__(
        self, runs, flag: str, before: str, *arguments: str, skill: str = "skill_hello", keyword: str = "tool_calls"
    ) -> None:
        self.runs = runs
        self.flag = flag
        self.before = before  # what the client puts before a tool's name
        self.skill = skill  # what it makes of `skill/hello`
        self.arguments = arguments
        self.keyword = keyword

    def script(self) -> dict:
        call = {"name": self.before + SEARCH, "arguments": QUESTION, "input": QUESTION}
        if self.keyword == "tool_calls":
            del call["input"]
        if self.flag == "--codex":
            call.update(name=SEARCH, namespace="mcp__pal")
        return {"replies": [{self.keyword: [call]}, {"text": "Port 5173."}]}

    def offered(self, turn) -> set[str]:
        """The names of all tools that the first request offers the model, and those that its text names for a search
        (as Claude Code does with the tools of servers)."""
        return set(_names(next(body["tools"] for body in turn.requests if body.get("tools")))) | set(turn.seen.split())


def _names(tools: list, before: str = ""):
    for tool in tools:
        if "functionDeclarations" in tool:
            yield from _names(tool["functionDeclarations"])
        elif tool.get("type") == "namespace":
            yield from _names(tool["tools"], tool["name"] + "/")
        else:
            yield before + str(tool.get("function", tool).get("name"))


CASES = {
    "claude": Case(run_claude, "--claude", "mcp__pal__", "--allowedTools", "mcp__pal__" + SEARCH, keyword="tool_use"),
    "codex": Case(run_codex, "--codex", "mcp__pal/"),
    "opencode": Case(run_opencode, "--opencode", "pal_"),
    "copilot": Case(run_copilot, "--copilot", "pal-", skill="skill-hello"),
    "gemini": Case(run_gemini, "--gemini", "mcp_pal_"),
}


@pytest.fixture(params=sorted(CASES))
def case(request):
    return CASES[request.param]


@pytest.fixture
def machine(case, tmp_path, tmp_path_factory, require):
    client = require(case.runs.find_client(), f"no client for {case.flag}; see its own tests for how to get it")
    more = [tmp_path_factory.getbasetemp() / "unpacked"] if case.runs is run_copilot else []
    return case.runs.Machine(tmp_path, client, *more)


def lay_out(pal, machine) -> None:
    pal("memory", "store", FACT, "--topic", "facts-shop")
    folder = machine.home / ".pal" / "skills" / "hello"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: hello\ndescription: Says hello.\n---\nSay hello.\n", encoding="utf-8")
    schema = {"mcp_exposed": True, "description": "Says hello.", "executable": "echo hello"}
    (folder / "skill.schema.json").write_text(json.dumps(schema), encoding="utf-8")


def test_a_model_calls_the_search_and_is_sent_what_is_remembered(case, machine, pal):
    pal("install", case.flag, "--mcp")
    lay_out(pal, machine)
    turn = machine.turn("Which port does the dev server use?", *case.arguments, script=case.script())
    assert turn.status == 0, turn.stderr
    assert {case.before + name for name in (SEARCH, STORE, case.skill)} <= case.offered(turn)
    said = json.dumps(turn.requests[-1], ensure_ascii=False)
    assert FACT in said
    events = (machine.home / ".pal" / "memory" / "state" / "hook-events.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in events.splitlines()]
    served = [row for row in rows if row["source"] == "mcp"]
    assert [(row["type"], row["tool"]) for row in served] == [("tool_start", SEARCH), ("tool_end", SEARCH)]
    assert served[1]["ok"] is True
    assert FACT not in events


def test_claude_code_says_that_the_server_is_connected(tmp_path, require, archive):
    client = require(run_claude.find_client(), "no Claude Code client (npm install @anthropic-ai/claude-code)")
    machine = run_claude.Machine(tmp_path, client)
    subprocess.run(
        [sys.executable, str(archive), "install", "--claude", "--mcp"],
        env=machine.env(),
        cwd=machine.project,
        capture_output=True,
        check=True,
    )
    listed = subprocess.run(
        [client, "mcp", "list"], env=machine.env(), cwd=machine.project, capture_output=True, text=True, timeout=60
    )
    assert "Connected" in listed.stdout, listed.stdout + listed.stderr
