"""Two annotators and one who decides between them."""

from __future__ import annotations

from pathlib import Path

import pytest
from review_corpus import Corpus

from caspipe.pipeline.application.review.session import AnnotatorPair
from caspipe.pipeline.application.review.state import ReviewError

pytestmark = pytest.mark.server


@pytest.fixture
def two(folder: Path) -> AnnotatorPair:
    """anna and ben, done with `a` and `b`; ben not with `c`."""
    decided = []
    for name in ("anna", "ben"):
        corpus = Corpus(folder, name)
        if name == "anna":
            corpus.do("reject", span=corpus.sid("44"))
            corpus.do("kind", span=corpus.sid("Lund"), kind="LOCATION")
            corpus.do("move", span=corpus.sid("Tom Berg"), **corpus.at("Tom Berg, aged"))
            corpus.do("done", number=2)
        else:
            corpus.do("add", kind="PERSON", **corpus.at("Ana Ruiz", nth=1))
        corpus.do("done")
        corpus.do("done", number=1)
        decided.append(corpus.session.history.documents)
        corpus.close()
    return AnnotatorPair("anna", "ben", (decided[0], decided[1]))


@pytest.fixture
def eva(folder: Path, two: AnnotatorPair) -> Corpus:
    return Corpus(folder, "eva", pair=two)


def told(corpus: Corpus) -> list[tuple[str, list[str], list[str]]]:
    opened = corpus.session.opened(0)
    text, base = opened.document.text, opened.table.base

    def words(ids: tuple[str, ...]) -> list[str]:
        return [f"{text[base[i].begin : base[i].end]}/{base[i].kind}" for i in ids]

    return [(text[d.begin : d.end], words(d.left), words(d.right)) for d in opened.differences]


def test_differences_are_what_hangs_together_and_is_not_the_same(eva: Corpus) -> None:
    assert told(eva) == [
        ("Lund", ["Lund/LOCATION"], ["Lund/LOCATION_CITY"]),
        ("Ana Ruiz", [], ["Ana Ruiz/PERSON"]),
        ("Tom Berg, aged", ["Tom Berg, aged/PERSON"], ["Tom Berg/PERSON"]),
        ("44", [], ["44/AGE"]),
    ]
    assert eva.live() == [("3 May 2020", "DATE"), ("Ana Ruiz", "PERSON_DOCTOR")]


@pytest.mark.parametrize(
    ("difference", "side", "live"),
    [
        (0, "left", [("Lund", "LOCATION")]),
        (0, "right", [("Lund", "LOCATION_CITY")]),
        (0, "both", [("Lund", "LOCATION")]),
        (0, "none", []),
        (1, "left", []),
        (1, "right", [("Ana Ruiz", "PERSON")]),
        (2, "left", [("Tom Berg, aged", "PERSON")]),
        (2, "right", [("Tom Berg", "PERSON")]),
        (2, "both", [("Tom Berg, aged", "PERSON")]),
    ],
)
def test_a_choice_settles_a_difference(eva: Corpus, difference: int, side: str, live: list[tuple[str, str]]) -> None:
    agreed = [("3 May 2020", "DATE"), ("Ana Ruiz", "PERSON_DOCTOR")]
    eva.do("choose", difference=difference, side=side)
    found = eva.live()
    for span in agreed:
        found.remove(span)
    assert found == live
    assert len(eva.session.opened(0).open_differences) == 3
    eva.undo()
    assert eva.live() == agreed


def test_both_of_other_kinds_keeps_the_left_and_the_rest_of_the_right(
    eva: Corpus, two: AnnotatorPair, folder: Path
) -> None:
    eva.close()
    ben = Corpus(folder, "ben")
    ben.do("kind", span=ben.sid("Tom Berg"), kind="ID")
    ben.do("move", span=ben.sid("Tom Berg"), **ben.at("called Tom Berg"))
    changed = AnnotatorPair("anna", "ben", (two.documents[0], ben.session.history.documents))
    ben.close()
    corpus = Corpus(folder, "eva", pair=changed)
    corpus.do("choose", difference=2, side="both")
    assert ("called", "ID") in corpus.live() and ("Tom Berg, aged", "PERSON") in corpus.live()
    corpus.close()


def test_done_waits_for_every_choice(eva: Corpus) -> None:
    with pytest.raises(ReviewError, match=r"^4 differences wait for a choice$"):
        eva.do("done")
    for n in range(4):
        eva.do("choose", difference=n, side="right")
    eva.do("done")
    eva.session.scan()
    first, second, third = eva.session.rows()
    assert (first["done"], first["differ"]) == (True, 0)
    assert (second["done"], second["differ"]) == (False, 0)
    assert third == {"i": 2, "id": "c", "waiting": True}


def test_a_document_that_one_is_not_done_with_waits(eva: Corpus) -> None:
    with pytest.raises(ReviewError, match=r"^document c: anna and ben have not both completed it$"):
        eva.do("done", number=2)


def test_the_adjudicator_can_add_and_change(eva: Corpus) -> None:
    eva.do("add", kind="ID", **eva.at("signs"))
    eva.do("reject", span=eva.sid("3 May 2020"))
    assert eva.live() == [("Ana Ruiz", "PERSON_DOCTOR"), ("signs", "ID")]


def test_a_choice_stands_after_a_restart(eva: Corpus, two: AnnotatorPair, folder: Path) -> None:
    eva.do("choose", difference=0, side="left")
    before = eva.live()
    eva.close()
    again = Corpus(folder, "eva", pair=two)
    assert again.live() == before
    assert len(again.session.opened(0).open_differences) == 3
    again.close()


def test_annotators_who_differ_are_shown_only_when_both_are_done(folder: Path, two: AnnotatorPair) -> None:
    corpus = Corpus(folder, "cleo", others={"anna": two.documents[0], "ben": two.documents[1]})
    corpus.session.scan()
    assert [r["differ"] for r in corpus.session.rows()] == [0, 0, 0]
    for number in range(3):
        corpus.do("done", number=number)
    assert [r["differ"] for r in corpus.session.rows()] == [2, 0, 0]
    corpus.close()
