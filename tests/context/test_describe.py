"""The list of everything an agent may be told, with sizes, caps and switches."""

from __future__ import annotations

import json
import os
from pathlib import Path

from pal.base import assets
from pal.base.home import Home
from pal.base.settings import Settings
from pal.context import describe


def tree(root: str) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path(root).rglob("*") if path.is_file()}


def test_every_switch_of_the_shipped_settings_turns_a_part_off(home: Home, now: float, clean_env) -> None:
    switches = json.loads(assets.read("templates/pal-settings.json"))["dynamicContext"]
    shipped = describe.describe(home, Settings({"dynamicContext": switches}), "/", now, clean_env)
    assert [name for name, _, _, on in shipped if not on] == ["session: nudges"]
    off = describe.describe(home, Settings({"dynamicContext": dict.fromkeys(switches, False)}), "/", now, clean_env)
    always = ["tier 1", "session: startup", "session: exchange", "session: startup-long"]
    assert [name for name, _, _, on in off if on] == always
    for switch in switches:
        turned = {**dict.fromkeys(switches, True), switch: False}
        rows = describe.describe(home, Settings({"dynamicContext": turned}), "/", now, clean_env)
        assert [name for name, _, _, on in rows if not on], switch


def test_sizes_are_those_of_what_would_be_told_and_looking_changes_nothing(home, now, clean_env) -> None:
    from pal.memory import exchange

    Path(home.docs).mkdir()
    Path(home.docs, "STEERING_RULES.md").write_text("# Rules\n- one\n", "utf-8")
    exchange.keep(home, {"session": "s", "agent": "a"}, "auto", "u", "r", "", now)
    before = tree(home.root)
    rows = {
        name: (size, cap) for name, size, cap, _ in describe.describe(home, Settings({}), "/", now, clean_env, "a bug")
    }
    assert rows["session: handoff"][0] == 0
    assert 0 < rows["session: clock"][0] <= rows["session: clock"][1]
    assert 0 < rows["prompt: steering"][0] <= rows["prompt: steering"][1]
    assert rows["digest: steering-rules"][0] > 0
    assert 2_000 < rows["tier 1"][0] <= rows["tier 1"][1]
    after = tree(home.root)
    assert {path: data for path, data in after.items() if os.path.basename(path) != "signal-cache.json"} == before
