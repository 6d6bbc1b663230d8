"""Search: what is asked for in other words, in code and in any script is found, scored the same way every time."""

from __future__ import annotations

import pytest
from remembered import failure, learning, transcript

from pal.base.errors import PalError
from pal.memory import porter, ranking, search, synonyms, terms
from pal.memory.icm import store
from pal.memory.index.reader import same_project


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("get_user_name", ["get", "user", "name"]),
        ("getUserName", ["getusername", "get", "user", "name"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("src/pal/base/files.py", ["src", "pal", "base", "files", "py"]),
        ("retry-budget v3.10", ["retry", "budget", "v3", "10"]),
        ("C++ and C# on .NET", ["cpp", "and", "csharp", "on", "dotnet"]),
        ("Café NAÏVE ﬁle", ["cafe", "naive", "file"]),
        ("我们使用PostgreSQL", ["我们", "们使", "使用", "postgresql"]),
        ("مرحبا بالعالم", ["مرحبا", "بالعالم"]),
        ("ship 🚀 it", ["ship", "🚀", "it"]),
        ("हिन्दी", ["हिन्दी"]),
        ("", []),
    ],
)
def test_words_know_code_and_every_script(text, found):
    assert terms.words(text) == found


@pytest.mark.parametrize(
    ("words", "stem"),
    [
        ("connect connected connecting connection connections", "connect"),
        ("relational relate", "relat"),
        ("happy happi", "happi"),
        ("hopping hopped hop", "hop"),
        ("agreed agree", "agre"),
        ("generalization generalize general", "gener"),
        ("possibly possible", "possibl"),
        ("sky", "sky"),
        ("is", "is"),
        ("naïve", "naïve"),
        ("k8s", "k8s"),
    ],
)
def test_forms_of_a_word_meet_in_its_stem(words, stem):
    assert {porter.stem(word) for word in words.split()} == {stem}


def test_stop_words_and_single_letters_are_not_asked_for_and_digits_are():
    assert terms.stems("what is the port of a server on 5 v 6") == ["port", "server", "5", "6"]


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        ("cache", "cahce", True),
        ("cache", "cach", True),
        ("cache", "caches", True),
        ("cache", "ache", True),
        ("cache", "cacti", False),
        ("cache", "cache", False),
        ("abcd", "abdc", True),
        ("abcd", "badc", False),
    ],
)
def test_one_edit_is_one_letter_or_one_swap(one, other, near):
    assert ranking.one_edit(one, other) is near is ranking.one_edit(other, one)


@pytest.fixture
def stocked(home, now):
    day = 86_400.0
    store.store(home, "The dev server listens on port 5173", now - 9 * day, topic="facts-shop")
    store.store(home, "Deploys go through kubernetes", now - 400 * day, project="ops", keywords=["helm"])
    store.store(home, "parse_config() reads YAML in src/config/loader.py", now, kind="note")
    store.store(home, "我们使用 PostgreSQL 数据库", now)
    learning(home, "x", "Retry budget of the mail worker", now, cwd="/srv/mail")
    failure(home, "f", now, principle="Ask before touching the mail worker")
    search.rebuild(home, now)
    return home


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("which port does the server listen to", "The dev server listens on port 5173"),
        ("k8s", "Deploys go through kubernetes"),
        ("how do we deploy", "Deploys go through kubernetes"),
        ("helm", "Deploys go through kubernetes"),
        ("parseConfig", "parse_config() reads YAML in src/config/loader.py"),
        ("loader.py", "parse_config() reads YAML in src/config/loader.py"),
        ("kuberentes", "Deploys go through kubernetes"),
        ("数据库", "我们使用 PostgreSQL 数据库"),
        ("postgres", "我们使用 PostgreSQL 数据库"),
        ("retries for mail", "Retry budget of the mail worker"),
        ("the of and", ""),
        ("", ""),
        ('"); drop table doc; --', ""),
        ('port" OR "5173', "The dev server listens on port 5173"),
    ],
)
def test_the_best_hit_is_what_was_asked_for(stocked, now, query, said):
    hits = search.search(stocked, query, now)
    assert (hits[0].document.said if hits else "") == said


