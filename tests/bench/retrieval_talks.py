"""LoCoMo, turn by turn: conversations imported as transcripts, every answerable question asked of PAL's own search.

The set is read where it stands and never copied (CC BY-NC 4.0, Maharana et al., ACL 2024)."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator

from pal.base import files, frontmatter
from pal.base.home import Home
from pal.memory import recall, search, synonyms, terms
from pal.memory.importing import pages, run
from pal.memory.index.reader import Reader, Scope, open_index

TUNED = 5  # the first conversations, on which constants were chosen
K = 10
FLOORS = (0.0, 0.25, 0.3, 0.35, 0.4, 0.45)
# What is asked of a coding agent all day and has nothing to do with the conversations.
CHORES = """
commit and push
bump eslint to the latest major version
rename the helper in the settings page and run the linter
fix the failing unit test in the parser module
add a docstring to every public function
run the formatter over the whole repository
why does the build fail on windows?
update the changelog and tag a release
remove the unused imports
please write a test for the empty list case
refactor the login handler into two functions
make the button blue and move it to the right
what does this regular expression match?
upgrade the dependencies and check nothing broke
explain the difference between merge and rebase
add a dark mode switch to the settings
the CI pipeline is red, have a look
generate a migration for the new column
rewrite this loop as a list comprehension
add type hints to the utils module
set up a docker compose file for postgres and redis
show me the git log of the last week
delete the old feature flag and its code
why is this query slow? add an index if needed
convert this class component to hooks
handle the timeout error in the http client
squash the last three commits
document the REST endpoints in the readme
write a bash script that backs up the database
increase the memory limit of the worker
"""
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
           "December")  # fmt: skip
Place = tuple[str, int]  # a turn: its file and its section
Question = tuple[str, set[Place]]


def load(path: str) -> list[dict]:
    with open(path, encoding="utf-8") as stream:
        return json.load(stream)


def sessions(talk: dict) -> Iterator[tuple[int, str, list[dict]]]:
    """(number, day, turns) of each session that has turns."""
    said = talk["conversation"]
    numbers = (
        int(key[8:]) for key, value in said.items() if re.fullmatch(r"session_\d+", key) and isinstance(value, list)
    )
    for number in sorted(numbers):
        day, month, year = re.search(r"on (\d+) (\w+), (\d+)", said[f"session_{number}_date_time"]).groups()
        yield number, f"{year}-{_MONTHS.index(month) + 1:02d}-{int(day):02d}", said[f"session_{number}"]


def text_of(turn: dict) -> str:
    return turn["text"] + (f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else "")


def take_in(home: Home, talks: list[tuple[int, dict]], source: str, now: float) -> dict[tuple[int, str], Place]:
    """Import the conversations; where each turn, by conversation and its id in the set, is found afterwards."""
    os.makedirs(source, exist_ok=True)
    for number, talk in talks:
        lines = [f"---\ntitle: talk-{number}\n---\n"]
        for session, day, turns in sessions(talk):
            lines.append(f"# Session {session}, {day}\n")
            lines += [f"## {turn['speaker']}\n\n{text_of(turn)}\n" for turn in turns]
        files.write(os.path.join(source, f"talk-{number}.md"), "\n".join(lines))
    run.take(home, list(pages.conversations(source)), "transcripts-markdown", now)
    files_of = {}
    for folder, _, names in os.walk(home.session_learning):
        for name in names:
            if name.endswith(".md"):
                path = os.path.join(folder, name)
                title = str(frontmatter.parse(files.read_text(path) or "")[0].get("title"))
                found = re.match(r"talk-(\d+)\b.*Session (\d+)", title)
                if found:
                    files_of[int(found[1]), int(found[2])] = home.relative(path)
    places = {}
    for number, talk in talks:
        for session, _, turns in sessions(talk):
            for at, turn in enumerate(turn for turn in turns if text_of(turn).strip()):
                places[number, turn["dia_id"]] = (files_of[number, session], at)
    return places


def questions(number: int, talk: dict, places: dict[tuple[int, str], Place]) -> list[Question]:
    found = []
    for asked in talk["qa"]:
        named = [
            (number, f"D{int(first)}:{int(second)}")
            for evidence in asked["evidence"]
            for first, second in re.findall(r"D:?(\d+):(\d+)", evidence)
        ]
        answers = {places[name] for name in named if name in places}
        if answers and asked["category"] < 5:
            found.append((asked["question"], answers))
    return found


Row = tuple[float, float, float]  # recall at 5, recall at 10, reciprocal rank


def ask(home: Home, asked: list[Question]) -> list[Row]:
    like = synonyms.groups(home)
    rows = []
    with open_index(home.index, 1.0) as reader:
        for question, answers in asked:
            hits = search.hits(reader, terms.stems(question), like, Scope(), K)
            got = [(hit.document.ref, hit.document.seq) for hit in hits]
            first = next((1 / (at + 1) for at, place in enumerate(got) if place in answers), 0.0)
            rows.append((len(set(got[:5]) & answers) / len(answers), len(set(got) & answers) / len(answers), first))
    return rows


def mean(rows: list[Row]) -> dict[str, float]:
    count = max(1, len(rows))
    five, ten, rank = (sum(row[number] for row in rows) / count for number in range(3))
    return {"r5": round(100 * five, 1), "r10": round(100 * ten, 1), "mrr": round(rank, 3), "questions": len(rows)}


def measure(path: str, place: str, now: float) -> tuple[dict, dict]:
    """(search, injection): the figures for both."""
    talks = list(enumerate(load(path)))
    per_store, one_store, every = [], [], []
    for number, talk in talks:
        home = Home(os.path.join(place, f"store-{number}"))
        places = take_in(home, [(number, talk)], os.path.join(place, f"source-{number}"), now)
        search.rebuild(home, now)
        per_store.append(ask(home, questions(number, talk, places)))
    home = Home(os.path.join(place, "one"))
    places = take_in(home, talks, os.path.join(place, "source"), now)
    search.rebuild(home, now)
    for number, talk in talks:
        every.append(questions(number, talk, places))
        one_store.append(ask(home, every[-1]))
    whole, together = mean(sum(per_store, [])), mean(sum(one_store, []))
    found = {
        "r10_per_store": whole["r10"],
        "r10_one_store": together["r10"],
        "mrr": min(whole["mrr"], together["mrr"]),
        "k": K,
        "pool_one_store": len(places),
        "pool_per_store": round(len(places) / len(talks)),
        "per_store": {
            "all": whole,
            "tuned": mean(sum(per_store[:TUNED], [])),
            "held_out": mean(sum(per_store[TUNED:], [])),
        },
        "one_store": {
            "all": together,
            "tuned": mean(sum(one_store[:TUNED], [])),
            "held_out": mean(sum(one_store[TUNED:], [])),
        },
    }
    return found, injection(home, every, now)


def injection(home: Home, every: list[list[Question]], now: float) -> dict:
    """How often an answer is among what a question injects, and how much a chore injects that has none."""
    chores = CHORES.strip().splitlines()
    like = synonyms.groups(home)
    with open_index(home.index, 1.0) as reader:

        def told(prompt: str) -> list[recall.Recalled]:
            return recall.select(reader, recall.Prompt(prompt), like, (), now)

        parts = [[_holds(told(question), answers) for question, answers in asked] for asked in every]
        injected = [len(told(chore)) for chore in chores]
        curve = _curve(reader, like, sum(every[:TUNED], [])[::3], chores, now)
    hits = sum(parts, [])
    return {
        "injected": round(sum(injected) / len(chores), 2),
        "hit5": round(100 * sum(hits) / len(hits), 1),
        "hit5_tuned": round(100 * sum(sum(parts[:TUNED], [])) / len(sum(parts[:TUNED], [])), 1),
        "hit5_held_out": round(100 * sum(sum(parts[TUNED:], [])) / len(sum(parts[TUNED:], [])), 1),
        "k": recall.MOST,
        "pool": reader.docs,
        "chores": len(chores),
        "silent": sum(not count for count in injected),
        "curve": curve,
    }


def _holds(told: list[recall.Recalled], answers: set[Place]) -> bool:
    return any((one.document.ref, one.document.seq) in answers for one in told)


def _curve(reader: Reader, like: dict, asked: list[Question], chores: list[str], now: float) -> list[dict]:
    """The same for other floors, over a third of the questions that constants were chosen on."""
    prompts = [question for question, _ in asked] + chores
    passed = [recall.passing(reader, recall.Prompt(prompt), like, (), now, 0.0) for prompt in prompts]
    rows = []
    for floor in FLOORS:
        told = [
            recall.distinct([one for one in found if one.names or one.covered >= floor], reader, recall.MOST)
            for found in passed
        ]
        hit = sum(_holds(found, answers) for found, (_, answers) in zip(told, asked))
        rest = sum(map(len, told[len(asked) :]))
        rows.append(
            {"floor": floor, "hit5": round(100 * hit / len(asked), 1), "injected": round(rest / len(chores), 2)}
        )
    return rows
