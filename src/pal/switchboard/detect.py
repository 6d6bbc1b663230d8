"""Finds an explicit workflow command in a prompt: deterministic, linear in the text, on exact words at known places.

`concerned` is asked for every prompt and costs next to nothing; `find` looks closely. What is quoted, shown as code or
written by a machine never starts anything, and neither do everyday words such as "review this"."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

# The workflows PAL ships; `assets/workflows/` has a file for each, and a test holds the two together.
BUILT_IN = ("accuracy", "improve-plan", "challenge", "chat", "archive", "export")
# Names of a family that hands work on; here a card is moved instead, and whoever types one is told so.
RETIRED = ("handoff", "handoff-lead", "handoff-chat", "handoff-relay")
OWN = ("sb", "switchboard", "pal")  # `/sb-export`, `/sb:export`: forms that no host has for itself
SENTINEL = "pal-workflow:"  # begins the text that PAL's own commands expand to
LOOKED = 8_000  # characters of a prompt that are looked at; a request stands at its beginning

_BLANK = " \t\r\n\ufeff\u200b\u00a0"
_MACHINE = (
    "<task-notification", "<system-reminder", "<local-command", "<bash-", "<hook", "<subagent_notification",
    "<environment_context", "<turn_aborted", "<tool_result", "<function_results", "<tool_output", "<untrusted_context",
    "<teammate-message", "<cross-session-message", "<scheduled", "<cron", "[Request interrupted",
    "This session is being continued from a previous conversation", "Please continue the conversation",
)  # fmt: skip
# Elements whose inside nobody typed as a request.
_WRAPPERS = (
    "system-reminder", "task-notification", "tool_result", "function_results", "tool_output", "local-command-stdout",
    "bash-input", "bash-stdout", "bash-stderr", "untrusted_context", "environment_context", "pal-memory", "private",
    "document", "file", "selection", "attached_files", "context", "code",
)  # fmt: skip
_QUOTES = {'"': '"', "“": "”", "«": "»", "„": "“", "‘": "’"}
_VERBS = frozenset(("run", "start", "use", "execute", "activate"))
_BEFORE = frozenset(
    """
    please kindly can could would will you now then ok okay hey hi hello also first next and so great thanks go ahead
    just lets let's us pal
    """.split()  # noqa: SIM905  one word a string would be a page
)
_ITS_FILE = frozenset(
    "file files document documents definition text page doc docs markdown description name".split()  # noqa: SIM905
)
_ENDS = frozenset(".!?;:\n")
_LONGEST_NAME = 48


class Found:
    """One command in a prompt: which workflow, what came with it, how it was written, and what else was asked for."""

    __slots__ = ("args", "flags", "name", "others", "own", "retired")

    def __init__(self, name: str, args: str = "", own: bool = False, retired: bool = False) -> None:
        words = args.split()
        self.name = name
        self.flags = tuple(dict.fromkeys(word for word in words[:20] if word.startswith("--") and len(word) > 2))
        self.args = args.strip()
        self.own = own  # it was written in a form that is PAL's alone
        self.retired = retired
        self.others: tuple[str, ...] = ()  # further commands, which are not started


def concerned(prompt: str) -> bool:
    """Whether a prompt may hold a command or a question about the board at all."""
    head = prompt[:LOOKED]
    if head.lstrip(_BLANK)[:1] in ("/", "$", "<"):
        return True
    lowered = head.lower()
    return (
        "workflow" in lowered
        or "plans" in lowered
        or "cards" in lowered
        or "tickets" in lowered
        or SENTINEL in lowered
        or (" /" in lowered and any(verb + " /" in lowered for verb in _VERBS))
    )


def find(prompt: str, names: Collection[str] = BUILT_IN) -> Found | None:
    """The command a prompt gives, None for none. Only a person's words are asked about."""
    head = prompt[:LOOKED].lstrip(_BLANK)
    if not head or head.startswith(_MACHINE) and not head.startswith("<command-"):
        return None
    found = _leading(head, prompt, names)
    if found is None:
        found = _requested(spoken(prompt[:LOOKED]), names)
    if found is not None:
        found.others = _others(prompt, found, names)
    return found


def _leading(head: str, prompt: str, names: Collection[str]) -> Found | None:
    """A command that is the very first thing in the prompt."""
    if head.startswith("<command-"):
        return _wrapped(head, names)
    if head[:1] not in ("/", "$"):
        if head[: len(SENTINEL)].lower() != SENTINEL:
            return None
        word, args = _split(head[len(SENTINEL) :].lstrip(" \t"))
        found = _named("/" + word.lstrip("/$"), args, names)
        if found is not None:
            found.own = True
        return found
    word, args = _split(head)
    found = _named(word, args, names)
    if found is not None and len(prompt) > LOOKED and args:
        found.args = prompt.lstrip(_BLANK)[len(word) :].strip()
    return found


def _split(text: str) -> tuple[str, str]:
    parts = text[: _LONGEST_NAME + 16].split(None, 1)
    word = parts[0] if parts else ""
    return word, text[len(word) :].strip()


def _wrapped(head: str, names: Collection[str]) -> Found | None:
    """A host's own record of a typed command."""
    name = _element(head, "command-name")
    if not name:
        return None
    return _named("/" + name.strip().lstrip("/"), _element(head, "command-args").strip(), names)


def _element(text: str, name: str) -> str:
    begin = text.find("<" + name + ">")
    end = text.find("</" + name + ">", begin) if begin >= 0 else -1
    return text[begin + len(name) + 2 : end] if end >= 0 else ""


