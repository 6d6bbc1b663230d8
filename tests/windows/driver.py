"""Runs on the Windows Python: takes PAL through one story and writes what happened, as JSON, for the tests to judge.

`python driver.py STORY CONFIG` — CONFIG names a JSON file: user, archive, payloads, python, result (Windows paths). A
story is one start of Wine with many steps, since the first step costs more than all others."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
from payload_examples import EXAMPLES  # noqa: E402
from story_of_agents import every_agent  # noqa: E402

INHERITED = ("PAL_", "CLAUDE", "ANTHROPIC", "AI_AGENT", "PYTHON", "VIRTUAL_ENV", "XDG_")
PATIENCE = 100.0  # seconds for one step
REPLY = "The parser reads every line once, keeps the torn ones apart and says where each of them stood. " * 2
CROWD = 20


class Machine:
    """A user's folder on Windows, with ways to run PAL there as a person and as an agent would."""

    def __init__(self, config):
        self.user, self.archive, self.python = config["user"], config["archive"], config["python"]
        self.payloads = config["payloads"]
        self.pal_folder = os.path.join(self.user, ".pal")
        self.settings = os.path.join(self.user, ".claude", "settings.json")
        self.project = os.path.join(self.user, "project")
        self.transcript = os.path.join(self.user, "transcript.jsonl")
        self.env = {key: value for key, value in os.environ.items() if not key.upper().startswith(INHERITED)}
        self.env.update(USERPROFILE=self.user, APPDATA=os.path.join(self.user, "AppData", "Roaming"))
        self.env.update(PAL_NOTIFICATIONS_DISABLED="1", PAL_INFERENCE_DISABLED="1")

    def run(self, argv, stdin=b"", cwd=None):
        began = time.monotonic()
        done = subprocess.run(
            argv, input=stdin, capture_output=True, env=self.env, cwd=cwd or self.user, timeout=PATIENCE, check=False
        )
        out, err = done.stdout.decode("utf-8", "backslashreplace"), done.stderr.decode("utf-8", "backslashreplace")
        return {"code": done.returncode, "out": out, "err": err, "seconds": time.monotonic() - began}

    def pal(self, *words, stdin=b""):
        return self.run([self.python, self.archive, *words], stdin)

    def shell(self, command, payload=None):
        """As a client on Node does: cmd.exe with these three switches around the command."""
        return self.run(f'cmd.exe /d /s /c "{command}"', json.dumps(payload or {}).encode())

    def commands(self):
        """(event, command) of all that is registered; the status line too."""
        from pal.base import files
        from pal.install import jsonedit
        from pal.targets.claude import install

        found = [(entry.event, entry.command, entry.shell) for entry in install.registered(self.env)]
        line = jsonedit.value((files.read_bytes(self.settings) or b"").decode("utf-8")).get("statusLine")
        return found + ([("statusline", line["command"], "")] if line else [])

    def payload(self, event, **fields):
        example = self.example("claude", event)
        return {**example, "session_id": "s1", "cwd": self.project, "transcript_path": self.transcript, **fields}

    def example(self, agent, event):
        """What this agent's client sends at this event."""
        path = os.path.join(self.payloads, agent, EXAMPLES[agent][event] + ".json")
        with open(path, encoding="utf-8") as stream:
            return json.load(stream)

    def hook(self, event, **fields):
        command = next(command for name, command, _ in self.commands() if name == event)
        return self.shell(command, self.payload(event, **fields))

    def speak(self):
        """A transcript long enough to be worth a note, in a project."""
        os.makedirs(os.path.join(self.project, ".git"), exist_ok=True)
        rows = []
        for number in range(6):
            rows.append(("user", f"Mend the parser, step {number}, please."))
            rows.append(("assistant", f"Step {number}. {REPLY}"))
        with open(self.transcript, "w", encoding="utf-8", newline="\n") as stream:
            for role, content in rows:
                row = {"type": role, "timestamp": "2026-03-02T08:15:00Z", "message": {"role": role, "content": content}}
                stream.write(json.dumps(row) + "\n")

    def tree(self, inside=False):
        """Digest by name of every file of the user: outside PAL's home, or inside it."""
        found = {}
        for folder, _, names in os.walk(self.pal_folder if inside else self.user):
            for name in names:
                path = os.path.join(folder, name)
                if inside or not path.startswith(self.pal_folder + os.sep):
                    with open(path, "rb") as stream:
                        digest = hashlib.sha256(stream.read()).hexdigest()
                    found[os.path.relpath(path, self.user).replace(os.sep, "/")] = digest
        return found

    def rest(self):
        """Seconds until no job waits or runs any more; None when that takes too long."""
        jobs = os.path.join(self.pal_folder, "memory", "state", "jobs")
        began = time.monotonic()
        while time.monotonic() - began < PATIENCE:
            names = os.listdir(jobs) if os.path.isdir(jobs) else []
            if not [name for name in names if name.endswith((".json", ".run"))]:
                return time.monotonic() - began
            time.sleep(0.05)
        return None


