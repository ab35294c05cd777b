"""Plain text as PDF: INCEpTION imports guidelines as PDF only."""

from __future__ import annotations

import io
import textwrap

import pydyf

_WIDTH, _HEIGHT = 595, 842  # A4 in points
_MARGIN, _SIZE, _LEADING = 56, 9, 12
_COLUMNS = int((_WIDTH - 2 * _MARGIN) / (_SIZE * 0.6))
_ROWS = (_HEIGHT - 2 * _MARGIN) // _LEADING


def text_to_pdf(text: str, title: str) -> bytes:
    """Return the text in Courier, wrapped and split into pages; the same bytes each time.

    Characters outside Windows-1252, which PDF's standard fonts lack, become `?`.
    """
    lines = [part for line in text.splitlines() for part in _wrap(line)]
    document = pydyf.PDF()
    document.info["Title"] = pydyf.String(title)
    font = pydyf.Dictionary(
        {"Type": "/Font", "Subtype": "/Type1", "BaseFont": "/Courier", "Encoding": "/WinAnsiEncoding"}
    )
    document.add_object(font)
    for start in range(0, max(len(lines), 1), _ROWS):
        content = pydyf.Stream(compress=True)
        content.begin_text()
        content.set_font_size("F", _SIZE)
        content.stream += [f"{_LEADING} TL", f"{_MARGIN} {_HEIGHT - _MARGIN} Td"]
        content.stream += [b"(" + _escape(line) + b") '" for line in lines[start : start + _ROWS]]
        content.end_text()
        document.add_object(content)
        document.add_page(
            pydyf.Dictionary(
                {
                    "Type": "/Page",
                    "Parent": document.pages.reference,
                    "MediaBox": pydyf.Array([0, 0, _WIDTH, _HEIGHT]),
                    "Resources": pydyf.Dictionary({"Font": pydyf.Dictionary({"F": font.reference})}),
                    "Contents": content.reference,
                }
            )
        )
    output = io.BytesIO()
    document.write(output, version=b"1.4")
    return output.getvalue()


def _wrap(line: str) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip(" -")))
    return textwrap.wrap(line, _COLUMNS, subsequent_indent=indent, drop_whitespace=True) or [""]


def _escape(text: str) -> bytes:
    encoded = text.encode("cp1252", "replace")
    return encoded.replace(b"\\", rb"\\").replace(b"(", rb"\(").replace(b")", rb"\)")
