"""The tables of a ledger, and how its database is opened."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from ...errors import ConsumerError, OutputError

_VERSION = 1
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
    """Open the database. Raises OutputError if that fails."""
    with database_errors(path):
        database = sqlite3.connect(path, timeout=30, isolation_level="DEFERRED")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
    return database


def initialize(database: sqlite3.Connection, path: Path) -> None:
    """Create the tables in an empty database. Raises ConsumerError if the file is another database."""
    found = database.execute("PRAGMA user_version").fetchone()[0]
    if found == 0:
        if database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise ConsumerError(f"{path}: expected a ledger, found another database")
        database.executescript(_SCHEMA)
    check(database, path)


def check(database: sqlite3.Connection, path: Path) -> None:
    """Raise ConsumerError if a database is not a ledger of this version."""
    found = database.execute("PRAGMA user_version").fetchone()[0]
    if found != _VERSION:
        raise ConsumerError(f"{path}: expected a ledger of form {_VERSION}, found form {found}")


@contextlib.contextmanager
def database_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite into an OutputError with the name of the file, which ends the run."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "") or type(error).__name__
        raise OutputError(f"{path}: cannot use the ledger: {name}") from None
