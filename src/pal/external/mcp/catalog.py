"""What one MCP server offers: tools, and where there are any, resources and prompts. Lists are the same for everybody.

The dispatcher asks a catalog; PAL's own has tools only, the test suite's fixture has everything."""

from __future__ import annotations

from pal.external.mcp.wire import BAD_PARAMS, Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from pal.external.tools import Tool

    Described = Mapping[str, Any]

PAGE = 100  # entries of one list


class Catalog:
    """The parts of a server. A part that is None is not offered at all."""

    def __init__(
        self,
        tools: Callable[[], Sequence[Tool]],
        safe_names: bool = False,
        page: int = PAGE,
        instructions: str = "",
        resources: Callable[[], Sequence[Described]] | None = None,
        templates: Callable[[], Sequence[Described]] = list,
        read: Callable[[str], Sequence[Described] | None] = lambda uri: None,
        prompts: Callable[[], Sequence[Described]] | None = None,
        prompt: Callable[[str, Mapping[str, Any]], Described | None] = lambda name, arguments: None,
        complete: Callable[[Mapping[str, Any]], Sequence[str]] | None = None,
        logs: bool = False,
    ) -> None:
        self.tools = tools
        self.safe_names = safe_names
        self.page = page
        self.instructions = instructions
        self.resources = resources
        self.templates = templates
        self.read = read
        self.prompts = prompts
        self.prompt = prompt
        self.complete = complete
        self.logs = logs

    def capabilities(self, modern: bool) -> dict[str, Any]:
        offered: dict[str, Any] = {"tools": {"listChanged": True}}
        if self.resources:
            offered["resources"] = {"listChanged": True, "subscribe": True}
        if self.prompts:
            offered["prompts"] = {"listChanged": True}
        if self.complete:
            offered["completions"] = {}
        if self.logs and not modern:
            offered["logging"] = {}
        return offered

    def find(self, name: str) -> Tool | None:
        """The tool of this name, in either spelling."""
        return next((tool for tool in self.tools() if name in (tool.name, tool.safe_name)), None)

    def described(self, tool: Tool) -> dict[str, Any]:
        """A tool's entry in the list."""
        entry: dict[str, Any] = {
            "name": tool.safe_name if self.safe_names else tool.name,
            "title": tool.title,
            "description": tool.description,
            "inputSchema": tool.input,
        }
        if tool.output:
            entry["outputSchema"] = tool.output
        if tool.annotations:
            entry["annotations"] = tool.annotations
        return entry


def page_of(entries: Sequence[Any], cursor: Any, size: int) -> tuple[list[Any], str]:
    """(the entries of a page, the cursor of the next one or ""). A cursor that is not ours is a Fault."""
    begin = 0
    if cursor is None and len(entries) <= size:
        return list(entries), ""
    import base64  # rare: most lists are one page

    if cursor is not None:
        try:
            begin = int(base64.urlsafe_b64decode(cursor.encode("ascii")).decode("ascii").removeprefix("after:"))
        except (AttributeError, ValueError):
            begin = -1
        if begin <= 0 or begin >= len(entries):
            raise Fault(BAD_PARAMS, "that cursor is not one of this list")
    page = list(entries[begin : begin + size])
    end = begin + len(page)
    after = base64.urlsafe_b64encode(f"after:{end}".encode()).decode() if end < len(entries) else ""
    return page, after
