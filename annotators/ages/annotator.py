"""The component `ages`: marks ages of people as candidates for PHI."""

from __future__ import annotations

from collections.abc import Iterator

from ...pipeline.contract.component import Annotator, component
from ...typesystem import PhiCandidate, PhiKind, View
from .finder import find_ages


@component("ages", outputs=[PhiCandidate])
class AgeAnnotator(Annotator):
    """Marks ages of people with their unit words; durations, gestational ages and the age of things are not marked.

    `value` is the age in digits with its unit: `65 years`, `11 months`, `18-25 years`. Ages over 89 years have the kind
    `AGE_OVER_89` (45 CFR 164.514(b)(2)(i)(C)).
    """

    def annotate(self, view: View) -> Iterator[PhiCandidate]:
        for age in find_ages(view.text):
            kind = PhiKind.AGE_OVER_89 if age.over_89 else PhiKind.AGE
            yield PhiCandidate(age.begin, age.end, kind=kind, value=age.value, rule=age.rule)
