"""A machine that fails: PAL's home gone, read-only or on a full disk, its files damaged. Agents never notice."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from payload_examples import EVENTS

posix = pytest.mark.skipif(os.name == "nt", reason="modes and limits as POSIX knows them")
ANSWERED = ("session-start", "user-prompt")

# Every JSON and JSONL file that PAL writes for itself, after one session.
#   kept      moved aside when it cannot be read, and named by doctor
#   cache     made anew from other files
#   record    what an install did; hooks do without, commands say so
#   log       lines: a torn one is fenced off and skipped, a folder in its place is moved aside
# Written by detached jobs alone, which read them again at their own time.
OF_JOBS = {
    "memory/state/interaction-baseline.json",
    "memory/state/learning.json",
    "memory/wisdom/state/graduated.json",
}
FILES = {
    "memory/state/sessions.json": "kept",
    "memory/state/projects.json": "kept",
    "memory/state/last-responses.json": "kept",
    "memory/state/last-handoff.json": "kept",
    "memory/state/interaction-sessions.json": "kept",
    "memory/state/captured-learnings.json": "kept",
    "memory/state/pending-failure.json": "kept",
    "memory/state/counts.json": "kept",
    "memory/state/signal-cache.json": "cache",
    "memory/state/skill-index.json": "cache",
    "memory/state/last-exchange/s1.json": "cache",
    "memory/cache/settings-last-good.json": "cache",
    "memory/cache/tier1.json": "cache",
    "memory/cache/digests/stamp.json": "cache",
    "install/digests.json": "record",
    "install/changes.json": "record",
    "memory/signals/ratings.jsonl": "log",
    "memory/signals/interaction/MONTH.jsonl": "log",
    "memory/state/activity/s1.jsonl": "log",
    "memory/state/hook-events.jsonl": "log",
}


def half(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: max(1, len(data) * 2 // 3)])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def zeros(path: Path) -> None:
    path.write_bytes(bytes(4096))


def a_list(path: Path) -> None:
    path.write_bytes(b"[1, [2], {}]\n")


def no_utf8(path: Path) -> None:
    path.write_bytes(b'{"s1": "\xff\xfe\x80"\n')


def strange_rows(path: Path) -> None:
    path.write_bytes(
        b'{"s1": 7, "a": [], "b": null, "c": {"ts": [], "last": {}, "history": 3, "turns": "x"}, "version": {}}\n'
    )


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "inside").write_text("kept")


HARMS = (half, emptied, zeros, a_list, no_utf8, strange_rows, folder)


@pytest.fixture(scope="session")
def lived_once(shipped, tmp_path_factory, copy_of):
    """A user's folder after one session, with every file of the table above, to be copied."""
    env = {key: value for key, value in os.environ.items() if not key.startswith(("PAL_", "CLAUDE", "PYTHON", "XDG_"))}
    user = tmp_path_factory.mktemp("lived") / "user"
    env.update(HOME=str(user), USERPROFILE=str(user), PAL_INFERENCE_DISABLED="1", PAL_NOTIFICATIONS_DISABLED="1")
    found = copy_of(shipped, user, env)
    found.live()
    found.rest()
    return found


@pytest.fixture
def lived(lived_once, fresh_home, clean_env, copy_of):
    """A home of the test's own with one session behind it."""
    return copy_of(lived_once.user, fresh_home, clean_env)


def place(lived, name: str) -> Path:
    """Where a file of the table is; one that this session did not write is put there."""
    path = lived.pal / name
    if "MONTH" in name:
        (path,) = path.parent.glob("*.jsonl")
    if not path.exists() or path.read_bytes().strip() == b"{}":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"s1": {"ts": "2026-03-02T08:15:00Z", "session": "s1"}}\n')
    return path


