"""Lists what makes a text read as if a machine had written it: stock words, empty openers, one rhythm throughout.

It counts and points at lines; what to change is for a reader to decide. Code and quotations are left alone."""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
from collections.abc import Iterable, Iterator
from typing import Any

STOCK = """delve delves delving tapestry tapestries seamless seamlessly leverage leverages leveraging leveraged utilize
utilizes utilizing utilise utilises utilising robust cutting-edge game-changer game-changing unlock unlocks unlocking
elevate elevates elevating empower empowers empowering foster fosters fostering harness harnesses harnessing underscore
underscores underscoring pivotal crucial crucially vibrant bustling realm myriad plethora multifaceted holistic synergy
paradigm ever-evolving ever-changing beacon intricate meticulous meticulously transformative groundbreaking supercharge
streamline streamlines streamlining""".split()  # noqa: SIM905
STOCK_PHRASES = ("testament to", "landscape of", "navigate the", "navigating the", "embark on", "embarks on")
OPENERS = (
    "In today[’']s", "In the world of", "In an era", "In conclusion", "In summary", "When it comes to", "At its core",
    "(?:It[’']s|It is) (?:important|worth|crucial) (?:to note|noting)", "At the end of the day", "That being said",
    "Moreover", "Furthermore", "Additionally", "Ultimately", "Essentially", "Certainly", "Absolutely", "Great question",
    "I hope this", "Let[’']s dive", "Imagine a",
)  # fmt: skip
HOLLOW = "highlighting underscoring emphasi[sz]ing showcasing reflecting ensuring fostering demonstrating".split()  # noqa: SIM905
HEDGES = (
    "it can be argued", "some might say", "in many ways", "to some extent", "generally speaking", "various", "numerous",
    "a number of", "a wide (?:range|variety) of", r"plays? an? (?:\w+ )?role",
)  # fmt: skip
_ENDING = r"(?:ly|ing|ive|ed|ful|able|ible|ous)"
_ITEM = r"^\s*(?:[-*+]|\d+\.)\s+"


def _any(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(words)})"


# kind → (pattern, what to do instead)
TELLS: dict[str, tuple[str, str]] = {
    "stock word": (rf"\b{_any([*STOCK, *STOCK_PHRASES])}\b", "say the plain thing"),
    "empty opener": (rf"(?:^|(?<=[.!?]\s)){_any(OPENERS)}\b", "begin with the subject"),
    "not only … but": (
        r"\bnot (?:just|only|merely|simply)\b[^.!?\n]{2,80}?(?:\bbut\b|[—;,] it[’']?s\b)",
        "say what it is",
    ),
    "isn't … it's": (r"\bisn[’']t (?:just|about)\b[^.!?\n]{2,60}[.—;,–] ?it[’']s\b", "say what it is"),
    "three in a row": (rf"\b\w+{_ENDING}, \w+{_ENDING},? and \w+\b", "keep the one that is true"),
    "hollow ending": (rf",\s{_any(HOLLOW)}\b", "end the sentence before the comma, or name the effect"),
    "hedge": (rf"\b{_any(HEDGES)}\b", "give the number, the name or the claim"),
    "long dash": (r"\s?—\s?|\s–\s", "a full stop, a colon or a comma, unless it interrupts"),
    "bold label": (rf"{_ITEM}\*\*[^*]+(?:\*\*\s*[:–—-]|:\*\*)", "prose, or a plain list"),
    "emoji": ("[\u2600-\u27bf\U0001f300-\U0001faff]", "leave it out"),
}
SENTENCE = re.compile(r"[^.!?\n]+[.!?]+|[^.!?\n]+$", re.MULTILINE)
EVEN = 0.35  # spread of sentence lengths relative to their mean; people seldom write below it over twelve sentences
ENOUGH = 12  # sentences; fewer have no rhythm to speak of


def prose(text: str) -> str:
    """The text with code, links' addresses and quotations blanked, so that lines keep their numbers."""

    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match[0])

    for pattern in (r"^(```|~~~).*?^\1", r"`[^`\n]*`", r"^>.*$", r"\]\([^)]*\)", r"https?://\S+", r"^---\n.*?\n---$"):
        text = re.sub(pattern, blank, text, flags=re.MULTILINE | re.DOTALL if ".*?" in pattern else re.MULTILINE)
    return text


def found(text: str) -> Iterator[dict[str, Any]]:
    """Each place with `line`, `kind`, `text` and `instead`, in the order of the text."""
    for number, line in enumerate(prose(text).splitlines(), 1):
        for kind, (pattern, instead) in TELLS.items():
            flags = 0 if kind == "empty opener" else re.IGNORECASE
            for match in re.finditer(pattern, line, flags):
                yield {"line": number, "kind": kind, "text": match[0].strip()[:80], "instead": instead}


def rhythm(text: str) -> dict[str, Any]:
    """The number of sentences, their mean length and its spread (deviation over mean), and whether it is too even."""
    lengths = [len(each.split()) for each in SENTENCE.findall(prose(text)) if len(each.split()) > 2]
    mean = statistics.fmean(lengths) if lengths else 0.0
    spread = statistics.pstdev(lengths) / mean if len(lengths) > 1 and mean else 0.0
    even = len(lengths) >= ENOUGH and spread < EVEN
    return {"sentences": len(lengths), "mean": round(mean, 1), "spread": round(spread, 2), "even": even}


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="tells", description=__doc__, epilog="example: tells draft.md")
    parser.add_argument("file", help="the text; - reads standard input")
    parser.add_argument("--json", action="store_true", help="print the places and counts as JSON")
    options = parser.parse_args(argv)
    try:
        if options.file == "-":
            text = sys.stdin.read()
        else:
            with open(options.file, encoding="utf-8", errors="replace") as source:
                text = source.read()
    except OSError as fault:
        sys.stderr.write(f"{options.file}: {fault.strerror}\n")
        return 1
    rows = list(found(text))
    words = len(prose(text).split())
    per = round(len(rows) * 1000 / words, 1) if words else 0.0
    beat = rhythm(text)
    if options.json:
        facts = {"words": words, "tells": rows, "per_thousand_words": per, "rhythm": beat}
        sys.stdout.write(json.dumps(facts, ensure_ascii=False) + "\n")
        return 0
    for row in rows:
        sys.stdout.write(f"{row['line']:5} {row['kind']:14} {row['text']}  ({row['instead']})\n")
    even = "; their lengths hardly differ: cut one short, let one run" if beat["even"] else ""
    sys.stdout.write(f"{len(rows)} places in {words} words, {per} in a thousand. ")
    sys.stdout.write(
        f"{beat['sentences']} sentences of {beat['mean']} words on average, spread {beat['spread']}{even}.\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
