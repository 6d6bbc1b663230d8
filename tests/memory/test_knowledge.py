"""Pages of knowledge: made once, linked, found, taken in again without doubles."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from pal.base import records
from pal.base.errors import PalError
from pal.cli import main
from pal.cli.output import Output
from pal.memory.knowledge import finding, graph, intake, pages


@pytest.fixture
def anna(home, now):
    return pages.add(home, "People", "Anna Kovács", now, "Met at [[Acme]] in Lyon.", ["climbing"])[0]


@pytest.fixture
def acme(home, now):
    return pages.add(home, "company", "Acme", now, "Makes anvils, anvils, anvils.", ["climbing", "topic:metal"])[0]


def test_a_page_is_a_markdown_file_that_people_can_read(home, now):
    pages.add(home, "ideas", "Spaced repetition", now, "Words.", ["memory"], [("Anki", "extends")], quality=7)
    assert Path(pages.path(home, "Ideas", "spaced-repetition")).read_text() == (
        '---\ntitle: "Spaced repetition"\ntype: "idea"\ntags: ["memory"]\ncreated: "2026-03-02T08:15:00Z"\n'
        'updated: "2026-03-02T08:15:00Z"\nquality: 7\nstatus: "seedling"\n'
        'related: [{"slug": "anki", "type": "extends"}]\n---\n\nWords.\n'
    )


def test_adding_a_page_again_leaves_it_as_it_is(home, now, anna):
    page, new = pages.add(home, "People", "anna kovacs", now + 60, "Other text.")
    assert (new, page.title, page.body) == (False, "Anna Kovács", "Met at [[Acme]] in Lyon.\n")


def test_what_a_person_wrote_into_the_header_stays(home, now):
    path = Path(pages.path(home, "People", "bob"))
    path.parent.mkdir(parents=True)
    path.write_text("---\ntitle: Bob\nphone: 12\naliases:\n  - Robert\nrelated:\n  - anna-kovacs:supports\n---\nHi.\n")
    page = pages.find(home, "robert")
    assert page.related == [("anna-kovacs", "supports")]
    intake.note(home, page, "Likes tea.", "mail", now)
    assert pages.find(home, "bob").fields["phone"] == 12


def test_a_page_takes_no_secret(home, now):
    token = "ghp_" + "0123456789abcdefghij0123456789abcdef"
    pages.add(home, "Ideas", "Token", now, f"it is {token} <private>x</private>")
    assert "it is [redacted:github-token]" in Path(pages.path(home, "Ideas", "token")).read_text()


@pytest.mark.parametrize(
    ("domain", "name", "fields"),
    [("Animals", "Cat", {}), ("Ideas", " ", {}), ("Ideas", "x", {"status": "old"}), ("Ideas", "x", {"quality": 11}),
     ("Ideas", "x", {"related": [("y", "likes")]})],
)  # fmt: skip
def test_what_cannot_be_is_refused(home, now, domain, name, fields):
    with pytest.raises(PalError):
        pages.add(home, domain, name, now, **fields)


def test_pages_hang_together_by_links_names_in_the_text_and_tags(home, now, anna, acme):
    metal, _ = pages.add(home, "Research", "Metal fatigue", now)
    pages.link(home, acme, metal, "supports", now)
    pages.link(home, acme, metal, "supports", now)
    every = pages.every(home)
    assert {(edge.one, edge.other, edge.kind, edge.label) for edge in graph.edges(every)} == {
        ("anna-kovacs", "acme", "wikilink", ""),
        ("acme", "metal-fatigue", "related", "supports"),
        ("anna-kovacs", "acme", "tag", "climbing"),
    }
    rings = graph.around(every, "anna-kovacs", 3)
    assert [[slug for slug, _ in ring] for ring in rings] == [["acme"], ["metal-fatigue"]]
    assert [(page.slug, joined) for page, joined in graph.hubs(every, 10)] == [
        ("acme", 2), ("anna-kovacs", 1), ("metal-fatigue", 1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("query", "slugs"),
    [("anvils", ["acme"]), ("anna lyon", ["anna-kovacs"]), ("climbing", ["acme", "anna-kovacs"]), ("nobody", [])],
)
def test_pages_are_found_by_name_tag_and_text(home, anna, acme, query, slugs):
    assert [page.slug for page, _ in finding.search(pages.every(home), query)] == slugs


def test_a_tag_is_found_with_its_prefix_too(home, anna, acme):
    assert [page.slug for page in finding.tagged(pages.every(home), "metal")] == ["acme"]


def test_taking_the_same_in_twice_changes_nothing(home, now):
    found = {
        "people": [{"name": "Béla", "about": "Knows Anna.", "tags": ["x"], "related": ["anna:supports"]}],
        "companies": ["Acme"],
    }
    assert intake.ingest(home, found, "mail", now) == {"new": 2, "changed": 0, "known": 0}
    before = {path: path.read_bytes() for path in Path(home.knowledge).rglob("*.md")}
    assert intake.ingest(home, found, "mail", now + 60) == {"new": 0, "changed": 0, "known": 2}
    assert before == {path: path.read_bytes() for path in Path(home.knowledge).rglob("*.md")}
    found["people"][0]["about"] = "Knows Anna and Carl."
    assert intake.ingest(home, found, "mail", now) == {"new": 0, "changed": 1, "known": 1}
    assert pages.find(home, "Béla").related == [("anna", "supports")]


@pytest.mark.parametrize("found", [[], {}, {"people": {}}, {"people": [{"about": "x"}]}, "x"])
def test_input_of_another_form_is_refused(home, now, found):
    with pytest.raises(PalError):
        intake.ingest(home, found, "mail", now)


def test_names_found_in_sessions_wait_until_a_person_decides(home, now, acme):
    for kind, name in (("person", "Dora"), ("company", "ACME Ltd"), ("tool", "Anvil")):
        row = {"ts": "2026-03-02T08:15:00Z", "kind": kind, "name": name, "about": f"{name} came up."}
        records.append(home, home.entity_candidates, row, now)
    dora, ltd, tool = intake.waiting(home)
    assert (dora["domain"], ltd["domain"], tool["domain"]) == ("People", "Companies", "Ideas")
    assert intake.accept(home, dora["id"], now).title == "Dora"
    assert "ACME Ltd came up." in intake.accept(home, ltd["id"], now, slug="acme").body
    intake.reject(home, tool["id"], now)
    assert intake.waiting(home) == []
    with pytest.raises(PalError, match="nothing waits"):
        intake.accept(home, dora["id"], now)


@pytest.fixture
def typed(home, fresh_home, now):
    def run(*argv: str):
        out, err = io.StringIO(), io.StringIO()
        values = {"HOME": str(fresh_home), "USERPROFILE": str(fresh_home), "PATH": ""}
        code = main.run(("knowledge", *argv), values, now, Output(values, out, err))
        return code, out.getvalue(), err.getvalue()

    return run


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("list",), "Companies/acme  Acme"), (("show", "acme"), "Acme (Companies/acme)"), (("hubs",), "Companies/acme"),
        (("find", "anvils"), "Companies/acme  Acme  Makes anvils"), (("graph", "acme"), "anna-kovacs"),
        (("link", "acme", "Anna Kovács", "--type", "part-of"), "acme part-of anna-kovacs."),
        (("add", "Ideas", "New thing", "--related", "acme:extends"), "Made Ideas/new-thing."),
        (("note", "acme", "Also nails.", "--source", "mail"), "Added to Companies/acme."),
        (("review",), "Nothing waits"),
    ],
)  # fmt: skip
def test_the_verb_says_it_to_people_and_to_programs(typed, anna, acme, argv, said):
    code, out, err = typed(*argv, "--json")
    assert (code, err) == (0, "")
    json.loads(out)
    code, out, err = typed(*argv)
    assert (code, err) == (0, "")
    assert said in out or argv[0] in ("add", "note")


@pytest.mark.parametrize("argv", [("show", "zz"), ("find",), ("add", "Foo", "x"), ("graph", "acme", "--hops", "0")])
def test_a_mistake_is_one_sentence(typed, acme, argv):
    code, out, err = typed(*argv)
    assert (code, out) == (1, "") and err.startswith("pal: ") and err.count("\n") == 1
