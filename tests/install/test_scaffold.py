"""A new home is laid out once; what the user made of it is never touched again."""

from __future__ import annotations

import os

import pytest

from pal.base import settings
from pal.base.errors import PalError
from pal.install import scaffold


def test_a_fresh_home_gets_settings_and_telos_and_a_second_time_nothing(home):
    written = scaffold.lay_out(home)
    assert home.settings in written
    assert any(path.startswith(home.telos + os.sep) for path in written)
    assert settings.load(home).problem == ""
    assert scaffold.lay_out(home) == []


def test_what_the_user_wrote_stays_and_what_is_missing_comes_back(home):
    first = scaffold.lay_out(home)
    with open(home.settings, "w") as stream:
        stream.write("{broken")
    os.remove(first[-1])
    assert scaffold.missing(home) and scaffold.lay_out(home) == [first[-1]]
    with open(home.settings) as stream:
        assert stream.read() == "{broken"


def test_a_dangling_link_of_the_users_is_left_alone(home):
    os.symlink("/nowhere/pal-settings.json", home.settings)
    assert home.settings not in scaffold.lay_out(home)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            '{\r\n  // mine\r\n  "identity": {"principal": {"timezone": "UTC", "x": 1}},\r\n}\r\n',
            '{\r\n  // mine\r\n  "identity": {"principal": {"timezone": "Asia/Tokyo", "x": 1}},\r\n}\r\n',
        ),
        (
            '{"identity":{"principal":{"name":"Ann"}}}',
            '{"identity":{"principal":{"name":"Ann","timezone":"Asia/Tokyo"}}}',
        ),
        ('\ufeff{\n\t"a": 1\n}\n', None),
        ("{}\n", None),
        ("", None),
    ],
)
def test_one_setting_changes_and_every_other_byte_stays(home, before, after):
    with open(home.settings, "w", encoding="utf-8", newline="") as stream:
        stream.write(before)
    scaffold.set_value(home, scaffold.TIMEZONE, "Asia/Tokyo")
    with open(home.settings, encoding="utf-8", newline="") as stream:
        found = stream.read()
    if after is not None:
        assert found == after
    assert settings.load(home).zone == "Asia/Tokyo" or "//" in before
    stamp = os.stat(home.settings).st_mtime_ns
    scaffold.set_value(home, scaffold.TIMEZONE, "Asia/Tokyo")
    assert os.stat(home.settings).st_mtime_ns == stamp


@pytest.mark.parametrize("broken", [b'{"identity": ', b"[]", b'{"identity": 3}', b'{"a": "\xff"}'])
def test_settings_that_cannot_be_understood_are_left_alone(home, broken):
    with open(home.settings, "wb") as stream:
        stream.write(broken)
    with pytest.raises(PalError, match="pal-settings.json"):
        scaffold.set_value(home, scaffold.TIMEZONE, "Asia/Tokyo")
    with open(home.settings, "rb") as stream:
        assert stream.read() == broken