def everything(lived, events=EVENTS) -> None:
    """Every event, answered where there is an answer, whatever state the home is in."""
    for event in events:
        fields = {"prompt": "7, good work", "prompt_id": "after"} if event == "user-prompt" else {}
        done = lived.hook(event, lived.payload(event, **fields))
        assert lived.answers(event, done.stdout) == (event in ANSWERED), event


def damaged_and_kept(path: Path) -> list[Path]:
    return sorted(path.parent.glob(path.name + ".corrupt-*"))


def contents(path: Path) -> dict[str, bytes]:
    if path.is_file():
        return {"": path.read_bytes()}
    return {found.name: found.read_bytes() for found in path.iterdir()}


def test_the_table_names_every_file_that_a_session_leaves(lived):
    (month,) = (lived.pal / "memory/signals/interaction").glob("*.jsonl")
    known = {name.replace("MONTH", month.stem) for name in FILES} | OF_JOBS
    found = {path.relative_to(lived.pal).as_posix() for path in lived.pal.rglob("*.json*") if path.is_file()}
    found = {name for name in found if name.endswith((".json", ".jsonl")) and not name.startswith(("skills/", "docs/"))}
    assert found - known == {"pal-settings.json"}


@pytest.mark.parametrize("harm", [half, folder], ids=lambda harm: harm.__name__)
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_costs_at_most_itself(lived, whole, records, name, harm):
    path = place(lived, name)
    harm(path)
    before = contents(path)
    everything(lived, ("session-start", "user-prompt", "post-tool", "stop", "pre-compact"))
    if FILES[name] == "kept":
        (aside,) = damaged_and_kept(path)
        assert contents(aside) == before
        json.loads(path.read_bytes())
    elif FILES[name] == "log" and harm is half:
        assert path.read_bytes().startswith(before[""]), "what was there is still there"
        assert json.loads(path.read_bytes().splitlines()[-1])
    elif FILES[name] == "log":
        assert [contents(aside) for aside in damaged_and_kept(path)] == [before]
        assert records(path)
    elif FILES[name] == "record":
        assert contents(path) == before
    if harm is half and FILES[name] == "cache":
        whole(path.parent)


@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
def test_with_every_file_damaged_at_once_hooks_go_on_and_doctor_names_them(lived, run_pal, harm):
    for name in FILES:
        harm(place(lived, name))
    everything(lived)
    everything(lived)
    lived.rest()
    kept = sorted(path.name for path in (lived.pal / "memory").rglob("*.corrupt-*"))
    if harm is not strange_rows:
        assert {name.partition(".json")[0] for name in kept} >= {
            Path(name).stem for name in FILES if FILES[name] == "kept"
        }
    done = run_pal("doctor", "--json", env=lived.env)
    said = "\n".join(finding["title"] for finding in json.loads(done.stdout))
    assert all(name in said for name in kept[:3])
    assert not kept or f"{len(kept)} state file" in said
    assert "Traceback" not in done.stderr


def test_a_rating_that_meets_a_folder_in_place_of_the_log_is_kept(lived, records, run_pal):
    path = lived.pal / "memory/signals/ratings.jsonl"
    folder(path)
    lived.hook("user-prompt", lived.payload("user-prompt", prompt="4, mind the gap", prompt_id="wall"))
    assert [row["rating"] for row in records(path)] == [4]
    (aside,) = damaged_and_kept(path)
    assert contents(aside) == {"inside": b"kept"}
    assert aside.name in run_pal("doctor", env=lived.env).stdout
    assert "ratings.jsonl" in lived.logged()


@pytest.mark.parametrize("harm", [half, emptied, zeros, folder], ids=lambda harm: harm.__name__)
@pytest.mark.parametrize("name", ["index.sqlite", "memory.gate"])
def test_a_damaged_lesson_index_is_made_anew(lived, name, harm, until):
    path = lived.pal / "memory/cache" / name
    whole_size = path.stat().st_size
    harm(path)
    everything(lived, ("user-prompt",))
    lived.hook("user-prompt", lived.payload("user-prompt", prompt="1, wrong again", prompt_id="again"))
    lived.hook("stop")
    lived.rest()
    assert path.is_file() and path.stat().st_size >= whole_size // 2


