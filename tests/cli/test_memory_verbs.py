"""`pal memory` as a person and an agent type it: what it says, what it gives to programs, what it refuses."""

from __future__ import annotations

import io
import json

import pytest
from remembered import learning

from pal.cli import main
from pal.cli.memory_search import snippet
from pal.cli.output import Output
from pal.memory import recall, search
from pal.memory.icm import store


@pytest.fixture
def pal(home, now):
    """pal("search", "x"): (exit code, stdout, stderr) of `pal memory search x`."""

    def run(*words: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        env = {"PAL_HOME": home.root, "NO_COLOR": "1"}
        code = main.run(["memory", *words], env, now, Output(env, out, err))
        return code, out.getvalue(), err.getvalue()

    return run


def test_what_was_stored_is_found_shown_changed_and_forgotten(pal):
    code, said, _ = pal("store", "The dev server listens on port 5173", "--topic", "facts-shop", "--keyword", "vite")
    name = said.split()[-1].rstrip(".")
    assert code == 0 and len(name) == 26
    assert pal("search", "dev", "server", "port")[1].splitlines()[0].startswith(name)
    assert "vite" in pal("show", name[:20])[1]
    assert "Changed" in pal("update", name, "--text", "It is port 4200 now", "--importance", "high")[1]
    assert json.loads(pal("show", name, "--json")[1])["content"] == "It is port 4200 now"
    assert name in pal("list", "--project", "shop")[1] and name not in pal("list", "--project", "other")[1]
    assert "brings it back" in pal("forget", name)[1]
    assert pal("search", "port 4200")[1] == "Nothing that is remembered answers this.\n"
    assert pal("update", name, "--status", "active")[0] == 0
    assert json.loads(pal("search", "port", "4200", "--json")[1])[0]["id"] == name


def test_a_newer_memory_supersedes_an_older_one(pal):
    names = [json.loads(pal("store", f"Postgres {number} in the shop", "--json")[1])["id"] for number in (15, 16)]
    assert names[1] in pal("supersede", names[0], "--by", names[1])[1]
    assert [hit["id"] for hit in json.loads(pal("search", "postgres", "--json")[1])] == [names[1]]
    assert "does not fade" in pal("pin", names[1])[1] and "fades again" in pal("pin", names[1], "--off")[1]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("store", "  "), 1, "a memory needs a text"),
        (("show", "01ZZZZZZ"), 1, "there is no memory"),
        (("update", "01ZZZZZZ"), 1, "say what to change"),
        (("search",), 2, "required"),
        (("search", "x", "--since", "monday"), 1, "is no day"),
        (("search", "x", "--limit", "many"), 2, "invalid int"),
        (("search", "x", "--colour"), 2, "unrecognized"),
        (("why", "nothing-like-it"), 1, "nothing is called"),
        (("explode",), 2, "invalid choice"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(pal, words, code, said):
    found, out, err = pal(*words)
    assert (found, out) == (code, "") and said in err and err.count("\n") == 1


def test_a_search_is_the_same_with_and_without_the_parser(pal, home, now):
    for number in range(3):
        store.store(home, f"Mail worker number {number} retries", now, kind="note", project="mail")
    options = ("--kind", "note", "--project", "mail", "--since", "2026-01-01", "--limit", "2", "--json")
    quick = pal("search", "mail", "worker", *options)
    assert len(json.loads(quick[1])) == 2
    assert quick == pal(
        "search", "mail", "worker", *(word.replace("--limit", "--limit=2") for word in options if word != "2")
    )


def test_a_snippet_is_what_answers_with_the_words_marked():
    said = "Nothing here\nThe retry budget of the mail worker is five\nmore\nworkers retry"
    lines = snippet(said, {"retri", "worker"})
    assert ["".join(piece for piece, _ in line) for line in lines] == said.splitlines()[1::2]
    assert [piece for piece, marked in lines[0] if marked] == ["retry", "worker"]
    assert snippet("", {"x"}) == []
    assert len("".join(piece for piece, _ in snippet("word " * 400, {"word"})[0])) <= 202


def test_why_explains_a_hit_and_what_a_session_was_told(pal, home, now):
    name = store.store(home, "Postgres migrations need the replica stopped", now)
    learning(home, "other", "Gardens bloom", now)
    search.refresh(home, now)
    prompt = "why do postgres migrations fail"
    recall.note(home, "session-1", prompt, recall.recall(home, prompt, "", now, "session-1"), now)
    told = json.loads(pal("why", name, "--json")[1])
    assert told["told"][0]["session"] == "session-1" and told["told"][0]["told"][0]["shared"] == ["migrat", "postgr"]
    explained = json.loads(pal("why", name, "--query", "postgres upgrades", "--json")[1])["query"]
    assert explained["place"] == 1 and "found in text 1" in explained["postgr"] and "nothing" in explained["upgrad"]
    assert "it covers" in pal("why", "session-1")[1]
    assert "Gardens" in pal("why", "memory/session-learning/2026-03/other.md")[1]


def test_old_memories_are_archived_only_when_that_is_asked_for(pal, home, now):
    store.store(home, "Old and light", now - 400 * 86_400, importance="low")
    assert "would be archived" in pal("prune")[1]
    assert json.loads(pal("stats", "--json")[1])["memories active"] == 1
    assert "Archived 1 memory" in pal("prune", "--yes")[1]
    assert pal("prune")[1] == "No memory has faded.\n"


def test_what_says_the_same_is_consolidated_only_when_that_is_asked_for(pal, home, now):
    for text in ("The queue holds 500 jobs at most", "At most 500 jobs: the queue holds"):
        store.store(home, text, now, topic="facts-queue")
    assert "would stand for the rest" in pal("consolidate")[1]
    assert json.loads(pal("consolidate", "--yes", "--json")[1])["consolidated"] is True
    assert json.loads(pal("stats", "--json")[1])["memories superseded"] == 1
    assert pal("consolidate", "--topic", "facts-queue")[1] == "No two memories of a topic say the same.\n"


def test_an_empty_home_says_how_to_begin(pal):
    assert "pal memory store" in pal("list")[1]
    assert "Nothing is remembered yet" in pal("stats")[1]
    assert pal("search", "anything")[0] == 0


def test_what_was_just_stored_is_recalled_at_the_next_prompt(pal, home, now):
    name = json.loads(pal("store", "Postgres migrations need the replica stopped", "--json")[1])["id"]
    assert [one.document.ref for one in recall.recall(home, "postgres migrations", "", now)] == [name]
    pal("forget", name)
    assert recall.recall(home, "postgres migrations", "", now) == []
