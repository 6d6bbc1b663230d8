"""PAL on a real Windows Python, in Wine: install, every hook as cmd.exe starts it, detached work, uninstall.

driver.py plays a story there; these tests judge what it told and what stands on disk. Wine is not Windows: NTFS rights,
virus scanners, consoles that are seen, PowerShell and Git Bash are not proven here."""

from __future__ import annotations

import json
import re
import shutil
import zipfile
from collections import Counter
from pathlib import Path

import pytest
import wine

from pal.install import archive as packing
from pal.targets.claude import facts

pytestmark = [pytest.mark.windows, pytest.mark.slow]


@pytest.fixture(scope="session", params=wine.USERS)
def name(request):
    return request.param


@pytest.fixture(scope="session")
def life(telling, name):
    return telling("life", name)[0]


@pytest.fixture(scope="session")
def user(telling, name):
    return telling("life", name)[1]


@pytest.fixture(scope="session")
def ground(telling):
    return telling("floor", "plain")[0]


def said(done: dict) -> str:
    """Standard output of a step that succeeded without a complaint."""
    assert (done["code"], done["err"]) == (0, ""), done
    return done["out"]


def records(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def errors(user: Path) -> list[str]:
    """What hooks logged as errors; a warning of a slow step is none."""
    log = user / ".pal" / "memory" / "state" / "debug.log"
    return [row for row in log.read_text(encoding="utf-8").splitlines() if " ERROR " in row] if log.exists() else []


def hooks(life: dict, event: str) -> list[str]:
    return [said(done) for each, done in life["hooks"] if each == event]


def test_the_archive_built_on_windows_holds_what_the_one_built_here_holds(require, tmp_path):
    require(not wine.missing(), wine.missing())
    checkout = tmp_path / "checkout"
    for part in ("src", "assets"):
        shutil.copytree(wine.ROOT / part, checkout / part, ignore=shutil.ignore_patterns("__pycache__"))
    for part in ("pal.py", "build_zipapp.py", "LICENSE"):
        shutil.copy(wine.ROOT / part, checkout)
    printed = wine.python(wine.windows(checkout / "build_zipapp.py")).split()
    here = packing.files(str(checkout))
    assert printed[-1] == packing.content_digest(here)
    assert packing.files(str(checkout / "dist" / "pal.pyz")) == here


def test_the_file_alone_says_how_to_begin_and_which_version_it_is(life):
    alone, version, page = map(said, life["alone"])
    assert alone == page
    assert "pal install" in alone
    assert version.startswith("pal 0.1.0 (Python 3.13")


def test_a_dry_run_shows_the_hooks_and_writes_nothing(life, user):
    assert life["tree"][1] == life["tree"][0]
    shown = said(life["dry"])
    assert "+            " in shown
    assert "hook.py session-start" in shown
    assert "\r\r\n" not in shown


def test_every_event_is_registered_in_words_that_mean_the_same_to_each_shell_of_windows(life):
    assert sorted(event for event, _, _ in life["commands"]) == sorted(
        [row[1] for row in facts.EVENTS] + ["statusline"]
    )
    for event, command, shell in life["commands"]:
        assert shell == ""
        assert re.fullmatch(r"Z:/[\w/.~-]+/python\.exe -I -S -X utf8 Z:/[\w/.~-]+/\.pal/hook\.py .*", command), command
        words = "statusline" if event == "statusline" else f"{event} --agent=claude"
        assert command.endswith(f"hook.py {words} ; exit 0 # || exit 0")


def test_install_keeps_every_byte_of_the_settings_around_its_own(life):
    text = life["settings"]
    assert text.startswith("\ufeff{\r\n  // mine\r\n")
    assert text.count("\n") == text.count("\r\n")
    rest = text
    for line in wine.SETTINGS.splitlines():  # each is there, in the same order
        assert line in rest
        rest = rest[rest.index(line) + len(line) :]


def test_a_second_install_changes_nothing_nor_does_one_after_a_sessions_hooks(life):
    assert "nothing to change" in said(life["again"])
    assert life["same_inside"] is True
    assert "nothing to change" in said(life["third"])
    _, _, installed, again, worked, third, _ = life["tree"]
    assert again == installed
    assert third == worked
    assert set(worked) - set(installed) == {"transcript.jsonl"}


def test_every_hook_ends_well_and_only_those_that_have_an_answer_speak(life):
    assert {event for event, _ in life["hooks"]} == {row[1] for row in facts.EVENTS}
    for event, done in life["hooks"]:
        text = said(done)
        assert bool(text) is (event in ("session-start", "user-prompt"))
        assert "\r" not in text
    for text in hooks(life, "session-start"):
        assert text.endswith("}\n")
        assert json.loads(text)["hookSpecificOutput"]["hookEventName"] == "SessionStart"


def test_a_rating_is_kept_with_the_reply_it_rates(life, user):
    (rating,) = records(user / ".pal/memory/signals/ratings.jsonl")
    assert (rating["rating"], rating["session"], rating["agent"]) == (2, "s1", "claude")
    assert "torn ones apart" in rating["response_preview"]


def test_the_next_session_is_told_what_was_left_open_and_what_went_wrong(life):
    first, second = hooks(life, "session-start")
    assert "Left open" not in first
    assert "torn ones apart" in json.loads(second)["hookSpecificOutput"]["additionalContext"]
    assert "wrong file (rating 2/10" in hooks(life, "user-prompt")[-1]


def test_a_project_is_the_same_however_its_path_is_spelled(life, user):
    (project,) = json.loads((user / ".pal/memory/state/projects.json").read_bytes()).items()
    assert project[0] == wine.windows(user / "project")
    assert project[1]["sessions"] == 2
    assert list(json.loads((user / ".pal/memory/state/last-handoff.json").read_bytes())) == [project[0]]


def test_what_is_remembered_is_whole_and_has_plain_line_ends(life, user):
    paths = [path for path in (user / ".pal").rglob("*") if path.is_file()]
    assert not [path for path in paths if path.name.startswith(".pal-tmp-") or ".corrupt-" in path.name]
    for path in paths:
        if path.suffix in (".md", ".json", ".jsonl", ".log") and "backups" not in path.parts:
            data = path.read_bytes()
            assert b"\r" not in data, path
            if path.suffix == ".json":
                json.loads(data)
            elif path.suffix == ".jsonl":
                records(path)
    assert errors(user) == []


def test_detached_work_outlives_its_hooks_and_comes_to_an_end(life, user):
    assert life["rest"] is not None
    assert list((user / ".pal/memory/state/jobs").glob("**/*.json")) == []
    assert (user / ".pal/memory/cache/index.sqlite").is_file()
    (saved,) = (user / ".pal/backups").glob("pal-backup-*.zip")
    with zipfile.ZipFile(saved) as backup:
        assert backup.testzip() is None
        assert "memory/state/sessions.json" in backup.namelist()
        assert not [name for name in backup.namelist() if "\\" in name]


def test_a_persons_commands_run_through_the_installed_one(life):
    findings = json.loads(said(life["doctor"]))
    # Only how long a hook took may be worth a word, on a machine that is busy.
    assert {row["id"] for row in findings if row["level"] != "pass"} <= {"run"}
    assert not [row for row in findings if row["level"] == "fail"]
    status = json.loads(said(life["status"]))
    assert (status["agents"][0]["installed"], status["agents"][0]["drifted"]) == (True, [])
    assert status["counts"]["ratings"] == 1
    assert "Register-ArgumentCompleter -Native -CommandName pal" in said(life["completion"])
    assert "Mend Torn Lines Parser" in said(life["statusline"])
    assert "would change" in said(life["leaving"])


@pytest.mark.parametrize(("step", "word"), [("usage", "required"), ("refused", "no-such-file.pyz")])
def test_a_refusal_is_one_sentence(life, step, word):
    assert life[step]["out"] == ""
    assert life[step]["err"].startswith("pal: ")
    assert word in life[step]["err"]
    assert life[step]["err"].count("\n") == 1


def test_a_time_zone_is_accepted_only_where_hooks_can_tell_its_time(life, name):
    told = {zone: (command, said(prompt)) for zone, command, prompt in life["zones"]}
    command, prompt = told["Europe/Budapest"]
    if name == "odd":
        assert "Europe/Budapest" in said(command)
        assert " Europe/Budapest\n" in prompt
    else:
        assert command["code"] == 1
        assert "-m pip install tzdata" in command["err"]
        assert "Europe/Budapest" not in prompt
    assert "UTC" in said(told["UTC"][0])
    assert " UTC\n" in told["UTC"][1]
    assert told["No/Where"][0]["code"] == 1
    assert "Asia/Kathmandu, which is not known here, so PAL uses UTC" in said(told["by hand"][0])
    assert " UTC\n" in told["by hand"][1]


def test_a_deleted_or_damaged_pal_never_blocks_an_agent(life):
    seen = Counter()
    for damage, event, done in life["harmed"]:
        seen[damage] += 1
        if "there" in done:
            assert done["there"] is False
        else:
            assert (done["code"], done["out"]) == (0, ""), (damage, event, done)
    assert len(seen) == 4
    assert seen["deleted"] == len(facts.EVENTS) + 2


def test_uninstall_gives_back_every_byte_and_keeps_what_is_the_users(life):
    said(life["uninstall"])
    before, after = life["tree"][0], life["tree"][-1]
    assert after.pop("transcript.jsonl")
    assert after == before
    kept = {path.split("/")[1] for path in life["left"]}
    assert kept == {"backups", "memory", "pal-settings.json", "telos"}


def test_a_crowd_of_hooks_during_an_install_loses_nothing(telling):
    told, user = telling("crowd", "plain")
    assert "nothing to change" in said(told["again"])
    assert all(said(done).startswith("<system-reminder>") for done in [*told["said"], told["last"]])
    rated = records(user / ".pal/memory/signals/ratings.jsonl")
    assert Counter(row["rating"] for row in rated) == {8: len(told["said"]) // 2, 10: 1}
    (month,) = (user / ".pal/memory/signals/interaction").glob("*.jsonl")
    assert len(records(month)) == len(told["said"]) + 1
    sessions = json.loads((user / ".pal/memory/state/sessions.json").read_bytes())
    assert sessions["s1"]["prompts"] == len(told["said"]) + 1
    assert list((user / ".pal/memory/state").glob("spill/*")) == []
    assert errors(user) == []


def test_a_lock_is_one_processs_until_it_lets_go_or_dies(ground):
    assert ground["lock"] == ["True", False, False, True]
    assert ground["alive"] == [True, False]


def test_a_file_that_is_replaced_while_others_read_it_is_never_half(ground):
    assert ground["replaced"] > 10
    for seen, faults in ground["read"]:
        assert seen > 10
        assert faults == []
    assert ground["halves"] == []


def test_a_child_outlives_its_parent_without_a_window_and_holds_none_of_its_pipes(ground):
    child = ground["child"]
    assert child["waiting"] is True
    window, code_page, folder, env, number = child["answer"]
    assert window == 0
    assert code_page != 0  # it has a console, which its own children share
    assert folder.endswith("\\user")
    assert "ONLY" in env
    assert "USERPROFILE" not in env
    assert number == child["number"]
    assert ground["no_child"] == 0
