"""i2b2/UTHealth 2014 de-identification track: the scores of the organizers' script.

Source: Stubbs, Kotfila & Uzuner 2015, J Biomed Inform 58:S11; the script is kotfic/i2b2_evaluation_scripts (Apache-2.0). Its
peculiarities, which are kept:

* a tag is category, type and offsets; equal tags of one document count once;
* *token*: a tag is split into runs of ASCII letters and digits; one without any counts as one empty token at its end;
* *relaxed*: the end may differ by up to 2, the begin must not. Tags are compared pair by pair, so tags that are equal in this
  sense collapse, and hits are counted on the side with fewer tags in the document (the system's, if both have the same number);
* *hipaa*: a fixed list of types. `ID/IDNUM` is meant to be on it, but is written with a trailing space there and never matches;
* *binary*: offsets alone; in *binary-strict* a tag of the category PHI (type OTHER) keeps category and type, so that it matches
  only another one;
* macro is the mean over documents of precision and of recall, 0 if undefined; its F1 is that of the two means;
* micro comes first ("Primary"). If nothing was found the script prints a precision of 0; here it is undefined.

In the script's ports to Python 3 *relaxed* is always 0, since views of dictionaries are never equal there; these are the scores
of the original.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal

from ....typesystem import PhiKind
from ..counts import MACRO, MICRO, Counts, Measure, Shape
from ..document import Mark, Pair

Tag = tuple[str, str, int, int]
"""Category, type, begin, end."""
Side = Literal["gold", "system"]

_TOKEN = re.compile(r"[a-zA-Z0-9]+")
_HIPAA = {
    "NAME": ("PATIENT",),
    "LOCATION": ("CITY", "STREET", "ZIP", "ORGANIZATION"),
    "DATE": ("",),
    "CONTACT": ("PHONE", "FAX", "EMAIL"),
    "ID": ("SSN", "MEDICALRECORD", "HEALTHPLAN", "ACCOUNT", "LICENSE", "VEHICLE", "DEVICE", "BIOID", "IDNUM "),
    "AGE": ("",),
}
"""Category -> prefixes of its types."""


@lru_cache(maxsize=4096)
def _label(kind: str) -> tuple[str, str]:
    """Return category and type of a kind; a label `CATEGORY/TYPE` stays the same."""
    try:
        known = PhiKind.of(kind)
    except ValueError:
        category, slash, type_ = kind.partition("/")
        return category, type_ if slash else category
    return known.in_scheme("i2b2-2014"), known.in_scheme("i2b2-2014-sub")


def tags(marks: Iterable[Mark]) -> list[Tag]:
    """Return the tags of some spans, in their order."""
    return [(*_label(m.kind), m.begin, m.end) for m in marks]


@lru_cache(maxsize=4096)
def is_hipaa(category: str, type_: str) -> bool:
    """Return whether the script counts a tag as one of HIPAA."""
    return any(type_.startswith(t) for name, types in _HIPAA.items() if category.startswith(name) for t in types)


def tokens(text: str, tag: Tag) -> list[Tag]:
    """Return the tokens of a tag, each with its category and type."""
    category, type_, begin, end = tag
    spans = [hit.span() for hit in _TOKEN.finditer(text, begin, end)]
    return [(category, type_, b, e) for b, e in spans or [(end, end)]]


def _units(pair: Pair, side: Side, *, cut: bool, hipaa: bool) -> list[Tag]:
    """Return the tags of one side or, with `cut`, their tokens; computed once for all measures."""

    def make() -> list[Tag]:
        if cut:
            every = [token for tag in _units(pair, side, cut=False, hipaa=hipaa) for token in tokens(pair.text, tag)]
            return every if side == "gold" else [t for t in every if not pair.only_optional(t[2], t[3])]
        if hipaa:
            return [tag for tag in _units(pair, side, cut=False, hipaa=False) if is_hipaa(tag[0], tag[1])]
        return tags(pair.gold if side == "gold" else pair.system)

    return pair.once(f"i2b2 {side} {cut} {hipaa}", make)


Sides = tuple[list[Tag], list[Tag], list[Tag]]
"""Hits, false hits, misses."""


def _exact(gold: Sequence[Tag], system: Sequence[Tag]) -> Sides:
    g, s = dict.fromkeys(gold), dict.fromkeys(system)
    return [t for t in s if t in g], [t for t in s if t not in g], [t for t in g if t not in s]


def _relaxed(gold: Sequence[Tag], system: Sequence[Tag], slack: int = 2) -> Sides:
    g, s = _SlackSet(gold, slack), _SlackSet(system, slack)
    fewer, more = (g, s) if len(g.tags) < len(s.tags) else (s, g)
    return [t for t in fewer.tags if t in more], [t for t in s.tags if t not in g], [t for t in g.tags if t not in s]


class _SlackSet:
    """A set whose members are equal if their ends differ by at most `slack`: the first one stays."""

    def __init__(self, tags: Iterable[Tag], slack: int) -> None:
        self._ends: dict[tuple[str, str, int], set[int]] = {}
        self._slack = slack
        self.tags: list[Tag] = []
        for tag in tags:
            if tag not in self:
                self._ends.setdefault(tag[:3], set()).add(tag[3])
                self.tags.append(tag)

    def __contains__(self, tag: Tag) -> bool:
        ends = self._ends.get(tag[:3])
        return ends is not None and not ends.isdisjoint(range(tag[3] - self._slack, tag[3] + self._slack + 1))


def _measure(
    name: str, *, cut: bool = False, hipaa: bool = False, binary: bool = False, relaxed: bool = False
) -> Measure:
    compare: Callable[[Sequence[Tag], Sequence[Tag]], Sides] = _relaxed if relaxed else _exact

    def side(pair: Pair, which: Side) -> list[Tag]:
        units = _units(pair, which, cut=cut, hipaa=hipaa)
        return [tag if tag[0] == "PHI" and not cut else ("", "", *tag[2:]) for tag in units] if binary else units

    def count(pair: Pair) -> Mapping[str, Counts]:
        return _counts(*compare(side(pair, "gold"), side(pair, "system")), by_category=not binary)

    shapes: dict[str, Shape] = {MACRO: "means"}
    return Measure(name, count, shapes=shapes, totals=False, macro="none", always=(MICRO, MACRO), zero_f1=True)


def _counts(hits: list[Tag], false: list[Tag], missed: list[Tag], *, by_category: bool) -> dict[str, Counts]:
    tp, fp, fn = len(hits), len(false), len(missed)
    result = {
        MICRO: Counts(tp + fn, tp, tp + fp, tp),
        MACRO: Counts(1, tp / (tp + fn) if tp else 0, 1, tp / (tp + fp) if tp else 0),
    }
    if by_category:
        by_category_counts: dict[str, list[int]] = {}
        for position, side in enumerate((hits, false, missed)):
            for tag in side:
                by_category_counts.setdefault(tag[0], [0, 0, 0])[position] += 1
        for category, (tp, fp, fn) in by_category_counts.items():
            result[category] = Counts(tp + fn, tp, tp + fp, tp)
    return result


MEASURES = (
    _measure("token", cut=True),
    _measure("strict"),
    _measure("relaxed", relaxed=True),
    _measure("hipaa-token", cut=True, hipaa=True),
    _measure("hipaa-strict", hipaa=True),
    _measure("hipaa-relaxed", hipaa=True, relaxed=True),
    _measure("binary-token", cut=True, binary=True),
    _measure("binary-strict", binary=True),
    _measure("binary-hipaa-token", cut=True, hipaa=True, binary=True),
    _measure("binary-hipaa-strict", hipaa=True, binary=True),
)
