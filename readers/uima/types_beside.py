"""The type system for a file of UIMA's: the one that is named, else the nearest beside it, on the disk or in an archive."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from pathlib import Path

from ...pipeline.errors import CaspipeError
from ...typesystem.typesystem import TypeSystem
from ..files.archive import MARK, cleaned, split
from ..files.file_reader import exists, opened

_NAMES = ("TypeSystem.xml", "typesystem.xml")
_MOST = 33_554_432
"""Bytes of a type system file that are read."""


class Packed:
    """Files on the disk and in archives, for what type systems import."""

    def read(self, path: str) -> bytes:
        with opened(path) as file:
            return file.read(_MOST)

    def exists(self, path: str) -> bool:
        return not Path(path).is_dir() and exists(path)

    def folder(self, path: str) -> str:
        inside = split(path)
        if inside is None or not inside[1]:
            return str(Path(path).parent)
        return f"{inside[0]}{MARK}{posixpath.dirname(inside[1])}"

    def join(self, folder: str, relative: str) -> str:
        """The path of a file relative to a folder. A path that leads out of its archive is there as nothing."""
        inside = split(folder)
        if inside is None:
            return posixpath.normpath(Path(folder, relative).as_posix())
        name = posixpath.normpath(posixpath.join(inside[1], relative))
        return f"{inside[0]}{MARK}{name if not cleaned(name)[1] else '(outside the archive)'}"


class TypesBeside:
    """Finds and loads type systems; each is read once. What is wrong with one is told as a string in its place."""

    def __init__(self, named: Path | None, folder: Path | None, suffixes: tuple[str, ...]) -> None:
        """`named`: for all files. Else they are looked for up to `folder`. `suffixes`: those of documents."""
        self.named, self.folder, self.suffixes = named, folder, suffixes
        self._files = Packed()
        self._loaded: dict[str, TypeSystem | str] = {}

    def of(self, path: str) -> TypeSystem | str | None:
        """The type system for a document, or what is wrong with it; None where there is none."""
        found = str(self.named) if self.named is not None else self._beside(path)
        return None if found is None else self.load(found)

    def load(self, path: str) -> TypeSystem | str:
        """A type system, or what is wrong with its file."""
        if path not in self._loaded:
            search = list(self._folders(path))[1:]  # its own comes last anyway
            try:
                self._loaded[path] = TypeSystem.load(path, search=search, files=self._files)
            except OSError as error:
                self._loaded[path] = f"{path}: cannot read the type system: {error.strerror or type(error).__name__}"
            except CaspipeError as error:
                self._loaded[path] = str(error)
        return self._loaded[path]

    def _beside(self, path: str) -> str | None:
        name = path.replace("\\", "/").rpartition("/")[2].removesuffix(".gz")
        stem = next((name.removesuffix(s) for s in self.suffixes if name.endswith(s)), name)
        for i, folder in enumerate(self._folders(path)):
            for candidate in ((f"{stem}.typesystem.xml",) if i == 0 else ()) + _NAMES:
                if self._files.exists(found := self._files.join(folder, candidate)):
                    return found
        return None

    def _folders(self, path: str) -> Iterator[str]:
        """The folder of a file and those above it: up to `folder`, in an archive up to its top."""
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
