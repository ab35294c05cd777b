"""Hashes of files and of caspipe's own code, each computed once in a process."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ..errors import ResourceError

PACKAGE = Path(__file__).resolve().parents[2]
"""Where the five folders of caspipe's code lie: the checkout, or `caspipe` among the installed packages."""

FOLDERS = ("typesystem", "pipeline", "annotators", "readers", "consumers")
_DATA = ("configs/lexicons", "annotators/identifiers/rules", "readers/synthetic/templates")
"""Shipped data that code reads without being told to by a parameter."""

_KNOWN: dict[tuple[str, int, int], str] = {}


def file_digest(path: Path) -> str:
    """SHA-256 of a file's bytes, hexadecimal; remembered by path, size and time of change.

    Raises ResourceError that names a file which cannot be read.
    """
    try:
        stat = path.stat()
        key = str(path), stat.st_size, stat.st_mtime_ns
        if key not in _KNOWN:
            with path.open("rb") as file:
                _KNOWN[key] = hashlib.file_digest(file, "sha256").hexdigest()
        return _KNOWN[key]
    except OSError as error:
        raise ResourceError(f"{path}: cannot be read: {error.strerror or type(error).__name__}") from None


def shipped_name(path: Path) -> str:
    """The name of a file that ships with caspipe, relative to the package; empty for any other file."""
    resolved = path.resolve()
    name = resolved.relative_to(PACKAGE).as_posix() if resolved.is_relative_to(PACKAGE) else ""
    return name if name.partition("/")[0] in (*FOLDERS, "configs") else ""


def below(path: Path) -> list[Path]:
    """A file itself; of a folder every file in it and below, by name. Hidden files, caches of Python and links to folders
    are left out. Raises ResourceError where there is neither."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise ResourceError(f"no file or folder called {path}")
    found: list[Path] = []
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "__pycache__")
        found += [Path(folder, name) for name in files if not name.startswith(".") and not name.endswith(".pyc")]
    return sorted((file for file in found if file.is_file()), key=lambda file: file.relative_to(path).parts)


def of_names(files: Iterable[tuple[str, str]]) -> str:
    """One hash for (name, hash) of several files, in their order."""
    made = hashlib.sha256()
    for name, digest in files:
        made.update(f"{name}\0{digest}\n".encode())
    return made.hexdigest()


@cache
def code_version() -> str:
    """Version of caspipe and a hash of its code and of what it ships for rules and lists: `0.1.0+sha256.<hex>`.

    The same for a checkout and for what is installed from it.
    """
    digest = hashlib.sha256()
    for name, path in _code():
        with open(path, "rb") as file:  # noqa: PTH123  a Path for each of hundreds of files costs a third of the time
            data = file.read()
        digest.update(f"{name}\0{len(data)}\n".encode() + data)
    return f"{caspipe_version()}+sha256.{digest.hexdigest()}"


def caspipe_version() -> str:
    """The version of caspipe; `0` where it is used without being installed."""
    try:
        return version("caspipe")
    except PackageNotFoundError:
        return "0"


def _code() -> list[tuple[str, str]]:
    """(relative name, path) of what caspipe is made of, in an order that does not depend on the file system."""
    root = str(PACKAGE)
    found: list[tuple[str, str]] = []
    for top in (*FOLDERS, *_DATA[:1]):
        for folder, folders, files in os.walk(f"{root}{os.sep}{top}"):
            folders[:] = [name for name in folders if name != "__pycache__"]
            at = folder[len(root) + 1 :].replace(os.sep, "/")
            data = any(at == name or at.startswith(f"{name}/") for name in _DATA)
            found += [
                (f"{at}/{name}", f"{folder}{os.sep}{name}")
                for name in files
                if name.endswith(".py") or (data and not name.startswith(".") and not name.endswith(".pyc"))
            ]
    return sorted(found)
