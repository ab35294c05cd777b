"""Reader of UIMA XMI: documents that other tools, or caspipe, wrote, with all their views and annotations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..pipeline.component import component
from ..pipeline.errors import CaspipeError, ReaderError
from ..typesystem import Cas, FeatureStructure
from ..typesystem.typesystem import TypeSystem
from .files import FileReader
from .selection import Source

_NAMES = ("TypeSystem.xml", "typesystem.xml")


@component("xmi", outputs=[FeatureStructure])
class XmiReader(FileReader):
    """Reads XMI files, plain or gzipped, with all their views.

    The type system is `typesystem`; else `<file>.typesystem.xml` beside the file; else the nearest `TypeSystem.xml` in its
    folder or those above, up to `folder`; else caspipe's own types.
    """

    pattern: str = "*.xmi"
    typesystem: Path | None = None
    """Type system for all files."""
    lenient: bool = False
    """Types and features that the type system lacks are passed through; else such a document has failed."""
    infer: bool = False
    """Where no type system is found, one is made up from the document: types and features as they occur in it."""

    suffixes = (".xmi",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._loaded: dict[Path, TypeSystem | str] = {}

    def open(self) -> None:
        """Lists the files and loads `typesystem`. Raises ReaderError where a file is absent or damaged."""
        super().open()
        if self.typesystem is not None and isinstance(found := self._load(self.typesystem), str):
            raise ReaderError(f"reader {self.id}: {found}")

    def close(self) -> None:
        self._loaded = {}
        super().close()

    def __iter__(self) -> Iterator[Cas]:
        for source in self.readable():
            data = self.read(source)
            if data is None:
                continue
            types = self._types(source, data)
            if isinstance(types, str):
                self.fail(source.id, types)
                continue
            cas = self._cas(source, data, types)
            if cas is not None:
                yield cas

    def __len__(self) -> int:
        return len(self.sources())

    def _cas(self, source: Source, data: bytes, types: TypeSystem | None) -> Cas | None:
        from ..typesystem.xmi_reader import read_xmi

        try:
            return read_xmi(data, types, lenient=self.lenient, id=source.id)
        except CaspipeError as error:
            self.fail(source.id, f"{source.path}: {error}")
        except Exception as error:  # another library's message may quote the document
            self.fail(source.id, f"{source.path}: {type(error).__name__}")
        return None

    def _types(self, source: Source, data: bytes) -> TypeSystem | str | None:
        """The type system for a file, or what is wrong with it; None for caspipe's own types."""
        path = self.typesystem or self._beside(Path(source.path))
        if path is not None:
            return self._load(path)
        if not self.infer:
            return None
        try:
            return TypeSystem.infer(data)
        except CaspipeError as error:
            return f"{source.path}: {error}"

    def _beside(self, path: Path) -> Path | None:
        """The type system file nearest to a document."""
        stem = path.name.removesuffix(".gz").removesuffix(".xmi")
        own = path.with_name(f"{stem}.typesystem.xml")
        if own.is_file():
            return own
        for folder in path.parents:
            for name in _NAMES:
                if (folder / name).is_file():
                    return folder / name
            if self.folder is None or folder == self.folder:
                return None
        return None

    def _load(self, path: Path) -> TypeSystem | str:
        """A type system, read once, or what is wrong with its file."""
        if path not in self._loaded:
            try:
                self._loaded[path] = TypeSystem.load(path)
            except OSError as error:
                self._loaded[path] = f"{path}: cannot read the type system: {error.strerror or type(error).__name__}"
            except CaspipeError as error:
                self._loaded[path] = str(error)
        return self._loaded[path]
