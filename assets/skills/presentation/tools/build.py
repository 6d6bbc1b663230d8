"""Builds a slide deck of a Markdown file: one HTML file with keyboard, touch, speaker notes, light and dark, and print.

A line `---` begins a new slide; without one, every `#` and `##` heading does."""

from __future__ import annotations

import argparse
import html
import importlib
import json
import os
import re
import sys
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
MOST_WORDS, MOST_ITEMS, MOST_CODE = 70, 7, 16  # of one slide; beyond, people read instead of listening
LONGEST_TITLE = 90  # characters
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
HELP = (
    ("→ ↓ space, click", "next slide"),
    ("← ↑ backspace", "slide before"),
    ("home, end", "first, last"),
    ("o", "overview"),
    ("n", "speaker notes"),
    ("f", "full screen"),
    ("t", "light or dark"),
    ("p", "print, or save as PDF"),
    ("?", "this help"),
)


def markdown() -> Any:
    """The Markdown reader, which stands with the skill create-pdf."""
    folder = os.path.join(HERE, "..", "..", "create-pdf", "lib")
    if not os.path.isdir(folder):
        raise OSError("the skill create-pdf is missing; the Markdown reader that slides need comes with it")
    sys.dont_write_bytecode = True  # the skill's folder stays as it was installed
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module("markdown_blocks")


def split(body: str) -> list[str]:
    """The Markdown of each slide. Rules and headings in code begin nothing."""
    lines = body.replace("\r\n", "\n").split("\n")
    rules, headings, fence = [], [], ""
    for number, line in enumerate(lines):
        opened = FENCE.match(line)
        if opened and (not fence or opened[1].startswith(fence)):
            fence = "" if fence else opened[1]
        elif not fence and line.strip() == "---":
            rules.append(number)
        elif not fence and re.match(r"#{1,2}\s", line):
            headings.append(number)
    if rules:
        bounds = [(start, end) for start, end in zip([0, *(at + 1 for at in rules)], [*rules, len(lines)])]
    else:
        starts = headings if headings[:1] == [0] else [0, *headings]
        bounds = list(zip(starts, [*starts[1:], len(lines)]))
    parts = ("\n".join(lines[start:end]).strip() for start, end in bounds)
    return [part for part in parts if part]


def slide(text: str, number: int, folder: str, blocks: Any) -> tuple[str, list[str], str]:
    """(the slide's HTML without its footer, warnings, its title)."""
    text, _, notes = (re.split(r"^(Notes?:)\s*", text, maxsplit=1, flags=re.MULTILINE | re.IGNORECASE) + ["", ""])[:3]
    columns = re.split(r"^\|\|\|\s*$", text, flags=re.MULTILINE)
    reader = blocks.Reader(folder)
    made = reader.html(columns[0])
    if len(columns) > 1:
        head = re.match(r"(\s*<h[12][^>]*>.*?</h[12]>\n)?(.*)", made, re.DOTALL)
        first = head[2] if head else made
        rest = [reader.html(column) for column in columns[1:]]
        inside = "".join(f"<div>{column}</div>" for column in [first, *rest])
        made = f'{head[1] or "" if head else ""}<div class="columns">{inside}</div>'
    title = re.sub(r"<[^>]*>", "", reader.headings[0][2]) if reader.headings else ""
    bare = bool(reader.headings) and not re.sub(r"<h[12][^>]*>.*?</h[12]>", "", made, flags=re.DOTALL).strip()
    speaker = f'<aside class="speaker">{blocks.Reader(folder).html(notes)}</aside>' if notes.strip() else ""
    kind = " section" if bare else ""
    warnings = [*reader.warnings, *judged(text, made, title)]
    opened = f'<section class="slide{kind}" id="s{number}" aria-label="Slide {number}">'
    said = f'{opened}<div class="body">\n{made}</div>{speaker}'
    return said, [f"slide {number}: {each}" for each in warnings], html.unescape(title)


def judged(text: str, made: str, title: str) -> list[str]:
    """What makes this slide hard to follow."""
    prose = re.sub(r"<pre>.*?</pre>|<svg.*?</svg>|<[^>]*>", " ", made, flags=re.DOTALL)
    words, items = len(prose.split()), len(re.findall(r"<li\b", made))
    code = max((block.count("\n") for block in re.findall(r"<pre>.*?</pre>", made, re.DOTALL)), default=0)
    found = []
    if not title:
        found.append("it has no heading, so nobody knows what it claims")
    if len(html.unescape(title)) > LONGEST_TITLE:
        found.append(f"its heading has {len(title)} characters; {LONGEST_TITLE} fit in two lines")
    if words > MOST_WORDS:
        found.append(f"it has {words} words; split it, or move what is said aloud below `Notes:`")
    if items > MOST_ITEMS:
        found.append(f"it has {items} list items; more than {MOST_ITEMS} are not remembered")
    if code > MOST_CODE:
        found.append(f"it shows {code} lines of code; keep the {MOST_CODE} that matter")
    if re.search(r"!\[\]\(", text):
        found.append("a picture has no description between its brackets")
    return found


