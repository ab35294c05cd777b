"""Consumer that writes a table of an SQL database: all documents of a run in one transaction, or none."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

from ..pipeline.component import component
from ..pipeline.database import engine, file_of, parsed, said, shown, sqlalchemy
from ..pipeline.errors import CaspipeError, ConsumerError, nearest
from ..pipeline.files import make_folder, restricted_folder
from ..typesystem import Cas
from .tables import TableOptions

_NAME = "the consumer sql"
_WAITING = 200
_MOST = 8 << 20
NUL_REPLACED = "nul_replaced"
"""Metadata: how many NUL characters became U+FFFD, because the database cannot hold them."""


@component("sql")
class SqlConsumer(TableOptions):
    """Writes a table of an SQL database through SQLAlchemy: a row for each document or for each masked span. Needs the extra
    `sql`, and for anything but SQLite the database's driver.

    The table is made where it is absent, with an index on the document's id; nested fields are JSON. Everything is one
    transaction, committed when the run ends: where the connection breaks, or the run does, the table is as it was before.
    """

    apart = True

    url: str
    """Where the database is, as SQLAlchemy writes it: `postgresql://user:password@host/database`, `sqlite:///release/notes.db`
    (under the run's output folder). Take it from the environment: `${NOTES_DB}`."""
    table: str = "documents"
    """Table to write; `schema.table` where it is not in the default one."""
    existing: Literal["error", "replace", "append"] = "error"
    """A document whose id is in the table already: `error` (it has failed), `replace` its rows, or `append` to them."""

    def __post_init__(self) -> None:
        self.check_record()
        if not self.table.rpartition(".")[2]:
            raise ValueError("table: expected a name")
        if not self.id_column and self.existing != "append":
            raise ValueError("existing: expected append, where no id is written")
        self._database: _Table | None = None
        self._seen: set[str] = set()
        self._last: tuple[str, str, int] | None = None

    def open(self) -> None:
        """Connects, and makes the table where it is absent. Raises ConsumerError where the database refuses, or the table
        that is there has other columns."""
        super().open()
        self._seen, self._last = set(), None
        try:
            self._database = _Table(self)
        except (CaspipeError, ValueError) as error:
            fault = str(error)
        else:
            return
        raise ConsumerError(f"consumer {self.id}: {fault}")

    def process(self, cas: Cas) -> None:
        if self._database is None:
            self.open()
        assert self._database is not None
        database = self._database
        database.check()
        name = self.document_name(cas)
        rows = self.rows_of(cas)
        if not database.holds_nul and (count := sum(map(_nuls, rows))):
            cas.metadata[NUL_REPLACED] = str(count)
            rows = [_without_nul(row) for row in self.rows_of(cas)]
            name = name.replace("\0", "\ufffd")
        self._last = None
        if self.existing != "append" and (name in self._seen or (self.existing == "error" and database.has(name))):
            hint = "" if name in self._seen else "; `existing` can say replace or append"
            raise ConsumerError(f"{database.place}: the document's id is in the table already{hint}")
        at = database.put(name, rows)
        self._seen.add(name)
        self._last = cas.id, name, at

    def retract(self, cas: Cas) -> None:
        if self._last is not None and self._last[0] == cas.id and self._database is not None:
            self._database.take_back(self._last[2])
            self._seen.discard(self._last[1])
            self._last = None

    def abandon(self) -> None:
        """Leaves the table as it was."""
        database, self._database = self._database, None
        if database is not None:
            database.roll_back()

    def close(self) -> None:
        """Commits. Raises ConsumerError where that fails: then nothing of this run is in the table."""
        database, self._database = self._database, None
        if database is not None:
            database.commit()
        super().close()


class _Table:
    """A table in one transaction. After the first error of the database nothing more is written, and nothing stays."""

    def __init__(self, consumer: SqlConsumer) -> None:
        self._sa = sa = sqlalchemy(_NAME)
        self.consumer = consumer
        url = parsed(consumer.url, _NAME)
        self._file = self._path(url, consumer)
        if self._file is not None:
            url = url.set(database=str(self._file))
        self.place = f"{shown(url)}, table {consumer.table}"
        self.holds_nul = url.get_backend_name() != "postgresql"
        self._waiting: list[tuple[str, list[dict[str, Any]]]] = []
        self._size = 0
        self._fault = ""
        self._engine = self._connection = None
        self._made = self._file is not None and not self._file.exists()
        if self._file is not None:
            self._make_file(self._file)
        fault = ""
        try:
            self._engine = engine(url, _NAME, read_only=False)
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
        names = [column.name for column in self.consumer.columns()]
        rows = [{n: row.get(n) for n in names} for _, of_document in waiting for row in of_document]
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


def _nuls(value: Any) -> int:
    """NUL characters in all strings of a value."""
    if isinstance(value, str):
        return value.count("\0")
    values = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum(map(_nuls, values))


def _without_nul(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("\0", "\ufffd")
    if isinstance(value, dict):
        return {_without_nul(k): _without_nul(v) for k, v in value.items()}
    return [_without_nul(v) for v in value] if isinstance(value, list) else value
