"""Reads the opinions PAL has of how its user likes things (`relationship/opinions.json`); other work writes them."""

from __future__ import annotations

from pal.base import files, jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pal.base.home import Home


def confident(home: Home, floor: float) -> list[tuple[str, str, float]]:
    """(category, statement, confidence from 0 to 1) of each opinion of at least `floor`, the surest first.

    The file is an object with a list under `opinions`, or that list alone; what does not read as an opinion is left
    out, a file that cannot be parsed holds none."""
    try:
        value = jsontext.loads(files.read_bytes(home.opinions) or b"[]")
    except (ValueError, OSError):
        return []
    rows = value.get("opinions") if isinstance(value, dict) else value
    found = []
    for row in rows if isinstance(rows, list) else []:
        if not isinstance(row, dict):
            continue
        statement, sure = row.get("statement"), row.get("confidence")
        if isinstance(statement, str) and statement.strip() and isinstance(sure, (int, float)) and sure >= floor:
            category = row.get("category")
            found.append((category if isinstance(category, str) and category else "general", statement.strip(), sure))
    found.sort(key=lambda opinion: -opinion[2])
    return found
