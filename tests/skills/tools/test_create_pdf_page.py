"""Markdown read for pages, reports and slides."""

from __future__ import annotations

import base64

import pytest

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

BLOCKS = [
    ("# One *two*", '<h1 id="one-two">One <em>two</em></h1>'),
    ("## Same\n## Same", '<h2 id="same">Same</h2>\n<h2 id="same-2">Same</h2>'),
    ("a\nb", "<p>a\nb</p>"),
    ("a  \nb", "<p>a<br>\nb</p>"),
    ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"),
    ("- a\n\n- b", "<ul>\n<li><p>a</p></li>\n<li><p>b</p></li>\n</ul>"),
    ("- a\n  - b\n\n    more", "<ul>\n<li>a\n<ul>\n<li><p>b</p>\n<p>more</p></li>\n</ul></li>\n</ul>"),
    ("3. c\n4. d", '<ol start="3">\n<li>c</li>\n<li>d</li>\n</ol>'),
    ("- [x] done", '<ul>\n<li class="task"><input type="checkbox" disabled checked> done</li>\n</ul>'),
    ("> a\n> > b", "<blockquote>\n<p>a</p>\n<blockquote>\n<p>b</p>\n</blockquote>\n</blockquote>"),
    ("> [!RISK] Late\n> b", '<aside class="callout risk">\n<p><strong>Late</strong></p>\n<p>b</p>\n</aside>'),
    ("```py\n<b>\n```", '<pre><code class="language-py">&lt;b&gt;\n</code></pre>'),
    ("```\nno end", "<pre><code>no end\n</code></pre>"),
    ("    code", "<pre><code>code\n</code></pre>"),
    ("***", "<hr>"),
    ("<!-- hidden -->\nseen", "<p>seen</p>"),
    ("text\n- item", "<p>text</p>\n<ul>\n<li>item</li>\n</ul>"),
    ("in 1999\n2000. was", "<p>in 1999\n2000. was</p>"),
]

INLINE = [
    ("**a *b* c**", "<strong>a <em>b</em> c</strong>"),
    ("snake_case_name and _em_", "snake_case_name and <em>em</em>"),
    ("2 * 3 * 4", "2 * 3 * 4"),
    ("\\*not\\*", "*not*"),
    ("~~gone~~", "<del>gone</del>"),
    ("`a <b> **c**`", "<code>a &lt;b&gt; **c**</code>"),
    ("``a ` b``", "<code>a ` b</code>"),
    ("[a](http://x.org/b_(c)?d=1&e 'T')", '<a href="http://x.org/b_(c)?d=1&amp;e" title="T">a</a>'),
    ("[a][r]", "[a][r]"),
    ("see https://x.org/a.", 'see <a href="https://x.org/a">https://x.org/a</a>.'),
    ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
    ('[x](http://a"onclick="b)', '<a href="http://a&quot;onclick=&quot;b">x</a>'),
    ("[x](javascript:alert)", "x"),
    ("a < b & c", "a &lt; b &amp; c"),
]


@pytest.fixture
def read(load):
    """read(text) → (HTML, the reader)."""
    page = load("create-pdf", "page")
    page.page("", "")  # finds the reader's folder

    def reading(text, folder=""):
        import markdown_blocks

        reader = markdown_blocks.Reader(folder)
        return reader.html(text), reader

    return reading


@pytest.mark.parametrize(("text", "html"), BLOCKS)
def test_a_block_becomes(read, text, html):
    assert read(text)[0].strip() == html


@pytest.mark.parametrize(("text", "html"), INLINE)
def test_a_run_of_text_becomes(read, text, html):
    assert read(text)[0] == f"<p>{html}</p>\n"


def test_a_footnote_stands_at_the_end_and_leads_back(read):
    made, _ = read("a[^n]\n\n[^n]: note\n\nb[^gone]")
    assert '<p>a<sup><a id="ref-1" href="#note-1">1</a></sup></p>' in made
    assert '<li id="note-1">note <a href="#ref-1">↩</a></li>\n</ol></section>' in made
    assert "<p>b[^gone]</p>" in made


def test_a_table_keeps_bars_in_code_and_empty_cells(read):
    made, _ = read("| A | B |\n|:--|--:|\n| `x|y` | 1 |\n| | b \\| c |\n")
    assert '<td style="text-align:left"><code>x|y</code></td><td style="text-align:right">1</td>' in made
    assert '<td style="text-align:left"></td><td style="text-align:right">b | c</td>' in made


def test_a_link_may_be_defined_anywhere_but_not_in_code(read):
    made, _ = read("[a][r]\n\n```\n[r]: http://wrong\n```\n\n[r]: http://right")
    assert '<a href="http://right">a</a>' in made
    assert "[r]: http://wrong" in made


def test_a_picture_is_put_into_the_page_and_described(read, tmp_path):
    (tmp_path / "dot.png").write_bytes(PIXEL)
    made, reader = read("![A dot](dot.png)", str(tmp_path))
    assert made.startswith('<figure><img src="data:image/png;base64,iVBOR')
    assert "<figcaption>A dot</figcaption>" in made
    assert reader.warnings == []


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("gone.png", "there is no picture gone.png"),
        ("notes.txt", "left out"),
        ("https://x.org/a.png", "not in the page"),
    ],
)
def test_a_picture_that_cannot_be_put_in_is_named(read, tmp_path, source, said):
    (tmp_path / "notes.txt").write_text("no picture", "utf-8")
    made, reader = read(f"![A]({source})", str(tmp_path))
    assert said in reader.warnings[0]
    assert "no picture" not in made


def test_a_chart_is_drawn_to_scale_and_a_wrong_one_is_shown_as_text(read):
    made, reader = read("```chart\ntitle: T & U\nunit: %\nA, 10\nB, 20\n```")
    assert 'width="200.0"' in made
    assert 'width="400.0"' in made
    assert "T &amp; U" in made
    assert reader.warnings == []
    made, reader = read("```chart\nA, many\n```")
    assert "A, many" in made
    assert "label, number" in reader.warnings[0]


def test_the_page_carries_title_language_and_no_script(load, ran, tmp_path):
    source = tmp_path / "notes.md"
    source.write_text("---\ntitle: A & B\nlang: hu\n---\n\nSzöveg\n", "utf-8")
    done = ran(load("create-pdf", "page"), source, "-o", tmp_path / "notes.html", "--json")
    made = (tmp_path / "notes.html").read_text("utf-8")
    assert done.status == 0
    assert '<html lang="hu">' in made
    assert "<title>A &amp; B</title>" in made
    assert "<h1>A &amp; B</h1>" in made
    assert "<script" not in made


def test_a_page_is_not_written_over_unless_forced(load, ran, tmp_path):
    (tmp_path / "a.md").write_text("new", "utf-8")
    (tmp_path / "a.html").write_text("old", "utf-8")
    page = load("create-pdf", "page")
    done = ran(page, tmp_path / "a.md", "-o", tmp_path / "a.html")
    assert (done.status, (tmp_path / "a.html").read_text("utf-8")) == (1, "old")
    assert "--force" in done.err
    assert ran(page, tmp_path / "a.md", "-o", tmp_path / "a.html", "--force").status == 0
    assert "new" in (tmp_path / "a.html").read_text("utf-8")


def test_a_long_line_of_odd_marks_does_not_take_long(read):
    for marks in ("*" * 3000, "[" * 3000, "**a " * 700, "`" * 2000, "_a" * 2000):
        assert read("x " + marks)[0].startswith("<p>x")
