"""Harm that shows only in the whole of a one-liner: a shell on a socket, endless forks, decoded text."""

from __future__ import annotations

from pal.guard import interpreters_rows as rows
from pal.guard.interpreters_lexer import NAME, SHELL, STRING, Tokens
from pal.guard.interpreters_values import Values
from pal.guard.model import Finding, Row

_WINDOW = 200  # tokens looked at in one expression


def shapes(language: str, source: Tokens, values: Values, names: frozenset[str]) -> list[Finding]:
    """What no single call shows: a shell on a socket, a loop that forks."""
    found: list[Row] = []
    low = {name.lower().lstrip("$") for name in names}
    if not low.isdisjoint(rows.CONNECTS) and not low.isdisjoint(rows.SPAWNS):
        shells = any(
            kind in (STRING, SHELL) and (text in rows.SHELLS or text.startswith(rows.SHELL_STARTS))
            for kind, text in zip(source.kinds, source.texts)
        )
        if shells and (language != "python" or not low.isdisjoint(rows.WIRES)):
            found.append(rows.REVERSE)
    if "fork" in low and forks(source, values):
        found.append(rows.FORKS)
    return [Finding(row) for row in found]


def forks(source: Tokens, values: Values) -> bool:
    """Whether a loop forks without a test of what it got."""
    for at, kind in enumerate(source.kinds):
        if kind == NAME and source.texts[at] == "fork":
            after = at + 3 if values.sign(at + 1) == "(" else at + 1
            before = [source.texts[spot] for spot in range(max(0, at - 12), at)]
            loops = any(word in ("while", "loop", "until", "forever") for word in before)
            plain = not any(word in ("=", "if", "unless", "==") for word in before)
            if values.word(after) in ("while", "until") or (loops and plain) or before[-3:] == [";", ")", "{"]:
                return True
    return False


def decodes(source: Tokens, tainted: set[str], at: int, stop: int) -> str:
    """Whether: "decoded" or "fetched" when the expression decodes text or takes it from the network, else ""."""
    for spot in range(at, min(stop, at + _WINDOW, len(source.kinds))):
        text = source.texts[spot]
        if source.kinds[spot] == NAME:
            low = text.lower()
            if low in rows.DECODERS or text in tainted:
                return "decoded"
            if low in rows.FETCHERS:
                return "fetched"
        elif source.kinds[spot] == STRING and text.lower() in rows.DECODER_WORDS:
            return "decoded"
    return ""


def opens_to_write(source: Tokens, arguments: list[tuple[int, int]]) -> bool:
    """Whether one of the arguments is a mode that writes (`"w"`, `">>"`)."""
    for first, last in arguments[:3]:
        for spot in range(first, min(last, first + 4)):
            if source.kinds[spot] == STRING:
                mode = source.texts[spot].partition(":")[0].strip()
                if mode.replace("b", "").replace("t", "") in rows.MODES:
                    return True
    return False
