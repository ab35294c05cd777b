"""Writing the ledger of an output folder, and looking up what earlier runs recorded."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...errors import ConsumerError, OutputError
from ...storage.closing import close_file
from ...storage.files import restricted_folder
from .damage import database_errors
from .lock import locked, unlock
from .reader import LedgerReader
from .schema import Row, create_ledger, verified

_BATCH = 200
"""Rows of one transaction."""
_BATCH_SECONDS = 0.5
"""Limit for the age of a transaction."""


class Ledger(LedgerReader):
    """The ledger of a run that writes to it. The lock beside the file allows one run at a time."""

    def __init__(self, path: Path, database: sqlite3.Connection, lock: int) -> None:
        super().__init__(path, database)
        self._lock: int | None = lock
        self._announced: int | None = None
        self.left: list[str] = []
        """Files that an interrupted run announced after its last row."""
        self._waiting: list[tuple[Any, ...]] = []
        self._waiting_files: dict[str, None] = {}
        self._written = time.monotonic()
        self._run = 0

    @classmethod
    def write(cls, path: Path, below: Path | None = None) -> Ledger:
        """Open the ledger for a run, or create it (mode 0600). Raises ConsumerError if another run has it open."""
        restricted_folder(path.parent, below)
        lock = locked(path)
        try:
            if path.exists():
                close_file(path)
            else:
                create_ledger(path)
            database = verified(path)
        except BaseException:
            unlock(lock)
            raise
        ledger = cls(path, database, lock)
        ledger._open_announcements()
        return ledger

    @property
    def lock(self) -> int:
        """The file descriptor of the lock. Opening and closing that file by name would release the lock (POSIX)."""
        assert self._lock is not None
        return self._lock

    def close(self) -> None:
        """Write waiting rows and close the file."""
        with contextlib.suppress(ConsumerError):
            self.flush()
        super().close()
        if self._announced is not None:
            os.close(self._announced)
            self._announced = None
        if self._lock is not None:
            unlock(self._lock)
            self._lock = None

    # -- writing ---------------------------------------------------------------------------------------------------

    def begin(self, name: str, started: str, code: str, fingerprint: str, shard: str, total: int | None) -> int:
        """Add a run and return its number."""
        values = (name, started, code, fingerprint, shard, total)
        sql = "INSERT INTO runs(name, started, code, fingerprint, shard, total) VALUES (?, ?, ?, ?, ?, ?)"
        with database_errors(self.path), self.database:
            self._run = int(self.database.execute(sql, values).lastrowid or 0)
        return self._run

    def announce(self, path: str) -> None:
        """Record a file that is about to be moved to its final path, until its row is written. Raises OutputError."""
        assert self._announced is not None
        try:
            os.write(self._announced, path.encode("utf-8", "replace") + b"\n")
        except OSError as error:
            raise OutputError(f"{self.path}: cannot write: {error.strerror}") from None

    def _open_announcements(self) -> None:
        """Open the log of announced files, which is emptied when rows are written, and read what an interrupted run left."""
        path = self.path.with_name(f"{self.path.name}-placed")
        try:
            self._announced = os.open(path, os.O_CREAT | os.O_RDWR | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0), 0o600)
            self.left = path.read_bytes().decode("utf-8", "replace").split("\n")[:-1]
        except OSError as error:
            raise OutputError(f"{path}: cannot write: {error.strerror}") from None

    def add_shared_file(self, consumer: str, path: str, temporary: str) -> None:
        """Record a file that gets its final path at the end of this run."""
        with database_errors(self.path), self.database:
            self.database.execute("INSERT INTO growing VALUES (?, ?, ?, ?)", (self._run, consumer, path, temporary))

    def add(self, row: Row) -> None:
        """Record a document. The row is written to disk within half a second."""
        outputs = [[o.consumer, o.path, o.begin, o.length, o.digest, o.whole] for o in row.outputs]
        self._waiting.append(
            (
                self._run,
                row.number,
                row.id.encode("utf-8", "surrogatepass"),
                bytes.fromhex(row.content),
                row.status,
                row.reason,
                row.component,
                row.cause,
                row.message.encode("utf-8", "replace").decode(),
                row.seconds,
                row.attempts,
                json.dumps(outputs),
                json.dumps(row.states) if row.states else "",
            )
        )
        self._waiting_files.update(dict.fromkeys(_encodable(o.path) for o in row.outputs))
        if len(self._waiting) >= _BATCH or time.monotonic() - self._written > _BATCH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write waiting rows. Raises OutputError."""
        if self._waiting:
            with database_errors(self.path), self.database:
                marks = ", ".join("?" * len(self._waiting[0]))
                self.database.executemany(f"INSERT OR REPLACE INTO documents VALUES ({marks})", self._waiting)
                files = [(path, self._run) for path in self._waiting_files]
                self.database.executemany("INSERT OR IGNORE INTO files VALUES (?, ?)", files)
            self._waiting, self._waiting_files = [], {}
            if self._announced is not None:
                os.ftruncate(self._announced, 0)
        self._written = time.monotonic()

    def end(self, state: str, ended: str, counts: tuple[int, int, int, int], seconds: float, ids: str = "") -> None:
        """Record the end of the run. `counts`: read, released, quarantined, skipped; `ids`: see RunRow."""
        self.flush()
        with database_errors(self.path), self.database:
            self.database.execute(
                "UPDATE runs SET state = ?, ended = ?, read = ?, released = ?, quarantined = ?, skipped = ?, seconds = ?, "
                "ids = ? WHERE run = ?",
                (state, ended, *counts, seconds, ids, self._run),
            )

    def delete_other_runs(self) -> None:
        """Delete the records of all other runs."""
        with database_errors(self.path), self.database:
            for table in ("documents", "files", "growing", "runs"):
                self.database.execute(f"DELETE FROM {table} WHERE run <> ?", (self._run,))

    # -- earlier runs ----------------------------------------------------------------------------------------------

    def latest_before(self, document: str) -> Row | None:
        """Return the document from the latest earlier run that has it."""
        sql = "SELECT * FROM documents WHERE id = ? AND run <> ? ORDER BY run DESC, number LIMIT 1"
        return next(self.read_rows(sql, document.encode("utf-8", "surrogatepass"), self._run), None)

    def states(self, document: str) -> list[dict[str, Any]]:
        """Return the resume states of a document in earlier runs."""
        sql = "SELECT memo FROM documents WHERE id = ? AND run <> ? AND memo <> '' ORDER BY run DESC, number"
        return [json.loads(state) for (state,) in self.query(sql, document.encode("utf-8", "surrogatepass"), self._run)]

    def states_of_number(self, number: int) -> list[dict[str, Any]]:
        """Return the resume states of the documents that had this number in earlier runs."""
        sql = "SELECT memo FROM documents WHERE number = ? AND run <> ? AND memo <> '' ORDER BY run DESC"
        return [json.loads(state) for (state,) in self.query(sql, number, self._run)]

    def removed_numbers(self) -> list[int]:
        """Return the numbers that documents had in earlier runs, and none has in this run."""
        self.flush()
        sql = (
            "SELECT DISTINCT number FROM documents WHERE run <> ?1 "
            "AND number NOT IN (SELECT number FROM documents WHERE run = ?1) ORDER BY 1"
        )
        return [int(number) for (number,) in self.query(sql, self._run)]

    def removed_documents(self) -> list[str]:
        """Return the documents of earlier runs that this run does not have."""
        self.flush()
        sql = (
            "SELECT DISTINCT id FROM documents WHERE run <> ?1 "
            "AND id NOT IN (SELECT id FROM documents WHERE run = ?1) ORDER BY 1"
        )
        return [bytes(id).decode("utf-8", "surrogatepass") for (id,) in self.query(sql, self._run)]

    def fingerprint_of(self, run: int) -> str:
        """Return the fingerprint of a run."""
        rows = self.query("SELECT fingerprint FROM runs WHERE run = ?", run)
        return str(rows[0][0]) if rows else ""

    def temporary(self, run: int, path: str) -> str:
        """Return the temporary path of a shared file of a run."""
        rows = self.query("SELECT temporary FROM growing WHERE run = ? AND path = ?", run, path)
        return str(rows[0][0]) if rows else ""

    def temporaries(self) -> list[str]:
        """Return the temporary paths of shared files of other runs."""
        return [
            str(t) for (t,) in self.query("SELECT temporary FROM growing WHERE run <> ? ORDER BY temporary", self._run)
        ]

    # -- files -----------------------------------------------------------------------------------------------------

    def mentions(self, path: str) -> bool:
        """Return whether a document of any run has this output file."""
        path = _encodable(path)
        return path in self._waiting_files or bool(self.query("SELECT 1 FROM files WHERE path = ? LIMIT 1", path))

    def has_output(self, path: str) -> bool:
        """Return whether a document of this run has this output file."""
        path = _encodable(path)
        sql = "SELECT 1 FROM files WHERE path = ? AND run = ?"
        return path in self._waiting_files or bool(self.query(sql, path, self._run))

    def files(self) -> Iterator[str]:
        """Yield the files of this run, including shared files."""
        self.flush()
        sql = "SELECT path FROM files WHERE run = ?1 UNION SELECT path FROM growing WHERE run = ?1"
        return (str(path) for (path,) in self.iterate(sql, self._run))

    def stale_tables(self) -> Iterator[str]:
        """Yield the files with rows of documents that only other runs wrote, and that no run makes as a whole: databases."""
        self.flush()
        paths = (
            "SELECT DISTINCT json_extract(o.value, '$[1]') FROM documents, json_each(documents.outputs) AS o "
            "WHERE run {} ?1 AND NOT json_extract(o.value, '$[5]')"
        )
        sql = f"{paths.format('<>')} EXCEPT {paths.format('=')} EXCEPT SELECT path FROM growing ORDER BY 1"
        return (str(path) for (path,) in self.iterate(sql, self._run))

    def stale_files(self) -> Iterator[str]:
        """Yield the files that only other runs wrote: first those of single documents, then shared ones."""
        self.flush()
        paths = (
            "SELECT DISTINCT json_extract(o.value, '$[1]') FROM documents, json_each(documents.outputs) AS o WHERE {}"
        )
        separate = "json_extract(o.value, '$[5]')"
        own = (
            f"{paths.format(f'run <> ?1 AND {separate}')} EXCEPT {paths.format(f'run = ?1 AND {separate}')} ORDER BY 1"
        )
        ended = "(SELECT run FROM runs WHERE state <> 'running')"
        shared = f"SELECT path FROM growing WHERE run <> ?1 AND run IN {ended} EXCEPT SELECT path FROM growing WHERE run = ?1"
        for sql in (own, f"{shared} ORDER BY 1"):
            for (path,) in self.iterate(sql, self._run):
                yield str(path)


def _encodable(path: str) -> str:
    """Return a path as SQLite can store it."""
    return path.encode("utf-8", "replace").decode()