@pytest.mark.parametrize(
    ("limits", "count"),
    [
        ({"kinds": ["failure"]}, 1),
        ({"kinds": ["learning", "failure"]}, 2),
        ({"kinds": ["fact"]}, 0),
        ({"project": "mail"}, 1),
        ({"project": "/srv/mail"}, 1),
        ({"project": "/srv/other/mail"}, 0),
        ({"since": "2026-03-01"}, 2),
        ({"since": "2026-03-03"}, 0),
        ({"limit": 1}, 1),
    ],
)
def test_a_search_can_be_narrowed(stocked, now, limits, count):
    assert len(search.search(stocked, "mail worker", now, **limits)) == count


def test_a_day_that_is_none_is_refused(stocked, now):
    with pytest.raises(PalError, match="is no day"):
        search.search(stocked, "mail", now, since="yesterday")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("/srv/shop", "/srv/shop/", True),
        ("/srv/shop", "shop", True),
        ("Shop", "C:\\work\\shop", True),
        ("/srv/shop", "/home/user/shop", False),
        ("shop", "shop-api", False),
        ("", "shop", False),
    ],
)
def test_a_project_is_known_by_its_folder_or_its_name(one, other, same):
    assert same_project(one, other) is same is same_project(other, one)


def test_a_score_says_how_much_of_the_question_is_said(stocked, now):
    def score(query: str) -> float:
        return search.search(stocked, query, now)[0].score

    assert score("dev server listens on port 5173") >= 0.95
    assert 0.5 <= score("port of the dev server") < 1
    assert score("port of the zebra giraffe enclosure") < 0.3
    before = score("port of the dev server")
    for number in range(40):
        store.store(stocked, f"Unrelated thing number {number} happened in module m{number}", now)
    assert score("port of the dev server") == pytest.approx(before, abs=0.1)


def test_the_same_question_has_the_same_bytes_for_an_answer(stocked, now):
    for number in range(5):
        store.store(stocked, f"Tie {'abcde'[number]}{number}zz breaks by name", now)
    first = [hit.shown() for hit in search.search(stocked, "tie breaks by name", now)]
    search.rebuild(stocked, now)
    assert [hit.shown() for hit in search.search(stocked, "tie breaks by name", now)] == first
    assert [hit["id"] for hit in first] == sorted(hit["id"] for hit in first)


def test_what_says_the_same_twice_is_one_hit(home, now):
    for topic in ("facts-a", "facts-b"):
        store.store(home, "The queue holds at most 500 jobs", now, topic=topic)
    store.store(home, "The queue drops jobs older than a day", now)
    assert len(search.search(home, "jobs in the queue", now)) == 2


def test_a_turn_is_found_by_what_was_said_around_it(home, now):
    talk = [("Ann", "Which adoption agency did you choose?"), ("Mel", "The one in Lisbon, they were kind")]
    transcript(home, "talk", "2026-02-02", [*talk, ("Ann", "Lovely"), ("Mel", "Now let us cook"), ("Ann", "Yes, soup")])
    hits = search.search(home, "adoption agency in Lisbon", now)
    found = [hit.document.said for hit in hits]
    assert "Mel: The one in Lisbon, they were kind" in found[:2] and "Mel: Now let us cook" not in found[:2]


def test_a_users_own_synonyms_are_known(stocked, now):
    assert search.search(stocked, "quokka", now) == []
    with open(stocked.synonyms, "w", encoding="utf-8") as stream:
        stream.write("# animals\nquokka kubernetes   # of the platform team\n")
    assert search.search(stocked, "quokka", now)[0].document.said == "Deploys go through kubernetes"
    assert "kubernet" in synonyms.groups(stocked)["k8s"]
