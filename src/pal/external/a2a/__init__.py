"""Agent2Agent 1.0: other agents find PAL by its card and give it tasks, which run the same tools as MCP's calls."""
