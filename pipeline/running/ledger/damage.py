"""Errors for a ledger that cannot be used: they name the file, what was found, and what is safe to do."""

from __future__ import annotations

import contextlib
import shlex
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from ...errors import OutputError
from .lock import lock_of

_KEPT = "Released files are not touched and stay valid."
_ADVICE = {
    "SQLITE_READONLY": "make the file and its folder writable for the user that runs caspipe",
    "SQLITE_CANTOPEN": "make the file and its folder readable and writable for the user that runs caspipe",
    "SQLITE_PERM": "make the file and its folder readable and writable for the user that runs caspipe",
    "SQLITE_FULL": "free space on the disk, then run again with --resume",
    "SQLITE_IOERR": "check the disk, then run again with --resume",
    "SQLITE_BUSY": "end the program that has it open, then run again with --resume",
    "SQLITE_LOCKED": "end the program that has it open, then run again with --resume",
}
"""Advice for errors other than damage, by the begin of SQLite's name for them."""


class LedgerError(OutputError):
    """A ledger cannot be used. The message says what is safe to do."""


def damaged(path: Path, what: str) -> LedgerError:
    """Return the error for a file that is not a whole ledger."""
    return LedgerError(f"{path}: expected a ledger, found {what}. {_KEPT} {way_out(path)}")


def way_out(path: Path) -> str:
    """Return what to do without a usable ledger."""
    aside = path.with_name("damaged-ledger")
    files = f"{shlex.quote(str(path))}*"
    return (
        f"Put back a copy of this file and run again with --resume; or run `mkdir {shlex.quote(str(aside))} && mv {files} "
        f"{shlex.quote(str(aside))}` and run again without --resume, which processes every document again; or take another "
        "output folder"
    )


def elsewhere(path: Path, own: Path) -> str:
    """Return what else to do for a ledger outside the output folder, to which the folder is bound by a lock file."""
    lock = shlex.quote(str(lock_of(own)))
    return f". Because {path} lies outside the output folder, also remove {lock}"


@contextlib.contextmanager
def database_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite into a LedgerError, which ends the run."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "") or type(error).__name__
        advice = next((told for begin, told in _ADVICE.items() if name.startswith(begin)), "")
        if advice:
            raise LedgerError(f"{path}: cannot use the ledger: {name}. {_KEPT} To go on, {advice}") from None
        raise damaged(path, f"a damaged one ({name})") from None
