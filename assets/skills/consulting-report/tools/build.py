"""Builds a report of a Markdown file: one HTML page with cover, contents, numbered sections, exhibits; made to print.

What weakens a report is listed as warnings: no summary, topics instead of findings, exhibits without a source."""

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
SUMMARY = re.compile(r"(executive )?summary|in brief|key messages|management summary", re.IGNORECASE)
UNNUMBERED = re.compile(r"appendix|annex|references|sources|glossary", re.IGNORECASE)
FEWEST_WORDS = 3  # of a heading that can be a finding; fewer name a topic
TOPICS = re.compile(
    r"(introduction|background|context|method(ology)?|scope|approach|next steps|recommendations?|risks?|plan|roadmap"
    r"|open questions?)$",
    re.IGNORECASE,
)
MOST_COLUMNS = 7  # of a table that fits upright paper
COVER = (("client", "Prepared for"), ("author", "By"), ("date", "Date"), ("version", "Version"), ("status", "Status"))
PAGE = """<!doctype html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" \
content="default-src 'none'; img-src data: https:; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<div class="sheet">
{cover}<nav class="contents" aria-label="Contents"><p>{contents_word}</p><ol>
{contents}</ol></nav>
<article>
{body}</article>
{end}</div>
</body>
</html>
"""


def markdown() -> Any:
    """The Markdown reader, which stands with the skill create-pdf."""
    folder = os.path.join(HERE, "..", "..", "create-pdf", "lib")
    if not os.path.isdir(folder):
        raise OSError("the skill create-pdf is missing; the Markdown reader that reports need comes with it")
    sys.dont_write_bytecode = True  # the skill's folder stays as it was installed
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module("markdown_blocks")


def report(text: str, folder: str) -> tuple[str, dict[str, Any]]:
    """(the page, facts: title, sections, exhibits, words, warnings)."""
    blocks = markdown()
    about, source = blocks.split_header(text)
    reader = blocks.Reader(folder)
    made = reader.html(source)
    if not reader.headings:
        raise OSError("there is nothing to report: the text has no `## Heading`")
    title, made = _title(about, made, reader)
    level = min((each for each, _, _ in reader.headings), default=2)
    made, contents, sections, warnings = _numbered(made, reader.headings, level)
    made, exhibits = _exhibits(made)
    made = _summary(made)
    warnings = [*reader.warnings, *warnings, *judged(about, made, sections, exhibits)]
    page = PAGE.format(
        lang=html.escape(about.get("lang", "en")), title=html.escape(title), style=_template("report.css"),
        cover=_cover(title, about), contents_word=html.escape(about.get("contents", "Contents")), contents=contents,
        body=made, end=_end(about),
    )  # fmt: skip
    words = len(re.sub(r"<[^>]*>", " ", made).split())
    return page, {"title": title, "sections": sections, "exhibits": exhibits, "words": words, "warnings": warnings}


def _title(about: dict[str, str], made: str, reader: Any) -> tuple[str, str]:
    """The report's title; when the header has none, its only `#` heading, which then leaves the text."""
    tops = [(name, said) for level, name, said in reader.headings if level == 1]
    if about.get("title") or len(tops) != 1:
        return about.get("title", "Report"), made
    name, said = tops[0]
    reader.headings = [each for each in reader.headings if each[1] != name] or reader.headings
    return html.unescape(re.sub(r"<[^>]*>", "", said)), made.replace(f'<h1 id="{name}">{said}</h1>\n', "", 1)


def _numbered(made: str, headings: list[tuple[int, str, str]], top: int) -> tuple[str, str, list[str], list[str]]:
    """(body, contents, titles of the sections, warnings): sections get h2 and a number, their parts h3 and n.m."""
    count, part, before = 0, 0, top
    contents, sections, warnings = [], [], []
    numbering = True
    for level, name, said in headings:
        plain = html.unescape(re.sub(r"<[^>]*>", "", said))
        if level > before + 1:
            warnings.append(f"{plain!r} skips a level of headings")
        before = level
        depth = min(level - top + 2, 6)
        number = ""
        if depth == 2:
            numbering = not (SUMMARY.match(plain) or UNNUMBERED.match(plain))
            count, part = count + numbering, 0
            number = str(count) if numbering else ""
            sections.append(plain)
        elif depth == 3 and numbering:
            part += 1
            number = f"{count}.{part}"
        shown = f'<span class="number">{number}</span>' if number else ""
        old = f'<h{level} id="{name}">{said}</h{level}>'
        made = made.replace(old, f'<h{depth} id="{name}">{shown}{said}</h{depth}>', 1)
        if depth <= 3:
            deep = ' class="deep"' if depth == 3 else ""
            contents.append(f'<li{deep}><a href="#{name}">{shown}{re.sub("</?a[^>]*>", "", said)}</a></li>\n')
    return made, "".join(contents), sections, warnings


