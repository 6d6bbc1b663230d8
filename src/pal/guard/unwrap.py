"""Walks a parsed text as a shell would and lists the effective commands in it, with their folder, input and wrappers.

`Shell` holds what the text itself makes true: constants, functions, the folder after `cd`, files written earlier in it.
Nothing runs or is looked up; launch.py knows the programs that run others, streams.py what programs write.
"""

from __future__ import annotations

from pal.guard import launch, streams
from pal.guard.expand import expand, joined
from pal.guard.model import UNKNOWN, Argument, Command, Part, Redirect, Simple, Stream, Word
from pal.guard.posix import heredoc_word, parse
from pal.guard.posix_tree import Node, Script
from pal.guard.state import RUN_BY_OTHERS, State
from pal.guard.wrappers import WRAPPERS, payload

MAX_COMMANDS = 2000  # effective commands of one call
MAX_STEPS = 10_000  # nodes walked, loops and functions counted each time round
MAX_REDIRECTS = 200  # of one command
MAX_ARGUMENTS = 2000  # of one command
MAX_NESTED = 10  # shells inside shells
MAX_ROUNDS = 16  # values of one loop that are followed

# Marks behind UNKNOWN that say where unknown text came from; eval and `sh -c` look for them.
TAINTS = {"decoded": "\x01", "http": "\x02", "https": "\x03", "socket": "\x04"}

# What stands in a substitution behind these becomes variables and is not shown: `export $(cat .env | xargs)`.
SETS_VARIABLES = frozenset({"export", "declare", "typeset", "local", "readonly", "env"})


