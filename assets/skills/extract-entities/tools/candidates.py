"""Lists the names in a text as a first pass: people, companies, addresses, with how often and where each stands.

It works by spelling alone and errs on the side of too many; a reader decides what goes into `pal knowledge ingest`."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from typing import Any

COMPANY = frozenset(
    """Inc Incorporated Corp Corporation Ltd Limited LLC LLP PLC GmbH AG SE KG SA SAS SpA BV NV Oy AB AS ApS Kft Zrt
    Nyrt Co Company Group Holding Holdings Labs Technologies Systems Software Partners Bank University Institute
    Foundation Ventures""".split()  # noqa: SIM905
)
TITLES = ("Dr", "Mr", "Mrs", "Ms", "Mx", "Prof", "Professor", "Sir", "Dame", "Herr", "Frau", "Mme", "Señor", "Señora")
NEVER = frozenset(
    """the a an and or but if in on at to of for from with by as is are was were be this that these those it he she they
    we you i his her their our your my not no yes so then when where what who why how all some any each here there after
    before while since until because however also there let please thanks thank hello hi dear regards best january
    february march april may june july august september october november december monday tuesday wednesday thursday
    friday saturday sunday today tomorrow yesterday chapter section figure table page part""".split()  # noqa: SIM905
)
SAID = (
    r"(?:said|says|wrote|writes|told|asked|argued|argues|explained|explains|founded|founder|joined|met|called|thinks)"
)
_WORD = r"[^\W\d_a-zà-öø-ÿ][\w’'&.-]*[\w]|[^\W\d_a-zà-öø-ÿ]"
_RUN = re.compile(
    rf"(?:{_WORD})(?:[ \t]+(?:(?:of|de|del|della|van|von|der|den|la|le|bin|al|&)[ \t]+){{0,2}}(?:{_WORD})){{0,4}}"
)
_PLAIN_NAME = re.compile(r"[^\W\d_][^\W\d_’'-]*(?:[-’'][^\W\d_]+)*\.?")
_PATTERNS = {
    "mail": re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    "link": re.compile(r"https?://[^\s<>\"')\]]+[\w/]"),
    "handle": re.compile(r"(?<![\w@/.])@[A-Za-z]\w{2,30}(?![\w@.]*\.\w)"),
    "day": re.compile(r"\b\d{4}-\d{2}-\d{2}\b"),
}


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """(line, sentence); a sentence does not cross a blank line, a list item or a heading."""
    for number, line in enumerate(text.splitlines(), 1):
        bare = re.sub(r"^[\s>#*+-]+|^\d+[.)]\s+", "", line)
        bare = re.sub(rf"\b({'|'.join(TITLES)})\.(?=\s)", r"\1", bare)  # its full stop ends no sentence
        for part in re.split(r"(?<=[a-zà-ÿ0-9)\"”][.!?])\s+(?=[^a-z])", bare):
            if part.strip():
                yield number, part.strip()


def found(text: str) -> list[dict[str, Any]]:
    """Every candidate with `name`, `kind`, `count`, `lines`, `why` and one sentence, the surest first."""
    rows: dict[str, dict[str, Any]] = {}
    lower = set(re.findall(r"\b[a-zà-ÿ][\w’'-]+", text))

    def note(name: str, kind: str, why: str, line: int, sentence: str, weight: int) -> None:
        row = rows.setdefault(
            name, {"name": name, "kind": kind, "count": 0, "lines": [], "why": why, "said": sentence[:200], "weight": 0}
        )
        row["count"] += 1
        row["lines"] = [*row["lines"], line][:8] if line not in row["lines"] else row["lines"]
        if weight > row["weight"]:
            row.update(kind=kind, why=why, weight=weight)

    for line, sentence in sentences(text):
        bare = sentence
        for kind, pattern in _PATTERNS.items():
            for match in pattern.finditer(sentence):
                note(match[0], kind, "its form", line, sentence, 3)
            bare = pattern.sub(lambda match: " " * len(match[0]), bare)
        for match in _RUN.finditer(bare):
            for name, kind, why, weight in _named(match, bare, lower):
                note(name, kind, why, line, sentence, weight)
    return sorted(_merged(rows), key=lambda row: (-row["weight"], -row["count"], row["name"]))


def _named(match: re.Match[str], sentence: str, lower: set[str]) -> Iterator[tuple[str, str, str, int]]:
    words = match[0].split()
    first = match.start() == 0 or sentence[: match.start()].rstrip().endswith((":", "“", '"', "("))
    while words and (words[0].lower().strip(".") in NEVER or (first and len(words) > 1 and words[0].lower() in lower)):
        words = words[1:]
    titled = bool(words) and words[0].rstrip(".") in TITLES and len(words) > 1
    words = words[1:] if titled else words
    name = re.sub(r"[’']s$", "", " ".join(words)).strip(" .,&-")
    words = name.split()
    if not words or len(name) < 2 or words[0].lower() in NEVER or name.isdigit():
        return
    capitals = [each for each in words if not each[0].islower()]  # the others are particles, as in van der Berg
    after = sentence[match.end() : match.end() + 40]
    if words[-1].rstrip(".") in COMPANY and len(words) > 1:
        yield name, "company", f"ends in {words[-1].rstrip('.')}", 4
    elif titled:
        yield name, "person", "a title before it", 4
    elif re.match(rf"[,\s]+(?:who\s+)?{SAID}\b", after) and len(capitals) <= 3:
        yield name, "person", "it speaks or acts", 3 if len(words) > 1 else 2
    elif re.search(r"\b(?:at|joined|works? for|acquired|founded)\s+$", sentence[: match.start()]):
        yield name, "company", "somebody is at it", 2
    elif len(capitals) in (2, 3) and all(_PLAIN_NAME.fullmatch(each) for each in capitals):
        yield name, "person or company", "words with capitals", 1
    elif not first or name.lower() not in lower:
        yield name, "unclear", "a capital inside a sentence" if not first else "a capital", 0


def _merged(rows: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Parts of a longer name count there: a last name alone, a name with the sentence's first word before it."""
    full: dict[str, list[str]] = {}
    for name, row in rows.items():
        if " " in name and row["kind"] in ("person", "person or company"):
            full.setdefault(name.split()[-1], []).append(name)
    kept = []
    for name, row in rows.items():
        _, _, rest = name.partition(" ")
        owners = [rest] if " " in rest and rest in rows else [] if " " in name else full.get(name, [])
        owners = [each for each in owners if each.partition(" ")[2] not in rows or " " not in each.partition(" ")[2]]
        if len(owners) != 1:
            kept.append(row)
            continue
        owner = rows[owners[0]]
        owner["count"] += row["count"]
        owner["lines"] = sorted({*owner["lines"], *row["lines"]})[:8]
        if row["weight"] > owner["weight"] or row["kind"] == "person" != owner["kind"]:
            owner.update(kind=row["kind"], why=row["why"], weight=max(owner["weight"], row["weight"]))
    return kept


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="candidates", description=__doc__, epilog="example: candidates minutes.md --least 2 --json"
    )
    parser.add_argument("file", help="the text; - reads standard input")
    parser.add_argument("--least", type=int, default=1, metavar="N", help="only names that stand there N times or more")
    parser.add_argument("--unclear", action="store_true", help="also what is a capital and nothing else")
    parser.add_argument("--json", action="store_true", help="print them as JSON")
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
    every = found(text)
    rows = [row for row in every if row["count"] >= options.least and (row["weight"] or options.unclear)]
    for row in rows:
        del row["weight"]
    if options.json:
        sys.stdout.write(
            json.dumps({"candidates": rows, "left_out": len(every) - len(rows)}, ensure_ascii=False) + "\n"
        )
        return 0
    for row in rows:
        lines = ", ".join(map(str, row["lines"]))
        sys.stdout.write(f"{row['kind']:18} {row['name']:32} {row['count']:3} times, line {lines} ({row['why']})\n")
    sys.stdout.write(f"{len(rows)} candidates, {len(every) - len(rows)} left out.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