def test_broken_settings_leave_the_last_good_values_in_force(lived):
    path = lived.pal / "pal-settings.json"
    good = json.loads(path.read_text(encoding="utf-8"))
    good.setdefault("identity", {}).setdefault("ai", {})["name"] = "Zebulon"
    path.write_text(json.dumps(good))
    told = lived.hook("session-start").stdout
    for broken in (b'{"identity": {"ai": {"name": "Nobody"', b"[]", b"\xff\xff"):
        path.write_bytes(broken)
        assert lived.answers("session-start", lived.hook("session-start").stdout)
        everything(lived)
        assert path.read_bytes() == broken, "a person's file is never moved or rewritten"
        kept = json.loads((lived.pal / "memory/cache/settings-last-good.json").read_text(encoding="utf-8"))
        assert kept["identity"]["ai"]["name"] == "Zebulon"
    assert told


def test_broken_settings_are_named_by_doctor(lived, run_pal):
    path = lived.pal / "pal-settings.json"
    path.write_text('{"identity": ')
    done = run_pal("doctor", "--json", env=lived.env)
    assert done.returncode == 1
    assert [str(path) in finding["title"] for finding in json.loads(done.stdout) if finding["level"] == "fail"] == [
        True
    ]


# The home


def gone(lived) -> None:
    shutil.rmtree(lived.pal)


def only_the_launcher_left(lived) -> None:
    launcher = (lived.pal / "hook.py").read_bytes()
    shutil.rmtree(lived.pal)
    lived.pal.mkdir()
    (lived.pal / "hook.py").write_bytes(launcher)


def engine_lost(lived) -> None:
    shutil.rmtree(lived.pal / "engine")


def a_file_instead(lived) -> None:
    shutil.rmtree(lived.pal)
    lived.pal.write_text("not a folder")


@posix
@pytest.mark.parametrize(
    "loss", [gone, only_the_launcher_left, engine_lost, a_file_instead], ids=lambda loss: loss.__name__
)
def test_a_home_that_is_gone_stays_gone_and_the_agent_hears_nothing(lived, loss):
    commands = [(event, lived.command(event)) for event in EVENTS]
    loss(lived)
    before = sorted(str(path) for path in lived.user.rglob("*"))
    for event, command in commands:
        done = subprocess.run(
            ["sh", "-c", command], input=json.dumps(lived.payload(event)).encode(), capture_output=True, env=lived.env
        )
        assert (done.returncode, done.stdout) == (0, b""), event
    assert sorted(str(path) for path in lived.user.rglob("*")) == before


def test_memory_that_was_deleted_comes_back_empty(lived, whole):
    shutil.rmtree(lived.pal / "memory")
    everything(lived)
    assert json.loads((lived.pal / "memory/state/sessions.json").read_bytes())["s1"]["prompts"] == 1
    whole(lived.pal)


def without_roots_freedom() -> None:
    """Root ignores modes by two capabilities; a program started without them does not get them back."""
    import ctypes

    drop_from_bounding_set, override, read_search = 24, 1, 2  # linux/prctl.h, linux/capability.h
    for capability in (override, read_search):
        ctypes.CDLL(None).prctl(drop_from_bounding_set, capability, 0, 0, 0)


