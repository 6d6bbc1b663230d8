"""The header of PAL's Markdown files: a small YAML subset between two `---` lines.

Scalars, quoted strings, inline and indented lists of strings, and one level of nested keys; what it does not know it
keeps as text, so a file a person wrote never fails to load."""

from __future__ import annotations

from pal.base import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_FENCE = "---"


def parse(text: str) -> tuple[dict[str, Any], str]:
    """(fields, body). Without a header, or with one that never ends, everything is body."""
    if text.startswith("\ufeff"):
        text = text[1:]
    lines = text.split("\n")  # only these end a line: a form feed or U+2028 may stand inside a value
    if lines[0].rstrip() != _FENCE:
        return {}, text
    end = next((at for at in range(1, len(lines)) if lines[at].rstrip() == _FENCE), 0)
    if not end:
        return {}, text
    return _fields(lines[1:end]), "\n".join(lines[end + 1 :]).lstrip("\r\n")


def _fields(lines: list[str]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    key = inner = ""  # the key, and the key nested below it, that an indented line belongs to
    flowing = False  # below `key: >` indented lines are text, whatever they look like
    for line in lines:
        bare = line.strip()
        indented = line[:1] in (" ", "\t")
        if not bare or (bare.startswith("#") and not (flowing and indented)):
            continue
        held = fields.get(key)
        if indented and flowing:
            fields[key] = f"{held} {bare}".strip()
        elif bare.startswith("- ") and key:
            if inner and indented and isinstance(held, dict):
                before = held[inner]
                held[inner] = [*(before if isinstance(before, list) else []), _scalar(bare[2:])]
            else:
                fields[key] = [*(held if isinstance(held, list) else []), _scalar(bare[2:])]
        elif indented and key and ":" in bare:
            inner, _, value = bare.partition(":")
            inner = inner.strip()
            fields[key] = {**(held if isinstance(held, dict) else {}), inner: _scalar(value)}
        elif indented and key and isinstance(held, str):
            fields[key] = (held + " " + bare).strip()
        elif ":" in bare:
            key, _, value = bare.partition(":")
            key, inner = key.strip(), ""
            flowing = value.strip() in (">", "|", ">-", "|-")
            fields[key] = "" if flowing else _scalar(value)
    return fields


def _scalar(text: str) -> Any:
    text = text.strip()
    if text[:1] == '"':
        try:
            return jsontext.loads(text)
        except ValueError:
            return text.strip('"')
    if text[:1] == "'" and text[-1:] == "'" and len(text) > 1:
        return text[1:-1].replace("''", "'")
    if text[:1] == "[" and text[-1:] == "]":
        try:
            return jsontext.loads(text)
        except ValueError:
            return [_scalar(item) for item in text[1:-1].split(",") if item.strip()]
    if text in ("true", "false"):
        return text == "true"
    if text.lstrip("-").isdigit() and text.isascii() and len(text) < 16:
        return int(text)
    return text


def render(fields: dict[str, Any], body: str) -> str:
    """The file's text: strings quoted, lists inline, unknown keys as they came; ends with a newline."""
    lines = [_FENCE]
    for key, value in fields.items():
        if isinstance(value, dict):
            lines.append(key + ":")
            lines.extend(f"  {name}: {_rendered(item)}" for name, item in value.items())
        else:
            lines.append(key + ": " + _rendered(value))
    return "\n".join([*lines, _FENCE, "", body.strip("\r\n")]) + "\n"


def _rendered(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (int, float)) else jsontext.dumps(value)
