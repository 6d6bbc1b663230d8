"""A LangGraph graph with a scripted model calls tools of a stdio MCP server.

    python mcp_langgraph.py python3 pal.pyz mcp --tool-names=safe

Needs langgraph==1.2.24 and langchain-mcp-adapters==0.3.2. The model is a script: it asks for the first tool whose name
starts with "skill" (if any), then for pai_icm_search, then stops. Prints the tool messages as JSON lines.
"""

import asyncio
import json
import sys

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_mcp_adapters.client import MultiServerMCPClient
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition


async def main(command: list[str]) -> None:
    client = MultiServerMCPClient({"pal": {"transport": "stdio", "command": command[0], "args": command[1:]}})
    tools = await client.get_tools()
    calls = [
        {"name": tool.name, "args": {"text": "hi"}, "id": "skill"} for tool in tools if tool.name.startswith("skill")
    ][:1]
    calls.append({"name": "pai_icm_search", "args": {"query": "tea"}, "id": "search"})
    model = GenericFakeChatModel(
        messages=iter([*(AIMessage("", tool_calls=[call]) for call in calls), AIMessage("done")])
    )
    graph = StateGraph(MessagesState)
    graph.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode(tools))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    result = await graph.compile().ainvoke({"messages": [("user", "go")]})
    print(json.dumps({"tools": [tool.name for tool in tools]}))
    for message in result["messages"]:
        if isinstance(message, ToolMessage):
            print(
                json.dumps(
                    {
                        "call": message.tool_call_id,
                        "status": message.status,
                        "content": message.content,
                        "artifact": message.artifact,
                    },
                    default=str,
                )
            )


asyncio.run(main(sys.argv[1:]))
