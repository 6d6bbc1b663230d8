"""Prints a document to PDF with a program that is on the machine, and says which would do when there is none.

Markdown, HTML and SVG go to a browser, WeasyPrint or wkhtmltopdf; office files to LibreOffice; more through Pandoc."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = os.path.dirname(os.path.abspath(__file__))
BROWSERS = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge", "microsoft-edge",
    "microsoft-edge-stable", "brave-browser",
)  # fmt: skip
MAC_BROWSERS = (
    "Google Chrome",
    "Chromium",
    "Microsoft Edge",
    "Brave Browser",
)  # as they lie in the Applications folder
WINDOWS_BROWSERS = (
    ("Google", "Chrome", "Application", "chrome.exe"),
    ("Microsoft", "Edge", "Application", "msedge.exe"),
)
WEB = (".html", ".htm", ".xhtml", ".svg")
MARKDOWN = (".md", ".markdown", ".txt")
OFFICE = (".docx", ".doc", ".odt", ".rtf", ".pptx", ".ppt", ".odp", ".xlsx", ".xls", ".ods", ".csv")
PANDOC = (".rst", ".org", ".tex", ".epub", ".ipynb", ".textile")
PAPERS = ("A3", "A4", "A5", "letter", "legal")
KINDS = ("browser", "weasyprint", "wkhtmltopdf", "libreoffice", "pandoc")
GET_ONE = {
    "web": "a Chromium browser (Chromium, Chrome, Edge or Brave), WeasyPrint or wkhtmltopdf",
    "office": "LibreOffice",
    "pandoc": "Pandoc, and one of Chromium, WeasyPrint or wkhtmltopdf",
}


def programs() -> dict[str, str]:
    """kind → path of each program that is here."""
    found = {kind: shutil.which(kind) for kind in KINDS[1:]}
    found["libreoffice"] = (
        found["libreoffice"]
        or shutil.which("soffice")
        or _first(
            [
                "/Applications/LibreOffice.app/Contents/MacOS/soffice",
                *_windows((("LibreOffice", "program", "soffice.exe"),)),
            ]
        )
    )
    named = next((path for path in map(shutil.which, BROWSERS) if path), None)
    mac = [f"/Applications/{name}.app/Contents/MacOS/{name}" for name in MAC_BROWSERS]
    found["browser"] = named or _first([*mac, *_windows(WINDOWS_BROWSERS)])
    return {kind: path for kind in KINDS for path in [found[kind]] if path}


def _windows(places: tuple[tuple[str, ...], ...]) -> list[str]:
    folders = [os.environ.get(name, "") for name in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")]
    return [os.path.join(folder, *place) for folder in folders if folder for place in places]


def _first(paths: list[str]) -> str | None:
    return next((path for path in paths if os.path.isfile(path)), None)


class Fault(Exception):
    """One sentence for the person who asked."""


def make(options: argparse.Namespace, here: dict[str, str], scratch: str, made: str) -> str:
    """Write the PDF to `made` and return the kind of program that did it."""
    source, ending = os.path.abspath(options.file), os.path.splitext(options.file)[1].lower()
    if ending in OFFICE:
        kind = _chosen(options, here, ("libreoffice",), "office")
        _office(here[kind], source, options.timeout, scratch, made)
        return kind
    if ending in PANDOC:
        pandoc = here.get("pandoc")
        if not pandoc:
            raise Fault(f"there is no Pandoc on this machine: {ending} files need {GET_ONE['pandoc']}")
        page = os.path.join(scratch, "page.html")
        _run([pandoc, "--standalone", "--embed-resources", source, "-o", page], options.timeout, page)
        source = page
    elif ending in MARKDOWN:
        page = os.path.join(scratch, "page.html")
        _run([sys.executable, "-I", "-X", "utf8", os.path.join(HERE, "page.py"), source, "-o", page], 60, page)
        source = page
    elif ending not in WEB:
        raise Fault(f"{options.file}: only {', '.join((*WEB, *MARKDOWN, *OFFICE, *PANDOC))} can be printed")
    if options.paper or options.landscape or options.margin:
        source = _with_page_size(source, options, scratch)
    kind = _chosen(options, here, ("browser", "weasyprint", "wkhtmltopdf"), "web")
    if kind == "browser":
        _run(_browser(here[kind], source, options, scratch, made), options.timeout, made)
    elif kind == "weasyprint":
        _run([here[kind], source, made], options.timeout, made)
    else:
        size = ["--page-size", options.paper or "A4", "--orientation", "Landscape" if options.landscape else "Portrait"]
        margin = [word for side in "TRBL" if options.margin for word in (f"-{side}", options.margin)]
        words = ["--quiet", "--enable-local-file-access", "--print-media-type", *size, *margin]
        _run([here[kind], *words, source, made], options.timeout, made)
    return kind


def _chosen(options: argparse.Namespace, here: dict[str, str], able: tuple[str, ...], family: str) -> str:
    if options.program and options.program not in able:
        raise Fault(f"{options.program} cannot print {options.file}; {', '.join(able)} can")
    for kind in (options.program,) if options.program else able:
        if kind in here:
            return kind
    raise Fault(f"no program to print with was found: install {options.program or GET_ONE[family]}")


def _browser(program: str, source: str, options: argparse.Namespace, scratch: str, made: str) -> list[str]:
    words = [
        program, "--headless", "--disable-gpu", "--no-first-run", "--no-default-browser-check", "--disable-extensions",
        "--no-pdf-header-footer", f"--user-data-dir={os.path.join(scratch, 'profile')}", "--virtual-time-budget=5000",
        f"--print-to-pdf={made}",
    ]  # fmt: skip
    if not options.online:
        words.append("--host-resolver-rules=MAP * ~NOTFOUND")  # a document does not call out while it is printed
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        words.append("--no-sandbox")  # browsers refuse to start as root with it
    return [*words, Path(source).as_uri()]


def _office(program: str, source: str, seconds: float, scratch: str, made: str) -> None:
    named = os.path.join(scratch, os.path.splitext(os.path.basename(source))[0] + ".pdf")
    profile = Path(scratch, "profile").as_uri()
    words = ["--headless", f"-env:UserInstallation={profile}", "--convert-to", "pdf", "--outdir", scratch, source]
    _run([program, *words], seconds, named)
    os.replace(named, made)


def _with_page_size(source: str, options: argparse.Namespace, scratch: str) -> str:
    """A copy of the page that asks for this paper; what it names relative to its folder is still found."""
    size = f"size: {options.paper or 'A4'}{' landscape' if options.landscape else ''};"
    rule = f"<style>@page {{ {size} {f'margin: {options.margin};' if options.margin else ''} }}</style>"
    with open(source, encoding="utf-8") as file:
        text = file.read()
    base = "" if "<base " in text.lower() else f'<base href="{Path(os.path.dirname(source)).as_uri()}/">'
    head = re.search(r"<head[^>]*>", text, re.IGNORECASE)
    at = head.end() if head else 0
    end = re.search(r"</head>", text, re.IGNORECASE)
    close = end.start() if end else at
    copy = os.path.join(scratch, "sized.html")
    with open(copy, "w", encoding="utf-8") as file:
        file.write(text[:at] + base + text[at:close] + rule + text[close:])
    return copy


def _run(words: list[str], seconds: float, expected: str) -> None:
    name = os.path.basename(words[0])
    try:
        done = subprocess.run(words, capture_output=True, timeout=seconds, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise Fault(f"{name} was not done after {seconds:g} seconds; give it more with --timeout") from None
    except OSError as fault:
        raise Fault(f"{words[0]} could not be started: {fault.strerror or fault}") from None
    if done.returncode or not os.path.isfile(expected) or not os.path.getsize(expected):
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise Fault(f"{name} made nothing (status {done.returncode}): {said[-1][:200] if said else 'it said nothing'}")


def pages_of(path: str) -> int:
    """The number of pages, where the file says it in plain; else 0."""
    with open(path, "rb") as file:
        return len(re.findall(rb"/Type\s*/Page(?![a-zA-Z])", file.read()))


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="pdf", description=__doc__, epilog="examples: pdf report.md -o report.pdf --paper A4;  pdf --list"
    )
    parser.add_argument("file", nargs="?", default="", help="the document to print")
    parser.add_argument("-o", "--out", default="", help="the PDF to write (default: the document's name with .pdf)")
    parser.add_argument("--paper", choices=PAPERS, default="", help="default: what the document asks for")
    parser.add_argument("--landscape", action="store_true", help="turn the paper")
    parser.add_argument("--margin", default="", help="on all sides, such as 18mm or 0.7in")
    parser.add_argument("--program", choices=KINDS[:4], default="", help="print with this one only")
    parser.add_argument("--online", action="store_true", help="let a browser load what the page names on the web")
    parser.add_argument("--timeout", type=float, default=120, help="seconds (default 120)")
    parser.add_argument("--force", action="store_true", help="write over a PDF that is there")
    parser.add_argument("--list", action="store_true", help="say which programs are here, and print nothing")
    parser.add_argument("--json", action="store_true", help="print the facts as JSON")
    options = parser.parse_args(argv)
    here = programs()
    if options.list:
        lines = [f"{kind:12} {here.get(kind, 'not found')}" for kind in KINDS]
        sys.stdout.write(json.dumps(here) + "\n" if options.json else "\n".join(lines) + "\n")
        return 0
    if not options.file:
        parser.error("name the document to print, or --list")
    options.out = os.path.abspath(options.out or os.path.splitext(options.file)[0] + ".pdf")
    try:
        if not re.fullmatch(r"(\d+(\.\d+)?(mm|cm|in|pt))?", options.margin):
            raise Fault(f"--margin {options.margin}: a number and mm, cm, in or pt is expected, such as 18mm")
        if not os.path.isfile(options.file):
            raise Fault(f"there is no file {options.file}")
        if os.path.exists(options.out) and not options.force:
            raise Fault(f"{options.out} is there already: choose another name, or add --force")
        scratch = tempfile.mkdtemp(prefix="create-pdf-")
        try:
            made = os.path.join(scratch, "made.pdf")
            kind = make(options, here, scratch, made)
            shutil.copyfile(made, options.out)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    except (Fault, OSError, UnicodeDecodeError) as fault:
        sys.stderr.write(f"{fault}\n")
        return 1
    facts = {"out": options.out, "program": kind, "bytes": os.path.getsize(options.out), "pages": pages_of(options.out)}
    pages = f"{facts['pages']} pages, " if facts["pages"] else ""
    said = f"{options.out}: {pages}{facts['bytes']} bytes, made with {kind} ({here[kind]})."
    sys.stdout.write((json.dumps(facts) if options.json else said) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
