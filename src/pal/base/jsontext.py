"""JSON without the `json` package: its C scanner and encoder alone start ten times faster, and hooks start often.

`loads` and `dumps` give what `json` would; where the C module is missing they are `json`'s own."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _ScannerOptions:
    """The attributes the C scanner reads from its context object."""

    __slots__ = (
        "memo",
        "object_hook",
        "object_pairs_hook",
        "parse_constant",
        "parse_float",
        "parse_int",
        "strict",
    )

    def __init__(self) -> None:
        self.strict = False  # control characters inside strings: agents do send them
        self.object_hook = None
        self.object_pairs_hook = None
        self.parse_float = float
        self.parse_int = int
        self.parse_constant = _constant
        self.memo: dict[str, str] = {}


def _constant(name: str) -> Any:
    return {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}[name]


_SPACE = " \t\n\r"

try:
    import _json

    _scan: Any = _json.make_scanner(_ScannerOptions())  # type: ignore[arg-type]
    _encode: Any = _json.make_encoder(
        None, lambda value: str(value), _json.encode_basestring, None, ": ", ", ", False, False, True
    )
except (ImportError, AttributeError, TypeError):  # another Python: `json` serves, slower
    _scan = _encode = None


def loads(text: str | bytes) -> Any:
    """The value of one JSON text; ValueError for anything that is not exactly one, however broken or deep."""
    if isinstance(text, (bytes, bytearray)):
        text = bytes(text).decode("utf-8", "replace")
    if text.startswith("\ufeff"):
        text = text[1:]
    if _scan is None:
        return _loads_slowly(text)
    begin, end = 0, len(text)
    while begin < end and text[begin] in _SPACE:
        begin += 1
    try:
        value, stop = _scan(text, begin)
    except StopIteration:
        raise ValueError(f"not JSON: nothing that could be a value at character {begin}") from None
    except (ValueError, RecursionError, SystemError) as problem:
        # SystemError: Python 3.9's scanner raises an error class of `json`, which is not loaded here.
        raise ValueError("not JSON: " + str(problem)) from None
    if text[stop:].strip(_SPACE):
        raise ValueError(f"not JSON: more text after the value, at character {stop}")
    return value


def _loads_slowly(text: str) -> Any:
    import json

    try:
        return json.loads(text, strict=False)
    except RecursionError as problem:
        raise ValueError("not JSON: " + str(problem)) from None


def dumps(value: Any) -> str:
    """Compact JSON on one line; non-ASCII stays, lone surrogates become escapes so that UTF-8 can hold them."""
    if _encode is None:
        import json

        text = json.dumps(value, ensure_ascii=False, default=str)
    else:
        text = "".join(_encode(value, 0))
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def dumps_rows(value: dict[str, Any]) -> str:
    """A JSON object with one line a key: quick to write, and a person can still read and compare it."""
    if not value:
        return "{}\n"
    return "{\n" + ",\n".join(dumps(str(key)) + ": " + dumps(row) for key, row in value.items()) + "\n}\n"


def pretty(value: Any) -> str:
    """JSON with two spaces of indentation, for people."""
    import json

    return json.dumps(value, ensure_ascii=False, indent=2, default=str) + "\n"
