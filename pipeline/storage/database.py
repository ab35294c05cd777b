"""Databases for readers and consumers: engines from URLs, and error messages without passwords or data."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ..errors import ResourceError

if TYPE_CHECKING:
    from sqlalchemy import URL, Engine

_EXPECTED = "expected one like postgresql://user:password@host/database or sqlite:///file.db"
_DRIVERS = {"postgres": "postgresql+psycopg", "postgresql": "postgresql+psycopg"}
_IDENTIFIER = re.compile(r"no such (?:table|column): [\w.]{1,100}")
_WORDS = {
    "42P01": "there is no such table",
    "42703": "there is no such column",
    "42601": "a syntax error in the query",
    "42501": "permission denied",
    "28": "user or password refused",
    "3D000": "there is no such database",
    "08": "the connection broke",
    "57P01": "the server was shut down",
    "57P02": "the server crashed",
    "57P03": "the server is not ready",
    "57014": "the query was cancelled",
    "25006": "the query would write, and this reader only reads",
    "23505": "a unique key already exists",
    "23": "a constraint of the table is violated",
    "22": "a value does not fit its column",
    "53": "the server lacks disk, memory or connections",
    "SQLITE_BUSY": "another program has locked the database",
    "SQLITE_LOCKED": "another program has locked the database",
    "SQLITE_READONLY": "the query would write, and the database is open for reading only",
    "SQLITE_CORRUPT": "the database is damaged",
    "SQLITE_NOTADB": "the file is not a database",
    "SQLITE_CANTOPEN": "the file cannot be opened",
    "SQLITE_FULL": "the disk is full",
    "SQLITE_CONSTRAINT": "a constraint of the table is violated",
}
"""Meaning of error codes: SQLSTATE (ISO 9075; classes by their first two characters) and result codes of SQLite."""


def sqlalchemy(of: str) -> Any:
    """Import SQLAlchemy. Raises ResourceError for the component `of` if it is not installed."""
    try:
        import sqlalchemy as sa
    except ImportError:
        raise ResourceError(f"{of} needs SQLAlchemy: pip install 'caspipe[sql]'") from None
    return sa


def parsed(url: str, of: str) -> URL:
    """Parse the URL of a database; `postgresql` uses psycopg. Raises ValueError without quoting the URL."""
    sa = sqlalchemy(of)
    try:
        parsed_url: URL = sa.make_url(url)
    except Exception:  # its message holds the URL
        parsed_url = None  # type: ignore[assignment]
    if parsed_url is None:
        raise ValueError(f"url: {_EXPECTED}")
    return parsed_url.set(drivername=_DRIVERS.get(parsed_url.drivername, parsed_url.drivername))


def shown(url: URL) -> str:
    """Return a URL for messages, without the password and the query, which may contain one."""
    return url._replace(query={}, password=None).render_as_string()  # type: ignore[arg-type]


def file_of(url: URL) -> Path | None:
    """Return the file of an SQLite database; None for other databases and for those in memory."""
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        return None
    return Path(str(url.database))


def engine(url: URL, of: str, *, read_only: bool) -> Engine:
    """Create an engine that does not keep connections open and does not quote data in errors.

    SQLite: reading never creates a file, and writing is one transaction, including the creation of tables. Raises ResourceError
    if the driver is not installed.
    """
    sa = sqlalchemy(of)
    from sqlalchemy.pool import NullPool

    options: dict[str, Any] = {"hide_parameters": True, "poolclass": NullPool}
    path = file_of(url)
    if path is not None and read_only:
        source = f"file:{quote(str(path.absolute()))}?mode=ro"
        options["creator"] = lambda: sqlite3.connect(source, uri=True)
    created: Engine | None = None
    try:
        created = sa.create_engine(
            url, json_serializer=partial(json.dumps, ensure_ascii=False, separators=(",", ":")), **options
        )
    except (ImportError, sa.exc.NoSuchModuleError) as error:
        missing = getattr(error, "name", None) or url.drivername
    if created is None:
        raise ResourceError(f"{of} needs the driver {missing} for {url.drivername}: install it")
    if url.get_backend_name() == "sqlite":
        _set_up_sqlite(created, read_only)
    return created


def _set_up_sqlite(database: Engine, read_only: bool) -> None:
    from sqlalchemy import event

    @event.listens_for(database, "connect")
    def connected(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # else tables are made outside the transaction
        connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")  # sqlite3's own error quotes it

    @event.listens_for(database, "begin")
    def begun(connection: Any) -> None:
        if read_only:
            connection.exec_driver_sql("BEGIN")
            return
        connection.info["patience"] = connection.exec_driver_sql("PRAGMA busy_timeout").scalar()
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        # while another process reads, pages cannot be written before the end; SQLite would wait for each of them
        connection.exec_driver_sql("PRAGMA busy_timeout = 0")

    @event.listens_for(database, "commit")
    def ending(connection: Any) -> None:
        if not read_only:
            connection.exec_driver_sql(f"PRAGMA busy_timeout = {int(connection.info['patience'])}")


def error_text(error: BaseException) -> str:
    """Describe an error by its code only, because drivers quote data and passwords in messages."""
    original = getattr(error, "orig", None) or error
    if isinstance(original, OSError) and original.errno:
        return os.strerror(original.errno)
    code = getattr(original, "sqlstate", None) or getattr(original, "sqlite_errorname", None) or ""
    words = _WORDS.get(code) or _WORDS.get(code[:2]) or _WORDS.get("_".join(code.split("_")[:2]))
    if not words and code == "SQLITE_ERROR" and _IDENTIFIER.fullmatch(str(original)):
        words = str(original)  # names of the query or of the table, never values
    if not words and getattr(error, "connection_invalidated", False):
        words = "the connection broke"
    return f"{words or type(original).__name__} ({code})" if code else words or type(original).__name__
