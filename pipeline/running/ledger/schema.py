"""The tables of a ledger, their rows, and how the database is opened."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...contract.output import Output
from ...storage.files import cannot, create
from .damage import LedgerError, damaged, database_errors

_VERSION = 1
_TABLES = {"runs", "growing", "documents", "files", "secrets"}
_FILES = """
CREATE TABLE files(path TEXT NOT NULL, run INTEGER NOT NULL, PRIMARY KEY(path, run)) WITHOUT ROWID;
"""
"""Paths of the outputs of all documents: a run looks them up for every document that fails."""
_SCHEMA = f"""
BEGIN;
PRAGMA user_version = {_VERSION};
CREATE TABLE runs(
    run INTEGER PRIMARY KEY, name TEXT NOT NULL, started TEXT NOT NULL, ended TEXT NOT NULL DEFAULT '',
    state TEXT NOT NULL DEFAULT 'running', code TEXT NOT NULL, fingerprint TEXT NOT NULL, shard TEXT NOT NULL,
    total INTEGER, read INTEGER NOT NULL DEFAULT 0, released INTEGER NOT NULL DEFAULT 0,
    quarantined INTEGER NOT NULL DEFAULT 0, skipped INTEGER NOT NULL DEFAULT 0, seconds REAL NOT NULL DEFAULT 0,
    ids TEXT NOT NULL DEFAULT ''
);
CREATE TABLE growing(run INTEGER NOT NULL, consumer TEXT NOT NULL, path TEXT NOT NULL, temporary TEXT NOT NULL);
CREATE TABLE documents(
    run INTEGER NOT NULL, number INTEGER NOT NULL, id TEXT NOT NULL, content BLOB NOT NULL, status TEXT NOT NULL,
    reason TEXT NOT NULL, component TEXT NOT NULL, cause TEXT NOT NULL, message TEXT NOT NULL,
    seconds REAL NOT NULL, attempts INTEGER NOT NULL, outputs TEXT NOT NULL, memo TEXT NOT NULL,
    PRIMARY KEY(run, number)
) WITHOUT ROWID;
CREATE INDEX by_id ON documents(id, run);
{_FILES}
CREATE TABLE secrets(salt BLOB NOT NULL);
INSERT INTO secrets VALUES (randomblob(32));
COMMIT;
"""
"""Created in one transaction, so that an interruption leaves nothing behind."""


def connected(path: Path) -> sqlite3.Connection:
    """Open the database. Raises LedgerError if that fails."""
    with database_errors(path):
        return sqlite3.connect(path, timeout=30, isolation_level="DEFERRED")


def create_ledger(path: Path) -> None:
    """Create a ledger that only its owner can read. It gets its name when it is complete. Raises OutputError."""
    draft = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        os.close(create(draft, 0o600))
        with database_errors(path), contextlib.closing(connected(draft)) as database:
            database.executescript(_SCHEMA)
        draft.replace(path)
    except OSError as error:
        raise cannot(path, error) from None
    finally:
        draft.unlink(missing_ok=True)


def verified(path: Path) -> sqlite3.Connection:
    """Open a ledger after all of its pages were checked. Raises LedgerError."""
    database = connected(path)
    check(database, path)
    with database_errors(path):
        fault = database.execute("PRAGMA quick_check(1)").fetchone()[0]
    if fault != "ok":
        raise damaged(path, "a damaged one")
    with database_errors(path):  # only now: this changes the file
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
    return database


def check(database: sqlite3.Connection, path: Path) -> None:
    """Raise LedgerError if a database is not a ledger of this version."""
    with database_errors(path):
        version, tables = _version(database), _tables(database)
    if tables and not tables & _TABLES:
        raise damaged(path, "another database")
    if version > _VERSION and tables:
        raise LedgerError(
            f"{path}: expected a ledger of form {_VERSION}, found form {version}, which a newer caspipe wrote: run that version, "
            "or take another output folder"
        )
    if version != _VERSION or not tables >= _TABLES:
        raise damaged(path, "an empty file" if not tables else "an incomplete one")


def _version(database: sqlite3.Connection) -> int:
    return int(database.execute("PRAGMA user_version").fetchone()[0])


def _tables(database: sqlite3.Connection) -> set[str]:
    return {str(name) for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


@dataclass(frozen=True, slots=True)
class Row:
    """A document."""

    number: int
    """In reading order, from 1."""
    id: str
    content: str
    """Keyed hash of the content in hexadecimal. If it was merged from a shard, preceded by the key of its ledger."""
    status: str
    """released, quarantined or skipped."""
    reason: str = ""
    component: str = ""
    cause: str = ""
    message: str = ""
    seconds: float = 0.0
    attempts: int = 1
    outputs: tuple[Output, ...] = ()
    states: dict[str, Any] | None = None
    """Resume states by id of the consumer; under `""` the counts for the report."""
    run: int = 0

    def outputs_of(self, consumer: str) -> list[Output]:
        """Return what a consumer wrote for this document."""
        return [o for o in self.outputs if o.consumer == consumer]

    def together(self, consumer: str) -> tuple[str, int] | None:
        """Return key and number of the documents that share an output of a consumer; None if this one has its own."""
        state = (self.states or {}).get(consumer)
        group = state.get("together") if isinstance(state, dict) else None
        return (str(group[0]), int(group[1])) if group else None


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run."""

    run: int
    name: str
    started: str
    """UTC."""
    ended: str
    state: str
    """`running` (or interrupted), `done`, or why it stopped."""
    code: str
    """Version of caspipe's code."""
    fingerprint: str
    shard: str
    total: int | None
    """Number of documents in the input, if it was known."""
    read: int
    released: int
    quarantined: int
    skipped: int
    seconds: float
    ids: str = ""
    """For a shard: SHA-256 over the ids of all documents of the input in reading order, including those of other shards."""


def row_of(values: tuple[Any, ...]) -> Row:
    """Return a row of the table as an object."""
    run, number, id_, content, status, reason, component, cause, message, seconds, attempts, outputs, states = values
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
        json.loads(states) if states else None,
        run,
    )