class Shell(State):
    """A shell that follows texts and trees."""

    __slots__ = ()

    # Running texts and trees

    def run_text(
        self, text: str, stdin: Stream | None, span: tuple[int, int] | None = None, apart: bool = False
    ) -> Stream:
        """Follow a text as a shell would run it; `apart` when a shell of its own does."""
        if self.nested >= MAX_NESTED:
            self.budget.over = True
            return Stream(None)
        outer = self.span
        if self.span is None and (span is not None or self.nested):
            self.span = span
        self.nested += 1
        begin = self.mark() if apart else None
        out = self.run(parse(text, self.budget), stdin)
        if begin is not None:
            self.undo(begin)
        self.nested -= 1
        self.span = outer
        return out

    def run(self, tree: Script, stdin: Stream | None) -> Stream:
        outs: list[Stream] = []
        for nodes, _ in tree.pipelines:
            if len(self.commands) > MAX_COMMANDS or self.steps > MAX_STEPS:
                self.budget.over = True
                break
            outs.append(self.pipeline(nodes, stdin))
        return streams.together(outs)

    def pipeline(self, nodes: list[Node], stdin: Stream | None) -> Stream:
        stream = stdin
        for node in nodes:
            if len(nodes) > 1:
                begin = self.mark()
                stream = self.node(node, stream)
                self.undo(begin)
            else:
                stream = self.node(node, stream)
        return stream if stream is not None else Stream(None)

    def node(self, node: Node, stdin: Stream | None) -> Stream:
        kind = node.kind
        self.steps += 1
        if kind == "simple" and node.command is not None:
            return self.simple(node.command, stdin)
        if kind == "function":
            self.functions[node.name] = node
            launch.fork_bomb(self, node)
            return Stream("")
        redirects, stdin = self.redirects(node.redirects, stdin)
        if redirects:
            self.emit(Command("", [], redirects, self.span or (0, 0), self.cwd, stdin))
        begin = self.mark() if kind == "subshell" else None
        out = Stream("")
        if kind == "for":
            out = self.loop(node, stdin)
        else:
            for word in node.words:
                expand(word, self)
            for script in node.scripts:
                out = self.run(script, stdin)
        if begin is not None:
            self.undo(begin)
        return self.written(out, redirects)

    def loop(self, node: Node, stdin: Stream | None) -> Stream:
        if not node.words and self.positional is not None:
            values = list(self.positional)
        else:
            values = [argument.text for word in node.words for argument in expand(word, self)]
        out = Stream("")
        for text in values[:MAX_ROUNDS] or [UNKNOWN]:
            self.assign(node.name, text)
            out = self.run(node.scripts[0], stdin) if node.scripts else out
        return out

    def simple(self, command: Simple, stdin: Stream | None) -> Stream:
        argv: list[Argument] = []
        outer = self.kept
        if len(command.words) > 1 and command.words[0].literal() in SETS_VARIABLES:
            self.kept = True
        for word in command.words:
            argv += expand(word, self)
        self.kept = outer
        redirects, stdin = self.redirects(command.redirects, stdin)
        span = self.span or (command.start, command.end)
        for name, word in command.assignments:
            self.set(name, word)
        if not argv:
            if redirects:
                self.emit(Command("", [], redirects, span, self.cwd, stdin))
            return self.written(stdin if stdin is not None and redirects else Stream(""), redirects)
        return self.written(self.call(argv, stdin, redirects, span), redirects)

    def set(self, name: str, word: Word) -> None:
        if len(word.parts) == 1 and word.parts[0].kind == "array" and isinstance(word.parts[0].body, list):
            items = [argument.text for item in word.parts[0].body for argument in expand(item, self)]
            self.arrays[name.rstrip("+")] = self.arrays.get(name[:-1], []) + items if name.endswith("+") else items
        else:
            self.assign(name, joined(word, self))

    def redirects(
        self, listed: list[Redirect], stdin: Stream | None
    ) -> tuple[list[tuple[str, str, Argument]], Stream | None]:
        """The redirects folded, and what then is on standard input."""
        out: list[tuple[str, str, Argument]] = []
        if len(listed) > MAX_REDIRECTS:
            self.budget.over = True
        for redirect in listed[:MAX_REDIRECTS]:
            if redirect.body is not None:
                body = redirect.body
                if redirect.expands and ("$" in body or "`" in body):
                    body = joined(heredoc_word(body, self.budget), self)
                stdin = Stream(body, "<<")
                continue
            text = joined(redirect.target, self)
            if redirect.operator == "<<<":
                stdin = streams.tainted(text + "\n", "<<<")
                continue
            glob = any(part.kind == "glob" for part in redirect.target.parts)
            out.append((redirect.fd, redirect.operator, Argument(text, glob)))
            if redirect.operator in ("<", "<>") and redirect.fd in ("", "0"):
                stdin = self.files.get(self.path(text)) or Stream(None, "<", [Argument(text)])
        return out, stdin

    def written(self, out: Stream, redirects: list[tuple[str, str, Argument]]) -> Stream:
        """Remember what a redirect to a file puts there; the stream that goes on."""
        for fd, operator, target in redirects:
            if operator in (">", ">>", ">|", "&>", "&>>") and fd in ("", "1"):
                self.keep(target.text, out)
                out = Stream("")
        return out

    def emit(self, command: Command) -> None:
        command.mounts = self.mounts
        command.kept = self.kept
        self.commands.append(command)
        if self.notes is not None and command.argv:
            self.note(" ".join([*command.via, ">" if command.via else "", *[word.text for word in command.argv]]))

    def call(
        self,
        argv: list[Argument],
        stdin: Stream | None,
        redirects: list[tuple[str, str, Argument]],
        span: tuple[int, int],
        via: tuple[str, ...] = (),
    ) -> Stream:
        """One command with all its words known: list it, and follow what it runs."""
        if not argv or len(via) > 20 or len(self.commands) > MAX_COMMANDS:
            return Stream(None)
        if len(argv) > MAX_ARGUMENTS:
            self.budget.over = True
            argv = argv[:MAX_ARGUMENTS]
        first = argv[0].text
        name = first.rpartition("/")[2].rpartition("\\")[2] if "/" in first or "\\" in first else first
        if name[-4:].lower() == ".exe":
            name = name[:-4].lower()
        if not via and name in self.aliases and name not in self.calling:
            self.calling.append(name)
            out = self.run_text(self.aliases[name] + " " + launch.requoted(argv[1:]), stdin, span)
            self.calling.pop()
            return out
        if name in self.functions and name not in self.calling and (not via or via[-1] == "time"):
            return self.function(name, argv, stdin)
        command = Command(name, argv, redirects, span, self.cwd, stdin, via)
        self.emit(command)
        handler = launch.HANDLERS.get(name)
        if handler is not None:
            return handler(self, command)
        wrapper = WRAPPERS.get(name)
        if wrapper is not None:
            rest, assigned = payload(wrapper, argv)
            for item in assigned:
                variable, _, text = item.partition("=")
                if variable in RUN_BY_OTHERS:
                    self.run_text(text, None, span)
            if rest:
                return self.call(rest, stdin, redirects, span, (*via, name))
            return launch.other(self, command)  # `bun -e …` starts nothing else; it runs code itself
        if "/" in first and self.path(first) in self.files:
            return launch.run_stream(self, self.files[self.path(first)], command)
        return launch.other(self, command)

    def function(self, name: str, argv: list[Argument], stdin: Stream | None) -> Stream:
        if len(self.calling) > MAX_NESTED:
            self.budget.over = True
            return Stream(None)
        before, self.positional = self.positional, [argument.text for argument in argv[1:]]
        self.calling.append(name)
        out = Stream("")
        for script in self.functions[name].scripts:
            out = self.run(script, stdin)
        self.calling.pop()
        self.positional = before
        return out

    # What expand.py asks for

    def substitute(self, part: Part) -> str:
        """The text a substitution becomes."""
        if not isinstance(part.body, Script):
            return UNKNOWN
        begin = self.mark()
        out = self.run(part.body, None)
        self.undo(begin)
        if out.text is None:
            return UNKNOWN + "".join([TAINTS[tag] for tag in TAINTS if tag in out.tags])
        text = out.text.rstrip("\n")
        if "decoded" in out.tags:
            self.decoded.add(text)
        return text

    def process(self, part: Part) -> str:
        """The name of the pipe a process substitution becomes."""
        self.descriptors += 1
        name = f"/dev/fd/{self.descriptors}"
        if isinstance(part.body, Script):
            begin = self.mark()
            self.files[name] = self.run(part.body, None)
            self.undo(begin)
        return name
