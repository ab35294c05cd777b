"""Which files a reader reads: a folder, patterns, lists; in a stable order, never outside the folder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from ..pipeline.errors import ReaderError, nearest


@dataclass(frozen=True, slots=True)
class Source:
    """One file: its path and the document id it stands for. `fault` says why it must not be read."""

    path: str
    id: str
    fault: str = ""


def select_folder(folder: Path, pattern: str, suffixes: Sequence[str]) -> list[Source]:
    """The files below `folder` that match, sorted by their parts, code point by code point.

    A pattern without `/` matches file names at any depth; one with `/` matches paths in the folder, where `**` stands for
    any number of folders. It also matches `.gz` files behind it. Files and folders that begin with a dot are left out
    unless the pattern's last part begins with one. Symbolic links may not leave the folder. Raises ReaderError where the
    folder is absent or nothing matches.
    """
    if not folder.is_dir():
        raise ReaderError(f"expected a folder, found {_instead(folder)}")
    parts = _pattern_parts(pattern)
    real = os.path.realpath(folder)
    found: list[tuple[tuple[str, ...], str]] = []
    others: list[str] = []
    for name, fault in _walk(folder, real, hidden=parts[-1].startswith(".")):
        path = tuple(name.split("/"))
        unpacked = (*path[:-1], path[-1].removesuffix(".gz"))
        if name.endswith("/") or _matches(path, parts) or _matches(unpacked, parts):
            found.append((path, fault))
        elif len(others) < 1000:
            others.append(name)
    if not found:
        endings = sorted({Path(name).suffix or "no suffix" for name in others})[:6]
        there = f"; its files end in {', '.join(endings)}" if endings else "; it holds no files"
        raise ReaderError(f"no file matches {pattern} in {folder}{nearest(pattern, others) or there}")
    found.sort()
    return [
        Source(str(folder.joinpath(*path)), document_id("/".join(path), (*suffixes, _suffix(parts[-1]))), fault)
        for path, fault in found
    ]


def select_files(files: Iterable[Path], folder: Path | None, suffixes: Sequence[str]) -> list[Source]:
    """The listed files, in the order of the list; one with wildcards stands for all that match, sorted.

    Ids are relative to `folder`, which must then hold them all, else to the folder before the first wildcard, else the
    file's name. Raises ReaderError for a file that is absent or lies elsewhere.
    """
    found: dict[str, Source] = {}
    for file in files:
        wild = next((i for i, part in enumerate(file.parts) if any(c in part for c in "*?[")), None)
        if wild is not None and not file.exists():
            base = Path(*file.parts[:wild])
            for s in select_folder(base, "./" + "/".join(file.parts[wild:]), suffixes):
                where = _place(base, folder)
                found.setdefault(s.path, Source(s.path, s.id if where is None else (where / s.id).as_posix(), s.fault))
        elif not file.exists():
            raise ReaderError(f"expected a file, found {_instead(file)}")
        elif file.is_dir():
            raise ReaderError(f"{file} is a folder: give it as `folder`")
        else:
            where = _place(file, folder)
            name = file.name if where is None else where.as_posix()
            found.setdefault(str(file), Source(str(file), document_id(name, suffixes)))
    return list(found.values())


def _place(path: Path, folder: Path | None) -> Path | None:
    """The path in the folder, None without a folder. Raises ReaderError where it lies elsewhere, also by a link."""
    if folder is None:
        return None
    if not _inside(path, os.path.realpath(folder)):
        raise ReaderError(
            f"{path} does not lie in {folder}: leave `folder` out, or name a folder that holds all `files`"
        )
    return Path(os.path.relpath(path, folder))


def without_duplicates(sources: Iterable[Source]) -> Iterator[Source]:
    """The sources; one whose document id was there before carries a fault that names both files."""
    seen: dict[str, str] = {}
    for s in sources:
        if s.id in seen and not s.fault:
            yield Source(s.path, s.id, f"its document id is that of {seen[s.id]} too")
        else:
            seen.setdefault(s.id, s.path)
            yield s


def document_id(name: str, suffixes: Sequence[str]) -> str:
    """A relative path without `.gz` and without the first of the suffixes it ends in."""
    name = name.removesuffix(".gz")
    return next((name.removesuffix(s) for s in suffixes if s and name.endswith(s) and len(name) > len(s)), name)


def _pattern_parts(pattern: str) -> tuple[str, ...]:
    parts = tuple(p for p in pattern.split("/") if p not in ("", "."))
    if not parts or ".." in parts:
        raise ReaderError(f"pattern: expected a file name pattern like *.txt, got {pattern!r}")
    return parts if "/" in pattern else ("**", *parts)


def _suffix(pattern: str) -> str:
    """The literal suffix of a pattern: `.text` of `*.text`, nothing of `*`."""
    dot = pattern.removesuffix(".gz").rpartition(".")
    return f".{dot[2]}" if dot[1] and dot[2] and not any(c in dot[2] for c in "*?[]") else ""


def _matches(path: Sequence[str], pattern: Sequence[str]) -> bool:
    if not pattern:
        return not path
    if pattern[0] == "**":
        return any(_matches(path[n:], pattern[1:]) for n in range(len(path) + 1))
    return bool(path) and fnmatchcase(path[0], pattern[0]) and _matches(path[1:], pattern[1:])


def _walk(folder: Path, real: str, hidden: bool) -> Iterator[tuple[str, str]]:
    """(relative path, fault) of every file below the folder, and of folders that cannot be read, with a `/` at the end."""
    leaves = "a symbolic link that leaves the folder is not followed"
    waiting = [(str(folder), "")]
    while waiting:
        at, prefix = waiting.pop()
        try:
            with os.scandir(at) as entries:
                for entry in entries:
                    if entry.name.startswith(".") and not hidden:
                        continue
                    linked = entry.is_symlink()
                    if linked and not _inside(entry.path, real):
                        yield f"{prefix}{entry.name}{'/' if entry.is_dir() else ''}", leaves
                    elif entry.is_dir(follow_symlinks=False):
                        waiting.append((entry.path, f"{prefix}{entry.name}/"))
                    elif not (linked and entry.is_dir()):  # a linked folder inside is read under its own name
                        yield prefix + entry.name, ""
        except OSError as error:
            yield prefix or "./", f"cannot list the folder: {error.strerror or type(error).__name__}"


def _inside(path: str | Path, real: str) -> bool:
    return os.path.commonpath((os.path.realpath(path), real)) == real


def _instead(path: Path) -> str:
    """What is there in place of a missing path: the nearest name in the deepest folder that exists."""
    if path.exists():
        return f"a file: {path}"
    parent = next((p for p in path.parents if p.exists()), Path())
    missing = path.relative_to(parent).parts[0] if path.is_relative_to(parent) else path.name
    if not parent.is_dir():
        return f"none at {path}: {parent} is a file"
    return f"none at {path}{nearest(missing, sorted(p.name for p in parent.iterdir()))}"
