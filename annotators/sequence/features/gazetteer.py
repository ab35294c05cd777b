"""Words and phrases of a list, found without an earlier annotator. The values come from a column of the list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from functools import cached_property
from typing import ClassVar, Literal

from ....pipeline.contract.component import part
from ...lexicon import Lexicon
from ...lexicon.match import Matcher
from ..feature import Words, make_label, normalize, resource_stem
from .columns import Mark, SpanFeature

Case = Literal["any", "ambiguous", "all"]


def find_entries(matcher: Matcher, words: Words, case: Case) -> Iterator[tuple[int, int, str, str]]:
    """Yield begin, end, list and `kind` of every entry in the text; of overlapping entries of a list, the longest.

    `case` is the parameter of `Gazetteer`.
    """
    forms, begins, ends = words.forms, words.begins, words.ends
    for first, last, entry, _ in matcher.find(forms):
        needs_capital = case == "all" or (case == "ambiguous" and entry.ambiguous)
        if not needs_capital or not entry.form[:1].isupper() or forms[first][:1].isupper():
            yield begins[first], ends[last - 1], entry.list, entry.kind


@part("gazetteer")
class Gazetteer(SpanFeature):
    """The token is part of an entry of a list. Entries can have several words; the longest is used. The value is the kind of the
    entry if the list has kinds: `gazetteer:person_titles` distinguishes medical titles from honorifics, `gazetteer:countries`
    countries from nationalities, `gazetteer:us_states` names from postal codes.

    Example: `Attending Dr Ruiz` gives `gazetteer:person_titles=medical` at `Dr`, `Swedish` `gazetteer:countries=demonym`.

    Source: Lee et al. 2016 (ClinicalNLP), Table 1, gazetteers; Ratinov and Roth 2009 (CoNLL).
    """

    argument: ClassVar[str] = "lexicon"

    lexicon: Lexicon
    """A list of the pack, or the path of a list."""
    kinds: list[str] = field(default_factory=list)
    """Kinds of entries that are used. Default: all."""
    case: Case = "ambiguous"
    """Capitalized entries that match only capitalized text: none (`any`), those that are also common words, or all."""
    borders: bool = False
    """Use different values for the first token of an entry and for the other tokens: `B-medical`, `I-medical`."""

    @property
    def label(self) -> str:
        borders = "borders" if self.borders else ""
        return make_label(self.name, resource_stem(self.lexicon), "+".join(self.kinds), borders)

    @cached_property
    def _matcher(self) -> Matcher:
        return Matcher(self.lexicon, longest="none" if self.kinds else "list", plurals=False)

    def marks(self, words: Words) -> Iterator[Mark]:
        for begin, end, _, kind in find_entries(self._matcher, words, self.case):
            if self.kinds and kind not in self.kinds:
                continue
            value = normalize(kind)
            if self.borders:
                yield begin, end, f"B-{value}".rstrip("-"), f"I-{value}".rstrip("-")
            else:
                yield begin, end, value, value
