"""One of the driver's stories: every agent PAL knows, installed at once, each of its hooks started, taken out again."""

from __future__ import annotations

import os

DEADLY = "rm -rf /"


def every_agent(machine):
    """What each step printed, what is registered, and every file before and after."""
    told = {"tree": [machine.tree()]}
    told["install"] = machine.pal("install", "--all", "--mcp")
    told["tree"].append(machine.tree())
    told["again"] = machine.pal("install", "--all")
    told["tree"].append(machine.tree())
    told["registered"] = registered = commands(machine)
    told["hooks"] = []
    for agent, event, command in registered:
        if command.startswith(". "):
            continue  # PowerShell, which Wine does not have
        payload = example(machine, agent, event)
        if payload:
            told["hooks"].append([agent, event, machine.shell(command, payload)])
            if event == "pre-tool":
                told["hooks"].append([agent, "deadly", machine.shell(command, deadly(payload))])
    told["rest"] = machine.rest()
    told["doctor"] = machine.pal("doctor", "--json")
    with open(os.path.join(machine.pal_folder, "memory", "state", "sessions.json"), encoding="utf-8") as stream:
        told["sessions"] = stream.read()
    told["one_less"] = machine.pal("uninstall", "--copilot", "--codex")
    told["uninstall"] = machine.pal("uninstall", "--all")
    told["tree"].append(machine.tree())
    told["left"] = sorted(machine.tree(inside=True))
    return told


def commands(machine):
    """[agent, event, command] of each hook that stands in an agent's settings."""
    from pal import targets

    return [
        [name, entry.event, entry.command]
        for name in targets.NAMES
        for entry in targets.installer(name).registered(machine.env)
    ]


def example(machine, agent, event):
    """What the client sends, about this machine's project; None for an event that no example was kept of."""
    try:
        payload = machine.example(agent, event)
    except (KeyError, FileNotFoundError):
        return None
    machine.speak()
    here = {"cwd": machine.project, "workspace_roots": [machine.project], "workspacePaths": [machine.project]}
    own = {key: value for key, value in here.items() if key in payload}
    for key in ("transcript_path", "transcriptPath"):
        if key in payload:
            own[key] = transcript(machine, agent)
    return {**payload, **own}


def transcript(machine, agent):
    for name in ("transcript.jsonl", "transcript_full.jsonl", "rollout.jsonl", "events.jsonl", "session.jsonl"):
        path = os.path.join(machine.payloads, agent, name)
        if os.path.exists(path):
            return path
    return machine.transcript


def deadly(payload):
    """The same call, of a command that nobody may run; whatever the client calls the tool and its input."""
    changed = dict(payload)
    for name in ("tool_input", "toolArgs", "toolInput"):
        if name in changed:
            changed[name] = {"command": DEADLY}
    if "command" in changed:
        changed["command"] = DEADLY
    return changed
