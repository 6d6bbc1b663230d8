"""Words, keywords, lengths and cuts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pal.base import text

WITHOUT_SURROGATES = st.text(alphabet=st.characters(exclude_categories=("Cs",)))


@given(st.text())
def test_units_count_as_utf_16_does(written):
    assert text.units(written) == len(written.encode("utf-16-le", "surrogatepass")) // 2


@given(st.text(), st.integers(-2, 40))
def test_a_clipped_text_is_short_enough_and_cut_only_where_it_must_be(written, limit):
    clipped = text.clip(written, limit)
    assert text.units(clipped) <= max(limit, 0)
    if text.units(written) <= limit:
        assert clipped == written
    elif limit > 0:
        assert clipped.endswith("…")
        assert written.startswith(clipped[:-1])


@given(st.text(alphabet="a😀é"), st.integers(1, 12))
def test_a_pair_of_units_is_never_split(written, limit):
    text.clip(written, limit).encode("utf-16-le")
    kept = text.clip(written, limit)
    assert text.units(written) <= limit or text.units(kept) >= limit - 1


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("", []),
        ("Hello, World!", ["hello", "world"]),
        ("snake_case and kebab-case", ["snake", "case", "and", "kebab", "case"]),
        ("Árvíztűrő tükörfúrógép", ["árvíztűrő", "tükörfúrógép"]),
        ("日本語 テスト", ["日本語", "テスト"]),
        ("v2.0", ["v2", "0"]),
        ("don't", ["don", "t"]),
        ("one", ["one"]),
        ("\x00\ud800a", ["a"]),
    ],
)
def test_words_are_runs_of_letters_and_digits(written, found):
    assert text.words(written) == found


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("Fix the failing tests", ["fix", "fail", "test"]),
        ("the and of it is", []),
        ("test tests testing tested", ["test"]),
        ("is as us", []),
        ("authentication for OAuth2", ["authentica", "oauth2"]),
        ("libraries library", ["library"]),
    ],
)
def test_keywords_carry_the_topic_once_each_in_order(written, found):
    assert text.keywords(written) == found


@given(st.text(), st.text())
def test_similarity_is_symmetric_between_nothing_and_all(one, other):
    value = text.similarity(one, other)
    assert 0 <= value <= 1
    assert value == text.similarity(other, one)
    assert text.similarity(one, one) == (1.0 if text.keywords(one) else 0.0)


def test_what_means_much_the_same_is_similar_and_what_does_not_is_not():
    same = text.similarity("The login tests fail on Windows", "failing login test on windows")
    other = text.similarity("The login tests fail on Windows", "Write a poem about spring")
    assert same == 1.0
    assert other == 0.0


@given(st.text(max_size=500), st.integers(1, 8))
def test_a_slug_is_a_file_name_everywhere(written, limit):
    slug = text.slug(written, limit)
    assert slug
    assert len(slug.encode("utf-8")) <= 200
    assert slug == slug.strip("-. ")
    assert all(char == "-" or char.isalnum() for char in slug)
    assert slug.count("-") < limit or limit == 1


@pytest.mark.parametrize(
    ("written", "slug"),
    [
        ("Fix the Failing Tests!", "fix-the-failing-tests"),
        ("one two three four five six seven", "one-two-three-four-five-six"),
        ("Árvíztűrő tükörfúrógép", "arvizturo-tukorfurogep"),
        ("../../etc/passwd", "etc-passwd"),
        ("C:\\con\\nul", "c-con-nul"),
        ("", "untitled"),
        ("!!!", "untitled"),
        ("\ud800", "untitled"),
        ("x" * 300, "x" * 80),
    ],
)
def test_a_slug_keeps_the_first_words(written, slug):
    assert text.slug(written) == slug


@given(WITHOUT_SURROGATES, WITHOUT_SURROGATES)
def test_a_fingerprint_stands_for_its_word(one, other):
    assert text.fingerprint(one) == text.fingerprint(one)
    assert 0 <= text.fingerprint(one) < 1 << 64


@pytest.mark.parametrize(
    ("written", "line"),
    [("", ""), ("\n \n", ""), ("\n  a b \n c", "a b"), ("one", "one"), ("\r\nx\r\n", "x")],
)
def test_the_first_line_is_the_first_that_says_something(written, line):
    assert text.first_line(written) == line
