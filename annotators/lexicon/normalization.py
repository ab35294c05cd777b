"""The normal form of words in dictionaries and texts: words match if their normal forms are equal."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise

from ...typesystem import FormTable
from ...typesystem.tokenize import token_spans

SEPARATOR = "\x01"
"""Ends each token of a key, so that a prefix of a key is a prefix of whole tokens."""

_UNIFIED = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-")
    | dict.fromkeys("\u2018\u2019\u201b\u02bc\u02b9\u2032\u00b4\u0060\uff07", "'")
    | dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", "")
)


def normalize(form: str) -> str:
    """Return a token in normal form: dashes and apostrophes unified, invisible characters gone, NFKC, case folded."""
    if form.isascii():
        return form.casefold().replace("`", "'")
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", form.translate(_UNIFIED)).casefold())
    return folded.encode(errors="replace").decode()  # a lone surrogate becomes `?`: a trie holds UTF-8


def same_case(form: str) -> str:
    """Return a token as `normalise` does, but with its case, for entries in which case counts."""
    return form.replace("`", "'") if form.isascii() else unicodedata.normalize("NFKC", form.translate(_UNIFIED))


NORMAL: FormTable[str] = FormTable(normalize)
"""The normal forms of recently used tokens."""


def tokens_of(text: str) -> list[str]:
    """Return the tokens of a dictionary entry, from the same tokenizer as texts."""
    if text.isalpha() and text.isascii():
        return [text]  # letters alone are never divided
    begins, ends = token_spans(text)
    return [text[b:e] for b, e in zip(begins, ends, strict=True)]


def tokens_of_many(forms: Iterable[str], batch: int = 4000) -> Iterator[list[str]]:
    """Yield the tokens of each entry like `tokens_of`, several thousand entries at a time (a token never crosses a line)."""
    rest = iter(forms)
    while chunk := [form if form.isprintable() else " ".join(form.split()) for form in islice(rest, batch)]:
        text = "\n".join(chunk)
        begins, ends = token_spans(text)
        index, line_end = 0, -1
        for form in chunk:
            line_end += len(form) + 1
            tokens = []
            while index < len(begins) and begins[index] < line_end:
                tokens.append(text[begins[index] : ends[index]])
                index += 1
            yield tokens


def key_of(tokens: Iterable[str]) -> str:
    """Return the dictionary key of a sequence of tokens: each in normal form and followed by the separator."""
    return "".join([NORMAL[t] + SEPARATOR for t in tokens])


def keys_of(tokens: list[str]) -> list[str]:
    """Return the keys under which an entry is stored: as it is, split at hyphens, without full stops and `'s`.

    `St. Vitus' dance` is also found as `St Vitus' dance`, `Crohn's disease` as `Crohn disease`, `Guillain-Barré syndrome`
    as `Guillain Barré syndrome`, `type 2 diabetes` as `type-2 diabetes`.
    """
    normal = [NORMAL[t] for t in tokens]
    plain = [part for t in normal for part in t.split("-") if part]
    bare = [t for t in plain if t not in (".", "'s")]
    variants = [normal]
    if len(bare) > 1:
        variants += [plain, bare]
        hyphened = plain[:1]
        for left, right in pairwise(plain):
            hyphened += ["-", right] if left.isalpha() and right.isdecimal() else [right]
        variants.append(hyphened)
    return list(dict.fromkeys("".join([t + SEPARATOR for t in variant]) for variant in variants))


def is_abbreviation(token: str) -> bool:
    """Return whether a token must match exactly: 2 to 5 capitals, or letters and digits.

    This rule distinguishes `ALL` (a leukaemia) from `all`, after cTAKES' case-sensitive dictionary (`lookup2/cased`).
    """
    if len(token) < 2:
        return False
    letters = sum(map(str.isalpha, token))
    if any(map(str.isdigit, token)):
        return letters > 0
    return token.isupper() and 2 <= letters <= 5


def abbreviations(tokens: Iterable[str]) -> tuple[tuple[int, str], ...]:
    """Return (index, word) of the words that must match exactly, among the words that every spelling of an entry shares."""
    return tuple([(i, word) for i, word in enumerate(words_of(tokens)) if is_abbreviation(word)])


def words_of(tokens: Iterable[str]) -> list[str]:
    """Return the words of an entry or its match, in their case: split at hyphens, without full stops and `'s`."""
    return [part for t in tokens for part in same_case(t).split("-") if part not in ("", ".", "'s")]


def joined(tokens: Iterable[str]) -> str:
    """Return tokens joined without hyphens, in their case, which is the same for all spellings of an abbreviation."""
    return "".join(map(same_case, tokens)).replace("-", "")
