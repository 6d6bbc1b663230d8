"""The way of a question: which route, what the program is given, and what becomes of every way to fail."""

from __future__ import annotations

import json
import os
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from stand_in import StandIn, wait_until_gone

from pal.base import process, supervise
from pal.base.asking import nobody
from pal.base.settings import Settings
from pal.inference import dispatcher as dispatching
from pal.inference import services, spend
from pal.inference.dispatcher import Dispatcher
from pal.inference.question import Call, Reply

posix = pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")
pytestmark = posix
FORM = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}
KEYS = {"PAL_ANTHROPIC_API_KEY": "made-up-a", "PAL_OPENAI_API_KEY": "made-up-o"}


class Shot:
    """The simplest one-shot form: the system text as an argument, the prompt on stdin, the reply on stdout."""

    NAME = "model"
    PROGRAM = "model"
    MODELS = {"small": "s-1", "medium": "m-1"}
    FALLBACK = ""
    sure = False
    paths: list[str] = []
    forget: list[str] = []

    def program(self, env):
        return process.find_program("model", env) or ""

    def call(self, question, folder, env):
        return Call([question.model, question.instructions], question.prompt, {"OWN": "1"}, {"a/b.txt": "laid"})

    def reply(self, out):
        return Reply(out, sure=self.sure)

    def left(self, question, out, env):
        return self.paths, self.forget


@pytest.fixture
def program(tmp_path):
    return StandIn(tmp_path, "model")


@pytest.fixture
def shot():
    return Shot()


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Where temporary folders are made; empty again after every question."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    yield place
    assert list(place.iterdir()) == []


@pytest.fixture
def made(home, program, shot, folders, now):
    """made(values={}, only="", **env): a dispatcher whose agent is the stand-in, and the pauses it took."""

    def make(values=None, only="", agent="model", **env):
        pauses = []
        merged = {"PATH": program.path_variable(), "HOME": str(folders.parent), **env}
        found = Dispatcher(
            home, Settings(values or {}), merged, agent, {"model": shot}, only, lambda: now, pauses.append
        )
        found.pauses = pauses
        return found

    return make


def log(home):
    path = Path(home.log)
    return path.read_text(encoding="utf-8") if path.exists() else ""


def test_a_question_goes_to_the_agent_s_program_and_its_answer_comes_back(made, program, home):
    program.does({"stdout": " Four words.\n"})
    answer = made().ask("Be brief.", "Name it.", caller="title", session="s-9")
    assert (answer.ok, answer.text, answer.data, answer.reason) == (True, "Four words.", None, "")
    assert (answer.route, answer.ms >= 0) == ("model-spawn", True)
    (call,) = program.calls
    assert call["argv"] == ["s-1", "Be brief."]
    assert call["stdin"] == "Name it."
    assert call["files"] == {"a/b.txt": "laid"}
    assert os.path.basename(call["cwd"]).startswith("pal-ask-")


def test_the_log_says_for_whom_by_which_way_how_much_and_how_long(made, program, home):
    program.does({"stdout": "ok!"})
    made().ask("1234", "567890", caller="title", session="s-9")
    (line,) = log(home).splitlines()
    assert (
        "INFO inference: caller=title sessionId=s-9 route=model-spawn agent=model model=s-1 asked=10 bytes=3 ms="
        in line
    )
    assert line.endswith(" ok")


def test_the_child_knows_what_it_is_and_its_parent_s_environment_stays(made, program, folders):
    env = {"CLAUDECODE": "1", "OTHER": "kept", "PWD": "/srv/project", "PAL_SPAWN_DEPTH": "0", **KEYS}
    program.does({"stdout": "ok"})
    found = made(**env)
    found.ask("", "x")
    (call,) = program.calls
    child = call["env"]
    assert child["PAL_SPAWNED_INFERENCE"] == "1"
    assert child["PAL_SPAWN_DEPTH"] == "1"
    assert os.path.samefile(os.path.dirname(child["PWD"]), folders)
    assert (child["OTHER"], child["OWN"]) == ("kept", "1")
    assert not {"CLAUDECODE", *KEYS} & set(child)
    assert env.items() <= found.env.items()


