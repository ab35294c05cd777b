"""Parse XML without DTDs, entities or network access; errors name file, line and column."""

from __future__ import annotations

import re
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
