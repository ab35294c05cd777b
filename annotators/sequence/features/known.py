"""Known PHI: words of the text that the patient's record holds, too."""

from __future__ import annotations

import re

from ....pipeline.contract.component import part
from ....typesystem import FormTable, KnownPhi
from ...known_phi.searchable_text import compose, fold
from ..feature import TokenFeature, Words
from ..tidy import label
from .columns import Column, empty

_WORD = re.compile(r"[^\W_]+")


def _key(text: str) -> str:
    return fold(compose(text)).casefold()


_KEYS: FormTable[str] = FormTable(_key)


@part("known_phi")
class InRecord(TokenFeature):
    """The token is a word of something the record says about the person (`KnownPhi`); the values are the kinds. Case and
    diacritics do not count. Records without known PHI give nothing, so no earlier component is needed.

    Example: `LINDQVIST` gives `known_phi=PERSON_PATIENT` if the record names a patient Lindqvist.

    Source: the record as a dictionary, after Neamatullah et al. 2008 (BMC Med Inform Decis Mak 8:32), who look up the names
    of the present patient.
    """

    shortest: int = 2
    """Words of the record shorter than this are not looked for (code points)."""
    shortest_number: int = 3
    """The same for words that are digits alone."""

    def __post_init__(self) -> None:
        for name, value in (("shortest", self.shortest), ("shortest_number", self.shortest_number)):
            if value < 1:
                raise ValueError(f"{name}: expected a whole number of at least 1, got {value}")

    @property
    def label(self) -> str:
        changed = (self.shortest, self.shortest_number) != (2, 3)
        return label(self.name, f"{self.shortest}-{self.shortest_number}" if changed else "")

    def column(self, words: Words) -> Column:
        found: dict[str, set[str]] = {}
        for known in words.view.select(KnownPhi):
            value = _key(known.value)
            for word in {*_WORD.findall(value), *value.split()}:
                if len(word) >= (self.shortest_number if word.isdecimal() else self.shortest):
                    found.setdefault(word, set()).add(known.kind.name)
        if not found:
            return empty(words)
        values = {word: tuple(sorted(kinds)) for word, kinds in found.items()}
        return [values.get(key) for key in map(_KEYS.__getitem__, words.forms)]
