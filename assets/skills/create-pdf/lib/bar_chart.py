"""Draws a bar chart as SVG from `label, number` rows: the fenced `chart` block of reports, slides and pages."""

from __future__ import annotations

import html


def drawn(lines: list[str]) -> str:
    """A bar chart as SVG: `title:` and `unit:` lines, then `label, number` rows. ValueError says what does not fit."""
    about = {"title": "", "unit": ""}
    rows: list[tuple[str, float]] = []
    for line in filter(str.strip, lines):
        name, colon, said = line.partition(":")
        if colon and name.strip().lower() in about:
            about[name.strip().lower()] = said.strip()
            continue
        label, comma, number = line.rpartition(",")
        try:
            rows.append((label.strip(), float(number)))
        except ValueError:
            raise ValueError(f"{line.strip()!r} is no `label, number`") from None
        if not comma or not 0 <= rows[-1][1] < float("inf"):
            raise ValueError(f"{line.strip()!r} is no `label, number` with a number from 0 on")
    if not rows:
        raise ValueError("it has no rows")
    top, height = max(number for _, number in rows) or 1.0, 34 * len(rows) + 6
    bars = "".join(
        f'<text x="212" y="{34 * at + 24}" text-anchor="end">{html.escape(label)}</text>'
        f'<rect x="220" y="{34 * at + 6}" width="{number / top * 400:.1f}" height="26" rx="3"/>'
        f'<text x="{228 + number / top * 400:.1f}" y="{34 * at + 24}">{number:g}{html.escape(about["unit"])}</text>'
        for at, (label, number) in enumerate(rows)
    )
    said = html.escape(about["title"] or "Bar chart")
    svg = f'<svg class="chart" viewBox="0 0 720 {height}" role="img" aria-label="{said}">{bars}</svg>'
    return f"<figure>{svg}<figcaption>{html.escape(about['title'])}</figcaption></figure>\n"
