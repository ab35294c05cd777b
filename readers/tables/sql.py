"""Reader of SQL databases with one document per row of a query or table, which keeps one batch of rows in memory."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from typing import Any

from ...pipeline.contract.component import component
from ...pipeline.errors import CaspipeError, ReaderError, nearest
from ...pipeline.storage.database import engine, error_text, file_of, parsed, shown, sqlalchemy
from ...pipeline.storage.digest_set import Digests
from ...typesystem import Cas, KnownPhi
from .records import SpanFields, column_of, columns_of
from .values import plain

_NAME = "the reader sql"
_READS = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/|\()*(?:select|with|values|table)\b", re.IGNORECASE | re.DOTALL)
_BIND = re.compile(r"(?<![:\w\\]):(?=\w+(?!:))")
_BROKEN = re.compile("[\udc80-\udcff]")


@component("sql", outputs=[KnownPhi])
class SqlReader(SpanFields):
    """Reads an SQL database through SQLAlchemy: one document per row of `query` or `table`. It streams rows and never
    writes. Requires the extra `sql` and, except for SQLite, the database's driver.

    `text_field`, `id_field`, `metadata` and `known_phi` name columns of the result. Error messages contain the database's error
    code, but not its message, a password or data.
    """

    url: str
    """SQLAlchemy URL of the database: `postgresql://user:password@host/database`, `sqlite:///notes.db` (relative to the current
    folder). Take it from the environment: `${NOTES_DB}`."""
    query: str = ""
    """Query to read: SELECT ..., WITH ...; ORDER BY makes the order of documents reproducible."""
    table: str = ""
    """Table or view to read instead of a query, ordered by `id_field`; `schema.table` if it is not in the default schema."""
    batch: int = 64
    """Number of rows in memory at a time."""

    def __post_init__(self) -> None:
        self.check_fields()
        if bool(self.query) == bool(self.table):
            raise ValueError("query: expected a query or a table, got " + ("both" if self.query else "neither"))
        if self.query and not _READS.match(self.query):
            raise ValueError("query: expected SELECT or WITH at its beginning")
        if self.batch < 1:
            raise ValueError(f"batch: expected 1 or more, got {self.batch}")
        self._rows: _Rows | None = None

    def open(self) -> None:
        """Connect and start the query. Raises ReaderError if the database refuses, or if a column is missing."""
        super().open()
        self._rows = self._start()

    def close(self) -> None:
        rows, self._rows = self._rows, None
        if rows is not None:
            rows.close()
        super().close()

    def __iter__(self) -> Iterator[Cas]:
        started, self._rows = self._rows, None
        rows = started or self._start()
        seen = Digests()
        try:
            for n, record in enumerate(rows, 1):
                number, place = f"{self.table or 'row'}/{n}", f"{rows.place}, row {n}"
                if any(isinstance(v, str) and not v.isascii() and _BROKEN.search(v) for v in record.values()):
                    self.fail(number, f"{place}: expected UTF-8, found bytes that are not")
                else:
                    yield from self.documents(self._with_spans(record), number, place, seen)
        finally:
            rows.close()
        if rows.fault:
            raise ReaderError(f"reader {self.id}: {rows.place}, after row {rows.count}: {rows.fault}")

    def _start(self) -> _Rows:
        try:
            return _Rows(self)
        except (CaspipeError, ValueError) as error:
            fault = str(error)
        raise ReaderError(f"reader {self.id}: {fault}")

    def _with_spans(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return the record with its spans parsed, if the column contains JSON text."""
        if self.spans_field and isinstance(value := record.get(self.spans_field), str):
            try:
                record[self.spans_field] = json.loads(value)
            except (ValueError, RecursionError):
                return record  # `add_gold` reports that text is not a list of spans
        return record


class _Rows:
    """A running query: yields its rows as records of the required columns. `fault`: why it ended early."""

    def __init__(self, reader: SqlReader) -> None:
        sa = sqlalchemy(_NAME)
        url = parsed(reader.url, _NAME)
        self.place = shown(url)
        self.count = 0
        self.fault = ""
        self._engine = self._connection = self._result = None
        path = file_of(url)
        if path is not None and not path.is_file():
            names = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
            raise ReaderError(f"{self.place}: expected a database file, found none{nearest(path.name, names)}")
        fault = ""
        try:
            self._engine = engine(url, _NAME, read_only=True)
            self._connection = self._engine.connect()
            options: dict[str, Any] = {"stream_results": True, "yield_per": reader.batch}
            if url.get_backend_name() == "postgresql":
                self._connection = self._connection.execution_options(postgresql_readonly=True)
            self._result = self._connection.execute(self._statement(sa, reader), execution_options=options)
            names = list(self._result.keys())
            self._columns = [(c, names.index(c)) for c in columns_of(reader.wanted(), names)]
        except (CaspipeError, ValueError) as error:
            fault = str(error)
        except Exception as error:  # the driver's message may contain the password or data
            fault = error_text(error)
        if fault:
            self.close()
            raise ReaderError(f"{self.place}: {fault}")

    def __iter__(self) -> Iterator[dict[str, Any]]:
        rows: Iterator[Any] = iter(self._result or ())
        while True:
            try:
                row = next(rows, None)
            except Exception as error:  # the driver's message may contain data
                self.fault = error_text(error)
                return
            if row is None:
                return
            self.count += 1
            yield {name: plain(row[index]) for name, index in self._columns}

    def close(self) -> None:
        """Close the connection without a commit."""
        closers = [c.close for c in (self._result, self._connection) if c is not None]
        for closer in [*closers, *([self._engine.dispose] if self._engine is not None else [])]:
            with contextlib.suppress(Exception):  # a broken connection cannot be closed either
                closer()
        self._engine = self._connection = self._result = None

    def _statement(self, sa: Any, reader: SqlReader) -> Any:
        if reader.query:
            return sa.text(_BIND.sub(r"\\:", reader.query))
        schema, _, name = reader.table.rpartition(".")
        inspector = sa.inspect(self._connection)
        if not schema or inspector.has_table(reader.table):
            schema, name = "", reader.table
        if not inspector.has_table(name, schema or None):
            available = [*inspector.get_table_names(schema or None), *inspector.get_view_names(schema or None)]
            raise ReaderError(f"expected a table {reader.table}, found none{nearest(name, available)}")
        columns = columns_of(reader.wanted(), [c["name"] for c in inspector.get_columns(name, schema or None)])
        selected = sa.select(*[sa.column(c) for c in columns]).select_from(sa.table(name, schema=schema or None))
        by = column_of(reader.id_field, columns) if reader.id_field else None
        return selected.order_by(sa.column(by)) if by else selected
