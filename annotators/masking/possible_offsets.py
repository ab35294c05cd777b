"""Counts the offsets that a reader of the masked text cannot exclude, by the weekdays that stay beside shifted dates."""

from __future__ import annotations

import datetime
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from dateutil.relativedelta import relativedelta

from ...pipeline.storage.lazy_regex import lazy_regex
from ..dates.calendar import LANGUAGES, Calendar
from .date_arithmetic import moved
from .operator import Context, Mention, Span

_WEEKDAYS = Calendar(LANGUAGES).weekdays
_BEFORE = lazy_regex(r"(?<!\w)(?P<w>[^\W\d_]{3,11})[\s,.(]{1,3}(?:the\s)?\Z")
_AFTER = lazy_regex(r"[\s,(]{1,3}(?P<w>[^\W\d_]{3,11})(?!\w)")
_WINDOW = 16
_LAST_DAY = datetime.date.max.toordinal()


def kept_weekdays(context: Context, date: Mention, replaced: Sequence[Span]) -> Iterator[int]:
    """Yield the weekdays (0 is Monday) directly before and after a date that no replacement covers. `replaced` is in order."""
    text = context.text
    before = _BEFORE.search(text[max(0, date.begin - _WINDOW) : date.begin])
    after = _AFTER.match(text, date.end)
    at = max(0, date.begin - _WINDOW)
    for match, shift in ((before, at), (after, 0)):
        number = _WEEKDAYS.get(match["w"].lower()) if match else None
        if match is None or number is None:
            continue
        begin, end = match.start("w") + shift, match.end("w") + shift
        index = bisect_left(replaced, (end, end))
        if not index or replaced[index - 1][1] <= begin:
            yield number


def possible(offsets: Sequence[relativedelta], shown: Sequence[tuple[datetime.date, int]]) -> int:
    """Return how many offsets put every shown date back on the weekday beside it."""
    if not shown:
        return len(offsets)
    return sum(all(_weekday(day, offset) == weekday for day, weekday in shown) for offset in offsets)


def _weekday(day: datetime.date, offset: relativedelta) -> int | None:
    if not offset.months and not offset.years:
        ordinal = day.toordinal() - offset.days
        return (ordinal + 6) % 7 if 0 < ordinal <= _LAST_DAY else None
    try:
        return moved(day, -offset).weekday()
    except OverflowError:
        return None