def test_a_secret_and_what_is_private_never_reach_a_model_or_the_log(made, program, home):
    program.does({"stdout": "ok"})
    secret = "ghp_" + "x7Qm2Zr9Lk4Vt8Wb1Nc6Hd3Fs5Gj0PaYeUi"
    made().ask(f"token {secret}", f"use {secret} <private>my diary</private> now", caller=secret)
    (call,) = program.calls
    said = json.dumps(call) + log(home)
    assert secret not in said
    assert "diary" not in said
    assert "[redacted:" in call["stdin"]


@pytest.mark.parametrize(
    ("tier", "values", "model"),
    [
        ("small", {}, "s-1"),
        ("medium", {}, "m-1"),
        ("huge", {}, "s-1"),
        ("small", {"model": {"small": "mine"}}, "mine"),
        ("medium", {"model": {"small": "mine"}}, "m-1"),
        ("small", {"model": {"small": ""}}, ""),
        ("small", {"model": {"small": 5}}, "s-1"),
        ("small", {"model": []}, "s-1"),
    ],
)
def test_the_model_of_a_tier_is_the_route_s_own_or_the_user_s(made, program, tier, values, model):
    made({"inference": {"models": values}}).ask("sys", "x", tier=tier)
    assert program.calls[0]["argv"][0] == model


@pytest.mark.parametrize(
    "said", ['{"title": "A"}', 'Sure:\n```json\n{"title": "A"}\n```\nAnything else?', '{"x": 1} {"title": "A"}']
)
def test_a_form_is_asked_for_and_found_in_any_prose(made, program, said):
    program.does({"stdout": said})
    answer = made().ask("sys", "x", schema=FORM)
    assert (answer.ok, answer.data, answer.text) == (True, {"title": "A"}, '{"title": "A"}')
    assert "fits this schema" in program.calls[0]["argv"][1]


def test_an_answer_that_does_not_fit_is_none_and_says_what_was_said(made, program, home):
    program.does({"stdout": "I would rather not."})
    answer = made().ask("sys", "x", schema=FORM)
    assert (answer.ok, answer.data, answer.text) == (False, None, "I would rather not.")
    assert answer.reason == "the answer holds no JSON"
    assert "WARNING inference: caller= sessionId= route=model-spawn" in log(home)


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ({"code": 1, "stderr": "Invalid API key. Please run /login"}, "exit 1: Invalid API key. Please run /login"),
        ({"code": 1, "stdout": "Credit balance is too low"}, "exit 1: Credit balance is too low"),
        ({"code": 7, "stdout": "half an ans"}, "exit 7"),
        ({"stderr": "odd"}, "the answer was empty"),
        ({"stdout": "   \n", "stderr": "odd"}, "the answer was empty"),
        ({"stdout": "x" * 1000, "times": 50_000}, "printed more than 4,000,000 bytes"),
    ],
)
def test_every_way_to_fail_is_a_reason_and_a_line_in_the_log(made, program, home, told, reason):
    program.does(told)
    found = made()
    answer = found.ask("sys", "x", caller="c")
    assert not answer.ok
    assert reason in answer.reason
    assert found.pauses == []
    (line,) = log(home).splitlines()
    assert "WARNING inference: caller=c" in line
    assert reason in line


def test_one_that_hangs_is_ended_and_leaves_nobody_behind(made, program, monkeypatch):
    program.does({"hang": True, "child": True})
    late = SimpleNamespace(sleep=time.sleep, monotonic=lambda: time.monotonic() + (1000.0 if program.spoke else 0.0))
    monkeypatch.setattr(supervise, "time", late)
    answer = made().ask("sys", "x")
    assert not answer.ok
    assert "gave no answer within" in answer.reason
    (call,) = program.calls
    wait_until_gone(call["pid"])
    wait_until_gone(call["child"])


@pytest.mark.parametrize("sure", [False, True])
def test_exit_1_after_a_good_answer_counts_where_the_form_of_the_answer_proves_it(made, program, shot, home, sure):
    program.does({"stdout": '{"title": "A"}', "code": 1})
    shot.sure = sure
    assert made().ask("sys", "x").ok is sure
    answer = made().ask("sys", "x", schema=FORM)
    assert (answer.ok, answer.data) == (True, {"title": "A"})
    assert "ok after a failure" in log(home)


@pytest.mark.parametrize("code", [0, 1])
def test_a_program_that_ends_without_a_word_is_asked_once_more(made, program, code):
    program.does({"code": code}, {"stdout": "here"})
    found = made()
    answer = found.ask("sys", "x")
    assert (answer.ok, answer.text) == (True, "here")
    (pause,) = found.pauses
    assert 0.5 <= pause <= 1.5


