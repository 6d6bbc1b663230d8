"""Machines that sync through a bare repository see the same in the end, whatever the order, the clocks, the kills."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pal.base import records
from pal.base.errors import PalError
from pal.base.home import Home
from pal.memory.icm import fold, store
from pal.memory.sync import exchange, places, snapshot

DAY = 86_400.0
GIT = shutil.which("git")
SOURCE = Path(__file__).resolve().parents[3] / "src"


@pytest.fixture(autouse=True)
def git(require):
    require(GIT, "git is not on PATH")


class Machine:
    """One home with a clock of its own."""

    def __init__(self, folder: Path, remote: Path, now: float) -> None:
        self.user = folder
        self.home = Home(str(folder / ".pal"))
        self.memory = Path(self.home.memory)
        self.now = now
        self.env = {"PATH": os.environ["PATH"], "HOME": str(folder), "USERPROFILE": str(folder)}
        if "SYSTEMROOT" in os.environ:
            self.env["SYSTEMROOT"] = os.environ["SYSTEMROOT"]
        os.makedirs(self.home.state)
        self.said: list[str] = []
        exchange.start(self.home, self.env, "git merge-file -q --union %A %O %B", str(remote))

    def sync(self) -> exchange.Outcome:
        self.now += 60
        outcome = exchange.run(self.home, self.env, self.now, lambda _: None)
        assert outcome.problem == ""
        return outcome

    def write(self, name: str, text: str) -> None:
        path = self.memory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())

    def append(self, name: str, text: str) -> None:
        self.write(name, (self.read(name) or "") + text)

    def read(self, name: str) -> str | None:
        path = self.memory / name
        return path.read_bytes().decode() if path.is_file() else None

    def rate(self, number: int) -> None:
        self.now += 1
        row = {"ts": f"2026-03-02T08:{number // 60:02d}:{number % 60:02d}Z", "type": "rating", "number": number}
        records.append(self.home, self.home.ratings, row, self.now)

    def files(self) -> dict[str, bytes]:
        """Everything that travels."""
        return {name: Path(entry.path).read_bytes() for name, entry in places.listing(self.home)}

    def git(self, *words: str) -> subprocess.CompletedProcess[str]:
        who = ["-c", "user.name=P", "-c", "user.email=p@example.org"]
        return subprocess.run(
            [GIT, *who, *words], cwd=self.memory, env=self.env, capture_output=True, text=True, timeout=60
        )


@pytest.fixture
def machines(tmp_path, now):
    """machines(3): so many homes and a bare repository between them; the clocks differ by a day."""

    def make(count: int) -> list[Machine]:
        remote = tmp_path / "share" / "memory.git"
        return [Machine(tmp_path / f"user{n}", remote, now + (n - 1) * DAY) for n in range(count)]

    return make


def act(machine: Machine, dice: random.Random, number: int) -> None:
    """One thing that happens on a machine."""
    what = dice.randrange(8)
    if what < 3:
        machine.said.append(f"the fact number {number} is written on a machine")
        store.store(machine.home, machine.said[-1], machine.now)
    elif what == 3:
        entries = [entry for entry in fold.load(machine.home).values() if entry.status == "active"]
        if entries:
            machine.now += 1
            store.update(machine.home, dice.choice(entries).id, machine.now, keywords=[f"word{number}"])
    elif what == 4:
        machine.rate(number)
    elif what == 5:
        machine.append("relationship/2026-03/2026-03-02.md", f"\n## 10:{number:02d}\n- W: note {number}\n")
    elif what == 6:
        path = "relationship/opinions.json"
        held = json.loads(machine.read(path) or '{"opinions": []}')
        held["opinions"].append({"id": f"o{number}", "statement": f"opinion {number}", "confidence": 0.5})
        machine.write(path, json.dumps(held, indent=2) + "\n")
    else:
        machine.append("projects/site/ISA.md", f"- [ ] ISC-{number}: criterion {number}\n")


@pytest.mark.parametrize("seed", [1, 2])
def test_three_machines_with_wrong_clocks_hold_the_same_after_the_last_sync(machines, seed):
    dice = random.Random(seed)
    everyone = machines(3)
    for number in range(32):
        machine = dice.choice(everyone)
        machine.now += dice.random() * 3600
        act(machine, dice, number)
        if dice.random() < 0.3:
            dice.choice(everyone).sync()
    before = [machine.files() for machine in everyone]
    for machine in [*everyone, *everyone]:
        machine.sync()
    first, *others = [machine.files() for machine in everyone]
    assert all(found == first for found in others)
    held = "".join(data.decode() for data in first.values())
    for files in before:
        lines = {
            line
            for name, data in files.items()
            if name.endswith((".jsonl", ".md"))
            for line in data.decode().splitlines()
        }
        assert [line for line in lines if line.strip() and line not in held] == []
        statements = json.loads(files.get("relationship/opinions.json", b'{"opinions": []}'))["opinions"]
        assert all(row["statement"] in held for row in statements)
    states = [{name: entry.shown() for name, entry in fold.load(machine.home).items()} for machine in everyone]
    assert states[0] == states[1] == states[2]
    said = {entry["content"] for entry in states[0].values()}
    assert said == {text for machine in everyone for text in machine.said}


def test_a_second_sync_does_nothing(machines):
    one, two = machines(2)
    one.rate(1)
    one.sync(), two.sync(), one.sync()
    assert one.sync().shown() == {
        "saved": 0, "received": [], "restored": 0, "sent": True, "commit": two.sync().commit, "problem": "",
    }  # fmt: skip


def test_state_caches_and_locks_stay_on_their_machine(machines):
    one, two = machines(2)
    for name in (
        "state/sessions.json",
        "cache/x.json",
        "signals/.ratings.jsonl.lock",
        "signals/.pal-tmp-1",
        "a.corrupt-1",
    ):
        one.write(name, "{}")
    one.write("signals/ratings.jsonl", "{}\n")
    one.sync(), two.sync()
    assert sorted(two.files()) == [".gitattributes", ".gitignore", "signals/ratings.jsonl"]
    assert not (two.memory / "state" / "sessions.json").exists()


def test_machines_that_sync_at_the_same_moment_all_get_through(machines):
    everyone = machines(3)
    for number, machine in enumerate(everyone):
        machine.rate(number)
    threads = [threading.Thread(target=machine.sync) for machine in everyone]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for machine in everyone:
        machine.sync()
    assert {len((machine.read("signals/ratings.jsonl") or "").splitlines()) for machine in everyone} == {3}


def test_lines_written_while_a_sync_runs_are_kept(machines, monkeypatch):
    one, two = machines(2)
    one.rate(1)
    one.sync()
    two.rate(2)
    two.sync()
    write = exchange._write

    def interrupted(home, name, expected, made):
        if name.endswith("ratings.jsonl"):
            one.rate(3)
        return write(home, name, expected, made)

    monkeypatch.setattr(exchange, "_write", interrupted)
    one.sync()
    monkeypatch.undo()
    one.sync(), two.sync()
    assert sorted(json.loads(line)["number"] for line in (two.read("signals/ratings.jsonl") or "").splitlines()) == [
        1,
        2,
        3,
    ]


@pytest.mark.parametrize("part", range(2))
def test_a_sync_killed_anywhere_is_finished_by_the_next(machines, part, tmp_path):
    one, two = machines(2)
    for machine, number in ((one, 1), (two, 2)):
        machine.rate(number)
        machine.write("relationship/2026-03/2026-03-02.md", f"# Day\n\n## 10:0{number}\n- W: note {number}\n")
    one.write("session-learning/2026-03/old.md", "# Old\n")
    two.sync(), one.sync()
    two.write(
        "relationship/2026-03/2026-03-02.md", two.read("relationship/2026-03/2026-03-02.md") + "\n## 11:00\n- W: late\n"
    )
    two.sync()
    one.rate(3)
    (one.memory / "session-learning" / "2026-03" / "old.md").unlink()
    start = tmp_path / "start"
    shutil.copytree(one.user, start / "user")
    shutil.copytree(tmp_path / "share", start / "share")
    at, killed = 1 + part * 5, True
    while killed:
        for name, folder in (("user", one.user), ("share", tmp_path / "share")):
            shutil.rmtree(folder)
            shutil.copytree(start / name, folder)
        killed = dies(one, at)
        one.sync()
        held = one.read("signals/ratings.jsonl") or ""
        assert [json.loads(line)["number"] for line in held.splitlines()] in ([1, 2, 3], [2, 1, 3]), at
        assert (one.read("relationship/2026-03/2026-03-02.md") or "").count("- W: ") == 3, at
        assert "session-learning/2026-03/old.md" not in one.files(), at
        at += 11
    assert at > 30, "it did something"
    two.sync()
    assert two.files() == one.files()


DYING = """
import os, sys
from pal.base.home import Home
from pal.memory.sync import exchange
root, last, now = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
count = 0
def audit(event, arguments):
    global count
    writing = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
    if writing or event in ("os.rename", "os.remove", "os.mkdir", "subprocess.Popen"):
        count += 1
        if count == last:
            os._exit(137)
