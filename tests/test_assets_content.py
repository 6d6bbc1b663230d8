"""The texts PAL ships are true of this PAL: verbs, files, settings and switches they name exist."""

from __future__ import annotations

import argparse
import json
import re
from functools import cache

import pytest

from pal.base import assets, frontmatter
from pal.base.home import Home
from pal.base.settings import Settings
from pal.base.text import units
from pal.cli import main
from pal.context import prompt, semi_static, session, steering
from pal.guard.model import GROUPS

TEXTS = [name for name in assets.names() if name.endswith(".md")]
DOCUMENTS = [
    name.rpartition("/")[2] for name in TEXTS if name.startswith("templates/") and name != "templates/AGENTS.md"
]
SETTINGS = "templates/pal-settings.json"
SCHEMA = "schema/pal-settings.schema.json"
AGENT = re.compile(r"\b(claude|opencode|cursor|copilot|codex|antigravity|gemini)\b", re.IGNORECASE)

ABOUT_AGENTS = ("skills/create-subagent/",)

each_text = pytest.mark.parametrize("name", TEXTS)


def read(name: str) -> str:
    return assets.read(name).decode("utf-8")


def commands(text: str) -> list[str]:
    """What stands after `pal` in each command that a text shows, in a line of prose or of a listing."""
    found = re.findall(r"`pal ([^`\n]+)`", text)
    for block in re.findall(r"^```[^\n]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        found += re.findall(r"^(?:\$ )?pal (.+)$", block, re.MULTILINE)
    found += re.findall(r"^ {4}pal (.+)$", text, re.MULTILINE)
    return [each for each in found if not each.startswith("VERB")]


@cache
def parser_of(verb: str) -> argparse.ArgumentParser:
    return main.parser_of(main.BY_NAME[verb], main.load(main.BY_NAME[verb]))


def actions_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    for each in parser._actions:
        if isinstance(each, argparse._SubParsersAction):
            return dict(each.choices)
    return {}


def fault_of(command: str) -> str:
    """What is wrong with a command that a text shows; empty when it could be typed so."""
    verb, *rest = command.split()
    verb = main.SHORT.get(verb, verb)
    if verb not in main.BY_NAME:
        return f"there is no verb {verb}"
    parser = parser_of(verb)
    while rest and actions_of(parser):
        if rest[0].startswith("-") or rest[0] in ("ACTION", "…"):
            break
        action = rest.pop(0).rstrip(",;.")
        if action not in actions_of(parser):
            return f"pal {verb} has no action {action}"
        parser = actions_of(parser)[action]
        if action == "run" and verb == "skill":
            return tool_fault(rest)
    unquoted = re.sub(r"\"[^\"]*\"|'[^']*'", "TEXT", " ".join(rest)).partition("|")[0].partition("#")[0]
    return words_fault(f"pal {verb}", parser, unquoted.partition(" < ")[0].split())


def words_fault(shown: str, parser: argparse.ArgumentParser, words: list[str]) -> str:
    """What is wrong with the words after an action. A command that is only named, without words, may lack some."""
    known = parser._option_string_actions
    given: set[argparse.Action] = set()
    places = 0
    at = 0
    while at < len(words):
        word = words[at].partition("=")[0]
        at += 1
        if word in ("--", "…", "--help"):
            return ""
        if not re.fullmatch(r"--?[a-z][a-z0-9-]*", word):
            places += 1
        elif word not in known:
            return f"{shown} has no option {word}"
        else:
            given.add(known[word])
            at += known[word].nargs != 0 and "=" not in words[at - 1]
    most = sum({None: 1, "?": 1}.get(each.nargs, 99) for each in parser._get_positional_actions())
    if places > most:
        return f"{shown} takes {most} words, not {places}"
    missing = [each for each in parser._actions if each.option_strings and each.required and each not in given]
    return f"{shown} needs {missing[0].option_strings[0]}" if words and missing else ""


def tool_fault(rest: list[str]) -> str:
    """What is wrong with `pal skill run …` for a shipped skill."""
    if not rest or rest[0].isupper():
        return ""
    tools = [name for name in assets.names(f"skills/{rest[0]}/tools/") if name.endswith(".py")]
    names = {name.rpartition("/")[2][:-3] for name in tools}
    if not names:
        return f"the skill {rest[0]} has no tool"
    named = len(rest) > 1 and re.fullmatch(r"[a-z][a-z0-9_-]*", rest[1]) and not rest[1].startswith("-")
    if len(names) > 1 and named and rest[1] not in names:
        return f"the skill {rest[0]} has no tool {rest[1]}"
    return ""


def test_the_documents_are_routed_to_and_tier_1_names_the_router() -> None:
    standing, router = read("templates/AGENTS.md"), read("templates/CONTEXT_ROUTING.md")
    assert "/docs/CONTEXT_ROUTING.md`" in standing
    for document in DOCUMENTS:
        assert f"/docs/{document}`" in standing or f"`docs/{document}`" in router, document
        assert read(f"templates/{document}").startswith("# ")


def test_the_standing_text_stays_under_six_thousand_bytes() -> None:
    assert len(assets.read("templates/AGENTS.md")) < 6_000


@each_text
def test_a_text_shows_only_commands_that_exist(name: str) -> None:
    assert [fault for fault in map(fault_of, commands(read(name))) if fault] == []


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        ("opinion list", ""),
        ('opinion add "a --b" --category workflow', ""),
        ("nonsense", "no verb"),
        ("opinion lst", "no action"),
        ("project complete-ics NAME 3", "no action"),
        ("opinion list --colour", "no option"),
        ("opinion show ID OTHER", "takes 1 words"),
        ("memory supersede OLD NEW", "takes 1 words"),
        ("memory supersede OLD", "needs --by"),
        ("memory supersede OLD --by NEW", ""),
        ("memory supersede", ""),
        ("synthesize monthly", ""),
        ("skill run NAME", ""),
    ],
)
def test_the_check_of_commands_sees_what_is_wrong(command: str, fault: str) -> None:
    found = fault_of(command)
    assert fault in found
    assert bool(found) is bool(fault)


