"""Reads the text of simple PDFs with the standard library: flate and object streams, fonts that explain their codes.

It follows what the drawing commands show and knows no layout; a program made for PDFs is always better."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator

LARGEST = 50_000_000  # bytes of one stream; a page has far less, a bomb far more
_OBJECT = re.compile(rb"(?<!\d)(\d+)\s+\d+\s+obj\b(.*?)\bendobj", re.DOTALL)
_STREAM = re.compile(rb"stream\r?\n(.*?)\r?\n?endstream", re.DOTALL)
_TOKEN = re.compile(rb"\(|<[0-9A-Fa-f\s]*>|\[|\]|/[^\s/<>\[\]()]+|-?\d*\.?\d+|[A-Za-z'\"*]+")
_BRACKET = re.compile(rb"\\.|[()]", re.DOTALL)
_ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}


def pages(data: bytes) -> list[str]:
    """What the standard library can read: flate streams, and fonts that say what their codes mean."""
    if re.search(rb"/Encrypt\s+\d+\s+\d+\s+R", data):
        raise ValueError("this PDF is locked with a password, which the plain reader cannot use")
    objects = dict(_objects(data))
    order = [number for number in _kids(objects, _root(objects)) if b"/Contents" in objects[number]]
    if not order:
        raise ValueError("this PDF is built in a way the plain reader does not know")
    return [_page_text(objects, number) for number in order]


def _objects(data: bytes) -> Iterator[tuple[int, bytes]]:
    for found in _OBJECT.finditer(data):
        yield int(found[1]), found[2]
        if b"/ObjStm" in found[2]:
            inside, first = _stream(found[2]), re.search(rb"/First\s+(\d+)", found[2])
            if first:
                start = int(first[1])
                head = [int(each) for each in inside[:start].split() if each.isdigit()]
                spots = [*head[1::2], len(inside) - start]
                for number, at, end in zip(head[::2], spots, spots[1:]):
                    yield number, inside[start + at : start + end]


def _stream(body: bytes) -> bytes:
    found = _STREAM.search(body)
    if not found:
        return b""
    if b"/FlateDecode" not in body[: found.start()]:
        return found[1]
    try:
        return zlib.decompressobj().decompress(found[1], LARGEST)
    except zlib.error:
        return b""


def _root(objects: dict[int, bytes]) -> list[int]:
    catalog = next((body for body in objects.values() if re.search(rb"/Type\s*/Catalog", body)), b"")
    return _references(catalog, b"Pages")


def _references(body: bytes, key: bytes) -> list[int]:
    found = re.search(rb"/" + key + rb"\s*(\[[^\]]*\]|\d+\s+\d+\s+R)", body)
    return [int(each) for each in re.findall(rb"(\d+)\s+\d+\s+R", found[1])] if found else []


def _kids(objects: dict[int, bytes], numbers: list[int], depth: int = 0) -> Iterator[int]:
    for number in numbers:
        body = objects.get(number, b"")
        if re.search(rb"/Type\s*/Pages\b", body) and depth < 30:
            yield from _kids(objects, _references(body, b"Kids"), depth + 1)
        elif body:
            yield number


def _page_text(objects: dict[int, bytes], number: int) -> str:
    body = objects[number]
    resources = body + b"".join(objects.get(each, b"") for each in _references(body, b"Resources"))
    listed = re.search(rb"/Font\s*(\d+)\s+\d+\s+R", resources)
    fonts = objects.get(int(listed[1]), b"") if listed else resources
    maps = {
        name: _meanings(_stream(objects.get(to, b"")))
        for name, font in re.findall(rb"/([^\s/<>\[\]()]+)\s+(\d+)\s+\d+\s+R", fonts)
        for to in _references(objects.get(int(font), b""), b"ToUnicode")
    }
    parts = _references(body, b"Contents")
    parts = [to for part in parts for to in (_array(objects.get(part, b"")) or [part])]
    return _shown(b"\n".join(_stream(objects.get(part, b"")) for part in parts), maps)


def _array(body: bytes) -> list[int]:
    listed = re.fullmatch(rb"\s*\[(.*)\]\s*", body, re.DOTALL)
    return [int(each) for each in re.findall(rb"(\d+)\s+\d+\s+R", listed[1])] if listed else []


def _meanings(table: bytes) -> dict[bytes, str]:
    """code → text, from a font's ToUnicode table."""
    found: dict[bytes, str] = {}
    for block in re.findall(rb"beginbfchar(.*?)endbfchar", table, re.DOTALL):
        for code, said in re.findall(rb"<([0-9A-Fa-f\s]+)>\s*<([0-9A-Fa-f\s]+)>", block):
            found[_hex(code)] = _hex(said).decode("utf-16-be", "replace")
    for block in re.findall(rb"beginbfrange(.*?)endbfrange", table, re.DOTALL):
        for low, high, said in re.findall(rb"<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>\s*(<[0-9A-Fa-f]+>|\[[^\]]*\])", block):
            size, first = len(low) // 2, int(low, 16)
            texts = [_hex(each).decode("utf-16-be", "replace") for each in re.findall(rb"<([0-9A-Fa-f]+)>", said)]
            for step in range(min(int(high, 16) - first, 0xFFFF) + 1):
                if said[:1] == b"[":
                    text = texts[step] if step < len(texts) else ""
                else:
                    text = texts[0][:-1] + chr(min(ord(texts[0][-1]) + step, 0x10FFFF)) if texts[0] else ""
                found[(first + step).to_bytes(size, "big")] = text
    return found