def deck(text: str, folder: str) -> tuple[str, dict[str, Any]]:
    """(the page, facts: title, slides, warnings)."""
    blocks = markdown()
    about, body = blocks.split_header(text)
    slides, warnings, titles = [], [], []
    if about.get("title"):
        lines = [
            ("h1", "", about["title"]),
            ("p", "subtitle", about.get("subtitle", "")),
            ("p", "byline", byline(about)),
        ]
        shown = "".join(f'<{tag} class="{name}">{html.escape(said)}</{tag}>\n' for tag, name, said in lines if said)
        opened = '<section class="slide title" id="s1" aria-label="Slide 1">'
        slides.append(f'{opened}<div class="body">\n{shown}</div>')
        titles.append(about["title"])
    for part in split(body):
        made, found, title = slide(part, len(slides) + 1, folder, blocks)
        slides.append(made)
        warnings += found
        titles.append(title)
    if not slides:
        raise OSError("there is nothing to show: the text has no slide")
    title = about.get("title") or next(filter(None, titles), "Slides")
    foot = html.escape(about.get("footer", about.get("title", "")))
    count = len(slides)
    numbered = (
        f"{made}<footer><span>{foot if number > 1 else ''}</span><span>{number} / {count}</span></footer></section>\n"
        for number, made in enumerate(slides, 1)
    )
    keys = "".join(f"<tr><td><b>{html.escape(key)}</b></td><td>{said}</td></tr>" for key, said in HELP)
    page = PAGE.format(
        lang=html.escape(about.get("lang", "en")), title=html.escape(title), style=template("deck.css"),
        slides="".join(numbered), keys=keys, script=template("deck.js"),
    )  # fmt: skip
    return page, {"title": title, "slides": titles, "warnings": warnings}


PAGE = """<!doctype html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" \
content="default-src 'none'; img-src data: https:; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<main>
{slides}</main>
<div id="bar"></div>
<div id="speaker" role="note"></div>
<div id="help" role="dialog" aria-label="Keys"><table>{keys}</table></div>
<script>
{script}</script>
</body>
</html>
"""


def byline(about: dict[str, str]) -> str:
    return " · ".join(about[name] for name in ("author", "event", "date") if about.get(name))


def template(name: str) -> str:
    with open(os.path.join(HERE, "..", "templates", name), encoding="utf-8") as file:
        return file.read()


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="build", description=__doc__, epilog="example: build talk.md -o talk.html")
    parser.add_argument("file", help="the Markdown file; - reads standard input")
    parser.add_argument("-o", "--out", default="", help="the deck to write (default: the file's name with .html)")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a slide has a fault")
    parser.add_argument("--force", action="store_true", help="write over a deck that is there")
    parser.add_argument("--json", action="store_true", help="print title, slides and warnings as JSON")
    options = parser.parse_args(argv)
    out = options.out or (os.path.splitext(options.file)[0] + ".html" if options.file != "-" else "slides.html")
    try:
        if options.file == "-":
            text = sys.stdin.read()
        else:
            with open(options.file, encoding="utf-8") as source:
                text = source.read()
        page, facts = deck(text, os.path.dirname(options.file))
        if not options.check:
            with open(out, "w" if options.force else "x", encoding="utf-8", newline="\n") as file:
                file.write(page)
    except FileExistsError:
        sys.stderr.write(f"{out} is there already: choose another name, or add --force\n")
        return 1
    except UnicodeDecodeError:
        sys.stderr.write(f"{options.file} is no UTF-8 text: save it as UTF-8 first\n")
        return 1
    except OSError as fault:
        sys.stderr.write(f"{fault.filename}: {fault.strerror}\n" if fault.filename else f"{fault}\n")
        return 1
    if options.json:
        sys.stdout.write(json.dumps({"out": "" if options.check else out, **facts}, ensure_ascii=False) + "\n")
    else:
        for warning in facts["warnings"]:
            sys.stderr.write(f"warning: {warning}\n")
        made = "" if options.check else f"{out}: "
        sys.stdout.write(f"{made}{len(facts['slides'])} slides, {len(facts['warnings'])} warnings.\n")
    return 1 if options.check and facts["warnings"] else 0


if __name__ == "__main__":
    sys.exit(main())
