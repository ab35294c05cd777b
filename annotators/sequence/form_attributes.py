"""The attributes of forms: what the features of a model that depend on the form alone give for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..lexicon.normalization import NORMAL, tokens_of
from ..lexicon.word_table import word_table
from .feature import MAX_LENGTH, FormFeature, PlainFormFeature


class FormAttributes:
    """The bases of forms (`lower=dr.`, `hyphen`), computed for all new forms of a document together, feature by feature.

    One look-up in the word table selects the few lexicons that contain a form. The features must have loaded their resources.
    """

    def __init__(self, features: Sequence[FormFeature]) -> None:
        self._features = list(features)
        self._labels = [feature.label for feature in features]
        self._bits = [_bits(feature.words_of) for feature in features]
        """For each feature the bits of its lexicon in the word table; 0 if forms outside of it have values, too."""
        self._all = 0
        for bits in self._bits:
            self._all |= bits
        self._selected: dict[int, list[int]] = {}

    def bases(self, forms: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the bases of different forms, for each in the order of the features."""
        found: list[list[str]] = [[] for _ in forms]
        plain = [
            i for i, form in enumerate(forms) if form.isascii() and form.isprintable() and 0 < len(form) <= MAX_LENGTH
        ]
        others = sorted(set(range(len(forms))).difference(plain)) if len(plain) < len(forms) else []
        plain_forms, plain_rows = [forms[i] for i in plain], [found[i] for i in plain]
        members = self._members(forms)
        for number, (feature, label) in enumerate(zip(self._features, self._labels, strict=True)):
            apart: Iterable[int] = members[number] if self._bits[number] else range(len(forms))
            if isinstance(feature, PlainFormFeature):
                apart, start = others, label + "="
                for row, value in zip(plain_rows, feature.of_plain(plain_forms), strict=True):
                    if value is not None:
                        row.append(start + value)
            for i in apart:
                values = feature.of(forms[i])
                if isinstance(values, str):
                    found[i].append(base(label, values))
                elif values is not None:
                    found[i] += dict.fromkeys([base(label, value) for value in values])
        return list(map(tuple, found))

    def _members(self, forms: Sequence[str]) -> list[list[int]]:
        """For each feature, return the indexes of the forms in its lexicon; of forms of several tokens, all."""
        members: list[list[int]] = [[] for _ in self._features]
        if not self._all:
            return members
        table = word_table()
        for i, form in enumerate(forms):
            if (form.isalpha() and form.isascii()) or tokens_of(form) == [form]:
                lists = table[NORMAL[form]].whole & self._all
            else:
                lists = self._all
            if lists:
                numbers = self._selected.get(lists)
                if numbers is None:
                    numbers = self._selected[lists] = [n for n, bits in enumerate(self._bits) if bits & lists]
                for number in numbers:
                    members[number].append(i)
        return members


def _bits(lexicon: Any) -> int:
    return word_table().bits(lexicon.name) if lexicon is not None and lexicon.is_packed else 0


def base(label: str, value: str) -> str:
    """Return an attribute without its offset. Characters that other file formats cannot represent become U+FFFD."""
    if not value.isprintable():
        value = "".join([c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in value])
    return f"{label}={value}" if value else label
