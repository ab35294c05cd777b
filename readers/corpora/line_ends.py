"""The text of an XML file with the line ends of the file, which an XML parser reports as one LF each."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

from .standoff import OffsetConversion, as_written

_CODECS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


class FileText:
    """Collects text from an unbuffered parser, which reports each line end alone, so that the file shows its real form.

    A character reference to a carriage return stays one.
    """

    def __init__(self, data: bytes) -> None:
        self.pieces: list[str] = []
        self.size = 0
        """Number of code points so far, with line ends as in the file."""
        self._xml_size = 0
        self._crlf: list[int] = []
        """Offsets, as XML counts, of the line ends that are CR LF in the file."""
        self._data = data
        codec = _CODECS.get(data[:2], "ascii")
        self._cr, self._lf = "\r".encode(codec), "\n".encode(codec)

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def add(self, piece: str, parser: Any) -> None:
        """Add the text that the parser has just reported."""
        index = parser.CurrentByteIndex
        self._xml_size += len(piece)
        if piece == "\n" and self._data.startswith(self._cr, index):
            piece = "\r\n" if self._data.startswith(self._lf, index + len(self._cr)) else "\r"
            if piece == "\r\n":
                self._crlf.append(self._xml_size - 1)
        self.pieces.append(piece)
        self.size += len(piece)

    def conversions(self) -> list[OffsetConversion]:
        """Return the possible conversions of offsets to those of the text, the likeliest first.

        Offsets may count as XML does, as the file does, or as XML does from after leading line ends.
        """
        crlf = self._crlf

        def from_xml(skipped: int) -> OffsetConversion:
            return lambda offset: offset + skipped + bisect_left(crlf, offset + skipped)

        text = self.text
        leading = text[: len(text) - len(text.lstrip("\r\n"))].replace("\r\n", "\n")
        conversions = [from_xml(0), as_written] if crlf else [as_written]
        return conversions + [from_xml(n) for n in range(1, len(leading) + 1)]
