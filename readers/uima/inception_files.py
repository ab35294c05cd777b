"""What INCEpTION exports, as files: folders and zips of them, zips in zips, and who annotated what in them."""

from __future__ import annotations

import abc
import io
import os
import posixpath
import stat
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ...pipeline.errors import ReaderError
from ..files.archive import BOMB, DAMAGED, LARGE, MARK, RATIO, TWICE, Budget, cleaned
from ..files.file_reader import bounded
from ..files.selection import LEAVES

CURATION = "CURATION_USER"
"""What INCEpTION calls the author of the curated version."""
_NOBODY = ("INITIAL_CAS", "CORRECTION_USER")
"""Versions of a document as it was imported."""
_TYPES = ("TypeSystem.xml", "typesystem.xml")
_SETTINGS = ("layers", "tagsets", "source", "log", "guidelines", "kb", "images")
_DEEPEST = 2
_READ = (".xmi", ".json", ".zip", ".xml", "/")
"""What names end in that cannot be left out without a word."""


class Tree(abc.ABC):
    """Files below one place, by relative path."""

    def __init__(self, label: str) -> None:
        self.label = label
        """What messages call it."""
        self.names: list[str] = []
        """Paths of the files that may be read, sorted."""
        self.refused: dict[str, str] = {}
        """Paths of those that may not, with the reason."""
        self._known: frozenset[str] | None = None

    @abc.abstractmethod
    def read(self, name: str, limit: int) -> bytes:
        """The content of a file. Raises ReaderError for one of more than `limit` bytes, and for what is damaged."""

    def where(self, name: str) -> str:
        """What messages call a file of it."""
        return f"{self.label}{name}"

    def types_of(self, name: str) -> str:
        """The type system file for a document: its own, or the nearest in its folder and those above; empty for none."""
        folder, _, file = name.rpartition("/")
        if self._known is None:
            self._known = frozenset(self.names)
        known = self._known
        own = posixpath.join(folder, f"{stem(file)}.typesystem.xml")
        if own in known:
            return own
        while True:
            for candidate in _TYPES:
                if posixpath.join(folder, candidate) in known:
                    return posixpath.join(folder, candidate)
            if not folder:
                return ""
            folder = folder.rpartition("/")[0]

    def inner(self, name: str, limit: int) -> ZipTree:
        """The zip that is a file of it. Raises ReaderError."""
        return ZipTree(io.BytesIO(self.read(name, limit)), self.where(name) + MARK)


class FolderTree(Tree):
    """A folder; links that leave it are refused. Raises ReaderError where it cannot be listed."""

    def __init__(self, root: Path) -> None:
        super().__init__(f"{root.as_posix().rstrip('/')}/")
        self.root = root
        real = os.path.realpath(root)
        found = []
        for folder, inside, files in os.walk(root, onerror=self._not_listed):
            inside[:] = [name for name in inside if not name.startswith(".")]
            linked = [name for name in inside if Path(folder, name).is_symlink()]
            for file in files + linked:
                path = Path(folder, file)
                if file.startswith(".") or (file in linked and _inside(path, real)):
                    continue  # a linked folder inside is read under its own name
                name = path.relative_to(root).as_posix()
                if path.is_symlink() and not _inside(path, real):
                    self.refused[name] = LEAVES
                elif path.is_file():
                    found.append(name.split("/"))
                else:
                    self.refused[name] = "expected a regular file, found another kind"
        self.names = ["/".join(parts) for parts in sorted(found)]

    def _not_listed(self, error: OSError) -> None:
        reason = f"cannot list the folder: {error.strerror or type(error).__name__}"
        name = os.path.relpath(error.filename, self.root).replace(os.sep, "/")
        if name == ".":
            raise ReaderError(f"{self.root}: {reason}")
        self.refused[f"{name}/"] = reason

    def read(self, name: str, limit: int) -> bytes:
        return read_file(self.root / name, limit)


class ZipTree(Tree):
    """A zip, in a file or in memory; nothing is unpacked to the disk. Raises ReaderError where it is none."""

    def __init__(self, file: Path | io.BytesIO, label: str) -> None:
        super().__init__(label)
        fault = ""
        try:
            size = file.stat().st_size if isinstance(file, Path) else len(file.getbuffer())
            self._zip = zipfile.ZipFile(file)
        except OSError as error:
            fault = f"cannot read: {error.strerror or type(error).__name__}"
        except Exception:  # it has many ways to fail over hostile bytes, and may quote names
            fault = DAMAGED
        if fault:
            raise ReaderError(f"{label.removesuffix(MARK)}: {fault}")
        self._members: dict[str, zipfile.ZipInfo] = {}
        budget = Budget(size)
        for info in self._zip.infolist():
            if info.filename.endswith("/"):
                continue
            name, bad = cleaned(info.filename.lstrip("/"))  # INCEpTION before 2.0.8 wrote a slash first
            bad = bad or _fault(info) or ("" if budget.spend(info.file_size) else BOMB)
            if bad or name in self._members:
                self.refused.setdefault(name, bad or TWICE)
            else:
                self._members[name] = info
        self.names = sorted(self._members, key=lambda n: n.split("/"))

    def read(self, name: str, limit: int) -> bytes:
        fault = ""
        try:
            with self._zip.open(self._members[name]) as member:
                data = bounded(member, limit)
            if len(data) <= limit:
                return data
            fault = f"longer than max_bytes ({limit:,} bytes)"
        except Exception:  # it has many ways to fail over hostile bytes
            fault = "its data in the archive are damaged or cut off"
        raise ReaderError(f"{self.where(name)}: {fault}")


