"""What is proposed, and what is said of it."""

from __future__ import annotations

from caspipe.annotators.stacking.proposals import Proposal, Vote, attributes, proposals
from caspipe.typesystem import PhiKind

TEXT = "by Anna Berg today"
CRF = Vote(3, 12, PhiKind.PERSON, "crf", 0.97)
SVM = Vote(8, 18, PhiKind.PERSON, "svm", 0.4)
RULES = Vote(3, 7, PhiKind.LOCATION, "rules", 1.0)


def test_distinct_spans_are_proposed_and_the_unions_of_those_that_cross() -> None:
    twice = Vote(3, 12, PhiKind.PERSON, "svm", 0.5)
    found = proposals([CRF, twice, SVM, RULES])
    assert [(p.begin, p.end, p.kind.name, p.united) for p in found] == [
        (3, 18, "PERSON", True),
        (3, 12, "PERSON", False),
        (3, 7, "LOCATION", False),
        (8, 18, "PERSON", False),
    ]


def test_spans_inside_one_another_or_of_other_kinds_make_no_union() -> None:
    assert len(proposals([CRF, Vote(3, 7, PhiKind.PERSON, "svm", 1.0)])) == 2
    assert len(proposals([Vote(0, 7, PhiKind.DATE, "svm", 1.0), CRF])) == 2


def test_a_proposal_is_seen_through_each_voter_and_through_all_together() -> None:
    found = attributes(Proposal(3, 12, PhiKind.PERSON), [CRF, SVM, RULES], ["crf", "svm", "rules", "lists"], TEXT)
    assert found == sorted(
        [
            *("crf=same", "crf=same PERSON", "crf=same 0.95"),
            *("svm=across", "svm=across PERSON", "svm=across 0.3"),
            *("rules=inside!", "rules=inside! PERSON", "rules=inside! 0.999"),
            *("lists=none", "lists=none PERSON"),
            "together=crf:same svm:across rules:inside! lists:none",
            "together=crf:same svm:across rules:inside! lists:none PERSON",
            *("same=1", "any=3", "kind=PERSON", "words=2"),
        ]
    )


def test_of_several_votes_of_one_voter_the_nearest_counts_and_doubt_is_no_confidence() -> None:
    votes = [SVM, Vote(3, 12, PhiKind.DATE, "svm", float("nan"))]
    found = attributes(Proposal(3, 12, PhiKind.PERSON), votes, ["svm"], TEXT)
    assert {"svm=same!", "svm=same! 0"} <= set(found)
    assert "united" in attributes(Proposal(3, 18, PhiKind.PERSON, True), votes, ["svm"], TEXT)