sys.addaudithook(audit)
exchange.run(Home(root), os.environ, now, lambda said: None)
"""


def dies(machine: Machine, last: int) -> bool:
    """Sync in a child that dies at its n-th file operation or started program; False when it came to its end."""
    done = subprocess.run(
        [sys.executable, "-c", DYING, machine.home.root, str(last), str(machine.now)],
        env={**machine.env, "PYTHONPATH": str(SOURCE)}, cwd=machine.user, timeout=120,
    )  # fmt: skip
    assert done.returncode in (0, 137)
    return done.returncode == 137


def test_files_that_did_not_change_are_not_read_again(machines, monkeypatch):
    (one,) = machines(1)
    one.rate(1), one.write("knowledge/Ideas/a.md", "# A\n")
    for path in one.memory.rglob("*"):
        if path.is_file() and ".git" not in path.parts:
            os.utime(path, (one.now - 60, one.now - 60))
    one.sync()
    read = []
    monkeypatch.setattr(snapshot, "_read", lambda path: read.append(path) or Path(path).read_bytes())
    head = exchange.opened(one.home, one.env)
    committed = head.tree(head.heads()[0])
    assert snapshot.take(one.home, committed, one.now).changes == {} and read == []
    one.write("knowledge/Ideas/a.md", "# B\n")
    assert snapshot.take(one.home, committed, one.now).changes == {"knowledge/Ideas/a.md": b"# B\n"}
    assert len(read) == 1


def test_locks_that_a_killed_git_left_behind_are_taken_away(machines):
    one, two = machines(2)
    two.rate(1)
    two.sync()
    one.rate(2)
    for name in ("index.lock", "refs/heads/main.lock", "refs/remotes/origin/main.lock"):
        path = one.memory / ".git" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    assert one.sync().sent


def test_a_log_that_was_lost_or_cut_here_comes_back(machines):
    one, two = machines(2)
    for number in range(3):
        one.rate(number)
    one.sync(), two.sync()
    (one.memory / "signals" / "ratings.jsonl").unlink()
    assert one.sync().restored == 1
    lines = (two.read("signals/ratings.jsonl") or "").splitlines(keepends=True)
    two.write("signals/ratings.jsonl", lines[0])
    two.sync(), one.rate(9), one.sync(), two.sync()
    assert len((two.read("signals/ratings.jsonl") or "").splitlines()) == 4


def test_a_note_deleted_on_one_machine_goes_on_the_others_unless_it_was_changed_there(machines):
    one, two = machines(2)
    one.write("knowledge/Ideas/a.md", "# A\n"), one.write("knowledge/Ideas/b.md", "# B\n")
    one.sync(), two.sync()
    for name in "ab":
        (one.memory / "knowledge" / "Ideas" / f"{name}.md").unlink()
    two.write("knowledge/Ideas/b.md", "# B\n\nMore.\n")
    one.sync(), two.sync(), one.sync()
    assert one.files() == two.files()
    assert two.read("knowledge/Ideas/a.md") is None and two.read("knowledge/Ideas/b.md") == "# B\n\nMore.\n"


def test_a_folder_that_lost_most_of_its_files_gets_them_back(machines):
    one, two = machines(2)
    for number in range(30):
        one.write(f"failures/2026-03/{number}/capture.md", f"# Failure {number}\n")
    one.sync(), two.sync()
    shutil.rmtree(one.memory / "failures")
    assert one.sync().restored == 30
    assert one.read("failures/2026-03/7/capture.md") == "# Failure 7\n"


def test_without_the_driver_gits_own_union_and_the_next_sync_give_the_same(machines):
    one, two = machines(2)
    one.rate(0), one.append("relationship/2026-03/2026-03-02.md", "# Day\n"), one.sync(), two.sync()
    opinions = "relationship/opinions.json"
    for machine, name in ((one, "base"), (one, "one"), (two, "two")):
        held = json.loads(machine.read(opinions) or '{"opinions": []}')
        held["opinions"].append({"id": name, "statement": name})
        machine.write(opinions, json.dumps(held, indent=2) + "\n")
        if name == "base":
            one.sync(), two.sync()
    one.rate(1), one.append("relationship/2026-03/2026-03-02.md", "\n## 10:00\n- W: one\n")
    two.rate(2), two.append("relationship/2026-03/2026-03-02.md", "\n## 11:00\n- W: two\n")
    store.store(one.home, "a fact of the one machine", one.now)
    store.store(two.home, "a fact of the other machine", two.now)
    one.sync()
    assert two.git("config", "--remove-section", "merge.union").returncode == 0
    for words in (
        ("add", "-A"),
        ("commit", "-qm", "by hand"),
        ("pull", "-q", "--no-rebase", "origin", "main"),
        ("push", "-q", "origin", "HEAD:main"),
    ):
        done = two.git(*words)
        assert done.returncode == 0, done.stderr
    assert len(fold.load(two.home)) == 2
    with pytest.raises(ValueError, match="JSON|Expecting"):
        json.loads(two.read(opinions) or "")
    assert len((two.read("signals/ratings.jsonl") or "").splitlines()) == 3
    one.sync(), two.sync(), one.sync()
    assert one.files() == two.files()
    assert fold.load(one.home).keys() == fold.load(two.home).keys()
    assert {row["id"] for row in json.loads(one.read(opinions) or "")["opinions"]} == {"base", "one", "two"}


def test_secrets_never_leave_the_machine_and_are_not_taken_from_another(machines):
    one, two = machines(2)
    token = "ghp_" + "0123456789abcdefghij0123456789abcdef"
    one.write("session-learning/2026-03/a.md", f"# A\n\nThe token is {token}.\n")
    one.append("signals/ratings.jsonl", json.dumps({"context": f"token {token}"}) + "\n")
    one.sync(), two.sync()
    assert "[redacted:" in (two.read("session-learning/2026-03/a.md") or "")
    assert token not in "".join(data.decode() for data in two.files().values())
    assert token in (one.read("session-learning/2026-03/a.md") or ""), "what stands here is left to `memory scan`"
    two.write("session-learning/2026-03/b.md", "# B\n")
    two.git("add", "-A"), two.git("commit", "-qm", "x")
    two.sync(), one.sync()
    assert one.sync().sent


def test_names_that_lead_out_of_the_folder_or_into_state_are_not_taken(machines):
    one, two = machines(2)
    one.sync(), two.sync(), one.sync()
    blob = subprocess.run(
        [GIT, "hash-object", "-w", "--stdin"], input=b"x", cwd=one.memory, env=one.env, capture_output=True, check=True
    ).stdout.decode().strip()  # fmt: skip
    rows = [("100644", "state/jobs/evil.json"), ("100644", "a\\..\\evil"), ("100644", "nul.md"), ("120000", "link.md")]
    for mode, name in rows:
        assert one.git("update-index", "--add", "--cacheinfo", f"{mode},{blob},{name}").returncode == 0
    assert one.git("commit", "-qm", "evil").returncode == 0
    assert one.git("push", "-q", "origin", "HEAD:main").returncode == 0
    two.rate(1)
    two.sync()
    assert sorted(two.files()) == [".gitattributes", ".gitignore", "signals/ratings.jsonl"]
    assert not list(Path(two.home.jobs).glob("*")) and not (two.memory / "link.md").exists()


def test_a_link_in_the_way_is_never_followed(machines, tmp_path):
    one, two = machines(2)
    outside = tmp_path / "outside"
    outside.mkdir()
    (two.memory / "knowledge").symlink_to(outside)
    one.write("knowledge/Ideas/a.md", "# A\n")
    one.sync(), two.sync()
    assert list(outside.iterdir()) == []


def test_the_users_hooks_signing_and_surroundings_stay_out_of_it(machines, tmp_path):
    one, two = machines(2)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("pre-commit", "pre-push", "post-checkout", "reference-transaction"):
        (hooks / name).write_text("#!/bin/sh\nexit 1\n")
        (hooks / name).chmod(0o755)
    (one.user / ".gitconfig").write_text(
        f"[core]\n\thooksPath = {hooks}\n\tautocrlf = true\n[commit]\n\tgpgSign = true\n[user]\n\tsigningKey = none\n"
    )
    one.env.update(GIT_DIR=str(tmp_path / "nowhere"), GIT_INDEX_FILE="x", GIT_WORK_TREE="/")
    one.rate(1)
    one.write("a.md", "# A\r\n")
    one.sync(), two.sync()
    assert two.read("a.md") == "# A\r\n"


def test_an_unreachable_remote_is_one_sentence_and_the_next_sync_sends_all(machines, tmp_path):
    one, two = machines(2)
    one.sync()
    (tmp_path / "share").rename(tmp_path / "away")
    one.rate(1)
    outcome = exchange.run(one.home, one.env, one.now, lambda _: None)
    assert "could not be reached" in outcome.problem and outcome.saved == 1 and not outcome.sent
    (tmp_path / "away").rename(tmp_path / "share")
    one.sync(), two.sync()
    assert two.read("signals/ratings.jsonl")


def test_a_remote_that_takes_nothing_is_named_with_its_reason(machines, tmp_path):
    one, _ = machines(2)
    checkout = tmp_path / "checkout"
    subprocess.run([GIT, "init", "-q", "-b", "main", str(checkout)], check=True, env=one.env)
    exchange.start(one.home, one.env, "true", str(checkout))
    outcome = exchange.run(one.home, one.env, one.now, lambda _: None)
    assert "took nothing" in outcome.problem and "checked out" in outcome.problem


def test_without_git_it_says_so_in_one_line(machines):
    (one,) = machines(1)
    with pytest.raises(PalError, match="needs git"):
        exchange.run(one.home, {**one.env, "PATH": ""}, one.now, lambda _: None)


def test_a_folder_with_other_files_is_no_meeting_place(home, tmp_path):
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "a.jpg").write_bytes(b"x")
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    with pytest.raises(PalError, match="holds other files"):
        exchange.start(home, env, "true", str(tmp_path / "photos"))


def test_a_plainly_copied_folder_has_the_same_entries(machines, tmp_path):
    one, two = machines(2)
    store.store(one.home, "a fact of the one machine", one.now)
    store.store(two.home, "a fact of the other machine", two.now)
    shutil.copytree(one.home.entries, two.home.entries, dirs_exist_ok=True)
    assert {entry.content for entry in fold.load(two.home).values()} == {
        "a fact of the one machine", "a fact of the other machine",
    }  # fmt: skip


def test_status_counts_what_waits_without_asking_the_network(machines):
    one, _ = machines(2)
    assert exchange.status(one.home, one.env, one.now)["last"] is None
    one.sync()
    one.rate(1)
    found = exchange.status(one.home, one.env, one.now)
    assert (found["changed"], found["ahead"], found["behind"]) == (1, 0, 0)
