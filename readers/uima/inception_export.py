"""Documents of INCEpTION: the files of an export in folders and zips, the versions of each document, and the review project."""

from __future__ import annotations

import abc
import hashlib
import io
import json
import os
import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...pipeline.errors import ReaderError
from ...pipeline.storage.archives.archive import MARK, ZipArchive
from ...pipeline.storage.archives.open_archives import read_bounded
from ...typesystem.review_layers import NAMED_ENTITY, PHI_LAYER
from ..files.selection import LEAVES, walk_folder

_TYPES = ("TypeSystem.xml", "typesystem.xml")


def stem(name: str) -> str:
    """Return a file name without the suffix of a document."""
    for suffix in (".xmi", ".json", ".zip"):
        if name.lower().endswith(suffix) and len(name) > len(suffix):
            return name[: -len(suffix)]
    return name


class Tree(abc.ABC):
    """Files in one folder or zip. `label`: prefix of their names in messages."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.names: list[str] = []
        """Paths of the files that may be read, sorted."""
        self.refused: dict[str, str] = {}
        """Paths of files that must not be read -> reason."""
        self._known: frozenset[str] | None = None

    @abc.abstractmethod
    def read(self, name: str, limit: int) -> bytes:
        """Return the content of a file. Raises ReaderError for a file of more than `limit` bytes, and for damaged data."""

    def where(self, name: str) -> str:
        """Return the name of a file in messages."""
        return f"{self.label}{name}"

    def types_of(self, name: str) -> str:
        """Return the type system file of a document: its own, or the nearest in its folder or those above; empty for none."""
        folder, _, file = name.rpartition("/")
        if self._known is None:
            self._known = frozenset(self.names)
        own = posixpath.join(folder, f"{stem(file)}.typesystem.xml")
        if own in self._known:
            return own
        while True:
            for candidate in _TYPES:
                if posixpath.join(folder, candidate) in self._known:
                    return posixpath.join(folder, candidate)
            if not folder:
                return ""
            folder = folder.rpartition("/")[0]

    def inner(self, name: str, limit: int) -> ZipTree:
        """Open a zip in the tree. Raises ReaderError."""
        return ZipTree(io.BytesIO(self.read(name, limit)), self.where(name) + MARK)


class FolderTree(Tree):
    """A folder. Links that leave it are refused. Raises ReaderError if it cannot be listed."""

    def __init__(self, root: Path) -> None:
        super().__init__(f"{root.as_posix().rstrip('/')}/")
        self.root = root
        for name, fault in walk_folder(root, os.path.realpath(root), hidden=False):
            if name == "./":
                raise ReaderError(f"{root}: {fault}")
            if fault:
                self.refused[name.rstrip("/") if fault == LEAVES else name] = fault
            elif (root / name).is_file():
                self.names.append(name)
            else:
                self.refused[name] = "expected a regular file, found another kind"
        self.names.sort(key=lambda name: name.split("/"))

    def read(self, name: str, limit: int) -> bytes:
        path = self.root / name
        if not path.is_file():
            raise ReaderError(f"{path}: expected a file, found {'another kind' if path.exists() else 'none'}")
        try:
            with path.open("rb") as file:
                return read_bounded(file, limit, str(path))
        except OSError as error:
            raise ReaderError(f"{path}: cannot read: {error.strerror or type(error).__name__}") from None


class ZipTree(Tree):
    """A zip, in a file or in memory; nothing is unpacked to disk. Raises ReaderError if it is not one."""

    def __init__(self, file: Path | io.BytesIO, label: str) -> None:
        super().__init__(label)
        # INCEpTION before 2.0.8 wrote absolute paths
        self._zip = ZipArchive(file, label.removesuffix(MARK), nested=True, root=True)
        for member in self._zip.members:
            if member.fault:
                self.refused.setdefault(member.name, member.fault)
            else:
                self.names.append(member.name)
        self.names.sort(key=lambda name: name.split("/"))

    def read(self, name: str, limit: int) -> bytes:
        member = self._zip.find(name)
        assert member is not None
        try:
            with self._zip.open(member) as file:
                return read_bounded(file, limit, self.where(name))
        except ReaderError:
            raise
        except Exception:  # hostile bytes raise many kinds of exceptions
            pass
        raise ReaderError(f"{self.where(name)}: its data in the archive are damaged or cut off")


CURATION = "CURATION_USER"
"""INCEpTION's name for the author of the curated version."""
_UNANNOTATED = ("INITIAL_CAS", "CORRECTION_USER")
"""Versions of a document as it was imported."""
_SETTINGS = frozenset(("layers", "tagsets", "source", "log", "guidelines", "kb", "images"))
_DEEPEST = 2
_DOCUMENTS = (".xmi", ".json")
_READ = (*_DOCUMENTS, ".zip", ".xml", "/")
"""Suffixes of refused files that must be reported."""


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of a document and of its type system, with their names in messages."""

    where: str
    data: bytes
    types: bytes | None
    types_where: str


@dataclass(frozen=True, slots=True)
class Version:
    """One person's version of a document."""

    document: str
    """INCEpTION's name of the document."""
    user: str
    """The annotator; empty if the file does not say."""
    tree: Tree
    path: str

    def content(self, limit: int) -> Content:
        """Read the document. Raises ReaderError."""
        tree, name = self.tree, self.path
        if name.lower().endswith(".zip"):
            tree = tree.inner(name, limit)
            documents = _documents(tree)
            if not documents and tree.refused:
                refused, reason = next(iter(tree.refused.items()))
                raise ReaderError(f"{tree.where(refused)}: {reason}")
            if len(documents) != 1:
                raise ReaderError(
                    f"{tree.label.removesuffix(MARK)}: expected one document in it, found {len(documents)}"
                )
            name = documents[0]
        types = tree.types_of(name)
        return Content(
            tree.where(name), tree.read(name, limit), tree.read(types, limit) if types else None, tree.where(types)
        )


