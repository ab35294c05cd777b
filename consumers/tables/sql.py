"""Consumer that writes a table of an SQL database: all documents of a run in one transaction, or none."""

from __future__ import annotations

import contextlib
import hashlib
import json
from functools import cached_property
from typing import Any, Literal

from ...pipeline.contract.component import Locate, Output, Scope, TwoPhaseConsumer, component
from ...pipeline.errors import CaspipeError, ConsumerError
from ...pipeline.storage.database import file_of, parsed
from ...typesystem import Cas
from ..files.content import Content
from .sql_table import NAME, Elsewhere, Table
from .table_columns import TableOptions

NUL_REPLACED = "nul_replaced"
"""Metadata: how many NUL characters became U+FFFD, because the database cannot hold them."""


@component("sql")
class SqlConsumer(TableOptions, TwoPhaseConsumer):
    """Writes a table of an SQL database through SQLAlchemy: a row for each document or for each masked span. Needs the extra
    `sql`, and for anything but SQLite the database's driver.

    The table is made where it is absent, with an index on the document's id; nested fields are JSON. Everything is one
    transaction, committed when the run ends: where the connection breaks, or the run does, the table is as it was before.

    A resumed run leaves rows that are as an earlier run wrote them; it removes those of documents that are done anew, failed
    now or (but with `append`) are gone. Rows that are not as they were written are never removed so.
    """

    scope = Scope.RUN

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
        self._database: Table | None = None
        self._old: Elsewhere | None = None
        self._seen: set[str] = set()
        self._last: tuple[str, str, int | None] | None = None

    def open(self) -> None:
        """Connects, and makes the table where it is absent. Raises ConsumerError where the database refuses, or the table
        that is there has other columns."""
        super().open()
        self._seen, self._last = set(), None
        try:
            self._database = Table(self)
        except (CaspipeError, ValueError) as error:
            fault = str(error)
        else:
            return
        raise ConsumerError(f"consumer {self.id}: {fault}")

    @property
    def resumable(self) -> bool:
        return bool(self.id_column)  # without an id, the rows of a document cannot be found again

    @cached_property
    def holds_nul(self) -> bool:
        """Whether the database can hold NUL characters."""
        return parsed(self.url, NAME).get_backend_name() != "postgresql"

    def prepare(self, cas: Cas) -> Content:
        name = self.document_name(cas)
        rows = self.rows_of(cas)
        if not self.holds_nul and (count := sum(map(_nuls, rows))):
            cas.metadata[NUL_REPLACED] = str(count)
            rows = [_without_nul(row) for row in self.rows_of(cas)]
        columns = [c.name for c in self.columns()]
        table = [[row.get(c) for c in columns] for row in rows]
        return Content(json.dumps(table).encode(), state=_digest(table), more=name)

    def resume_state(self, prepared: Content) -> Any:
        return prepared.state

    def commit(self, document_id: str, prepared: Content) -> list[Output]:
        return self._put(document_id, self._named(prepared.more), json.loads(prepared.data), prepared.state)

    def adopt_previous(
        self, document_id: str, outputs: list[Output], state: Any, locate: Locate
    ) -> list[Output] | None:
        """Leaves the rows that are in the table, or takes them over from the table of a shard."""
        name = self._name_of(document_id)
        try:
            database = self._opened()
            there = _digest(database.rows(name))
        except ConsumerError:  # the database failed, which it remembers: it is told where the document is done again
            return None
        if name not in self._seen and there == state:
            self._seen.add(name)
            self._last = document_id, name, None
            return self._outputs(state)
        path = locate(outputs[0]) if outputs else None
        if path is None or path == database.file:
            return None
        if self._old is None or self._old.path != path:
            self._forget_old()
            self._old = Elsewhere(path, database)
        rows = self._old.rows(name)
        return self._put(document_id, name, rows, state) if rows is not None and _digest(rows) == state else None

    def delete_previous(self, document_id: str, states: list[Any], *, removed: bool = False) -> None:
        name = self._name_of(document_id)
        if name in self._seen or not self.resumable or (removed and self.existing == "append"):
            return
        with contextlib.suppress(ConsumerError):  # the database failed, which it remembers: nothing of this run is kept
            database = self._opened()
            if _digest(database.rows(name)) in states:
                database.remove(name)

    def _put(self, document: str, name: str, rows: list[list[Any]], state: str) -> list[Output]:
        database = self._opened()
        self._last = None
        if self.existing != "append" and (name in self._seen or (self.existing == "error" and database.has(name))):
            hint = "" if name in self._seen else "; `existing` can say replace or append"
            raise ConsumerError(f"{database.place}: the document's id is in the table already{hint}")
        columns = [c.name for c in self.columns()]
        at = database.put(name, [dict(zip(columns, row, strict=True)) for row in rows])
        self._seen.add(name)
        self._last = document, name, at
        return self._outputs(state)

    def _opened(self) -> Table:
        if self._database is None:
            self.open()
        assert self._database is not None
        self._database.check()
        return self._database

    def _name_of(self, document: str) -> str:
        return self._named(self.document_name(Cas(id=document)))

    def _named(self, name: str) -> str:
        return name if self.holds_nul else name.replace("\0", "\ufffd")

    def _outputs(self, state: str) -> list[Output]:
        """The file where it lies in the output folder; of another database nobody but itself knows what it holds."""
        path = file_of(parsed(self.url, NAME))
        if path is None or path.is_absolute() or not self.resumable:
            return []
        return [Output(self.id, path.as_posix(), 0, 0, state, False)]

    def _forget_old(self) -> None:
        old, self._old = self._old, None
        if old is not None:
            old.close()

    def rollback(self, document_id: str) -> None:
        if self._last is not None and self._last[0] == document_id and self._database is not None:
            _, name, at = self._last
            if at is not None:
                self._database.take_back(at)
            self._seen.discard(name)
            self._last = None

    def abort(self) -> None:
        """Leaves the table as it was."""
        self._forget_old()
        database, self._database = self._database, None
        if database is not None:
            database.roll_back()

    def close(self) -> None:
        """Commits. Raises ConsumerError where that fails: then nothing of this run is in the table."""
        self._forget_old()
        database, self._database = self._database, None
        if database is not None:
            database.commit()
        super().close()


def _digest(rows: list[list[Any]] | None) -> str | None:
    """SHA-256 of rows in any order, in hexadecimal: a database has none."""
    if rows is None:
        return None
    return hashlib.sha256("\n".join(sorted(json.dumps(row, sort_keys=True) for row in rows)).encode()).hexdigest()


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
