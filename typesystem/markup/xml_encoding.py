"""The encoding of an XML file: found as XML 1.0 says (appendix F), undone, and done again without a byte's difference."""

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
"""Python's names of the encodings that are read: those that hold `<` and `>` as ASCII does, and UTF-16."""


@dataclass(frozen=True, slots=True)
class XmlEncoding:
    """A codec, and the byte-order mark before the text."""

    name: str
    mark: bytes = b""

    def encoded(self, text: bytes) -> bytes:
        """UTF-8 in this encoding. Characters that it lacks become character references."""
        if self.name == "utf-8":
            return self.mark + text
        return self.mark + text.decode().encode(self.name, "xmlcharrefreplace")


def decoded(data: bytes) -> tuple[bytes, XmlEncoding]:
    """The text in UTF-8 and the encoding it came in.

    Raises FormatError where the bytes are not in the encoding that the file says, or would not come out again as they are.
    """
    mark, name = next(((m, n) for m, n in _MARKS if data.startswith(m)), (b"", ""))
    if not name:
        name = next((n for begin, n in _WIDE if data.startswith(begin)), "")
    if not name:
        found = _DECLARED.match(data[:1000].lstrip())
        name = found.group(1).decode() if found else "utf-8"
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
        found = codecs.lookup(name).name
    except LookupError:
        found = ""
    if not _READ.fullmatch(found) or found == "utf-16":  # without a byte-order mark nobody knows which
        raise FormatError("expected an encoding that is known, like UTF-8, ISO-8859-1 or UTF-16 with its mark")
    return found
