"""Files of INCEpTION exports by relative path: in folders, in zips, and in zips within zips."""

from __future__ import annotations

import abc
import io
import os
import posixpath
from pathlib import Path

from ...pipeline.errors import ReaderError
from ...pipeline.storage.archives.archive import MARK, ZipArchive
from ...pipeline.storage.archives.open_archives import read_bounded
from ..files.selection import LEAVES, is_inside

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
        real = os.path.realpath(root)
        names = []
        for folder, subfolders, files in os.walk(root, onerror=self._not_listed):
            subfolders[:] = [name for name in subfolders if not name.startswith(".")]
            linked = [name for name in subfolders if Path(folder, name).is_symlink()]
            for file in files + linked:
                path = Path(folder, file)
                if file.startswith(".") or (file in linked and is_inside(path, real)):
                    continue  # a linked folder inside is read under its own name
                name = path.relative_to(root).as_posix()
                if path.is_symlink() and not is_inside(path, real):
                    self.refused[name] = LEAVES
                elif path.is_file():
                    names.append(name)
                else:
                    self.refused[name] = "expected a regular file, found another kind"
        self.names = sorted(names, key=lambda name: name.split("/"))

    def _not_listed(self, error: OSError) -> None:
        reason = f"cannot list the folder: {error.strerror or type(error).__name__}"
        name = os.path.relpath(error.filename, self.root).replace(os.sep, "/")
        if name == ".":
            raise ReaderError(f"{self.root}: {reason}")
        self.refused[f"{name}/"] = reason

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
