"""Reader of plain text files: one document each."""

from __future__ import annotations

from collections.abc import Iterator

from ..pipeline.component import component
from ..pipeline.errors import ReaderError
from ..typesystem import Cas
from .decoding import AUTO, check_encoding, decode
from .files import FileReader


@component("text")
class TextReader(FileReader):
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

    def __iter__(self) -> Iterator[Cas]:
        for source in self.readable():
            data = self.read(source)
            if data is None:
                continue
            try:
                text, encoding = decode(data, self.encoding)
            except ReaderError as error:
                self.fail(source.id, f"{source.path}: {error}")
                continue
            cas = Cas(text, id=source.id)
            cas.metadata["encoding"] = encoding
            yield cas

    def __len__(self) -> int:
        return len(self.sources())
