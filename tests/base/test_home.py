"""Where PAL keeps things, and that nothing leads out of there."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pal.base import home as homes
from pal.base.home import Home, resolve

ROOT = os.path.abspath(os.path.join(os.sep, "users", "ann", ".pal"))


def places() -> dict[str, str]:
    home = Home(ROOT)
    return {name: getattr(home, name) for name in Home.__slots__ if name != "root"}


def test_every_place_is_below_the_root_and_comes_back_from_its_relative_name():
    home = Home(ROOT)
    for path in places().values():
        assert os.path.isabs(path)
        assert path.startswith(ROOT + os.sep)
        assert home.below(home.relative(path)) == path


def test_no_two_names_mean_one_place():
    assert len(set(places().values())) == len(places())


@pytest.mark.parametrize(
    "relative",
    [
        "",
        "..",
        "../x",
        "a/../b",
        "a/../../b",
        "a/..",
        "/etc/passwd",
        "C:/x",
        "C:x",
        "..\\x",
        "a\\..\\..\\b",
        "\\x",
        "a\0b",
    ],
    ids=repr,
)
def test_a_relative_name_that_leaves_the_home_is_refused(relative):
    with pytest.raises(ValueError):
        Home(ROOT).below(relative)


@given(st.text(max_size=40) | st.text(alphabet="./\\:ab~", max_size=12))
def test_whatever_below_gives_is_below(relative):
    try:
        path = Home(ROOT).below(relative)
    except ValueError:
        return
    assert os.path.normpath(path).startswith(ROOT)


@pytest.mark.parametrize(
    ("env", "root"),
    [
        ({"HOME": "/h/a", "USERPROFILE": "/h/a"}, "/h/a/.pal"),
        ({"HOME": "/h/a", "USERPROFILE": "/h/a", "PAL_HOME": ""}, "/h/a/.pal"),
        ({"HOME": "/h/a", "USERPROFILE": "/h/a", "PAL_HOME": "/p"}, "/p"),
        ({"PAL_HOME": "/p/../q/"}, "/q"),
    ],
)
def test_the_environment_names_the_home(env, root):
    assert resolve(env).root == os.path.abspath(root)


def test_a_relative_home_is_made_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert resolve({"PAL_HOME": "mine"}).root == os.path.join(os.getcwd(), "mine")


@pytest.mark.skipif(os.name == "nt", reason="paths as POSIX joins them")
@pytest.mark.parametrize(
    ("system", "env", "folder"),
    [
        ("linux", {}, "/h/.config"),
        ("linux", {"XDG_CONFIG_HOME": "/x"}, "/x"),
        ("darwin", {"XDG_CONFIG_HOME": "/x"}, "/h/Library/Application Support"),
        ("win32", {"APPDATA": "/h/AppData/Roaming"}, "/h/AppData/Roaming"),
        ("win32", {}, "/h/AppData/Roaming"),
    ],
)
def test_each_system_keeps_settings_in_a_folder_of_its_own(monkeypatch, system, env, folder):
    monkeypatch.setattr(homes.sys, "platform", system)
    assert homes.settings_folder({"HOME": "/h", "USERPROFILE": "/h", **env}) == folder
