"""Cleans a long text for reading and cuts it into parts: markup, time stamps and page furniture go, nothing else.

Prints counts and the list of parts; `--part N` prints one. Reads text, Markdown, HTML and subtitles (VTT, SRT)."""

from __future__ import annotations

import argparse
import html.parser
import json
import re
import sys

SIZE = 2500  # words of a part; fits beside the instructions in any model's memory
WORDS_A_MINUTE = 230  # of silent reading
_TIME = re.compile(r"^\s*(?:\d+\s*\n)?\s*(?:\d{1,2}:)?\d{1,2}:\d{2}[.,]\d{3}\s+-->.*$", re.MULTILINE)
_STAMP = re.compile(r"^\s*[\[(]?(?:\d{1,2}:)?\d{1,2}:\d{2}(?:\.\d+)?[\])]?\s*", re.MULTILINE)
_SKIPPED = ("script", "style", "nav", "footer", "aside", "form", "noscript", "svg", "template", "head")
_BLOCKS = ("p", "div", "br", "li", "tr", "section", "article", "blockquote", "pre", "table", "ul", "ol", "dd", "dt")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


class _Page(html.parser.HTMLParser):
    """The words of a web page, with its headings as Markdown."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._skipping: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SKIPPED:
            self._skipping.append(tag)
        elif tag in _HEADINGS:
            self.parts.append("\n\n" + "#" * int(tag[1]) + " ")
        elif tag in _BLOCKS:
            self.parts.append("\n- " if tag == "li" else "\n\n" if tag != "br" else "\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._skipping:
            while self._skipping.pop() != tag:
                pass
        elif tag in _HEADINGS or tag in _BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._skipping:
            self.parts.append(re.sub(r"\s+", " ", data))


def kind_of(text: str) -> str:
    """html, subtitles, transcript or text."""
    head = text.lstrip("\ufeff \n")[:2000].lower()
    if re.search(r"<(?:!doctype html|html|body|article|div|p)[\s>]", head):
        return "html"
    if head.startswith("webvtt") or len(_TIME.findall(text)) > 2:
        return "subtitles"
    lines = [line for line in text.splitlines() if line.strip()]
    if lines and sum(bool(_STAMP.match(line)) for line in lines) > len(lines) / 2:
        return "transcript"
    return "text"


def clean(text: str) -> tuple[str, str]:
    """(the text to read, what kind it was)."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u00ad", "").replace("\u200b", "").lstrip("\ufeff")
    kind = kind_of(text)
    if kind == "html":
        page = _Page()
        page.feed(text)
        page.close()
        text = "".join(page.parts)
    elif kind == "subtitles":
        text = re.sub(r"^WEBVTT.*?\n\n", "", text, count=1, flags=re.DOTALL)
        text = _joined(
            re.sub(r"<[^>]+>|\{[^}]+\}", "", _TIME.sub("", re.sub(r"^\d+\n(?=.*-->)", "", text, flags=re.M)))
        )
    elif kind == "transcript":
        text = _STAMP.sub("", text)
    text = re.sub(r"(?<=[a-z])-\n(?=[a-z])", "", text)  # a word cut at the end of a printed line
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+\n", "\n", _without_furniture(text))).strip() + "\n", kind


def _joined(text: str) -> str:
    """Subtitles as running text; a line shown twice in a row, as rolling captions do, counts once."""
    made: list[str] = []
    for line in (line.strip() for line in text.splitlines()):
        if line and (not made or line not in made[-2:]):
            made.append(line)
    said = " ".join(made)
    sentences = re.split(r"(?<=[.!?])\s+", said)
    return "\n\n".join(" ".join(sentences[at : at + 6]) for at in range(0, len(sentences), 6))


