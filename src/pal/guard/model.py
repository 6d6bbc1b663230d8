"""The words the guard is written in: what a tokenizer hands over, what a rule row says, what a verdict carries.

Every module of the guard imports these plain classes; none of them does any work beyond holding its fields.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ALLOW, ASK, DENY = "allow", "ask", "deny"
STRENGTH = {ALLOW: 0, ASK: 1, DENY: 2}

# What each group of rules answers unless `pal-settings.json → security.groups` says otherwise.
# "allow" means allow and log: the verdict names its rule, but nothing is stopped.
GROUPS = {
    "filesystem": DENY,  # recursive deletes and moves of what cannot come back
    "disk": DENY,  # block devices, partition tables, volumes
    "permissions": DENY,  # world-writable modes, ownership of system trees
    "system": DENY,  # accounts, boot, init, firewall, scheduler, kernel
    "forkbomb": DENY,
    "injection": DENY,  # text from an unsafe place run as a program
    "obfuscation": DENY,  # decoded text run as a program
    "reverse-shell": DENY,
    "secrets.read": DENY,
    "secrets.send": DENY,
    "paths.write": DENY,  # system paths, shell start files with payloads, PAL's own state
    "windows": DENY,
    "git": ASK,  # whole working trees, history and refs thrown away
    "infra": ASK,  # clusters, clouds and containers destroyed
    "db": ASK,  # databases dropped, truncated or emptied
    "publish": ASK,  # packages published or unpublished
    "outside-delete": ASK,  # deletes outside the project, of the project itself, of unknown variables
    "pipe-installer": ASK,  # a script from https piped to a shell
    "unclear": ALLOW,  # worth a line in the log, not worth a question
}


class Part:
    """A piece of a word: `kind` says how the shell sees it, `text` what is inside.

    Kinds: "literal" (unquoted), "quoted" (single, double, ANSI-C or escaped: text as the shell sees it), "variable"
    (text is the name), "substitution" (inner source of `$(…)` or backquotes), "process" (inner source of `<(…)` or
    `>(…)`), "arithmetic", "glob" (`*`, `?` or `[`), "tilde" (`~` or `~name` at the start of a word). What stands
    inside double quotes carries quoted=True. `operator` and `operand` hold what `${name…}` asks for: (":-", parts of
    the default), and so on. `body` is the parsed inside of a substitution, or the words of an array ("array" is a
    kind of its own).
    """

    __slots__ = ("body", "kind", "operand", "operator", "quoted", "text")

    def __init__(
        self,
        kind: str,
        text: str,
        quoted: bool = False,
        operator: str = "",
        operand: list[Part] | None = None,
        body: object = None,
    ) -> None:
        self.kind = kind
        self.text = text
        self.quoted = quoted
        self.operator = operator
        self.operand = operand
        self.body = body

    def __repr__(self) -> str:
        return f"{self.kind}:{self.text!r}"


class Word:
    """One word of a command: its parts and its place in the text."""

    __slots__ = ("end", "parts", "start")

    def __init__(self, parts: list[Part], start: int = 0, end: int = 0) -> None:
        self.parts = parts
        self.start = start
        self.end = end

    def literal(self) -> str | None:
        """The text the shell will see; None when it hangs on anything but the text (a variable, a glob, a tilde)."""
        text = ""
        for part in self.parts:
            if part.kind not in ("literal", "quoted"):
                return None
            text += part.text
        return text

    def quoted(self) -> bool:
        """True when any piece was quoted: such a word is never a reserved word, an alias or a heredoc to expand."""
        return any(part.quoted or part.kind == "quoted" for part in self.parts)

    def __repr__(self) -> str:
        return f"Word{self.parts!r}"


class Redirect:
    """`fd operator target`; a heredoc carries its body, and `expands` when its delimiter was not quoted."""

    __slots__ = ("body", "expands", "fd", "operator", "target")

    def __init__(self, fd: str, operator: str, target: Word, body: str | None = None, expands: bool = True) -> None:
        self.fd = fd
        self.operator = operator
        self.target = target
        self.body = body
        self.expands = expands

    def __repr__(self) -> str:
        return f"{self.fd}{self.operator}{self.target!r}"


class Simple:
    """One simple command as the text has it: assignments, words, redirects, and its place."""

    __slots__ = ("assignments", "end", "redirects", "start", "words")

    def __init__(self, start: int) -> None:
        self.assignments: list[tuple[str, Word]] = []
        self.words: list[Word] = []
        self.redirects: list[Redirect] = []
        self.start = start
        self.end = start

    def __repr__(self) -> str:
        return f"Simple({self.words!r})"


# Stands in folded text for a piece that only the running shell could know.
UNKNOWN = "\0"


class Argument:
    """A folded word: its text (UNKNOWN for each unknown piece) and whether unquoted wildcards are in it."""

    __slots__ = ("glob", "text")

    def __init__(self, text: str, glob: bool = False) -> None:
        self.text = text
        self.glob = glob

    def __repr__(self) -> str:
        return repr(self.text)


class Stream:
    """What a command writes, or what reaches another's standard input.

    `text` when it is constant (heredoc, echo, printf), else None; `source` names the producing command ("find",
    "curl", …), `argv` its folded words; `tags` says what happened to it on the way: "decoded", "http", "https",
    "socket", "shell".
    """

    __slots__ = ("argv", "source", "tags", "text")

    def __init__(
        self, text: str | None, source: str = "", argv: list[Argument] | None = None, tags: frozenset[str] = frozenset()
    ) -> None:
        self.text = text
        self.source = source
        self.argv = argv if argv is not None else []
        self.tags = tags


class Command:
    """One effective command: words after unwrapping, with what the shell around it makes true.

    `argv` are the folded words, `name` the bare name of the first; `redirects` are (fd, operator, target); `cwd` is
    "" when unknown; `stdin` is the Stream that feeds it or None; `via` names the wrappers taken off, outermost first;
    `mounts` maps folders of a container to folders of the host, None outside of containers; `kept` when its output
    only becomes variables.
    """

    __slots__ = ("argv", "cwd", "kept", "mounts", "name", "redirects", "span", "stdin", "via")

    def __init__(
        self,
        name: str,
        argv: list[Argument],
        redirects: list[tuple[str, str, Argument]],
        span: tuple[int, int],
        cwd: str,
        stdin: Stream | None = None,
        via: tuple[str, ...] = (),
        mounts: list[tuple[str, str]] | None = None,
    ) -> None:
        self.name = name
        self.argv = argv
        self.redirects = redirects
        self.span = span
        self.cwd = cwd
        self.stdin = stdin
        self.via = via
        self.mounts = mounts
        self.kept = False

    def __repr__(self) -> str:
        return f"Command({self.argv!r})"


class Row:
    """One rule: an id, its group, the reason shown to the agent and what to do instead (which must itself be allowed).

    `instead` may hold one command between backquotes; `decision` overrides the group's answer where a rule is weaker.
    """

    __slots__ = ("decision", "group", "instead", "reason", "rule")

    def __init__(self, rule: str, group: str, reason: str, instead: str, decision: str = "") -> None:
        self.rule = rule
        self.group = group
        self.reason = reason
        self.instead = instead
        self.decision = decision


class Finding:
    """A row that matched, where in the text, and the word that made it match ("" when none may be shown)."""

    __slots__ = ("row", "span", "what")

    def __init__(self, row: Row, span: tuple[int, int] = (0, 0), what: str = "") -> None:
        self.row = row
        self.span = span
        self.what = what


class Verdict:
    """The answer: decision, the rule and group behind it, the part of the text, why, what to do instead.

    An "allow" with a rule is one to log. `notes` is the trace of what was unwrapped (only `explain` fills it).
    """

    __slots__ = ("decision", "group", "instead", "notes", "reason", "rule", "span")

    def __init__(
        self,
        decision: str,
        rule: str = "",
        group: str = "",
        span: tuple[int, int] = (0, 0),
        reason: str = "",
        instead: str = "",
        notes: Iterable[str] = (),
    ) -> None:
        self.decision = decision
        self.rule = rule
        self.group = group
        self.span = span
        self.reason = reason
        self.instead = instead
        self.notes = tuple(notes)

    def __repr__(self) -> str:
        return f"Verdict({self.decision}, {self.rule or '-'})"


class Policy:
    """What the user and the machine say about judging; everything in it is data.

    `groups` overrides GROUPS by name ("allow", "ask", "deny"). `lifted` are built-in rule ids the user allows.
    `user_rules` is opaque here: `user_rules.match_command(rules, argv)` (argv: list of text, None for an unknown
    word) and `user_rules.match_path(rules, path, operation)` return a Verdict or None. `home` in judge() is the
    user's home, `pal_home` is PAL's own folder.
    """

    __slots__ = ("case_insensitive", "groups", "lifted", "pal_home", "user_rules", "windows")

    def __init__(
        self,
        groups: Mapping[str, str] | None = None,
        user_rules: object = (),
        windows: bool = False,
        pal_home: str = "",
        case_insensitive: bool = False,
        lifted: frozenset[str] = frozenset(),
    ) -> None:
        self.groups: Mapping[str, str] = groups if groups is not None else {}
        self.user_rules = user_rules
        self.windows = windows
        self.pal_home = pal_home
        self.case_insensitive = case_insensitive
        self.lifted = lifted

    def decision(self, row: Row) -> str:
        """What this row answers under this policy: the user's word for its group, else its own, else the group's
        default."""
        if row.rule in self.lifted:
            return ALLOW
        chosen = self.groups.get(row.group, "")
        if chosen in STRENGTH:
            return chosen
        return row.decision or GROUPS.get(row.group, ALLOW)


NOTHING = Verdict(ALLOW)
