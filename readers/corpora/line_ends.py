"""The text of an XML file with the line ends of the file, which an XML parser reads as one LF each."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import Any

from .standoff import as_written

_CODECS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


class FileText:
    """Text that grows by what a parser hands over. The parser must not buffer: then each line end comes alone, and the file
    tells which it was. A character reference to a carriage return stays one."""

    def __init__(self, data: bytes) -> None:
        self.pieces: list[str] = []
        self.size = 0
        """Code points so far, line ends as in the file."""
        self._length = 0
        self._doubled: list[int] = []
        """Offsets, as XML counts, of the line ends that are two characters in the file."""
        self._data = data
        codec = _CODECS.get(data[:2], "ascii")
        self._cr, self._lf = "\r".encode(codec), "\n".encode(codec)

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def add(self, piece: str, parser: Any) -> None:
        """Takes over what the parser just gave."""
        at = parser.CurrentByteIndex
        self._length += len(piece)
        if piece == "\n" and self._data.startswith(self._cr, at):
            piece = "\r\n" if self._data.startswith(self._lf, at + len(self._cr)) else "\r"
            if piece == "\r\n":
                self._doubled.append(self._length - 1)
        self.pieces.append(piece)
        self.size += len(piece)

    def counts(self) -> list[Callable[[int], int]]:
        """The ways an offset in the file may count, each as the way to the offset in the text: the likeliest first. As XML
        does, as in the file, and as XML from behind leading line ends."""
        doubled = self._doubled

        def as_xml(offset: int, behind: int = 0) -> int:
            return offset + behind + bisect_left(doubled, offset + behind)

        ways: list[Callable[[int], int]] = [as_xml, as_written] if doubled else [as_written]
        text = self.text
        lines = text[: len(text) - len(text.lstrip("\r\n"))]
        ways += [_later(as_xml, n) for n in range(1, len(lines.replace("\r\n", "\n")) + 1)]
        return ways


def _later(place: Callable[[int, int], int], behind: int) -> Callable[[int], int]:
    return lambda offset: place(offset, behind)
