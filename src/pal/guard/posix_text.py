"""What reading shell text may cost, and how its escapes read; posix_words.py and posix.py stand on it."""

from __future__ import annotations

MAX_CHARACTERS = 512 * 1024  # read over all levels; texts inside texts count again
MAX_WORDS = 16_000
MAX_DEPTH = 40
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}
HEX = frozenset("0123456789abcdefABCDEF")
OCTAL = frozenset("01234567")


class Budget:
    """What reading one tool call may cost; shared by every reader of it."""

    __slots__ = ("characters", "depth", "over", "words")

    def __init__(self) -> None:
        self.characters = 0
        self.words = 0
        self.depth = 0
        self.over = False

    def open(self, characters: int) -> None:
        """A text of this length is about to be read."""
        self.characters += characters
        if self.characters > MAX_CHARACTERS:
            self.over = True


def unescape(text: str) -> str:
    """The text of an ANSI-C string (`$'…'`) or of a printf format: `\\n`, `\\x41`, `\\101`, `\\u0041`."""
    if "\\" not in text:
        return text
    out: list[str] = []
    i, size = 0, len(text)
    while i < size:
        j = text.find("\\", i)
        if j < 0 or j + 1 >= size:
            break
        out.append(text[i:j])
        c = text[j + 1]
        i = j + 2
        digits, width, base = ("", 0, 16)
        if c in "xuU":
            width = {"x": 2, "u": 4, "U": 8}[c]
        elif c in OCTAL:
            width, base, i = 3, 8, j + 1
            if c == "0":
                width = 4
        if width:
            allowed = HEX if base == 16 else OCTAL
            while i < size and len(digits) < width and text[i] in allowed:
                digits += text[i]
                i += 1
            code = int(digits, base) if digits else 0
            out.append(chr(code) if 0 < code < 0x110000 else "")
        else:
            out.append(ESCAPES.get(c, c if c in "\\'\"?" else "\\" + c))
    out.append(text[i:])
    return "".join(out)
