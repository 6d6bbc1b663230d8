"""Reads another program's SQLite file without changing a byte of it, also while that program writes to it."""

from __future__ import annotations

import os

from pal.base import files
from pal.base.errors import PalError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Row = dict[str, Any]


class Database:
    """An open file; use it in a `with`. PalError for what is no SQLite file or was made without SQLite here."""

    __slots__ = ("_connection", "_copy", "path")

    def __init__(self, path: str) -> None:
        try:
            import sqlite3
        except ImportError:
            raise PalError("this Python was built without SQLite; run PAL with another one to import from it") from None
        if not os.path.isfile(path):
            raise PalError(f"there is no file {path}")
        self.path = path
        self._copy = ""
        try:
            self._connection = sqlite3.connect(self._address(path), uri=True, timeout=10.0)
            self._connection.row_factory = sqlite3.Row
            self._connection.execute("select count(*) from sqlite_master").fetchone()
        except sqlite3.Error as fault:
            self.close()
            raise PalError(f"{path} cannot be read as an SQLite file: {fault}") from None

    def _address(self, path: str) -> str:
        """How to open it so that nothing is written beside it. A write-ahead log is read through the shared memory of
        the program that has it open; without that program, from a copy; without a log, from the file alone."""
        from urllib.parse import quote

        if not os.path.exists(path + "-wal") or not os.path.getsize(path + "-wal"):
            how = "mode=ro&immutable=1"
        else:
            how = "mode=ro"
            if not os.path.exists(path + "-shm"):
                path = self._copied(path)
        return "file:" + quote(os.path.abspath(path).replace("\\", "/")) + "?" + how

    def _copied(self, path: str) -> str:
        import tempfile

        self._copy = tempfile.mkdtemp(prefix="pal-import-")
        copy = os.path.join(self._copy, "copy")
        for ending in ("", "-wal"):
            files.write(copy + ending, files.read_bytes(path + ending) or b"")
        return copy

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if hasattr(self, "_connection"):
            self._connection.close()
        if self._copy:
            import shutil

            shutil.rmtree(self._copy, ignore_errors=True)

    def tables(self) -> set[str]:
        return {row["name"] for row in self._connection.execute("select name from sqlite_master where type = 'table'")}

    def rows(self, table: str) -> Iterator[Row]:
        """Every row of a table in the order it was written; none when there is no such table."""
        if table in self.tables():
            for row in self._connection.execute(f'select * from "{table}" order by rowid'):  # a name of ours
                yield dict(row)
