"""The tokenizer: how words, quotes, operators, heredocs and compound commands are read."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pal.guard.expand import expand
from pal.guard.posix import parse
from pal.guard.posix_text import MAX_DEPTH, Budget
from pal.guard.unwrap import Shell


def simples(script):
    """Every simple command of a tree, in the order of the text."""
    found = []
    for nodes, _ in script.pipelines:
        for node in nodes:
            if node.command is not None:
                found.append(node.command)
            for inner in node.scripts:
                found += simples(inner)
    return found


def words(text):
    return [[word.literal() for word in command.words] for command in simples(parse(text, Budget()))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("git status # it's fine", [["git", "status"]]),
        ("echo a#b", [["echo", "a#b"]]),
        ("ls\nrm -rf /", [["ls"], ["rm", "-rf", "/"]]),
        ("echo hi;rm -rf /", [["echo", "hi"], ["rm", "-rf", "/"]]),
        ("ls&&rm -rf /", [["ls"], ["rm", "-rf", "/"]]),
        ("a|b||c&d", [["a"], ["b"], ["c"], ["d"]]),
        ("a |& b", [["a"], ["b"]]),
        ("$'rm' -rf /", [["rm", "-rf", "/"]]),
        ("$'\\x72m' $'a\\tb'", [["rm", "a\tb"]]),
        ("r''m \"a b\" a\\ b", [["rm", "a b", "a b"]]),
        ("a \\\n b", [["a", "b"]]),
        ("cat <<EOF\nit's\nEOF", [["cat"]]),
        ("cat <<'EOF'; ls\nrm -rf /\nEOF\nid", [["cat"], ["ls"], ["id"]]),
        ("cat <<-EOF\n\trm\n\tEOF\nid", [["cat"], ["id"]]),
        ("cat <<A <<B\n1\nA\n2\nB\nid", [["cat"], ["id"]]),
        ("echo '<<EOF'\nid", [["echo", "<<EOF"], ["id"]]),
        ("cat <<< EOF\nid", [["cat"], ["id"]]),
        ("(( x = 1 << EOF ))\nid", [["id"]]),
        ("x=$((1 << 4)); id", [[], ["id"]]),
        ("[[ a < b && c > d ]] && id", [["id"]]),
        ("if a; then b; elif c; then d; else e; fi; f", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]),
        ("while a; do b; done < f; c", [["a"], ["b"], ["c"]]),
        ("for i in 1 2; do a; done; b", [["a"], ["b"]]),
        ("for ((i=0; i<3; i++)); do a; done; b", [["a"], ["b"]]),
        ("case x in a|b) c;; (d) e;& *) f; esac; g", [["c"], ["e"], ["f"], ["g"]]),
        ("f() { a; }; f", [["a"], ["f"]]),
        ("function f { a; }; f", [["a"], ["f"]]),
        ("{ a; b; } | (c; d)", [["a"], ["b"], ["c"], ["d"]]),
        ("! a; time -p b; coproc c", [["a"], ["b"], ["c"]]),
        ("((a); b)", [["a"], ["b"]]),
        ("A=1 B='x y' cmd c", [["cmd", "c"]]),
        ("A=(1 2\n3) cmd", [["cmd"]]),
        ("cmd 2>&1 >f <g &>h", [["cmd"]]),
        ("echo } done fi", [["echo", "}", "done", "fi"]]),
        ("fi; done; )a", [["a"]]),
        ("if a", [["a"]]),
        ("echo 'a", [["echo", "a"]]),
        ("", []),
    ],
)
def test_a_text_is_read_into_its_commands(text, expected):
    assert words(text) == expected


def test_quoting_is_kept_so_that_later_questions_can_ask_for_it():
    (command,) = simples(parse("rm '~' ~ \"$HOME\" $HOME '*' * \"a$(b)\"", Budget()))
    kinds = [[part.kind for part in word.parts if part.text] for word in command.words[1:]]
    assert kinds == [
        ["quoted"],
        [],
        ["variable"],
        ["variable"],
        ["quoted"],
        ["glob"],
        ["quoted", "substitution"],
    ]
    assert command.words[2].parts[0].kind == "tilde"
    assert [part.quoted for part in command.words[3].parts if part.kind == "variable"] == [True]


def test_a_heredoc_belongs_to_its_reader_and_says_whether_it_expands():
    first, second = simples(parse("cat <<'A'; sh <<B\n$x\nA\n$y\nB\n", Budget()))
    assert (first.redirects[0].body, first.redirects[0].expands) == ("$x\n", False)
    assert (second.redirects[0].body, second.redirects[0].expands) == ("$y\n", True)


def test_a_text_deeper_than_the_budget_ends_the_reading_and_says_so():
    budget = Budget()
    parse("$(" * (MAX_DEPTH + 1), budget)
    assert budget.over
    assert budget.depth == 0


def test_spans_point_into_the_text():
    text = "true && echo 'a b' | sh"
    spans = [text[command.start : command.end] for command in simples(parse(text, Budget()))]
    assert [span.strip() for span in spans] == ["true", "echo 'a b'", "sh"]


BASH = shutil.which("bash")
PLAIN = st.text(alphabet="abz019 ._/-,:@%^+=", min_size=0, max_size=8)
PIECE = st.one_of(
    PLAIN.map(lambda text: text.replace(" ", "")),
    PLAIN.map(lambda text: f"'{text}'"),
    st.text(alphabet="ab '#;&|<>()*?~[]{}!", max_size=8).map(lambda text: "'" + text.replace("'", "") + "'"),
    st.text(alphabet="ab #;&|<>()*?~[]{}'", max_size=8).map(lambda text: f'"{text}"'),
    st.sampled_from(["\\ ", "\\;", "\\'", '\\"', "\\\\", "\\$", "\\*", "$'a\\nb'", "$'\\x41'", '"\\$x"', '"a\\b"']),
)
LINE = st.lists(st.lists(PIECE, min_size=1, max_size=4).map("".join), min_size=1, max_size=6).map(" ".join)


@pytest.mark.skipif(BASH is None, reason="needs bash")
@settings(max_examples=4, deadline=None)
@given(st.lists(LINE, min_size=60, max_size=60))
def test_words_are_split_as_bash_splits_them(lines):
    lines = [line for line in lines if not line.lstrip().startswith("#")]
    script = "set -f\n" + "\n".join(f"printf '%s\\0' x {line}; printf '\\1'" for line in lines)
    done = subprocess.run([BASH, "--norc", "-c", script], capture_output=True, check=True)
    real = [row.split("\0")[1:-1] for row in done.stdout.decode().split("\1")[:-1]]
    shell = Shell("/srv/project", "/home/user")
    for line, expected in zip(lines, real):
        (command, *_) = simples(parse("x " + line, Budget()))
        mine = [argument.text for word in command.words[1:] for argument in expand(word, shell)]
        assert mine == expected, line
