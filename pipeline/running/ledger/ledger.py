"""The ledger of an output folder: an SQLite file with a row for each run and for each document of it. No text of any document."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from ...errors import ConsumerError, OutputError, ResourceError
from ...storage.files import restricted_folder
from .form import check, connected, form, told
from .lock import locked, unlock
from .rows import Row, RunRow, row_of

_BATCH = 200
"""Rows of one transaction."""
_BATCH_SECONDS = 0.5
"""A transaction is no older than this."""


class Ledger:
    """The ledger, open. One run at a time may write: a lock beside the file says whose it is."""

    def __init__(self, path: Path, database: sqlite3.Connection, lock: int | None) -> None:
        self.path = path
        self._database = database
        self._lock = lock
        self._placed: int | None = None
        self.left: list[str] = []
        """Files that a run which was cut off placed last, perhaps without a row."""
        self._waiting: list[tuple[Any, ...]] = []
        self._waiting_files: dict[str, None] = {}
        self._written = time.monotonic()
        self._run = 0

    # -- opening ---------------------------------------------------------------------------------------------------

    @classmethod
    def place(cls, output: Path, given: Path | None = None, shard: str = "") -> Path:
        """Where the ledger of an output folder lies; of a shard beside the file that was given for all."""
        if given is None:
            return output / "restricted" / "ledger.sqlite"
        return given.with_stem(f"{given.stem}-{shard.replace('/', '-of-')}") if shard else given

    @classmethod
    def write(cls, path: Path, below: Path | None = None) -> Ledger:
        """The ledger for a run, made where it is absent (mode 0600). Raises ConsumerError where another run has it open."""
        restricted_folder(path.parent, below)
        lock = locked(path)
        try:
            if not path.exists():
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            database = connected(path)
            with told(path):
                form(database, path)
        except BaseException:
            unlock(lock)
            raise
        made = cls(path, database, lock)
        made._open_placed()
        return made

    @classmethod
    def read(cls, path: Path) -> Ledger:
        """The ledger, for looking at it. Raises ResourceError where there is none."""
        path = cls.place(path) if path.is_dir() else path
        if not path.is_file():
            raise ResourceError(f"{path}: no ledger: is this the output folder of a run?")
        try:
            database = connected(path)
            check(database, path)
        except (sqlite3.Error, ConsumerError) as error:
            raise ResourceError(f"{path}: expected a ledger, found {type(error).__name__}") from None
        return cls(path, database, None)

    @property
    def salt(self) -> bytes:
        """What hashes of contents are keyed with: 32 random bytes of this ledger."""
        with told(self.path):
            return bytes(self._database.execute("SELECT salt FROM secrets").fetchone()[0])

    @property
    def lock(self) -> int:
        """The file descriptor of its lock. Whoever opens and closes that file by its name lets go of the lock (POSIX)."""
        assert self._lock is not None
        return self._lock

    def close(self) -> None:
        """Writes what waits and lets go of the file."""
        with contextlib.suppress(ConsumerError):
            self.flush()
        self._database.close()
        if self._placed is not None:
            os.close(self._placed)
            self._placed = None
        if self._lock is not None:
            unlock(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- writing ---------------------------------------------------------------------------------------------------

    def begin(self, name: str, started: str, code: str, fingerprint: str, shard: str, total: int | None) -> int:
        """A new run. Returns its number."""
        with told(self.path), self._database:
            cursor = self._database.execute(
                "INSERT INTO runs(name, started, code, fingerprint, shard, total) VALUES (?, ?, ?, ?, ?, ?)",
                (name, started, code, fingerprint, shard, total),
            )
        self._run = int(cursor.lastrowid or 0)
        return self._run

    def placing(self, path: str) -> None:
        """A file is about to get its name. Its row comes later: until then this is all that tells of it.

        Raises ConsumerError where it cannot be noted.
        """
        assert self._placed is not None
        try:
            os.write(self._placed, path.encode("utf-8", "replace") + b"\n")
        except OSError as error:
            raise OutputError(f"{self.path}: cannot write: {error.strerror}") from None

    def _open_placed(self) -> None:
        """A log beside the ledger, emptied whenever rows are written: what stands in it was placed after the last of them."""
        path = self.path.with_name(f"{self.path.name}-placed")
        try:
            self._placed = os.open(path, os.O_CREAT | os.O_RDWR | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0), 0o600)
            self.left = path.read_bytes().decode("utf-8", "replace").split("\n")[:-1]
        except OSError as error:
            raise OutputError(f"{path}: cannot write: {error.strerror}") from None

    def tells_of(self, path: str) -> bool:
        """Whether a row of any run tells of a file."""
        path = _name(path)
        with told(self.path):
            found = self._database.execute("SELECT 1 FROM files WHERE path = ? LIMIT 1", (path,)).fetchone()
        return found is not None or path in self._waiting_files

    def grows(self, consumer: str, path: str, temporary: str) -> None:
        """A file that has no name before this run ends."""
        with told(self.path), self._database:
            self._database.execute("INSERT INTO growing VALUES (?, ?, ?, ?)", (self._run, consumer, path, temporary))

    def add(self, row: Row) -> None:
        """A document came to its end. It is on the disk at the latest half a second later."""
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
                json.dumps(row.memo) if row.memo else "",
            )
        )
        self._waiting_files.update(dict.fromkeys(_name(o.path) for o in row.outputs))
        if len(self._waiting) >= _BATCH or time.monotonic() - self._written > _BATCH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Writes what waits. Raises ConsumerError where that fails."""
        if self._waiting:
            with told(self.path), self._database:
                marks = ", ".join("?" * len(self._waiting[0]))
                self._database.executemany(f"INSERT OR REPLACE INTO documents VALUES ({marks})", self._waiting)
                named = [(path, self._run) for path in self._waiting_files]
                self._database.executemany("INSERT OR IGNORE INTO files VALUES (?, ?)", named)
            self._waiting, self._waiting_files = [], {}
            if self._placed is not None:
                os.ftruncate(self._placed, 0)
        self._written = time.monotonic()

    def end(self, state: str, ended: str, counts: tuple[int, int, int, int], seconds: float, ids: str = "") -> None:
        """The run came to its end. `counts`: read, released, quarantined, skipped; `ids`: see RunRow."""
        self.flush()
        with told(self.path), self._database:
            self._database.execute(
                "UPDATE runs SET state = ?, ended = ?, read = ?, released = ?, quarantined = ?, skipped = ?, seconds = ?, "
                "ids = ? WHERE run = ?",
                (state, ended, *counts, seconds, ids, self._run),
            )

    def forget_others(self) -> None:
        """Leaves out the runs before this one: it stands for all that is there."""
        with told(self.path), self._database:
            for table in ("documents", "files", "growing", "runs"):
                self._database.execute(f"DELETE FROM {table} WHERE run <> ?", (self._run,))

    # -- what was there --------------------------------------------------------------------------------------------

    def before(self, document: str) -> Row | None:
        """The document in the latest run before this one that had it."""
        with told(self.path):
            found = self._database.execute(
                "SELECT * FROM documents WHERE id = ? AND run <> ? ORDER BY run DESC, number LIMIT 1",
                (document.encode("utf-8", "surrogatepass"), self._run),
            ).fetchone()
        return None if found is None else row_of(found)

    def around(self, row: Row, far: int) -> Iterator[Row]:
        """The documents of a row's run that were read so far before or after it at most."""
        query = "SELECT * FROM documents WHERE run = ? AND number BETWEEN ? AND ? ORDER BY number"
        with told(self.path):
            for found in self._database.execute(query, (row.run, row.number - far, row.number + far)):
                yield row_of(found)

    def memos(self, document: str) -> list[dict[str, Any]]:
        """What runs before this one kept of a document."""
        query = "SELECT memo FROM documents WHERE id = ? AND run <> ? AND memo <> '' ORDER BY run DESC, number"
        with told(self.path):
            found = self._database.execute(query, (document.encode("utf-8", "surrogatepass"), self._run))
            return [json.loads(memo) for (memo,) in found]

    def gone(self) -> list[str]:
        """Documents of runs before this one that it does not have."""
        self.flush()
        query = (
            "SELECT DISTINCT id FROM documents WHERE run <> ?1 "
            "AND id NOT IN (SELECT id FROM documents WHERE run = ?1) ORDER BY 1"
        )
        with told(self.path):
            found = self._database.execute(query, (self._run,)).fetchall()
        return [bytes(id_).decode("utf-8", "surrogatepass") for (id_,) in found]

    def fingerprint_of(self, run: int) -> str:
        """The fingerprint of a run."""
        with told(self.path):
            found = self._database.execute("SELECT fingerprint FROM runs WHERE run = ?", (run,)).fetchone()
        return str(found[0]) if found else ""

    def temporary(self, run: int, path: str) -> str:
        """Where a common file of a run lay before the run ended."""
        with told(self.path):
            found = self._database.execute(
                "SELECT temporary FROM growing WHERE run = ? AND path = ?", (run, path)
            ).fetchone()
        return str(found[0]) if found else ""

    def temporaries(self) -> list[str]:
        """Where common files of other runs lay before those ended."""
        query = "SELECT temporary FROM growing WHERE run <> ? ORDER BY temporary"
        with told(self.path):
            return [str(t) for (t,) in self._database.execute(query, (self._run,))]

    def stale(self) -> Iterator[str]:
        """Files that other runs wrote and this one did not: those of one document, and those of all."""
        self.flush()
        query = (
            "SELECT DISTINCT json_extract(o.value, '$[1]') FROM documents, json_each(documents.outputs) AS o WHERE {}"
        )
        whole = "json_extract(o.value, '$[5]')"
        both = f"{query.format(f'run <> ?1 AND {whole}')} EXCEPT {query.format(f'run = ?1 AND {whole}')} ORDER BY 1"
        ended = "(SELECT run FROM runs WHERE state <> 'running')"
        common = f"SELECT path FROM growing WHERE run <> ?1 AND run IN {ended} EXCEPT SELECT path FROM growing WHERE run = ?1"
        with told(self.path):
            for asked in (both, f"{common} ORDER BY 1"):
                for (path,) in self._database.execute(asked, (self._run,)):
                    yield str(path)

    def has_output(self, path: str) -> bool:
        """Whether this run wrote a file of that path."""
        path = _name(path)
        with told(self.path):
            found = self._database.execute(
                "SELECT 1 FROM files WHERE path = ? AND run = ?", (path, self._run)
            ).fetchone()
        return found is not None or path in self._waiting_files

    def files(self) -> Iterator[str]:
        """The files of this run, with those that grow."""
        self.flush()
        query = "SELECT path FROM files WHERE run = ?1 UNION SELECT path FROM growing WHERE run = ?1"
        with told(self.path):
            for (path,) in self._database.execute(query, (self._run,)):
                yield str(path)

    # -- reading ---------------------------------------------------------------------------------------------------

    def run(self) -> RunRow:
        """The latest run. Raises ResourceError where there was none."""
        with told(self.path):
            found = self._database.execute("SELECT * FROM runs ORDER BY run DESC LIMIT 1").fetchone()
        if found is None:
            raise ResourceError(f"{self.path}: no run has begun yet")
        return RunRow(*found)

    def rows(self, status: str = "") -> Iterator[Row]:
        """The documents of the latest run in reading order, all or those of one status."""
        query = "SELECT * FROM documents WHERE run = (SELECT max(run) FROM runs)" + (
            " AND status = ?" if status else ""
        )
        with told(self.path):
            for found in self._database.execute(f"{query} ORDER BY number", (status,) if status else ()):
                yield row_of(found)

    def counts(self) -> dict[tuple[str, str], int]:
        """(status, reason) -> documents of the latest run so far."""
        latest = "SELECT status, reason, count(*) FROM documents WHERE run = (SELECT max(run) FROM runs)"
        with told(self.path):
            found = self._database.execute(f"{latest} GROUP BY 1, 2 ORDER BY 1, 2")
            return {(str(status), str(reason)): int(n) for status, reason, n in found}

    def in_use(self) -> bool:
        """Whether a run is writing to it now."""
        try:
            lock = locked(self.path)
        except ConsumerError:
            return True
        unlock(lock)
        return False


def _name(path: str) -> str:
    """A path as it can be kept."""
    return path.encode("utf-8", "replace").decode()