@posix
@pytest.mark.skipif(
    hasattr(os, "geteuid") and os.geteuid() == 0 and sys.platform != "linux", reason="root ignores modes"
)
def test_a_read_only_home_is_read_and_nothing_else(lived, run_pal):
    lived.rest()
    before = {path: path.read_bytes() for path in lived.pal.rglob("*") if path.is_file()}
    every = [lived.pal, *lived.pal.rglob("*")]
    modes = {path: path.stat().st_mode for path in every}
    restrict = without_roots_freedom if os.geteuid() == 0 else None
    for path in every:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        for event in EVENTS:
            done = lived.hook(event, preexec_fn=restrict)
            assert lived.answers(event, done.stdout) == (event in ANSWERED), event
        assert {path: path.read_bytes() for path in lived.pal.rglob("*") if path.is_file()} == before
        for words, code in (
            (("doctor",), 1),
            (("handoff", "note", "--title", "a", "--text", "b"), 1),
            (("sessions", "list"), 0),
        ):
            done = subprocess.run(
                [sys.executable, str(lived.pal / "pal.pyz"), *words], capture_output=True, text=True, env=lived.env,
                cwd=lived.user, preexec_fn=restrict,
            )  # fmt: skip
            assert done.returncode == code, (words, done.stderr)
            assert "Traceback" not in done.stderr
            assert done.stderr.count("\n") == (1 if words[0] == "handoff" else 0)
    finally:
        for path, mode in modes.items():
            path.chmod(mode & 0o777)


@posix
@pytest.mark.parametrize("room", [0, 1, 300, 5000], ids=lambda room: f"{room} bytes a file")
def test_a_full_disk_costs_the_news_and_never_what_was_there(lived, whole, records, room):
    """The limit on the size of a file fails a write as a full disk does: at its first byte, or in the middle."""
    resource = pytest.importorskip("resource")
    ratings = lived.pal / "memory/signals/ratings.jsonl"
    rated, sessions = records(ratings), json.loads((lived.pal / "memory/state/sessions.json").read_bytes())
    note = {path: path.read_bytes() for path in (lived.pal / "memory").rglob("*.md")}
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))  # noqa: E731
    for event in EVENTS:
        done = lived.hook(event, preexec_fn=limit)
        assert lived.answers(event, done.stdout) == (event in ANSWERED), event
    whole(lived.pal)
    assert records(ratings)[: len(rated)] == rated
    assert "s1" in sessions and "s1" in json.loads((lived.pal / "memory/state/sessions.json").read_bytes())
    assert {path: path.read_bytes() for path in note} == note or room
    everything(lived)
    whole(lived.pal)


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 3 MB at tmp_path/small, where this machine lets us mount one; else None."""
    path = tmp_path / "small"
    path.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16m", "none", str(path)]
    try:
        mounted = subprocess.run(mount, capture_output=True).returncode == 0
    except OSError:
        mounted = False
    yield path if mounted else None
    if mounted:
        subprocess.run(["umount", "-l", str(path)], check=True)


def test_a_disk_that_fills_up_and_is_cleared_again_loses_nothing(
    lived_once, small_disk, clean_env, copy_of, whole, records
):
    if small_disk is None:
        pytest.skip("no tmpfs can be mounted here; the limit on file sizes stands in for it above")
    user = small_disk / "user"
    lived = copy_of(lived_once.user, user, {**clean_env, "HOME": str(user), "USERPROFILE": str(user)})
    filler = small_disk / "filler"
    with open(filler, "wb", buffering=0) as stream, pytest.raises(OSError):
        while True:
            stream.write(bytes(65536))
    with open(filler, "ab", buffering=0) as stream, pytest.raises(OSError):
        while True:
            stream.write(bytes(1))
    before = {path: path.read_bytes() for path in lived.pal.rglob("*") if path.is_file()}
    for event in EVENTS:
        done = lived.hook(event)
        assert lived.answers(event, done.stdout) == (event in ANSWERED), event
    for path, data in before.items():
        if path.suffix == ".json":
            json.loads(path.read_bytes())
        elif path.parent.name != "activity":  # whose session has ended
            assert path.read_bytes().startswith(data), path
    filler.unlink()
    rated = len(records(lived.pal / "memory/signals/ratings.jsonl"))
    everything(lived)
    lived.rest()
    whole(lived.pal)
    assert len(records(lived.pal / "memory/signals/ratings.jsonl")) == rated + 1
