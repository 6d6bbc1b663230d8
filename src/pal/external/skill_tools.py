"""Skills as tools: each exposed skill is `skill/<name>`, or `skill_<name>` for models' services that take no slash."""

from __future__ import annotations

from pal.base import jsontext
from pal.external.tools import Tool, failed, told
from pal.skills import exposed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from pal.base.asking import Ask
    from pal.base.home import Home
    from pal.external.tools import Call, Outcome


BYTES = 450  # of a skill's entry in the list: every client pays for it in every session
SHORTEST = 60  # of its description, however long its arguments are


def tools(home: Home, env: Mapping[str, str], ask: Ask, taken: set[str], note: Callable[[str], object]) -> list[Tool]:
    """A tool for each exposed skill whose name is free."""
    made = []
    for skill in exposed.found(exposed.folders_of(home), note):
        safe = "skill_" + skill.name
        if safe in taken:
            note(f"skill {skill.name} is no tool: another tool is called {safe} already")
            continue
        taken.add(safe)
        made.append(_tool(skill, safe, home, env, ask))
    return made


def fingerprint(home: Home) -> object:
    return exposed.fingerprint(exposed.folders_of(home))


def _tool(skill: exposed.Exposed, safe: str, home: Home, env: Mapping[str, str], ask: Ask) -> Tool:
    def run(arguments: dict[str, Any], call: Call) -> Outcome:
        from pal.skills import execute  # the guard comes with it, which a server needs for the first skill only

        trace = f"00-{call.trace[0]}-{call.trace[1]}-01" if call.trace[0] else ""
        try:
            ran = execute.run(skill, arguments, home, env, ask, call.on_cancel, trace)
        finally:
            call.on_cancel(None)
        return failed(ran.text, ran.failure) if ran.failure else told(ran.text, ran.data)

    # Without annotations a tool counts as one that may change anything, as a skill may.
    annotations = {"readOnlyHint": True} if skill.read_only else None
    name, title = f"skill/{skill.name}", skill.name
    rest = {"name": name, "title": title, "description": "", "inputSchema": skill.input, "annotations": annotations}
    room = max(SHORTEST, BYTES - len(jsontext.dumps(rest).encode()))
    return Tool(name, title, short(skill.description, room), skill.input, run, None, annotations, safe)


def short(text: str, room: int) -> str:
    """The text within so many bytes, cut at a word."""
    if len(text.encode()) <= room:
        return text
    cut = text.encode()[: room - 3].decode("utf-8", "ignore")
    return (cut.rpartition(" ")[0] or cut) + "…"
