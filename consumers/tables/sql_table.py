"""A table of an SQL database, written in one transaction, and the tables of other runs."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from ...pipeline.errors import CaspipeError, ConsumerError, nearest
from ...pipeline.storage.database import engine, error_text, file_of, parsed, shown, sqlalchemy
from ...pipeline.storage.files import make_folder, restricted_folder
from .record_fields import Column

CONSUMER = "the consumer sql"
_MAX_PENDING = 200
_HIDDEN_ID = {"sqlite": "rowid", "postgresql": "ctid"}
"""Columns that identify a row in a transaction."""
_MAX_PENDING_SIZE = 8 << 20
Row = list[Any]


class SqlTable:
    """A table in one transaction. After the first error of the database nothing more is written, and everything is rolled
    back.

    `id_column`: the column with the document's id, or empty; `output`: the folder to which the path of an SQLite file is
    relative; `restricted`: whether a new file and its folder are readable by their owner only. Raises ConsumerError.
    """

    def __init__(
        self,
        url: str,
        name: str,
        columns: list[Column],
        id_column: str,
        *,
        output: Path,
        replace: bool,
        restricted: bool,
    ) -> None:
        self._sa = sqlalchemy(CONSUMER)
        self.columns, self.id_column, self._replace = columns, id_column, replace
        parsed_url = parsed(url, CONSUMER)
        path = file_of(parsed_url)
        self.file = None if path is None else output / path
        self._creates_file = self.file is not None and not self.file.exists()
        if self.file is not None:
            parsed_url = parsed_url.set(database=str(self.file))
            self._create_file(self.file, output, restricted)
        self.place = f"{shown(parsed_url)}, table {name}"
        self._pending: list[tuple[str, list[Row]]] = []
        self._pending_size = 0
        self._error = ""
        self._engine = self._connection = None
        message = ""
        try:
            self._engine = engine(parsed_url, CONSUMER, read_only=False)
            self._connection = self._engine.connect()
            self._connection.begin()
            if self.file is not None:
                self._connection.exec_driver_sql(
                    "PRAGMA secure_delete = ON"
                )  # the file keeps no text of rows that are gone
            self._table, self._had_rows = self._create_table(self._connection, name)
        except CaspipeError as error:
            message = str(error)
        except Exception as error:  # the driver's message may contain the password, or data
            message = f"{self.place}: {error_text(error)}"
        if message:
            self.roll_back()
            raise ConsumerError(message)

    def check(self) -> None:
        """Raise ConsumerError if the database failed before."""
        if self._error:
            raise ConsumerError(f"{self.place}: {self._error}; nothing of this run is written")

    def has(self, document: str) -> bool:
        """Return whether the table had rows of a document when the run began."""
        if not self._had_rows:
            return False
        query = self._sa.select(self._id).where(self._id == document).limit(1)
        return self._do(lambda c: c.execute(query).first()) is not None

    def rows(self, document: str) -> list[Row] | None:
        """Return the rows of a document that the table had when the run began; None if they were not written by caspipe."""
        return self._do(lambda c: self.read(c, document)) if self._had_rows else []

    def read(self, connection: Any, document: str) -> list[Row] | None:
        """Return the rows of a document in a table of the same form."""
        query = self._sa.select(*[self._table.c[c.name] for c in self.columns]).where(self._id == document)
        try:
            return [list(row) for row in connection.execute(query)]
        except ValueError:  # a nested field that is not JSON
            return None

    def rows_of_shard(self, path: Path, document: str) -> list[Row] | None:
        """Return the rows of a document in the same table of a shard, in an SQLite file of its own; None if they cannot be
        read."""
        with contextlib.suppress(Exception), _engine_of_shard(path).connect() as connection:
            return self.read(connection, document)
        return None

    def remove(self, document: str) -> None:
        """Delete the rows of a document."""
        self._do(lambda c: c.execute(self._table.delete().where(self._id == document)))

    def remove_rows(self, wanted: Counter[str], digest: Callable[[Row], str | None]) -> None:
        """Delete rows by their digests, as many as `wanted` says, in one pass. Rows without an id have no other name."""
        if not wanted.total():
            return
        self._flush()
        assert self._engine is not None
        hidden = _HIDDEN_ID.get(self._engine.dialect.name)
        if hidden is None:
            self._error = (
                f"rows of documents that were withdrawn cannot be removed from a table of {self._engine.dialect.name}"
            )
            self.check()
        left, doomed = Counter(wanted), list[Any]()
        place = self._sa.literal_column(f"CAST({hidden} AS TEXT)")
        for key, *row in self._do(
            lambda c: c.execute(self._sa.select(place, *[self._table.c[c.name] for c in self.columns]))
        ):
            found = digest(row)
            if found is not None and left[found] > 0:
                left[found] -= 1
                doomed.append(key)
        for start in range(0, len(doomed), _MAX_PENDING):
            some = place.in_(doomed[start : start + _MAX_PENDING])
            self._do(partial(_delete, self._table, some))

    def put(self, document: str, rows: list[Row]) -> int:
        """Add the rows of a document. Returns what `remove_pending` needs to remove them."""
        if len(self._pending) >= _MAX_PENDING or self._pending_size > _MAX_PENDING_SIZE:
            self._flush()  # first, so that the last document can still be removed
        self._pending.append((document, rows))
        self._pending_size += sum(len(v) if isinstance(v, str) else 64 for row in rows for v in row)
        return len(self._pending) - 1

    def remove_pending(self, position: int) -> None:
        """Remove the document that was added last."""
        del self._pending[position:]

    def commit(self) -> None:
        """Write what is pending, and commit the transaction."""
        try:
            self.check()
            self._flush()
            if self.file is not None and self.file.with_name(f"{self.file.name}-journal").exists():
                self._do(_touch)
            self._do(lambda c: c.commit())
        except BaseException:
            self.roll_back()
            raise
        self._disconnect()

    def roll_back(self) -> None:
        """Restore the table; delete the file if this run created it."""
        with contextlib.suppress(Exception):  # if the connection broke, the server has rolled back
            if self._connection is not None:
                self._connection.rollback()
        self._disconnect()
        if self._creates_file and self.file is not None:
            self.file.unlink(missing_ok=True)

    @property
    def _id(self) -> Any:
        return self._table.c[self.id_column]

    def _flush(self) -> None:
        pending, self._pending, self._pending_size = self._pending, [], 0
        if pending and self._had_rows and self._replace:
            self._do(lambda c: c.execute(self._table.delete().where(self._id.in_([d for d, _ in pending]))))
        names = [c.name for c in self.columns]
        rows = [dict(zip(names, row, strict=True)) for _, of_document in pending for row in of_document]
        if rows:
            self._do(lambda c: c.execute(self._table.insert(), rows))

    def _do(self, work: Callable[[Any], Any]) -> Any:
        try:
            return work(self._connection)
        except Exception as error:  # the driver's message may contain data
            self._error = error_text(error)
        return self.check()

    def _create_table(self, connection: Any, full_name: str) -> tuple[Any, bool]:
        """Return the table, created if it does not exist, and whether it has rows."""
        sa = self._sa
        schema, _, name = full_name.rpartition(".")
        types = {"text": sa.Text, "number": sa.BigInteger, "real": sa.Double}
        columns = [sa.Column(c.name, types.get(c.shape, sa.JSON), nullable=False) for c in self.columns]
        table = sa.Table(name, sa.MetaData(), *columns, schema=schema or None)
        inspector = sa.inspect(connection)
        if not inspector.has_table(name, schema or None):
            if self.id_column:
                sa.Index(f"ix_{name}_{self.id_column}", table.c[self.id_column])
            table.create(connection)
            return table, False
        existing = [c["name"] for c in inspector.get_columns(name, schema or None)]
        missing = [c.name for c in self.columns if c.name not in existing]
        if missing:
            hint = nearest(missing[0], existing)
            raise ConsumerError(f"{self.place}: expected a column {missing[0]}, found none{hint}")
        return table, connection.execute(sa.select(1).select_from(table).limit(1)).first() is not None

    def _disconnect(self) -> None:
        with contextlib.suppress(Exception):  # a connection that broke cannot be closed either
            if self._connection is not None:
                self._connection.close()
            if self._engine is not None:
                self._engine.dispose()
        self._connection = self._engine = None

    def _create_file(self, path: Path, output: Path, restricted: bool) -> None:
        """Create the folder and, if it will hold original text, an empty file that only its owner can read."""
        if not restricted:
            make_folder(path.parent)
            return
        restricted_folder(path.parent, output)
        if self._creates_file:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


@lru_cache(maxsize=64)
def _engine_of_shard(path: Path) -> Any:
    return engine(sqlalchemy(CONSUMER).URL.create("sqlite", database=str(path)), CONSUMER, read_only=True)


def _delete(table: Any, condition: Any, connection: Any) -> None:
    connection.execute(table.delete().where(condition))


def _touch(connection: Any) -> None:
    """Write something that does not change the database, so that the journal of a killed run is deleted."""
    version = connection.exec_driver_sql("PRAGMA user_version").scalar()
    connection.exec_driver_sql(f"PRAGMA user_version = {int(version)}")
