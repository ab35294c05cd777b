"""Which files a reader reads: a folder, patterns, lists; in a stable order, never outside the folder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from ...pipeline.errors import ReaderError, nearest
from ...pipeline.storage.digest_set import Digests
from .archive import MARK, archive, has_member, is_archive, split, stem
from .sources import Source, Sources

__all__ = ["LEAVES", "Source", "Sources", "leaves", "select_files", "select_folder", "without_duplicates"]

LEAVES = "a symbolic link that leaves the folder is not followed"
_BETWEEN, _FAULT = "\0", "\0\0"  # no name holds a null character, and it sorts before all others


def select_folder(folder: Path, pattern: str, suffixes: Sequence[str]) -> Sources:
    """The files below `folder` that match, sorted by their parts, code point by code point.

    The folder may be an archive or lie in one; of a compressed tar the files keep the archive's order. A pattern without `/`
    matches file names at any depth; one with `/` matches paths in the folder, where `**` stands for any number of folders. It
    also matches `.gz` files behind it. Files and folders that begin with a dot are left out unless the pattern's last part
    begins with one. Symbolic links may not leave the folder. Raises ReaderError where the folder is absent or nothing matches.
    """
    inside = split(folder)
    if inside is None and not folder.is_dir():
        raise ReaderError(f"expected a folder, found {_instead(folder)}")
    parts = _pattern_parts(pattern)
    hidden = parts[-1].startswith(".")
    found: list[str] = []  # one string for each file: there can be millions
    others: list[str] = []
    for name, fault in _walk_archive(*inside, hidden) if inside else _walk(folder, os.path.realpath(folder), hidden):
        path = tuple(name.split("/"))
        unpacked = (*path[:-1], path[-1].removesuffix(".gz"))
        if name.endswith("/") or _matches(path, parts) or _matches(unpacked, parts):
            found.append(_BETWEEN.join(path) + (_FAULT + fault if fault else ""))
        elif len(others) < 1000:
            others.append(name)
    if not found:
        endings = sorted({Path(name).suffix or "no suffix" for name in others})[:6]
        there = f"; its files end in {', '.join(endings)}" if endings else "; it holds no files"
        raise ReaderError(f"no file matches {pattern} in {folder}{nearest(pattern, others) or there}")
    if inside is None or not archive(inside[0]).in_order:
        found.sort()
    return Sources(_sources(found, folder, inside, (*suffixes, _suffix(parts[-1]))))


def _sources(
    found: Iterable[str], folder: Path, inside: tuple[str, str] | None, dropped: Sequence[str]
) -> Iterator[Source]:
    for entry in found:
        path, _, fault = entry.rpartition(_FAULT) if _FAULT in entry else (entry, "", "")
        name = path.replace(_BETWEEN, "/")
        yield Source(_joined(folder, inside, name), document_id(name, dropped), fault)
    if inside and archive(inside[0]).fault:
        yield Source(inside[0], Path(inside[0]).name, archive(inside[0]).fault)


def select_files(
    files: Iterable[Path], folder: Path | None, suffixes: Sequence[str], pattern: str = "*"
) -> list[Source]:
    """The listed files, in the order of the list; one with wildcards stands for all that match, sorted, and an archive for all
    its members that match `pattern`, unless that is made for archives.

    Ids are relative to `folder`, which must then hold them all, else to the folder before the first wildcard, else the
    file's name; those of members are their paths in the archive, with its name before them where it is relative to a folder.
    Raises ReaderError for a file that is absent or lies elsewhere.
    """
    found: dict[str, Source] = {}

    def add(source: Source, *, many: bool) -> None:
        """Takes a file in, or the members of an archive. `many`: there are other archives, whose ids its own must not be."""
        if source.fault or not is_archive(source.path) or is_archive(pattern):
            found.setdefault(source.path, source)
            return
        for member in _members(source, pattern, suffixes, many):
            found.setdefault(f"{member.path}\n{member.fault}", member)  # a name that is there twice has a fault

    for file in files:
        wild = next((i for i, part in enumerate(file.parts) if any(c in part for c in "*?[")), None)
        at = split(file)
        there = file.exists() if at is None else not at[1] or has_member(str(file))
        if wild is not None and not there:
            base = Path(*file.parts[:wild])
            for s in select_folder(base, "./" + "/".join(file.parts[wild:]), suffixes):
                where = _place(base, folder)
                add(Source(s.path, s.id if where is None else (where / s.id).as_posix(), s.fault), many=True)
        elif not there:
            raise ReaderError(f"expected a file, found {_instead(file)}")
        elif file.is_dir():
            raise ReaderError(f"{file} is a folder: give it as `folder`")
        else:
            where = _place(file, folder)
            name = file.name if where is None else where.as_posix()
            add(Source(str(file), document_id(name, suffixes)), many=where is not None)
    if found and all(s.fault for s in found.values()) and any(is_archive(s.path) for s in found.values()):
        first = next(s for s in found.values() if is_archive(s.path))
        raise ReaderError(f"{first.path}: {first.fault}")
    return list(found.values())


def _members(source: Source, pattern: str, suffixes: Sequence[str], many: bool) -> Iterator[Source]:
    """The members of an archive that match. One that cannot be read is a fault of its own: there may be others."""
    before = f"{stem(source.id)}/" if many else ""
    try:
        for s in select_folder(Path(source.path), pattern, suffixes):
            yield Source(s.path, before + s.id, s.fault)
    except ReaderError as error:
        yield Source(source.path, source.id, str(error).removeprefix(f"{source.path}: "))


def _joined(folder: Path, inside: tuple[str, str] | None, name: str) -> str:
    """The path of a file by its name in the folder."""
    if inside is None:
        return str(folder.joinpath(*name.split("/")))
    return f"{inside[0]}{MARK}{inside[1]}/{name}" if inside[1] else f"{inside[0]}{MARK}{name}"


def _place(path: Path, folder: Path | None) -> Path | None:
    """The path in the folder, None without a folder. Raises ReaderError where it lies elsewhere, also by a link."""
    if folder is None:
        return None
    at, within = split(path), split(folder)
    if within is not None:
        same = at is not None and Path(at[0]).samefile(within[0])
        if at is not None and same and f"{at[1]}/".startswith(f"{within[1]}/".lstrip("/")):
            return Path(os.path.relpath(at[1] or ".", within[1] or "."))
    elif _inside(at[0] if at else path, os.path.realpath(folder)):
        packed = os.path.relpath(at[0], folder) if at else ""
        return Path(stem(packed), at[1]) if at and at[1] else Path(os.path.relpath(path, folder))
    raise ReaderError(f"{path} does not lie in {folder}: leave `folder` out, or name a folder that holds all `files`")


def without_duplicates(sources: Sequence[Source]) -> Iterator[Source]:
    """The sources; one whose document id was there before carries a fault that names both files."""
    ids, several = Digests(64), set[str]()
    for s in sources:
        if not ids.add(s.id):
            several.add(s.id)
    first: dict[str, str] = {}
    for s in sources:
        if s.id not in several:
            yield s
        elif s.id in first and not s.fault:
            yield Source(s.path, s.id, f"its document id is that of {first[s.id]} too", twice=True)
        else:
            first.setdefault(s.id, s.path)
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
                        yield f"{prefix}{entry.name}{'/' if _is_folder(entry) else ''}", LEAVES
                    elif entry.is_dir(follow_symlinks=False):
                        waiting.append((entry.path, f"{prefix}{entry.name}/"))
                    elif not (linked and _is_folder(entry)):  # a linked folder inside is read under its own name
                        yield prefix + entry.name, ""
        except OSError as error:
            yield prefix or "./", f"cannot list the folder: {error.strerror or type(error).__name__}"


def _walk_archive(path: str, prefix: str, hidden: bool) -> Iterator[tuple[str, str]]:
    """(relative path, fault) of every file of an archive below a folder in it. Raises ReaderError where that is absent."""
    members = archive(path).members
    empty = True
    for member in members:
        shown = not any(p.startswith(".") and not p.startswith("..") for p in member.name.split("/"))
        if prefix and not member.name.startswith(f"{prefix}/"):
            continue
        empty = False
        if hidden or shown:
            yield member.name[len(prefix) + 1 :] if prefix else member.name, member.fault
    if prefix and empty:
        folders = sorted({m.name.rpartition("/")[0] for m in members[:1000]})
        there = f"{path}{MARK}{prefix}{nearest(prefix, folders)}"
        raise ReaderError(f"expected a folder in the archive, found none at {there}")


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether it is a folder or a link to one; a link that leads round in circles is none."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def leaves(path: str, folder: Path) -> bool:
    """Whether a file beside another one is a link out of the folder that is read."""
    return split(path) is None and split(folder) is None and not _inside(path, os.path.realpath(folder))


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
