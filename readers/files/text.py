"""Reader of plain text files: one document each."""

from __future__ import annotations

from ...pipeline.contract.component import component
from ...pipeline.errors import ReaderError
from ...typesystem import Cas
from .decoding import AUTO, check_encoding, decode
from .file_reader import DocumentFileReader
from .selection import Source


@component("text")
class TextReader(DocumentFileReader):
    """Reads text files, plain or gzipped, one document each.

    The text stays as it is, newlines too; only a byte-order mark is dropped. The encoding found is noted in the metadata.
    """

    pattern: str = "*.txt"
    encoding: str = AUTO
    """`auto`: what a byte-order mark says, else UTF-8, else Windows-1252 (cp1252). Any other name is taken at its word.
    A file that is not in the encoding is a failed document: nothing is replaced."""

    suffixes = (".txt",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_encoding(self.encoding)

    def document(self, source: Source) -> Cas:
        data = self.data(source)
        try:
            text, encoding = decode(data, self.encoding)
        except ReaderError as error:
            raise ReaderError(f"{source.path}: {error}") from None
        cas = Cas(text, id=source.id)
        cas.metadata["encoding"] = encoding
        return cas
