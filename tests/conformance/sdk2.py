"""Attaches to an MCP server with the public Python SDK 2.x (mcp==2.3.0) in a chosen era.

python mcp_sdk2.py auto|legacy|2026-07-28 python3 pal.pyz mcp
python mcp_sdk2.py auto http://127.0.0.1:8896/mcp
"""

import asyncio
import json
import sys

from mcp import Client, MCPError, StdioServerParameters


async def main(mode: str, target: list[str]) -> None:
    server = target[0] if target[0].startswith("http") else StdioServerParameters(command=target[0], args=target[1:])
    async with Client(server, mode=mode) as client:
        page = await client.list_tools()
        search = await client.call_tool("pai_icm_search", {"query": "tea"})
        try:
            await client.call_tool("no_such_tool", {})
            unknown = None
        except MCPError as error:
            unknown = error.error.code if hasattr(error, "error") else str(error)
        listened = None
        if client.protocol_version == "2026-07-28":
            async with client.listen(tools_list_changed=True):
                listened = True
        print(
            json.dumps(
                {
                    "protocolVersion": client.protocol_version,
                    "tools": [tool.name for tool in page.tools],
                    "search": search.structured_content,
                    "unknown_tool": unknown,
                    "listen": listened,
                }
            )
        )


asyncio.run(main(sys.argv[1], sys.argv[2:]))
