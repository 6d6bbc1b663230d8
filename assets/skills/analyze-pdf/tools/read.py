"""Reads the text of a PDF, page by page, with pdftotext or mutool; without them a plain reader does simple files.

Says how many pages there are, which of them hold no text (scans), and which program would read more."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FEWEST_LETTERS = 12  # on a page; fewer are a scan, a picture or an empty page
READERS = ("pdftotext", "mutool", "plain")
BETTER = "pdftotext (Poppler) or mutool (MuPDF)"
OCR = "ocrmypdf or tesseract"
SECONDS = 120


class Fault(Exception):
    """One sentence for the person who asked."""


def pages(path: str, reader: str, password: str) -> tuple[list[str], str]:
    """(the text of each page, the reader that did it)."""
    with open(path, "rb") as file:
        data = file.read()
    if b"%PDF-" not in data[:1024]:
        raise Fault(f"{path} is no PDF")
    for name in (reader,) if reader else READERS:
        program = shutil.which(name)
        if name == "plain":
            return _plain(data), name
        if program:
            words = {
                "pdftotext": [
                    program,
                    "-layout",
                    "-enc",
                    "UTF-8",
                    *(["-upw", password] if password else []),
                    path,
                    "-",
                ],
                "mutool": [
                    program,
                    "draw",
                    "-q",
                    *(["-p", password] if password else []),
                    "-F",
                    "text",
                    "-o",
                    "-",
                    path,
                ],
            }
            return _ran(words[name]), name
    raise Fault(f"{reader} is not on this machine; leave --with out to use what there is")


def _plain(data: bytes) -> list[str]:
    sys.dont_write_bytecode = True  # the skill's folder stays as it was installed
    sys.path.insert(0, os.path.join(HERE, "..", "lib"))
    try:
        texts: list[str] = importlib.import_module("plain_pdf").pages(data)
    except ValueError as fault:
        raise Fault(f"{fault}; {BETTER} reads it") from None
    return texts


def _ran(words: list[str]) -> list[str]:
    name = os.path.basename(words[0])
    try:
        done = subprocess.run(words, capture_output=True, timeout=SECONDS, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise Fault(f"{name} did not finish: {fault}") from None
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode:
        locked = re.search(r"password|encrypt", said, re.IGNORECASE)
        raise Fault(
            "the file is locked: give its password with --password" if locked else f"{name} failed: {said[-200:]}"
        )
    text = done.stdout.decode("utf-8", "replace").replace("\r\n", "\n")
    shown = text.split("\f")
    return shown[:-1] if len(shown) > 1 and not shown[-1].strip() else shown  # a form feed ends each page


def chosen(said: str, count: int) -> list[int]:
    """The page numbers of `1-3,7`; all of them for an empty text."""
    numbers: list[int] = []
    for part in filter(None, said.replace(" ", "").split(",")):
        found = re.fullmatch(r"(\d+)(?:-(\d*))?", part)
        if not found:
            raise Fault(f"--pages {said}: numbers and spans such as 1-3,7 are expected")
        last = int(found[2] or count) if "-" in part else int(found[1])
        numbers += range(int(found[1]), last + 1)
    wrong = [number for number in numbers if not 1 <= number <= count]
    if wrong:
        raise Fault(f"there is no page {wrong[0]}: the file has {count}")
    return numbers or list(range(1, count + 1))


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="read", description=__doc__, epilog="examples: read paper.pdf --info;  read paper.pdf --pages 1-3,9"
    )
    parser.add_argument("file", help="the PDF")
    parser.add_argument("--pages", default="", help="only these, such as 1-3,7 or 10-")
    parser.add_argument(
        "--find", default="", metavar="WORDS", help="print only lines with these words, with their page"
    )
    parser.add_argument("--info", action="store_true", help="print counts for each page instead of the text")
    parser.add_argument(
        "--with", dest="reader", choices=READERS, default="", help="use this one (default: the best here)"
    )
    parser.add_argument("--password", default="", help="of a locked file")
    parser.add_argument("--json", action="store_true", help="print pages with number, words and text as JSON")
    options = parser.parse_args(argv)
    try:
        texts, reader = pages(options.file, options.reader, options.password)
        numbers = chosen(options.pages, len(texts))
    except Fault as fault:
        sys.stderr.write(f"{fault}\n")
        return 1
    except OSError as fault:
        sys.stderr.write(f"{options.file}: {fault.strerror or fault}\n")
        return 1
    empty = [number for number in numbers if len(re.findall(r"\w", texts[number - 1])) < FEWEST_LETTERS]
    if options.json:
        rows = [{"page": each, "words": len(texts[each - 1].split()), "text": texts[each - 1]} for each in numbers]
        if options.info:
            rows = [{"page": row["page"], "words": row["words"]} for row in rows]
        facts = {"file": options.file, "pages": len(texts), "reader": reader, "empty": empty, "shown": rows}
        sys.stdout.write(json.dumps(facts, ensure_ascii=False) + "\n")
    elif options.find:
        for number in numbers:
            lines = (line for line in texts[number - 1].split("\n") if options.find.lower() in line.lower())
            sys.stdout.write("".join(f"page {number}: {line.strip()}\n" for line in lines))
    elif options.info:
        total = sum(len(texts[each - 1].split()) for each in numbers)
        sys.stdout.write(
            f"{options.file}: {len(texts)} pages, {total} words in {len(numbers)} of them, read by {reader}\n"
        )
        sys.stdout.write("".join(f"{each:5} {len(texts[each - 1].split()):7} words\n" for each in numbers))
    else:
        sys.stdout.write("".join(f"=== page {each} ===\n{texts[each - 1].rstrip()}\n\n" for each in numbers))
    if empty:
        listed = ", ".join(map(str, empty[:20])) + (" …" if len(empty) > 20 else "")
        known = next((name for name in ("ocrmypdf", "tesseract") if shutil.which(name)), "")
        advice = f"{known} on this machine can read it" if known else f"{OCR} would read it"
        sys.stderr.write(f"no text on page {listed}: a scan or a picture; {advice}\n")
    if reader == "plain":
        sys.stderr.write(f"read by the plain reader, which loses layout and some fonts; install {BETTER} for more\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
