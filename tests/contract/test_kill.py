"""A process killed at each of its file operations: what people own is whole, and the next run mends the rest."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from pal.install import archive as packing

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the killer forks")

KILLER = Path(__file__).with_name("killer.py")
PARTS = 4  # of the operations, each a test of its own, so that they can run side by side

SETTINGS = """{
  "model": "opus",
  "hooks": {
    "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
    "Notification": []
  },
  "permissions": {"allow": ["Bash(ls:*)"]}
}
"""
INSTRUCTIONS = "# Rules\n\nBe brief.\n"
MEMORY = {
    "memory/signals/ratings.jsonl": '{"ts": "2026-03-02T08:15:00Z", "type": "rating", "rating": 8}\n' * 3,
    "memory/state/sessions.json": '{\n"s0": {"name": "Before", "last": "2026-03-02T08:15:00Z", "prompts": 3}\n}\n',
    "memory/session-learning/2026-03/2026-03-02_before.md": "---\ntitle: Before\n---\n\n## What Was Done\n\nThings.\n",
    "telos/GOALS.md": "# Goals\n\nMine.\n",
}


ANSWER = {
    "title": "Mending the parser line by line",
    "summary": "We made the parser read every line once.",
    "insights": ["Read every line of a file once."],
    "handoff": "The torn lines remain.",
    "name": "Parser Reads Every Line",
    "notes": [{"type": "O", "text": "Wants every line read once", "confidence": 0.8}],
    "entities": [{"kind": "tool", "name": "parser", "about": "It reads lines."}],
    "principle": "Keep every torn line for the next writer to mend.",
    "detailed_context": "Torn lines were lost.",
}


class Killer:
    """killer.py, started once."""

    def __init__(self, archive: Path, env: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(KILLER), str(archive)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env
        )

    def run(self, env: dict[str, str], *argv: str, kill: int = 0, stdin: str = "") -> dict:
        request = {"argv": argv, "env": env, "kill": kill, "stdin": stdin, "answer": ANSWER}
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self) -> None:
        self.process.stdin.close()
        self.process.stdout.close()
        assert self.process.wait(30) == 0


@pytest.fixture(scope="module")
def killer(archive, tmp_path_factory):
    """With one of the many skills: each of the others would be the same operations again."""
    folder = tmp_path_factory.mktemp("killer")
    small = folder / "pal.pyz"
    left_out = ("assets/skills/", "assets/web/", "assets/workflows/")
    whole = packing.files(str(archive))
    kept_files = {n: d for n, d in whole.items() if not n.startswith(left_out) or n.startswith("assets/skills/think/")}
    small.write_bytes(packing.pack(kept_files))
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PAL_", "CLAUDE", "PYTHON"))}
    started = Killer(small, {**kept, "HOME": str(folder), "PAL_PYTHON": sys.executable})
    yield started
    started.close()


@pytest.fixture
def user(fresh_home) -> Path:
    """A user who has something to lose."""
    (fresh_home / ".claude").mkdir()
    (fresh_home / ".claude" / "settings.json").write_text(SETTINGS)
    (fresh_home / ".claude" / "CLAUDE.md").write_text(INSTRUCTIONS)
    for name, text in MEMORY.items():
        path = fresh_home / ".pal" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return fresh_home


@pytest.fixture
def env(user, clean_env) -> dict[str, str]:
    return {**clean_env, "PAL_PYTHON": sys.executable}


@pytest.fixture
def each_kill(killer, env, user):
    """each_kill(part, argv, stdin): for every operation of this part, the home as a run leaves it that died there."""

    def kills(part: int, *argv: str, stdin: str = ""):
        start = user.with_name("start")
        shutil.copytree(user, start, symlinks=True)
        at = part + 1
        while True:
            done = killer.run(env, *argv, kill=at, stdin=stdin)
            if not done["killed"]:
                assert done["status"] == 0, done["output"]
                assert at > PARTS, "it did something"
                return
            yield at
            shutil.rmtree(user)
            shutil.copytree(start, user, symlinks=True)
            at += PARTS

    return kills


def whole_settings(user: Path) -> None:
    """The client's settings are the user's, or the user's and PAL's hooks."""
    text = (user / ".claude" / "settings.json").read_text()
    if text == SETTINGS:
        return
    before, after = json.loads(SETTINGS), json.loads(text)
    assert {key: after[key] for key in before if key != "hooks"} == {
        key: before[key] for key in before if key != "hooks"
    }
    for event, groups in before["hooks"].items():
        assert all(group in after["hooks"][event] for group in groups)
    for event, groups in after["hooks"].items():
        for group in groups:
            assert group in before["hooks"].get(event, []) or "hook.py" in group["hooks"][0]["command"]


def whole_instructions(user: Path) -> None:
    text = (user / ".claude" / "CLAUDE.md").read_text()
    if text != INSTRUCTIONS:
        assert text.startswith(INSTRUCTIONS)
        assert text.count("<!-- pal:begin") == text.count("<!-- pal:end -->") == 1


def whole_memory(user: Path, before: dict[str, str]) -> None:
    """Every file that was there is there whole; of a log only the last line, which was being written, may be torn."""
    for name, text in before.items():
        found = (user / ".pal" / name).read_text()
        if name.endswith(".jsonl"):
            assert found.startswith(text)
        elif name.endswith(".md"):
            assert found == text
    for path in (user / ".pal").rglob("*.json"):
        if not path.name.startswith(".pal-tmp-"):
            json.loads(path.read_text())
    for path in (user / ".pal").rglob("*.jsonl"):
        for line in path.read_text().splitlines(keepends=True):
            assert not line.endswith("\n") or json.loads(line)


def tree(folder: Path) -> dict[str, bytes | None]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if ".pal" not in path.relative_to(folder).parts
    }


def an_hour_passes(user: Path) -> None:
    """What a killed writer left beside its file is old now, so that nobody can still be writing it."""
    for path in (user / ".pal").rglob(".pal-tmp-*"):
        os.utime(path, (1772439300, 1772439300))


def left_over(user: Path) -> list[str]:
    return sorted(path.name for path in user.rglob(".pal-*tmp*"))


def succeeds(done: dict) -> None:
    assert done["status"] == 0, done["output"]
    assert "Traceback" not in done["output"]


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("mended_by", ["install", "uninstall"])
def test_an_install_killed_anywhere_leaves_whole_files_and_the_next_run_mends_the_rest(
    killer, each_kill, user, env, part, mended_by
):
    before = tree(user)
    for at in each_kill(part, "install", "--claude"):
        whole_settings(user)
        whole_instructions(user)
        whole_memory(user, MEMORY)
        an_hour_passes(user)
        if mended_by == "install":
            succeeds(killer.run(env, "install", "--claude"))
            again = killer.run(env, "install", "--claude")
            assert "nothing to change" in again["output"], (at, again["output"])
            assert not left_over(user), at
        succeeds(killer.run(env, "uninstall", "--claude"))
        assert tree(user) == before, at
        assert {path.name for path in (user / ".pal").iterdir()} <= {
            "memory",
            "telos",
            "pal-settings.json",
            "backups",
        }, at
        assert not left_over(user), at
        whole_memory(user, MEMORY)


@pytest.mark.parametrize("part", range(PARTS))
def test_an_uninstall_killed_anywhere_is_finished_by_the_next(killer, each_kill, user, env, part):
    before = tree(user)
    succeeds(killer.run(env, "install", "--claude"))
    for at in each_kill(part, "uninstall", "--claude"):
        whole_settings(user)
        whole_instructions(user)
        whole_memory(user, MEMORY)
        an_hour_passes(user)
        succeeds(killer.run(env, "uninstall", "--claude"))
        assert tree(user) == before, at
        assert {path.name for path in (user / ".pal").iterdir()} <= {
            "memory",
            "telos",
            "pal-settings.json",
            "backups",
        }, at
        assert not left_over(user), at


def payload(user: Path, event: str, **fields: object) -> str:
    common = {"session_id": "s1", "cwd": str(user / "project"), "transcript_path": str(user / "transcript.jsonl")}
    return json.dumps({**common, "hook_event_name": event, "prompt_id": "p1", **fields})


def hook(killer: Killer, env: dict[str, str], event: str, stdin: str) -> None:
    succeeds(killer.run(env, "hook", event, "--agent=claude", stdin=stdin))


@pytest.fixture
def worked(killer, user, env) -> str:
    """A turn with all a stop can file: an edited file, a low rating, a conversation; gives the stop's payload."""
    (user / "project" / ".git").mkdir(parents=True)
    rows = [("user", "Mend the parser, please."), ("assistant", "It reads every line once now. " * 10)] * 4
    lines = [{"type": role, "message": {"role": role, "content": text}} for role, text in rows]
    (user / "transcript.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    hook(killer, env, "session-start", payload(user, "SessionStart", source="startup"))
    hook(killer, env, "user-prompt", payload(user, "UserPromptSubmit", prompt="2, torn lines were lost"))
    edited = {"file_path": str(user / "project" / "parser.py")}
    hook(killer, env, "post-tool", payload(user, "PostToolUse", tool_name="Edit", tool_input=edited))
    return payload(user, "Stop", last_assistant_message=rows[-1][1].strip())


@pytest.mark.parametrize("part", range(PARTS))
def test_a_stop_killed_anywhere_loses_nothing_and_the_next_one_doubles_nothing(
    killer, each_kill, user, env, worked, part
):
    pal = user / ".pal"
    before = {
        path.relative_to(pal).as_posix(): path.read_text()
        for path in (pal / "memory").rglob("*")
        if path.suffix in (".md", ".jsonl")
    }
    for at in each_kill(part, "hook", "stop", "--agent=claude", stdin=worked):
        whole_memory(user, before)
        hook(killer, env, "stop", worked)
        whole_memory(user, before)
        rows = {path.stem: json.loads(path.read_text()) for path in (pal / "memory/state").glob("*.json")}
        assert (rows["sessions"]["s1"]["prompts"], rows["sessions"]["s1"]["turns"]) == (1, 1), at
        assert rows["sessions"]["s0"]["prompts"] == 3, at
        (project,) = rows["projects"].values()
        assert (project["sessions"], len(project["history"])) == (1, 1), at
        assert len(rows["last-handoff"]) == 1
        assert rows["last-responses"]["s1"]["response"].startswith("It reads"), at
        assert rows["interaction-sessions"]["s1"]["reply"]["words"] == 60, at
        assert len(list((pal / "memory/failures").rglob("*.md"))) == 1, at
        assert rows["pending-failure"] == {}, at
        learnings = [path for path in (pal / "memory/session-learning").rglob("*.md") if "before" not in path.name]
        assert [str(path) for path in learnings] == [str(pal / rows["captured-learnings"]["s1"]["path"])], at
        jobs = {path.name.split("-")[0].split("~")[0] for path in (pal / "memory/state/jobs").glob("*.json")}
        # Killed between filing a failure and asking for it to be looked into, it waits for another round.
        assert {"daily"} <= jobs <= {"daily", "index", "learn"}, at
        assert not list((pal / "memory/state").glob("*.corrupt-*")), at
        log = pal / "memory/state/debug.log"
        assert not log.exists() or "ERROR" not in log.read_text(), at


@pytest.mark.parametrize("part", range(PARTS))
def test_a_backup_killed_anywhere_leaves_no_half_and_the_next_one_is_whole(killer, each_kill, user, env, part):
    (user / ".pal/memory/state/.pal-tmp-sessions.json-0a1b2c3d").write_text("{")
    for at in each_kill(part, "backup", "now"):
        assert {name: (user / ".pal" / name).read_text() for name in MEMORY} == MEMORY
        for path in (user / ".pal" / "backups").glob("*.zip"):
            assert whole_zip(path), at
        an_hour_passes(user)
        succeeds(killer.run(env, "backup", "now"))
        names = [path.name for path in (user / ".pal" / "backups").iterdir() if not path.name.endswith(".lock")]
        assert names and all(name.startswith("pal-backup-") and name.endswith(".zip") for name in names), at
        for name in names:
            assert whole_zip(user / ".pal" / "backups" / name) >= set(MEMORY), at
        assert not left_over(user), at


def whole_zip(path: Path) -> set[str]:
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert json.loads(archive.read("backup-manifest.json"))["files"] == len(archive.namelist()) - 1
        return set(archive.namelist())


@pytest.fixture
def learning(killer, user, env, worked) -> str:
    """A stop that hands over what it taught, the job's id, and no other job."""
    rows = [("user", "Mend the parser, please."), ("assistant", "It reads every line once now. " * 20)] * 5
    lines = [{"type": role, "message": {"role": role, "content": text}} for role, text in rows]
    (user / "transcript.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    hook(killer, {**env, "PAL_INFERENCE_DISABLED": ""}, "stop", worked)
    (path,) = jobs_of(user, "learn~*.json")
    for other in set(jobs_of(user, "*.json")) - {path}:
        other.unlink()
    return path.stem


def log_rows(path: Path) -> list[dict]:
    """The whole lines of a log; a writer that died may have left half of one between them."""
    rows = []
    for line in path.read_text().splitlines():
        try:
            rows.append(json.loads(line))
        except ValueError:
            continue
    return rows


def jobs_of(user: Path, pattern: str) -> list[Path]:
    return sorted((user / ".pal/memory/state/jobs").glob(pattern))


@pytest.mark.parametrize("part", range(PARTS))
def test_a_learning_job_killed_anywhere_is_finished_by_the_next_stop_and_doubles_nothing(
    killer, each_kill, user, env, worked, learning, part
):
    memory = user / ".pal/memory"
    for at in each_kill(part, "job", learning):
        for path in memory.rglob("*.json"):
            json.loads(path.read_text())
        hook(killer, env, "stop", worked)
        for path in jobs_of(user, "learn*.json"):
            succeeds(killer.run(env, "job", path.stem))
        assert not jobs_of(user, "*.run") and not jobs_of(user, "failed/*"), at
        (note,) = [path for path in (memory / "session-learning").rglob("*.md") if "before" not in path.name]
        text = note.read_text()
        assert text.count(ANSWER["summary"]) == text.count(ANSWER["insights"][0]) == 1, at
        (day,) = (memory / "relationship").glob("2*/*.md")
        assert day.read_text().count("Wants every line read once") == 1, at
        assert [row["name"] for row in log_rows(memory / "state/entity-candidates.jsonl")] == ["parser"], at
        row = json.loads((memory / "state/sessions.json").read_text())["s1"]
        assert (row["name"], row["learned"], row["upgraded"]) == (ANSWER["name"], 11, True), at
        (failure,) = (memory / "failures").rglob("*.md")
        assert failure.read_text().count(ANSWER["principle"]) == 1, at
        assert not list(memory.rglob("*.corrupt-*")), at
