"""Plug-in of the tests: finds the name after `Patient` and the number after `record`. No model decides what is masked."""

from __future__ import annotations

import re
from collections.abc import Iterable

from caspipe.pipeline import Annotator, component
from caspipe.typesystem import PhiCandidate, PhiKind, View

_PERSON = re.compile(r"Patient (\w+) (\w+), record (\d+)")


@component("people_of_the_test", outputs=[PhiCandidate])
class PeopleOfTheTest(Annotator):
    """Finds the people of the notes of the tests."""

    def annotate(self, view: View) -> Iterable[PhiCandidate]:
        for match in _PERSON.finditer(view.text):
            yield PhiCandidate(match.start(1), match.end(2), kind=PhiKind.PERSON, confidence=1.0)
            yield PhiCandidate(*match.span(3), kind=PhiKind.ID, confidence=1.0)
