"""Known PHI: words of the text that occur in the patient's record."""

from __future__ import annotations

from ....pipeline.contract.component import part
from ....pipeline.storage.lazy_regex import lazy_regex
from ....typesystem import FormTable, KnownPhi
from ...known_phi.searchable_text import compose, fold
from ..feature import TokenFeature, Words, check_minimum, make_label
from .columns import Column, empty

_WORD = lazy_regex(r"[^\W_]+")


def _key(text: str) -> str:
    return fold(compose(text)).casefold()


_KEYS: FormTable[str] = FormTable(_key)


@part("known_phi")
class InRecord(TokenFeature):
    """The token is a word of the patient's record (`KnownPhi`); the values are the kinds. Case and diacritics are ignored.
    Documents without known PHI have no values, so no earlier component is needed.

    Example: `LINDQVIST` gives `known_phi=PERSON_PATIENT` if the record names a patient Lindqvist.

    Source: the record as a dictionary, after Neamatullah et al. 2008 (BMC Med Inform Decis Mak 8:32), who look up the names
    of the patient.
    """

    shortest: int = 2
    """Minimum length of the words of the record, in code points; shorter words are ignored."""
    shortest_number: int = 3
    """Minimum length of words that consist of digits."""

    def __post_init__(self) -> None:
        check_minimum(1, shortest=self.shortest, shortest_number=self.shortest_number)

    @property
    def label(self) -> str:
        changed = (self.shortest, self.shortest_number) != (2, 3)
        return make_label(self.name, f"{self.shortest}-{self.shortest_number}" if changed else "")

    def column(self, words: Words) -> Column:
        kinds_of: dict[str, set[str]] = {}
        for known in words.view.select(KnownPhi):
            value = _key(known.value)
            for word in {*_WORD.findall(value), *value.split()}:
                if len(word) >= (self.shortest_number if word.isdecimal() else self.shortest):
                    kinds_of.setdefault(word, set()).add(known.kind.name)
        if not kinds_of:
            return empty(words)
        values = {word: tuple(sorted(kinds)) for word, kinds in kinds_of.items()}
        return [values.get(key) for key in map(_KEYS.__getitem__, words.forms)]
