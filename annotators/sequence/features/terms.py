"""Medical terms: what an earlier annotator found in terminologies."""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from typing import ClassVar

from ....pipeline.contract.component import part
from ....typesystem import FeatureStructure, MedicalTerm, TermGroup
from ..feature import TokenFeature, Words
from .columns import Column, spread


@part("term")
class InTerm(TokenFeature):
    """The token is in a medical term. The value is the term's group, for every group or for those named; of one group
    alone (`term:MEDICATION`) it needs no value.

    Example: `aspirin` gives `term=MEDICATION`, with `term:MEDICATION` `term:MEDICATION`.

    Source: VigiBase de-identifier, Table 8 (sign/symptom, disease/disorder, medication, anatomical site, laboratory procedure).
    """

    in_label = ("groups", "borders")
    inputs: ClassVar[tuple[type[FeatureStructure], ...]] = (MedicalTerm,)
    argument: ClassVar[str] = "groups"

    groups: TermGroup | list[TermGroup] = field(default_factory=list)
    """Groups to look at: one or several. Left out: all."""
    borders: bool = False
    """Tell the first token of a term from those after it: `B-MEDICATION`, `I-MEDICATION`."""

    @property
    def _wanted(self) -> list[TermGroup]:
        return [self.groups] if isinstance(self.groups, TermGroup) else self.groups

    def column(self, words: Words) -> Column:
        values, view = self._values, words.view
        terms = zip(*view.spans(MedicalTerm), view.select(MedicalTerm), strict=True)
        named = ((b, e, values[t.group.value]) for b, e, t in terms)
        return spread(words, [(b, e, *pair) for b, e, pair in named if pair is not None])

    @cached_property
    def _values(self) -> dict[str, tuple[str, str] | None]:
        """For each group, by name, the values of the first token of a term and of further ones; None if it does not count."""
        wanted = self._wanted
        alone = len(set(wanted)) == 1
        found: dict[str, tuple[str, str] | None] = {group.value: None for group in TermGroup}
        for group in wanted or TermGroup:
            value = "" if alone else group.value
            dash = "" if alone else "-"
            found[group.value] = (f"B{dash}{value}", f"I{dash}{value}") if self.borders else (value, value)
        return found
