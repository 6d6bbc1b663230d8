"""Reports of a Markdown file."""

from __future__ import annotations

import json
import re

import pytest

REPORT = """---
title: Two regions pay back in a quarter
client: Example & Co
date: May
---

## Summary

Do it.

## Slow pages cost one order in five

```chart
title: Orders lost
Fast, 4
Slow, 21
```

Source: server logs

### Where the time goes

Table: Seconds by step

| Step | Abroad |
|---|---:|
| Cart | 0.9 |

Sources: browser timing, [study](https://x.org)

## Two changes bring it under 1.5 seconds

text

## Appendix: method

text
"""


@pytest.fixture
def build(load):
    return load("consulting-report", "build")


def made(build, ran, tmp_path, text, *words):
    (tmp_path / "r.md").write_text(text, "utf-8")
    done = ran(build, tmp_path / "r.md", "--json", *words)
    page = tmp_path / "r.html"
    return done, json.loads(done.out), page.read_text("utf-8") if page.exists() else ""


def test_a_report_has_cover_contents_numbers_and_exhibits(build, ran, tmp_path):
    done, facts, page = made(build, ran, tmp_path, REPORT)
    assert (done.status, facts["warnings"]) == (0, [])
    assert facts["sections"][0] == "Summary"
    assert facts["exhibits"] == [
        {"exhibit": "1", "caption": "Orders lost", "source": "server logs"},
        {"exhibit": "2", "caption": "Seconds by step", "source": "browser timing, study"},
    ]
    assert "<dt>Prepared for</dt><dd>Example &amp; Co</dd>" in page
    assert '<section class="summary">\n<h2 id="summary">Summary</h2>' in page
    numbered = r'<h2 id="slow-pages[^"]*"><span class="number">1</span>Slow pages'
    assert re.search(numbered, page)
    assert '<span class="number">1.1</span>Where the time goes' in page
    assert '<h2 id="appendix-method">Appendix: method</h2>' in page
    assert "<b>Exhibit 2</b> Seconds by step" in page
    assert page.count("<li") == 5


def test_every_entry_of_the_contents_leads_somewhere(build, ran, tmp_path):
    _, _, page = made(build, ran, tmp_path, REPORT)
    for name in re.findall(r'<a href="#([^"]+)">', page):
        assert f'id="{name}"' in page


def test_a_report_loads_nothing_and_runs_nothing(build, ran, tmp_path):
    _, _, page = made(build, ran, tmp_path, REPORT + "\n<script>alert(1)</script>\n")
    assert "<script" not in page
    assert not re.search(r'(?:src)="(?!data:)', page)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("---\ntitle: T\ndate: May\n---\n## First finding is here\n", "no summary"),
        ("## Summary\n\nx\n", "no title"),
        ("---\ntitle: T\n---\n## Summary\n", "no date"),
        ("## Summary\n\n## Costs\n", "names a topic"),
        ("## Summary\n\n#### Deep\n", "skips a level"),
        ("## Summary\n\n```chart\ntitle: A\nB, 1\n```\n", "no `Source:`"),
        ("## Summary\n\n|" + "a|" * 9 + "\n|" + "-|" * 9 + "\n", "9 columns"),
    ],
)
def test_what_weakens_a_report_is_named(build, ran, tmp_path, text, said):
    done, facts, page = made(build, ran, tmp_path, text, "--check")
    assert done.status == 1
    assert page == ""
    assert said in " ".join(facts["warnings"])


def test_the_only_top_heading_is_the_title_when_the_header_has_none(build, ran, tmp_path):
    _, facts, page = made(build, ran, tmp_path, "# The *title*\n\n## Summary\n\nx\n")
    assert facts["title"] == "The title"
    assert facts["sections"] == ["Summary"]
    assert page.count("<h1") == 1


def test_a_text_without_headings_is_no_report(build, ran, tmp_path):
    (tmp_path / "r.md").write_text("just text", "utf-8")
    done = ran(build, tmp_path / "r.md")
    assert done.status == 1
    assert "Heading" in done.err
