"""Judges what stands on this machine: each finding says what is so and, when it is wrong, the command that mends it.

`examine` looks and changes nothing but one test file it takes away again; it also runs a registered command, as the
agent would, with a call that must pass and one that must be refused. `pal doctor` prints the findings and fails with
them.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence

from pal.base import clock, files, process, settings
from pal.base.home import Home
from pal.guard import ledger
from pal.install import interpreter
from pal.install.home_setup import command
from pal.install.status import Agent, Engine, Registration
from pal.memory import backup, counts

PASS, NOTE, WARNING, FAIL = "pass", "note", "warning", "fail"  # a note needs nobody to act
REINSTALL = "pal install"
DAY = 86_400.0
SLOW = 1.0  # seconds for one hook; an agent waits for it at every tool call
PROBED_EVENT = "pre-tool"  # it writes nothing for this session, whatever it answers
HARMLESS = {"session_id": ledger.PROBE, "tool_name": "Bash", "tool_input": {"command": "true"}}
HARMFUL = {"session_id": ledger.PROBE, "tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}
REFUSAL = "deny"  # the word for it in every agent's form of an answer
ALLOWANCE = '"allow"'  # which some agents want to hear where others want silence


class Finding:
    """One judgement: a stable id, how bad it is, one sentence, and what mends it."""

    __slots__ = ("fix", "id", "level", "title")

    def __init__(self, id: str, level: str, title: str, fix: str = "") -> None:
        self.id = id
        self.level = level
        self.title = title
        self.fix = fix

    def facts(self) -> dict[str, str]:
        found = {"id": self.id, "level": self.level, "title": self.title}
        return {**found, "fix": self.fix} if self.fix else found


def examine(home: Home, env: Mapping[str, str], now: float, agents: Sequence[Agent]) -> list[Finding]:
    """Every finding about this home and these agents, passes included."""
    if not os.path.isdir(home.root):
        return [Finding("home", FAIL, f"PAL is not installed: there is no folder {home.root}", REINSTALL)]
    findings = [_home(home), _settings(home)]
    findings += _runtime(home, env, agents)
    for agent in agents:
        findings += _agent(agent)
    findings += [_corrupt(home), _errors(home, now), _faults(home, now), _backups(home, now)]
    findings += _run(home, env, agents)
    return findings


def _home(home: Home) -> Finding:
    folder = home.state if os.path.isdir(home.state) else home.root
    probe = os.path.join(folder, f".doctor-{os.getpid()}")
    try:
        files.write(probe, b"x")
        files.remove(probe)
    except OSError as fault:
        reason = fault.strerror or fault
        return Finding("home", FAIL, f"{folder} cannot be written ({reason}); nothing is remembered", _own(home))
    return Finding("home", PASS, f"{home.root} can be written")


def _own(home: Home) -> str:
    return f'icacls "{home.root}" /grant "%USERNAME%:F" /T' if process.WINDOWS else f"chmod -R u+rwX '{home.root}'"


def _settings(home: Home) -> Finding:
    found = settings.load(home)
    if found.problem:
        return Finding("settings", FAIL, found.problem, f"edit {home.settings} until it is JSON again")
    if found.zone and not clock.valid_zone(found.zone):
        title = f"the time zone {found.zone} is not known here, so times are told in UTC"
        return Finding("settings", WARNING, title, "pal timezone ZONE, or leave it empty for this machine's own")
    return Finding("settings", PASS, f"{home.settings} can be read")


def _runtime(home: Home, env: Mapping[str, str], agents: Sequence[Agent]) -> list[Finding]:
    """The interpreters that registered commands name, and the engine the launcher gives them."""
    if not any(agent.registered for agent in agents):
        return [Finding("agents", WARNING, "no agent runs PAL's hooks, so nothing is remembered", REINSTALL)]
    findings = []
    absent = [path for path in (home.archive, command(home)) if not os.path.isfile(path)]
    if absent:
        findings.append(Finding("command", FAIL, f"{', '.join(absent)} is gone, so `pal` cannot be run", REINSTALL))
    engine = Engine(home)
    if engine.problem:
        findings.append(Finding("engine", FAIL, f"{engine.problem}, so hooks do nothing", REINSTALL))
    else:
        findings.append(Finding("engine", PASS, f"the engine {engine.name} is whole"))
    for path in sorted({entry.python for agent in agents for entry in agent.registered}):
        python = interpreter.probe(path, env)
        if python is None:
            title = f"the hooks' interpreter {path} is gone, or is no Python 3.9 or newer"
            findings.append(Finding("interpreter", FAIL, title, REINSTALL))
        elif engine.tag and engine.tag != python.tag:
            title = f"the engine was made for {engine.tag}, and {path} is {python.tag} now: hooks are slow"
            findings.append(Finding("bytecode", WARNING, title, REINSTALL))
        else:
            findings.append(Finding("interpreter", PASS, f"hooks run on Python {python.version} at {path}"))
    return findings


def _agent(agent: Agent) -> list[Finding]:
    mend = f"{REINSTALL} --{agent.name}"
    if agent.problem:
        return [Finding(f"{agent.name}-settings", FAIL, agent.problem, f"mend that file, then run `{mend}`")]
    if not agent.installed and not agent.registered:
        if not agent.found:
            return [Finding(agent.name, PASS, f"{agent.title} is not on this machine")]
        return [Finding(agent.name, WARNING, f"{agent.title} is here, but PAL is not installed in it", mend)]
    findings = [Finding(f"{agent.name}-drift", FAIL, f"{agent.title}: {text}", mend) for text in agent.drift]
    seen: dict[tuple[str, str], int] = {}
    for entry in agent.registered:
        seen[entry.event, entry.place] = seen.get((entry.event, entry.place), 0) + 1
    for (event, _), times in seen.items():
        if times > 1:
            title = f"{agent.title} runs the {event} hook {times} times"
            findings.append(Finding(f"{agent.name}-doubled", FAIL, title, mend))
    for script in sorted({entry.script for entry in agent.registered}):
        if not os.path.isfile(script):
            title = f"{agent.title}'s hooks point at {script or 'no script'}, which is not there"
            findings.append(Finding(f"{agent.name}-launcher", FAIL, title, mend))
    if not agent.found:
        title = f"PAL is installed in {agent.title}, which was not found on this machine"
        findings.append(Finding(agent.name, WARNING, title, f"pal uninstall --{agent.name}"))
    findings = findings or [Finding(agent.name, PASS, f"{agent.title} has every hook, once")]
    return findings + _client(agent)


def _client(agent: Agent) -> list[Finding]:
    """What is to be said of the client itself: too old for something, never run by PAL's tests, in a way of its own."""
    findings = []
    for version, brings in agent.lacking():
        title = f"{agent.title} {agent.version} is older than {version}, which brings {brings}"
        findings.append(Finding(f"{agent.name}-old", WARNING, title, f"update {agent.title}"))
    for remark in agent.remarks:
        level = WARNING if remark.fix else NOTE
        findings.append(Finding(f"{agent.name}-{remark.id}", level, remark.title, remark.fix))
    for title in agent.standing_down:
        text = f"{agent.title} also runs {title}'s hooks; PAL stands down in those, so each event runs it once"
        findings.append(Finding(f"{agent.name}-shadow", PASS, text))
    if agent.proven:
        title = f"PAL was proven with {agent.title} {agent.proven}, the real program"
        findings.append(Finding(f"{agent.name}-proven", PASS, title))
    else:
        title = f"{agent.title}: held to its documentation by tests, never run with the real program"
        findings.append(Finding(f"{agent.name}-unproven", NOTE, title))
    return findings


