"""What the readers of UIMA's own files share: the type system of each document, and what becomes of unknown types."""

from __future__ import annotations

import dataclasses
import warnings
from pathlib import Path
from typing import ClassVar

from ...pipeline.errors import CaspipeError, ReaderError
from ...typesystem import Cas, CaspipeWarning
from ...typesystem.typesystem import TypeSystem
from ..files.file_reader import DocumentFileReader
from ..files.selection import Source
from .types_beside import TypesBeside

INFERRED = "inferred"
"""What `metadata["types"]` says of a document whose types were made up."""


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class CasFileReader(DocumentFileReader):
    """A reader of files that hold one document each, as UIMA knows it."""

    typesystem: Path | None = None
    """Type system for all files."""
    lenient: bool = False
    """Types and features that the type system lacks are passed through, dangling references become null, offsets are moved
    into the text; what was changed stands in the document's metadata. Else such a document has failed."""
    max_bytes: int = 1_073_741_824
    """A document of more bytes (after decompression) is refused. Annotations take fifty times the room of the text."""
    infer: bool = True
    """Where no type system is found, types and features that caspipe does not know are made up from the document, with a
    warning, and its metadata say `types: inferred`. Else such a document has failed."""

    reads: ClassVar[tuple[str, ...]] = ("typesystem",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._beside: TypesBeside | None = None

    def open(self) -> None:
        """Lists the files and loads `typesystem`. Raises ReaderError where a file is absent or damaged."""
        super().open()
        if self.typesystem is not None and isinstance(found := self._lookup.load(str(self.typesystem)), str):
            raise ReaderError(f"reader {self.id}: {found}")

    def close(self) -> None:
        self._beside = None
        super().close()

    @property
    def _lookup(self) -> TypesBeside:
        if self._beside is None:
            self._beside = TypesBeside(self.typesystem, self.folder, self.suffixes)
        return self._beside

    def document(self, source: Source) -> Cas:
        data = self.data(source)
        types = self.types_for(source, data)
        if isinstance(types, str):
            raise ReaderError(types)
        cas = self._cas(source, data, types)
        if cas.metadata.get("types") == INFERRED:
            warnings.warn(
                f"reader {self.id}: documents whose types no type system describes: they were made up from what occurs. Name a "
                "file as `typesystem`, lay TypeSystem.xml beside the documents, or say `infer: false`",
                CaspipeWarning,
                stacklevel=2,
            )
        return cas

    def types_for(self, source: Source, data: bytes) -> TypeSystem | str | None:
        """The type system for a document, or what is wrong with it; None where there is none."""
        return self._lookup.of(source.path)

    def parse(self, data: bytes, types: TypeSystem | None, document: str, infer: bool) -> Cas:
        """The document of a file. Raises CaspipeError."""
        raise TypeError(f"{type(self).__name__} must define parse")

    def _cas(self, source: Source, data: bytes, types: TypeSystem | None) -> Cas:
        try:
            cas = self.parse(data, types, source.id, self.infer and types is None)
        except CaspipeError as error:
            fault = str(error)
        except Exception as error:  # another library's message may quote the document
            fault = type(error).__name__
        else:
            if types is None and not self.lenient and _made_up(cas.typesystem):
                cas.metadata["types"] = INFERRED
            return cas
        raise ReaderError(f"{source.path}: {fault}")


def _made_up(types: TypeSystem | None) -> bool:
    return types is not None and any(where.endswith("(inferred)") for _, where in types.foreign())