def test_but_only_once(made, program, home):
    program.does({"code": 1})
    found = made()
    answer = found.ask("sys", "x")
    assert (answer.ok, len(program.calls), len(found.pauses)) == (False, 2, 1)
    assert spend.days(home)["2026-03-02"]["calls"] == 2


def test_a_program_that_remembers_where_it_ran_always_runs_in_one_folder(made, program, shot, home):
    shot.call = lambda question, folder, env: Call([folder], "", {}, {"own.txt": "1"}, lasting={"in/all.txt": "all"})
    program.does({"stdout": "ok"})
    for _ in range(2):
        assert made().ask("sys", "x").ok
    for call in program.calls:
        assert os.path.samefile(call["cwd"], home.asking)
        assert call["files"] == {"in/all.txt": "all"}
        assert call["env"]["PWD"] == home.asking
    folders = {call["argv"][0] for call in program.calls}
    assert len(folders) == 2
    assert not any(map(os.path.exists, folders))


def test_what_it_kept_is_removed_and_it_is_told_to_forget_the_rest(made, program, shot, tmp_path):
    kept = tmp_path / "kept"
    (kept / "inside").mkdir(parents=True)
    single = tmp_path / "single.db"
    single.write_text("x")
    program.does({"stdout": "ok"})
    shot.paths, shot.forget = [str(kept), str(single), str(tmp_path / "never")], ["session", "delete", "id-1"]
    assert made().ask("sys", "x").ok
    assert not kept.exists()
    assert not single.exists()
    assert [call["argv"] for call in program.calls] == [["s-1", "sys"], ["session", "delete", "id-1"]]
    assert program.calls[1]["env"]["PAL_SPAWNED_INFERENCE"] == "1"


