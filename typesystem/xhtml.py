"""The text of XHTML and HTML with its places in the source, so that masked text can be put back between the tags."""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_TOKEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<!\[CDATA\[(?P<cdata>.*?)(?:\]\]>|\Z)|<[!?][^>]*>"
    r"|<(?P<tag>/?[A-Za-z][^\s/>]*)(?:[^\"'>]|\"[^\"]*\"|'[^']*')*>"
    r"|(?P<entity>&(?:\#\d{1,8}|\#[xX][0-9a-fA-F]{1,7}|[A-Za-z][A-Za-z0-9]{1,31});)|(?P<text>[^<&]+)|(?P<bare>[<&])",
    re.DOTALL,
)
_BLOCK = frozenset(
    "address article aside blockquote br caption center dd div dl dt fieldset footer form h1 h2 h3 h4 h5 h6 header hr li main "
    "nav ol p pre section table tbody tfoot thead tr ul".split()
)
_CELL = frozenset(("td", "th"))
_TELLING = re.compile(
    r"(\s(?:title|alt|href|src|longdesc|cite|summary|data-[\w-]+)\s*=\s*)(\"[^\"]*\"|'[^']*')", re.IGNORECASE
)


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
        so do the values of attributes that can hold text or addresses (title, alt, href ...): nobody has looked at them.
        """
        edits: list[tuple[int, int, str]] = []
        ends = [p.end for p in self.places]
        for begin, end, new in replacements:
            edits += self._edits(begin, end, _escaped(new), ends)
        gone = {at for at, stop, _ in edits if at < stop}
        edits += [  # no new text may make a tag of them
            (*m.span(), _escaped(m[0])) for m in _TOKEN.finditer(self.source) if m["bare"] and m.start() not in gone
        ]
        edits += [
            (*m.span(), "") for m in _TOKEN.finditer(self.source) if m[0][:2] in ("<!", "<?") and m["cdata"] is None
        ]
        edits += [
            (m.start() + a.start(2) + 1, m.start() + a.end(2) - 1, "")
            for m in _TOKEN.finditer(self.source)
            if m["tag"] is not None
            for a in _TELLING.finditer(m[0])
        ]
        return spliced(self.source, edits)

    def _edits(self, begin: int, end: int, new: str, ends: Sequence[int]) -> list[tuple[int, int, str]]:
        made: list[tuple[int, int, str]] = []
        for p in self.places[bisect_left(ends, begin + 1) :]:
            if p.begin >= end and made:
                break
            if p.begin >= end:  # nothing but the line end of a block: the text goes before what follows
                return [(p.at, p.at, new)]
            cut = (p.at, p.stop) if p.whole else (p.at + max(begin - p.begin, 0), p.at + min(end, p.end) - p.begin)
            made.append((*cut, "" if made else new))
        return made or [(len(self.source), len(self.source), new)]


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def spliced(source: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """The text with stretches (begin, end, new text) replaced; one that begins within another is left to that one."""
    pieces, at = [], 0
    for begin, end, new in sorted(edits, key=lambda e: (e[0], e[1])):
        pieces += [source[at:begin], new if begin >= at else ""]
        at = max(at, end)
    return "".join([*pieces, source[at:]])
