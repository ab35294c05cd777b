"""The CAS: order, selection, identity, views, copies."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.typesystem import (
    Annotation,
    Cas,
    CasError,
    Chunk,
    KnownPhi,
    Phi,
    PhiCandidate,
    PhiKind,
    Sentence,
    Token,
    uima_type,
)

TEXT = "Seen on 3/4/2020 by Dr. Smith."


@pytest.fixture
def cas() -> Cas:
    return Cas(TEXT, id="note")


def spans(items: list[Annotation]) -> list[tuple[str, int, int]]:
    return [(type(a).__name__, a.begin, a.end) for a in items]


def test_annotations_come_in_uima_order_whatever_order_they_were_added_in(cas: Cas) -> None:
    view = cas.view()
    view.add_all([Token(8, 16), Token(0, 4), Phi(8, 16, kind=PhiKind.DATE), Sentence(0, 30), Token(0, 7)])
    assert spans(view.select(Annotation)) == [
        ("Sentence", 0, 30),
        ("Token", 0, 7),
        ("Token", 0, 4),
        ("Phi", 8, 16),  # before the token of the same span by type priority
        ("Token", 8, 16),
    ]


def test_equal_spans_of_one_type_keep_the_order_of_insertion(cas: Cas) -> None:
    first, second = Chunk(0, 4, tag="NP"), Chunk(0, 4, tag="VP")
    cas.view().add_all([first, second])
    assert cas.select(Chunk) == [first, second]


@pytest.mark.slow
def test_order_does_not_depend_on_the_hash_seed() -> None:
    program = (
        "from caspipe.typesystem import *\n"
        "c = Cas('x' * 9); v = c.view()\n"
        "v.add_all([Token(0, 4), Sentence(0, 4), Chunk(0, 4, tag='NP'), PhiCandidate(0, 4, kind=PhiKind.ID)])\n"
        "print([type(a).__name__ for a in v.select(Annotation)], PhiKind.ID.in_scheme('vigibase'))"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4711")
    }
    assert len(seen) == 1


def test_select_narrows_by_covered_covering_and_overlapping(cas: Cas) -> None:
    view = cas.view()
    sentence = view.add(Sentence(0, 30))
    date, name = view.add(Phi(8, 16, kind=PhiKind.DATE)), view.add(Phi(24, 29, kind=PhiKind.PERSON))
    assert view.select(Phi, covered_by=sentence) == [date, name]
    assert view.select(Phi, covered_by=(0, 20)) == [date]
    assert view.select(Sentence, covering=date) == [sentence]
    assert view.select(Phi, overlapping=(15, 25)) == [date, name]
    assert view.select(Phi, overlapping=(16, 24)) == []
    assert view.select(Annotation, covered_by=(8, 16), overlapping=(0, 9)) == [date]


def test_the_bounding_annotation_is_not_part_of_its_own_selection(cas: Cas) -> None:
    outer, inner = cas.add(Chunk(0, 10, tag="NP")), cas.add(Chunk(0, 10, tag="NP"))
    assert cas.select(Chunk, covered_by=outer) == [inner]


small_span = st.tuples(st.integers(0, 12), st.integers(0, 12)).map(lambda p: (min(p), max(p)))


@given(st.lists(small_span), small_span)
def test_selection_agrees_with_a_full_scan(pairs: list[tuple[int, int]], window: tuple[int, int]) -> None:
    cas = Cas("x" * 12)
    for b, e in pairs:
        cas.add(Phi(b, e, kind=PhiKind.ID))
    begin, end = window
    everything = sorted(pairs, key=lambda s: (s[0], -s[1]))

    def got(**where: tuple[int, int]) -> list[tuple[int, int]]:
        return [(a.begin, a.end) for a in cas.select(Phi, **where)]

    assert got() == everything
    assert got(covered_by=window) == [(b, e) for b, e in everything if b >= begin and e <= end]
    assert got(covering=window) == [(b, e) for b, e in everything if b <= begin and e >= end]
    assert got(overlapping=window) == [(b, e) for b, e in everything if b < end and e > begin]


def test_spans_given_as_columns_are_the_same_annotations(cas: Cas) -> None:
    view = cas.view()
    view.add_spans(Token, [0, 5, 8], [4, 7, 16], "segmenter")
    assert view.spans(Token) == ([0, 5, 8], [4, 7, 16])
    assert view.tokens.forms == ["Seen", "on", "3/4/2020"]
    assert view.tokens.lowers[0] == "seen"
    assert [(t.covered_text, t.source) for t in view.select(Token)][1] == ("on", "segmenter")
    view.add(Token(20, 22))
    assert view.tokens.forms[-1] == "Dr"
    view.add_spans(Token, [24], [29], "late")
    assert len(view.tokens) == 5


@pytest.mark.parametrize(
    ("begins", "ends", "message"),
    [
        ([0, 3], [4, 5], "spans must be sorted and disjoint"),
        ([3], [1], "spans must be sorted and disjoint"),
        ([0], [31], "leave the text"),
        ([0, 1], [1], "2 begins but 1 ends"),
    ],
)
def test_columns_that_overlap_or_leave_the_text_are_refused(
    cas: Cas, begins: list[int], ends: list[int], message: str
) -> None:
    with pytest.raises(CasError, match=message):
        cas.view().add_spans(Token, begins, ends)


@pytest.mark.parametrize(("begin", "end"), [(-1, 2), (3, 2), (0, 31)])
def test_offsets_outside_the_text_are_refused(cas: Cas, begin: int, end: int) -> None:
    with pytest.raises(CasError, match=rf"<Phi {begin}:{end}> lies outside the text of view _InitialView \(0:30\)"):
        cas.add(Phi(begin, end, kind=PhiKind.ID))


def test_begin_end_and_source_cannot_be_changed(cas: Cas) -> None:
    phi = cas.add(Phi(8, 16, kind=PhiKind.DATE))
    for name in ("begin", "end", "source", "sofa"):
        with pytest.raises(AttributeError):
            setattr(phi, name, 1)
    with pytest.raises(AttributeError):
        phi.colour = "red"  # type: ignore[attr-defined]


def test_remove_is_by_identity_and_replace_keeps_the_index_whole(cas: Cas) -> None:
    one, two = cas.add(Phi(8, 16, kind=PhiKind.DATE)), cas.add(Phi(8, 16, kind=PhiKind.DATE))
    cas.remove(one)
    assert cas.select(Phi) == [two]
    with pytest.raises(CasError, match="is not indexed in view"):
        cas.remove(one)
    with pytest.raises(CasError):
        cas.view().replace(two, Phi(0, 99, kind=PhiKind.DATE))
    assert cas.select(Phi) == [two]
    three = cas.view().replace(two, Phi(8, 12, kind=PhiKind.DATE))
    assert cas.select(Annotation) == [three]


def test_an_annotation_belongs_to_one_text(cas: Cas) -> None:
    gold = cas.create_view("gold", TEXT)
    phi = cas.add(Phi(8, 16, kind=PhiKind.DATE))
    with pytest.raises(CasError, match="belongs to another text"):
        gold.add(phi)


def test_records_without_a_span_are_indexed_too(cas: Cas) -> None:
    known = cas.add(KnownPhi(kind=PhiKind.PERSON, value="Smith"))
    assert cas.known_phi == [known]
    cas.remove(known)
    assert cas.known_phi == []


def test_views_are_named_once_and_missing_ones_are_told(cas: Cas) -> None:
    cas.create_view("gold", "other")
    with pytest.raises(CasError, match="has a view gold already"):
        cas.create_view("gold", "x")
    with pytest.raises(CasError, match="document note has no view silver; views: _InitialView, gold"):
        cas.view("silver")
    assert [v.name for v in cas.views] == ["_InitialView", "gold"]


def test_a_copy_is_deep_and_keeps_references(cas: Cas) -> None:
    winner = cas.add(Phi(8, 16, kind=PhiKind.DATE))
    cas.add(PhiCandidate(8, 12, kind=PhiKind.DATE, winner=winner))
    cas.view().add_spans(Token, [0], [4])
    twin = cas.copy()
    cas.remove(winner)
    assert twin.select(PhiCandidate)[0].winner is twin.select(Phi)[0]
    assert twin.select(Phi)[0].kind is PhiKind.DATE
    assert twin.select(Phi)[0].covered_text == "3/4/2020"
    assert twin.view().tokens.forms == ["Seen"]


def test_a_cas_survives_pickling(cas: Cas) -> None:
    cas.metadata["language"] = "en"
    cas.add(Sentence(0, 30))
    again = pickle.loads(pickle.dumps(cas))
    assert (again.id, again.metadata, again.text) == ("note", {"language": "en"}, TEXT)
    assert spans(again.select(Annotation)) == [("Sentence", 0, 30)]


def test_no_repr_holds_text(cas: Cas) -> None:
    phi = cas.add(Phi(24, 29, kind=PhiKind.PERSON, value="Smith"))
    known = cas.add(KnownPhi(kind=PhiKind.PERSON, value="Smith"))
    for thing in (cas, cas.view(), cas.view().sofa, phi, known, cas.view().tokens, [phi]):
        assert "Smith" not in repr(thing)
        assert "Smith" not in str(thing)


def test_a_type_of_ones_own_takes_its_fields_as_keywords(cas: Cas) -> None:
    @uima_type("org.example.Badge")
    class Badge(Annotation):
        """A badge."""

        number: str
        level: int = 1
        tags: list[str] = []  # noqa: RUF012

    with pytest.raises(TypeError):
        Badge(0, 4)  # type: ignore[call-arg]
    badge = cas.add(Badge(0, 4, number="7"))
    assert (badge.number, badge.level, badge.tags) == ("7", 1, [])
    assert Badge(0, 1, number="8").tags is not badge.tags
    assert {f.name: f.range for f in Badge.features.values()} == {
        "number": "uima.cas.String",
        "level": "uima.cas.Integer",
        "tags": "uima.cas.StringArray",
    }
    assert cas.select("org.example.Badge") == [badge]
    with pytest.raises(CasError, match=r"no type called org.example.Bodge"):
        cas.select("org.example.Bodge")


def test_a_type_name_is_declared_once() -> None:
    with pytest.raises(ValueError, match=r"type caspipe.Phi is declared twice"):

        @uima_type("caspipe.Phi")
        class Other(Annotation):
            pass


def test_line_and_column_are_counted_from_one() -> None:
    view = Cas("ab\ncd").view()
    assert [view.line_column(i) for i in (0, 2, 3, 4)] == [(1, 1), (1, 3), (2, 1), (2, 2)]


def test_a_feature_set_by_column_is_there_on_the_objects_and_survives_a_pickle() -> None:
    view = Cas("Dr. Smith").view()
    view.add_spans(Token, [0, 2, 4], [2, 3, 9])
    assert view.tokens.pos == ["", "", ""]
    view.set_feature(Token, "pos", ["NNP", ".", "NNP"])
    assert view.tokens.pos == ["NNP", ".", "NNP"]
    assert not view.has_only_spans(Token)
    again = pickle.loads(pickle.dumps(view))
    assert again.tokens.pos == ["NNP", ".", "NNP"]
    assert [token.pos for token in view.select(Token)] == ["NNP", ".", "NNP"]
    view.set_feature(Token, "pos", ["X", "Y", "Z"])
    assert view.tokens.pos == ["X", "Y", "Z"]


def test_a_feature_set_by_column_needs_a_value_for_each_annotation() -> None:
    view = Cas("Dr. Smith").view()
    view.add_spans(Token, [0, 2], [2, 3])
    with pytest.raises(CasError, match=r"^Token\.pos: 1 values for 2 annotations$"):
        view.set_feature(Token, "pos", ["NNP"])
