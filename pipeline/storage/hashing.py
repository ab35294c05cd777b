"""Hashes of files and of the code of caspipe, cached per process."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ..errors import ResourceError

PACKAGE = Path(__file__).resolve().parents[2]
"""Folder with the five packages of caspipe: the checkout, or `caspipe` among the installed packages."""

FOLDERS = ("typesystem", "pipeline", "annotators", "readers", "consumers")
_DATA = ("configs/lexicons", "annotators/identifiers/rules", "readers/synthetic/templates")
"""Shipped data that the code reads without a parameter."""

_KNOWN: dict[tuple[str, int, int], str] = {}


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal, cached by path, size and modification time.

    Raises ResourceError if the file cannot be read.
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
    """Return the name of a shipped file relative to the package; empty for other files."""
    resolved = path.resolve()
    name = resolved.relative_to(PACKAGE).as_posix() if resolved.is_relative_to(PACKAGE) else ""
    return name if name.partition("/")[0] in (*FOLDERS, "configs") else ""


def below(path: Path) -> list[Path]:
    """Return a file itself, or all files in a folder and below, sorted by name, without hidden files, caches of Python and links
    to folders. Raises ResourceError if the path does not exist."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise ResourceError(f"no file or folder called {path}")
    paths: list[Path] = []
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "__pycache__")
        paths += [Path(folder, name) for name in files if not name.startswith(".") and not name.endswith(".pyc")]
    return sorted((file for file in paths if file.is_file()), key=lambda file: file.relative_to(path).parts)


@cache
def code_version() -> str:
    """Return the version of caspipe with a hash of its code, rules and lists: `0.1.0+sha256.<hex>`.

    It is the same for a checkout and for an installation of it.
    """
    digest = hashlib.sha256()
    for name, path in _code():
        with open(path, "rb") as file:  # noqa: PTH123  a Path for each of hundreds of files costs a third of the time
            data = file.read()
        digest.update(f"{name}\0{len(data)}\n".encode() + data)
    return f"{caspipe_version()}+sha256.{digest.hexdigest()}"


def caspipe_version() -> str:
    """Return the version of caspipe; `0` if it is not installed."""
    try:
        return version("caspipe")
    except PackageNotFoundError:
        return "0"


def _code() -> list[tuple[str, str]]:
    """Return (relative name, path) of the files of caspipe, in an order that does not depend on the file system."""
    root = str(PACKAGE)
    digests: list[tuple[str, str]] = []
    for top in (*FOLDERS, *_DATA[:1]):
        for folder, folders, files in os.walk(f"{root}{os.sep}{top}"):
            folders[:] = [name for name in folders if name != "__pycache__"]
            at = folder[len(root) + 1 :].replace(os.sep, "/")
            data = any(at == name or at.startswith(f"{name}/") for name in _DATA)
            digests += [
                (f"{at}/{name}", f"{folder}{os.sep}{name}")
                for name in files
                if name.endswith(".py") or (data and not name.startswith(".") and not name.endswith(".pyc"))
            ]
    return sorted(digests)
