"""Tells whether a sentence says that a person had an age at a date of the past: `She was 40 when she emigrated in 1955`."""

from __future__ import annotations

import re

from ...pipeline.storage.lazy_regex import lazy_regex

_LONGEST = 120
"""Code points between an age and its date: one clause."""
_WINDOW = 48
_FEW = r"(?:(?:only|just|about|around|almost|nearly|barely|still|already|the|a|an|age|aged|of)[ ])*\Z"
_HAD = lazy_regex(rf"\b(?:was|were|been|being|turned)[ ]{_FEW}", re.IGNORECASE)
"""Words before an age that a person had once."""
_AT = lazy_regex(rf"\b(?:at|by|from|until|till|as|when|aged?)[ ]{_FEW}", re.IGNORECASE)
"""Words before an age at which something happened."""
_AGED = lazy_regex(r"aged\b", re.IGNORECASE)
_LINK = lazy_regex(r"\b(?:when|while|as|at|until|before|after)\b", re.IGNORECASE)
_WHEN = lazy_regex(r"\b(?:when|while|as)\b", re.IGNORECASE)
_ONE = lazy_regex(
    r"(?:[ ]years?[ ]old)?,?[ ](?:he|she|they|we|i|the|his|her|their|when|while|in|since|(?-i:[A-Z])\w+[ ]\w+ed)\b",
    re.IGNORECASE,
)
"""A clause behind an age: its subject, or the time."""
_OPENS = lazy_regex(r"(?:\A|[.!?;\n])[ ]*(?:back[ ])?(?:in|during|by|since)[ ]\Z", re.IGNORECASE)
"""The beginning of a sentence, before its date."""
_NOW = lazy_regex(
    r"\b(?:is|has|presents?|lives|takes|now|then|today|current(?:ly)?|admission|admitted|presentation|consultation|visit)\b"
    r"|[;:]|\n[ \t]*\n|\d{3}",
    re.IGNORECASE,
)
"""Text between an age and a date that belong to different times."""
_AND = lazy_regex(r"\band\b", re.IGNORECASE)


def had_then(text: str, age: tuple[int, int], date: tuple[int, int]) -> bool:
    """Return whether a person had the age at the date of the same sentence, with up to one clause between. False for the age of
    today beside a date of the past: `80-year-old, MI in 1990`."""
    begin, end = age
    between = text[end : date[0]] if end <= date[0] else text[date[1] : begin]
    if len(between) > _LONGEST or _NOW.search(between):
        return False
    before = text[max(0, begin - _WINDOW) : begin]
    aged = _AGED.match(text, begin, end) is not None
    at = aged or _AT.search(before) is not None or text[begin:end].lower().startswith("age of")
    had = _HAD.search(before) is not None
    if not (at or had):
        return False
    if end <= date[0]:
        return (had and _is_linked(between)) or (at and _opens_clause(between, aged))
    if _WHEN.search(between) or _OPENS.search(text[max(0, date[0] - _WINDOW) : date[0]]):
        return between.count(",") < 3
    return at and between.count(",") < 2 and not _AND.search(between)


def _is_linked(between: str) -> bool:
    """Return whether a clause of time begins behind the age, and ends with the date: ` when she emigrated in `."""
    links = list(_LINK.finditer(between))
    return bool(links) and "," not in between[links[-1].end() :]


def _opens_clause(between: str, aged: bool) -> bool:
    """Return whether what happened at the age is behind it: `aged` also describes the patient, so it needs a subject."""
    subject = _ONE.match(between)
    return "," not in between[subject.end() :] if subject else not aged and "," not in between
