"""Detect the encoding of an XML file (XML 1.0, appendix F), decode it, and encode it again without any difference."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from ..errors import FormatError

_DECLARED = re.compile(rb"""<\?xml\s[^>]*?\bencoding\s*=\s*["']([A-Za-z][A-Za-z0-9._-]*)["']""")
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_WIDE = ((b"<\0?\0", "utf-16-le"), (b"\0<\0?", "utf-16-be"))
_READ = re.compile(
    r"utf-8|utf-16|utf-16-[lb]e|ascii|iso8859-\d+|cp\d+|koi8-[rtu]|mac-\w+|gb2312|gbk|gb18030|big5(?:hkscs)?|shift_jis(?:_2004|x0213)?"
    r"|cp932|euc_(?:jp|kr)|johab|tis-620"
)
"""Python's names of the supported encodings: UTF-16, and those that encode `<` and `>` as in ASCII."""


@dataclass(frozen=True, slots=True)
class XmlEncoding:
    """A codec, and the byte-order mark before the text."""

    name: str
    mark: bytes = b""

    def encoded(self, text: bytes) -> bytes:
        """Convert UTF-8 to this encoding. Characters that it lacks become character references."""
        if self.name == "utf-8":
            return self.mark + text
        return self.mark + text.decode().encode(self.name, "xmlcharrefreplace")


def decoded(data: bytes) -> tuple[bytes, XmlEncoding]:
    """Return the text in UTF-8 and its encoding.

    Raises FormatError if the bytes are not in the declared encoding, or if encoding them again would change them.
    """
    mark, name = next(((m, n) for m, n in _MARKS if data.startswith(m)), (b"", ""))
    if not name:
        name = next((n for begin, n in _WIDE if data.startswith(begin)), "")
    if not name:
        declaration = _DECLARED.match(data[:1000].lstrip())
        name = declaration.group(1).decode() if declaration else "utf-8"
    encoding = XmlEncoding(_codec(name), mark)
    try:
        text = data[len(mark) :].decode(encoding.name)
    except UnicodeDecodeError as error:  # its message would quote the file
        fault = (
            f"expected {encoding.name}, as the file says, found a byte that is not at byte {len(mark) + error.start}"
        )
    else:
        raw = text.encode()
        if encoding.name == "utf-8" or mark + text.encode(encoding.name, "replace") == data:
            return raw, encoding
        fault = f"expected {encoding.name} that can be written again as it is, found bytes that would change"
    raise FormatError(fault)


def _codec(name: str) -> str:
    try:
        codec = codecs.lookup(name).name
    except LookupError:
        codec = ""
    if not _READ.fullmatch(codec) or codec == "utf-16":  # ambiguous without a byte-order mark
        raise FormatError("expected an encoding that is known, like UTF-8, ISO-8859-1 or UTF-16 with its mark")
    return codec
