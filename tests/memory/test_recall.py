"""What a prompt is reminded of: what bears on it and nothing else, never in the way, never hidden by the gate."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from remembered import DAY, FILLER, crystal, failure, learning, transcript

from pal.base.home import Home
from pal.memory import recall, search
from pal.memory.icm import store

PROMPT = "postgres migrations restarting"


@pytest.fixture
def stocked(home, now) -> Home:
    """A home with one lesson that matters among some that do not."""
    learning(home, "db", "Run migrations before restarting the postgres container", now - 3 * DAY, cwd="/srv/shop")
    for number, text in enumerate(FILLER):
        learning(home, f"filler-{number}", text, now - DAY)
    search.rebuild(home, now)
    return home


def texts(home, prompt, now, cwd="/elsewhere") -> list[str]:
    return [one.document.said for one in recall.recall(home, prompt, cwd, now)]


def test_a_lesson_is_found_by_what_it_says(stocked, now):
    (found,) = recall.recall(stocked, "the postgres migration fails, why?", "/elsewhere", now)
    one = found.document
    assert (one.source, one.said) == ("learning", "Run migrations before restarting the postgres container")
    assert (one.rating, one.project, recall.age_days(one, now)) == (None, "/srv/shop", 3)
    assert stocked.below(one.ref) == os.path.join(stocked.session_learning, "2026-02", "db.md")
    assert found.shared == ["migrat", "postgr"] and 0.35 <= found.covered <= 1


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "ok",
        "postgres",
        "is postgres fast for a dashboard of weather data?",
        "restarting restarted restarts",
        "commit and push",
        "the of and to",
        "postgres migrations " + " ".join(f"subject{number}" for number in range(50)),
        "x " * 2100 + "postgres migrations",
    ],
)
def test_too_little_in_common_finds_nothing(stocked, now, prompt):
    assert texts(stocked, prompt, now) == []


def test_a_huge_prompt_is_read_from_its_beginning(stocked, now):
    assert texts(stocked, "postgres migrations " + "the " * 2_000_000, now) != []


def test_a_lesson_from_another_project_must_cover_more(home, now):
    learning(home, "there", "Postgres migrations want a snapshot taken", now, cwd="/srv/other")
    for number, text in enumerate(FILLER):
        learning(home, f"filler-{number}", text, now - DAY)
    search.rebuild(home, now)
    prompt = "postgres migrations for gardens of quiet sailors"
    assert texts(home, prompt, now, "/srv/other") != []
    assert texts(home, prompt, now, "/srv/elsewhere") == []
    assert texts(home, "postgres migrations", now, "/srv/elsewhere") != []


def test_a_memory_of_another_project_is_never_told(home, now):
    store.store(home, "Postgres listens on port 5433", now, project="shop")
    search.refresh(home, now)
    assert texts(home, "which port does postgres use?", now, "/srv/shop") == ["Postgres listens on port 5433"]
    assert texts(home, "which port does postgres use?", now, "/srv/blog") == []


def test_lessons_and_memories_fade_until_they_are_told_no_more(stocked, now):
    store.store(stocked, "Replica lag breaks the nightly export", now, importance="low")
    pinned = store.store(stocked, "Nightly export writes parquet", now, importance="low")
    store.pin(stocked, pinned, now)
    search.refresh(stocked, now)
    export = "the nightly export of the replica"
    assert len(texts(stocked, PROMPT, now)) == 1 and len(texts(stocked, export, now)) == 2
    assert texts(stocked, PROMPT, now + 400 * DAY) == []
    assert texts(stocked, export, now + 400 * DAY) == ["Nightly export writes parquet"]
    assert search.search(stocked, PROMPT, now + 400 * DAY) != []


def test_what_was_superseded_forgotten_or_has_run_out_is_never_told(home, now):
    old = store.store(home, "Deploys run on Jenkins agents", now)
    new = store.store(home, "Deploys run on Buildkite agents", now)
    gone = store.store(home, "Deploys run at night on agents", now)
    store.store(home, "Deploys run frozen agents", now, valid_to="2026-03-01T00:00:00Z")
    store.store(home, "Deploys run agents to be decided", now, status="pending")
    store.supersede(home, old, new, now)
    store.forget(home, gone, now)
    search.refresh(home, now)
    assert texts(home, "deploys run agents", now) == ["Deploys run on Buildkite agents"]
    assert [hit.id for hit in search.search(home, "deploys jenkins agents", now)][0] == new


def test_a_whole_name_is_enough_even_mistyped(home, now):
    store.store(home, "The cluster lives on EKS", now, keywords=["kubernetes", "dead letter"])
    store.store(home, "Everything else", now)
    search.refresh(home, now)
    for prompt in ("kubernetes?", "tell me about kuberentes please", "what of the dead letter thing", "KUBERNETES"):
        assert texts(home, prompt, now) == ["The cluster lives on EKS"], prompt
    for prompt in ("a letter to my bank", "kuber", "the dead end"):
        assert texts(home, prompt, now) == [], prompt


def test_a_failure_is_told_by_its_principle_with_its_rating(home, now):
    failure(
        home, "f", now - 2 * DAY, rating=2, context="you broke it", principle="Check the staging deploy first", cwd="/w"
    )
    search.rebuild(home, now)
    (found,) = recall.recall(home, "deploy to staging", "", now)
    one = found.document
    assert (one.source, one.title, one.rating) == ("failure", "Check the staging deploy first", 2)


def test_what_was_said_in_a_failed_conversation_is_no_lesson(home, now):
    failure(home, "f", now, context="Wrong timezone conversion")
    search.rebuild(home, now)
    assert texts(home, "zebra xylophone", now) == []
    assert len(texts(home, "timezone conversion", now)) == 1


def test_crystals_do_not_fade_and_stand_in_for_the_failures_they_grew_from(home, now):
    crystal(
        home,
        "Deploying",
        "### Check the staging deploy first [CRYSTAL: 91%]",
        "### Unripe staging deploy [CRYSTAL: 60%]",
    )
    failure(home, "f", now, principle="Check staging deploy logs first", context="x")
    learning(home, "l", "Staging deploy takes ten minutes", now)
    search.rebuild(home, now)
    found = [one.document for one in recall.recall(home, "staging deploy", "", now)]
    assert sorted((one.source, one.title, one.rating) for one in found) == [
        ("learning", "Staging deploy takes ten minutes", None),
        ("wisdom", "Check the staging deploy first", 91),
    ]
    later = recall.recall(home, "staging deploy", "", now + 400 * DAY)
    assert [one.document.source for one in later] == ["wisdom"]


def test_at_most_five_two_of_a_session_and_none_that_says_the_same_again(home, now):
    for number in range(4):
        learning(home, f"same-{number}", "Postgres migrations need the replica stopped", now - number * DAY)
    for number, rest in enumerate(("lock tables badly", "want snapshots", "break views", "drop grants", "eat disks")):
        learning(home, f"other-{number}", f"Postgres migrations {rest}", now - 5 * DAY)
    for number in range(3):
        source = {"session": "s1"}
        store.store(home, f"Postgres migrations of schema{number} fail in step{number}", now, source=source)
    search.rebuild(home, now)
    found = texts(home, "postgres migrations", now)
    assert len(found) == 5 == len(set(found))
    assert sum("schema" in text for text in found) <= 2
    assert sum("replica" in text for text in found) <= 1


def test_every_turn_of_a_conversation_may_be_told(home, now):
    turns = [("Ann", f"The violin lesson number{number} of Melanie was fine") for number in range(4)]
    turns = [(speaker, f"{said} {FILLER[number]}") for number, (speaker, said) in enumerate(turns)]
    transcript(home, "talk", "2026-02-01", turns)
    search.rebuild(home, now)
    assert len(texts(home, "violin lesson of Melanie", now)) == 4


def test_a_session_is_told_once_but_the_same_prompt_is_told_the_same(stocked, now):
    first = recall.recall(stocked, PROMPT, "", now, "s1")
    assert first
    recall.note(stocked, "s1", PROMPT, first, now)
    assert recall.recall(stocked, PROMPT, "", now + 1, "s1") != []
    other = "why do postgres migrations fail?"
    assert recall.recall(stocked, other, "", now + 1, "s1") == []
    assert recall.recall(stocked, other, "", now + 1, "s2") != []
    assert recall.recall(stocked, other, "", now + 2 * 3600, "s1") != []


def test_private_text_in_a_file_written_by_hand_is_not_indexed(home, now):
    learning(home, "p", "Postgres migrations <private>for Acme Corp</private> need care", now)
    search.rebuild(home, now)
    (text,) = texts(home, "postgres migrations", now)
    assert "Acme" not in text
    assert b"Acme" not in Path(home.index).read_bytes()
    assert b"acm" not in Path(home.index).read_bytes()


def test_a_locked_index_is_waited_for_shortly_and_then_left_alone(stocked, now, monkeypatch):
    monkeypatch.setattr(recall, "_WAIT", 0.01)
    other = sqlite3.connect(stocked.index, isolation_level=None)
    other.execute("begin exclusive")
    assert texts(stocked, PROMPT, now) == []
    other.execute("rollback")
    other.close()
    assert texts(stocked, PROMPT, now) != []


@pytest.mark.parametrize(
    ("prompt", "loaded"), [("weather dashboards everywhere", False), ("postgres migrations", True)]
)
def test_sqlite_is_loaded_only_for_a_prompt_that_may_match(stocked, tmp_path, now, prompt, loaded):
    code = (
        "import sys\nfrom pal.base.home import Home\nfrom pal.memory import recall\n"
        "recall.recall(Home(sys.argv[1]), sys.argv[2], '', float(sys.argv[3]))\n"
        "print('_sqlite3' in sys.modules, 'sqlite3' in sys.modules, 're' in sys.modules)\n"
    )
    source = str(Path(recall.__file__).parents[2])
    command = [sys.executable, "-I", "-S", "-c", f"import sys\nsys.path.insert(0, {source!r})\n" + code]
    run = subprocess.run(
        [*command, stocked.root, prompt, str(now)], capture_output=True, text=True, cwd=tmp_path, timeout=60
    )
    assert run.stdout.split() == [str(loaded), "False", "False"], run.stderr


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.lists(st.sampled_from(" ".join(FILLER).split()), min_size=2, max_size=9), min_size=1, max_size=6),
    st.lists(st.sampled_from(" ".join(FILLER).split()), min_size=1, max_size=6),
    st.integers(0, 6),
)
def test_with_the_gate_a_prompt_finds_what_it_finds_without(tmp_path_factory, stored, prompt, built_after):
    home, now = Home(str(tmp_path_factory.mktemp("home"))), 1772439300.0
    for number, words in enumerate(stored):
        learning(home, f"l-{number}", " ".join(words), now)
        if number % 2:
            store.store(home, "memory " + " ".join(words), now, keywords=words[:1])
        if number == built_after:
            search.rebuild(home, now)
    search.refresh(home, now)
    gated = texts(home, " ".join(prompt), now)
    os.remove(home.memory_gate)
    assert texts(home, " ".join(prompt), now) == gated


def test_many_memories_of_other_projects_do_not_crowd_out_the_one_that_is_from_here(home, now):
    drafts = [store.draft(f"Postgres replica number {number} lags", now, project="other") for number in range(200)]
    store.put_all(home, [*drafts, store.draft("The postgres replica here never lags", now, project="shop")], now)
    search.refresh(home, now)
    assert texts(home, "does the postgres replica lag?", now, "/srv/shop") == ["The postgres replica here never lags"]


def test_what_many_memories_are_called_is_no_name(home, now):
    drafts = [store.draft(f"Step {number} of it", now, keywords=["rollout", f"step-{number}"]) for number in range(30)]
    store.put_all(home, drafts, now)
    search.refresh(home, now)
    assert texts(home, "please prepare the next rollout for the customers", now) == []
    assert texts(home, "what was step-17 again, in all this long story of ours?", now)[0] == "Step 17 of it"
