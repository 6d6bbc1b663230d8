"""The texts PAL ships are true of this PAL: verbs, files, settings and switches they name exist."""

from __future__ import annotations

import json
import re

import pytest

from pal.base import assets
from pal.base.home import Home
from pal.base.settings import Settings
from pal.base.text import units
from pal.cli import main
from pal.context import prompt, semi_static, session, steering
from pal.guard.model import GROUPS

TEXTS = [name for name in assets.names() if name.endswith(".md")]
DOCUMENTS = ["CONTEXT_ROUTING.md", "MEMORY_SYSTEM.md", "STEERING_RULES.md", "SYSTEM_ARCHITECTURE.md"]
SETTINGS = "templates/pal-settings.json"
SCHEMA = "schema/pal-settings.schema.json"
AGENT = re.compile(r"\b(claude|opencode|cursor|copilot|codex|antigravity|gemini)\b", re.IGNORECASE)

each_text = pytest.mark.parametrize("name", TEXTS)


def read(name: str) -> str:
    return assets.read(name).decode("utf-8")


def commands(text: str) -> list[list[str]]:
    """The words after `pal` in each command that a text shows."""
    return [found.split() for found in re.findall(r"`pal ([^`]+)`", text) if not found.startswith("VERB")]


def test_the_documents_that_tier_1_routes_to_are_shipped() -> None:
    for document in DOCUMENTS:
        assert f"/docs/{document}`" in read("templates/AGENTS.md")
        assert read(f"templates/{document}").startswith("# ")


@each_text
def test_a_text_shows_only_commands_that_exist(name: str) -> None:
    for verb, *rest in commands(read(name)):
        assert verb in main.BY_NAME, f"pal {verb}"
        if rest and rest[0].isalpha() and rest[0].islower():
            parser = main.parser_of(main.BY_NAME[verb], main.load(main.BY_NAME[verb]))
            assert re.search(rf"^ +{rest[0]} ", parser.format_help(), re.MULTILINE), f"pal {verb} {rest[0]}"


@each_text
def test_a_text_names_only_places_that_a_home_has(name: str) -> None:
    home = Home("/H")
    places = {home.relative(getattr(home, each)) for each in Home.__slots__ if each != "root"}
    places |= {f"docs/{document}" for document in (*DOCUMENTS, "AGENTS.md")} | {"memory/self-model"}
    text = read(name).replace("{{home}}/", "")
    inside = "state|signals|session-learning|failures|relationship|wisdom|synthesis|self-model|cache"
    for found in re.findall(rf"`((?:memory|telos|docs|{inside})/[^` ]*)`", text):
        path = found if found.startswith(("memory/", "telos/", "docs/")) else f"memory/{found}"
        steady = re.split(r"/(?=[A-Z]*YYYY|DOMAIN)", path)[0].rstrip("/")
        if steady.startswith("telos/"):
            assert f"{steady}" in TEXTS
        else:
            assert steady in places, found


@each_text
def test_a_text_names_no_agent_and_has_no_loose_ends(name: str) -> None:
    text = read(name)
    assert not AGENT.search(text)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert not re.search(r"[ \t]+$", text, re.MULTILINE)
    assert not re.search(r"\b(tbd|lorem|coming soon)\b", text, re.IGNORECASE)


@each_text
def test_the_lines_of_a_document_are_readable_in_a_terminal(name: str) -> None:
    if name != "templates/AGENTS.md":  # its paragraphs are read by models, one line each
        assert max(len(line) for line in read(name).splitlines() if not line.startswith("|")) <= 140


def test_the_rules_for_careful_work_fit_their_digest_uncut() -> None:
    (source,) = [each for each in semi_static.SOURCES if each.slug == "steering-rules"]
    assert units(read("templates/STEERING_RULES.md")) < source.cap


def switches() -> set[str]:
    """Every switch that the code asks for."""
    found = {part.switch for part in session.PARTS} | {source.switch for source in semi_static.SOURCES}
    return (found | {switch for _, _, switch, _, _ in prompt.PARTS}) - {""}


def test_the_shipped_settings_have_every_switch_as_the_code_takes_it_when_absent() -> None:
    shipped = json.loads(read(SETTINGS))["dynamicContext"]
    assert set(shipped) == switches()
    absent = Settings({})
    assert shipped == {switch: absent.on(switch) for switch in shipped}


def test_the_shipped_settings_are_the_defaults() -> None:
    shipped, absent = Settings(json.loads(read(SETTINGS))), Settings({})
    assert (shipped.zone, shipped.principal, shipped.assistant) == (absent.zone, absent.principal, absent.assistant)
    assert steering.problems(shipped) == []


def leaves(schema: dict, at: str = "") -> dict[str, dict]:
    """Dotted name → schema of each value."""
    if "properties" not in schema:
        return {at: schema}
    found = {}
    for name, below in schema["properties"].items():
        found.update(leaves(below, f"{at}.{name}" if at else name))
    return found


def test_the_schema_describes_exactly_the_shipped_settings_and_names_their_defaults() -> None:
    schema, shipped = leaves(json.loads(read(SCHEMA))), Settings(json.loads(read(SETTINGS)))
    kinds = {"string": str, "boolean": bool, "integer": int, "array": list, "object": dict}
    for name, entry in schema.items():
        value = shipped.get(name)
        assert isinstance(value, kinds[entry["type"]]), name
        if name != "$schema":
            assert value == entry["default"], name
            assert entry["description"].endswith("."), name

    def names(value: dict, at: str = "") -> set[str]:
        return {
            each
            for key, below in value.items()
            for each in (names(below, f"{at}{key}.") if isinstance(below, dict) and below else {f"{at}{key}"})
        }

    assert names(shipped.values) == set(schema)


def test_the_schema_lists_the_groups_of_the_guard() -> None:
    groups = json.loads(read(SCHEMA))["properties"]["security"]["properties"]["groups"]
    assert groups["propertyNames"]["enum"] == list(GROUPS)


def test_the_schema_lists_the_shipped_steering_tags() -> None:
    text = json.loads(read(SCHEMA))["properties"]["steering"]["properties"]["disable"]["description"]
    for topic in steering.TOPICS:
        assert topic.tag in text