@dataclass(slots=True)
class Listing:
    """The documents in an export."""

    versions: list[Version] = field(default_factory=list)
    unannotated: list[str] = field(default_factory=list)
    """Documents without annotations by anyone."""
    serialized: int = 0
    """Number of documents that exist only as serialized Java objects."""
    faults: list[tuple[str, str]] = field(default_factory=list)
    """(document, reason) of files that must not or cannot be read."""

    def extend(self, other: Listing) -> None:
        """Add the documents of another listing."""
        self.versions += other.versions
        self.unannotated += other.unannotated
        self.serialized += other.serialized
        self.faults += other.faults


def list_export(tree: Tree, limit: int, depth: int = 0) -> Listing:
    """List an export of a project, of curated documents or of one document, or a folder of such files."""
    listing = Listing()
    for name, reason in sorted(tree.refused.items()):
        if name.endswith(_READ):
            listing.faults.append((stem(_place(name)[1] or name.rstrip("/")), f"{tree.where(name)}: {reason}"))
    imported: set[str] = set()
    is_project = any(_place(name)[0] for name in tree.names)
    for name in tree.names:
        folder, document = _place(name)
        file = name.rpartition("/")[2]
        if folder.endswith("_ser"):
            listing.serialized += stem(file.removesuffix(".ser")) not in _UNANNOTATED
        elif folder and file.lower().endswith((*_DOCUMENTS, ".zip")):
            imported.add(document)
            if stem(file) not in _UNANNOTATED:
                listing.versions.append(Version(document, stem(file), tree, name))
        elif not folder and not is_project:
            try:
                for part in _list_file(tree, name, limit, depth):
                    listing.extend(part)
            except ReaderError as error:
                listing.faults.append((stem(name), str(error)))
    listing.unannotated += sorted(imported - {v.document for v in listing.versions})
    return listing


def _documents(tree: Tree) -> list[str]:
    return [name for name in tree.names if name.lower().endswith(_DOCUMENTS)]


def _place(name: str) -> tuple[str, str]:
    """Return the annotation folder of an exported project and the document of a path; empty for other paths."""
    parts = name.split("/")
    if len(parts) >= 3 and parts[-3] in ("annotation", "curation", "annotation_ser", "curation_ser"):
        return parts[-3], parts[-2]
    return "", ""


def _list_file(tree: Tree, name: str, limit: int, depth: int) -> Iterator[Listing]:
    """List a file outside a project: a document, or an archive of documents."""
    folders, _, file = name.rpartition("/")
    suffix = file.lower()
    if not _SETTINGS.isdisjoint(folders.split("/")):
        return
    if suffix.endswith(".zip"):
        if depth < _DEEPEST:
            inner = tree.inner(name, limit)
            documents = _documents(inner)
            if len(documents) == 1 and not any(_place(n)[0] for n in inner.names):  # a document with its type system
                document = f"{folders}/{documents[0]}" if folders else documents[0]
                yield Listing([Version(document, "", tree, name)])
            else:
                yield list_export(inner, limit, depth + 1)
    elif suffix.endswith(".xmi") or (suffix.endswith(".json") and b'"%FEATURE_STRUCTURES"' in tree.read(name, limit)):
        yield Listing([Version(name, "", tree, name)])


_INDEX = "documents.json"
_LONGEST_INDEX = 1 << 30


@dataclass(frozen=True, slots=True)
class ReviewedDocument:
    """The entry of a document in a review project."""

    id: str
    sha256: str
    """SHA-256 of the text that was reviewed; empty if the project does not have it."""
    replaced: tuple[tuple[int, int], ...]
    """(offset, code point) of the characters that XML cannot represent."""

    def restore(self, text: str) -> str | None:
        """Return the text before it was written for INCEpTION; None if `text` is not the one that was written."""
        if not self.sha256:
            return text
        if hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() != self.sha256:
            return None
        characters = list(text)
        for offset, code in self.replaced:
            characters[offset] = chr(code)
        return "".join(characters)


@dataclass(frozen=True, slots=True)
class ReviewProject:
    """The index of a review project, or an empty one."""

    scheme: str = ""
    layer: str = ""
    documents: dict[str, ReviewedDocument] = field(default_factory=dict)
    """By the name of the file, with and without suffix."""

    def find(self, document: str) -> ReviewedDocument | None:
        """Return a document by INCEpTION's name for it, which is that of its file."""
        name = document.rpartition("/")[2]
        return self.documents.get(name) or self.documents.get(stem(name))


def read_review_project(path: Path) -> ReviewProject:
    """Read the index of a review project. Raises ReaderError."""
    tree = ZipTree(path, f"{path}!/")
    if _INDEX not in tree.names:
        raise ReaderError(f"{path}: expected a review project of caspipe, with {_INDEX} in it")
    try:
        index: Any = json.loads(tree.read(_INDEX, _LONGEST_INDEX))
        documents = {}
        for entry in index["documents"]:
            replaced = tuple((int(offset), int(code)) for offset, code in entry.get("lost", []))
            name = str(entry["file"])
            document = ReviewedDocument(str(entry.get("id", stem(name))), str(entry.get("text_sha256", "")), replaced)
            documents[name] = documents[stem(name)] = document
        layer = NAMED_ENTITY if index["mode"] == "named-entity" else PHI_LAYER
        return ReviewProject(str(index["scheme"]), layer, documents)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ReaderError(f"{tree.where(_INDEX)}: it is damaged") from None
