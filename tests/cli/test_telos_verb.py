"""`pal telos`: the topics in interview order, and answers that are written without losing a word."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from pal.cli import main
from pal.cli.output import Output
from pal.context import telos
from pal.install import scaffold


@pytest.fixture
def typed(home, fresh_home, now, monkeypatch):
    scaffold.lay_out(home)

    def run(*argv: str, stdin: str = ""):
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        out, err = io.StringIO(), io.StringIO()
        values = {"HOME": str(fresh_home), "USERPROFILE": str(fresh_home), "PATH": ""}
        code = main.run(argv, values, now, Output(values, out, err))
        return code, out.getvalue(), err.getvalue()

    return run


def read(home, name: str) -> str:
    return (Path(home.telos) / f"{name}.md").read_text("utf-8")


def test_alone_it_lists_the_topics_in_the_order_of_an_interview(typed):
    code, out, _ = typed("telos")
    assert code == 0
    assert [line.split()[1] for line in out.splitlines()[: len(telos.TOPICS)]] == list(telos.TOPICS)
    assert "0 of 10 answered" in out
    assert "pal telos set mission" in out


def test_an_answer_stands_below_the_question_and_the_next_one_is_named(typed, home):
    code, out, err = typed("telos", "set", "mission", "Make tools people can trust.")
    assert (code, err) == (0, "")
    text = read(home, "MISSION")
    assert text.startswith("# Mission\n")
    assert "<!--" in text
    assert text.endswith("-->\n\nMake tools people can trust.\n")
    assert "1 of 10 answered; next: `pal telos set goals" in typed("telos")[1]


def test_a_second_answer_is_refused_until_asked_for_and_the_first_is_kept(typed, home):
    typed("telos", "set", "mission", "The first.")
    code, _, err = typed("telos", "set", "mission", "The second.")
    assert code == 1
    assert "--replace" in err
    assert "The first." in read(home, "MISSION")
    code, out, _ = typed("telos", "set", "mission", "The second.", "--replace", "--json")
    assert code == 0
    assert "The second." in read(home, "MISSION")
    assert "The first." not in read(home, "MISSION")
    assert "The first." in Path(json.loads(out)["copy"]).read_text("utf-8")


def test_lines_are_added_as_bullets_each_once(typed, home):
    for line in ("2027-01-31: ship", "2027-02-28: rest", "2027-01-31: ship"):
        assert typed("telos", "append", "GOALS.md", line)[0] == 0
    assert read(home, "GOALS").endswith("-->\n\n- 2027-01-31: ship\n- 2027-02-28: rest\n")


def test_a_text_comes_from_stdin_and_its_secrets_stay_outside(typed, home):
    assert typed("telos", "set", "ideas", "-", stdin="One idea.\nToken ghp_" + "a1B2" * 9 + "\n")[0] == 0
    text = read(home, "IDEAS")
    assert "One idea." in text
    assert "ghp_a1B2" not in text


def test_a_file_with_windows_line_ends_keeps_them(typed, home):
    path = Path(home.telos) / "BELIEFS.md"
    path.write_bytes(b"# Beliefs\r\n\r\n- One.\r\n")
    typed("telos", "append", "beliefs", "Two.")
    assert path.read_bytes() == b"# Beliefs\r\n\r\n- One.\r\n- Two.\r\n"


@pytest.mark.parametrize("argv", [("set", "nonsense", "x"), ("set", "mission", "  "), ("append", "goals", "")])
def test_what_cannot_be_written_is_said_in_one_line(typed, argv):
    code, _, err = typed("telos", *argv)
    assert (code, err.count("\n")) == (1, 1)


def test_without_a_terminal_edit_names_the_file(typed, home):
    assert typed("telos", "edit", "goals")[1].strip() == str(Path(home.telos) / "GOALS.md")


def test_a_topic_of_the_users_own_can_be_answered_too(typed, home):
    (Path(home.telos) / "FAMILY.md").write_text("# Family\n", "utf-8")
    assert typed("telos", "append", "family", "two cats")[0] == 0
    assert read(home, "FAMILY") == "# Family\n\n- two cats\n"
