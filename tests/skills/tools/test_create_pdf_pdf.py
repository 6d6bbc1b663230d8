"""Documents printed with whatever program the machine has; no program is started here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

PDF = b"%PDF-1.4\n1 0 obj << /Type /Pages >> 2 0 obj << /Type /Page >> 3 0 obj << /Type/Page >>\n%%EOF"


@pytest.fixture
def pdf(load, monkeypatch):
    """The tool; programs it would start are noted in `pdf.started` and leave a file of two pages."""
    tool = load("create-pdf", "pdf")
    tool.started = []

    def start(words, seconds, expected):
        tool.started.append(words)
        if words[-2:-1] == ["-o"] and words[0].endswith("page.py") is False and "page.py" in "".join(words):
            Path(expected).write_text("<head></head>page", "utf-8")
        else:
            Path(expected).write_bytes(PDF)

    monkeypatch.setattr(tool, "_run", start)
    return tool


def have(tool, monkeypatch, *kinds):
    monkeypatch.setattr(tool, "programs", lambda: {kind: f"/opt/{kind}" for kind in kinds})


@pytest.mark.parametrize(
    ("name", "kinds", "program"),
    [
        ("a.html", ("browser", "weasyprint"), "browser"),
        ("a.html", ("weasyprint", "wkhtmltopdf"), "weasyprint"),
        ("a.svg", ("wkhtmltopdf",), "wkhtmltopdf"),
        ("a.docx", ("browser", "libreoffice"), "libreoffice"),
    ],
)
def test_the_first_fit_program_prints(pdf, ran, monkeypatch, tmp_path, name, kinds, program):
    have(pdf, monkeypatch, *kinds)
    (tmp_path / name).write_text("<p>x</p>", "utf-8")
    done = ran(pdf, tmp_path / name, "--json")
    facts = json.loads(done.out)
    assert (facts["program"], facts["pages"]) == (program, 2)
    assert (tmp_path / "a.pdf").read_bytes() == PDF


def test_markdown_becomes_a_page_first(pdf, ran, monkeypatch, tmp_path):
    have(pdf, monkeypatch, "browser")
    (tmp_path / "a.md").write_text("# A", "utf-8")
    done = ran(pdf, tmp_path / "a.md")
    assert done.status == 0
    assert "2 pages" in done.out
    assert ["page.py" in " ".join(words) for words in pdf.started] == [True, False]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a.html", "Chromium"),
        ("a.md", "WeasyPrint"),
        ("a.docx", "LibreOffice"),
        ("a.rst", "Pandoc"),
        ("a.exe", ".docx"),
    ],
)
def test_without_a_program_the_message_names_one_that_would_do(pdf, ran, monkeypatch, tmp_path, name, said):
    have(pdf, monkeypatch)
    (tmp_path / name).write_text("x", "utf-8")
    done = ran(pdf, tmp_path / name)
    assert done.status == 1
    assert said in done.err
    assert done.err.count("\n") == 1
    assert not (tmp_path / "a.pdf").exists()


def test_a_program_asked_for_by_name_must_be_here_and_fit(pdf, ran, monkeypatch, tmp_path):
    have(pdf, monkeypatch, "browser")
    (tmp_path / "a.html").write_text("x", "utf-8")
    assert "weasyprint" in ran(pdf, tmp_path / "a.html", "--program", "weasyprint").err
    assert "cannot print" in ran(pdf, tmp_path / "a.html", "--program", "libreoffice").err


def test_paper_goes_into_a_copy_and_the_document_stays_as_it_is(pdf, ran, monkeypatch, tmp_path):
    have(pdf, monkeypatch, "browser")
    page = tmp_path / "a.html"
    page.write_text("<html><head><title>x</title></head>y</html>", "utf-8")
    seen = []

    def look(words, seconds, expected):
        copy = next(word for word in words if word.startswith("file:"))
        seen.append(Path(copy.rpartition("/")[2]).name)
        scratch = Path(
            words[[word.startswith("--print-to-pdf") for word in words].index(True)].partition("=")[2]
        ).parent
        seen.append((scratch / "sized.html").read_text("utf-8"))
        Path(expected).write_bytes(PDF)

    monkeypatch.setattr(pdf, "_run", look)
    assert ran(pdf, page, "--paper", "A5", "--landscape", "--margin", "12mm").status == 0
    assert seen[0] == "sized.html"
    assert "@page { size: A5 landscape; margin: 12mm; }" in seen[1]
    assert f'<base href="{tmp_path.as_uri()}/">' in seen[1]
    assert page.read_text("utf-8") == "<html><head><title>x</title></head>y</html>"


def test_a_browser_prints_without_network_unless_asked(pdf, ran, monkeypatch, tmp_path):
    have(pdf, monkeypatch, "browser")
    (tmp_path / "a.html").write_text("x", "utf-8")
    ran(pdf, tmp_path / "a.html")
    ran(pdf, tmp_path / "a.html", "--online", "--force")
    offline = [any("host-resolver-rules" in word for word in words) for words in pdf.started]
    assert offline == [True, False]


@pytest.mark.parametrize(
    ("words", "said"), [((), "there already"), (("--force", "--margin", "wide"), "18mm"), (("--margin", "1;x"), "18mm")]
)
def test_what_is_there_stays_and_a_margin_is_a_length(pdf, ran, monkeypatch, tmp_path, words, said):
    have(pdf, monkeypatch, "browser")
    (tmp_path / "a.html").write_text("x", "utf-8")
    (tmp_path / "a.pdf").write_text("old", "utf-8")
    done = ran(pdf, tmp_path / "a.html", *words)
    assert done.status == 1
    assert said in done.err
    assert (tmp_path / "a.pdf").read_text("utf-8") == "old"


def test_a_program_that_fails_is_quoted(load, ran, monkeypatch, tmp_path):
    tool = load("create-pdf", "pdf")
    monkeypatch.setattr(tool, "programs", lambda: {"weasyprint": str(tmp_path / "not-there")})
    (tmp_path / "a.html").write_text("x", "utf-8")
    done = ran(tool, tmp_path / "a.html")
    assert done.status == 1
    assert "could not be started" in done.err


def test_the_list_says_what_is_here(pdf, ran, monkeypatch):
    have(pdf, monkeypatch, "pandoc")
    assert json.loads(ran(pdf, "--list", "--json").out) == {"pandoc": "/opt/pandoc"}
    assert "browser      not found" in ran(pdf, "--list").out
