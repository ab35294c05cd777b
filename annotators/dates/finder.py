"""Finds dates in text: one fast pass for places where a date could begin, rules and guards there, then a second look."""

from __future__ import annotations

import re
from itertools import pairwise

from .calendar import ENGLISH, Calendar
from .expression import DAYS, DateHit, Expressions
from .place import joined
from .rules import Shape
from .trigger import places

_START = re.compile(r"(?<![^\W_])[^\W_]|(?<=[^\W\d_])\d(?=\d?/\d{1,2}/\d\d)|['’‘](?=\d)")
"""A word or number begins, or figures with two slashes right behind a letter."""
_ADDRESS = re.compile(r"(?:://|\bwww\.)[^\s<>\"]{0,120}\Z")


def find_dates(text: str, calendar: Calendar = ENGLISH) -> list[DateHit]:
    """Every date expression of `text`, disjoint and in order. Linear in the length of the text."""
    expressions = Expressions(text, calendar)
    hits: list[DateHit] = []
    done = last = 0
    addresses = "://" in text or "www." in text
    for begin, end in places(text, calendar):
        for start in _START.finditer(text, max(begin, done), end + 9):
            at = start.start()
            if at >= end:
                break
            if at < done or (addresses and _ADDRESS.search(text, max(0, at - 120), at)):
                continue
            hit = expressions.at(at, last)
            if hit is not None:
                hits.append(hit)
                done = hit.end
                last = -done if hit.lacks else done
    return _settle(text, hits)


def _settle(text: str, hits: list[DateHit]) -> list[DateHit]:
    """The certain hits, and those in doubt that certain ones vouch for: by a date in the same month, or beside them in a list."""
    sure = {hit.begin for hit in hits if not hit.lacks}
    if len(sure) == len(hits):
        return hits
    months = {r.begin.month for hit in hits if not hit.lacks and hit.shape in DAYS for r in hit.readings} - {None}
    for hit in hits:
        if hit.lacks == 1 and sure and (hit.shape is Shape.ORDINAL or months & {r.begin.month for r in hit.readings}):
            sure.add(hit.begin)
    neighbours = [pair for pair in pairwise(hits) if pair[0].shape is pair[1].shape]
    for first, second in (*neighbours, *reversed(neighbours)):
        if (first.begin in sure) is not (second.begin in sure) and joined(text[first.end : second.begin]):
            sure.update((first.begin, second.begin))
    return [hit for hit in hits if hit.begin in sure]
