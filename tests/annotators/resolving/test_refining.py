"""`refine`: a winner of a first-level kind takes more detail from those that lost to it."""

from __future__ import annotations

from overlap_cases import candidates

from caspipe.annotators.resolving.resolver import Resolver
from caspipe.typesystem import Cas, Phi, PhiKind

TEXT = "seen by Anna Berg in Lund"


def kinds(*marked: tuple[str, str], refine: bool = True, first: str = "crf") -> list[tuple[str, str]]:
    cas = Cas(TEXT)
    for source, text in marked:
        candidates(cas, text, source)
    Resolver(priority=[first], refine=refine).process(cas)
    return [(p.covered_text, p.kind.name) for p in cas.select(Phi)]


MODEL = ("crf", "seen by <PERSON>Anna Berg</PERSON> in Lund")
RULE = ("names", "seen by <PERSON_DOCTOR>Anna</PERSON_DOCTOR> Berg in Lund")


def test_the_finer_kind_of_a_loser_inside_the_winner_is_taken() -> None:
    assert kinds(MODEL, RULE) == [("Anna Berg", "PERSON_DOCTOR")]
    assert kinds(MODEL, RULE, refine=False) == [("Anna Berg", "PERSON")]


def test_the_speaker_stays_and_the_reason_tells() -> None:
    cas = Cas(TEXT)
    for source, text in (MODEL, RULE):
        candidates(cas, text, source)
    Resolver(priority=["crf"], refine=True).process(cas)
    (phi,) = cas.select(Phi)
    assert phi.source == "crf"
    assert phi.reason.endswith("kind of names")


def test_a_loser_that_reaches_beyond_or_has_another_kind_gives_none() -> None:
    beyond = ("names", "seen <PERSON_DOCTOR>by Anna Berg</PERSON_DOCTOR> in Lund")
    assert kinds(MODEL, beyond) == [("by Anna Berg", "PERSON_DOCTOR")]  # the winner grew over it, and covers it now
    other = ("names", "seen by <LOCATION_CITY>Anna</LOCATION_CITY> Berg in Lund")
    assert kinds(MODEL, other) == [("Anna Berg", "PERSON")]


def test_a_winner_that_says_more_keeps_its_kind() -> None:
    fine = ("crf", "seen by <PERSON_RELATIVE>Anna Berg</PERSON_RELATIVE> in Lund")
    assert kinds(fine, RULE) == [("Anna Berg", "PERSON_RELATIVE")]


def test_of_several_the_first_by_priority_gives_the_kind() -> None:
    late = ("zz", "seen by Anna <PERSON_RELATIVE>Berg</PERSON_RELATIVE> in Lund")
    cas = Cas(TEXT)
    for source, text in (MODEL, late, RULE):
        candidates(cas, text, source)
    Resolver(priority=["crf", "zz", "names"], refine=True).process(cas)
    assert [p.kind for p in cas.select(Phi)] == [PhiKind.of("PERSON_RELATIVE")]
