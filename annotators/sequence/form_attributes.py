"""The attributes of forms: what the features of a model that depend on the form alone give for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from ..lexicon.normalization import key_of, tokens_of_many
from ..lexicon.word_table import Lists, word_table
from .feature import MAX_LENGTH, FormFeature, PlainFormFeature, Values, capitals

MOST = 5_000
"""Number of combinations of lists whose features are cached."""


class FormAttributes:
    """The bases of forms (`lower=dr.`, `hyphen`), computed for all new forms of a document together, feature by feature.

    One look-up in the word table selects the few lexicons that contain a form. The features must have loaded their resources.
    """

    def __init__(self, features: Sequence[FormFeature]) -> None:
        self._steps: list[_OfLists | list[tuple[FormFeature, str]]] = []
        for listed, some in groupby(features, lambda feature: _bits(feature) != 0):
            members = list(some)
            self._steps.append(_OfLists(members) if listed else [(feature, feature.label) for feature in members])

    def bases(self, forms: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the bases of different forms, for each in the order of the features."""
        found: list[list[str]] = [[] for _ in forms]
        plain = [
            i for i, form in enumerate(forms) if form.isascii() and form.isprintable() and 0 < len(form) <= MAX_LENGTH
        ]
        others: Sequence[int] = sorted(set(range(len(forms))).difference(plain)) if len(plain) < len(forms) else []
        plain_forms, plain_rows = [forms[i] for i in plain], [found[i] for i in plain]
        every: Sequence[int] = range(len(forms))
        lists: list[Lists | None] | None = None
        for step in self._steps:
            if isinstance(step, _OfLists):
                lists = _lists_of(forms) if lists is None else lists
                step.add(forms, lists, found)
                continue
            for feature, label in step:
                apart = every
                if isinstance(feature, PlainFormFeature):
                    start = label + "="
                    for row, value in zip(plain_rows, feature.of_plain(plain_forms), strict=True):
                        if value is not None:
                            row.append(start + value)
                    apart = others
                for i in apart:
                    found[i] += _named(label, feature.of(forms[i]))
        return list(map(tuple, found))


class _OfLists:
    """Consecutive features of lists of the pack."""

    def __init__(self, features: Sequence[FormFeature]) -> None:
        self._features = [(feature, feature.label, _bits(feature)) for feature in features]
        self._all = 0
        for feature in features:
            self._all |= _bits(feature)
        self._chosen: dict[tuple[int, int, str], list[Any]] = {}

    def add(self, forms: Sequence[str], lists: Sequence[Lists | None], found: Sequence[list[str]]) -> None:
        """Add the bases of forms to those found so far. `lists` are None for forms that are not a single word."""
        every = self._all
        for form, of_form, row in zip(forms, lists, found, strict=True):
            if of_form is None:
                for feature, label, _ in self._features:
                    row += _named(label, feature.of(form))
                continue
            here = of_form.whole & every
            if not here:
                continue
            key = (here, of_form.cased & every, capitals(form))
            chosen = self._chosen.get(key)
            if chosen is None:
                chosen = self._choose(form, *key)
            word = ""
            for one in chosen:
                if type(one) is list:
                    row += one
                else:
                    feature, label, is_cased = one
                    word = word or key_of([form])
                    row += _named(label, feature.of(form) if is_cased else feature.of_word(form, word))

    def _choose(self, form: str, whole: int, cased: int, case: str) -> list[Any]:
        """Return what the features add for words like a form: bases that all of them have, or a feature, its label and whether
        the lexicon may contain the word in a certain case only."""
        chosen: list[Any] = []
        for feature, label, bits in self._features:
            if bits & whole and feature.is_uniform and not bits & cased:
                chosen.append(_named(label, feature.of_word(form, key_of([form]))))
            elif bits & whole:
                chosen.append((feature, label, bits & cased != 0))
        if len(self._chosen) >= MOST:
            self._chosen.clear()
        self._chosen[whole, cased, case] = chosen
        return chosen


def _lists_of(forms: Sequence[str]) -> list[Lists | None]:
    """Return the lists of forms, None for those that are not a single token."""
    lists: list[Lists | None] = list(word_table().of_forms(forms))
    doubtful = [i for i, form in enumerate(forms) if not (form.isascii() and form.isalpha())]
    for i, tokens in zip(doubtful, tokens_of_many([forms[i] for i in doubtful]), strict=True):
        if tokens != [forms[i]]:
            lists[i] = None
    return lists


def _bits(feature: FormFeature) -> int:
    """Return the bits of the lexicon of a feature in the word table; 0 if forms outside of it have values, too."""
    lexicon = feature.words_of
    return word_table().bits(lexicon.name) if lexicon is not None and lexicon.is_packed else 0


def _named(label: str, values: Values) -> Iterable[str]:
    """Return the bases of the values of a feature."""
    if isinstance(values, str):
        return [base(label, values)]
    return [] if values is None else list(dict.fromkeys([base(label, value) for value in values]))


def base(label: str, value: str) -> str:
    """Return an attribute without its offset. Characters that other file formats cannot represent become U+FFFD."""
    if not value.isprintable():
        value = "".join([c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in value])
    return f"{label}={value}" if value else label
