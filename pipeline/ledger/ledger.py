"""The ledger of an output folder: an SQLite file with a row for each run and for each document of it. No text of any document."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from ..component import Output
from ..errors import ConsumerError, OutputError, ResourceError
from ..files import restricted_folder

_VERSION = 1
_SCHEMA = f"""
BEGIN;
PRAGMA user_version = {_VERSION};
CREATE TABLE runs(
    run INTEGER PRIMARY KEY, name TEXT NOT NULL, started TEXT NOT NULL, ended TEXT NOT NULL DEFAULT '',
    state TEXT NOT NULL DEFAULT 'running', code TEXT NOT NULL, fingerprint TEXT NOT NULL, shard TEXT NOT NULL,
    total INTEGER, read INTEGER NOT NULL DEFAULT 0, released INTEGER NOT NULL DEFAULT 0,
    quarantined INTEGER NOT NULL DEFAULT 0, skipped INTEGER NOT NULL DEFAULT 0, seconds REAL NOT NULL DEFAULT 0
);
CREATE TABLE growing(run INTEGER NOT NULL, consumer TEXT NOT NULL, path TEXT NOT NULL, temporary TEXT NOT NULL);
CREATE TABLE documents(
    run INTEGER NOT NULL, number INTEGER NOT NULL, id TEXT NOT NULL, content BLOB NOT NULL, status TEXT NOT NULL,
    reason TEXT NOT NULL, component TEXT NOT NULL, cause TEXT NOT NULL, message TEXT NOT NULL,
    seconds REAL NOT NULL, attempts INTEGER NOT NULL, outputs TEXT NOT NULL, memo TEXT NOT NULL,
    PRIMARY KEY(run, number)
) WITHOUT ROWID;
CREATE INDEX by_id ON documents(id, run);
CREATE TABLE secrets(salt BLOB NOT NULL);
INSERT INTO secrets VALUES (randomblob(32));
COMMIT;
"""
"""In one transaction: where it is cut off, nothing of it is there."""
_BATCH = 200
"""Rows of one transaction."""
_BATCH_SECONDS = 0.5
"""A transaction is no older than this."""


@dataclass(frozen=True, slots=True)
class Row:
    """A document."""

    number: int
    """In reading order, from 1."""
    id: str
    content: str
    """Keyed hash of what was read, in hexadecimal."""
    status: str
    """released, quarantined or skipped."""
    reason: str = ""
    component: str = ""
    cause: str = ""
    message: str = ""
    seconds: float = 0.0
    attempts: int = 1
    outputs: tuple[Output, ...] = ()
    memo: dict[str, Any] | None = None
    """What a later run must know to take it over: consumer -> plain data; under `""` what the report says of it."""
    run: int = 0


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run."""

    run: int
    name: str
    started: str
    """UTC."""
    ended: str
    state: str
    """`running` (or cut off), `done`, or why it stopped."""
    code: str
    """Version of caspipe's code."""
    fingerprint: str
    shard: str
    total: int | None
    """Documents there are, where that was known."""
    read: int
    released: int
    quarantined: int
    skipped: int
    seconds: float


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
        lock = _locked(path)
        try:
            if not path.exists():
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            database = _connected(path)
            with _told(path):
                if database.execute("PRAGMA user_version").fetchone()[0] == 0:
                    if database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                        raise ConsumerError(f"{path}: expected a ledger, found another database")
                    database.executescript(_SCHEMA)
                _check(database, path)
        except BaseException:
            _unlock(lock)
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
            database = _connected(path)
            _check(database, path)
        except (sqlite3.Error, ConsumerError) as error:
            raise ResourceError(f"{path}: expected a ledger, found {type(error).__name__}") from None
        return cls(path, database, None)

    @property
    def salt(self) -> bytes:
        """What hashes of contents are keyed with: 32 random bytes of this ledger."""
        with _told(self.path):
            return bytes(self._database.execute("SELECT salt FROM secrets").fetchone()[0])

    def close(self) -> None:
        """Writes what waits and lets go of the file."""
        with contextlib.suppress(ConsumerError):
            self.flush()
        self._database.close()
        if self._placed is not None:
            os.close(self._placed)
            self._placed = None
        if self._lock is not None:
            _unlock(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- writing ---------------------------------------------------------------------------------------------------

    def begin(self, name: str, started: str, code: str, fingerprint: str, shard: str, total: int | None) -> int:
        """A new run. Returns its number."""
        with _told(self.path), self._database:
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
        query = "SELECT 1 FROM documents, json_each(documents.outputs) AS o WHERE json_extract(o.value, '$[1]') = ?"
        with _told(self.path):
            return self._database.execute(f"{query} LIMIT 1", (path,)).fetchone() is not None

    def grows(self, consumer: str, path: str, temporary: str) -> None:
        """A file that has no name before this run ends."""
        with _told(self.path), self._database:
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
        if len(self._waiting) >= _BATCH or time.monotonic() - self._written > _BATCH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Writes what waits. Raises ConsumerError where that fails."""
        if self._waiting:
            with _told(self.path), self._database:
                marks = ", ".join("?" * len(self._waiting[0]))
                self._database.executemany(f"INSERT OR REPLACE INTO documents VALUES ({marks})", self._waiting)
            self._waiting = []
            if self._placed is not None:
                os.ftruncate(self._placed, 0)
        self._written = time.monotonic()

    def end(self, state: str, ended: str, counts: tuple[int, int, int, int], seconds: float) -> None:
        """The run came to its end. `counts`: read, released, quarantined, skipped."""
        self.flush()
        with _told(self.path), self._database:
            self._database.execute(
                "UPDATE runs SET state = ?, ended = ?, read = ?, released = ?, quarantined = ?, skipped = ?, seconds = ? "
                "WHERE run = ?",
                (state, ended, *counts, seconds, self._run),
            )

    def forget_others(self) -> None:
        """Leaves out the runs before this one: it stands for all that is there."""
        with _told(self.path), self._database:
            for table in ("documents", "growing", "runs"):
                self._database.execute(f"DELETE FROM {table} WHERE run <> ?", (self._run,))

    # -- what was there --------------------------------------------------------------------------------------------

    def before(self, document: str) -> Row | None:
        """The document in the latest run before this one that had it."""
        with _told(self.path):
            found = self._database.execute(
                "SELECT * FROM documents WHERE id = ? AND run <> ? ORDER BY run DESC, number LIMIT 1",
                (document.encode("utf-8", "surrogatepass"), self._run),
            ).fetchone()
        return None if found is None else _row(found)

    def fingerprint_of(self, run: int) -> str:
        """The fingerprint of a run."""
        with _told(self.path):
            found = self._database.execute("SELECT fingerprint FROM runs WHERE run = ?", (run,)).fetchone()
        return str(found[0]) if found else ""

    def temporary(self, run: int, path: str) -> str:
        """Where a common file of a run lay before the run ended."""
        with _told(self.path):
            found = self._database.execute(
                "SELECT temporary FROM growing WHERE run = ? AND path = ?", (run, path)
            ).fetchone()
        return str(found[0]) if found else ""

    def ended_runs(self) -> set[int]:
        """The runs whose common files got their names."""
        return {int(n) for (n,) in self._database.execute("SELECT run FROM runs WHERE state = 'done'")}

    def temporaries(self) -> list[str]:
        """Where common files of other runs lay before those ended."""
        rows = self._database.execute("SELECT temporary FROM growing WHERE run <> ? ORDER BY temporary", (self._run,))
        return [str(t) for (t,) in rows]

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
        with _told(self.path):
            for asked in (both, f"{common} ORDER BY 1"):
                for (path,) in self._database.execute(asked, (self._run,)):
                    yield str(path)

    def has_output(self, path: str) -> bool:
        """Whether this run wrote a file of that path."""
        self.flush()
        query = "SELECT 1 FROM documents, json_each(documents.outputs) AS o WHERE run = ? AND json_extract(o.value, '$[1]') = ?"
        with _told(self.path):
            return self._database.execute(f"{query} LIMIT 1", (self._run, path)).fetchone() is not None

    # -- reading ---------------------------------------------------------------------------------------------------

    def run(self) -> RunRow:
        """The latest run. Raises ResourceError where there was none."""
        with _told(self.path):
            found = self._database.execute("SELECT * FROM runs ORDER BY run DESC LIMIT 1").fetchone()
        if found is None:
            raise ResourceError(f"{self.path}: no run has begun yet")
        return RunRow(*found)

    def rows(self, status: str = "") -> Iterator[Row]:
        """The documents of the latest run in reading order, all or those of one status."""
        query = "SELECT * FROM documents WHERE run = (SELECT max(run) FROM runs)" + (
            " AND status = ?" if status else ""
        )
        with _told(self.path):
            for found in self._database.execute(f"{query} ORDER BY number", (status,) if status else ()):
                yield _row(found)

    def counts(self) -> dict[tuple[str, str], int]:
        """(status, reason) -> documents of the latest run so far."""
        latest = "SELECT status, reason, count(*) FROM documents WHERE run = (SELECT max(run) FROM runs)"
        with _told(self.path):
            found = self._database.execute(f"{latest} GROUP BY 1, 2 ORDER BY 1, 2")
            return {(str(status), str(reason)): int(n) for status, reason, n in found}

    def in_use(self) -> bool:
        """Whether a run is writing to it now."""
        try:
            lock = _locked(self.path)
        except ConsumerError:
            return True
        _unlock(lock)
        return False


def _row(found: tuple[Any, ...]) -> Row:
    run, number, id_, content, status, reason, component, cause, message, seconds, attempts, outputs, memo = found
    return Row(
        number,
        bytes(id_).decode("utf-8", "surrogatepass"),
        bytes(content).hex(),
        status,
        reason,
        component,
        cause,
        message,
        seconds,
        attempts,
        tuple(Output(c, p, b, n, d, bool(w)) for c, p, b, n, d, w in json.loads(outputs)),
        json.loads(memo) if memo else None,
        run,
    )


def _connected(path: Path) -> sqlite3.Connection:
    with _told(path):
        database = sqlite3.connect(path, timeout=30, isolation_level="DEFERRED")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
    return database


def _check(database: sqlite3.Connection, path: Path) -> None:
    found = database.execute("PRAGMA user_version").fetchone()[0]
    if found != _VERSION:
        raise ConsumerError(f"{path}: expected a ledger of form {_VERSION}, found form {found}")


@contextlib.contextmanager
def _told(path: Path) -> Iterator[None]:
    """Errors of SQLite by name of the file; a disk that is full ends the run."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "") or type(error).__name__
        raise OutputError(f"{path}: cannot use the ledger: {name}") from None


def _locked(path: Path) -> int:
    """Takes the lock beside a file. Raises ConsumerError where another process has it."""
    beside = path.with_name(f"{path.name}.lock")
    try:
        fd = os.open(beside, os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except OSError as error:
        raise OutputError(f"{beside}: cannot write: {error.strerror}") from None
    try:
        import fcntl
    except ImportError:  # no such locks on this system: two runs at once are then the caller's care
        return fd
    try:
        fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(fd)
        raise ConsumerError(f"{path}: another run is writing to this output folder") from None
    return fd


def _unlock(lock: int) -> None:
    with contextlib.suppress(OSError):
        os.close(lock)
