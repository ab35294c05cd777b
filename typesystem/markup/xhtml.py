"""Extract the text of XHTML and HTML with its positions, so that masked text can be written back between the tags."""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

_BLOCK = frozenset(
    "address article aside blockquote body br button caption center dd div dl dt fieldset figcaption footer form h1 h2 "
    "h3 h4 h5 h6 head header hr html legend li main nav ol option p pre script section style summary table tbody "
    "textarea tfoot thead title tr ul".split()
)
_CELL = frozenset(("td", "th"))
_KNOWN = (
    _BLOCK
    | _CELL
    | frozenset(
        "a abbr acronym applet area audio b base basefont bdi bdo big canvas cite code col colgroup data datalist "
        "del details dfn dialog dir embed em figure font frame frameset hgroup i iframe img input ins kbd label "
        "link map mark menu meta meter noframes noscript object optgroup output param picture progress q "
        "rp rt ruby s samp select slot small source span strike strong sub sup svg template time track "
        "tt u var video wbr path rect circle line g math".split()
    )
)
"""Elements of HTML; anything else in angle brackets is text: `Dr. Fell <fell@example.org>`."""
_TOKEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<!\[CDATA\[(?P<cdata>.*?)(?:\]\]>|\Z)|<[!?][^<>]*>"
    rf"|<(?P<tag>/?(?:[A-Za-z][\w.-]{{0,30}}:)?(?i:{'|'.join(sorted(_KNOWN, key=len, reverse=True))})(?=[\s/>]))"
    r"(?P<attributes>(?:[^\"'<>]|\"[^\"]*\"|'[^']*')*)>"
    r"|(?P<entity>&(?:\#\d{1,8}|\#[xX][0-9a-fA-F]{1,7}|[A-Za-z][A-Za-z0-9]{1,31});)|(?P<text>[^<&]+)|(?P<bare>[<&])",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"\s*(?P<name>[^\s=\"'/>]+)(?:\s*=\s*(?P<value>\"[^\"]*\"|'[^']*'|[^\s\"'>]+))?|.", re.DOTALL)
_HARMLESS = frozenset(
    "class style xmlns lang dir colspan rowspan span width height align valign border cellpadding cellspacing bgcolor color face "
    "size start type scope nowrap reversed frame rules char charoff compact hspace vspace rel charset".split()
)
"""Attributes that describe the appearance. The values of all others are removed, since they are not searched for PHI."""
_EMPTIED = frozenset("title alt href src longdesc cite summary".split())
"""Attributes that are kept without their values: elements require them."""
_PLAIN = re.compile(r"[^<>&@?(]{0,200}")
"""Values of harmless attributes."""


class TextSegment(NamedTuple):
    """A segment of the text and its position in the source (code points)."""

    begin: int
    end: int
    source_begin: int
    source_end: int
    is_entity: bool
    """Entities are never split."""


class Xhtml:
    """A text with markup. In `text`, blocks begin on new lines, cells after a tab, and entities are resolved."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.segments: list[TextSegment] = []
        pieces: list[str] = []
        length = 0
        for m in _TOKEN.finditer(source):
            if m["tag"] is not None:
                name = m["tag"].lstrip("/").lower().rpartition(":")[2]
                blank = "\n" if name in _BLOCK else "\t" if name in _CELL and m["tag"][0] != "/" else ""
                if blank and pieces and (name == "br" or not pieces[-1].endswith(("\n", "\t"))):
                    pieces.append(blank)
                    length += 1
                continue
            group = next((g for g in ("text", "entity", "cdata", "bare") if m[g] is not None), "")
            if not group or m.start(group) == m.end(group):
                continue
            piece = html.unescape(m["entity"]) if group == "entity" else m[group]
            self.segments.append(TextSegment(length, length + len(piece), *m.span(group), group == "entity"))
            pieces.append(piece)
            length += len(piece)
        self.text = "".join(pieces)

    def replaced(self, replacements: Iterable[tuple[int, int, str]]) -> str:
        """Return the source with segments of its text replaced by (begin, end, new text), which are sorted and disjoint.

        A replacement that spans tags is put in place of its first character. Comments, processing instructions and the values
        of attributes are removed, except those that describe the appearance, since they are not searched for PHI.
        """
        edits: list[tuple[int, int, str]] = []
        ends = [s.end for s in self.segments]
        for begin, end, new in replacements:
            edits += self._edits(begin, end, _escaped(new), ends)
        replaced = {begin for begin, end, _ in edits if begin < end}
        for m in _TOKEN.finditer(self.source):
            if m["bare"] is not None:
                if m.start() not in replaced:
                    edits.append((*m.span(), _escaped(m[0])))  # so that new text cannot turn it into a tag
            elif m["tag"] is not None:
                edits += _attributes(m["attributes"], m.start("attributes"))
            elif m[0][:2] in ("<!", "<?") and m["cdata"] is None:
                edits.append((*m.span(), ""))
        return spliced(self.source, edits)

    def _edits(self, begin: int, end: int, new: str, ends: Sequence[int]) -> list[tuple[int, int, str]]:
        edits: list[tuple[int, int, str]] = []
        for s in self.segments[bisect_left(ends, begin + 1) :]:
            if s.begin >= end and edits:
                break
            if s.begin >= end:  # only the line break of a block: insert the new text before the next segment
                return [(s.source_begin, s.source_begin, new)]
            if s.is_entity:
                span = s.source_begin, s.source_end
            else:
                span = s.source_begin + max(begin - s.begin, 0), s.source_begin + min(end, s.end) - s.begin
            edits.append((*span, "" if edits else new))
        return edits or [(len(self.source), len(self.source), new)]


def _attributes(written: str, offset: int) -> Iterator[tuple[int, int, str]]:
    """Return the edits of the attributes of a tag. `offset`: the position of the attributes in the source."""
    for m in _ATTRIBUTE.finditer(written):
        name, value = m["name"], m["value"]
        if name is None:
            if m[0].strip(" \t\r\n/"):
                yield offset + m.start(), offset + m.end(), ""
            continue
        local = name.lower().rpartition(":")[2]
        if (local in _HARMLESS or name.lower().startswith("xmlns:")) and _PLAIN.fullmatch(value or ""):
            continue
        if value is None or local not in _EMPTIED:
            yield offset + m.start(), offset + m.end(), ""
        elif value[0] in "\"'":
            yield offset + m.start("value") + 1, offset + m.end("value") - 1, ""
        else:
            yield offset + m.start("value"), offset + m.end("value"), '""'


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def spliced(source: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """Return the text with (begin, end, new text) replaced. An edit that begins within another only extends it."""
    pieces, last = [], 0
    for begin, end, new in sorted(edits, key=lambda e: (e[0], e[1])):
        pieces += [source[last:begin], new if begin >= last else ""]
        last = max(last, end)
    return "".join([*pieces, source[last:]])