def _named(word: str, args: str, names: Collection[str]) -> Found | None:
    """`/sb:Improve_Plan` → improve-plan; None for a word that is no exact command."""
    if len(word) < 3 or len(word) > _LONGEST_NAME:
        return None
    name = word[1:].lower().replace("_", "-")
    own = False
    for prefix in OWN:
        rest = name[len(prefix) + 1 :]
        if name.startswith((prefix + ":", prefix + "-")) and (rest in names or rest in RETIRED):
            name, own = rest, True
            break
    if name in names:
        return Found(name, args, own)
    if name in RETIRED and (own or name != RETIRED[0]):  # `/handoff` alone is everybody's word
        return Found(name, args, own, retired=True)
    return None


def _others(prompt: str, found: Found, names: Collection[str]) -> tuple[str, ...]:
    """Commands that begin a later line: one prompt starts one workflow."""
    more: dict[str, None] = {}
    for line in prompt[:LOOKED].lstrip(_BLANK).split("\n")[1:]:
        bare = line.strip()
        if bare[:1] in ("/", "$"):
            other = _named(_split(bare)[0], "", names)
            if other is not None and not other.retired and other.name != found.name:
                more[other.name] = None
    return tuple(more)


def spoken(text: str) -> str:
    """What a person says in a text themselves: without code, block quotes, quotations and what machines put there."""
    kept = []
    fence = ""
    for line in without_elements(text).split("\n"):
        bare = line.strip()
        mark = bare[:3]
        if fence:
            if mark == fence and not bare.strip(fence[0]):
                fence = ""
        elif mark in ("```", "~~~"):
            fence = mark
        elif bare[:1] != ">" and not line.startswith(("    ", "\t")):
            kept.append(_unquoted(line))
    return "\n".join(kept)


def without_elements(text: str) -> str:
    """The text without the elements that hosts and tools wrap things in; one that never ends takes the rest along."""
    if "<" not in text:
        return text
    parts = []
    kept = at = 0
    while True:
        at = text.find("<", at)
        if at < 0:
            break
        name = _wrapper(text, at + 1) if text.startswith(_WRAPPERS, at + 1) else ""
        if not name:
            at += 1
            continue
        parts.append(text[kept:at])
        end = text.find("</" + name, at)
        close = text.find(">", end) if end >= 0 else -1
        if close < 0:
            kept = len(text)
            break
        kept = at = close + 1
    return "".join(parts) + text[kept:]


def _wrapper(text: str, at: int) -> str:
    end = at
    limit = min(len(text), at + 24)
    while end < limit and (text[end].isalnum() or text[end] in "-_"):
        end += 1
    name = text[at:end]
    return name if name in _WRAPPERS and text[end : end + 1] in (">", " ", "\n") else ""


def _unquoted(line: str) -> str:
    """The line without inline code and without what stands between quotation marks."""
    if "`" in line:
        line = " ¦ ".join(line.split("`")[::2])
    for opening, closing in _QUOTES.items():
        if opening not in line:
            continue
        parts = []
        kept = 0
        while True:
            begin = line.find(opening, kept)
            end = line.find(closing, begin + 1) if begin >= 0 else -1
            if end < 0:
                break
            parts.append(line[kept:begin])
            kept = end + 1
        line = " ¦ ".join(parts) + " ¦ " + line[kept:] if parts else line
    if "'" in line:
        pieces = line.split(" '")
        if len(pieces) > 1:
            line = " ¦ ".join(
                [pieces[0], *[piece.partition("'")[2] if _closed(piece) else piece for piece in pieces[1:]]]
            )
    return line


def _closed(piece: str) -> bool:
    """Whether a quotation that began before this ends in it: its mark does not stand inside a word."""
    at = piece.find("'")
    return at >= 0 and not piece[at + 1 : at + 2].isalnum()


def _requested(text: str, names: Collection[str]) -> Found | None:
    """`Please run the accuracy workflow on src/a.py`, at the start of a sentence."""
    lowered = text.lower()
    if "workflow" not in lowered and "/" not in lowered:
        return None
    for begin, end in _sentences(text):
        sentence = text[begin:end]
        low = sentence.lower()
        if "workflow" not in low and " /" not in low:
            continue
        words = low.replace(",", " ").split()
        at = 0
        while at < len(words) and at < 8 and words[at] in _BEFORE:
            at += 1
        if at + 1 < len(words) and words[at] in _VERBS:
            name, used = _name_at(words, at + 1, names)
            if name:
                return Found(name, _behind(sentence, used) + text[end : end + LOOKED].lstrip(".!?;: "))
    return None


def _name_at(words: list[str], at: int, names: Collection[str]) -> tuple[str, int]:
    """(the workflow named from this word on, how many words that takes up to its end)."""
    if words[at] == "the":
        at += 1
    if at < len(words) and words[at][:1] in ("/", "$"):
        found = _named(words[at].rstrip(".!?"), "", names)
        return (found.name, at + 1) if found and not found.retired else ("", 0)
    for count in (1, 2):
        name = "-".join(words[at : at + count]).replace("_", "-")
        after = words[at + count : at + count + 2]
        if name in names and after[:1] and after[0].rstrip(".!?") == "workflow":
            return ("", 0) if after[1:2] and after[1].rstrip(".!?") in _ITS_FILE else (name, at + count + 1)
    return "", 0


def _behind(sentence: str, used: int) -> str:
    """What of a sentence follows its first `used` words."""
    parts = sentence.replace(",", " ").split(None, used)
    return parts[used] if len(parts) > used else ""


def _sentences(text: str) -> list[tuple[int, int]]:
    found = []
    begin = 0
    for at, letter in enumerate(text):
        # A full stop inside `src/a.py` ends nothing.
        if letter in _ENDS and (letter == "\n" or text[at + 1 : at + 2] in ("", " ", "\n", "\t")):
            if at > begin:
                found.append((begin, at))
            begin = at + 1
    if begin < len(text):
        found.append((begin, len(text)))
    return found
