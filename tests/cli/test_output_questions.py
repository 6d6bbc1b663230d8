"""Questions are asked only where somebody can answer."""

from __future__ import annotations

import io

import pytest

from pal.cli.output import Output


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("typed", "default", "answer"), [("Ann\n", "Bob", "Ann"), ("\n", "Bob", "Bob"), ("", "Bob", "Bob")]
)
def test_enter_or_an_end_of_input_takes_the_default(monkeypatch, typed, default, answer):
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    assert Output({}, Terminal(), io.StringIO()).ask("Name?", default) == answer


def test_nobody_is_asked_without_a_terminal(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("Ann\n"))
    out = io.StringIO()
    assert Output({}, out, io.StringIO()).ask("Name?", "Bob") == "Bob"
    assert out.getvalue() == ""


@pytest.mark.parametrize(("typed", "agreed"), [("y\n", True), ("YES\n", True), ("n\n", False), ("\n", False)])
def test_only_a_clear_yes_is_a_yes(monkeypatch, typed, agreed):
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    assert Output({}, Terminal(), io.StringIO()).confirm("Sure?") is agreed
