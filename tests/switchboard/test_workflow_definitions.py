"""Workflows as files: what PAL ships is sound and agrees with what hooks know, the user's come first, a project's
change words only."""

from __future__ import annotations

import os

import pytest

from pal.base import assets
from pal.base.errors import PalError
from pal.switchboard import card, definition, detect, evidence, registry
from pal.switchboard.errors import Refused

OWN = """---
name: {name}
summary: "Ship it"
persona: "a release manager"
writes: ["project"]
steps:
  - "notes: notes"
  - "ship: checked"
---
# Release

## 1. Notes

Write them.

## 2. Ship

Ship.
"""


@pytest.fixture
def own(home):
    """own("release", text): a workflow of the user's."""
    os.makedirs(home.switchboard_workflows, exist_ok=True)

    def write(name, text=OWN):
        path = os.path.join(home.switchboard_workflows, name + ".md")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text.replace("{name}", name))
        return path

    return write


def test_hooks_know_the_names_of_exactly_the_workflows_that_are_shipped():
    shipped = {name[len("workflows/") : -3] for name in assets.names("workflows/") if name.count("/") == 1}
    assert shipped == set(detect.BUILT_IN)


@pytest.mark.parametrize("name", detect.BUILT_IN)
def test_a_shipped_workflow_is_sound_and_its_card_says_every_step(home, name):
    flow = registry.load(home, name)
    assert (flow.source, flow.name) == ("shipped", name)
    assert f"sb-{name}" in flow.aliases, "no host has that name for itself"
    assert flow.summary and flow.persona and not flow.turbo_all
    shown = card.render(home, flow, None, "", 20_000, "nobody keeps one")
    for step in flow.steps:
        assert f"{step.number}. {step.name}: " in shown
        assert not step.turbo
    assert len(shown.partition("\n\n# ")[0]) <= card.CARD
    assert flow.body.strip() in shown


def test_every_kind_of_evidence_is_checked_by_something():
    assert set(evidence.KINDS) == set(definition.EVIDENCE)


@pytest.mark.parametrize(
    ("name", "steps", "last"),
    [
        ("accuracy", 5, ("checked", "marker")),
        ("improve-plan", 1, ("plan", "recommendation")),
        ("challenge", 5, ("plan",)),
        ("chat", 4, ("none",)),
        ("archive", 1, ("none",)),
        ("export", 2, ("archived",)),
    ],
)
def test_each_has_the_steps_that_the_protocol_gives_it(home, name, steps, last):
    flow = registry.load(home, name)
    assert (len(flow.steps), flow.steps[-1].evidence) == (steps, last)


@pytest.mark.parametrize(
    "said", ["challenge", "/challenge", "Challenge", "/sb-challenge", "sb:challenge", " challenge "]
)
def test_a_workflow_is_found_by_every_form_of_its_name(home, said):
    assert registry.canonical(home, said) == "challenge"


@pytest.mark.parametrize(
    ("said", "hint"), [("nothing", "accuracy"), ("challenge now", "accuracy"), ("handoff-lead", "move")]
)
def test_an_unknown_name_is_answered_with_what_would_have_been_right(home, said, hint):
    with pytest.raises(Refused) as refusal:
        registry.load(home, said)
    assert refusal.value.code == "E_NOT_FOUND"
    assert hint in str(refusal.value)


def test_a_workflow_of_the_users_own_stands_beside_the_shipped_ones(home, own):
    path = own("release")
    assert registry.names(home) == (*detect.BUILT_IN, "release")
    flow = registry.load(home, "release")
    assert (flow.source, flow.path, [step.name for step in flow.steps]) == ("user", path, ["notes", "ship"])


def test_the_users_file_takes_the_place_of_a_shipped_one_gates_and_all(home, own):
    own("challenge")
    flow = registry.load(home, "challenge")
    assert (flow.source, len(flow.steps)) == ("user", 2)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("persona: \"a release manager\"\n", ""), "persona"),
        (("ship: checked", "ship: wishes"), "wishes"),
        (("name: {name}", "name: other"), "calls itself"),
        (("## 2. Ship\n\nShip.\n", ""), "describes 1"),
        (('writes: ["project"]', 'writes: ["everything"]'), "everything"),
        (("steps:\n  - \"notes: notes\"\n  - \"ship: checked\"\n", ""), "no steps"),
    ],
)  # fmt: skip
def test_a_file_that_leaves_a_gate_open_is_refused_and_named(home, own, change, why):
    path = own("release", OWN.replace(*change))
    with pytest.raises(PalError) as fault:
        registry.load(home, "release")
    assert why in str(fault.value) and path in str(fault.value)
    assert registry.check(home) == [str(fault.value)]


def test_turbo_marks_are_read():
    text = OWN.replace("{name}", "release").replace("## 2.", "// turbo\n\n## 2.")
    assert [step.turbo for step in definition.parse("release", text).steps] == [False, True]
    whole = definition.parse(
        "release", OWN.replace("{name}", "release").replace("# Release", "# Release\n\n// turbo-all")
    )
    assert whole.turbo_all


def test_a_project_may_word_a_workflow_and_change_no_gate(home, project):
    folder = project / ".agent" / "workflows"
    folder.mkdir(parents=True)
    loose = OWN.replace("{name}", "challenge").replace("Write them.", "Write as you like.")
    (folder / "challenge.md").write_text(loose, encoding="utf-8")
    flow = registry.load(home, "challenge")
    body, theirs = registry.wording(str(project), flow)
    assert "Write as you like." in body and theirs.endswith("challenge.md")
    assert [step.name for step in flow.steps] == ["scope", "dependencies", "review", "present", "integrate"]
    shown = card.render(home, flow, None, str(project), 20_000, "x")
    assert "this project's wording" in shown and "5. integrate" in shown and "Write as you like." in shown


def test_a_link_out_of_the_project_words_nothing(home, project, tmp_path):
    (tmp_path / "elsewhere.md").write_text("# Something else\n", encoding="utf-8")
    folder = project / ".agent" / "workflows"
    folder.mkdir(parents=True)
    try:
        (folder / "chat.md").symlink_to(tmp_path / "elsewhere.md")
    except OSError:
        pytest.skip("this system makes no links")
    assert registry.wording(str(project), registry.load(home, "chat"))[1] == ""


def test_a_card_without_room_for_the_text_says_where_it_is(home):
    shown = card.render(home, registry.load(home, "accuracy"), None, "", 1_900, "x")
    assert "Read the whole text before you begin" in shown and "pal sb wf show accuracy" in shown
