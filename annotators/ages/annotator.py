"""The component `ages`: marks every age of a person as a candidate for PHI."""

from __future__ import annotations

from collections.abc import Iterator

from ...pipeline.contract.component import Annotator, component
from ...typesystem import PhiCandidate, PhiKind, View
from .finder import find_ages


@component("ages", outputs=[PhiCandidate])
class AgeAnnotator(Annotator):
    """Marks ages of people with their unit words; durations, gestational ages and the age of things stay.

    `value` is the age in figures with its unit: `65 years`, `11 months`, `18-25 years`. Kind `AGE_OVER_89` where it is
    over 89 years (45 CFR 164.514(b)(2)(i)(C)).
    """

    def annotate(self, view: View) -> Iterator[PhiCandidate]:
        for age in find_ages(view.text):
            kind = PhiKind.AGE_OVER_89 if age.over_89 else PhiKind.AGE
            yield PhiCandidate(age.begin, age.end, kind=kind, value=age.value, rule=age.rule)
