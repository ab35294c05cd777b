"""The one normal form of words, for dictionaries and texts alike: what is equal here matches."""

from __future__ import annotations

import unicodedata

from ...typesystem import FormTable

try:
    from ...typesystem.tokenize import token_spans
except ImportError:  # the tokenizer arrives with the kernel
    import re

    def token_spans(text: str) -> tuple[list[int], list[int]]:
        found = list(re.finditer(r"\w+|[^\w\s]", text))
        return [m.start() for m in found], [m.end() for m in found]

SEPARATOR = "\x01"
"""Ends each token of a key, so that a prefix of a key is a prefix of whole tokens."""

_UNIFIED = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u00ad\ufe58\ufe63\uff0d", "-")
    | dict.fromkeys("\u2018\u2019\u201b\u02bc\u02b9\u2032\u00b4\u0060\uff07", "'")
)


def normalise(form: str) -> str:
    """A token in normal form: dashes and apostrophes unified, NFKC, case folded. `COVID–19’s` -> `covid-19's`."""
    if form.isascii():
        return form.casefold().replace("`", "'")
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", form.translate(_UNIFIED)).casefold())


def same_case(form: str) -> str:
    """A token with dashes, apostrophes and compatibility forms unified but its case kept: for case-sensitive entries."""
    return form.replace("`", "'") if form.isascii() else unicodedata.normalize("NFKC", form.translate(_UNIFIED))


NORMAL: FormTable[str] = FormTable(normalise)
"""The normal form of every token form seen lately."""


def tokens_of(text: str) -> list[str]:
    """The tokens of a dictionary entry, cut as texts are."""
    begins, ends = token_spans(text)
    return [text[b:e] for b, e in zip(begins, ends, strict=True)]


def key_of(tokens: list[str]) -> str:
    """The dictionary key of a sequence of tokens: each in normal form and followed by the separator."""
    return "".join([NORMAL[t] + SEPARATOR for t in tokens])


def is_abbreviation(token: str) -> bool:
    """Whether a token must match exactly: capitals only and 2 to 5 of them, or letters and digits in one.

    The rule that keeps `ALL` (a leukaemia) from `all`, after cTAKES' case-sensitive dictionary (`lookup2/cased`).
    """
    if len(token) < 2:
        return False
    letters = sum(c.isalpha() for c in token)
    if any(c.isdigit() for c in token):
        return letters > 0
    return token.isupper() and 2 <= letters <= 5
