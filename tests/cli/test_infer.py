"""`pal infer` as a filter, and what `pal doctor` says about models and their cost."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from stand_in import StandIn

from pal.cli import main, probe
from pal.cli.context import Context
from pal.cli.output import Output

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")


@pytest.fixture
def program(tmp_path):
    return StandIn(tmp_path, "copilot").does({"stdout": "Hello.\n"})


@pytest.fixture
def env(home, program, fresh_home):
    return {
        "PAL_HOME": home.root, "HOME": str(fresh_home), "PATH": program.path_variable(), "PAL_AGENT": "copilot",
    }  # fmt: skip


@pytest.fixture
def pal(env, now, monkeypatch):
    """pal("infer", …, stdin="…", VARIABLE="…"): (exit status, stdout, stderr)."""

    def run(*argv, stdin="", **more):
        out, err = io.StringIO(), io.StringIO()
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(stdin.encode()), isatty=lambda: False))
        status = main.run(argv, {**env, **more}, now, Output(env, out, err))
        return status, out.getvalue(), err.getvalue()

    return run


def test_the_prompt_comes_on_stdin_and_the_answer_goes_to_stdout(pal, program):
    assert pal("infer", "--system", "Be kind.", stdin="Say hello, ő.") == (0, "Hello.\n", "")
    (call,) = program.calls
    assert call["stdin"] == "Be kind.\n\nSay hello, ő."


def test_an_answer_of_a_form_is_json_and_one_that_does_not_fit_a_failure(pal, program, tmp_path):
    schema = tmp_path / "form.json"
    schema.write_text('{"type": "object", "required": ["name"]}')
    program.does({"stdout": 'So: {"name": "ő"}'}, {"stdout": "no"})
    assert pal("infer", "--schema", str(schema), stdin="x") == (0, '{"name": "ő"}\n', "")
    status, out, err = pal("infer", "--schema", str(schema), stdin="x")
    assert (status, out, err) == (1, "", "pal: the answer holds no JSON\n")


def test_as_json_it_tells_the_route_and_the_reason(pal, program):
    found = json.loads(pal("infer", "--json", stdin="x")[1])
    assert (found["ok"], found["text"], found["route"]) == (True, "Hello.", "copilot-spawn")
    program.does({"code": 1, "stderr": "no sign-in"})
    status, out, _ = pal("infer", "--json", stdin="x")
    found = json.loads(out)
    assert (status, found["ok"]) == (1, False)
    assert "no sign-in" in found["reason"]


@pytest.mark.parametrize(
    ("more", "route", "reason"),
    [
        ({}, "copilot-spawn", "is there"),
        ({"PATH": ""}, "none", "copilot is not on PATH"),
        ({"PAL_INFERENCE_DISABLED": "1"}, "disabled", "PAL_INFERENCE_DISABLED is set"),
        ({"PAL_AGENT": "codex", "PAL_OPENAI_API_KEY": "k", "PAL_ANTHROPIC_API_KEY": "k"}, "openai-api", "is set"),
    ],
)
def test_a_preview_asks_nothing(pal, program, more, route, reason):
    status, out, _ = pal("infer", "--preview", **more)
    assert status == 0
    assert out.startswith(route + ": ")
    assert reason in out
    assert json.loads(pal("infer", "--preview", "--json", **more)[1])["route"] == route
    assert program.calls == []


def test_one_route_can_be_named(pal):
    keys = {"PAL_OPENAI_API_KEY": "k", "PAL_AGENT": "claude"}
    assert pal("infer", "--preview", "--route", "openai-api", **keys)[1].startswith("openai-api")
    assert pal("infer", "--preview", "--route", "copilot-spawn", **keys)[1].startswith("copilot-spawn")
    status, _, err = pal("infer", "--preview", "--route", "pigeon")
    assert status == 2
    assert "codex-spawn" in err


@pytest.mark.parametrize(
    ("argv", "stdin", "status", "said"),
    [
        ((), "", 1, "nothing came on stdin"),
        ((), " \n", 1, "nothing came on stdin"),
        (("--schema", "/none/such.json"), "x", 1, "there is no file"),
        (("--timeout", "0"), "x", 2, "--timeout"),
        (("--timeout", "soon"), "x", 2, "--timeout"),
        (("--tier", "huge"), "x", 2, "--tier"),
    ],
)
def test_what_cannot_be_asked_is_said_in_one_line(pal, program, argv, stdin, status, said):
    code, out, err = pal("infer", *argv, stdin=stdin)
    assert (code, out) == (status, "")
    assert said in err
    assert err.count("\n") == 1
    assert program.calls == []


@pytest.mark.parametrize("text", ["[]", "{", "5"])
def test_a_schema_file_without_a_schema_is_named(pal, tmp_path, text):
    (tmp_path / "form.json").write_text(text)
    status, _, err = pal("infer", "--schema", str(tmp_path / "form.json"), stdin="x")
    assert status == 1
    assert "form.json holds no JSON schema" in err


def test_doctor_says_the_route_and_today_s_spend(pal, program):
    pal("infer", stdin="x" * 400)
    found = {row["id"]: row for row in json.loads(pal("doctor", "--json")[1])}
    assert found["inference"]["title"].startswith("PAL asks models by copilot-spawn")
    assert found["spend"]["level"] == "pass"
    assert found["spend"]["title"].startswith("today 1 of 60 model calls are used, and about 101 of 500,000 tokens")
    assert "today 1 of 60 model calls" in pal("doctor")[1]


def test_a_day_that_is_used_up_is_a_warning_with_a_way_out(pal, home):
    Path(home.settings).write_text('{"inference": {"daily_calls": 1}}')
    pal("infer", stdin="x")
    assert "1 model calls are used up" in pal("infer", stdin="x")[2]
    found = {row["id"]: row for row in json.loads(pal("doctor", "--json")[1])}
    assert found["spend"]["level"] == "warning"
    assert "daily_calls" in found["spend"]["fix"]


def test_the_probe_asks_each_route_in_turn_and_says_what_it_took(env, home, program, now, tmp_path):
    StandIn(tmp_path, "cursor-agent").does({"code": 1, "stderr": "sign in first"})
    said = []
    output = Output(env, io.StringIO(), io.StringIO())
    context = Context(home, env, now, SimpleNamespace(progress=said.append, line=output.line))
    found = {finding.id: finding for finding in probe.each(context)}
    assert list(found) == [f"probe-{name}-spawn" for name in
                           ("claude", "codex", "opencode", "copilot", "cursor", "antigravity", "gemini")] + [
                               "probe-anthropic-api", "probe-openai-api"]  # fmt: skip
    assert said == ["asking copilot-spawn …", "asking cursor-spawn …"]
    assert found["probe-copilot-spawn"].level == "pass"
    assert found["probe-copilot-spawn"].title.startswith("copilot-spawn answered 'Hello.' in 0.")
    assert (found["probe-cursor-spawn"].level, found["probe-claude-spawn"].level) == ("fail", "pass")
    assert "sign in first" in found["probe-cursor-spawn"].title
    assert "claude is not on PATH" in found["probe-claude-spawn"].title
    assert "Reply with exactly: OK" in program.calls[0]["stdin"]


def test_the_probe_is_asked_for_and_a_kill_switch_stops_it(pal, program):
    assert "copilot-spawn answered" not in pal("doctor")[1]
    assert program.calls == []
    assert "copilot-spawn answered 'Hello.'" in pal("doctor", "--probe")[1]
    assert len(program.calls) == 1
    assert (
        "copilot-spawn is not asked: PAL_INFERENCE_DISABLED" in pal("doctor", "--probe", PAL_INFERENCE_DISABLED="1")[1]
    )
    assert len(program.calls) == 1
