"""What a piece of SQL destroys, read word by word; text in quotes and comments means nothing."""

from __future__ import annotations

from pal.guard.paths import names

MAX_WORDS = 4000
OBJECTS = names("DATABASE SCHEMA TABLE TABLESPACE KEYSPACE USER ROLE VIEW MATERIALIZED COLUMN OWNED COLLECTION")


def destroys(text: str) -> str:
    """The words that drop or empty something ("DROP TABLE"), or ""."""
    for words in statements(text[:65536]):
        first = words[0]
        if first == "EXPLAIN":
            continue
        if first == "DROP":
            second = words[1] if len(words) > 1 else ""
            if second in OBJECTS and second not in ("VIEW", "COLUMN"):
                return f"DROP {second}"
        elif first == "TRUNCATE" and len(words) > 1:
            return "TRUNCATE"
        elif first == "DELETE" and "FROM" in words[1:3] and "WHERE" not in words and "LIMIT" not in words:
            return "DELETE without WHERE"
        elif first == "ALTER" and "DROP" in words and "COLUMN" in words:
            return "DROP COLUMN"
        elif first == "WITH" and "DELETE" in words and "WHERE" not in words:
            return "DELETE without WHERE"
    return ""


def statements(text: str) -> list[list[str]]:
    """The words of each statement, upper case, without strings and comments."""
    out: list[list[str]] = []
    words: list[str] = []
    i, size, count = 0, len(text), 0
    while i < size and count < MAX_WORDS:
        c = text[i]
        if c.isalpha() or c == "_":
            j = i + 1
            while j < size and (text[j].isalnum() or text[j] in "_.$"):
                j += 1
            words.append(text[i:j].upper())
            count += 1
            i = j
        elif c in "'\"`":
            end = text.find(c, i + 1)
            i = size if end < 0 else end + 1
        elif text.startswith("--", i) or c == "#":
            end = text.find("\n", i)
            i = size if end < 0 else end + 1
        elif text.startswith("/*", i):
            end = text.find("*/", i + 2)
            i = size if end < 0 else end + 2
        else:
            if c == ";":
                if words:
                    out.append(words)
                words = []
            i += 1
    if words:
        out.append(words)
    return out
