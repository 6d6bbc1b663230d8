"""What `pal doctor` says about the way in for other programs: the MCP server as an agent would start it, the token,
skills that are no tools, and where events are sent and served."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pal import targets
from pal.base import home as homes
from pal.base.errors import PalError
from pal.cli import agents
from pal.cli import events as events_verb
from pal.events import otlp, outlets
from pal.external import running
from pal.install.doctor import FAIL, NOTE, PASS, REINSTALL, WARNING, Finding
from pal.install.interpreter import PATIENCE
from pal.memory.acl import tiers
from pal.skills import exposed
from pal.targets import mcp_entry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pal.cli.context import Context

_ASKED = (
    {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                                                 "clientInfo": {"name": "pal-doctor", "version": "1"}}},
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list"},
)  # fmt: skip
_LOOK = 2.0  # seconds for a port to answer


def findings(context: Context, env: Mapping[str, str]) -> list[Finding]:
    """Everything about servers, passes included; nothing about what was never asked for."""
    return [*_mcp(context, env), *_token(env), *_skills(context), *_export(env), *_events(context, env)]


def _mcp(context: Context, env: Mapping[str, str]) -> list[Finding]:
    """Start each registered server as its agent would, and ask it what every client asks first."""
    asked: dict[tuple[str, ...], list[str]] = {}
    for name in targets.NAMES:
        try:
            changes = agents.servers(name, context, sys.executable)
        except PalError:
            continue  # a record that cannot be read is told of already
        for change in changes:
            words, title = mcp_entry.standing(change), targets.installer(name).TITLE
            if words and title not in asked.setdefault(tuple(words), []):
                asked[tuple(words)].append(title)
    found = []
    for command, titles in asked.items():
        who = " and ".join(titles)
        began = time.perf_counter()
        problem, tools = ask(list(command), context.home.root, env)
        took = (time.perf_counter() - began) * 1000
        if problem:
            title = f"the MCP server registered in {who} {problem}"
            found.append(Finding("mcp", FAIL, title, f"{REINSTALL} --mcp"))
        else:
            found.append(
                Finding("mcp", PASS, f"the MCP server registered in {who} offers {tools} tools, in {took:.0f} ms")
            )
    return found


def ask(command: list[str], folder: str, env: Mapping[str, str], patience: float = PATIENCE) -> tuple[str, int]:
    """(what is wrong with a server or empty, how many tools it offers)."""
    lines = "".join(json.dumps({"jsonrpc": "2.0", **each}) + "\n" for each in _ASKED)
    try:
        done = subprocess.run(
            command, input=lines.encode(), capture_output=True, env=dict(env), cwd=folder, timeout=patience, check=False
        )
    except subprocess.TimeoutExpired:
        return f"did not answer within {patience:.0f} s", 0
    except OSError as fault:
        return f"cannot be started: {fault.strerror or fault}", 0
    try:
        answers = {answer.get("id"): answer for answer in map(json.loads, done.stdout.splitlines())}
        tools = [tool["name"] for tool in answers[2]["result"]["tools"]]
    except (ValueError, KeyError, TypeError, AttributeError):
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return f"does not answer as it should{': ' + said[-1][:120] if said else ''}", 0
    return ("", len(tools)) if "pai_icm_search" in tools else ("offers no search of memory", len(tools))


def _token(env: Mapping[str, str]) -> list[Finding]:
    path = homes.acl_token(env)
    if not os.path.isfile(path):
        return []
    if tiers.exposed(path):
        return [Finding("token", WARNING, f"others can read {path}, so it grants nothing", f"chmod 600 '{path}'")]
    return [Finding("token", PASS, f"the token in {path} is for this user alone")]


def _skills(context: Context) -> list[Finding]:
    said: list[str] = []
    tools = exposed.found(exposed.folders_of(context.home), said.append)
    fix = f"mend its {exposed.FILE}; `pal skill doctor` says more"
    refused = [Finding("skill-tool", WARNING, text, fix) for text in said]
    passed = [Finding("skill-tool", PASS, f"{len(tools)} skill(s) are tools for other programs")] if tools else []
    return refused + passed


def _export(env: Mapping[str, str]) -> list[Finding]:
    if not outlets.collector(env):
        return []
    variables = " or ".join(name for name in outlets.COLLECTOR if env.get(name))
    target = otlp.endpoint(env)
    if target is None:
        if otlp.switched_off(env):
            return [Finding("export", NOTE, f"{variables} names a collector, and another variable switches it off")]
        title = f"{variables} names no http or https address, so no event is sent on"
        return [Finding("export", WARNING, title, f"correct {variables}")]
    found = [Finding("export", WARNING, text, "correct that variable") for text in target.warnings]
    url = urlsplit(target.url)
    host, port = url.hostname or "", url.port or (443 if url.scheme == "https" else 80)
    if not _answers(host, port):
        title = f"nothing answers at {host}:{port}, so events wait to be sent on"
        return [*found, Finding("export", WARNING, title, f"start the collector, or correct {variables}")]
    return [*found, Finding("export", PASS, f"events are sent on to {host}:{port}")]


def _events(context: Context, env: Mapping[str, str]) -> list[Finding]:
    if not outlets.served(env):
        return []
    served = running.found(context.home, "events")
    port = int(str(served.get("port") or events_verb.PORT))
    if not _answers("127.0.0.1", port):
        return [Finding("events", NOTE, "the server of events does not run; the next session starts it")]
    if served:
        return [Finding("events", PASS, f"events are served at {served.get('url')}/events")]
    title = f"port {port} belongs to another program, so events are not served there"
    return [Finding("events", WARNING, title, "end that program, or run `pal events serve --port N` yourself")]


def _answers(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), _LOOK):
            return True
    except OSError:
        return False
