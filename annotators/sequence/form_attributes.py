"""The attributes of forms: what the features of a model that depend on the form alone give for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..lexicon.normalization import NORMAL, tokens_of
from ..lexicon.word_table import word_table
from .feature import FormFeature, Values

_Part = tuple[Callable[[str], Values], str]


class FormAttributes:
    """The bases of forms (`lower=dr.`, `hyphen`): one look-up in the word table selects the few lexicons that contain a form.

    The features must have loaded their resources.
    """

    def __init__(self, features: Sequence[FormFeature]) -> None:
        self._parts: list[_Part] = [(f.of, f.label) for f in features]
        self._bits: list[int] = []
        """For each feature the bits of its lexicon in the word table; 0 if forms outside of it have values, too."""
        for feature in features:
            lexicon = feature.words_of
            self._bits.append(word_table().bits(lexicon.name) if lexicon is not None and lexicon.is_packed else 0)
        self._all = 0
        for bits in self._bits:
            self._all |= bits
        self._selected: dict[int, list[_Part]] = {}

    def bases(self, form: str) -> tuple[str, ...]:
        """Return the bases of a form in the order of the features, each once."""
        found: list[str] = []
        for of, label in self._parts_for(form):
            values = of(form)
            if values is None:
                continue
            if isinstance(values, str):
                found.append(base(label, values))
            else:
                found += [base(label, value) for value in values]
        return tuple(dict.fromkeys(found))

    def _parts_for(self, form: str) -> list[_Part]:
        if not self._all:
            return self._parts
        tokens = tokens_of(form)
        if len(tokens) != 1:  # the word table holds single tokens
            return self._parts
        lists = word_table()[NORMAL[tokens[0]]].whole & self._all
        parts = self._selected.get(lists)
        if parts is None:
            parts = [part for part, bits in zip(self._parts, self._bits, strict=True) if not bits or bits & lists]
            self._selected[lists] = parts
        return parts


def base(label: str, value: str) -> str:
    """Return an attribute without its offset. Characters that other file formats cannot represent become U+FFFD."""
    if not value.isprintable():
        value = "".join([c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in value])
    return f"{label}={value}" if value else label