@each_text
def test_a_text_names_only_places_that_a_home_has(name: str) -> None:
    home = Home("/H")
    places = {home.relative(getattr(home, each)) for each in Home.__slots__ if each != "root"}
    places |= {f"docs/{document}" for document in (*DOCUMENTS, "AGENTS.md")}
    places |= {"memory/self-model", "memory/icm", "telos", "docs"}
    text = read(name).replace("{{home}}/", "")
    inside = "state|signals|session-learning|failures|relationship|wisdom|synthesis|self-model|cache"
    for found in re.findall(rf"`((?:memory|telos|docs|{inside})/[^` ]*)`", text):
        path = found if found.startswith(("memory/", "telos/", "docs/")) else f"memory/{found}"
        steady = re.split(r"/(?=[A-Z]*YYYY|DOMAIN|NAME)", path)[0].rstrip("/")
        if steady.startswith("telos/"):
            assert f"{steady}" in TEXTS
        else:
            assert steady in places, found


@each_text
def test_a_text_names_no_agent_and_has_no_loose_ends(name: str) -> None:
    text = read(name)
    if not name.startswith((*ABOUT_AGENTS, "agents/")):  # a subagent's header has a block for each agent
        assert not AGENT.search(text)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert not re.search(r"[ \t]+$", text, re.MULTILINE)
    assert not re.search(r"\b(tbd|lorem|coming soon)\b", text, re.IGNORECASE)


@each_text
def test_the_lines_of_a_document_are_readable_in_a_terminal(name: str) -> None:
    if name != "templates/AGENTS.md":  # its paragraphs are read by models, one line each
        body = frontmatter.parse(read(name))[1]
        assert max((len(line) for line in body.splitlines() if not line.startswith("|")), default=0) <= 140


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
        types = entry["type"] if isinstance(entry["type"], list) else [entry["type"]]
        assert isinstance(value, tuple(kinds[each] for each in types)), name
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
