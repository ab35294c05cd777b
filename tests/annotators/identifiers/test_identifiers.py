"""The component `identifiers` on marked-up lines, and what it promises besides."""

from __future__ import annotations

from pathlib import Path

import pytest

from caspipe.annotators.identifiers import IdentifierAnnotator
from caspipe.annotators.patterns.rules import unmark
from caspipe.typesystem import Cas, PhiCandidate, PhiKind

CASES = Path(__file__).parents[2] / "cases" / "identifiers.txt"
FINDER = IdentifierAnnotator()
FINDER.open()

LINES = [
    (f"line-{number}", *unmark(line.replace("\\n", "\n")))
    for number, line in enumerate(CASES.read_text(encoding="utf-8").splitlines(), 1)
    if line.strip() and not line.startswith("# ")
]


def found(text: str, finder: IdentifierAnnotator = FINDER) -> list[PhiCandidate]:
    return [a for a in finder.annotate(Cas(text).view()) if isinstance(a, PhiCandidate)]


def disagreement(text: str, spans: list[tuple[int, int, str]]) -> str:
    """What differs between the marks and the hits: a first-level kind stands for those below it."""
    hits = {(c.begin, c.end): c.kind for c in found(text)}
    faults = []
    for begin, end, name in spans:
        kind = hits.pop((begin, end), None)
        if kind is None:
            faults.append(f"missed {begin}:{end} {text[begin:end]!r}")
        elif not kind.is_a(PhiKind.of(name)):
            faults.append(f"{begin}:{end} is {kind.name}, not {name}")
    faults += [f"false {begin}:{end} {text[begin:end]!r} {kind.name}" for (begin, end), kind in sorted(hits.items())]
    return "; ".join(faults)


@pytest.mark.parametrize(("text", "spans"), [line[1:] for line in LINES], ids=[line[0] for line in LINES])
def test_the_marked_spans_and_no_others_are_found(text: str, spans: list[tuple[int, int, str]]) -> None:
    assert disagreement(text, spans) == ""
