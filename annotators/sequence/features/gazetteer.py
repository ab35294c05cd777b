"""Words and phrases of a list, found without an earlier annotator; a column of the list gives their values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Literal

from ....pipeline.contract.component import part
from ...lexicon import Lexicon
from ...lexicon.match import Matcher
from ..feature import TokenFeature, Words
from ..tidy import label, tidy
from .columns import Column, Mark, spread

Case = Literal["any", "ambiguous", "all"]


def marks(matcher: Matcher, words: Words, case: Case) -> Iterator[tuple[int, int, str, str]]:
    """Begin, end, list and `kind` of every entry found, the longest where entries of one list overlap.

    `case` says which entries that are written with a capital must have one in the text: none, those that are everyday words
    too, or all.
    """
    forms, begins, ends = words.forms, words.begins, words.ends
    for first, last, entry, _ in matcher.find(forms):
        asked = case == "all" or (case == "ambiguous" and entry.ambiguous)
        if not asked or not entry.form[:1].isupper() or forms[first][:1].isupper():
            yield begins[first], ends[last - 1], entry.list, entry.kind


@part("gazetteer")
class Gazetteer(TokenFeature):
    """The token is in an entry of a list; entries may have several words, the longest counts. The value is the kind of the
    entry if the list has kinds: `gazetteer:person_titles` tells medical titles from honorifics, `gazetteer:countries`
    countries from nationalities, `gazetteer:us_states` names from postal codes.

    Example: `Attending Dr Ruiz` gives `gazetteer:person_titles=medical` at `Dr`, `Swedish` `gazetteer:countries=demonym`.

    Source: Lee et al. 2016 (ClinicalNLP), Table 1, gazetteers; Ratinov and Roth 2009 (CoNLL).
    """

    argument: ClassVar[str] = "lexicon"

    lexicon: Lexicon
    """A list of the pack, or a file of yours."""
    kinds: list[str] = field(default_factory=list)
    """Kinds of entries that count. Left out: all."""
    case: Case = "ambiguous"
    """Entries written with a capital that must have one in the text: none (`any`), those that are everyday words too, or all."""
    borders: bool = False
    """Tell the first token of an entry from those after it: `B-medical`, `I-medical`."""

    @property
    def label(self) -> str:
        given: object = self.lexicon
        name = given.name if isinstance(given, Lexicon) else str(given)
        return label(self.name, Path(name).stem, "+".join(self.kinds), "borders" if self.borders else "")

    @cached_property
    def _matcher(self) -> Matcher:
        return Matcher(self.lexicon, longest="none" if self.kinds else "list", plurals=False)

    def column(self, words: Words) -> Column:
        return spread(words, self._marks(words))

    def _marks(self, words: Words) -> Iterator[Mark]:
        for begin, end, _, kind in marks(self._matcher, words, self.case):
            if self.kinds and kind not in self.kinds:
                continue
            value = tidy(kind)
            if self.borders:
                yield begin, end, f"B-{value}".rstrip("-"), f"I-{value}".rstrip("-")
            else:
                yield begin, end, value, value