def test_a_link_in_place_of_what_it_kept_loses_the_link_alone(made, program, shot, tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    (tmp_path / "kept").symlink_to(mine)
    shot.paths = [str(tmp_path / "kept")]
    made().ask("sys", "x")
    assert mine.is_dir()
    assert not (tmp_path / "kept").is_symlink()


def test_a_program_that_goes_away_half_way_leaves_the_next_route(made, program, monkeypatch):
    monkeypatch.setattr(services.ANTHROPIC, "_ask", lambda question, *_: Reply(f"by key: {question.model}", 5, True))
    found = made(**KEYS)
    ways = found._ways

    def then_gone():
        before = ways()
        program.path.unlink(missing_ok=True)
        return before

    monkeypatch.setattr(found, "_ways", then_gone)
    answer = found.ask("sys", "x")
    assert (answer.ok, answer.route) == (True, "anthropic-api")
    assert answer.text == "by key: claude-haiku-4-5-20251001"


def test_a_program_that_goes_away_half_way_with_nothing_else_is_a_reason(made, program, shot):
    shot.program = lambda env: str(program.path) + "-gone"
    answer = made().ask("sys", "x")
    assert not answer.ok
    assert "is gone" in answer.reason


@pytest.mark.parametrize(
    ("env", "agent", "only", "route", "reason"),
    [
        ({}, "model", "", "model-spawn", "bin/model is there"),
        ({}, "", "", "none", "no agent has no one-shot form"),
        ({}, "other", "", "none", "other has no one-shot form"),
        ({"PATH": ""}, "model", "", "none", "model is not on PATH"),
        ({"PATH": "", **KEYS}, "model", "", "anthropic-api", "PAL_ANTHROPIC_API_KEY is set"),
        ({"PATH": "", "PAL_OPENAI_API_KEY": "k"}, "model", "", "openai-api", "PAL_OPENAI_API_KEY is set"),
        ({"PATH": "", "PAL_OPENAI_API_KEY": " "}, "model", "", "none", "neither"),
        (KEYS, "other", "", "anthropic-api", "is set"),
        (KEYS, "model", "openai-api", "openai-api", "is set"),
        ({}, "model", "openai-api", "none", "PAL_OPENAI_API_KEY is not set"),
        ({"PATH": "", **KEYS}, "model", "model-spawn", "none", "model is not on PATH"),
        ({}, "model", "pigeon-post", "none", "there is no route pigeon-post"),
        ({"PAL_INFERENCE_DISABLED": "1", **KEYS}, "model", "", "disabled", "PAL_INFERENCE_DISABLED is set"),
        ({"PAL_INFERENCE_DISABLED": "0"}, "model", "", "model-spawn", ""),
        ({"PAL_SPAWNED_INFERENCE": "1", **KEYS}, "model", "", "none", "a model call of PAL already"),
        ({"PAL_SPAWN_DEPTH": "1", **KEYS}, "model", "", "none", "a model call of PAL already"),
        ({"PAL_INFERENCE_DEPTH": "1", **KEYS}, "model", "", "none", "a model call of PAL already"),
        ({"PAL_INFERENCE_DEPTH": "deep", **KEYS}, "model", "", "none", "a model call of PAL already"),
    ],
)
def test_the_preview_says_the_route_and_why_and_asking_agrees(
    made, program, monkeypatch, env, agent, only, route, reason
):
    for service in services.SERVICES:
        monkeypatch.setattr(service, "_ask", lambda *_: Reply("by key", 5, True))
    program.does({"stdout": "by program"})
    found = made(only=only, agent=agent, **env)
    preview = found.preview()
    assert (preview.agent, preview.route) == (agent, route)
    assert reason in preview.reason
    assert found.can_infer() is (route not in ("none", "disabled"))
    assert (program.calls, spend.days(found.home)) == ([], {}), "a preview starts nothing and counts nothing"
    answer = found.ask("sys", "x")
    assert (answer.ok, answer.route) == (found.can_infer(), route)
    if not answer.ok:
        assert answer.reason == preview.reason
        assert program.calls == []


def test_one_agent_s_missing_program_is_stood_in_for_by_its_own_service_first(made, shot, monkeypatch):
    shot.FALLBACK = "openai"
    assert made(PATH="", **KEYS).preview().route == "openai-api"
    assert made(PATH="", PAL_ANTHROPIC_API_KEY="k").preview().route == "anthropic-api"
    assert made(**KEYS).preview().route == "model-spawn"


def test_the_day_s_share_is_a_hard_stop_that_says_so(made, program, home):
    program.does({"stdout": "ok"})
    few = {"inference": {"daily_calls": 2}}
    assert [made(few).ask("sys", "x").ok for _ in range(3)] == [True, True, False]
    answer = made(few).ask("sys", "x")
    assert "2 model calls are used up" in answer.reason
    assert len(program.calls) == 2
    assert made(few).preview().route == "none"


def test_tokens_are_those_that_are_told_else_reckoned_from_the_text(made, program, shot, home):
    program.does({"stdout": "y" * 40})
    made().ask("s" * 20, "p" * 20)
    assert spend.days(home)["2026-03-02"]["tokens"] == 20
    shot.reply = lambda out: Reply(out, 123)
    made().ask("s" * 20, "p" * 20)
    assert spend.days(home)["2026-03-02"]["tokens"] == 143


def test_a_fault_of_ours_is_logged_and_answers_a_reason(made, shot, home):
    def broken(*_):
        raise KeyError("ours")

    shot.call = broken
    answer = made().ask("sys", "x", caller="c")
    assert (answer.ok, answer.route) == (False, "none")
    assert "KeyError" in answer.reason
    assert "ERROR inference: caller=c" in log(home)
    assert "Traceback" in log(home)


def test_without_room_for_a_temporary_folder_there_is_a_reason(made, program, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "mkdtemp", full)
    answer = made().ask("sys", "x")
    assert not answer.ok
    assert "No space left" in answer.reason
    assert program.calls == []


def test_folders_of_calls_that_died_long_ago_are_taken_away(made, program, folders):
    old, young = folders / "pal-ask-old", folders / "pal-ask-young"
    for folder in (old, young):
        folder.mkdir()
    os.utime(old, (1.0, 1.0))
    made().ask("sys", "x")
    assert not old.exists()
    assert young.exists()
    young.rmdir()


def test_nobody_always_says_no():
    answer = nobody("sys", "x", tier="medium", schema=FORM, timeout=1.0, caller="c", session="s")
    assert (answer.ok, answer.reason, answer.route) == (False, "no model is at hand", "none")
    assert set(answer.facts()) == {"ok", "text", "data", "reason", "route", "ms"}


def test_the_pause_before_asking_again_is_the_seed_s():
    assert dispatching.RETRY_AFTER == (0.5, 1.5)
