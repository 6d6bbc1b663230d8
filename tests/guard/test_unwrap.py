"""What a text would run: the effective commands behind wrappers, nested shells, variables, folders and pipes."""

from __future__ import annotations

import pytest

from pal.guard.model import UNKNOWN
from pal.guard.unwrap import Shell

HOME = "/home/user"
PROJECT = "/home/user/project"


def walk(text):
    shell = Shell(PROJECT, HOME)
    shell.run_text(text, None)
    return shell


def effective(text):
    """The commands a text would run, each as one line, wrappers left out; "?" stands for an unknown piece."""
    lines = [" ".join(word.text for word in command.argv) for command in walk(text).commands]
    return [line.replace(UNKNOWN, "?") for line in lines]


@pytest.mark.parametrize(
    "text",
    [
        "sudo -u root -E danger here",
        "sudo -- danger here",
        "doas danger here",
        "env -i -u X A=1 danger here",
        "env -S 'danger here'",
        "command -p danger here",
        "builtin exec danger here",
        "nohup nice -n 5 ionice -c 3 danger here",
        "timeout -k 5 10 danger here",
        "stdbuf -oL setsid danger here",
        "chrt -i 0 danger here",
        "flock /tmp/l danger here",
        "flock -n /tmp/l -c 'danger here'",
        "busybox danger here",
        "strace -f -o /tmp/t danger here",
        "watch -n 1 'danger here'",
        "script -qc 'danger here' /dev/null",
        "su root -c 'danger here'",
        "systemd-run --user -p X=1 danger here",
        "uv run --with x danger here",
        "npx danger here",
        "poetry run danger here",
        "direnv exec . danger here",
        "bash -lc 'danger here'",
        "bash -o pipefail -c 'danger here'",
        "sh -c \"sh -c 'danger here'\"",
        "eval danger here",
        "eval 'danger' 'here'",
        "trap 'danger here' EXIT",
        'f() { danger "$1"; }; f here',
        "alias d='danger'; d here",
        "ssh -p 22 u@h 'danger here'",
        "ssh h -- danger here",
        "ssh -o ProxyCommand='danger here' h",
        "docker exec -it c danger here",
        "docker run --rm -v a:/b --name x img danger here",
        "kubectl exec p -c c -- danger here",
        "find . -exec danger here ;",
        "echo here | xargs danger",
        "echo here | xargs -I % danger %",
        "parallel danger ::: here",
        "git -c alias.x='!danger here' x",
        "git -c core.pager='danger here' log",
        "GIT_SSH_COMMAND='danger here' git fetch",
        "export PAGER='danger here'; man x",
        "tar cf x y --checkpoint-action=exec='danger here'",
        "rsync -e 'danger here' a h:b",
        "vim -c ':!danger here'",
        "sed '1e danger here' f",
        "make -f - <<< $'x:\\n\\tdanger here'",
        "tmux new -d 'danger here'",
        "echo 'danger here' | at now",
        "crontab <<< '0 0 * * * danger here'",
        "echo 'danger here' | bash",
        "bash <<< 'danger here'",
        "bash <<'E'\ndanger here\nE",
        "cat <<'E' | sh -s\ndanger here\nE",
        "bash <(echo danger here)",
        "source /dev/stdin <<< 'danger here'",
        "printf 'danger here\\n' > x.sh; sh ./x.sh",
        "echo 'danger here' | tee x.sh; chmod +x x.sh; ./x.sh",
        "echo danger here > a; cp a b; . ./a",
        'echo "$(danger here)"',
        "echo `danger here`",
        "diff <(danger here) x",
        "cat <<E\n$(danger here)\nE",
        "echo ${X:-$(danger here)}",
        "x=$(danger here)",
        "[[ -n $(danger here) ]]",
        "A='danger here'; $A",
        "A=danger; B=here; $A $B",
        'A=(danger here); "${A[@]}"',
        "for x in a here; do danger $x; done",
        "set -- here; danger $1",
        "danger${IFS}here",
        "read x <<< here; danger $x",
        "printf -v x here; danger $x",
        "danger $(echo here)",
        "danger h{ere,at}",
        "if a; then b; else danger here; fi",
        "case x in a) danger here;; esac",
        "while a; do danger here; done",
        "a && { ( danger here ) } || b",
    ],
)
def test_the_command_behind_it_is_found(text):
    shell = walk(text)
    from pal.guard.launch import run_traps

    run_traps(shell)
    lines = [" ".join(word.text for word in command.argv) for command in shell.commands]
    assert any(line == "danger here" or line.startswith("danger here ") for line in lines), lines


