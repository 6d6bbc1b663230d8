"""Which skills a labelled table of prompts is offered: the right one nearly always, a wrong one hardly ever."""

from __future__ import annotations

from pathlib import Path

import pytest

from pal.skills import index, triggers

ROOT = Path(__file__).resolve().parents[2]
RIGHT, NEEDLESS = 0.90, 0.05  # the least share of prompts served, the greatest share of offers that miss


def rows() -> list[tuple[set[str], str]]:
    """(the skills that fit, the prompt)."""
    lines = (ROOT / "tests" / "data" / "skill-prompts.tsv").read_text("utf-8").splitlines()
    split = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return [(set(filter(None, names.split("|"))), prompt) for names, prompt in split]


@pytest.fixture(scope="module")
def skills() -> dict:
    """The index as an install makes it, of the shipped skills alone."""
    folders = sorted((ROOT / "assets" / "skills").glob("*/SKILL.md"))
    return {path.parent.name: index.entry(path.parent.name, path.read_text("utf-8")) for path in folders}


def offered(skills: dict, prompt: str) -> list[str]:
    return [name for name, *_ in triggers.best(skills, prompt)]


def test_the_table_is_large_and_knows_every_skill(skills: dict) -> None:
    labelled = set().union(*(names for names, _ in rows()))
    assert len(rows()) >= 150
    assert sum(not names for names, _ in rows()) >= 50
    assert labelled == set(skills)
    assert len({prompt for _, prompt in rows()}) == len(rows())


def test_the_right_skill_is_offered(skills: dict) -> None:
    missed = [(names, prompt) for names, prompt in rows() if names and not names & set(offered(skills, prompt))]
    wanted = sum(bool(names) for names, _ in rows())
    assert len(missed) <= (1 - RIGHT) * wanted, missed


def test_needless_offers_are_rare(skills: dict) -> None:
    offers = [(name, names, prompt) for names, prompt in rows() for name in offered(skills, prompt)]
    needless = [offer for offer in offers if offer[0] not in offer[1]]
    assert len(needless) <= NEEDLESS * len(offers), needless
    silent = [prompt for names, prompt in rows() if not names]
    disturbed = [prompt for prompt in silent if offered(skills, prompt)]
    assert len(disturbed) <= NEEDLESS * len(silent), disturbed