def life(config):
    """Install, one session and the start of the next, damage of every kind, uninstall."""
    machine, told = Machine(config), {}
    told["alone"] = [machine.pal(*words) for words in ((), ("version",), ("--help",))]
    told["tree"] = [machine.tree()]
    told["dry"] = machine.pal("install", "--claude", "--dry-run")
    told["tree"].append(machine.tree())
    told["install"] = machine.pal("install", "--claude")
    told["tree"].append(machine.tree())
    told["commands"] = machine.commands()
    with open(machine.settings, "rb") as stream:
        told["settings"] = stream.read().decode("utf-8")
    whole = machine.tree(inside=True)
    told["again"] = machine.pal("install", "--claude")
    told["tree"].append(machine.tree())
    told["same_inside"] = machine.tree(inside=True) == whole

    machine.speak()
    told["hooks"] = hooks = []

    def hook(event, **fields):
        hooks.append([event, machine.hook(event, **fields)])

    hook("session-start")
    hook("user-prompt", prompt="Mend the torn lines of the parser", prompt_id="p0")
    hook("pre-tool")
    hook("post-tool", tool_input={"file_path": os.path.join(machine.project, "parser.py")})
    hook("post-tool-failure")
    hook("stop", prompt_id="p0", last_assistant_message=REPLY)
    hook("user-prompt", prompt="2, wrong file", prompt_id="p1")
    hook("stop", prompt_id="p1", last_assistant_message=REPLY)
    told["rest"] = machine.rest()
    hook("subagent-stop")
    hook("pre-compact")
    hook("session-end")
    spelled = machine.project.replace("\\", "/").replace("Z:", "z:")  # as some agents write a folder
    second = {"session_id": "s2", "cwd": spelled}
    hook("session-start", **second)
    hook("user-prompt", prompt="The parser is wrong about the file again", prompt_id="p2", **second)
    hook("stop", prompt_id="p2", last_assistant_message=REPLY, **second)
    told["statusline"] = machine.hook("statusline")

    told["zones"] = zones(machine)
    command = os.path.join(machine.pal_folder, "bin", "pal.cmd")
    for name, words in (
        ("doctor", "doctor --json"),
        ("status", "status --json"),
        ("completion", "completion powershell"),
        ("usage", "ratings --nonsense"),
        ("refused", "update no-such-file.pyz"),
        ("leaving", "uninstall --dry-run"),
    ):
        told[name] = machine.shell(f'"{command}" {words}')
    told["tree"].append(machine.tree())
    told["third"] = machine.pal("install", "--claude")
    told["tree"].append(machine.tree())

    told["harmed"] = harmed(machine)
    told["uninstall"] = machine.shell(f'"{command}" uninstall')
    told["tree"].append(machine.tree())
    told["left"] = sorted(machine.tree(inside=True))
    return told


def harmed(machine):
    """Every registered command with PAL deleted, its engine cut off, the launcher empty, the interpreter gone."""
    found = []
    commands = machine.commands()
    launcher = os.path.join(machine.pal_folder, "hook.py")
    (engine,) = (entry.path for entry in os.scandir(os.path.join(machine.pal_folder, "engine")))
    away = machine.pal_folder + "-away"
    os.rename(machine.pal_folder, away)
    for event, command, _ in commands:
        found.append(["deleted", event, machine.shell(command, machine.payload(event))])
    found.append(["deleted", "nothing came back", {"there": os.path.exists(machine.pal_folder)}])
    os.rename(away, machine.pal_folder)
    for path, size in ((engine, 5000), (launcher, 0)):
        shutil.copyfile(path, path + ".kept")
        os.truncate(path, size)
        for event, command, _ in commands:
            found.append([os.path.basename(path), event, machine.shell(command, machine.payload(event))])
        os.replace(path + ".kept", path)
    for event, command, _ in commands[:2]:
        gone = command.replace("/python.exe", "/python-of-old.exe", 1)
        found.append(["interpreter", event, machine.shell(gone, machine.payload(event))])
    return found


def zones(machine):
    """A zone that is named by command, by hand, and taken back; each with what the next prompt is told."""
    told = []
    settings = os.path.join(machine.pal_folder, "pal-settings.json")
    with open(settings, "rb") as stream:
        kept = stream.read()
    for zone in ("Europe/Budapest", "UTC", "No/Where"):
        told.append([zone, machine.pal("timezone", zone), machine.hook("user-prompt", prompt="Hello", prompt_id=zone)])
    with open(settings, "wb") as stream:
        stream.write(b'{"identity": {"principal": {"timezone": "Asia/Kathmandu"}}}')
    told.append(["by hand", machine.pal("timezone"), machine.hook("user-prompt", prompt="Hello", prompt_id="hand")])
    with open(settings, "wb") as stream:
        stream.write(kept)
    return told


