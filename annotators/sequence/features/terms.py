"""Medical terms found by an earlier annotator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from functools import cached_property
from typing import ClassVar

from ....pipeline.contract.component import part
from ....typesystem import FeatureStructure, MedicalTerm, TermGroup
from ..feature import Words
from .columns import Mark, SpanFeature


@part("term")
class InTerm(SpanFeature):
    """The token is part of a medical term. The value is the group of the term; if the feature is declared for a single group
    (`term:MEDICATION`), it has no value.

    Example: `aspirin` gives `term=MEDICATION`, with `term:MEDICATION` `term:MEDICATION`.

    Source: VigiBase de-identifier, Table 8 (sign/symptom, disease/disorder, medication, anatomical site, laboratory procedure).
    """

    in_label = ("groups", "borders")
    inputs: ClassVar[tuple[type[FeatureStructure], ...]] = (MedicalTerm,)
    argument: ClassVar[str] = "groups"

    groups: TermGroup | list[TermGroup] = field(default_factory=list)
    """One or several groups. Default: all."""
    borders: bool = False
    """Use different values for the first token of a term and for the other tokens: `B-MEDICATION`, `I-MEDICATION`."""

    def marks(self, words: Words) -> Iterator[Mark]:
        values, view = self._values, words.view
        for begin, end, term in zip(*view.spans(MedicalTerm), view.select(MedicalTerm), strict=True):
            if term.group.value in values:
                yield begin, end, *values[term.group.value]

    @cached_property
    def _values(self) -> dict[str, tuple[str, str]]:
        """The values of the first token and of the other tokens of a term, by the name of its group."""
        groups = [self.groups] if isinstance(self.groups, TermGroup) else self.groups
        single = len(set(groups)) == 1
        values: dict[str, tuple[str, str]] = {}
        for group in groups or TermGroup:
            value, prefixed = ("", "") if single else (group.value, f"-{group.value}")
            values[group.value] = (f"B{prefixed}", f"I{prefixed}") if self.borders else (value, value)
        return values
