"""The attributes of forms: what the features of a model that depend on the form alone give for it."""

from __future__ import annotations

from collections.abc import Sequence

from ..lexicon.normalization import NORMAL, tokens_of
from ..lexicon.word_table import word_table
from .feature import MAX_LENGTH, FormFeature, Values

class FormAttributes:
    """The bases of forms (`lower=dr.`, `hyphen`), computed for all new forms of a document together, feature by feature.

    One look-up in the word table selects the few lexicons that contain a form. The features must have loaded their resources.
    """

    def __init__(self, features: Sequence[FormFeature]) -> None:
        self._features = list(features)
        self._labels = [feature.label for feature in features]
        self._bits: list[int] = []
        """For each feature the bits of its lexicon in the word table; 0 if forms outside of it have values, too."""
        for feature in features:
            lexicon = feature.words_of
            self._bits.append(word_table().bits(lexicon.name) if lexicon is not None and lexicon.is_packed else 0)
        self._all = 0
        for bits in self._bits:
            self._all |= bits
        self._selected: dict[int, list[int]] = {}

    def bases(self, forms: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the bases of different forms, for each in the order of the features."""
        found: list[list[str]] = [[] for _ in forms]
        plain = [i for i, form in enumerate(forms) if form.isascii() and form.isprintable() and len(form) <= MAX_LENGTH]
        others = sorted(set(range(len(forms))).difference(plain)) if len(plain) < len(forms) else []
        plain_forms, plain_rows = [forms[i] for i in plain], [found[i] for i in plain]
        members = self._members(forms)
        for number, (feature, label) in enumerate(zip(self._features, self._labels, strict=True)):
            if self._bits[number]:
                for i in members[number]:
                    _add(found[i], label, feature.of(forms[i]))
                continue
            for row, values in zip(plain_rows, feature.of_plain(plain_forms), strict=True):
                _add(row, label, values)
            for i in others:
                _add(found[i], label, feature.of(forms[i]))
        return [tuple(dict.fromkeys(row)) for row in found]

    def _members(self, forms: Sequence[str]) -> list[list[int]]:
        """For each feature, return the indexes of the forms in its lexicon; of forms of several tokens, all."""
        members: list[list[int]] = [[] for _ in self._features]
        if self._all:
            table = word_table()
            for i, form in enumerate(forms):
                tokens = tokens_of(form)
                lists = table[NORMAL[tokens[0]]].whole & self._all if len(tokens) == 1 else -1
                if lists:
                    for number in self._numbers_of(lists):
                        members[number].append(i)
        return members

    def _numbers_of(self, lists: int) -> list[int]:
        """Return the features with a lexicon among some bits."""
        numbers = self._selected.get(lists)
        if numbers is None:
            numbers = self._selected[lists] = [n for n, bits in enumerate(self._bits) if bits & lists]
        return numbers


def _add(row: list[str], label: str, values: Values) -> None:
    if isinstance(values, str):
        row.append(f"{label}={values}" if values and values.isprintable() else base(label, values))
    elif values is not None:
        row += [base(label, value) for value in values]


def base(label: str, value: str) -> str:
    """Return an attribute without its offset. Characters that other file formats cannot represent become U+FFFD."""
    if not value.isprintable():
        value = "".join([c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in value])
    return f"{label}={value}" if value else label
