"""`pal usage`: every agent's own records of tokens, added up once each, at prices that the user can change."""

from __future__ import annotations

import io
import json
import os
import sqlite3
from pathlib import Path

import pytest

from pal.cli import main
from pal.cli.output import Output
from pal.targets import prices
from pal.targets.usage import Used, readers

AT = "2026-03-01T10:00:00.000Z"


def lines(path: Path, *rows: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def claude_row(key: str, output: int, at: str = AT, model: str = "claude-opus-5-5", **usage: int) -> dict:
    used = {"input_tokens": 100, "output_tokens": output, "cache_read_input_tokens": 1000, **usage}
    message = {"id": key, "role": "assistant", "model": model, "usage": used, "content": []}
    return {"type": "assistant", "timestamp": at, "sessionId": "s1", "cwd": "/srv/shop", "message": message}


@pytest.fixture
def machine(fresh_home: Path) -> Path:
    """A user's folder in which five agents wrote down two requests each, some of them more than once."""
    claude = fresh_home / ".claude" / "projects" / "-srv-shop"
    written = {"cache_creation_input_tokens": 30, "cache_creation": {"ephemeral_1h_input_tokens": 10}}
    lines(
        claude / "one.jsonl",
        {"type": "user", "message": {"content": 'about "usage"'}},
        claude_row("m1", 1),
        claude_row("m1", 50, **written),
        claude_row("m2", 7),
        claude_row("m0", 7, model="<synthetic>"),
        claude_row("old", 999, at="2026-01-01T00:00:00.000Z"),
    )
    lines(claude / "resumed.jsonl", claude_row("m2", 7))
    lines(claude / "one" / "subagents" / "agent-a.jsonl", claude_row("m3", 5, model="claude-haiku-4-5-20251001"))
    usage = {"input_tokens": 90, "cached_input_tokens": 40, "output_tokens": 5}
    lines(
        fresh_home / ".codex" / "sessions" / "2026" / "03" / "01" / "rollout-1.jsonl",
        {"type": "session_meta", "payload": {"id": "c1", "cwd": "/srv/api"}},
        {"type": "turn_context", "payload": {"model": "gpt-9", "cwd": "/srv/api"}},
        {"timestamp": AT, "type": "token_usage_record", "payload": {"response_id": "r1", "usage": usage}},
        {"timestamp": AT, "type": "event_msg", "payload": {"type": "token_count", "info": {"last_token_usage": usage}}},
        {"timestamp": AT, "type": "token_usage_record", "payload": {"response_id": "r2", "usage": usage}},
    )
    told = {"type": "token_count", "info": {"total_token_usage": {"total_tokens": 95}, "last_token_usage": usage}}
    lines(
        fresh_home / ".codex" / "sessions" / "2026" / "03" / "01" / "rollout-older.jsonl",
        {"type": "session_meta", "payload": {"id": "c2", "cwd": "/srv/api"}},
        {"timestamp": AT, "type": "event_msg", "payload": told},
        {"timestamp": AT, "type": "event_msg", "payload": told},
    )
    lines(
        fresh_home / ".copilot" / "session-state" / "p1" / "events.jsonl",
        {"type": "session.start", "data": {"context": {"cwd": "/srv/web"}}, "id": "e0", "timestamp": AT},
        {
            "type": "session.usage_record",
            "data": {"usage": {"model": "gpt-4.1", "inputTokens": 12, "outputTokens": 3, "cacheReadTokens": 2}},
            "id": "e1",
            "timestamp": AT,
        },
    )
    lines(
        fresh_home / ".gemini" / "tmp" / "shop" / "chats" / "session-1.jsonl",
        {"sessionId": "g1"},
        {
            "id": "a",
            "timestamp": AT,
            "type": "gemini",
            "model": "gemini-2.5-flash",
            "tokens": {"input": 10, "output": 5},
        },
        {
            "id": "a",
            "timestamp": AT,
            "type": "gemini",
            "model": "gemini-2.5-flash",
            "tokens": {"input": 10, "output": 5, "cached": 4, "thoughts": 2},
        },
    )
    share = fresh_home / ".local" / "share" / "opencode"
    share.mkdir(parents=True)
    base = sqlite3.connect(share / "opencode.db")
    base.execute("CREATE TABLE message (id TEXT, session_id TEXT, time_created INT, time_updated INT, data TEXT)")
    said = {
        "role": "assistant", "modelID": "own", "path": {"root": "/srv/x"}, "time": {"created": 1772359200000},
        "tokens": {"input": 20, "output": 4, "reasoning": 1, "cache": {"read": 8, "write": 2}},
    }  # fmt: skip
    for key, data in (("o1", json.dumps(said)), ("o2", '{"role": "user"}'), ("o3", "rubbish")):
        base.execute("INSERT INTO message VALUES (?, 's', 1, 1772359200000, ?)", (key, data))
    base.commit()
    base.close()
    return fresh_home


@pytest.fixture
def typed(home, fresh_home, now):
    def run(*argv: str):
        values = {"HOME": str(fresh_home), "USERPROFILE": str(fresh_home), "PATH": ""}
        out, err = io.StringIO(), io.StringIO()
        code = main.run(argv, values, now, Output(values, out, err))
        return code, out.getvalue(), err.getvalue()

    return run


def facts(typed, *argv: str) -> dict:
    code, out, err = typed("usage", *argv, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_every_request_counts_once_whatever_the_files_repeat(typed, machine):
    rows = {row["agent"]: row for row in facts(typed, "--by", "agent")["rows"]}
    assert {name: row["requests"] for name, row in rows.items()} == {
        "claude": 3, "codex": 3, "copilot": 1, "gemini": 1, "opencode": 1,
    }  # fmt: skip
    claude = rows["claude"]
    assert (claude["input"], claude["output"], claude["cache_read"]) == (300, 62, 3000)
    assert (claude["cache_write"], claude["cache_write_long"]) == (20, 10)
    assert (rows["codex"]["input"], rows["codex"]["cache_read"], rows["codex"]["output"]) == (150, 120, 15)
    assert (rows["copilot"]["input"], rows["copilot"]["cache_read"]) == (10, 2)
    assert (rows["gemini"]["input"], rows["gemini"]["output"], rows["gemini"]["cache_read"]) == (6, 7, 4)
    assert (rows["opencode"]["input"], rows["opencode"]["output"], rows["opencode"]["total"]) == (20, 5, 35)


@pytest.mark.parametrize(
    ("by", "name", "requests"),
    [
        ("model", "claude-opus-5-5", 2),
        ("project", "/srv/shop", 3),
        ("day", "2026-03-01", 9),
        ("session", "claude s1", 3),
    ],
)
def test_it_adds_up_by_what_is_asked(typed, machine, by, name, requests):
    assert {row[by]: row["requests"] for row in facts(typed, "--by", by)["rows"]}[name] == requests


def test_one_agent_and_the_days_can_be_chosen(typed, machine):
    assert {row["agent"] for row in facts(typed, "--agent", "codex", "--by", "agent")["rows"]} == {"codex"}
    assert facts(typed, "--days", "90", "--agent", "claude")["total"]["requests"] == 4
    assert typed("usage", "--days", "0")[0] == 1


def test_cost_is_by_the_price_of_each_kind_and_the_users_prices_stand_above(typed, machine, home):
    rows = {row["model"]: row for row in facts(typed)["rows"]}
    used = rows["claude-opus-5-5"]
    assert used["cost"] == pytest.approx((200 * 5 + 57 * 25 + 20 * 6.25 + 10 * 10 + 2000 * 0.5) / 1e6, abs=1e-4)
    assert (rows["gpt-9"]["cost"], rows["gpt-9"]["unpriced"]) == (0, rows["gpt-9"]["total"])
    Path(home.settings).write_text('{"usage": {"prices": {"gpt-9": {"input": 1e6, "output": "x"}}}}', "utf-8")
    assert {row["model"]: row for row in facts(typed)["rows"]}["gpt-9"]["cost"] == 100


def test_people_see_a_table_and_what_has_no_price(typed, machine):
    code, out, _ = typed("usage", "--by", "agent")
    assert code == 0
    assert "requests" in out
    assert "together" in out
    assert "tokens have no price" in out


def test_a_machine_without_records_gets_a_sentence(typed):
    code, out, err = typed("usage")
    assert (code, err) == (0, "")
    assert "No agent wrote down" in out


def test_pals_own_calls_are_told_apart(typed, home, now):
    from pal.base import settings
    from pal.inference import spend

    values = settings.load(home)
    assert spend.reserve(home, values, "a-route", now) == ""
    spend.record(home, values, "a-route", 1234, now)
    assert facts(typed)["pal"] == {"calls": 1, "tokens": 1234, "routes": {"a-route": {"calls": 1, "tokens": 1234}}}
    assert "PAL itself asked models 1 times, about 1,234 tokens" in typed("usage")[1]


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("claude-haiku-4-5", "claude-haiku-4-5"),
        ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
        ("claude-sonnet-5[1m]", "claude-sonnet-5"),
        ("claude", None),
        ("", None),
    ],
)
def test_a_price_goes_by_the_longest_beginning_of_the_name(model, name):
    assert prices.of(model, prices.PRICES) == (prices.PRICES[name] if name else None)


