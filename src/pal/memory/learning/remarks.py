"""Relationship notes by rule: sentences in which users say what they prefer, always want, or work with.

Where a model answers, its notes are kept as well; these are what remains without one."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_SHORTEST, _LONGEST = 12, 240  # characters of a sentence
_MOST = 4
_SURE = 0.7  # said in so many words, but perhaps of this one task only
# How a sentence begins, in lower case, that states a preference or a fact of the user's world.
_OPINIONS = (
    "i prefer ", "i like ", "i love ", "i hate ", "i don't like ", "i dont like ", "i do not like ", "i'd rather ",
    "i always want ", "i never want ", "please always ", "please never ", "always ", "never ", "from now on ",
    "from now on, ", "in future ", "in the future ", "don't ever ", "do not ever ",
)  # fmt: skip
_FACTS = (
    "i work at ", "i work as ", "i work for ", "i work on ", "i am working on ", "i'm working on ", "we use ",
    "we are using ", "we're using ", "my name is ", "our stack is ", "our team ", "my team ", "my company ",
    "our company ", "we deploy ", "we run ",
)  # fmt: skip
_NOT_LASTING = (
    "this ",
    "the error",
    "i like it",
    "i love it",
    "i like this",
    "i love this",
    "i hate this",
    "i hate it",
)


def by_rule(messages: Sequence[Sequence[str]]) -> list[tuple[str, str, float | None]]:
    """(kind, text, confidence) notes of what the user said in these messages."""
    found: dict[str, tuple[str, str, float | None]] = {}
    for role, said in messages:
        if role != "user":
            continue
        for sentence in _sentences(said):
            lowered = sentence.lower().replace("’", "'")
            if not _SHORTEST <= len(sentence) <= _LONGEST or sentence.endswith("?") or lowered.startswith(_NOT_LASTING):
                continue
            if lowered.startswith(_OPINIONS):
                found.setdefault(lowered, ("O", sentence, _SURE))
            elif lowered.startswith(_FACTS):
                found.setdefault(lowered, ("W", sentence, None))
    return list(found.values())[:_MOST]


def _sentences(said: str) -> list[str]:
    """The sentences outside code; a line end ends one too."""
    sentences = []
    fenced = False
    for line in said.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and "`" not in line and not line.lstrip().startswith((">", "|")):
            begin = 0
            for at, letter in enumerate(line):
                if letter in ".!?" and line[at + 1 : at + 2] in ("", " "):
                    sentences.append(line[begin : at + 1].strip(" -*•"))
                    begin = at + 1
            sentences.append(line[begin:].strip(" -*•"))
    return [sentence.rstrip(".!") if not sentence.endswith("?") else sentence for sentence in sentences if sentence]
