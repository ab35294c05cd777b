"""A table of an SQL database in one transaction, and tables of other runs to be read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...pipeline.errors import CaspipeError, ConsumerError, nearest
from ...pipeline.storage.database import engine, file_of, parsed, said, shown, sqlalchemy
from ...pipeline.storage.files import make_folder, restricted_folder

if TYPE_CHECKING:
    from .sql import SqlConsumer

NAME = "the consumer sql"
_WAITING = 200
_MOST = 8 << 20


class Table:
    """A table in one transaction. After the first error of the database nothing more is written, and nothing stays."""

    def __init__(self, consumer: SqlConsumer) -> None:
        self._sa = sa = sqlalchemy(NAME)
        self.consumer = consumer
        url = parsed(consumer.url, NAME)
        self.file = self._file = self._path(url, consumer)
        if self._file is not None:
            url = url.set(database=str(self._file))
        self.place = f"{shown(url)}, table {consumer.table}"
        self._waiting: list[tuple[str, list[dict[str, Any]]]] = []
        self._size = 0
        self._fault = ""
        self._engine = self._connection = None
        self._made = self._file is not None and not self._file.exists()
        if self._file is not None:
            self._make_file(self._file)
        fault = ""
        try:
            self._engine = engine(url, NAME, read_only=False)
            self._connection = self._engine.connect()
            self._connection.begin()
            self._table, self._filled = self._ready(sa)
        except CaspipeError as error:
            fault = str(error)
        except Exception as error:  # the driver's message may hold the password, or data
            fault = f"{self.place}: {said(error)}"
        if fault:
            self.roll_back()
            raise ConsumerError(fault)

    def check(self) -> None:
        """Raises ConsumerError where the database failed before."""
        if self._fault:
            raise ConsumerError(f"{self.place}: {self._fault}; nothing of this run is written")

    def has(self, name: str) -> bool:
        """Whether the table held rows of that document when the run began."""
        if not self._filled:
            return False
        column = self._table.c[self.consumer.id_column]
        return self._do(lambda c: c.execute(self._sa.select(column).where(column == name).limit(1)).first()) is not None

    def rows(self, name: str) -> list[list[Any]] | None:
        """The rows of that document that the table held when the run began; None where they are nothing of ours."""
        return self._do(lambda c: self.read(c, name)) if self._filled else []

    def read(self, connection: Any, name: str) -> list[list[Any]] | None:
        """The rows of a document in a table like this one."""
        columns = [self._table.c[c.name] for c in self.consumer.columns()]
        asked = self._sa.select(*columns).where(self._table.c[self.consumer.id_column] == name)
        try:
            return [list(row) for row in connection.execute(asked)]
        except ValueError:  # a nested field that is no JSON
            return None

    def remove(self, name: str) -> None:
        """Removes the rows of a document."""
        column = self._table.c[self.consumer.id_column]
        self._do(lambda c: c.execute(self._table.delete().where(column == name)))

    def put(self, name: str, rows: list[dict[str, Any]]) -> int:
        """Takes the rows of a document; returns what `take_back` needs to give them up again."""
        if len(self._waiting) >= _WAITING or self._size > _MOST:
            self._flush()  # before, not behind: the last document can still be taken back
        self._waiting.append((name, rows))
        self._size += sum(len(v) if isinstance(v, str) else 64 for row in rows for v in row.values())
        return len(self._waiting) - 1

    def take_back(self, at: int) -> None:
        """Forgets the document that was put last."""
        del self._waiting[at:]

    def commit(self) -> None:
        """Writes what waits, and all for good."""
        try:
            self.check()
            self._flush()
            if self.file is not None and self.file.with_name(f"{self.file.name}-journal").exists():
                self._do(_touch)
            self._do(lambda c: c.commit())
        except BaseException:
            self.roll_back()
            raise
        self._end()

    def roll_back(self) -> None:
        """Leaves everything as it was; a file that was made is removed."""
        try:
            if self._connection is not None:
                self._connection.rollback()
        except Exception:  # a connection that broke: the server has rolled back by itself
            pass
        self._end()
        if self._made and self._file is not None:
            self._file.unlink(missing_ok=True)

    def _flush(self) -> None:
        waiting, self._waiting, self._size = self._waiting, [], 0
        if waiting and self._filled and self.consumer.existing == "replace":
            column, names = self._table.c[self.consumer.id_column], [name for name, _ in waiting]
            self._do(lambda c: c.execute(self._table.delete().where(column.in_(names))))
        rows = [row for _, of_document in waiting for row in of_document]
        if rows:
            self._do(lambda c: c.execute(self._table.insert(), rows))

    def _do(self, work: Any) -> Any:
        try:
            return work(self._connection)
        except Exception as error:  # the driver's message may hold data
            self._fault = said(error)
        return self.check()

    def _ready(self, sa: Any) -> tuple[Any, bool]:
        """The table, made where it is absent, and whether it holds rows."""
        schema, _, name = self.consumer.table.rpartition(".")
        types = {"text": sa.Text, "number": sa.BigInteger, "real": sa.Double}
        wanted = self.consumer.columns()
        table = sa.Table(
            name,
            sa.MetaData(),
            *[sa.Column(c.name, types.get(c.shape, sa.JSON), nullable=False) for c in wanted],
            schema=schema or None,
        )
        connection = self._connection
        assert connection is not None
        inspector = sa.inspect(connection)
        if not inspector.has_table(name, schema or None):
            if self.consumer.id_column:
                sa.Index(f"ix_{name}_{self.consumer.id_column}", table.c[self.consumer.id_column])
            table.create(connection)
            return table, False
        there = [c["name"] for c in inspector.get_columns(name, schema or None)]
        missing = [c.name for c in wanted if c.name not in there]
        if missing:
            raise ConsumerError(f"{self.place}: expected a column {missing[0]}, found none{nearest(missing[0], there)}")
        return table, connection.execute(sa.select(1).select_from(table).limit(1)).first() is not None

    def _end(self) -> None:
        connection, made = self._connection, self._engine
        self._connection = self._engine = None
        try:
            if connection is not None:
                connection.close()
            if made is not None:
                made.dispose()
        except Exception:  # a connection that broke cannot be closed either
            return

    def _path(self, url: Any, consumer: SqlConsumer) -> Path | None:
        path = file_of(url)
        return None if path is None else consumer.output / path

    def _make_file(self, path: Path) -> None:
        """The folder, and, where it will hold original text, an empty file that is its owner's only."""
        if not self.consumer.holds_original_text():
            make_folder(path.parent)
            return
        restricted_folder(path.parent, self.consumer.output)
        if self._made:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


class Elsewhere:
    """The table of a shard, in an SQLite file of its own."""

    def __init__(self, path: Path, table: Table) -> None:
        self.path = path
        self._table = table
        self._engine = self._connection = None
        try:
            url = sqlalchemy(NAME).URL.create("sqlite", database=str(path))
            self._engine = engine(url, NAME, read_only=True)
            self._connection = self._engine.connect()
        except Exception:  # gone, or no database: nothing can be taken over
            self.close()

    def rows(self, name: str) -> list[list[Any]] | None:
        """The rows of a document; None where they cannot be read."""
        try:
            return self._table.read(self._connection, name) if self._connection is not None else None
        except Exception:  # as above
            return None

    def close(self) -> None:
        """Lets go of the file."""
        connection, made = self._connection, self._engine
        self._connection = self._engine = None
        if connection is not None:
            connection.close()
        if made is not None:
            made.dispose()


def _touch(connection: Any) -> None:
    """Writes what is there already: what a killed run left of its journal goes with the next transaction that writes."""
    version = connection.exec_driver_sql("PRAGMA user_version").scalar()
    connection.exec_driver_sql(f"PRAGMA user_version = {int(version)}")
