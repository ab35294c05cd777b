"""Staff badges of a hospital: a type of their own, a PHI kind of their own, and the annotator that finds them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from caspipe.pipeline.contract.component import Annotator, component
from caspipe.typesystem import Annotation, PhiCandidate, PhiKind, View, uima_type

ID_BADGE = PhiKind.define("ID_BADGE", parent="ID", hipaa="R", direct=True, description="staff badges")


@uima_type("org.example.Badge")
class Badge(Annotation):
    """A badge: department letters and a number."""

    department: str
    number: int


@component("badges", outputs=[Badge, PhiCandidate])
class BadgeAnnotator(Annotator):
    """Marks badge numbers such as `ER-20417`."""

    departments: list[str]
    """Letters of the departments that have badges."""
    digits: int = 5
    """Digits of a badge number."""

    def annotate(self, view: View) -> Iterator[Badge | PhiCandidate]:
        letters = "|".join(map(re.escape, self.departments))
        for match in re.finditer(rf"\b({letters})-(\d{{{self.digits}}})\b", view.text):
            begin, end = match.span()
            yield Badge(begin, end, department=match[1], number=int(match[2]))
            yield PhiCandidate(begin, end, kind=ID_BADGE, value=match[2], rule="badge")
