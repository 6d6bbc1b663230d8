"""The forms of memory that `pal memory import --from` knows: name, title, usual place, reader."""

from __future__ import annotations

import os

from pal.base import home as homes
from pal.memory.importing import pages, stores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    Reader = Callable[[str], Iterator[Any]]


class Form:
    """One row of the table; `usual` is the path below the user's folder, empty where there is none."""

    __slots__ = ("name", "reader", "title", "usual")

    def __init__(self, name: str, title: str, reader: Reader, usual: str = "") -> None:
        self.name = name
        self.title = title
        self.reader = reader
        self.usual = usual

    def place(self, env: Mapping[str, str]) -> str:
        """Where it stands when nobody says; empty where that is anybody's guess."""
        return os.path.join(homes.user_folder(env), *self.usual.split("/")) if self.usual else ""


FORMS = (
    Form("server-memory", "the log of the reference memory server (JSONL)", stores.entity_log),
    Form("basic-memory", "a folder of linked notes (Markdown)", pages.linked_notes, "basic-memory"),
    Form("claude-mem", "the database of claude-mem (SQLite)", stores.observations, ".claude-mem/claude-mem.db"),
    Form("icm", "the database of ICM (SQLite)", stores.topics, ".local/share/icm/memories.db"),
    Form("transcripts-markdown", "conversations, one turn a section (Markdown)", pages.conversations),
)
