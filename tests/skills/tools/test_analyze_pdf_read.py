"""PDFs read without any program, and with programs only named."""

from __future__ import annotations

import json
import zlib

import pytest


def stream(data: bytes, more: bytes = b"", packed: bool = False) -> bytes:
    body = zlib.compress(data) if packed else data
    kind = b"/Filter /FlateDecode " if packed else b""
    return b"<< %s%s/Length %d >>\nstream\n%s\nendstream" % (kind, more, len(body), body)


def document(
    *contents: bytes, fonts: bytes = b"/F1 << /Type /Font >>", more: bytes = b"", packed: bool = False
) -> bytes:
    """A PDF with one page for each of the drawing commands."""
    pages = b" ".join(b"%d 0 R" % (10 + number) for number in range(len(contents)))
    made = [b"%PDF-1.4", b"1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj"]
    made.append(b"2 0 obj << /Type /Pages /Kids [%s] /Count %d >> endobj" % (pages, len(contents)))
    for number, content in enumerate(contents):
        page = b"<< /Type /Page /Parent 2 0 R /Resources << /Font << %s >> >> /Contents %d 0 R >>"
        made.append(b"%d 0 obj %s endobj" % (10 + number, page % (fonts, 50 + number)))
        made.append(b"%d 0 obj %s endobj" % (50 + number, stream(content, packed=packed)))
    return b"\n".join([*made, more, b"trailer << /Root 1 0 R >>", b"%%EOF"])


@pytest.fixture
def read(load, ran, tmp_path):
    tool = load("analyze-pdf", "read")

    def reading(data: bytes, *words: object):
        (tmp_path / "a.pdf").write_bytes(data)
        return ran(tool, tmp_path / "a.pdf", "--with", "plain", *words)

    return reading


CONTENTS = [
    (b"BT /F1 12 Tf (Hello there, reader) Tj ET", "Hello there, reader"),
    (b"BT (One line of text) Tj 0 -14 Td (and the next) Tj ET", "One line of text\nand the next"),
    (b"BT [(W) 40 (ide) -300 (gap inside text)] TJ ET", "Wide gap inside text"),
    (b"BT (a \\(bracket\\) and \\101 \\\\ here) Tj ET", "a (bracket) and A \\ here"),
    (b"BT <48656C6C6F20776F726C642C206865726521> Tj ET", "Hello world, here!"),
    (b"BT /F1 10 Tf (T) Tj 5 0 Td (ogether) Tj 200 0 Td (far away now) Tj ET", "Together far away now"),
    (b"BT (first of the lines) Tj T* (second one) ' ET", "first of the lines\nsecond one"),
]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(("content", "text"), CONTENTS)
def test_the_plain_reader_shows_what_the_page_shows(read, content, text, packed):
    done = read(document(content, packed=packed), "--json")
    assert [row["text"] for row in json.loads(done.out)["shown"]] == [text]


def test_the_plain_reader_uses_what_a_font_says_its_codes_mean(read):
    table = b"1 beginbfchar <0001> <00480069> endbfchar 1 beginbfrange <0002> <0004> <0061> endbfrange"
    more = b"30 0 obj << /Type /Font /ToUnicode 31 0 R >> endobj\n31 0 obj %s endobj" % stream(table, packed=True)
    done = read(document(b"BT /F1 9 Tf <00010002000300040003000200030004> Tj ET", fonts=b"/F1 30 0 R", more=more))
    assert "Hiabcbabc" in done.out


def test_pages_inside_object_streams_are_found(read):
    inner = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
             b"<< /Type /Page /Parent 2 0 R /Contents 9 0 R >>"]  # fmt: skip
    spots = [sum(len(each) + 1 for each in inner[:at]) for at in range(3)]
    head = b" ".join(b"%d %d" % (number, spot) for number, spot in zip((1, 2, 3), spots)) + b" "
    packed = stream(head + b" ".join(inner), b"/Type /ObjStm /N 3 /First %d " % len(head), packed=True)
    shown = stream(b"BT (From a packed page) Tj ET", packed=True)
    done = read(b"%%PDF-1.5\n8 0 obj %s endobj\n9 0 obj %s endobj\n%%%%EOF" % (packed, shown))
    assert "From a packed page" in done.out


def test_pages_can_be_chosen_counted_and_searched(read):
    data = document(*(b"BT (Page number %d speaks of notice) Tj ET" % number for number in (1, 2, 3)))
    assert "=== page 3 ===\nPage number 3" in read(data, "--pages", "1,3").out
    assert "number 2" not in read(data, "--pages", "1,3").out
    assert "number 3" in read(data, "--pages", "2-").out
    assert "3 pages, 18 words" in read(data, "--info").out
    assert read(data, "--find", "NOTICE", "--pages", "2").out == "page 2: Page number 2 speaks of notice\n"


def test_a_page_without_text_is_named_as_a_scan(read):
    done = read(document(b"BT (Enough text to count here) Tj ET", b"/Im1 Do"))
    assert "no text on page 2" in done.err
    assert "tesseract" in done.err


@pytest.mark.parametrize(
    ("data", "words", "said"),
    [
        (b"hello", (), "is no PDF"),
        (b"%PDF-1.4 nothing", (), "pdftotext"),
        (document(b"x", more=b"trailer << /Encrypt 9 0 R >>"), (), "locked"),
        (document(b"x"), ("--pages", "4"), "no page 4"),
        (document(b"x"), ("--pages", "b"), "1-3,7"),
    ],
)
def test_a_file_that_cannot_be_read_is_explained(read, data, words, said):
    done = read(data, *words)
    assert (done.status, done.out) == (1, "")
    assert said in done.err


def test_a_program_is_preferred_and_its_pages_are_taken(load, ran, tmp_path, monkeypatch):
    tool = load("analyze-pdf", "read")
    started = []

    class Done:
        returncode, stderr = 0, b""
        stdout = b"First page with words\fSecond page with words\f"

    monkeypatch.setattr(tool.shutil, "which", lambda name: f"/opt/{name}" if name == "mutool" else None)
    monkeypatch.setattr(tool.subprocess, "run", lambda words, **_: started.append(words) or Done)
    (tmp_path / "a.pdf").write_bytes(document(b"x"))
    facts = json.loads(ran(tool, tmp_path / "a.pdf", "--json").out)
    assert (facts["reader"], facts["pages"], started[0][0]) == ("mutool", 2, "/opt/mutool")
    assert "pdftotext is not on this machine" in ran(tool, tmp_path / "a.pdf", "--with", "pdftotext").err


@pytest.mark.parametrize("cut", range(0, 700, 23))
def test_a_torn_file_is_read_or_refused_and_never_a_traceback(read, cut):
    data = document(b"BT /F1 9 Tf (Some words to read) Tj 3 0 Td [(a) -300 <6>] TJ ET", packed=True)
    assert read(data[:cut] + data[cut + 9 :]).status in (0, 1)