def _corrupt(home: Home) -> Finding:
    found = [name for _, folders, names in os.walk(home.memory) for name in folders + names if ".corrupt-" in name]
    if found:
        title = f"{len(found)} state file(s) could not be read and were set aside: {', '.join(sorted(found)[:3])}"
        return Finding("state", WARNING, title, f"look at them below {home.memory}, then delete them")
    return Finding("state", PASS, "every state file can be read")


def _errors(home: Home, now: float) -> Finding:
    """What hooks logged as errors within a day, counted by who logged them."""
    rows = _logged(home, now)
    if not rows:
        return Finding("errors", PASS, "no hook logged an error within a day")
    sources = [source for source, _ in rows]
    listed = ", ".join(f"{source} {sources.count(source)}" for source in sorted(set(sources)))
    last = f"{rows[-1][0]}: {rows[-1][1][:120]}"
    title = f"{len(rows)} error(s) were logged within a day ({listed}); the last: {last}"
    return Finding("errors", WARNING, title, "pal debug log")


def _faults(home: Home, now: float) -> Finding:
    """A guard that fails lets the call through; nobody would notice."""
    ever = counts.read(home).get(ledger.FAULTS, 0)
    lately = sum(source == "guard" for source, _ in _logged(home, now))
    if lately:
        title = f"the guard failed {lately} time(s) within a day and let those calls through ({ever} ever)"
        return Finding("guard-faults", WARNING, title, "pal debug log")
    return Finding("guard-faults", PASS, f"the guard did not fail within a day ({ever} time(s) ever)")


