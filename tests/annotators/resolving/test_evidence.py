"""`evidence`: candidates that models read as features, but that are not findings."""

from __future__ import annotations

from typing import Any

import pytest
from overlap_cases import candidates, made, show

from caspipe.annotators.resolving.candidates import EVIDENCE_ONLY, takes_part
from caspipe.annotators.resolving.resolver import Resolver
from caspipe.pipeline.errors import ConfigError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import Cas, Phi, PhiCandidate, PhiKind

TEXT = "Berg, room 12, MRN 345"


def resolved(resolver: str) -> list[str]:
    cas = Cas(TEXT)
    for begin, end, kind, source, rule in (
        (0, 4, "PERSON", "rules/names", "surname"),
        (6, 13, "LOCATION_ROOM", "rules/identifiers", "room"),
        (15, 22, "ID_MEDICAL_RECORD", "rules/identifiers", "medical_record"),
    ):
        candidate = PhiCandidate(begin, end, kind=PhiKind.of(kind), rule=rule)
        cas.add(candidate.set_source(source))
    made(Resolver, resolver).process(cas)
    for candidate in cas.select(PhiCandidate):
        assert (candidate.winner is None) == (candidate.reason == EVIDENCE_ONLY) == (not takes_part(candidate))
    return [phi.kind.name for phi in cas.select(Phi)]


@pytest.mark.parametrize(
    ("resolver", "found"),
    [
        ("{}", "PERSON LOCATION_ROOM ID_MEDICAL_RECORD"),
        ("{evidence: [rules]}", ""),
        ("{evidence: [names, identifiers]}", ""),
        ("{evidence: [rules/identifiers]}", "PERSON"),
        ("{evidence: [identifiers.room, names]}", "ID_MEDICAL_RECORD"),
        ("{evidence: ['rules:LOCATION', 'rules:PERSON_DOCTOR']}", "PERSON ID_MEDICAL_RECORD"),
        ("{evidence: ['identifiers.room:ID', names]}", "LOCATION_ROOM ID_MEDICAL_RECORD"),
        ("{evidence: [rules], findings: [identifiers.medical_record]}", "ID_MEDICAL_RECORD"),
        ("{evidence: [rules], findings: ['rules:PERSON']}", "PERSON"),
    ],
)
def test_only_the_candidates_that_are_findings_become_phi(resolver: str, found: str) -> None:
    assert resolved(resolver) == found.split()


def refined(refine: str) -> str:
    cas = Cas("by Anna Berg")
    candidates(cas, "by <PERSON>Anna Berg</PERSON>", "crf")
    candidates(cas, "by <PERSON_DOCTOR>Anna</PERSON_DOCTOR> Berg", "names")
    made(Resolver, f"{{evidence: [names], refine: {refine}}}").process(cas)
    (phi,) = cas.select(Phi)
    return phi.kind.name


def test_evidence_refines_kinds_only_where_asked() -> None:
    assert [refined(x) for x in ("false", "true", "evidence")] == ["PERSON", "PERSON", "PERSON_DOCTOR"]


def test_a_later_run_without_evidence_makes_findings_of_the_candidates_again() -> None:
    cas = Cas("Berg")
    candidates(cas, "<PERSON>Berg</PERSON>", "names")
    for resolver, expected in ((Resolver(evidence=["names"]), "Berg"), (Resolver(), "<PERSON>Berg</PERSON>")):
        resolver.process(cas)
        assert show(cas) == expected


def test_evidence_does_not_vote() -> None:
    cas = Cas("ward 12")
    for source, kind in (("crf", "ID"), ("svm", "AGE"), ("rules", "AGE")):
        candidates(cas, f"ward <{kind}>12</{kind}>", source)
    made(Resolver, "{evidence: [rules], strategy: {majority: {voters: [crf, svm, rules]}}, priority: [crf]}").process(
        cas
    )
    assert show(cas) == "ward <ID>12</ID>"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"evidence": ["a b"]}, "evidence: 'a b': expected SOURCE, SOURCE.RULE, SOURCE:KIND or SOURCE.RULE:KIND"),
        ({"evidence": ["names:PERSN"]}, "evidence: no PHI kind called 'PERSN'; did you mean PERSON?"),
        (
            {"evidence": ["known_phi"]},
            "evidence: known_phi is never only evidence, what the record says about a person stays PHI",
        ),
        (
            {"findings": ["dates.year"]},
            "findings: expected entries in evidence, from which these are exceptions, got none",
        ),
    ],
)  # fmt: skip
def test_entries_that_mean_nothing_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as fault:
        Resolver(**given)
    assert str(fault.value) == message


@pytest.mark.parametrize("entry", ["evidence: [datess.year]", "{evidence: [dates], findings: [datess/dates]}"])
def test_a_source_that_is_no_component_is_told_when_the_pipeline_is_put_together(entry: str) -> None:
    resolver = entry if entry.startswith("{") else f"{{{entry}}}"
    with pytest.raises(ConfigError, match=r"no component or aggregate called 'datess.*"):
        Pipeline.parse(f"engines: [segmenter, dates, {{resolver: {resolver}}}]")
