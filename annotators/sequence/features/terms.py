"""Medical terms: what an annotator upstream found in terminologies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import ClassVar

from ....pipeline.component import part
from ....typesystem import FeatureStructure, MedicalTerm, TermGroup
from ..feature import TokenFeature, Words
from .columns import Column, Mark, spread
from .tidy import label


@part("term")
class InTerm(TokenFeature):
    """The token stands in a medical term. The value is the term's group, for every group or for those named; of one group
    alone (`term:MEDICATION`) it needs no value.

    Example: `aspirin` gives `term=MEDICATION`, with `term:MEDICATION` `term:MEDICATION`.

    Source: VigiBase de-identifier, Table 8 (sign/symptom, disease/disorder, medication, anatomical site, laboratory procedure).
    """

    inputs: ClassVar[tuple[type[FeatureStructure], ...]] = (MedicalTerm,)
    argument: ClassVar[str] = "groups"

    groups: TermGroup | list[TermGroup] = field(default_factory=list)
    """Groups to look at: one or several. Left out: all."""
    borders: bool = False
    """Tell the first token of a term from those after it: `B-MEDICATION`, `I-MEDICATION`."""

    @property
    def _wanted(self) -> list[TermGroup]:
        return [self.groups] if isinstance(self.groups, TermGroup) else self.groups

    @property
    def label(self) -> str:
        return label(self.name, "+".join(g.value for g in self._wanted), "borders" if self.borders else "")

    def column(self, words: Words) -> Column:
        return spread(words, self._marks(words))

    def _marks(self, words: Words) -> Iterator[Mark]:
        wanted = self._wanted
        alone = len(set(wanted)) == 1
        for term in words.view.select(MedicalTerm):
            group = term.group
            if wanted and group not in wanted:
                continue
            if not self.borders:
                value = "" if alone else group.value
                yield term.begin, term.end, value, value
            elif alone:
                yield term.begin, term.end, "B", "I"
            else:
                yield term.begin, term.end, f"B-{group.value}", f"I-{group.value}"
