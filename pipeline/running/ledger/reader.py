"""Reading the ledger of an output folder: its latest run and the documents of that run."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from ...errors import ConsumerError, ResourceError
from .damage import damaged, database_errors
from .lock import locked, unlock
from .schema import Row, RunRow, row_of, verified

_DIGITS = 19
"""Numbers with fewer digits fit a column of a database."""


class LedgerReader:
    """An open ledger: an SQLite file with a row for each run and each document. It does not contain any text of documents."""

    def __init__(self, path: Path, database: sqlite3.Connection) -> None:
        self.path = path
        self.database = database

    @classmethod
    def place(cls, output: Path, given: Path | None = None, shard: str = "") -> Path:
        """Return the path of the ledger of an output folder. The ledger of a shard is beside the file `given` for all."""
        if given is None:
            return output / "restricted" / "ledger.sqlite"
        return given.with_stem(f"{given.stem}-{shard.replace('/', '-of-')}") if shard else given

    @classmethod
    def read(cls, path: Path) -> LedgerReader:
        """Open the ledger of an output folder, or a ledger file. Raises ResourceError if there is none, LedgerError."""
        path = cls.place(path) if path.is_dir() else path
        if not path.is_file():
            raise ResourceError(f"{path}: no ledger: is this the output folder of a run?")
        return LedgerReader(path, verified(path))

    @property
    def salt(self) -> bytes:
        """The key for hashes of contents: 32 random bytes."""
        return bytes(self.query("SELECT salt FROM secrets")[0][0])

    def run(self) -> RunRow:
        """Return the latest run. Raises ResourceError if there is none."""
        rows = self.query("SELECT * FROM runs ORDER BY run DESC LIMIT 1")
        if not rows:
            raise ResourceError(f"{self.path}: no run has begun yet")
        return RunRow(*rows[0])

    def rows(self, status: str = "") -> Iterator[Row]:
        """Yield the documents of the latest run in reading order, all or those with one status."""
        latest = "SELECT * FROM documents WHERE run = (SELECT max(run) FROM runs)"
        query = f"{latest}{' AND status = ?' if status else ''} ORDER BY number"
        return self.read_rows(query, *([status] if status else []))

    def page(self, after: int, size: int) -> list[Row]:
        """Return the next documents of the latest run after a number, at most `size`."""
        sql = "SELECT * FROM documents WHERE run = (SELECT max(run) FROM runs) AND number > ? ORDER BY number LIMIT ?"
        return list(self.read_rows(sql, after, size))

    def document(self, name: str) -> Row | None:
        """Return the document of the latest run with an id, or else with a number; None if there is none."""
        latest = "SELECT * FROM documents WHERE run = (SELECT max(run) FROM runs)"
        rows = self.read_rows(f"{latest} AND id = ? ORDER BY number LIMIT 1", name.encode("utf-8", "surrogatepass"))
        found = next(rows, None)
        if found is None and name.isascii() and name.isdecimal() and len(name) < _DIGITS:
            found = next(self.read_rows(f"{latest} AND number = ?", int(name)), None)
        return found

    def around(self, row: Row, distance: int) -> Iterator[Row]:
        """Yield the documents of the same run within a distance in reading order."""
        sql = "SELECT * FROM documents WHERE run = ? AND number BETWEEN ? AND ? ORDER BY number"
        return self.read_rows(sql, row.run, row.number - distance, row.number + distance)

    def counts(self) -> dict[tuple[str, str], int]:
        """Return the number of documents of the latest run so far by (status, reason)."""
        latest = "SELECT status, reason, count(*) FROM documents WHERE run = (SELECT max(run) FROM runs)"
        return {
            (str(status), str(reason)): int(n)
            for status, reason, n in self.query(f"{latest} GROUP BY 1, 2 ORDER BY 1, 2")
        }

    def in_use(self) -> bool:
        """Return whether a run is writing to the ledger."""
        try:
            lock = locked(self.path)
        except ConsumerError:
            return True
        unlock(lock)
        return False

    def query(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        with database_errors(self.path):
            return self.database.execute(sql, values).fetchall()

    def read_rows(self, sql: str, *values: Any) -> Iterator[Row]:
        """Yield the rows of a query as documents. Raises LedgerError if one is damaged."""
        for values_ in self.iterate(sql, *values):
            try:
                yield row_of(values_)
            except (ValueError, TypeError, AttributeError):
                raise damaged(self.path, "a damaged one (a document)") from None

    def iterate(self, sql: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query that may have many."""
        with database_errors(self.path):
            yield from self.database.execute(sql, values)

    def close(self) -> None:
        """Close the file."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