def _hex(digits: bytes) -> bytes:
    plain_digits = re.sub(rb"\s", b"", digits)
    return bytes.fromhex((plain_digits + b"0" * (len(plain_digits) % 2)).decode("ascii"))


def _string(token: bytes, meanings: dict[bytes, str]) -> str:
    if token[:1] == b"<":
        raw = _hex(token[1:-1])
    else:
        raw = re.sub(rb"\\([0-7]{1,3}|\r?\n|.)", _unescaped, token[1:-1], flags=re.DOTALL)
    if not meanings:
        return raw.decode("cp1252", "replace")
    size = max(map(len, meanings))
    return "".join(meanings.get(raw[at : at + size], "") for at in range(0, len(raw), size))


def _unescaped(found: re.Match[bytes]) -> bytes:
    said = found[1]
    if said[:1].isdigit():
        return bytes([int(said, 8) & 255])
    return _ESCAPES.get(said, b"" if said.strip(b"\r\n") == b"" else said)


def _tokens(content: bytes) -> Iterator[bytes]:
    """The words of drawing commands; a text in brackets, which may hold brackets, is one of them."""
    at = 0
    while True:
        found = _TOKEN.search(content, at)
        if not found:
            return
        at, depth = found.end(), 1
        if found[0] == b"(":
            at = len(content)
            for mark in _BRACKET.finditer(content, found.end()):
                depth += (mark[0] == b"(") - (mark[0] == b")")
                if not depth:
                    at = mark.end()
                    break
        yield content[found.start() : at]


def _shown(content: bytes, maps: dict[bytes, dict[bytes, str]]) -> str:
    """The text that a page's drawing commands show, with a new line wherever the pen moves down."""
    made: list[str] = []
    held: list[bytes] = []
    meanings: dict[bytes, str] = {}
    size, since = 1.0, 0  # the font's size, and the letters shown since the pen was last set
    for token in _tokens(content):
        if not token[:1].isalpha() and token not in (b"'", b'"', b"*"):
            held.append(token)
            continue
        if token == b"Tf" and len(held) > 1:
            meanings, size = maps.get(held[-2].lstrip(b"/"), {}), abs(float(held[-1])) or 1.0
        elif token in (b"T", b"Tm", b"ET", b"'", b'"') or (token in (b"Td", b"TD") and float(held[-1] or 0)):
            made.append("\n")
        elif token in (b"Td", b"TD") and float(held[-2]) > (0.6 * since + 0.5) * size:
            made.append(" ")  # further than the letters shown are wide
        since = 0 if token in (b"Td", b"TD", b"Tm") else since
        if token in (b"Tj", b"TJ", b"'", b'"'):
            for each in held:
                if each[:1] in (b"(", b"<"):
                    made.append(_string(each, meanings))
                    since += len(made[-1])
                elif each[:1] in b"-0123456789." and float(each) < -180:
                    made.append(" ")  # a wide gap inside a line
        held = []
    lines = (re.sub(r"[ \t]+", " ", line).strip() for line in "".join(made).split("\n"))
    return "\n".join(line for line in lines if line)
