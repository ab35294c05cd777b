"""Readers of UIMA's own formats (XMI, JSON CAS, XCAS), which find the type system of each document and handle unknown types."""

from __future__ import annotations

import dataclasses
import posixpath
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from ...pipeline.contract.component import component
from ...pipeline.errors import CaspipeError, ReaderError
from ...pipeline.storage.archives.archive import MARK, clean_path, split
from ...pipeline.storage.archives.open_archives import exists, opened
from ...pipeline.storage.own_kinds import declare_from
from ...typesystem import Cas, CaspipeWarning, FeatureStructure
from ...typesystem.json_cas.reader import read_jsoncas
from ...typesystem.typesystem import TypeSystem, own_types
from ...typesystem.xcas.reader import read_xcas
from ...typesystem.xmi.inference import infer_types
from ...typesystem.xmi.reader import read_xmi
from ..files.file_reader import DocumentFileReader
from ..files.selection import Source

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
        self._declared: set[Path] = set()

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

    def declare_kinds(self, path: str) -> None:
        """Declare the kinds that a run kept for a document, in its folder or one of two above. Raises ConfigError."""
        for folder in list(Path(path.partition(MARK)[0]).parents)[:3]:
            if folder not in self._declared:
                self._declared.add(folder)
                declare_from(folder)

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


INFERRED = "inferred"
"""Value of `metadata["types"]` for a document whose types were inferred."""


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class CasFileReader(DocumentFileReader):
    """A reader of files in a UIMA format with one document each."""

    typesystem: Path | None = None
    """Type system file for all documents."""
    lenient: bool = False
    """Keep types and features that the type system lacks, replace dangling references by null, and clip offsets to the text;
    the document's metadata list the changes. Else such a document has failed."""
    max_bytes: int = 1_073_741_824
    """Longer documents (after decompression) are refused. Annotations can take fifty times the space of the text."""
    infer: bool = True
    """If no type system is found, infer unknown types and features from the document, with a warning and `types: inferred` in
    its metadata. Else such a document has failed."""

    reads: ClassVar[tuple[str, ...]] = ("typesystem",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._type_systems: TypeSystemFinder | None = None

    def open(self) -> None:
        """List the files and load `typesystem`. Raises ReaderError if a file is missing or damaged."""
        super().open()
        if self.typesystem is not None and isinstance(loaded := self._finder.load(str(self.typesystem)), str):
            raise ReaderError(f"reader {self.id}: {loaded}")
        for source in self.sources()[:1]:
            self._finder.declare_kinds(source.path)

    def close(self) -> None:
        self._type_systems = None
        super().close()

    @property
    def _finder(self) -> TypeSystemFinder:
        if self._type_systems is None:
            self._type_systems = TypeSystemFinder(self.typesystem, self.folder, self.suffixes)
        return self._type_systems

    def document(self, source: Source) -> Cas:
        data = self.data(source)
        types = self.types_for(source, data)
        if isinstance(types, str):
            raise ReaderError(types)
        cas = self._cas(source, data, types)
        if cas.metadata.get("types") == INFERRED:
            warnings.warn(
                f"reader {self.id}: some documents have no type system, so their types were inferred. Give a file as "
                "`typesystem`, put TypeSystem.xml beside the documents, or set `infer: false`",
                CaspipeWarning,
                stacklevel=2,
            )
        return cas

    def types_for(self, source: Source, data: bytes) -> TypeSystem | str | None:
        """Return the type system of a document, or what is wrong with it; None if there is none."""
        return self._finder.of(source.path)

    def parse(self, data: bytes, types: TypeSystem | None, document: str, infer: bool) -> Cas:
        """Return the document of a file. Raises CaspipeError."""
        raise TypeError(f"{type(self).__name__} must define parse")

    def _cas(self, source: Source, data: bytes, types: TypeSystem | None) -> Cas:
        try:
            self._finder.declare_kinds(source.path)
            cas = self.parse(data, types, source.id, self.infer and types is None)
        except CaspipeError as error:
            fault = str(error)
        except Exception as error:  # another library's message may quote the document
            fault = type(error).__name__
        else:
            if types is None and not self.lenient and _has_inferred_types(cas.typesystem):
                cas.metadata["types"] = INFERRED
            return cas
        raise ReaderError(f"{source.path}: {fault}")


def _has_inferred_types(types: TypeSystem | None) -> bool:
    return types is not None and any(where.endswith("(inferred)") for _, where in types.foreign())


@component("xmi", outputs=[FeatureStructure])
class XmiReader(CasFileReader):
    """Reads XMI files, plain, gzipped or in archives, with all their views.

    The type system is `typesystem`; else `<file>.typesystem.xml` beside the file; else the nearest `TypeSystem.xml` in its
    folder or those above, up to `folder` or the top of its archive; else caspipe's own types and inferred ones.
    """

    pattern: str = "*.xmi"

    suffixes = (".xmi",)

    def parse(self, data: bytes, types: TypeSystem | None, document: str, infer: bool) -> Cas:
        if infer and not self.lenient:
            types = infer_types(data)
            types = types if types is not own_types() else None
        return read_xmi(data, types, lenient=self.lenient, id=document)


@component("jsoncas", outputs=[FeatureStructure])
class JsonCasReader(CasFileReader):
    """Reads JSON CAS files, plain, gzipped or in archives, with all their views.

    Documents usually contain their types. Otherwise the type system is found as for XMI: `typesystem`; else
    `<file>.typesystem.xml` beside the file; else the nearest `TypeSystem.xml`; else it is inferred from the document.
    """

    pattern: str = "*.json"

    suffixes = (".json",)

    def types_for(self, source: Source, data: bytes) -> TypeSystem | str | None:
        if self.typesystem is None and _contains_types(data):
            return None
        return super().types_for(source, data)

    def parse(self, data: bytes, types: TypeSystem | None, document: str, infer: bool) -> Cas:
        return read_jsoncas(data, types, lenient=self.lenient, infer=infer and not _contains_types(data), id=document)


def _contains_types(data: bytes) -> bool:
    return b'"%TYPES"' in data


@component("xcas", outputs=[FeatureStructure])
class XcasReader(CasFileReader):
    """Reads XCAS files of all UIMA versions, plain, gzipped or in archives, with all their views.

    The type system is `typesystem`; else `<file>.typesystem.xml` beside the file; else the nearest `TypeSystem.xml` in its
    folder or those above, up to `folder` or the top of its archive; else caspipe's own types and inferred ones.
    """

    pattern: str = "*.xcas"

    suffixes = (".xcas", ".xcas.xml", ".xml")

    def parse(self, data: bytes, types: TypeSystem | None, document: str, infer: bool) -> Cas:
        return read_xcas(data, types, lenient=self.lenient, infer=infer, id=document)
