"""Folders and files with original text that existed before: closed to other users, or refused if others control them."""

from __future__ import annotations

import contextlib
import os
import stat
import warnings
from pathlib import Path

from ...typesystem import CaspipeWarning
from ..errors import ConsumerError

_OTHERS = 0o077
_LEFT = "others could read or replace what is in it"


def close_folder(folder: Path) -> None:
    """Remove the access of others from a folder and what is in it, with a warning if there was any.

    Raises ConsumerError for a symbolic link, for a folder of another user, in a folder that everyone can change, and if its mode
    cannot be changed.
    """
    if os.name != "posix":
        return
    above = folder.parent.stat()
    if above.st_mode & stat.S_IWOTH and not above.st_mode & stat.S_ISVTX:
        raise ConsumerError(
            f"{folder}: it is in {folder.parent}, which every user can change (mode {_mode(above)}), so {_LEFT}: "
            f"chmod o-w {folder.parent}, or take another output folder"
        )
    if _close(folder, stat.S_ISDIR, "a folder"):
        for place, folders, files in os.walk(folder):
            for name in (*folders, *files):
                _remove_access(Path(place, name))


def close_file(path: Path) -> None:
    """Remove the access of others from a file, as `close_folder`."""
    if os.name == "posix":
        _close(path, stat.S_ISREG, "a file")


def _close(path: Path, is_kind: object, kind: str) -> bool:
    """Return whether others had access to a path, which they do not have any more."""
    status = path.lstat()
    if not is_kind(status.st_mode):  # type: ignore[operator]
        found = "a symbolic link" if stat.S_ISLNK(status.st_mode) else "something else"
        raise ConsumerError(f"{path}: expected {kind} of its own, found {found}, so {_LEFT}")
    if status.st_uid != os.geteuid():
        raise ConsumerError(
            f"{path}: expected {kind} of the user {os.geteuid()}, found one of {status.st_uid}, who could read or replace "
            "what is in it: take another output folder, or change its owner"
        )
    if not status.st_mode & _OTHERS:
        return False
    try:
        path.chmod(status.st_mode & ~_OTHERS & 0o7777)
    except OSError as error:
        raise ConsumerError(
            f"{path}: others can use it (mode {_mode(status)}), and that cannot be changed: {error.strerror}"
        ) from None
    after = path.lstat()
    what = (
        f"its mode was {_mode(status)}, so others could use it; now it is {_mode(after)}"
        if not after.st_mode & _OTHERS
        else f"others can use it (mode {_mode(after)}): this file system keeps no modes, so protect it by other means"
    )
    warnings.warn(f"{path}: {what}", CaspipeWarning, stacklevel=2)
    return True


def _remove_access(path: Path) -> None:
    with contextlib.suppress(OSError):  # closed by the folder around it
        mode = path.lstat().st_mode
        if mode & _OTHERS and not stat.S_ISLNK(mode):
            path.chmod(mode & ~_OTHERS & 0o7777)


def _mode(status: os.stat_result) -> str:
    return f"{stat.S_IMODE(status.st_mode):04o}"
