"""PAL's block in a file that people write: put in, rewritten, taken out, and not a byte of theirs is different."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pal.base.errors import PalError
from pal.install import block

BEGIN = "<!-- pal:begin (kept by PAL; edit outside) -->"
END = "<!-- pal:end -->"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", f"{BEGIN}\none\ntwo\n{END}\n"),
        ("# Mine\n", f"# Mine\n\n{BEGIN}\none\ntwo\n{END}\n"),
        ("# Mine", f"# Mine\n\n{BEGIN}\none\ntwo\n{END}\n"),
        ("# Mine\n\n", f"# Mine\n\n{BEGIN}\none\ntwo\n{END}\n"),
        ("# Mine\r\nline\r\n", f"# Mine\r\nline\r\n\r\n{BEGIN}\r\none\r\ntwo\r\n{END}\r\n"),
        ("\n", f"\n{BEGIN}\none\ntwo\n{END}\n"),
        ("\ufeff", f"\ufeff{BEGIN}\none\ntwo\n{END}\n"),
        ("\ufeffx", f"\ufeffx\n\n{BEGIN}\none\ntwo\n{END}\n"),
        ("```\ncode\n```\n", f"```\ncode\n```\n\n{BEGIN}\none\ntwo\n{END}\n"),
        ("~~~ `x\n```\n~~~~\n", f"~~~ `x\n```\n~~~~\n\n{BEGIN}\none\ntwo\n{END}\n"),
        ("``` not `a` fence\n", f"``` not `a` fence\n\n{BEGIN}\none\ntwo\n{END}\n"),
        ("    " + BEGIN + "\n", f"    {BEGIN}\n\n{BEGIN}\none\ntwo\n{END}\n"),
        (f"as in `{BEGIN}`\n", f"as in `{BEGIN}`\n\n{BEGIN}\none\ntwo\n{END}\n"),
    ],
)
def test_a_block_is_appended_after_a_blank_line_and_goes_without_a_trace(before, after):
    text, record = block.put(before, "one\ntwo\n")
    assert text == after
    assert block.inside(text) == "one\ntwo\n"
    assert block.remove(text, record) == before


@given(
    st.lists(st.sampled_from([*"ab \t\n\r#\ufeff\u2028", "\r\n"]), max_size=30).map("".join),
    st.text(st.sampled_from("ab`\n"), max_size=10),
    st.text(st.sampled_from("ab`\n"), max_size=10),
    st.sampled_from(["html", "hash"]),
)
def test_any_text_comes_back_whole_after_any_number_of_rewrites(before, first, second, style):
    text, record = block.put(before, first, style)
    again, nothing = block.put(text, second, style)
    assert nothing is None
    assert block.put(again, second, style) == (again, None)
    assert block.put(again, first, style) == (text, None)
    assert block.remove(again, record, style) == before


@pytest.mark.parametrize(
    ("before", "edit", "left"),
    [
        ("A\n", lambda text: text + "B\n", "A\n\nB\n"),
        ("A\n", lambda text: text + "\nB\n", "A\n\n\nB\n"),
        ("A", lambda text: text + "B", "A\n\nB"),
        ("A\n", lambda text: "top\n" + text, "top\nA\n"),
        ("A\n", lambda text: text.replace("A", "A2"), "A2\n"),
        ("A\n", lambda text: text.replace("\n\n<", "\n<"), "A\n"),
        ("A\n", lambda text: text.rstrip("\n"), "A\n"),
        ("A\n", lambda text: text + "\n\n", "A\n\n\n"),
        ("", lambda text: text + "B\n", "B\n"),
        ("", lambda text: "A\n" + text, "A\n"),
        ("A\n", lambda text: text.replace("mine", "edited by hand"), "A\n"),
        ("A\n", lambda text: text.replace(" (kept by PAL; edit outside)", " (an older note)"), "A\n"),
    ],
)
def test_what_people_write_around_the_block_stays(before, edit, left):
    text, record = block.put(before, "mine\n")
    assert block.remove(edit(text), record) == left


def test_a_block_whose_record_is_lost_is_still_taken_out():
    text, _ = block.put("A\n", "mine\n")
    assert block.remove(text) == "A\n"
    assert block.remove("nothing of PAL's\n") == "nothing of PAL's\n"


def test_a_rewrite_keeps_the_place_the_line_ends_and_everything_around():
    text, _ = block.put("A\r\n", "old\n")
    text = text + "B\r\n"
    assert block.put(text, "new\nlines\n")[0] == text.replace("old\r\n", "new\r\nlines\r\n")
    assert block.inside(block.put(text, "")[0]) == ""


def test_the_content_may_hold_code_fences_of_its_own_even_open_ones():
    text, record = block.put("A\n", "```\nopen\n")
    text, _ = block.put(text, "```\nstill open\n")
    assert block.inside(text) == "```\nstill open\n"
    assert block.remove(text, record) == "A\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"A\n{BEGIN}\nx\n", "line 2: PAL's block begins here and never ends"),
        (f"A\n{END}\n", "line 2: PAL's block ends here but begins nowhere"),
        (f"{BEGIN}\n{END}\n{BEGIN}\n{END}\n", "line 3: a second block"),
        (f"{BEGIN}\n{BEGIN}\n{END}\n", "line 2: a second block"),
        (f"```md\n{BEGIN}\n{END}\n```\n", "line 2: PAL's marker stands inside the code fence of line 1"),
        (f"~~~\n```\n{BEGIN}\n{END}\n", "line 3: PAL's marker stands inside the code fence of line 1"),
        (f"````\n```\n{END}\n", "code fence of line 1"),
    ],
)
def test_a_block_that_is_not_clearly_pals_is_refused(text, message):
    for use in (block.inside, block.remove, lambda text: block.put(text, "x\n")):
        with pytest.raises(PalError, match=message):
            use(text)


def test_nothing_is_appended_into_a_code_fence_that_somebody_left_open():
    with pytest.raises(PalError, match="line 2: this code fence is never closed"):
        block.put("A\n```\ncode\n", "x\n")


def test_a_block_in_a_file_with_number_sign_comments():
    text, record = block.put("a = 1\n", "b = 2\n", "hash")
    assert text == "a = 1\n\n# pal:begin (kept by PAL; edit outside)\nb = 2\n# pal:end\n"
    assert block.remove(text, record, "hash") == "a = 1\n"


def test_a_letter_that_has_no_bytes_is_written_as_a_question_mark():
    text, _ = block.put("", "name \ud83d\n")
    assert block.inside(text) == "name ?\n"
    assert block.put(text, "name \ud83d\n") == (text, None)


def test_content_that_holds_the_markers_is_refused():
    with pytest.raises(PalError, match="cannot hold another block"):
        block.put("", f"{BEGIN}\n{END}\n")
