"""Lists of words asked about single words: as bags of words, or entry by entry where case counts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Literal

from ..lexicon import Entry, Lexicon
from ..lexicon.normalization import NORMAL

Case = Literal["any", "ambiguous", "all"]

_RUN = re.compile(r"[^\W_]+")
_SPEECHLESS = frozenset(["Cc", "Cf"])


def in_bag(form: str, bags: Iterable[Lexicon]) -> bool:
    """Whether a word stands in any entry of some lists, at whatever place in it (§4.3.3: "the whole dictionary as a bag of
    words")."""
    normal = NORMAL[form]
    return any(normal in bag.compiled.words for bag in bags)


def counts(entry: Entry, form: str, case: Case, everyday: bool) -> bool:
    """Whether an entry is meant by a text that begins with `form`, as far as case tells.

    `any`: always. `ambiguous`: an entry with a capital that is an everyday word too (`May`, `Price`), as its list says or
    `everyday`, needs a capital in the text. `all`: every entry with a capital does.
    """
    if case == "any" or not entry.form[:1].isupper():
        return True
    if case == "ambiguous" and not (everyday or entry.ambiguous or entry.tier):
        return True
    return form[:1].isupper()


def in_lists(form: str, lists: Iterable[Lexicon], case: Case, everyday: bool) -> bool:
    """Whether a word is an entry of its own in one of some lists."""
    return any(counts(entry, form, case, everyday) for lexicon in lists for entry in lexicon.entries(form))


def runs(form: str) -> list[str]:
    """The runs of letters and digits of a token: what the tokeniser of i2b2-2014 makes of it (§4.3.2)."""
    return _RUN.findall(form)


def says_nothing(form: str) -> bool:
    """Whether a token is nothing but punctuation, symbols and white space. Unassigned and private characters may be anything."""
    if form.isascii():
        return not any(map(str.isalnum, form))
    classes = list(map(unicodedata.category, form))
    return all(c[0] in "PSZ" or c in _SPEECHLESS for c in classes)
