"""Consumer that writes a table of an SQL database: all documents of a run in one transaction, or none."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections import Counter
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from ...pipeline.contract.component import Scope, TwoPhaseConsumer, component
from ...pipeline.contract.output import Locate, Output
from ...pipeline.errors import CaspipeError, ConsumerError
from ...pipeline.storage.database import file_of, parsed
from ...pipeline.storage.release_place import is_outside, place_in
from ...typesystem import Cas
from ..files.content import Content
from ..files.released import encodable
from .record_fields import TableOptions
from .sql_table import CONSUMER, Row, SqlTable

_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")
"""A NUL in a string of JSON, after the escaped backslashes before it."""
NUL_REPLACED = "nul_replaced"
"""Metadata: number of NUL characters that became U+FFFD, because the database cannot store them."""


@component("sql")
class SqlConsumer(TableOptions, TwoPhaseConsumer):
    """Writes a table of an SQL database through SQLAlchemy: a row for each document or for each masked span. Needs the extra
    `sql`, and for databases other than SQLite the database's driver.

    The table is created if it does not exist, with an index on the document's id; nested fields are JSON. Everything is one
    transaction, which is committed when the run ends: if the connection or the run fails, the table is as it was before.

    A resumed run keeps rows that are as an earlier run wrote them. It removes those of documents that it processes again, that
    fail now or (except with `append`) no longer exist. Every run removes the rows of documents that fail now. No run removes rows
    that were changed since.
    """

    scope = Scope.RUN

    url: str
    """Address of the database, as SQLAlchemy writes it: `postgresql://user:password@host/database`,
    `sqlite:///release/notes.db` (under the run's output folder). Take it from the environment: `${NOTES_DB}`."""
    table: str = "documents"
    """Table to write; `schema.table` if it is not in the default schema."""
    existing: Literal["error", "replace", "append"] = "error"
    """Treatment of a document whose id is in the table already: `error` (it fails), `replace` its rows, or `append` to them."""

    def __post_init__(self) -> None:
        self.check_record()
        if not self.table.rpartition(".")[2]:
            raise ValueError("table: expected a name")
        if not self.id_column and self.existing != "append":
            raise ValueError("existing: expected append, where no id is written")
        self._table: SqlTable | None = None
        self._place: str | None = None
        """The file of the database in the output folder."""
        self._written: set[str] = set()
        self._doomed: Counter[str] = Counter()
        """Digests of single rows to remove before the end."""
        self._last: tuple[str, str, int | None] | None = None
        """Document, its name in the table, and the position of its rows if they are pending."""

    def written_paths(self) -> list[tuple[str, Path]]:
        file = None
        with contextlib.suppress(CaspipeError):  # the address is checked when it is opened
            file = file_of(parsed(self.url, CONSUMER))
        return [*super().written_paths(), *([("url", file)] if file is not None else [])]

    def open(self) -> None:
        """Connect, and create the table if it does not exist. Raises ConsumerError if the database refuses, or if the table
        has other columns."""
        super().open()
        self._written, self._last, self._doomed = set(), None, Counter()
        try:
            path = file_of(parsed(self.url, CONSUMER))
            place = place_in(self.output, path) if path is not None else None
            self._place = None if place is None or is_outside(place) else place
            self._table = SqlTable(
                self.url,
                self.table,
                self.columns(),
                self.id_column,
                output=self.output,
                replace=self.existing == "replace",
                restricted=self.writes_original(),
            )
        except (CaspipeError, ValueError) as error:
            message = str(error)
        else:
            return
        raise ConsumerError(f"consumer {self.id}: {message}")

    @property
    def resumable(self) -> bool:
        return bool(self.id_column)  # without an id, the rows of a document cannot be found again

    @cached_property
    def stores_nul(self) -> bool:
        """True if the database can store NUL characters."""
        return parsed(self.url, CONSUMER).get_backend_name() != "postgresql"

    def prepare(self, cas: Cas) -> Content:
        name = encodable(cas.id, cas)
        data = self._data(cas)
        if not self.stores_nul and (count := len(_NUL.findall(data))):
            cas.metadata[NUL_REPLACED] = str(count)
            data = _NUL.sub(r"\1\\ufffd", self._data(cas))
        return Content(data.encode(), state=_digest(json.loads(data)), extra=name)

    def _data(self, cas: Cas) -> str:
        columns = [c.name for c in self.columns()]
        return json.dumps([[row.get(c) for c in columns] for row in self.rows_of(cas)])

    def resume_state(self, prepared: Content) -> Any:
        return prepared.state

    def commit(self, document_id: str, prepared: Content) -> list[Output]:
        return self._put(document_id, self._stored(prepared.extra), json.loads(prepared.data), prepared.state)

    def adopt_previous(
        self, document_id: str, outputs: list[Output], state: Any, locate: Locate
    ) -> list[Output] | None:
        """Keep the rows that are in the table, or copy them from the table of a shard."""
        name = self._name_of(document_id)
        try:
            table = self._opened()
            is_same = name not in self._written and self._contains(table.rows(name), state)
        except ConsumerError:  # the database failed; the error is raised when the document is processed again
            return None
        if is_same:
            self._written.add(name)
            self._last = document_id, name, None
            return self._outputs(state)
        path = locate(outputs[0]) if outputs else None
        if path is None or path == table.file:
            return None
        rows = table.rows_of_shard(path, name)
        return self._put(document_id, name, rows, state) if rows is not None and _digest(rows) == state else None

    def _contains(self, rows: list[Row] | None, state: Any) -> bool:
        """Return whether rows are those of an earlier run or, in a table that runs append to, contain its row."""
        each = self.existing == "append" and self.rows == "documents"
        return state in [_digest([row]) for row in rows or ()] if each else _digest(rows) == state

    def written(self, document_id: str, output: Output) -> bytes | None:
        try:
            rows = self._opened().rows(self._name_of(document_id))
        except ConsumerError:
            return None
        return None if rows is None else json.dumps(rows, ensure_ascii=False).encode("utf-8", "replace")

    def delete_previous(self, document_id: str, states: list[Any], *, removed: bool = False) -> None:
        if removed and self.existing == "append":
            return
        if self.existing == "append" and self.rows == "documents":  # other runs may use the id for other documents
            self._doomed.update(set(states))
            return
        name = self._name_of(document_id)
        if name in self._written:
            return
        with contextlib.suppress(ConsumerError):  # the database failed: nothing of this run is kept
            table = self._opened()
            if _digest(table.rows(name)) in states:
                table.remove(name)

    def _put(self, document: str, name: str, rows: list[Row], state: str) -> list[Output]:
        table = self._opened()
        self._last = None
        written = name in self._written
        if self.existing != "append" and (written or (self.existing == "error" and table.has(name))):
            hint = "" if written else "; `existing` can say replace or append"
            raise ConsumerError(f"{table.place}: the document's id is in the table already{hint}")
        position = table.put(name, rows)
        self._written.add(name)
        self._last = document, name, position
        return self._outputs(state)

    def _opened(self) -> SqlTable:
        if self._table is None:
            self.open()
        assert self._table is not None
        self._table.check()
        return self._table

    def _name_of(self, document: str) -> str:
        return self._stored(encodable(document, Cas()))

    def _stored(self, name: str) -> str:
        return name if self.stores_nul else name.replace("\0", "\ufffd")

    def _outputs(self, state: str) -> list[Output]:
        """Return the database file if it is in the output folder; nothing is recorded of other databases."""
        if self._place is None or not self.resumable:
            return []
        return [Output(self.id, self._place, 0, 0, state, False)]

    def rollback(self, document_id: str) -> None:
        if self._last is not None and self._last[0] == document_id and self._table is not None:
            _, name, position = self._last
            if position is not None:
                self._table.remove_pending(position)
            self._written.discard(name)
            self._last = None

    def abort(self) -> None:
        """Leave the table as it was."""
        table, self._table = self._table, None
        if table is not None:
            table.roll_back()

    def close(self) -> None:
        """Commit the transaction. Raises ConsumerError if that fails: then nothing of this run is in the table."""
        table, self._table = self._table, None
        if table is not None:
            table.remove_rows(self._doomed, lambda row: _digest([row]))
            table.commit()
        super().close()


def _digest(rows: list[Row] | None) -> str | None:
    """Return the SHA-256 of rows in any order, in hexadecimal: rows of a database have no order."""
    if rows is None:
        return None
    return hashlib.sha256("\n".join(sorted(json.dumps(row, sort_keys=True) for row in rows)).encode()).hexdigest()
