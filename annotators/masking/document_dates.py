"""The dates of one document: which reading of an ambiguous figure, and where missing parts come from."""

from __future__ import annotations

import datetime
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from ..dates.interpretation import DateInterpretation, PartialDate
from .date_arithmetic import point
from .operator import Mention

Order = Literal["MDY", "DMY"]
Parse = Callable[[str], tuple[DateInterpretation, ...]]

_EDGE = " \t\n\r,.;:()[]"
_LEAD = re.compile(
    rf"(?:[{re.escape(_EDGE)}]|(?:on|in|at|since|until|till|by|from|before|after|during|the|of|about)\s)*", re.I
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_FOUR = re.compile(r"\d{4}")


@dataclass(frozen=True, slots=True)
class _Anchor:
    """A date of the document that needs no help: where it stands, and a day within it."""

    begin: int
    end: int
    day: datetime.date


class DocumentDates:
    """Reads the date mentions of a document together.

    Ambiguous figures take the layout that fits most dates of the document (Table 9 of the VigiBase system: each date
    counts for every layout it can be read in); then the order of day and month that most figures show; then `ambiguous`.
    """

    def __init__(self, mentions: Sequence[Mention], ambiguous: Order, parse: Parse | None = None) -> None:
        self._parse = parse or _parser()
        self._ambiguous: Order = ambiguous
        self._read: dict[tuple[str, str], tuple[DateInterpretation, ...]] = {}
        votes: Counter[str] = Counter()
        for mention in mentions:
            votes.update(sorted({_format(r, mention) for r in self._readings(mention)}))
        self._votes = votes
        orders: Counter[str] = Counter()
        for layout, count in votes.items():
            orders[order_of(layout)] += count
        if orders["MDY"] != orders["DMY"]:
            self._ambiguous = "MDY" if orders["MDY"] > orders["DMY"] else "DMY"
        self._anchors = list(self._found(mentions))
        self._begins = [anchor.begin for anchor in self._anchors]

    def reading(self, mention: Mention) -> DateInterpretation | None:
        """How the mention is read in this document, None where it is no date that can be read."""
        readings = self._readings(mention)
        if len(readings) < 2:
            return readings[0] if readings else None

        def preference(at: int) -> tuple[int, int, int]:
            order = order_of(readings[at].layout)
            votes = self._votes[_format(readings[at], mention)]
            return -votes, 0 if order == self._ambiguous else 1 if order else 2, at

        return readings[min(range(len(readings)), key=preference)]

    def completed(self, mention: Mention, date: PartialDate) -> PartialDate | None:
        """The date with the upper parts it lacks, taken so that it falls nearest to the nearest full date in the text (the
        one before, where two are equally near); a weekday said beside it must fit. None where nothing helps.
        """
        if point(date) is not None:
            return date
        anchor = self._nearest(mention)
        return None if anchor is None else complete_near(date, anchor.day)

    def earliest(self) -> datetime.date | None:
        """The earliest full date of the document."""
        return min((a.day for a in self._anchors), default=None)

    def latest(self) -> datetime.date | None:
        """The latest full date of the document."""
        return max((a.day for a in self._anchors), default=None)

    def _readings(self, mention: Mention) -> tuple[DateInterpretation, ...]:
        key = (mention.text, mention.value)
        known = self._read.get(key)
        if known is None:
            text = _SURROGATE.sub("\ufffd", mention.text)  # half a character cannot be searched by every engine
            known = self._parse(text.strip(_EDGE))
            if mention.value and mention.value not in [r.iso() for r in known]:  # the finder knew more: its languages
                year_only = mention.value.isdigit() and sum(map(str.isdigit, text)) > len(mention.value)
                known = known if year_only else self._parse(mention.value) or known  # 30 February is no year
            self._read[key] = known
        return known

    def _found(self, mentions: Sequence[Mention]) -> Iterator[_Anchor]:
        for mention in mentions:
            reading = self.reading(mention)
            for date in (reading.begin, reading.end) if reading else ():
                day = point(date) if date and date.precision in ("day", "month") else None
                if day:
                    yield _Anchor(mention.begin, mention.end, day)

    def _nearest(self, mention: Mention) -> _Anchor | None:
        at = bisect_left(self._begins, mention.begin)

        def distance(anchor: _Anchor) -> tuple[int, int]:
            return max(anchor.begin - mention.end, mention.begin - anchor.end, 0), anchor.begin

        return min(self._anchors[max(at - 2, 0) : at + 2], key=distance, default=None)


def complete_near(date: PartialDate, day: datetime.date) -> PartialDate | None:
    """The date with missing year (and month) such that it falls nearest to `day`; None for what has no such parts."""
    years = range(day.year - 1, day.year + 2)
    if date.year is None and (date.month is not None or date.season):
        choices = [replace(date, year=y) for y in years]
    elif date.year is None and date.day is not None:
        around = [(day.year * 12 + day.month - 1 + step) for step in (-1, 0, 1)]
        choices = [replace(date, year=m // 12, month=m % 12 + 1) for m in around]
    else:
        return None
    fitting = [(choice, when) for choice in choices if (when := point(choice)) is not None]
    if date.weekday is not None:
        fitting = [(c, when) for c, when in fitting if when.weekday() == date.weekday] or fitting
    return min(fitting, key=lambda pair: (abs(pair[1] - day), pair[1]), default=(None, day))[0]


def edges(text: str) -> tuple[str, str]:
    """Prepositions, articles, white space and punctuation before a date expression, and punctuation after it."""
    lead = _LEAD.match(text)
    at = lead.end() if lead else 0
    return text[:at], text[max(at, len(text.rstrip(_EDGE))) :]


@cache
def order_of(layout: str) -> Literal["MDY", "DMY", ""]:
    """What a layout of figures says about the writer's order of day and month; nothing where the year comes first."""
    parts = re.findall("[A-Za-z]+", layout)
    if "M" not in parts or "D" not in parts or parts[0] in ("Y", "y"):
        return ""
    return "MDY" if parts.index("M") < parts.index("D") else "DMY"


def _format(reading: DateInterpretation, mention: Mention) -> str:
    """What is counted: the order of the parts and whether the year has four figures."""
    return reading.layout if _FOUR.search(mention.text) else reading.layout.replace("Y", "y")


def _parser() -> Parse:
    from ..dates.parse import parse_date

    return parse_date
