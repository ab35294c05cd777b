"""Select the files of a reader by folder, pattern or list, in a stable order and never outside the folder."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import overload

from ...pipeline.errors import ReaderError, nearest
from ...pipeline.storage.archives.archive import MARK, is_archive, split, stem
from ...pipeline.storage.archives.open_archives import archive, has_member
from ...pipeline.storage.digest_set import Digests

_BLOCK = 256
"""Number of sources that are compressed together."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file: its path and its document id. `fault`: why it must not be read."""

    path: str
    id: str
    fault: str = ""
    duplicate: bool = False
    """True if the fault is a document id that another file has."""


class Sources(Sequence[Source]):
    """An immutable list of sources, compressed in blocks. The last block is cached, so that iteration in order is fast."""

    def __init__(self, sources: Iterable[Source] = ()) -> None:
        rest = iter(sources)
        self._blocks: list[bytes] = []
        self._length = 0
        while block := list(islice(rest, _BLOCK)):
            rows = [[s.path, s.id, s.fault, s.duplicate] for s in block]
            self._blocks.append(zlib.compress(json.dumps(rows).encode(), 1))
            self._length += len(block)
        self._last: tuple[int, list[Source]] = (-1, [])

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Source: ...
    @overload
    def __getitem__(self, index: slice) -> list[Source]: ...
    def __getitem__(self, index: int | slice) -> Source | list[Source]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._length))]
        number = range(self._length)[index]
        return self._block(number // _BLOCK)[number % _BLOCK]

    def __iter__(self) -> Iterator[Source]:
        for number in range(len(self._blocks)):
            yield from self._block(number)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def _block(self, number: int) -> list[Source]:
        cached, block = self._last
        if cached != number:
            block = [Source(*row) for row in json.loads(zlib.decompress(self._blocks[number]))]
            self._last = number, block
        return block

    def __repr__(self) -> str:
        return f"<Sources: {self._length:,} files>"


LEAVES = "a symbolic link that leaves the folder is not followed"
_BETWEEN, _FAULT = "\0", "\0\0"  # names cannot contain a null character, which sorts before all others


def select_folder(folder: Path, pattern: str, suffixes: Sequence[str]) -> Sources:
    """Return the files below `folder` that match, sorted by the parts of their paths in code point order.

    The folder may be an archive or be in one; the files of a compressed tar keep the archive's order. A pattern without `/`
    matches file names at any depth; one with `/` matches paths in the folder, where `**` means any number of folders. It also
    matches names with an additional `.gz`. Files and folders whose name begins with a dot are left out unless the pattern's last
    part begins with one. Symbolic links may not leave the folder. Raises ReaderError if the folder does not exist or nothing
    matches.
    """
    inside = split(folder)
    if inside is None and not folder.is_dir():
        raise ReaderError(f"expected a folder, found {_instead(folder)}")
    parts = _pattern_parts(pattern)
    hidden = parts[-1].startswith(".")
    entries: list[str] = []  # one string for each file: there can be millions
    others: list[str] = []
    for name, fault in (
        _walk_archive(*inside, hidden) if inside else walk_folder(folder, os.path.realpath(folder), hidden)
    ):
        path = tuple(name.split("/"))
        unpacked = (*path[:-1], path[-1].removesuffix(".gz"))
        if name.endswith("/") or _matches(path, parts) or _matches(unpacked, parts):
            entries.append(_BETWEEN.join(path) + (_FAULT + fault if fault else ""))
        elif len(others) < 1000:
            others.append(name)
    if not entries:
        endings = sorted({Path(name).suffix or "no suffix" for name in others})[:6]
        available = f"; its files end in {', '.join(endings)}" if endings else "; it contains no files"
        raise ReaderError(f"no file matches {pattern} in {folder}{nearest(pattern, others) or available}")
    if inside is None or not archive(inside[0]).in_order:
        entries.sort()
    return Sources(_sources(entries, folder, inside, (*suffixes, _suffix(parts[-1]))))


def _sources(
    entries: Iterable[str], folder: Path, inside: tuple[str, str] | None, dropped: Sequence[str]
) -> Iterator[Source]:
    for entry in entries:
        path, _, fault = entry.rpartition(_FAULT) if _FAULT in entry else (entry, "", "")
        name = path.replace(_BETWEEN, "/")
        yield Source(_joined(folder, inside, name), document_id(name, dropped), fault)
    if inside and archive(inside[0]).fault:
        yield Source(inside[0], Path(inside[0]).name, archive(inside[0]).fault)


def select_files(
    files: Iterable[Path], folder: Path | None, suffixes: Sequence[str], pattern: str = "*"
) -> list[Source]:
    """Return the listed files in the order of the list.

    A path with wildcards means all files that match, sorted; an archive means all its members that match `pattern`, unless
    the pattern itself matches archives. Ids are relative to `folder`, which must then contain all files, else to the folder
    before the first wildcard, else they are the file's name. Ids of members are their paths in the archive, prefixed with its
    name if that is relative to a folder. Raises ReaderError for a file that does not exist or is outside `folder`.
    """
    sources: dict[str, Source] = {}

    def add(source: Source, *, many: bool) -> None:
        """Add a file, or the members of an archive. `many`: prefix the ids of members with the archive's name."""
        if source.fault or not is_archive(source.path) or is_archive(pattern):
            sources.setdefault(source.path, source)
            return
        for member in _members(source, pattern, suffixes, many):
            sources.setdefault(f"{member.path}\n{member.fault}", member)  # a repeated name has a fault

    for file in files:
        wild = next((i for i, part in enumerate(file.parts) if any(c in part for c in "*?[")), None)
        parts = split(file)
        present = file.exists() if parts is None else not parts[1] or has_member(str(file))
        if wild is not None and not present:
            base = Path(*file.parts[:wild])
            for s in select_folder(base, "./" + "/".join(file.parts[wild:]), suffixes):
                relative = _relative(base, folder)
                id_ = s.id if relative is None else (relative / s.id).as_posix()
                add(Source(s.path, id_, s.fault), many=True)
        elif not present:
            raise ReaderError(f"expected a file, found {_instead(file)}")
        elif file.is_dir():
            raise ReaderError(f"{file} is a folder: give it as `folder`")
        else:
            relative = _relative(file, folder)
            name = file.name if relative is None else relative.as_posix()
            add(Source(str(file), document_id(name, suffixes)), many=relative is not None)
    listed = list(sources.values())
    archives = [s for s in listed if is_archive(s.path)]
    if archives and all(s.fault for s in listed):
        raise ReaderError(f"{archives[0].path}: {archives[0].fault}")
    return listed


def _members(source: Source, pattern: str, suffixes: Sequence[str], many: bool) -> Iterator[Source]:
    """Yield the members of an archive that match. An archive that cannot be read becomes a source with a fault."""
    prefix = f"{stem(source.id)}/" if many else ""
    try:
        for s in select_folder(Path(source.path), pattern, suffixes):
            yield Source(s.path, prefix + s.id, s.fault)
    except ReaderError as error:
        yield Source(source.path, source.id, str(error).removeprefix(f"{source.path}: "))


def _joined(folder: Path, inside: tuple[str, str] | None, name: str) -> str:
    """Return the path of a file from its name in the folder."""
    if inside is None:
        return str(folder.joinpath(*name.split("/")))
    return f"{inside[0]}{MARK}{inside[1]}/{name}" if inside[1] else f"{inside[0]}{MARK}{name}"


def _relative(path: Path, folder: Path | None) -> Path | None:
    """Return the path relative to the folder, None without a folder. Raises ReaderError if it is outside, also by a link."""
    if folder is None:
        return None
    member, base = split(path), split(folder)
    if base is not None:
        same = member is not None and Path(member[0]).samefile(base[0])
        if member is not None and same and f"{member[1]}/".startswith(f"{base[1]}/".lstrip("/")):
            return Path(os.path.relpath(member[1] or ".", base[1] or "."))
    elif is_inside(member[0] if member else path, os.path.realpath(folder)):
        packed = os.path.relpath(member[0], folder) if member else ""
        return Path(stem(packed), member[1]) if member and member[1] else Path(os.path.relpath(path, folder))
    raise ReaderError(f"{path} is not in {folder}: leave `folder` out, or name a folder that contains all `files`")


def without_duplicates(sources: Sequence[Source]) -> Iterator[Source]:
    """Yield the sources; one whose document id occurred before gets a fault that names both files."""
    ids, repeated = Digests(64), set[str]()
    for s in sources:
        if not ids.add(s.id):
            repeated.add(s.id)
    first: dict[str, str] = {}
    for s in sources:
        if s.id not in repeated:
            yield s
        elif s.id in first and not s.fault:
            yield Source(s.path, s.id, f"its document id is that of {first[s.id]} too", duplicate=True)
        else:
            first.setdefault(s.id, s.path)
            yield s


def document_id(name: str, suffixes: Sequence[str]) -> str:
    """Return a relative path without `.gz` and without the first of the suffixes that it ends with."""
    name = name.removesuffix(".gz")
    return next((name.removesuffix(s) for s in suffixes if s and name.endswith(s) and len(name) > len(s)), name)


def _pattern_parts(pattern: str) -> tuple[str, ...]:
    parts = tuple(p for p in pattern.split("/") if p not in ("", "."))
    if not parts or ".." in parts:
        raise ReaderError(f"pattern: expected a file name pattern like *.txt, got {pattern!r}")
    return parts if "/" in pattern else ("**", *parts)


def _suffix(pattern: str) -> str:
    """Return the literal suffix of a pattern: `.text` for `*.text`, nothing for `*`."""
    dot = pattern.removesuffix(".gz").rpartition(".")
    return f".{dot[2]}" if dot[1] and dot[2] and not any(c in dot[2] for c in "*?[]") else ""


def _matches(path: Sequence[str], pattern: Sequence[str]) -> bool:
    if not pattern:
        return not path
    if pattern[0] == "**":
        return any(_matches(path[n:], pattern[1:]) for n in range(len(path) + 1))
    return bool(path) and fnmatchcase(path[0], pattern[0]) and _matches(path[1:], pattern[1:])


def walk_folder(folder: Path, real: str, hidden: bool) -> Iterator[tuple[str, str]]:
    """Yield (relative path, fault) of every file below the folder, and of unreadable folders, which end with `/`."""
    waiting = [(str(folder), "")]
    while waiting:
        path, prefix = waiting.pop()
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    if entry.name.startswith(".") and not hidden:
                        continue
                    linked = entry.is_symlink()
                    if linked and not is_inside(entry.path, real):
                        yield f"{prefix}{entry.name}{'/' if _is_folder(entry) else ''}", LEAVES
                    elif entry.is_dir(follow_symlinks=False):
                        waiting.append((entry.path, f"{prefix}{entry.name}/"))
                    elif not (linked and _is_folder(entry)):  # a linked folder inside is read under its own name
                        yield prefix + entry.name, ""
        except OSError as error:
            yield prefix or "./", f"cannot list the folder: {error.strerror or type(error).__name__}"


def _walk_archive(path: str, prefix: str, hidden: bool) -> Iterator[tuple[str, str]]:
    """Yield (relative path, fault) of every file below a folder in an archive. Raises ReaderError if it does not exist."""
    members = archive(path).members
    empty = True
    for member in members:
        visible = not any(p.startswith(".") and not p.startswith("..") for p in member.name.split("/"))
        if prefix and not member.name.startswith(f"{prefix}/"):
            continue
        empty = False
        if hidden or visible:
            yield member.name[len(prefix) + 1 :] if prefix else member.name, member.fault
    if prefix and empty:
        folders = sorted({m.name.rpartition("/")[0] for m in members[:1000]})
        raise ReaderError(
            f"expected a folder in the archive, found none at {path}{MARK}{prefix}{nearest(prefix, folders)}"
        )


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry is a folder or a link to one; a circular link is not."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def leaves(path: str, folder: Path) -> bool:
    """Return whether a file is a link out of the folder that is read."""
    return split(path) is None and split(folder) is None and not is_inside(path, os.path.realpath(folder))


def is_inside(path: str | Path, real: str) -> bool:
    """Return whether a path, after resolving links, is in the resolved folder `real`."""
    return os.path.commonpath((os.path.realpath(path), real)) == real


def _instead(path: Path) -> str:
    """Describe what exists instead of a missing path: the nearest name in the deepest existing folder."""
    if path.exists():
        return f"a file: {path}"
    parent = next((p for p in path.parents if p.exists()), Path())
    missing = path.relative_to(parent).parts[0] if path.is_relative_to(parent) else path.name
    if not parent.is_dir():
        return f"none at {path}: {parent} is a file"
    return f"none at {path}{nearest(missing, sorted(p.name for p in parent.iterdir()))}"
