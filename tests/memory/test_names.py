"""A session's name: from the words of its first prompt, the same every time, never from pasted noise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pace import least

from pal.memory import names

NAMED = [
    ("Fix the login bug in the settings page", "Fix Login Bug Settings"),
    ("please add dark mode to the dashboard", "Add Dark Mode Dashboard"),
    ("Can you help me write unit tests for the parser?", "Write Unit Tests Parser"),
    ("I want to migrate our database to Postgres", "Migrate Database Postgres"),
    ("refactor OAuth2 token handling", "Refactor OAuth2 Token Handling"),
    ("fix json api for the cli", "Fix JSON API CLI"),
    ("FIX THE BROKEN BUILD", "Fix Broken Build"),
    ("update README.md with install steps", "Update README Install Steps"),
    ("look at https://example.com/a/b?c=1 and summarise pricing changes", "Summarise Pricing Changes"),
    ("in /home/user/project/src/main.py rename the worker pool", "Rename Worker Pool"),
    ("C:\\Users\\me\\app\\x.cs crashes on start, investigate memory leak", "Crashes Investigate Memory Leak"),
    ("fix parser\n```python\ndef broken(self):\n    return useless\n```\nerrors", "Fix Parser Errors"),
    ("speed up `SELECT * FROM users` query planning", "Speed Query Planning"),
    ("<system-reminder>ignore me entirely</system-reminder>deploy staging server", "Deploy Staging Server"),
    ("<ide_selection>class Foo: pass</ide_selection>\nexplain decorator caching", "Explain Decorator Caching"),
    ("fix fix fix the login login page", "Fix Login Page"),
    ("javítsd ki a bejelentkezési hibát", "Javítsd Ki Bejelentkezési Hibát"),
    ("investigate commit 4f2a9bc81d0e77 regression", "Investigate Commit Regression"),
    ("email bob@example.com about release notes", "Email Release Notes"),
    ("/review the pull request", "Review Pull Request"),
    ("don't break the user's session handling", "Break User's Session Handling"),
    ("Let's build a todo app", "Build Todo App"),
    ("修复登录页面的错误", "修复登录页面的错误"),
    ("修复登录页面的错误，然后写测试并部署到服务器上去", "修复登录页面的错误"),
    ("ログインページのエラーを修正してからテストを書いて", "ログインページのエラーを修正して"),
    ("fix iOS build", "Fix iOS Build"),
]

WAITS = [
    "",
    "hi",
    "hello there",
    "hey, how are you?",
    "help",
    "please",
    "ok",
    "continue",
    "go on",
    "yes please",
    "thanks!",
    "/clear",
    "what?",
    "can you do it for me",
    "12345 67890",
    "https://example.com/some/long/path",
    "/home/user/x.py",
    "```\ncode only = here\nmore_code(there)\n```",
    "😀 😀",
    "\0\0",
    "<system-reminder>fix the login page</system-reminder>",
    "This session is being continued from a previous conversation that ran out of context.",
    "<task-notification>agent finished its search</task-notification>",
]


@pytest.mark.parametrize(("prompt", "name"), NAMED)
def test_a_prompt_gives_a_name(prompt: str, name: str) -> None:
    assert names.name_for(prompt) == name


@pytest.mark.parametrize("prompt", WAITS)
def test_too_few_words_give_no_name_yet(prompt: str) -> None:
    assert names.name_for(prompt) == ""


def test_a_name_has_at_most_five_words_and_fits_a_tab() -> None:
    name = names.name_for("investigate " + " ".join(f"extraordinarily{n}long" for n in range(50)))
    assert 0 < len(name.split()) <= 5
    assert len(name) <= 60


def test_a_pasted_log_gives_the_words_of_the_person() -> None:
    log = "\n".join(f"2026-03-02 08:15:{n:02} ERROR worker[{n}]: connection refused" for n in range(50))
    trace = 'Traceback (most recent call last):\n  File "/a/b.py", line 3, in run\n    x = y[0]\nIndexError: boom'
    assert (
        names.name_for(log + "\n" + trace + "\nwhy does the queue worker lose messages") == "Queue Worker Lose Messages"
    )


@pytest.mark.parametrize(
    "prompt",
    [
        "word " * 1_000_000,
        "x" * 5_000_000,
        "```" * 1_000_000,
        "<ide_selection>" * 100_000,
        "\ud800 \udfff fix it",
        "a\0b " * 9,
    ],
)
def test_any_text_is_named_quickly_and_without_an_error(prompt: str) -> None:
    names.name_for(prompt).encode("utf-8")
    assert least(lambda: names.name_for(prompt), 0.1) < 0.1


@given(st.text(alphabet="fix login page`~\n>/\\.:'-\0\ud800漢", max_size=60) | st.text(max_size=200))
def test_no_text_raises_and_every_name_fits(prompt: str) -> None:
    name = names.name_for(prompt)
    assert len(name) <= names.LONGEST
    assert len(name.split()) <= names.MOST_WORDS
    assert names.name_for(prompt) == name
