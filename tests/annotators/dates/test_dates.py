"""The date finder on marked-up lines, and what it says about each hit."""

from __future__ import annotations

import pytest
from caspipe.annotators.dates import DateAnnotator
from caspipe.typesystem import Cas, PhiCandidate, PhiKind

from ...marked import Marked, cases, disagreement


def found(text: str, **parameters: object) -> list[PhiCandidate]:
    view = Cas(text).view()
    view.add_all(list(DateAnnotator(**parameters).annotate(view)))  # type: ignore[arg-type]
    return view.select(PhiCandidate)


@pytest.mark.parametrize("line", cases("dates.txt"), ids=lambda line: line.name)
def test_the_marked_spans_and_no_others_are_found(line: Marked) -> None:
    assert disagreement(line, found(line.text)) == ""