def _exhibits(made: str) -> tuple[str, list[dict[str, str]]]:
    """Figures, and tables after a `Table: …` line, numbered as exhibits; a `Source: …` line below belongs to them."""
    found: list[dict[str, str]] = []
    source = r"(?:<p>Sources?: (?P<source>.*?)</p>\n)?"

    def exhibit(caption: str, body: str, said: str | None) -> str:
        plain = html.unescape(re.sub(r"<[^>]*>", "", caption))
        found.append({"exhibit": str(len(found) + 1), "caption": plain, "source": re.sub(r"<[^>]*>", "", said or "")})
        shown = f"<figcaption><b>Exhibit {len(found)}</b> {caption}</figcaption>"
        below = f'<p class="source">Source: {said}</p>' if said else ""
        return f"<figure>{shown}\n{body}{below}</figure>\n"

    def figure(match: re.Match[str]) -> str:
        if match["table"]:
            return exhibit(match["title"], f'<div class="wide">{match["table"]}</div>', match["source"])
        return exhibit(match["caption"], match["picture"], match["source"])

    pattern = (
        r"(?:<p>Table: (?P<title>.*?)</p>\n(?P<table><table>.*?</table>\n)"
        r"|<figure>(?P<picture>.*?)<figcaption>(?P<caption>.*?)</figcaption></figure>\n)" + source
    )
    return re.sub(pattern, figure, made, flags=re.DOTALL), found


def _summary(made: str) -> str:
    """The first section in a box of its own, when it is a summary."""
    head = re.match(r'\s*<h2 id="[^"]*">(.*?)</h2>', made)
    if not head or not SUMMARY.match(re.sub(r"<[^>]*>", "", head[1])):
        return made
    end = made.find("<h2 ", head.end())
    end = end if end >= 0 else len(made)
    return f'<section class="summary">\n{made[:end]}</section>\n{made[end:]}'


def judged(about: dict[str, str], made: str, sections: list[str], exhibits: list[dict[str, str]]) -> list[str]:
    found = []
    if not about.get("title"):
        found.append("the header has no title")
    if not about.get("date"):
        found.append("the header has no date: a report without one is old from the first day")
    if not sections or not SUMMARY.match(sections[0]):
        found.append("the first section is no summary (`## Summary`)")
    for title in sections:
        if len(title.split()) < FEWEST_WORDS and not (
            SUMMARY.match(title) or UNNUMBERED.match(title) or TOPICS.match(title)
        ):
            found.append(f"{title!r} names a topic; a heading that says the finding is read")
    for each in exhibits:
        if not each["source"]:
            found.append(f"exhibit {each['exhibit']} has no `Source:` line below it")
        if not each["caption"]:
            found.append(f"exhibit {each['exhibit']} has no caption")
    for head in re.findall(r"<thead>\n<tr>(.*?)</tr>", made, re.DOTALL):
        if head.count("<th") > MOST_COLUMNS:
            found.append(f"a table has {head.count('<th')} columns; more than {MOST_COLUMNS} do not fit upright paper")
    return found


def _cover(title: str, about: dict[str, str]) -> str:
    rows = "".join(
        f"<div><dt>{word}</dt><dd>{html.escape(about[name])}</dd></div>" for name, word in COVER if about.get(name)
    )
    kind = html.escape(about.get("kind", "Report"))
    below = f'<p class="subtitle">{html.escape(about["subtitle"])}</p>\n' if about.get("subtitle") else ""
    head = f'<p class="kind">{kind}</p>\n<h1>{html.escape(title)}</h1>\n{below}'
    return f'<header class="cover">\n{head}{f"<dl>{rows}</dl>" if rows else ""}</header>\n'


def _end(about: dict[str, str]) -> str:
    said = about.get("footer") or about.get("confidentiality", "")
    return f'<footer class="end">{html.escape(said)}</footer>\n' if said else ""


def _template(name: str) -> str:
    with open(os.path.join(HERE, "..", "templates", name), encoding="utf-8") as file:
        return file.read()


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="build", description=__doc__, epilog="example: build report.md -o report.html"
    )
    parser.add_argument("file", help="the Markdown file; - reads standard input")
    parser.add_argument("-o", "--out", default="", help="the report to write (default: the file's name with .html)")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when there is a warning")
    parser.add_argument("--force", action="store_true", help="write over a report that is there")
    parser.add_argument("--json", action="store_true", help="print title, sections, exhibits and warnings as JSON")
    options = parser.parse_args(argv)
    out = options.out or (os.path.splitext(options.file)[0] + ".html" if options.file != "-" else "report.html")
    try:
        if options.file == "-":
            text = sys.stdin.read()
        else:
            with open(options.file, encoding="utf-8") as source:
                text = source.read()
        page, facts = report(text, os.path.dirname(options.file))
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
        counts = f"{len(facts['sections'])} sections, {len(facts['exhibits'])} exhibits, {facts['words']} words"
        sys.stdout.write(f"{'' if options.check else out + ': '}{counts}, {len(facts['warnings'])} warnings.\n")
    return 1 if options.check and facts["warnings"] else 0


if __name__ == "__main__":
    sys.exit(main())
