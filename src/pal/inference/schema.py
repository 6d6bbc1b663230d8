"""The JSON in what a model wrote, and whether it has the form that was asked for.

The subset of JSON Schema that questions use: type, enum, const, properties, required, additionalProperties (true or
false), items, anyOf, and the bounds of numbers, strings and arrays. Other keywords are passed over."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LONGEST = 1_000_000  # characters looked through
_TRIES = 200  # places at which a value is looked for
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "null": (type(None),),
    "number": (int, float),
    "integer": (int,),
}
# keyword → (what it bounds, whether the bound is the lowest)
_BOUNDS = {
    "minimum": ("number", True),
    "maximum": ("number", False),
    "minLength": ("string", True),
    "maxLength": ("string", False),
    "minItems": ("array", True),
    "maxItems": ("array", False),
}


def instruction(schema: dict[str, Any]) -> str:
    """The line that asks for nothing but JSON of this form."""
    import json  # dear to load, and a server that only checks arguments needs none of it

    form = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return f"Answer with one JSON value that fits this schema, without any other text or code fence: {form}"


def extract(text: str, schema: dict[str, Any]) -> tuple[bool, Any, str]:
    """(found, value, "") for the first JSON value in the text that fits; else (False, None, why not)."""
    import json

    decoder = json.JSONDecoder(strict=False)
    text = text[:_LONGEST].strip().lstrip("\ufeff")
    reason = ""
    at, tries = 0, 0
    while at >= 0 and tries < _TRIES:
        tries += 1
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = _next(text, at + 1)
            continue
        wrong = mismatch(value, schema)
        if not wrong:
            return True, value, ""
        reason = reason or f"the answer does not fit: {wrong}"
        # A value inside one that does not fit may be the answer: {"result": {…}}.
        at = _next(text, at + 1 if isinstance(value, (dict, list)) else end)
    return False, None, reason or "the answer holds no JSON"


def _next(text: str, at: int) -> int:
    """Where the next object or array begins; -1 if none does."""
    places = [place for place in (text.find("{", at), text.find("[", at)) if place >= 0]
    return min(places, default=-1)


def mismatch(value: Any, schema: dict[str, Any], at: str = "the answer") -> str:
    """What is wrong with the value, empty when nothing is."""
    wrong = _plain_mismatch(value, schema, at)
    if wrong:
        return wrong
    if isinstance(value, dict):
        return _object_mismatch(value, schema, at)
    items = schema.get("items")
    if isinstance(value, list) and isinstance(items, dict):
        found = (mismatch(item, items, f"{at}[{number}]") for number, item in enumerate(value))
        return next((wrong for wrong in found if wrong), "")
    return ""


def _plain_mismatch(value: Any, schema: dict[str, Any], at: str) -> str:
    types = schema.get("type")
    types = [types] if isinstance(types, str) else types
    if types and not any(_is(value, name) for name in types):
        return f"{at} is no {' or '.join(types)}"
    if "enum" in schema and not any(_same(value, choice) for choice in schema["enum"]):
        return f"{at} is none of {', '.join(map(str, schema['enum']))}"
    if "const" in schema and not _same(value, schema["const"]):
        return f"{at} is not {schema['const']}"
    for keyword, (kind, lowest) in _BOUNDS.items():
        if keyword in schema and _is(value, kind):
            size = value if kind == "number" else len(value)
            if size < schema[keyword] if lowest else size > schema[keyword]:
                return f"{at} is {'below' if lowest else 'above'} its {keyword} {schema[keyword]}"
    choices = schema.get("anyOf")
    if choices and all(mismatch(value, choice, at) for choice in choices):
        return mismatch(value, choices[0], at)
    return ""


def _object_mismatch(value: dict[str, Any], schema: dict[str, Any], at: str) -> str:
    known: dict[str, Any] = schema.get("properties") or {}
    for name in schema.get("required") or ():
        if name not in value:
            return f"{at} has no {name}"
    for name, member in value.items():
        if name in known:
            wrong = mismatch(member, known[name], f"{at}.{name}")
            if wrong:
                return wrong
        elif schema.get("additionalProperties") is False:
            return f"{at} has a {name}"
    return ""


def _is(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    if name == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES.get(name, ()))


def _same(one: Any, other: Any) -> bool:
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)