def _logged(home: Home, now: float) -> list[tuple[str, str]]:
    """(source, message) of every error logged within a day, oldest first."""
    found = []
    for path in (home.log + ".1", home.log):
        for row in files.tail_bytes(path, 200_000).decode("utf-8", "replace").splitlines():
            stamp, source, message = parse_log_row(row)
            if source and 0 <= now - stamp <= DAY:
                found.append((source, message))
    return found


def parse_log_row(row: str) -> tuple[float, str, str]:
    """(moment, source, message) of an ERROR row of the log; an empty source for every other row."""
    if not row.startswith("[") or row[20:28] != "] ERROR ":
        return 0.0, "", ""
    try:
        moment = clock.parse(f"{row[1:11]}T{row[12:20]}Z")
    except ValueError:
        return 0.0, "", ""
    source, _, message = row[28:].partition(": ")
    return moment, source, message


def _backups(home: Home, now: float) -> Finding:
    begun = os.path.isfile(home.sessions) or os.path.isfile(home.ratings)
    # Due is normal: the next stop writes one. Due for another day is not.
    if begun and backup.due(home, now) and backup.due(home, now - DAY):
        return Finding("backup", WARNING, "memory has not been backed up for two days", "pal backup now")
    return Finding("backup", PASS, "backups are up to date")


def _run(home: Home, env: Mapping[str, str], agents: Sequence[Agent]) -> list[Finding]:
    """Start one registered command of each agent as the agent would, and look at how long it takes and what it says."""
    findings = []
    for agent in agents:
        entry = next((entry for entry in agent.registered if entry.event == PROBED_EVENT), None)
        if entry is None:
            continue
        started = time.perf_counter()
        problem, said = start(entry, {**HARMLESS, "cwd": home.root}, env)
        seconds = time.perf_counter() - started
        if said and not problem and ALLOWANCE not in said:
            problem = "refuses or changes a harmless tool call"
        mend = f"{REINSTALL} --{agent.name}"
        if problem:
            findings.append(Finding("run", FAIL, f"{agent.title}'s {PROBED_EVENT} command {problem}", mend))
        elif seconds > SLOW:
            title = f"{agent.title}'s {PROBED_EVENT} command took {seconds:.1f} s"
            findings.append(Finding("run", WARNING, title, "a virus scanner may look at every start; exempt ~/.pal"))
        else:
            title = f"{agent.title}'s {PROBED_EVENT} command answered in {seconds * 1000:.0f} ms"
            findings.append(Finding("run", PASS, title))
        if not problem:
            findings.append(_guard(agent, entry, home, env))
    return findings


def _guard(agent: Agent, entry: Registration, home: Home, env: Mapping[str, str]) -> Finding:
    """Whether the registered command refuses what nobody may run."""
    problem, said = start(entry, {**HARMFUL, "cwd": home.root}, env)
    if problem or REFUSAL not in said:
        what = problem or ("answers " + " ".join(said.split())[:80] if said else "says nothing")
        title = f"{agent.title}'s guard is dead: to `rm -rf /` its {PROBED_EVENT} command {what}"
        return Finding("guard", FAIL, title, f"{REINSTALL} --{agent.name}")
    return Finding("guard", PASS, f"{agent.title}'s guard refuses `rm -rf /` and lets `true` pass")


def start(entry: Registration, payload: Mapping[str, object], env: Mapping[str, str]) -> tuple[str, str]:
    """Run a registered command with a payload: (what is wrong with it or empty, what it answered)."""
    command: str | list[str] = entry.command
    shell = True
    if process.WINDOWS and (entry.shell == "powershell" or entry.command.startswith(". ")):
        command, shell = ["powershell", "-NoProfile", "-Command", entry.command], False
    try:
        done = subprocess.run(
            command,
            shell=shell,
            input=json.dumps(payload).encode("utf-8"),
            capture_output=True,
            env=dict(env),
            timeout=interpreter.PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"did not end within {interpreter.PATIENCE:.0f} s", ""
    except OSError as fault:
        return f"cannot be started: {fault.strerror or fault}", ""
    if done.returncode:
        return f"ends with exit code {done.returncode}", ""
    said = done.stderr.decode("utf-8", "replace").strip()
    if said:
        return f"complains: {said.splitlines()[-1][:120]}", ""
    return "", done.stdout.decode("utf-8", "replace").strip()
