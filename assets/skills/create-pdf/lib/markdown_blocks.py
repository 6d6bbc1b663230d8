"""Turns Markdown into HTML: headings, lists, tables, code, quotes, callouts, footnotes, pictures and bar charts.

The skills that make pages, reports and slides all read Markdown with it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

import bar_chart
from markdown_inline import Inline

FENCE = re.compile(r" {0,3}(`{3,}|~{3,})\s*([\w+-]*)[^`]*$")
HEADING = re.compile(r" {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$")
RULE = re.compile(r" {0,3}([-*_])(?:\s*\1){2,}\s*$")
ITEM = re.compile(r"( {0,3})([-*+]|\d{1,9}[.)])( {1,4}(?=\S)|\s*$)")
DELIMITER = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
NOTE = re.compile(r" {0,3}\[\^([^\]\s]+)\]:\s*(.*)$")
TARGET = re.compile(r" {0,3}\[([^\]^][^\]]*)\]:\s*<?(\S+?)>?(?:\s+[\"'(](.*)[\"')])?\s*$")
CALLOUT = re.compile(r"\[!(\w+)\]\s*(.*)$")


class Reader:
    """Reads one document; `headings` holds (level, id, HTML) in order, `warnings` what could not be shown."""

    def __init__(self, folder: str) -> None:
        self.headings: list[tuple[int, str, str]] = []
        self.inline = Inline(folder)
        self.warnings = self.inline.warnings

    def html(self, text: str) -> str:
        """The body's HTML, with the footnotes at its end."""
        lines = list(self._gathered(text.replace("\r\n", "\n").expandtabs(4).split("\n")))
        made = self._blocks(lines)
        notes = "".join(
            f'<li id="note-{number}">{self.inline.html(self.inline.notes[name])} <a href="#ref-{number}">↩</a></li>\n'
            for number, name in enumerate(self.inline.noted, 1)
        )
        return f'{made}<section class="notes"><ol>\n{notes}</ol></section>\n' if notes else made

    def _gathered(self, lines: list[str]) -> Iterator[str]:
        """The lines without the definitions of footnotes and link targets, which may stand anywhere."""
        fence = ""
        for line in lines:
            opened = FENCE.match(line)
            if opened and (not fence or (line.strip().startswith(fence) and not opened[2])):
                fence = "" if fence else opened[1]
            note, target = (None, None) if fence else (NOTE.match(line), TARGET.match(line))
            if note:
                self.inline.notes[note[1]] = note[2]
            elif target:
                self.inline.targets[target[1].lower()] = target[2]
            else:
                yield line

    def _blocks(self, lines: list[str], tight: bool = False) -> str:
        made, at = [], 0
        while at < len(lines):
            line = lines[at]
            if not line.strip():
                at += 1
                continue
            for read in (self._fence, self._heading, self._comment, self._quote, self._list, self._table, self._code):
                block, after = read(lines, at)
                if after > at:
                    break
            else:
                block, after = self._paragraph(lines, at, tight)
            made.append(block)
            at = after
        return "".join(made)

    def _fence(self, lines: list[str], at: int) -> tuple[str, int]:
        opened = FENCE.match(lines[at])
        if not opened:
            return "", at
        indent, end = len(lines[at]) - len(lines[at].lstrip()), at + 1
        while end < len(lines) and not re.match(rf" {{0,3}}{opened[1]}{re.escape(opened[1][0])}*\s*$", lines[end]):
            end += 1
        inside = [line[min(indent, len(line) - len(line.lstrip())) :] for line in lines[at + 1 : end]]
        if opened[2].lower() == "chart":
            try:
                return bar_chart.drawn(inside), end + 1
            except ValueError as fault:
                self.warnings.append(f"a chart cannot be drawn: {fault}")
        language = f' class="language-{html.escape(opened[2])}"' if opened[2] else ""
        return f"<pre><code{language}>{html.escape(chr(10).join(inside))}\n</code></pre>\n", end + 1

    def _heading(self, lines: list[str], at: int) -> tuple[str, int]:
        found = HEADING.match(lines[at])
        if not found:
            return ("<hr>\n", at + 1) if RULE.match(lines[at]) else ("", at)
        level, said = len(found[1]), self.inline.html(found[2] or "")
        name = base = re.sub(r"[^\w]+", "-", re.sub(r"<[^>]*>|&\w+;", "", said).lower()).strip("-") or "section"
        taken, number = {each for _, each, _ in self.headings}, 2
        while name in taken:
            name, number = f"{base}-{number}", number + 1
        self.headings.append((level, name, said))
        return f'<h{level} id="{name}">{said}</h{level}>\n', at + 1

    def _comment(self, lines: list[str], at: int) -> tuple[str, int]:
        if not lines[at].lstrip().startswith("<!--"):
            return "", at
        end = next((each for each in range(at, len(lines)) if "-->" in lines[each]), at)
        rest = lines[end].partition("-->")[2].strip()
        return ("", end + 1) if not rest else (f"<p>{self.inline.html(rest)}</p>\n", end + 1)

    def _quote(self, lines: list[str], at: int) -> tuple[str, int]:
        end = at
        while end < len(lines) and re.match(r" {0,3}>", lines[end]):
            end += 1
        if end == at:
            return "", at
        inside = [re.sub(r"^ {0,3}> ?", "", line) for line in lines[at:end]]
        kind = CALLOUT.match(inside[0])
        if not kind:
            return f"<blockquote>\n{self._blocks(inside)}</blockquote>\n", end
        title = self.inline.html(kind[2] or kind[1].capitalize())
        body = self._blocks(inside[1:])
        return f'<aside class="callout {kind[1].lower()}">\n<p><strong>{title}</strong></p>\n{body}</aside>\n', end

    def _list(self, lines: list[str], at: int) -> tuple[str, int]:
        first = ITEM.match(lines[at])
        if not first or RULE.match(lines[at]):
            return "", at
        ordered, kind = first[2][0].isdigit(), first[2][-1]
        items: list[list[str]] = []
        loose = blank = False
        width = 0
        while at < len(lines):
            line, found = lines[at], ITEM.match(lines[at])
            indent = len(line) - len(line.lstrip())
            if not line.strip():
                blank = True
            elif items and indent >= width:
                loose = loose or (blank and indent < width + 2)  # further in, the gap is an inner list's own
                items[-1] += [""] * blank + [line[width:]]
                blank = False
            elif found and found[2][-1] == kind and found[2][0].isdigit() == ordered and not RULE.match(line):
                loose = loose or (blank and bool(items))
                width = len(found[0]) if line.strip() != found[2] else len(found[1]) + len(found[2]) + 1
                items.append([line[width:]])
                blank = False
            elif items and not blank and not found and not self._begins_block(line):
                items[-1].append(line.lstrip())  # the paragraph goes on without its indent
            else:
                break
            at += 1
        tag = "ol" if ordered else "ul"
        number = first[2][:-1]
        start = f' start="{int(number)}"' if ordered and int(number) != 1 else ""
        return f"<{tag}{start}>\n{''.join(self._item(item, not loose) for item in items)}</{tag}>\n", at

    def _item(self, lines: list[str], tight: bool) -> str:
        task = re.match(r"\[([ xX])\]\s+(.*)", lines[0])
        if not task:
            return f"<li>{self._blocks(lines, tight).strip()}</li>\n"
        box = f'<input type="checkbox" disabled{"" if task[1] == " " else " checked"}> '
        return f'<li class="task">{box}{self._blocks([task[2], *lines[1:]], True).strip()}</li>\n'

    def _table(self, lines: list[str], at: int) -> tuple[str, int]:
        if "|" not in lines[at] or at + 1 >= len(lines) or not DELIMITER.match(lines[at + 1]):
            return "", at
        head, marks = cells(lines[at]), cells(lines[at + 1])
        if len(head) != len(marks):
            return "", at
        sides = [("", "right", "left", "center")[2 * mark.startswith(":") + mark.endswith(":")] for mark in marks]
        styles = [f' style="text-align:{side}"' if side else "" for side in sides]
        rows, at = [], at + 2
        while at < len(lines) and "|" in lines[at]:
            rows.append((cells(lines[at]) + [""] * len(head))[: len(head)])
            at += 1

        def row(values: list[str], tag: str) -> str:
            made = "".join(f"<{tag}{style}>{self.inline.html(value)}</{tag}>" for value, style in zip(values, styles))
            return f"<tr>{made}</tr>\n"

        body = "".join(row(each, "td") for each in rows)
        return f"<table>\n<thead>\n{row(head, 'th')}</thead>\n<tbody>\n{body}</tbody>\n</table>\n", at

    def _code(self, lines: list[str], at: int) -> tuple[str, int]:
        end = at
        while end < len(lines) and (lines[end].startswith("    ") or (end > at and not lines[end].strip())):
            end += 1
        inside = "\n".join(line[4:] for line in lines[at:end]).rstrip()
        return (f"<pre><code>{html.escape(inside)}\n</code></pre>\n", end) if end > at else ("", at)

    def _begins_block(self, line: str) -> bool:
        found = FENCE.match(line) or HEADING.match(line) or RULE.match(line) or re.match(r" {0,3}(>|<!--)", line)
        return bool(found)

    def _paragraph(self, lines: list[str], at: int, tight: bool) -> tuple[str, int]:
        end = at + 1
        while end < len(lines) and lines[end].strip() and not self._begins_block(lines[end]):
            item = ITEM.match(lines[end])
            if item and item[3].strip("\n") and item[2] in ("-", "*", "+", "1.", "1)"):
                break
            if "|" in lines[end] and end + 1 < len(lines) and DELIMITER.match(lines[end + 1]):
                break
            end += 1
        said = self.inline.html("\n".join(line.lstrip() for line in lines[at:end]).rstrip())
        alone = re.fullmatch(r'<img src="[^"]*" alt="([^"]*)"(?: title="([^"]*)")?>', said)
        if alone:
            return f"<figure>{said}<figcaption>{alone[2] or alone[1]}</figcaption></figure>\n", end
        return (said + "\n" if tight else f"<p>{said}</p>\n"), end


def cells(line: str) -> list[str]:
    """The cells of a table's row; a bar in code or behind a backslash separates nothing."""
    inner = line.strip()
    inner = inner[1:] if inner.startswith("|") else inner
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    kept = re.sub(r"\\\||`[^`]*`", lambda found: found[0].replace("\\|", "\0").replace("|", "\0"), inner)
    return [cell.strip().replace("\0", "|") for cell in kept.split("|")]


def split_header(text: str) -> tuple[dict[str, str], str]:
    """(fields, body) of a text that may begin with `name: value` lines between two `---`."""
    found = re.match(r"\ufeff?---\s*\n((?:\s*[\w-]+\s*:.*\n|\s*#.*\n|\s*\n)*)---\s*(?:\n|$)", text)
    if not found:
        return {}, text.lstrip("\ufeff")
    pairs = (line.partition(":") for line in found[1].splitlines() if ":" in line and not line.lstrip().startswith("#"))
    return {name.strip().lower(): value.strip().strip("\"'") for name, _, value in pairs}, text[found.end() :]
