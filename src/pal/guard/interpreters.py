"""Judges what a one-liner for an interpreter does: `python -c`, `node -e`, `perl -e`, a heredoc to `ruby`, and so on.

Only code counts: a shell call whose text the shell's own rules refuse, a recursive delete of a protected folder, a
secret that is opened, decoded text that is run. `print("rm -rf /")` is a string."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pal.guard.model import Finding

    Judge = Callable[[str], list[Finding]]

PROGRAMS = {
    "python": "python", "python3": "python", "pypy": "python", "pypy3": "python", "ipython": "python", "py": "python",
    "pythonw": "python", "node": "js", "nodejs": "js", "deno": "js", "bun": "js", "tsx": "js", "qjs": "js",
    "perl": "perl", "ruby": "ruby", "irb": "ruby", "jruby": "ruby", "php": "php", "php-cli": "php", "lua": "lua",
    "luajit": "lua", "osascript": "osascript", "rscript": "r", "r": "r", "julia": "julia",
    "elixir": "elixir", "groovy": "groovy", "awk": "awk", "gawk": "awk", "mawk": "awk", "nawk": "awk",
}  # fmt: skip
FLAGS = {
    "python": ("-c",), "js": ("-e", "--eval", "-p", "--print", "-pe", "eval"), "perl": ("-e", "-E"), "ruby": ("-e",),
    "php": ("-r", "--run", "-B", "-R", "-E"), "lua": ("-e",), "osascript": ("-e",), "r": ("-e",), "julia": ("-e", "-E"),
    "elixir": ("-e", "--eval"), "groovy": ("-e",), "awk": ("-e", "--source"),
}  # fmt: skip
# A group of short options that ends in one of these letters takes the code as the next word (`perl -lane`).
CLUSTERS = {"python": "c", "perl": "eE", "ruby": "e", "js": "e", "lua": "e"}


def language_of(program: str) -> str:
    """The language a program runs, by the last name of its path; "" for what is no interpreter."""
    name = program.replace("\\", "/").rpartition("/")[2].lower()
    if name.endswith(".exe"):
        name = name[:-4]
    return PROGRAMS.get(name) or PROGRAMS.get(name.rstrip("0123456789.")) or ""


def code_of(argv: list[str | None]) -> list[str]:
    """The sources an interpreter's command line carries (`-c TEXT`, `-e TEXT`, `eval TEXT`); [] when it runs a file."""
    language = language_of(argv[0] or "") if argv else ""
    flags = FLAGS.get(language, ())
    clusters = CLUSTERS.get(language, "")
    found = []
    spot = 1
    while spot < len(argv):
        word = argv[spot] or ""
        follows = argv[spot + 1] if spot + 1 < len(argv) else None
        name, equals, rest = word.partition("=")
        if equals and name in flags and name.startswith("--"):
            found.append(rest)
        elif word in flags or (
            clusters and word[:1] == "-" and word[1:2] != "-" and word[-1:] in clusters and word[1:].isalnum()
        ):
            if follows is not None:
                found.append(follows)
            spot += 1
        elif language == "python" and word.startswith("-c") and len(word) > 2:
            found.append(word[2:])
        elif not word.startswith("-"):
            if language == "awk" and not found and word:
                return [word]
            if not found and language != "osascript":
                break
        spot += 1
    return found


def judge_code(language: str, source: str, judge_shell: Judge, home: str, cwd: str, pal: str = "") -> list[Finding]:
    """What the rules find in `source`. `judge_shell` judges a command the code hands to a shell."""
    from pal.guard.interpreters_reading import Reading  # most commands run no code of their own

    if language == "osascript" and "doShellScript" in source:
        language = "js"
    return Reading(language, source, judge_shell, home, cwd, pal, 0).findings()
