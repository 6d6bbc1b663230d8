"""What counts as a rating a person typed, and what merely begins with a number."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pace import least

from pal.memory import ratings

RATED = [
    ("7", 7, "7"),
    ("1", 1, "1"),
    ("10", 10, "10"),
    ("  9  ", 9, "9"),
    ("9\n", 9, "9"),
    ("10!", 10, "10!"),
    ("9!!", 9, "9!!"),
    ("8 - great", 8, "great"),
    ("9 - quick and right", 9, "quick and right"),
    ("8: less talk, please", 8, "less talk, please"),
    ("2 - failed again", 2, "failed again"),
    ("2 - the page is 8 MB now, never inline images", 2, "the page is 8 MB now, never inline images"),
    ("3: a mess", 3, "a mess"),
    ("10, the best answer so far", 10, "the best answer so far"),
    ("8 – great", 8, "great"),
    ("8 — great", 8, "great"),
    ("8- great", 8, "great"),
    ("8-great", 8, "great"),
    ("6: needs work", 6, "needs work"),
    ("6:needs work", 6, "needs work"),
    ("7, great job", 7, "great job"),
    ("9 excellent", 9, "excellent"),
    ("8 great work, thanks", 8, "great work, thanks"),
    ("8 thanks", 8, "thanks"),
    ("10! amazing", 10, "amazing"),
    ("6 needs work", 6, "needs work"),
    ("7 good but slow", 7, "good but slow"),
    ("7 could be faster", 7, "could be faster"),
    ("4 too slow", 4, "too slow"),
    ("5 meh", 5, "meh"),
    ("5 okay I guess", 5, "okay I guess"),
    ("2 terrible", 2, "terrible"),
    ("3 you ignored my instructions", 3, "you ignored my instructions"),
    ("3 - you missed the tests", 3, "you missed the tests"),
    ("2 this broke everything", 2, "this broke everything"),
    ("4 - not what I asked for", 4, "not what I asked for"),
    ("1 - completely wrong", 1, "completely wrong"),
    ("3: too long, and it ignored the style guide", 3, "too long, and it ignored the style guide"),
    ("7 - add tests next time", 7, "add tests next time"),
    ("9 👍", 9, "👍"),
    ("8 :)", 8, ":)"),
    ("9/10", 9, "9/10"),
    ("9/10.", 9, "9/10."),
    ("9/10!", 9, "9/10!"),
    ("10/10", 10, "10/10"),
    ("1/10", 1, "1/10"),
    ("9 / 10", 9, "9 / 10"),
    ("9/10 - great", 9, "great"),
    ("9/10 great", 9, "great"),
    ("9/10, but slow", 9, "but slow"),
    ("9/10: the plan was clear", 9, "the plan was clear"),
    ("9/10 would use again", 9, "would use again"),
    ("3/10 you broke the build", 3, "you broke the build"),
    ("9 out of 10", 9, "9 out of 10"),
    ("9 out of 10, lovely", 9, "lovely"),
    ("8 - great\n\nNow go on with the parser.", 8, "great\n\nNow go on with the parser."),
    ("9/10\nthe naming could be better", 9, "the naming could be better"),
    ("<system-reminder>tests passed 3 of 3</system-reminder>\n9", 9, "9"),
    ("<ide_opened_file>The user opened /a/b.py</ide_opened_file> 8 - great", 8, "great"),
    ("<ide_selection>line 3\n7 files</ide_selection>\n9/10", 9, "9/10"),
    ("9 - tökéletes", 9, "tökéletes"),
]

NOT_RATED = [
    "",
    "   ",
    "0",
    "0/10",
    "11",
    "11/10",
    "100",
    "5/8",
    "10/20",
    "9/100",
    "9/10/2024",
    "9/10th of the users",
    "9/10 tests pass",
    "3/10 done",
    "9 out of 10 tests pass",
    "3.5",
    "9.5/10",
    "3,5",
    "7th",
    "7 th item",
    "1st",
    "2nd one",
    "2 3 5",
    "1-3",
    "1 - 3",
    "1, 3",
    "1, 2 and 3",
    "1 and 2",
    "1 & 2",
    "1 or 2",
    "2 + 3",
    "5 * 4",
    "3 files failed",
    "3 tests failed",
    "3 broken tests left",
    "2 failed runs",
    "8 minutes",
    "8 minutes ago it worked",
    "2 hours later",
    "5 items",
    "4 steps remain",
    "6 lines changed",
    "2 bugs found",
    "10%",
    "10 % of users",
    "9am",
    "9 am tomorrow",
    "10:30 standup",
    "5: 30",
    "10k rows",
    "3x faster",
    "3 new endpoints please",
    "1 of the tests is red",
    "2 in the list",
    "3 to go",
    "2 the second one",
    "3 a day",
    "1 looks good",
    "2 sounds great",
    "2 please",
    "2 is fine",
    "1 first, then the rest",
    "1. do x",
    "1. do x\n2. do y",
    "1) do x\n2) do y",
    "1: do x\n2: do y",
    "1 - add login\n2 - add logout",
    "1: add a login page",
    "2 - the second option",
    "1: the first one",
    "2 - the old version",
    "3 - more tests",
    "4 - of the files",
    "3: yes",
    "2, and make it blue",
    "3-way merge is needed",
    "2-factor login is broken",
    "7z archive",
    "8?",
    "8 or 9?",
    "is it 8?",
    "rating: 8",
    "I'd give it 8/10",
    "great, 9",
    "-5",
    "+5",
    "#7",
    "９",
    "10/10/10",
    "1/2",
    "3 people complained",
    "5 users see a great banner",
    "10 new rows appear when I click save",
    "7 days is too long for a session",
    "3 of 5 checks fail",
    "4 more",
    "2 more fixes and we are good",
    "This session is being continued from a previous conversation that ran out of context. 9/10",
    "Please continue the conversation from where we left it off",
    "Note: /a/b.py was read before the last conversation was summarized",
    "<task-notification><status>completed</status></task-notification>",
    "<task-notification>\n9/10",
    "<system-reminder>\n8 - great",
    "9\0",
    "8 = x",
    "4]",
    "[4]",
    '{"rating": 9}',
]


@pytest.mark.parametrize(("prompt", "value", "comment"), RATED)
def test_a_rating_is_read_with_its_comment(prompt: str, value: int, comment: str) -> None:
    found = ratings.parse(prompt)
    assert found is not None
    assert (found.value, found.comment, found.source) == (value, comment, "explicit")


@pytest.mark.parametrize("prompt", NOT_RATED)
def test_a_number_that_means_something_else_is_no_rating(prompt: str) -> None:
    found = ratings.parse(prompt)
    assert found is None, (found.value, found.comment, found.source)


@pytest.mark.parametrize(("prompt", "value"), [("great job", 8), ("you broke it", 3)])
def test_a_reaction_in_words_is_an_implicit_rating(prompt: str, value: int) -> None:
    found = ratings.parse(prompt)
    assert found is not None
    assert (found.value, found.comment, found.source) == (value, prompt, "implicit")


@pytest.mark.parametrize(
    "prompt",
    [
        "9 - " + "x" * 3_000_000,
        "<ide_selection>" + "code\n" * 500_000 + "</ide_selection>\n9",
        "<ide_selection>" * 20_000,
        "7 " * 1_000_000,
        "\ud800 9",
        "9 - \udfff bad",
        "9/10 \0\0",
        "\ufeff9",
    ],
    ids=["long-comment", "long-selection", "unclosed-tags", "many-numbers", "lone", "lone-comment", "nul", "bom"],
)
def test_any_text_is_read_quickly_and_without_an_error(prompt: str) -> None:
    assert least(lambda: ratings.parse(prompt), 1.0) < 1.0


@given(st.text(alphabet="0123456789/10 -:,.!?\n great\0\ud800<>", max_size=30) | st.text(max_size=100))
def test_no_text_raises_and_every_rating_is_from_one_to_ten(prompt: str) -> None:
    found = ratings.parse(prompt)
    assert found is None or (1 <= found.value <= 10 and found.comment)