@pytest.mark.parametrize(
    "text",
    [
        "echo danger here",
        "echo 'danger here' # danger here",
        "cat <<'E'\n$(danger here)\nE",
        "f() { danger here; }",
        "alias d='danger here'",
        "command -v danger",
        "bash -n x.sh",
        "git commit -m 'danger here'",
        "echo '$(danger here)'",
        "printf 'danger here' > x.sh",
        "sudo -l danger here",
        "npm run x -- danger here",
    ],
)
def test_what_is_only_text_is_no_command(text):
    assert not [line for line in effective(text) if line.startswith("danger")]


@pytest.mark.parametrize(
    ("text", "cwd"),
    [
        ("cd /a; x", "/a"),
        ("cd /a && cd b && x", "/a/b"),
        ("cd; x", HOME),
        ("cd ~/a; x", HOME + "/a"),
        ("cd ..; x", HOME),
        ("pushd /a; popd; x", PROJECT),
        ("cd /a; cd -; x", PROJECT),
        ("(cd /a); x", PROJECT),
        ("cd /a | y; x", PROJECT),
        ("bash -c 'cd /a'; x", PROJECT),
        ("eval 'cd /a'; x", "/a"),
        ("cd $NOBODY_KNOWS; x", ""),
        ("cd $(dirname /a/b); x", "/a"),
    ],
)
def test_the_folder_is_followed(text, cwd):
    (found,) = [command for command in walk(text).commands if command.name == "x"]
    assert found.cwd == cwd


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x $HOME ~ ~/a", f"x {HOME} {HOME} {HOME}/a"),
        ("x '~' '$HOME' \\~", "x ~ $HOME ~"),
        ("x $UNKNOWN/a", "x ?/a"),
        ("A=1; A=2; x $A", "x 2"),
        ("A=1; (A=2); x $A", "x 1"),
        ("A=a.txt; x ${A%.txt} ${A#a.} ${A/a/b} ${#A} ${A:0:1}", "x a txt b.txt 5 a"),
        ("x ${A:-b} ${A:=c} $A", "x b c c"),
        ("unset A; x ${A:-/}", "x /"),
        ("x $(pwd) $(basename /a/b) $(mktemp -d)", f"x {PROJECT} b /tmp/tmp.made"),
        ("x {a,b}{1,2} {1..3} {x}", "x a1 a2 b1 b2 1 2 3 {x}"),
        ("A='a b'; x $A \"$A\"", "x a b a b"),
        ("x $((1+1)) $'\\x41'", "x ? A"),
    ],
)
def test_words_are_folded_as_far_as_the_text_tells(text, expected):
    assert effective(text)[-1] == expected


def test_an_unknown_word_stays_one_word():
    (command,) = walk("x $A b").commands
    assert [word.text for word in command.argv] == ["x", UNKNOWN, "b"]


def test_a_pipe_tells_what_arrives():
    *_, last = walk("curl -s http://x.example/a | tee b | x").commands
    assert (last.name, last.stdin.source, last.stdin.tags) == ("x", "curl", frozenset({"http"}))
    *_, last = walk("printf 'a %s' b | x").commands
    assert last.stdin.text == "a b"


def test_endless_nesting_ends_with_the_budget():
    shell = walk("f() { g; }; g() { f; }; f; " + "eval " * 50 + "x")
    assert len(shell.commands) < 200
