"""Lookup of single words in lists, as bags of words or by entry with case."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Literal

from ..lexicon import Entry, Lexicon
from ..lexicon.normalization import NORMAL

Case = Literal["any", "ambiguous", "all"]

_RUN = re.compile(r"[^\W_]+")


def in_bag(form: str, bags: Iterable[Lexicon]) -> bool:
    """Return whether any entry of the lists contains a word (§4.3.3: "the whole dictionary as a bag of words")."""
    normal = NORMAL[form]
    return any(normal in bag.compiled.words for bag in bags)


def case_matches(entry: Entry, form: str, case: Case, everyday: bool) -> bool:
    """Return whether the case of a text that begins with `form` is compatible with an entry.

    `any`: always. `ambiguous`: a capitalized entry that is also an everyday word (`May`, `Price`), according to its list or
    `everyday`, must be capitalized in the text. `all`: every capitalized entry must be.
    """
    if case == "any" or not entry.form[:1].isupper():
        return True
    if case == "ambiguous" and not (everyday or entry.ambiguous or entry.tier):
        return True
    return form[:1].isupper()


def in_lists(form: str, lists: Iterable[Lexicon], case: Case, everyday: bool) -> bool:
    """Return whether a word is an entry of one of the lists."""
    return any(case_matches(entry, form, case, everyday) for lexicon in lists for entry in lexicon.entries(form))


def alphanumeric_runs(form: str) -> list[str]:
    """Return the runs of letters and digits of a token, like the tokenizer of i2b2-2014 (§4.3.2)."""
    return _RUN.findall(form)


def is_punctuation(form: str) -> bool:
    """Return whether a token has only punctuation, symbols and white space, and no unassigned or private characters."""
    if form.isascii():
        return not any(map(str.isalnum, form))
    return all(c[0] in "PSZ" or c in ("Cc", "Cf") for c in map(unicodedata.category, form))
