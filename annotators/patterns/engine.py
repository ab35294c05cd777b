"""Finds what rules describe: one combined pass tells which patterns occur, then each of these is looked at in detail.

Time is linear in the text: google-re2 never backtracks, and long texts are taken in windows, so that no search looks
further than one window. A hit that reaches the end of its window is looked at again with more room, up to `LONGEST`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...typesystem import PhiKind
from .context import Surroundings
from .filters import find_filter
from .gate import Gate, head
from .lists import StringList
from .validators import digits, find_validator

if TYPE_CHECKING:
    from .rules import Rule, RuleFile

WINDOW = 4_096
OVERLAP = 1_024
LONGEST = 16_384
"""Bytes of UTF-8: a window, what two windows share, and the longest hit."""
GATE_SIZE = 96
"""Patterns in one combined pass. Patterns of one sort share their states; hundreds of unlike ones multiply them."""
FIGURES = 8
"""Those that begin with a figure, in one pass: all are under way wherever figures stand, so that few of them have many
states already. 47 together had made 13 MB of states after 20,000 short notes, and more with each."""

Sentences = tuple[Sequence[int], Sequence[int]]


class Hit(NamedTuple):
    """What a rule found: code points `begin:end`. `kind` is None for rules that feed a list."""

    begin: int
    end: int
    rule: str
    kind: PhiKind | None
    confidence: float
    order: int
    """Place of the rule in its file, to settle ties."""
    list: str = ""
    value: str = ""
    """Normalised text of the hit."""

    def __repr__(self) -> str:
        return f"<Hit {self.begin}:{self.end} {self.rule}>"


class Matcher:
    """The rules and lists of a rule file, compiled."""

    def __init__(self, file: RuleFile) -> None:
        self.file = file
        self._detail = [
            (rule, order, compiled, compiled.groupindex[rule.group] if isinstance(rule.group, str) else rule.group)
            for order, rule in enumerate(file.rules)
            for compiled in rule.patterns
        ]
        self._checks = {r.validator: find_validator(r.validator).check for r in file.rules if r.validator}
        self._filters = {name: find_filter(name).check for r in file.rules for name in r.filters}
        self._deny = StringList((s, i) for i, deny in enumerate(file.deny) for s in deny.strings)
        self._allow = StringList((s, 0) for s in file.allow.strings)
        self._gates = self._combine()

    def hits(self, text: str, sentences: Sentences | None = None, rule: str | None = None) -> list[Hit]:
        """Every hit, by begin, then length (longer first), then order of rules; those inside surer ones are left out.

        `sentences` are begins and ends for `within: sentence`; without them a sentence ends at a full stop or line break.
        With `rule`, only the hits of that rule are looked for, and no list.
        """
        found = list(self._rule_hits(text, sentences, rule))
        if rule is None:
            found += self._deny_hits(text)
            found = self._without_allowed(text, found)
        found.sort(key=lambda h: (h.begin, -h.end, -h.confidence, h.order))
        return [h._replace(value=self._value(text, h)) for h in outermost(found)]

    def _value(self, text: str, hit: Hit) -> str:
        rules = self.file.rules
        form = rules[hit.order].value if hit.order < len(rules) else "compact"
        return value_of(plain(text[hit.begin : hit.end]), form)

    # -- rules ---------------------------------------------------------------------------------------------------

    def _combine(self) -> list[tuple[list[int], Gate]]:
        """Gates over patterns of one automaton, and the numbers of these patterns.

        Patterns that begin alike go together: in running text those that wait for a word rest while those that wait for
        figures go on, and an automaton over both has a state for each pair, more than the processor's cache holds.
        """
        groups: dict[tuple[str, str], list[int]] = {}
        for number, (rule, _, compiled, _) in enumerate(self._detail):
            begins = head(compiled.pattern)
            groups.setdefault(("" if begins == "word" else rule.automaton, begins), []).append(number)
        parts = []
        for (_, first), group in groups.items():
            size = FIGURES if first == "figure" else GATE_SIZE
            parts += [group[i : i + size] for i in range(0, len(group), size)]
        return [(numbers, Gate([self._detail[n][2].pattern for n in numbers])) for numbers in parts]

    def _rule_hits(self, text: str, sentences: Sentences | None, only: str | None) -> Iterator[Hit]:
        if not self._detail or not text:
            return
        text = plain(text)
        data = text.encode("utf-8", "surrogatepass")
        found: list[tuple[int, int, int]] = []
        behind: dict[int, int] = {}
        for low, high, limit in _windows(data):
            for number in self._occurring(data, low, high):
                rule = self._detail[number][0]
                if only is None or rule.name == only:
                    start = max(low, behind.get(number, 0))
                    behind[number] = self._search(data, start, high, limit, number, found)
        found.sort()
        offsets = _Offsets(data, len(text) == len(data))
        for begin, end, number in found:
            rule, order, _, _ = self._detail[number]
            hit = self._judge(text, offsets.at(begin), offsets.at(end, keep=False), rule, order, sentences)
            if hit is not None:
                yield hit

    def _occurring(self, data: bytes, low: int, high: int) -> Iterator[int]:
        """Numbers of the patterns that can occur between two offsets."""
        piece = data if low == 0 and high == len(data) else data[max(0, low - 4) : high]
        for numbers, gate in self._gates:
            for place in gate.occurring(piece):
                yield numbers[place]

    def _search(
        self, data: bytes, at: int, high: int, limit: int, number: int, found: list[tuple[int, int, int]]
    ) -> int:
        """All hits of one pattern whose matches begin before `limit`; gives where to go on in the next window.

        A hit that breaks the boundary rule costs its first word.
        """
        rule, _, compiled, group = self._detail[number]
        while at < limit:
            match = compiled.search(data, at, high)
            if match is None or match.start() >= limit:
                break
            begin, end = match.span(group)
            if begin >= end:
                at = max(match.end(), at + 1)
                continue
            if not _free_before(data, begin, rule.boundary):
                at = _end_of_run(data, begin, high)
                continue
            if match.end() == high < len(data):
                begin, end = compiled.search(data, match.start(), _character(data, match.start() + LONGEST)).span(group)
            if _free_after(data, end, rule.boundary):
                found.append((begin, end, number))
                at = end
            else:
                at = _end_of_run(data, begin, high)
        return at

    def _judge(
        self, text: str, begin: int, end: int, rule: Rule, order: int, sentences: Sentences | None
    ) -> Hit | None:
        covered = text[begin:end]
        if not all(self._filters[name](covered) for name in rule.filters):
            return None
        confidence = rule.confidence
        if rule.context:
            around = Surroundings(text, begin, end, sentences)
            for condition in rule.context:
                there = around.holds(condition)
                if (condition.required and not there) or (condition.forbidden and there):
                    return None
                if there:
                    confidence += condition.adds
        kind = rule.kind
        if rule.validator:
            if self._checks[rule.validator](covered):
                confidence += rule.valid_adds
            elif rule.otherwise is not None:
                kind = rule.otherwise
        confidence = round(min(1.0, max(0.0, confidence)), 4)
        return Hit(begin, end, rule.name, kind, confidence, order, rule.list)

    # -- lists ---------------------------------------------------------------------------------------------------

    def _deny_hits(self, text: str) -> Iterator[Hit]:
        for begin, end, number in self._deny.find(text):
            deny = self.file.deny[number]
            order = len(self.file.rules) + number
            yield Hit(begin, end, deny.name, deny.kind, deny.confidence, order)

    def _without_allowed(self, text: str, found: list[Hit]) -> list[Hit]:
        patterns = self.file.allow.patterns
        if not found or not (self._allow or patterns):
            return found
        allowed = [(b, e) for b, e, _ in self._allow.find(text)]
        kept = []
        for hit in found:
            covered = plain(text[hit.begin : hit.end])
            if any(b <= hit.begin and hit.end <= e for b, e in allowed) or covered in self._allow:
                continue
            if not any(p.fullmatch(covered) for p in patterns):
                kept.append(hit)
        return kept


def outermost(found: list[Hit]) -> Iterator[Hit]:
    """Hits without those that lie inside another that is at least as sure; of equal spans the surest, then the first rule.

    No character loses its cover. `found` must be sorted by begin, then length, longest first.
    """
    open_: list[Hit] = []
    for hit in found:
        open_ = [h for h in open_ if h.end > hit.begin]
        same_sort = [h for h in open_ if h.end >= hit.end and bool(h.list) == bool(hit.list)]
        if any(h.confidence >= hit.confidence for h in same_sort):
            continue
        open_.append(hit)
        yield hit


# -- text ------------------------------------------------------------------------------------------------------------

_ODD = re.compile(
    "[\u00a0\u00ad\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u2000-\u2015\u2018\u2019\u201c\u201d\u2028\u2029\u202f\u205f\u2060"
    "\u2212\u3000\ufe58\ufe63\ufeff\uff01-\uff5e]"
)
_PLAIN = {
    **dict.fromkeys((0xA0, *range(0x2000, 0x2010), 0x202F, 0x205F, 0x2060, 0x3000, 0xFEFF), " "),
    **dict.fromkeys((0xAD, *range(0x2010, 0x2016), 0x2212, 0xFE58, 0xFE63), "-"),
    **dict.fromkeys((0x2018, 0x2019), "'"),
    **dict.fromkeys((0x201C, 0x201D), '"'),
    **dict.fromkeys((0x2028, 0x2029), "\n"),
    **{start + i: str(i) for start in (0x660, 0x6F0, 0x966) for i in range(10)},
    **{0xFF01 + i: chr(0x21 + i) for i in range(94)},
}


def plain(text: str) -> str:
    """The text with typographic blanks, dashes, quotes, full-width signs and digits of other scripts as ASCII, one for one."""
    return text if text.isascii() or not _ODD.search(text) else text.translate(_PLAIN)


def value_of(covered: str, form: str) -> str:
    """The normalised text of a hit: `compact` (upper case, letters and digits), `digits`, `lower`, or the `text` itself."""
    if form == "compact":
        return "".join(c for c in covered.upper() if c.isalnum())
    if form == "digits":
        return digits(covered)
    return covered.lower() if form == "lower" else covered


class _Offsets:
    """Code points for byte offsets asked in ascending order (`keep=False`: a look ahead that does not move on)."""

    def __init__(self, data: bytes, ascii_only: bool) -> None:
        self._data, self._ascii, self._byte, self._point = data, ascii_only, 0, 0

    def at(self, offset: int, keep: bool = True) -> int:
        if self._ascii:
            return offset
        point = self._point + len(self._data[self._byte : offset].decode("utf-8", "surrogatepass"))
        if keep:
            self._byte, self._point = offset, point
        return point


def _windows(data: bytes) -> Iterator[tuple[int, int, int]]:
    """(begin, end, limit) of overlapping windows; hits that begin at or after `limit` belong to the next one."""
    size = len(data)
    low = 0
    while True:
        high = size if low + WINDOW + OVERLAP >= size else _character(data, low + WINDOW)
        limit = size if high == size else _character(data, high - OVERLAP)
        yield low, high, limit
        if high == size:
            return
        low = limit


def _character(data: bytes, offset: int) -> int:
    """The first byte of the character at `offset`; the end of the text for anything behind it."""
    if offset >= len(data):
        return len(data)
    while offset > 0 and data[offset] & 0xC0 == 0x80:
        offset -= 1
    return offset


_ALNUM = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_DIGITS = frozenset(b"0123456789")
_JOINERS = frozenset(b"-_.")


def _alnum(data: bytes, offset: int) -> bool:
    """Whether the character that holds byte `offset` is a letter or digit."""
    if not 0 <= offset < len(data):
        return False
    if data[offset] < 0x80:
        return data[offset] in _ALNUM
    start = _character(data, offset)
    return data[start : start + 4].decode("utf-8", "ignore")[:1].isalnum()


def _free_before(data: bytes, begin: int, boundary: str) -> bool:
    """Whether a span may begin there: not inside a run of letters and digits; `joined`: nor inside `12-34.56`."""
    if boundary == "none" or begin == 0:
        return True
    if _alnum(data, begin) and _alnum(data, begin - 1):
        return False
    joined = boundary == "joined" and begin > 1 and data[begin] in _DIGITS and data[begin - 1] in _JOINERS
    return not (joined and data[begin - 2] in _DIGITS)


def _free_after(data: bytes, end: int, boundary: str) -> bool:
    """Whether a span may end there."""
    if boundary == "none" or end >= len(data):
        return True
    if _alnum(data, end - 1) and _alnum(data, end):
        return False
    joined = boundary == "joined" and end + 1 < len(data) and data[end - 1] in _DIGITS and data[end] in _JOINERS
    return not (joined and data[end + 1] in _DIGITS)


_RUN = re.compile(rb"[0-9A-Za-z\x80-\xff]+")


def _end_of_run(data: bytes, offset: int, high: int) -> int:
    """Where the run of letters and digits at `offset` ends; at least one byte on."""
    run = _RUN.match(data, offset, high)
    return _character(data, run.end()) if run and run.end() < len(data) else run.end() if run else offset + 1
