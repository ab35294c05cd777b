"""Find the type system of a document: the configured one, else the nearest one beside it, on disk or in an archive."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from pathlib import Path

from ...pipeline.errors import CaspipeError
from ...pipeline.storage.archives.archive import MARK, clean_path, split
from ...pipeline.storage.archives.open_archives import exists, opened
from ...typesystem.typesystem import TypeSystem

_NAMES = ("TypeSystem.xml", "typesystem.xml")
_LONGEST = 33_554_432
"""Maximum number of bytes of a type system file."""


class PackedFiles:
    """Files on disk and in archives, for the imports of type systems."""

    def read(self, path: str) -> bytes:
        with opened(path) as file:
            return file.read(_LONGEST)

    def exists(self, path: str) -> bool:
        return not Path(path).is_dir() and exists(path)

    def folder(self, path: str) -> str:
        inside = split(path)
        if inside is None or not inside[1]:
            return str(Path(path).parent)
        return f"{inside[0]}{MARK}{posixpath.dirname(inside[1])}"

    def join(self, folder: str, relative: str) -> str:
        """Return the path of a file relative to a folder. A path out of its archive becomes one that does not exist."""
        inside = split(folder)
        if inside is None:
            return posixpath.normpath(Path(folder, relative).as_posix())
        name = posixpath.normpath(posixpath.join(inside[1], relative))
        return f"{inside[0]}{MARK}{name if not clean_path(name)[1] else '(outside the archive)'}"


class TypeSystemFinder:
    """Finds and loads type systems; each is read once. A string instead of a type system is an error message."""

    def __init__(self, named: Path | None, folder: Path | None, suffixes: tuple[str, ...]) -> None:
        """`named`: the type system of all files; without it, the search goes up to `folder`. `suffixes`: of documents."""
        self.named, self.folder, self.suffixes = named, folder, suffixes
        self._files = PackedFiles()
        self._loaded: dict[str, TypeSystem | str] = {}

    def of(self, path: str) -> TypeSystem | str | None:
        """Return the type system of a document or what is wrong with it; None if there is none."""
        file = str(self.named) if self.named is not None else self._search(path)
        return None if file is None else self.load(file)

    def load(self, path: str) -> TypeSystem | str:
        """Return the type system in a file, or what is wrong with it."""
        if path not in self._loaded:
            search = list(self._folders(path))[1:]  # its own folder is searched anyway
            try:
                self._loaded[path] = TypeSystem.load(path, search=search, files=self._files)
            except OSError as error:
                self._loaded[path] = f"{path}: cannot read the type system: {error.strerror or type(error).__name__}"
            except CaspipeError as error:
                self._loaded[path] = str(error)
        return self._loaded[path]

    def _search(self, path: str) -> str | None:
        name = path.replace("\\", "/").rpartition("/")[2].removesuffix(".gz")
        stem = next((name.removesuffix(s) for s in self.suffixes if name.endswith(s)), name)
        for i, folder in enumerate(self._folders(path)):
            for candidate in ((f"{stem}.typesystem.xml",) if i == 0 else ()) + _NAMES:
                if self._files.exists(file := self._files.join(folder, candidate)):
                    return file
        return None

    def _folders(self, path: str) -> Iterator[str]:
        """Yield the folder of a file and those above it, up to `folder` or the top of an archive."""
        inside = split(path)
        if inside is not None and inside[1]:
            name = posixpath.dirname(inside[1])
            while name:
                yield f"{inside[0]}{MARK}{name}"
                name = posixpath.dirname(name)
            yield f"{inside[0]}{MARK}"
            path = inside[0]
            if self.folder is None or not Path(path).is_relative_to(self.folder) or Path(path) == self.folder:
                return
        for folder in Path(path).parents:
            yield str(folder)
            if self.folder is None or folder == self.folder:
                return