def _without_furniture(text: str) -> str:
    """Without page numbers, and without short lines that come back on page after page (form feeds divide pages)."""
    pages = text.split("\f")
    if len(pages) < 3:
        return text.replace("\f", "\n")
    seen: dict[str, int] = {}
    for page in pages:
        lines = [line.strip() for line in page.splitlines() if line.strip()]
        for line in {*lines[:2], *lines[-2:]}:
            seen[re.sub(r"\d+", "#", line)] = seen.get(re.sub(r"\d+", "#", line), 0) + 1
    often = {line for line, count in seen.items() if count > len(pages) / 2 and len(line) < 90}
    kept = (line for page in pages for line in page.splitlines() if re.sub(r"\d+", "#", line.strip()) not in often)
    return "\n".join(kept)


def parts(text: str, size: int) -> list[str]:
    """The text in parts of about `size` words, cut before a heading where one is near, else between paragraphs."""
    blocks = [piece for block in re.split(r"\n{2,}", text.strip()) for piece in _pieces(block, size)]
    made: list[list[str]] = [[]]
    words = 0
    for block in blocks:
        count = len(block.split())
        heading = block.lstrip().startswith("#")
        if made[-1] and (words + count > size or (heading and words > size * 0.6)):
            carried = [made[-1].pop()] if made[-1][-1].lstrip().startswith("#") and len(made[-1]) > 1 else []
            made.append(carried)  # a heading goes with what it heads
            words = sum(len(each.split()) for each in carried)
        made[-1].append(block)
        words += count
    return ["\n\n".join(part) for part in made if part]


def _pieces(block: str, size: int) -> list[str]:
    """A block too long for one part, cut between sentences, or between words where there are none."""
    if len(block.split()) <= size:
        return [block]
    made: list[list[str]] = [[]]
    for sentence in re.split(r"(?<=[.!?])\s+", block):
        words = sentence.split()
        for at in range(0, len(words), size):
            run = words[at : at + size]
            if made[-1] and len(made[-1]) + len(run) > size:
                made.append([])
            made[-1] += run
    return [" ".join(piece) for piece in made if piece]


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="chunk",
        description=__doc__,
        epilog="examples: chunk talk.vtt;  chunk talk.vtt --part 2;  chunk - < page.html",
    )
    parser.add_argument("file", help="the text; - reads standard input")
    parser.add_argument("--size", type=int, default=SIZE, help=f"words of a part (default {SIZE})")
    parser.add_argument("--part", type=int, default=0, metavar="N", help="print this part")
    parser.add_argument("--all", action="store_true", help="print the whole cleaned text")
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")
    options = parser.parse_args(argv)
    try:
        if options.file == "-":
            raw = sys.stdin.read()
        else:
            with open(options.file, encoding="utf-8", errors="replace") as source:
                raw = source.read()
    except OSError as fault:
        sys.stderr.write(f"{options.file}: {fault.strerror}\n")
        return 1
    if "\0" in raw:
        sys.stderr.write(f"{options.file} is no text; for a PDF use the skill analyze-pdf\n")
        return 1
    text, kind = clean(raw)
    made = parts(text, max(options.size, 50)) if text.strip() else []
    if not made:
        sys.stderr.write(f"{options.file} holds no words\n")
        return 1
    if options.all or options.part:
        if not options.all and not 1 <= options.part <= len(made):
            sys.stderr.write(f"there is no part {options.part}: the text has {len(made)}\n")
            return 1
        sys.stdout.write(text if options.all else made[options.part - 1] + "\n")
        return 0
    words = len(text.split())
    rows = [
        {"part": number, "words": len(part.split()), "begins": " ".join(part.split()[:10])}
        for number, part in enumerate(made, 1)
    ]
    if options.json:
        facts = {"kind": kind, "words": words, "characters": len(text), "parts": rows}
        sys.stdout.write(json.dumps(facts, ensure_ascii=False) + "\n")
        return 0
    minutes = max(1, round(words / WORDS_A_MINUTE))
    sys.stdout.write(f"{kind}: {words} words, about {minutes} min to read, {len(made)} parts\n")
    sys.stdout.write("".join(f"{row['part']:4} {row['words']:6} words  {row['begins']} …\n" for row in rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
