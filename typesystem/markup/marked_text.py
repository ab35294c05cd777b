"""Marked text: documents with inline marks `[[KIND|text]]`, each after a line `=====` and a header of `#name: value` fields.

`[[?KIND|text]]` is an optional mark. `[[U+005B]]` is one character by its code point, in texts, marks and headers; it stands
for what would be read as markup: two or more brackets of one sort in a row, every bracket in a mark, and a line `=====`. The
last two brackets of a row `[[[` begin a mark, so that `[[[DATE|3 May]]]` is a marked date in brackets. The line end before the
next `=====`, or at the end of the file, is not part of the text. Every text has a form that is read as exactly this text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

_HEX = "(?:10[0-9A-F]{4}|0?[0-9A-F]{2,5})"
"""A code point in hexadecimal: two to six digits, up to 10FFFF."""
_CODE = rf"\[\[U\+{_HEX}\]\]"
_BEGIN = re.compile(r"^=====[ \t]*(?:\r?\n|\r?\Z)", re.MULTILINE)
_TOKEN = re.compile(
    rf"""\[\[ U\+ (?P<code> {_HEX} ) \]\]
       | \[\[ (?P<optional> \?? ) (?P<label> [^|\[\]\s]{{1,80}}+ ) \| (?P<covered> (?: [^\[\]]++ | {_CODE} )++ ) \]\]
       | (?P<fault> \[\[ (?!\[) | \]\] )
    """,
    re.VERBOSE,
)
_CHARACTER = re.compile(rf"\[\[U\+({_HEX})\]\]")
_FIELD = re.compile(rf"(?:^|[ \t]+)\#((?:[^\W\d]|{_CODE})(?:[\w./-]|{_CODE})*):", re.VERBOSE)
_UNSAFE = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufeff"
"""Characters that editors and decoders change, as a set of a regular expression."""
_IN_TEXT = re.compile(rf"\[{{2,}}|\]{{2,}}|[{_UNSAFE}]")
_IN_MARK = re.compile(rf"[\[\]{_UNSAFE}]")
_IN_VALUE = re.compile(rf"^\s+|\s+\Z|[\[\]#\r\n{_UNSAFE}]")
_IN_NAME = re.compile(r"[^\w./-]|^[\d./-]")
_SEPARATOR_LINE = re.compile(r"^=(?=={4}[ \t]*\r?$)", re.MULTILINE)
_LABEL = re.compile(r"[^|\[\]\s?][^|\[\]\s]{0,79}")


class Mark(NamedTuple):
    """A marked span. Offsets are code points of the text, half-open."""

    begin: int
    end: int
    label: str
    optional: bool = False
    place: str = ""
    """Its line and column in the file, for messages."""


@dataclass(slots=True)
class MarkedDocument:
    """One document of a file, or its first fault."""

    header: dict[str, str] = field(default_factory=dict)
    text: str = ""
    marks: list[Mark] = field(default_factory=list)
    line: int = 1
    """The line of the file with its header."""
    fault: str = ""
    """The place of the damage, what was expected and what was found, without text of the document; empty for none."""


class _Fault(Exception):
    """A part of a document that does not follow the grammar. The message contains no text."""


def parse(content: str) -> Iterator[MarkedDocument]:
    """Yield the documents of a file. A damaged document has a `fault`, and the next ones are read."""
    begins = list(_BEGIN.finditer(content))
    before = content[: begins[0].start()] if begins else content
    if before.strip():
        line = 1 + before[: len(before) - len(before.lstrip())].count("\n")
        yield MarkedDocument(line=line, fault=f"line {line}: expected a line =====, found another line")
    line, counted = 1, 0
    ends = [*(begin.start() for begin in begins[1:]), len(content)]
    for this, end in zip(begins, ends, strict=False):
        line += content.count("\n", counted, this.end())
        counted = this.end()
        document = MarkedDocument(line=line)
        try:
            _read(document, content[this.end() : end])
        except _Fault as fault:
            document.fault = str(fault)
        yield document


def _read(document: MarkedDocument, content: str) -> None:
    """Read header and body. Raises _Fault."""
    header, _, body = content.partition("\n")
    windows = header.endswith("\r")  # the line ends of the file are CR LF: that before ===== too
    document.header = _fields(header.removesuffix("\r"), document.line)
    body = body.removesuffix("\r\n" if windows and body.endswith("\r\n") else "\n")
    pieces: list[str] = []
    length = last = 0
    line, line_begin = document.line + 1, 0
    for token in _TOKEN.finditer(body):
        line += body.count("\n", last, token.start())
        line_begin = max(line_begin, body.rfind("\n", last, token.start()) + 1)
        pieces.append(body[last : token.start()])
        length += len(pieces[-1])
        place = f"line {line}, column {token.start() - line_begin + 1}"
        if token["fault"]:
            raise _Fault(f"{place}: {_expected(token['fault'])}")
        pieces.append(chr(int(token["code"], 16)) if token["code"] else _unescaped(token["covered"]))
        if token["label"]:
            document.marks.append(
                Mark(length, length + len(pieces[-1]), token["label"], bool(token["optional"]), place)
            )
        length += len(pieces[-1])
        last = token.end()
        line += token[0].count("\n")
        line_begin = max(line_begin, body.rfind("\n", token.start(), last) + 1)
    document.text = "".join([*pieces, body[last:]])


def _fields(header: str, line: int) -> dict[str, str]:
    found = list(_FIELD.finditer(header))
    if not found or header[: found[0].start()].strip():
        raise _Fault(f"line {line}: expected a header like `#id: note-1`, found another line")
    fields: dict[str, str] = {}
    ends = [*(field_.start() for field_ in found[1:]), len(header)]
    for this, end in zip(found, ends, strict=True):
        name = _unescaped(this[1])
        if name in fields:
            raise _Fault(f"line {line}: expected each field of the header once, found one twice")
        fields[name] = _unescaped(header[this.end() : end].strip())
    return fields


def _unescaped(escaped: str) -> str:
    return _CHARACTER.sub(lambda m: chr(int(m[1], 16)), escaped) if "[" in escaped else escaped


def _expected(found: str) -> str:
    if found == "]]":
        return "expected [[ before ]], found none; ]] in a text is written [[U+005D]][[U+005D]]"
    return (
        "expected a mark like [[DATE|3 May]], found [[ before something else; [[ in a text is written [[U+005B]][[U+005B]], "
        "and every bracket in a mark so"
    )


def write(header: Mapping[str, str], text: str, marks: Sequence[Mark]) -> str:
    """Return a document as `parse` reads it: separator, header, and the text with its marks, which are in order and disjoint.

    Raises ValueError for a header without fields, for a label with white space, brackets or `|`, and for marks that are empty or
    overlap.
    """
    if not header:
        raise ValueError("expected one field of the header or more, got none")
    if "" in header:
        raise ValueError("expected names of header fields, got an empty one")
    fields = (
        f"#{_IN_NAME.sub(_codes, name)}: {_IN_VALUE.sub(_codes, value)}".rstrip() for name, value in header.items()
    )
    pieces: list[str] = []
    last = 0
    for mark in marks:
        if not last <= mark.begin < mark.end <= len(text):
            raise ValueError(f"{mark.begin}:{mark.end}: expected marks in order that do not overlap")
        if not _LABEL.fullmatch(mark.label):
            raise ValueError("expected labels without white space, brackets and |")
        covered = _IN_MARK.sub(_codes, text[mark.begin : mark.end])
        pieces += [
            _IN_TEXT.sub(_codes, text[last : mark.begin]),
            f"[[{'?' if mark.optional else ''}{mark.label}|{covered}]]",
        ]
        last = mark.end
    body = "".join([*pieces, _IN_TEXT.sub(_codes, text[last:])])
    return f"=====\n{'  '.join(fields)}\n{_SEPARATOR_LINE.sub(_codes, body)}\n"


def _codes(match: re.Match[str]) -> str:
    return "".join(f"[[U+{ord(character):04X}]]" for character in match[0])