def crowd(config):
    """Many prompts of one session at once, while PAL is installed again."""
    machine, said = Machine(config), [None] * CROWD
    machine.pal("install", "--claude")
    machine.speak()
    machine.hook("session-start")
    command = next(command for event, command, _ in machine.commands() if event == "user-prompt")

    def talk(number):
        prompt = "8" if number % 2 else f"Look at part {number} of the parser"
        said[number] = machine.shell(command, machine.payload("user-prompt", prompt=prompt, prompt_id=f"c{number}"))

    talkers = [threading.Thread(target=talk, args=(number,)) for number in range(CROWD)]
    for talker in talkers:
        talker.start()
    again = machine.pal("install", "--claude")
    for talker in talkers:
        talker.join()
    last = machine.hook("user-prompt", prompt="10, great", prompt_id="last")
    return {"said": said, "again": again, "last": last}


def floor(config):
    """The first floor between processes: locks, replacing what is read, children that outlive their parent."""
    from pal.base import files, locks, process

    machine, told = Machine(config), {}
    path = os.path.join(machine.user, "file.json")
    begin = f"import sys, time; sys.path.insert(0, {machine.archive!r}); from pal.base import files, locks, process; "

    def start(script):
        argv = [machine.python, "-I", "-S", "-X", "utf8", "-c", begin + script]
        return subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=machine.env)

    holder = start(f"lock = locks.Lock({path!r}); print(lock.__enter__(), flush=True); sys.stdin.read()")
    said = holder.stdout.readline().strip().decode()
    with locks.Lock(path, wait=0.2) as held:
        told["lock"] = [said, held]
    files.write(path, "replaced while it is locked")
    with locks.Lock(path, wait=0) as held:
        told["lock"].append(held)
    told["alive"] = [process.alive(holder.pid)]
    holder.kill()
    holder.communicate()
    told["alive"].append(process.alive(holder.pid))
    with locks.Lock(path, wait=10) as held:
        told["lock"].append(held)

    # The reader says whether it ever saw half a file, none, or an error; the writer, how often it replaced it.
    script = f"""
seen, faults, until = 0, [], time.monotonic() + 3
while time.monotonic() < until:
    try:
        data = files.read_bytes({path!r})
        seen += 1
        if data is None or len(set(data)) != 1 or len(data) != 200000:
            faults.append(repr(data)[:40])
    except OSError as fault:
        faults.append(repr(fault))
import json
print(json.dumps([seen, faults[:9]]))
"""
    files.write(path, b"a" * 200_000)
    readers = [start("\n" + script) for _ in range(2)]
    written = 0
    while all(reader.poll() is None for reader in readers):
        files.write(path, bytes([97 + written % 26]) * 200_000)
        written += 1
    told["replaced"] = written
    told["read"] = [json.loads(reader.communicate()[0]) for reader in readers]
    told["halves"] = [name for name in os.listdir(machine.user) if name.startswith(files.TEMPORARY)]

    gate, answer = os.path.join(machine.user, "gate"), os.path.join(machine.user, "answer")
    child = (
        "import ctypes, json, os, sys, time\n"
        f"while not os.path.exists({gate!r}): time.sleep(0.02)\n"
        "kernel = ctypes.windll.kernel32\n"
        f"told = [kernel.GetConsoleWindow(), kernel.GetConsoleCP(), os.getcwd(), sorted(os.environ), os.getpid()]\n"
        f"open({answer!r} + '.part', 'w').write(json.dumps(told)); os.rename({answer!r} + '.part', {answer!r})\n"
    )
    env = {"SYSTEMROOT": os.environ["SYSTEMROOT"], "ONLY": "this"}
    parent = start(f"print(process.detached([sys.executable, '-I', '-S', '-c', {child!r}], {env!r}, {machine.user!r}))")
    number = int(parent.communicate(timeout=PATIENCE)[0])  # ends although the child is waiting: it holds no pipe
    told["child"] = {"number": number, "waiting": process.alive(number) and not os.path.exists(answer)}
    open(gate, "w").close()
    until = time.monotonic() + PATIENCE
    while not os.path.exists(answer) and time.monotonic() < until:
        time.sleep(0.02)
    with open(answer) as stream:
        told["child"]["answer"] = json.load(stream)
    told["no_child"] = process.detached([os.path.join(machine.user, "none.exe")], env)
    return told


def main(story, config_file):
    with open(config_file, encoding="utf-8") as stream:
        config = json.load(stream)
    sys.path.insert(0, config["archive"])
    stories = {"life": life, "crowd": crowd, "floor": floor, "agents": lambda config: every_agent(Machine(config))}
    told = stories[story](config)
    with open(config["result"], "w", encoding="utf-8") as stream:
        json.dump(told, stream)


if __name__ == "__main__":
    main(*sys.argv[1:])
