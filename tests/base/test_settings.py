"""The settings in force, whatever the file holds; the file itself is a person's and is never touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from pal.base import settings

BROKEN = [b"{", b"[]", b'"x"', b"{'a': 1}", b'{"a": 1,}', b"// note\n{}", b"\x00", b"[" * 100_000, b'{"a": 1} {}']


def written(home, text: str | bytes) -> settings.Settings:
    Path(home.settings).write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
    return settings.load(home)


@pytest.mark.parametrize("text", [None, "", " \n", "{}", "\ufeff{}"])
def test_without_settings_the_defaults_hold(home, text):
    loaded = settings.load(home) if text is None else written(home, text)
    assert loaded.problem == ""
    assert (loaded.principal, loaded.assistant, loaded.zone) == ("User", "Assistant", "")
    assert loaded.on("handoff") is True
    assert [loaded.on(section) for section in settings.OPT_IN] == [False] * len(settings.OPT_IN)
    assert loaded.get("a.b.c") is None
    assert loaded.get("a.b.c", 5) == 5


def test_values_are_found_by_their_dotted_place(home):
    loaded = written(
        home,
        '{"identity": {"ai": {"name": "Ada"}, "principal": {"name": "Ann", "timezone": "Europe/Budapest"}},'
        ' "dynamicContext": {"handoff": false, "dueReminders": true}, "n": 7, "unknown": {"stays": [1]}}',
    )
    assert (loaded.principal, loaded.assistant, loaded.zone) == ("Ann", "Ada", "Europe/Budapest")
    assert (loaded.on("handoff"), loaded.on("dueReminders"), loaded.on("time")) == (False, True, True)
    assert loaded.number("n", 3) == 7
    assert loaded.get("unknown.stays") == [1]


@pytest.mark.parametrize(
    ("value", "text", "flag", "number"),
    [
        ('"x"', "x", True, 9), ('""', "d", True, 9), ("5", "d", True, 5), ("0", "d", True, 0), ("-1", "d", True, 9),
        ("1.5", "d", True, 9), ("true", "d", True, 9), ("false", "d", False, 9), ("null", "d", True, 9),
        ("[]", "d", True, 9), ('{"deeper": 1}', "d", True, 9), ("NaN", "d", True, 9), ("1e999", "d", True, 9),
    ],
)  # fmt: skip
def test_a_value_of_the_wrong_kind_is_as_good_as_none(home, value, text, flag, number):
    loaded = written(home, '{"a": {"b": ' + value + "}}")
    assert loaded.text("a.b", "d") == text
    assert loaded.flag("a.b", True) is flag
    assert loaded.number("a.b", 9) == number


@pytest.mark.parametrize("text", ['{"identity": 5}', '{"identity": {"ai": []}}', '{"identity": {"ai": {"name": 1}}}'])
def test_a_place_of_the_wrong_shape_is_as_good_as_none(home, text):
    assert written(home, text).assistant == "Assistant"


@pytest.mark.parametrize("broken", BROKEN, ids=lambda value: repr(value)[:16])
def test_a_broken_file_is_named_left_alone_and_the_last_good_values_hold(home, broken):
    good = written(home, '{"identity": {"ai": {"name": "Ada"}}}')
    settings.remember(home, good)
    loaded = written(home, broken)
    assert loaded.assistant == "Ada"
    assert home.settings in loaded.problem
    assert Path(home.settings).read_bytes() == broken
    settings.remember(home, loaded)
    assert written(home, broken).assistant == "Ada"
    assert written(home, "{}").problem == ""


@pytest.mark.parametrize("good", [None, "{", "folder"])
def test_a_broken_file_without_good_values_gives_the_defaults(home, good):
    kept = Path(home.settings_good)
    if good == "folder":
        kept.mkdir()
    elif good is not None:
        kept.write_text(good)
    loaded = written(home, "{")
    assert loaded.problem
    assert loaded.assistant == "Assistant"


def test_a_folder_in_place_of_the_file_is_a_problem_and_no_error(home):
    Path(home.settings).mkdir()
    loaded = settings.load(home)
    assert home.settings in loaded.problem
    assert loaded.assistant == "Assistant"
