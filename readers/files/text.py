"""Reader of plain text files with one document each."""

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

    The text stays unchanged, including newlines; only a byte-order mark is removed. The metadata contain the encoding.
    """

    pattern: str = "*.txt"
    encoding: str = AUTO
    """`auto`: the encoding of a byte-order mark, else UTF-8, else Windows-1252 (cp1252). A file that is not in the encoding is
    a failed document: no byte is replaced."""

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
