"""Patterns over several tokens: mail and web addresses, numbers with separators, initials, placeholders."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....pipeline.contract.component import part
from ....pipeline.storage.lazy_regex import lazy_regex
from ..feature import Words
from .columns import Mark, SpanFeature

# Every repetition is possessive and bounded or consumed, so that time is linear in the text. Digits are those of any script.
_URL = lazy_regex(r"(?:(?:https?|ftp)://|www\.)[^\s<>\"]{1,200}+", re.IGNORECASE)
_NOT_LOCAL = lazy_regex(r"[^\w.%+'-]")
_DOMAIN = lazy_regex(r"[^\W_][\w-]{0,62}+(?:\.[^\W_][\w-]{0,62}+){1,4}+")
_PLACEHOLDERS = [
    (sign, lazy_regex(shape))
    for sign, shape in (
        ("[**", r"\[\*\*[^\n*]{0,60}+\*\*\]"),
        ("___", r"_{3,}+"),
        ("***", r"\*{3,}+"),
        ("XXX", r"X{3,}+"),
        ("xxx", r"x{3,}+"),
        ("<", r"<[A-Z][A-Z_]{1,40}+>"),
    )
]
"""A string that every match contains, for a quick check, and the pattern."""
_NUMBER = lazy_regex(r"\d{1,15}+(?:[ ().:/\-\u2010-\u2013]{1,3}+\d{1,15}+){1,8}+")
_DATE = lazy_regex(r"\d{1,2}([./\-\u2010-\u2013])\d{1,2}\1(?:\d{4}|\d{2})|\d{4}([./\-\u2010-\u2013])\d{1,2}\2\d{1,2}")
_TIME = lazy_regex(r"\d{1,2}:\d{2}(?::\d{2})?")
_IP = lazy_regex(r"\d{1,3}(?:\.\d{1,3}){3}")
_PHONE = lazy_regex(r"\+?[\d(][\d ().\-\u2010-\u2013]*\d")
_RANGE = lazy_regex(r"\d{1,3}[-\u2010-\u2013]\d{1,3}|[12]\d{3}[-\u2010-\u2013](?:[12]\d{3}|\d{2})")
_PIECE = lazy_regex(r"[^ ]+")
_SHAPES = (("DATE", _DATE), ("TIME", _TIME), ("IP", _IP), ("RANGE", _RANGE))

_Shape = tuple[int, int, str]


def shapes(text: str) -> list[_Shape]:
    """Return begin, end and class of the shapes in a text, in order; of overlapping ones, the one that begins first."""
    candidates = [*_addresses(text), *_placeholders(text), *_numbers(text), *_initials(text)]
    candidates.sort(key=lambda shape: (shape[0], -shape[1]))
    kept: list[_Shape] = []
    done = 0
    for shape in candidates:
        if shape[0] >= done:
            kept.append(shape)
            done = shape[1]
    return kept


def _addresses(text: str) -> Iterator[_Shape]:
    if "://" in text or "www." in text.lower():
        for url in _URL.finditer(text):
            if not is_alphanumeric(text, url.start() - 1):
                yield url.start(), url.start() + len(url[0].rstrip(".,;:!?)'")), "URL"
    at = text.find("@")
    while at >= 0:
        low = max(0, at - 64)
        begin = max((low + m.end() for m in _NOT_LOCAL.finditer(text, low, at)), default=low)
        domain = _DOMAIN.match(text, at + 1)
        if domain and begin < at:
            yield begin, domain.end(), "EMAIL"
        at = text.find("@", at + 1)


def _placeholders(text: str) -> Iterator[_Shape]:
    for sign, shape in _PLACEHOLDERS:
        if sign not in text:
            continue
        for match in shape.finditer(text):
            begin, end = match.span()
            in_word = is_alphanumeric(text, begin - 1) or is_alphanumeric(text, end)
            if not (in_word and is_alphanumeric(text, begin)):
                yield begin, end, "PLACEHOLDER"


def _initials(text: str) -> Iterator[_Shape]:
    """Yield initials: single capitals with a full stop, adjacent or separated by a space or hyphen (`J.`, `J. K.`, `J.K.`)."""
    begin = end = -1
    stop = text.find(".")
    while stop >= 0:
        if stop and text[stop - 1].isupper() and not is_alphanumeric(text, stop - 2):
            joined = end >= 0 and (stop - 1 == end or (stop - 2 == end and text[end] in " -"))
            if not joined:
                if end >= 0:
                    yield begin, end, "INITIALS"
                begin = stop - 1
            end = stop + 1
        stop = text.find(".", stop + 1)
    if end >= 0:
        yield begin, end, "INITIALS"


def _numbers(text: str) -> Iterator[_Shape]:
    """Yield dates, times, IP addresses and ranges, and other numbers of 7 to 15 digits as telephone numbers."""
    for match in _NUMBER.finditer(text):
        begin, end = match.span()
        if is_alphanumeric(text, begin - 1) or is_alphanumeric(text, end):
            continue
        if begin and text[begin - 1] in "+(":
            begin -= 1
        whole = text[begin:end]
        pieces = [(begin + m.start(), begin + m.end(), _number(m[0])) for m in _PIECE.finditer(whole)]
        kinds = [kind for _, _, kind in pieces]
        plain = not any(kinds) or (len(kinds) > 1 and all(kind in ("", "RANGE", "PHONE") for kind in kinds))
        if plain and _is_phone(whole):
            yield begin, end, "PHONE"
        else:
            yield from (shape for shape in pieces if shape[2])


def _number(piece: str) -> str:
    return next((kind for kind, shape in _SHAPES if shape.fullmatch(piece)), "PHONE" if _is_phone(piece) else "")


def _is_phone(text: str) -> bool:
    return _PHONE.fullmatch(text) is not None and 7 <= sum(map(str.isdecimal, text)) <= 15


def is_alphanumeric(text: str, offset: int) -> bool:
    """Return whether the character at the offset is a letter or digit; false outside of the text."""
    return 0 <= offset < len(text) and text[offset].isalnum()


@part("regex_class")
class RegexClass(SpanFeature):
    """The token is part of a match of a pattern for EMAIL, URL, IP, PHONE, DATE, TIME, RANGE, INITIALS or PLACEHOLDER
    (`[**...**]`, `XXX`, `___`, `<NAME>`). The first token has a separate value. The patterns do not depend on the language.

    Example: `3/4/2020` gives `regex_class=B-DATE` at `3` and `regex_class=I-DATE` at its other tokens.

    Source: regular expressions as features, as in Szarvas et al. 2007 (J Am Med Inform Assoc 14:574) and Yang and Garibaldi
    2015 (J Biomed Inform 58); telephone numbers of at most 15 digits after ITU-T E.164.
    """

    def marks(self, words: Words) -> Iterator[Mark]:
        for begin, end, kind in shapes(words.view.text):
            yield begin, end, f"B-{kind}", f"I-{kind}"