def _fault(info: zipfile.ZipInfo) -> str:
    mode = info.external_attr >> 16
    if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return "a link or device in an archive is not followed"
    if info.flag_bits & 0x1:
        return "it is encrypted"
    if info.file_size > LARGE and info.file_size > RATIO * max(info.compress_size, 1):
        return BOMB
    return ""


def _inside(path: Path, real: str) -> bool:
    return os.path.commonpath((os.path.realpath(path), real)) == real


def read_file(path: Path, limit: int) -> bytes:
    """The content of a file. Raises ReaderError where it cannot be read or is longer than `limit` bytes."""
    try:
        if not path.is_file():
            raise ReaderError(f"{path}: expected a file, found {'another kind' if path.exists() else 'none'}")
        with path.open("rb") as file:
            data = bounded(file, limit)
    except OSError as error:
        raise ReaderError(f"{path}: cannot read: {error.strerror or type(error).__name__}") from None
    if len(data) > limit:
        raise ReaderError(f"{path}: longer than max_bytes ({limit:,} bytes)")
    return data


def stem(name: str) -> str:
    """A file name without the suffix of a document."""
    for suffix in (".xmi", ".json", ".zip"):
        if name.lower().endswith(suffix) and len(name) > len(suffix):
            return name[: -len(suffix)]
    return name


@dataclass(frozen=True, slots=True)
class Version:
    """One person's version of a document."""

    document: str
    """What INCEpTION calls it."""
    user: str
    """Who annotated it; empty where the file does not say."""
    tree: Tree
    path: str

    def content(self, limit: int) -> Content:
        """The document. Raises ReaderError where there is none or it cannot be read."""
        tree, name = self.tree, self.path
        if name.lower().endswith(".zip"):
            tree = tree.inner(name, limit)
            found = [n for n in tree.names if n.lower().endswith((".xmi", ".json"))]
            if not found and tree.refused:
                refused, reason = next(iter(tree.refused.items()))
                raise ReaderError(f"{tree.where(refused)}: {reason}")
            if len(found) != 1:
                raise ReaderError(f"{tree.label.removesuffix(MARK)}: expected one document in it, found {len(found)}")
            name = found[0]
        types = tree.types_of(name)
        return Content(
            tree.where(name), tree.read(name, limit), tree.read(types, limit) if types else None, tree.where(types)
        )


@dataclass(frozen=True, slots=True)
class Content:
    """A document as it is in its file, with its type system."""

    where: str
    data: bytes
    types: bytes | None
    types_where: str


@dataclass(slots=True)
class Listing:
    """What an export holds."""

    versions: list[Version]
    untouched: list[str]
    """Documents that nobody annotated."""
    serialised: int = 0
    """Documents that are there only as serialised Java objects."""
    faults: list[tuple[str, str]] = field(default_factory=list)
    """Files that may not or cannot be read, by what their documents are called, and why."""


def listing(tree: Tree, limit: int, depth: int = 0) -> Listing:
    """The versions of documents in an export of a project, of curated documents, of one document; or in a folder of files."""
    found = Listing([], [])
    for name, reason in sorted(tree.refused.items()):
        if name.endswith(_READ):
            found.faults.append((stem(_role(name)[1] or name.rstrip("/")), f"{tree.where(name)}: {reason}"))
    imported: set[str] = set()
    project = any(_role(name)[0] for name in tree.names)
    for name in tree.names:
        role, document = _role(name)
        file = name.rpartition("/")[2]
        if role.endswith("_ser"):
            found.serialised += stem(file.removesuffix(".ser")) not in _NOBODY
        elif role and file.lower().endswith((".zip", ".xmi", ".json")):
            imported.add(document)
            if stem(file) not in _NOBODY:
                found.versions.append(Version(document, stem(file), tree, name))
        elif not role and not project:
            try:
                for more in _loose(tree, name, limit, depth):
                    found.versions += more.versions
                    found.untouched += more.untouched
                    found.serialised += more.serialised
                    found.faults += more.faults
            except ReaderError as error:
                found.faults.append((stem(name), str(error)))
    annotated = {v.document for v in found.versions}
    found.untouched += sorted(imported - annotated)
    return found


def _role(name: str) -> tuple[str, str]:
    """The folder of an exported project that a path lies in, and the document it belongs to; empty for other paths."""
    parts = name.split("/")
    if len(parts) >= 3 and parts[-3] in ("annotation", "curation", "annotation_ser", "curation_ser"):
        return parts[-3], parts[-2]
    return "", ""


def _loose(tree: Tree, name: str, limit: int, depth: int) -> Iterator[Listing]:
    """What a file outside any project is: a document, or an archive of them."""
    folders, _, file = name.rpartition("/")
    if set(folders.split("/")) & set(_SETTINGS):
        return
    if file.lower().endswith(".zip"):
        if depth < _DEEPEST:
            inner = tree.inner(name, limit)
            inside = [n for n in inner.names if n.lower().endswith((".xmi", ".json"))]
            if len(inside) == 1 and not any(_role(n)[0] for n in inner.names):  # a document with its type system
                document = f"{folders}/{inside[0]}" if folders else inside[0]
                yield Listing([Version(document, "", tree, name)], [])
            else:
                yield listing(inner, limit, depth + 1)
    elif file.lower().endswith(".xmi") or (
        file.lower().endswith(".json") and b'"%FEATURE_STRUCTURES"' in tree.read(name, limit)
    ):
        yield Listing([Version(f"{folders}/{file}" if folders else file, "", tree, name)], [])
