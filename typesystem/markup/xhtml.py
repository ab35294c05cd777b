"""The text of XHTML and HTML with its places in the source, so that masked text can be put back between the tags."""

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
"""Elements of HTML; whatever else stands between angle brackets is text: `Dr. Fell <fell@example.org>`."""
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
"""Attributes that say how something looks. Nobody has looked at the others: their values go."""
_EMPTIED = frozenset("title alt href src longdesc cite summary".split())
"""Attributes that stay, without their values: elements need them, or readers of pages expect them."""
_PLAIN = re.compile(r"[^<>&@?(]{0,200}")
"""Values of harmless attributes."""


class Place(NamedTuple):
    """A stretch of the text and where it stands in the source (code points). `whole`: one entity, not to be cut."""

    begin: int
    end: int
    at: int
    stop: int
    whole: bool


class Xhtml:
    """A marked-up text. Blocks begin on a line of their own in `text`, cells behind a tab; entities are resolved."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.places: list[Place] = []
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
            self.places.append(Place(length, length + len(piece), *m.span(group), group == "entity"))
            pieces.append(piece)
            length += len(piece)
        self.text = "".join(pieces)

    def replaced(self, replacements: Iterable[tuple[int, int, str]]) -> str:
        """The source with stretches of its text (begin, end, new text; sorted, disjoint) replaced.

        A replacement that reaches over tags stands where its first character stood. Comments and processing instructions go, and
        so do the values of attributes, but those that only say how something looks: nobody has looked at them.
        """
        edits: list[tuple[int, int, str]] = []
        ends = [p.end for p in self.places]
        for begin, end, new in replacements:
            edits += self._edits(begin, end, _escaped(new), ends)
        gone = {at for at, stop, _ in edits if at < stop}
        for m in _TOKEN.finditer(self.source):
            if m["bare"] is not None:
                if m.start() not in gone:
                    edits.append((*m.span(), _escaped(m[0])))  # no new text may make a tag of it
            elif m["tag"] is not None:
                edits += _attributes(m["attributes"], m.start("attributes"))
            elif m[0][:2] in ("<!", "<?") and m["cdata"] is None:
                edits.append((*m.span(), ""))
        return spliced(self.source, edits)

    def _edits(self, begin: int, end: int, new: str, ends: Sequence[int]) -> list[tuple[int, int, str]]:
        made: list[tuple[int, int, str]] = []
        for n in range(bisect_left(ends, begin + 1), len(self.places)):
            p = self.places[n]
            if p.begin >= end and made:
                break
            if p.begin >= end:  # nothing but the line end of a block: the text goes before what follows
                return [(p.at, p.at, new)]
            cut = (p.at, p.stop) if p.whole else (p.at + max(begin - p.begin, 0), p.at + min(end, p.end) - p.begin)
            made.append((*cut, "" if made else new))
        return made or [(len(self.source), len(self.source), new)]


def _attributes(written: str, at: int) -> Iterator[tuple[int, int, str]]:
    """What is done to the attributes of a tag; `at`: where they begin in the source."""
    for m in _ATTRIBUTE.finditer(written):
        name, value = m["name"], m["value"]
        if name is None:
            if m[0].strip(" \t\r\n/"):
                yield at + m.start(), at + m.end(), ""
            continue
        local = name.lower().rpartition(":")[2]
        if (local in _HARMLESS or name.lower().startswith("xmlns:")) and _PLAIN.fullmatch(value or ""):
            continue
        if value is None or local not in _EMPTIED:
            yield at + m.start(), at + m.end(), ""
        elif value[0] in "\"'":
            yield at + m.start("value") + 1, at + m.end("value") - 1, ""
        else:
            yield at + m.start("value"), at + m.end("value"), '""'


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def spliced(source: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """The text with stretches (begin, end, new text) replaced; one that begins within another is left to that one."""
    pieces, at = [], 0
    for begin, end, new in sorted(edits, key=lambda e: (e[0], e[1])):
        pieces += [source[at:begin], new if begin >= at else ""]
        at = max(at, end)
    return "".join([*pieces, source[at:]])
