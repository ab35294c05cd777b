"""Pages of plain text as PDF: INCEpTION takes guidelines as PDF only."""

from __future__ import annotations

import textwrap
import zlib

_WIDTH, _HEIGHT = 595, 842  # A4 in points
_MARGIN, _SIZE, _LEADING = 56, 9, 12
_COLUMNS = int((_WIDTH - 2 * _MARGIN) / (_SIZE * 0.6))
_ROWS = (_HEIGHT - 2 * _MARGIN) // _LEADING


def pdf(text: str, title: str) -> bytes:
    """A PDF (1.4, ISO 32000-1) with the text in Courier, wrapped and cut into pages; the same bytes each time.

    Characters outside Windows-1252, which PDF's standard fonts lack, become `?`.
    """
    lines = [piece for line in text.splitlines() for piece in _wrapped(line)]
    pages = [lines[n : n + _ROWS] for n in range(0, len(lines), _ROWS)] or [[]]
    bodies = [b"<</Type/Catalog/Pages 2 0 R>>"]
    kids = " ".join(f"{5 + 2 * n} 0 R" for n in range(len(pages)))
    bodies.append(f"<</Type/Pages/Count {len(pages)}/Kids[{kids}]>>".encode())
    bodies.append(b"<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding>>")
    bodies.append(b"<</Title(" + _escaped(title) + b")/Producer(caspipe)>>")
    for n, page in enumerate(pages):
        bodies.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 {_WIDTH} {_HEIGHT}]/Resources<</Font<</F 3 0 R>>>>"
            f"/Contents {6 + 2 * n} 0 R>>".encode()
        )
        bodies.append(_content(page))
    return _assembled(bodies)


def _wrapped(line: str) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip(" -")))
    return textwrap.wrap(line, _COLUMNS, subsequent_indent=indent, drop_whitespace=True) or [""]


def _content(lines: list[str]) -> bytes:
    shown = b"".join(b"(" + _escaped(line) + b")'" for line in lines)
    drawn = f"BT/F {_SIZE} Tf {_LEADING} TL {_MARGIN} {_HEIGHT - _MARGIN} Td".encode() + shown + b" ET"
    packed = zlib.compress(drawn, 9)
    return f"<</Filter/FlateDecode/Length {len(packed)}>>stream\n".encode() + packed + b"\nendstream"


def _escaped(text: str) -> bytes:
    raw = text.encode("cp1252", "replace")
    return raw.replace(b"\\", rb"\\").replace(b"(", rb"\(").replace(b")", rb"\)")


def _assembled(bodies: list[bytes]) -> bytes:
    out, places = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", []
    for number, body in enumerate(bodies, 1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(bodies) + 1)
    trailer = b"trailer<</Size %d/Root 1 0 R/Info 4 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(bodies) + 1, len(out))
    return out + head + table + trailer
