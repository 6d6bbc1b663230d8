"""Cuts a text into the parts it is judged by: its sentences, and short runs of what they say."""

from __future__ import annotations

from pal.memory import terms

WINDOW, _STEP, _SHORTEST = 8, 4, 3  # stems
_ENDS = ".!?;\n\u3002\uff01\uff1f"


def windows(text: str) -> list[list[str]]:
    """The parts a text is judged by: sentences, cut into overlapping runs of eight stems; too short ones are joined to
    the one before, or to the next where there is none."""
    parts: list[list[str]] = []
    for sentence in sentences(text):
        stems = terms.stems(sentence)
        if not stems:
            continue
        if parts and (len(stems) < _SHORTEST or len(parts[-1]) < _SHORTEST):
            parts[-1] += stems
        else:
            parts.append(stems)
    found = []
    for part in parts:
        last = max(0, len(part) - WINDOW)
        starts = [*range(0, last, _STEP), last]
        found += [part[at : at + WINDOW] for at in starts]
    return found


def sentences(text: str) -> list[str]:
    """The sentences of a text; a point ends one only before white space."""
    found, begin = [], 0
    for at, char in enumerate(text):
        if char in _ENDS and (char != "." or text[at + 1 : at + 2] in ("", " ", "\n", '"', ")")):
            found.append(text[begin : at + 1])
            begin = at + 1
    return [*found, text[begin:]]
