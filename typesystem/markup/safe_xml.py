"""Parse XML without DTDs, entities or network access; errors name file, line and column.

Bytes that the parser does not accept are converted first: multi-byte encodings, and characters that only XML 1.1 allows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.parsers import expat

from ..errors import FormatError

_XML_11_HEADER = re.compile(rb"""\s*<\?xml\s+version\s*=\s*["']1\.1["']""")


def read_bytes(source: bytes | bytearray | memoryview | str | Path) -> tuple[bytes, str]:
    """Return the content of a file, or the bytes as given, with their name for messages. Raises OSError."""
    if isinstance(source, str | Path):
        return Path(source).read_bytes(), str(source)
    return bytes(source), "(bytes)"


def parser_for(where: str, *, namespaces: bool = True) -> Any:
    """Return an expat parser with namespaces (`uri name`) that refuses document types."""
    parser = expat.ParserCreate(namespace_separator=" ") if namespaces else expat.ParserCreate()
    parser.buffer_text = True

    def refuse(*_: object) -> None:
        raise FormatError(
            f"{where}:{parser.CurrentLineNumber}:{parser.CurrentColumnNumber + 1}: "
            "document type declarations and entities are not read; expected XML without <!DOCTYPE"
        )

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    return parser


def run(parser: Any, data: bytes, where: str) -> None:
    """Parse all of `data`. Raises FormatError with line and column for XML that is not well-formed."""
    try:
        parser.Parse(data, True)
    except expat.ExpatError as e:
        reason = expat.ErrorString(e.code)
        raise FormatError(f"{where}:{e.lineno}:{e.offset + 1}: damaged XML: {reason}") from None
    except (ValueError, LookupError) as e:  # an unknown or multi-byte encoding
        if isinstance(e, FormatError):
            raise
        raise FormatError(f"{where}:1:1: XML in an encoding that cannot be read") from None
    finally:  # handlers refer to the parser: otherwise only the garbage collector could free the document
        for handler in ("StartElement", "EndElement", "CharacterData", "StartDoctypeDecl", "EntityDecl"):
            setattr(parser, handler + "Handler", None)


def is_xml_11(data: bytes) -> bool:
    """Return whether the header declares XML 1.1."""
    return _XML_11_HEADER.match(data[:200].lstrip(b"\xef\xbb\xbf")) is not None


_HEADER = re.compile(
    rb"""(?:\xef\xbb\xbf)?\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["'][^>]{0,100}>"""
)
_REFERENCE = re.compile(rb"&#(?:x([0-9A-Fa-f]{1,6})|([0-9]{1,7}));")
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_NO_CHARACTER = re.compile(rb"\xef\xbf[\xbe\xbf]")
_PAIR = re.compile(
    rb"&#(x[dD][89abAB][0-9a-fA-F]{2}|5(?:529[6-9]|5[3-9][0-9]{2}|6[0-2][0-9]{2}|63[01][0-9]));"
    rb"&#(x[dD][c-fC-F][0-9a-fA-F]{2}|5(?:632[0-9]|63[3-9][0-9]|6[4-9][0-9]{2}|7[0-2][0-9]{2}|73[0-3][0-9]|734[0-3]));"
)
_BOMS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"<\x00", "utf-16-le"), (b"\x00<", "utf-16-be"))


def readable(data: bytes, lenient: bool) -> tuple[bytes, dict[int, int]]:
    """Return the document in bytes that expat accepts, and the original code points of substituted characters.

    References to control characters, which XML 1.1 allows and expat refuses, become private characters. `lenient`: the same
    for every forbidden character and half of a surrogate pair, in XML 1.0 too; spaces before the header are dropped.
    """
    if lenient:
        data = data.lstrip(b" \t\r\n")
    data = _single_bytes(data, lenient)
    if not (lenient or is_xml_11(data)) or data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\x00" in data[:2]:
        return data, {}
    if lenient:
        data = _PAIR.sub(_joined, data)
        data = _CONTROL.sub(lambda m: b"&#%d;" % m.group()[0], data)
        if (header := _HEADER.match(data[:400])) is None or header.group(1).lower() == b"utf-8":
            data = _NO_CHARACTER.sub(lambda m: b"&#%d;" % (0xFFC0 + (m.group()[2] & 0x3F)), data)
    referred = {_code(m) for m in _REFERENCE.finditer(data)}
    codes = sorted(c for c in referred if _is_illegal(c) and (lenient or 0 < c < 32))
    if not codes:
        return data, {}
    spare = _spare(data, referred)
    stand_in = dict(zip(codes, spare, strict=False))
    changed = _REFERENCE.sub(lambda m: b"&#%d;" % stand_in[c] if (c := _code(m)) in stand_in else m.group(), data)
    return changed, {new: old for old, new in stand_in.items()}


def _single_bytes(data: bytes, lenient: bool) -> bytes:
    """Return a document in a multi-byte encoding that expat does not know as UTF-8."""
    wide = next((name for bom, name in _BOMS if data.startswith(bom)), "")
    if wide:
        if not lenient and "1.1" not in data[:120].decode(wide, "replace"):
            return data
        name = wide
    else:
        header = _HEADER.match(data[:400])
        if header is None:
            return data
        name = header.group(1).decode("ascii")
        if name.lower() in ("utf-8", "us-ascii", "iso-8859-1") or not _is_multibyte(name):
            return data
    try:
        text = data.decode(name)
    except (UnicodeDecodeError, LookupError):
        return data
    plain = text.removeprefix("\ufeff").encode("utf-8", "surrogatepass")
    header = _HEADER.match(plain[:400])
    return plain if header is None else plain[: header.start(1)] + b"UTF-8" + plain[header.end(1) :]


def _is_multibyte(name: str) -> bool:
    try:
        return len(bytes(range(256)).decode(name, "replace")) != 256
    except (LookupError, UnicodeError):  # LookupError also for codecs that do not decode to text
        return False


def _is_illegal(code: int) -> bool:
    return (code < 32 and code not in (9, 10, 13)) or 0xD800 <= code < 0xE000 or code in (0xFFFE, 0xFFFF)


def _spare(data: bytes, referred: set[int]) -> Iterator[int]:
    """Return private characters that the document does not use."""
    used = {ord(c) for c in _PRIVATE.findall(data.decode("utf-8", "replace"))}
    return (c for c in range(0xE000, 0xF900) if c not in referred and c not in used)


def _joined(match: re.Match[bytes]) -> bytes:
    """Join two references to the halves of a surrogate pair, as some old serializers write them."""
    high, low = (int(g[1:], 16) if g[:1] == b"x" else int(g) for g in match.groups())
    return b"&#%d;" % (0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))


def _code(match: re.Match[bytes]) -> int:
    return int(match.group(1), 16) if match.group(1) else int(match.group(2))
