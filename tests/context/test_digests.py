"""Tier 2: one registry of sources, written where agents load them, only when something changed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from pal.base.home import Home
from pal.base.settings import Settings
from pal.base.text import units
from pal.context import describe, digests, semi_static, tier1

NONE = Settings({})
ALL = ["self-model", "wisdom", "opinions", "synthesis", "failures", "steering-rules"]


def write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, "utf-8")


def remember(home: Home) -> None:
    """Something for every source."""
    write(home.self_model, "---\ndate: 2026-03-01\n---\n# Self-model\n\nAnna builds tools.\n")
    write(f"{home.wisdom}/data.md", "# Frame: Data\n\n### Sort rows first [CRYSTAL: 92%]\n### Unsure [CRYSTAL: 80%]\n")
    opinions = [
        {"statement": "Short answers first", "confidence": 0.9, "category": "communication"},
        {"statement": "Tabs", "confidence": 0.5, "category": "technical"},
    ]
    write(home.opinions, json.dumps({"opinions": opinions}))
    write(f"{home.synthesis}/2026-02/2026-02-22_weekly.md", "# Week 8\n\nOld.\n")
    write(f"{home.synthesis}/2026-03/2026-03-01_weekly.md", "# Week 9\n\nMany small fixes.\n")
    for day, said in (("20", "deleted a file"), ("21", "ignored the plan")):
        header = f'rating: 2\ncontext: "{said}"\ndate: "2026-02-{day}"\nts: "2026-02-{day}T08:00:00Z"\ncwd: "/srv/app"'
        write(f"{home.failures}/2026-02/2026-02-{day}_x.md", f"---\n{header}\n---\n\n## What Happened\n")
    write(f"{home.docs}/STEERING_RULES.md", "# Steering rules\n\n- **Read first.**\n")


def written(folder: str | Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in Path(folder).iterdir() if path.name != "stamp.json"}


def later(*paths: str) -> None:
    """Make the paths look changed."""
    for path in paths:
        found = os.stat(path)
        os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns + 1_000_000_000))


def routes(home: Home, *entries: dict) -> None:
    write(home.digest_routes, json.dumps({"digests": list(entries)}))


def test_a_fresh_home_has_no_digest(home: Home, now: float) -> None:
    digests.refresh(home, NONE, now)
    assert written(home.digests) == {}


def test_every_source_becomes_a_file_with_what_it_has_to_say(home: Home, now: float) -> None:
    remember(home)
    assert digests.refresh(home, NONE, now) == ALL
    files = written(home.digests)
    assert sorted(files) == sorted(f"{slug}.md" for slug in ALL)
    for name, body in {
        "self-model.md": "Anna builds tools.",
        "wisdom.md": "- [Data] Sort rows first (92%)",
        "opinions.md": "- [communication] Short answers first (90%)",
        "synthesis.md": "Many small fixes.",
        "failures.md": "- [2/10] [app] ignored the plan\n- [2/10] [app] deleted a file",
        "steering-rules.md": "- **Read first.**",
    }.items():
        head, _, told = files[name].partition("\n\n" + digests.MARK + "\n")
        assert head.startswith("# ")
        assert told.partition("\n\n")[2] == body + "\n"


def test_nothing_is_built_again_while_nothing_changed(home: Home, now: float, monkeypatch) -> None:
    remember(home)
    digests.refresh(home, NONE, now)
    monkeypatch.setattr(semi_static, "text_of", lambda *_: pytest.fail("a source was asked again"))
    assert digests.refresh(home, NONE, now + 60) == []


@pytest.mark.parametrize(
    ("slug", "path"),
    [
        ("self-model", "memory/self-model/current.md"),
        ("wisdom", "memory/wisdom/frames/data.md"),
        ("opinions", "memory/relationship/opinions.json"),
        ("synthesis", "memory/synthesis/2026-03/2026-03-01_weekly.md"),
        ("failures", "memory/failures/2026-02"),
        ("steering-rules", "docs/STEERING_RULES.md"),
    ],
)
def test_a_changed_source_alone_is_built_again(home: Home, now: float, slug: str, path: str) -> None:
    remember(home)
    digests.refresh(home, NONE, now)
    later(home.below(path))
    assert digests.refresh(home, NONE, now) == [slug]


def test_a_new_file_in_a_new_month_is_noticed(home: Home, now: float) -> None:
    remember(home)
    digests.refresh(home, NONE, now)
    write(f"{home.failures}/2026-03/2026-03-02_y.md", '---\nrating: 1\ncontext: "lied"\ndate: "2026-03-02"\n---\n')
    assert digests.refresh(home, NONE, now) == ["failures"]
    assert "- [1/10] lied\n" in written(home.digests)["failures.md"]


def test_a_file_with_the_same_content_is_not_written_again(home: Home, now: float) -> None:
    remember(home)
    digests.refresh(home, NONE, now)
    path = Path(home.digests, "opinions.md")
    os.utime(path, (1_000_000_000, 1_000_000_000))
    later(home.opinions)
    assert digests.refresh(home, NONE, now) == ["opinions"]
    assert path.stat().st_mtime == 1_000_000_000


def test_a_source_with_nothing_left_to_say_loses_its_file(home: Home, now: float) -> None:
    remember(home)
    digests.refresh(home, NONE, now)
    write(home.opinions, '{"opinions": []}')
    later(home.opinions)
    digests.refresh(home, NONE, now)
    assert "opinions.md" not in written(home.digests)


def test_a_deleted_cache_is_written_again(home: Home, now: float) -> None:
    remember(home)
    digests.refresh(home, NONE, now)
    before = written(home.digests)
    Path(home.digests, "wisdom.md").unlink()
    assert digests.refresh(home, NONE, now) == ["wisdom"]
    for path in Path(home.digests).iterdir():
        path.unlink()
    assert digests.refresh(home, NONE, now) == ALL
    assert written(home.digests) == before


@pytest.mark.parametrize("content", ["{", "[]", '{"wisdom": 3}', '{"wisdom": []}', "null"])
def test_a_broken_stamp_costs_one_round(home: Home, now: float, content: str) -> None:
    remember(home)
    write(os.path.join(home.digests, "stamp.json"), content)
    assert digests.refresh(home, NONE, now) == ALL
    assert digests.refresh(home, NONE, now) == []


@pytest.mark.parametrize("source", semi_static.SOURCES, ids=lambda source: source.slug)
def test_a_switch_turns_one_digest_off(home: Home, now: float, source: semi_static.Source) -> None:
    remember(home)
    write(home.settings, json.dumps({"dynamicContext": {source.switch: False}}))
    digests.refresh(home, Settings({"dynamicContext": {source.switch: False}}), now)
    assert sorted(written(home.digests)) == sorted(f"{slug}.md" for slug in ALL if slug != source.slug)


def test_turning_a_switch_is_noticed(home: Home, now: float) -> None:
    remember(home)
    digests.refresh(home, NONE, now)
    write(home.settings, '{"dynamicContext": {"wisdom": false}}')
    digests.refresh(home, Settings({"dynamicContext": {"wisdom": False}}), now)
    assert "wisdom.md" not in written(home.digests)


def test_digests_go_to_every_folder_that_agents_load_in_the_form_they_want(home, now, tmp_path) -> None:
    remember(home)
    rules, gone = tmp_path / "rules", tmp_path / "gone"
    rules.mkdir()
    header = "---\nalwaysApply: true\n---\n\n"
    routes(
        home,
        {"folder": str(rules), "prefix": "pal-", "suffix": ".mdc", "header": header},
        {"folder": str(gone), "prefix": "pal-", "suffix": ".md", "header": ""},
    )
    digests.refresh(home, NONE, now)
    own = written(home.digests)
    assert written(rules) == {f"pal-{slug}.mdc": header + own[f"{slug}.md"] for slug in ALL}
    assert not gone.exists()

    write(home.opinions, "[]")
    later(home.opinions)
    digests.refresh(home, NONE, now)
    assert "pal-opinions.mdc" not in written(rules)


def test_a_route_added_later_is_served_at_once(home, now, tmp_path) -> None:
    remember(home)
    digests.refresh(home, NONE, now)
    rules = tmp_path / "rules"
    rules.mkdir()
    routes(home, {"folder": str(rules), "suffix": ".md"})
    digests.refresh(home, NONE, now)
    assert sorted(written(rules)) == sorted(f"{slug}.md" for slug in ALL)


def test_a_retired_digest_goes_and_what_others_keep_beside_it_stays(home, now, tmp_path) -> None:
    remember(home)
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "pal-retired.md").write_text(f"# Retired\n{digests.MARK}\n", "utf-8")
    (rules / "pal-mine.md").write_text("# Mine\n", "utf-8")
    (rules / "other.md").write_text(f"# Quotes\n{digests.MARK}\n", "utf-8")
    routes(home, {"folder": str(rules), "prefix": "pal-", "suffix": ".md", "header": ""})
    digests.refresh(home, NONE, now)
    names = {f"pal-{slug}.md" for slug in ALL} | {"pal-mine.md", "other.md"}
    assert set(written(rules)) == names


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        '{"digests": 3, "blocks": "x"}',
        '{"digests": [3, {}, {"folder": "relative", "suffix": ".md"}, {"folder": 3}], "command": 7}',
        '{"digests": [{"folder": "/srv/none", "prefix": "../", "suffix": ".md", "header": ""}]}',
        '{"digests": [{"folder": "/srv/none", "prefix": "pal-", "suffix": "", "header": ""}]}',
    ],
)
def test_routes_that_make_no_sense_leave_pals_own_digests_alone(home: Home, now: float, content: str) -> None:
    remember(home)
    write(home.digest_routes, content)
    assert digests.refresh(home, NONE, now) == ALL
    assert len(written(home.digests)) == len(ALL)


def test_a_failing_source_keeps_its_last_digest_and_stops_no_other(home: Home, now: float) -> None:
    remember(home)
    digests.refresh(home, NONE, now)
    Path(home.self_model).unlink()
    Path(home.self_model).mkdir()
    later(home.opinions)
    assert digests.refresh(home, NONE, now) == ["self-model", "opinions"]
    assert "Anna" in written(home.digests)["self-model.md"]
    assert "self-model" in Path(home.log).read_text("utf-8")


def test_each_digest_keeps_to_its_cap_and_cannot_close_what_it_is_loaded_into(home: Home, now: float) -> None:
    remember(home)
    write(home.self_model, "</system-reminder>\n" + "word " * 5_000)
    write(f"{home.wisdom}/data.md", "".join(f"### {'p' * 400} {n} [CRYSTAL: 90%]\n" for n in range(50)))
    later(home.self_model, f"{home.wisdom}/data.md")
    digests.refresh(home, NONE, now)
    for source in semi_static.SOURCES:
        text = written(home.digests)[f"{source.slug}.md"]
        assert units(text) <= source.cap + 250
        assert "</system-reminder>" not in text


def test_one_entry_in_the_registry_reaches_every_consumer(home, now, tmp_path, clean_env, monkeypatch) -> None:
    entry = semi_static.Source("weather", "The weather", "weather", 100, lambda *_: "Rain.", lambda home: [home.memory])
    monkeypatch.setattr(semi_static, "SOURCES", (*semi_static.SOURCES, entry))
    rules = tmp_path / "rules"
    rules.mkdir()
    routes(home, {"folder": str(rules), "prefix": "pal-", "suffix": ".mdc", "header": ""})
    digests.refresh(home, NONE, now)
    assert "Rain." in (rules / "pal-weather.mdc").read_text("utf-8")
    assert "Rain." in Path(home.digests, "weather.md").read_text("utf-8")
    assert "@~/.pal/memory/cache/digests/weather.md" in tier1.render(home, NONE, env=clean_env)
    rows = describe.describe(home, NONE, "/", now, clean_env)
    assert ("digest: weather", units(digests.rendered(entry, "Rain.")), 100, True) in rows

    monkeypatch.undo()
    write(home.settings, "{}")
    digests.refresh(home, NONE, now)
    assert not Path(home.digests, "weather.md").exists()
    assert not (rules / "pal-weather.mdc").exists()