def test_broken_and_missing_records_are_passed(machine, clean_env):
    for path in (machine / ".codex" / "sessions").rglob("*.jsonl"):
        path.write_bytes(b'{"type": "token_usage_record", "payload": 3}\n{"torn "token_count"\n\xff\n')
    (machine / ".local" / "share" / "opencode" / "opencode.db").write_bytes(b"no database")
    found = {name: list(module.read(clean_env, 0.0)) for name, module in readers()}
    assert found["codex"] == []
    assert found["opencode"] == []
    assert found["claude"]


def test_a_large_record_is_read_without_holding_it(machine, clean_env):
    import tracemalloc

    path = machine / ".claude" / "projects" / "-srv-shop" / "large.jsonl"
    row = json.dumps({"type": "user", "message": {"content": "x" * 200_000}}).encode() + b"\n"
    with open(path, "wb") as stream:
        for number in range(100):
            stream.write(row)
            stream.write(json.dumps(claude_row(f"l{number}", 1)).encode() + b"\n")
    assert os.path.getsize(path) > 20_000_000
    (reader,) = [module for name, module in readers() if name == "claude"]
    tracemalloc.start()
    found = sum(isinstance(used, Used) for used in reader.read(clean_env, 0.0))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found >= 100
    assert peak < 4_000_000
