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
"""What the outputs of all documents name, to be found by its path: a run asks for every document that fails."""
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
"""In one transaction: where it is cut off, nothing of it is there."""


def connected(path: Path) -> sqlite3.Connection:
    """The database, open. Raises OutputError where it cannot be."""
    with told(path):
        database = sqlite3.connect(path, timeout=30, isolation_level="DEFERRED")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
    return database


def form(database: sqlite3.Connection, path: Path) -> None:
    """Gives an empty database the form of a ledger. Raises ConsumerError for one that is something else."""
    found = database.execute("PRAGMA user_version").fetchone()[0]
    if found == 0:
        if database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise ConsumerError(f"{path}: expected a ledger, found another database")
        database.executescript(_SCHEMA)
    check(database, path)


def check(database: sqlite3.Connection, path: Path) -> None:
    """Raises ConsumerError where a database is no ledger that can be read."""
    found = database.execute("PRAGMA user_version").fetchone()[0]
    if found != _VERSION:
        raise ConsumerError(f"{path}: expected a ledger of form {_VERSION}, found form {found}")


@contextlib.contextmanager
def told(path: Path) -> Iterator[None]:
    """Errors of SQLite by name of the file; a disk that is full ends the run."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "") or type(error).__name__
        raise OutputError(f"{path}: cannot use the ledger: {name}") from None
