"""Makes one self-contained HTML page of a Markdown file: pictures inside, light and dark, ready to print."""

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


def page(text: str, folder: str) -> tuple[str, list[str]]:
    """(the page, warnings) for a Markdown text whose pictures are named relative to `folder`."""
    sys.dont_write_bytecode = True  # the skill's folder stays as it was installed
    sys.path.insert(0, os.path.join(HERE, "..", "lib"))
    blocks: Any = importlib.import_module("markdown_blocks")
    with open(os.path.join(HERE, "..", "templates", "page.css"), encoding="utf-8") as file:
        style = file.read()
    about, body = blocks.split_header(text)
    reader = blocks.Reader(folder)
    made = reader.html(body)
    title = html.escape(about.get("title", "")) or (reader.headings[0][2] if reader.headings else "Document")
    shown = f"<h1>{title}</h1>\n" if about.get("title") and "<h1 " not in made else ""
    head = (
        '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data: https: http:; '
        "style-src 'unsafe-inline'\">\n"
        f"<title>{re.sub('<[^>]*>', '', title)}</title>\n<style>\n{style}</style>"
    )
    start = f'<!doctype html>\n<html lang="{html.escape(about.get("lang", "en"))}">\n<head>\n{head}\n</head>\n'
    return f"{start}<body>\n{shown}{made}</body>\n</html>\n", list(reader.warnings)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="page", description=__doc__, epilog="example: page notes.md -o notes.html")
    parser.add_argument("file", help="a Markdown file; - reads standard input")
    parser.add_argument("-o", "--out", default="", help="the page to write (default: standard output)")
    parser.add_argument("--force", action="store_true", help="write over a page that is there")
    parser.add_argument("--json", action="store_true", help="print what was made as JSON (with --out)")
    options = parser.parse_args(argv)
    try:
        if options.file == "-":
            text = sys.stdin.read()
        else:
            with open(options.file, encoding="utf-8") as source:
                text = source.read()
        made, warnings = page(text, os.path.dirname(options.file))
        if options.out:
            with open(options.out, "w" if options.force else "x", encoding="utf-8", newline="\n") as file:
                file.write(made)
    except FileExistsError:
        sys.stderr.write(f"{options.out} is there already: choose another name, or add --force\n")
        return 1
    except UnicodeDecodeError:
        sys.stderr.write(f"{options.file} is no UTF-8 text: save it as UTF-8 first\n")
        return 1
    except OSError as fault:
        sys.stderr.write(f"{fault.filename}: {fault.strerror}\n")
        return 1
    for warning in warnings:
        sys.stderr.write(f"warning: {warning}\n")
    if not options.out:
        sys.stdout.write(made)
    elif options.json:
        facts = {"out": options.out, "bytes": len(made.encode("utf-8")), "warnings": warnings}
        sys.stdout.write(json.dumps(facts, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
