"""Attaches to a stdio MCP server with the public Python SDK 1.x (mcp==1.30.0), as clients of the handshake era do.

    python mcp_sdk1.py python3 pal.pyz mcp

Prints one JSON object with what was seen; raises when the SDK itself refuses an answer (it checks structuredContent).
"""

import asyncio
import json
import sys

from mcp import ClientSession, McpError, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(command: list[str]) -> None:
    async with stdio_client(StdioServerParameters(command=command[0], args=command[1:])) as (reading, writing):
        async with ClientSession(reading, writing) as session:
            hello = await session.initialize()
            await session.send_ping()
            tools, cursor = [], None
            while True:
                page = await session.list_tools(cursor=cursor)
                tools += page.tools
                cursor = page.nextCursor
                if cursor is None:
                    break
            search = await session.call_tool("pai_icm_search", {"query": "tea"})
            bad = await session.call_tool("pai_icm_search", {})
            try:
                await session.call_tool("no_such_tool", {})
                unknown = None
            except McpError as error:
                unknown = error.error.code
            print(
                json.dumps(
                    {
                        "protocolVersion": hello.protocolVersion,
                        "tools": [tool.name for tool in tools],
                        "search": search.structuredContent,
                        "bad_arguments_is_error": bad.isError,
                        "unknown_tool_code": unknown,
                    }
                )
            )


asyncio.run(main(sys.argv[1:]))
