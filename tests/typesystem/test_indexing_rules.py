"""What the index refuses or ignores, as UIMA does: a second add, a second text, references to what was replaced."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from caspipe.typesystem import (
    Annotation,
    ByteArray,
    Cas,
    CasError,
    Chunk,
    Feature,
    FSArray,
    KnownPhi,
    Phi,
    PhiCandidate,
    PhiKind,
    Sofa,
    SpanAttribute,
    TypeSystem,
)
from caspipe.typesystem.arrays import linked
from caspipe.typesystem.index import Index

TEXT = "Seen on 3/4/2020 by Dr. Smith."


@pytest.fixture
def cas() -> Cas:
    return Cas(TEXT, id="note")


def test_an_annotation_added_twice_is_indexed_once(cas: Cas) -> None:
    date = cas.add(Phi(8, 16, kind=PhiKind.DATE))
    assert cas.add(date) is date
    cas.view().add_all([date, date])
    assert cas.select(Phi) == [date]
    cas.remove(date)
    assert cas.select(Phi) == []
    with pytest.raises(CasError, match=r"^<Phi 8:16> is not indexed in view _InitialView$"):
        cas.remove(date)
    cas.add(date)
    assert cas.select(Annotation) == [date]


def test_a_record_added_twice_is_indexed_once_in_each_view(cas: Cas) -> None:
    known, gold = KnownPhi(kind=PhiKind.PERSON, value="Smith"), cas.create_view("gold", TEXT)
    cas.view().add_all([known, known])
    gold.add_all([known, known])
    cas.add(known)
    assert cas.select(KnownPhi) == gold.select(KnownPhi) == [known]
    again = cas.copy()
    again.add(again.known_phi[0])
    assert len(again.known_phi) == 1
    cas.remove(known)
    assert (cas.known_phi, gold.select(KnownPhi)) == ([], [known])
    assert [cas.add(known)] == cas.known_phi


def test_annotations_with_equal_values_are_different_and_both_indexed(cas: Cas) -> None:
    one = cas.add(Phi(8, 16, kind=PhiKind.DATE))
    two = cas.add(copy.copy(one))
    assert cas.select(Phi) == [one, two]


def test_the_text_and_the_sofa_of_a_view_cannot_be_set_again(cas: Cas) -> None:
    view = cas.view()
    for change in ("text", "sofa", "name"):
        with pytest.raises(AttributeError, match=f"property '{change}' of 'View' object has no setter"):
            setattr(view, change, "other")
    with pytest.raises(AttributeError):
        view.sofa.text = "other"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        cas.text = "other"  # type: ignore[misc]
    with pytest.raises(CasError, match=r"^document note has a view _InitialView already$"):
        cas.create_view("_InitialView", "other")
    assert cas.text == view.covered_text(Phi(0, 30, kind=PhiKind.ID)) == TEXT


def test_a_type_system_is_set_for_all_views_or_not_at_all(cas: Cas) -> None:
    with pytest.raises(AttributeError, match="property 'typesystem' of 'Cas' object has no setter"):
        cas.typesystem = TypeSystem()  # type: ignore[misc]
    cas.create_view("gold", TEXT)
    types = TypeSystem()
    types.create_type("a.Badge")
    cas.set_typesystem(types)
    assert cas.typesystem is types
    assert cas.view("gold").select("a.Badge") == []


def test_replacing_moves_all_references_to_the_new_one(cas: Cas) -> None:
    types = TypeSystem()
    array = [Feature("all", "uima.cas.FSArray"), Feature("list", "uima.cas.FSList", "uima.cas.TOP", True)]
    holder = types.create_type("a.Holder", Annotation, [*array, Feature("shared", "uima.cas.FSArray", None, True)])
    cas.set_typesystem(types)
    gold = cas.create_view("gold", TEXT)
    old, other = cas.add(Phi(8, 16, kind=PhiKind.DATE)), Phi(0, 4, kind=PhiKind.ID)
    loser = cas.add(PhiCandidate(8, 12, kind=PhiKind.DATE, winner=old))
    attribute = gold.add(SpanAttribute(of=old, name="in another view"))
    inner = SpanAttribute(of=old, name="not indexed")
    item: Any = cas.add(holder(0, 30, all=[old, None, inner, old], list=linked("uima.cas.FSList", [other, old])))
    item.shared = FSArray([old, other])
    elements = cas.add(FSArray([other, old]))
    new = cas.view().replace(old, Phi(8, 15, kind=PhiKind.DATE))
    assert cas.select(Phi) == [new]
    assert [loser.winner, attribute.of, inner.of] == [new] * 3
    assert item.all == [new, None, inner, new]
    assert list(item.list) == [other, new]
    assert list(item.shared) == list(elements)[::-1] == [new, other]


def test_the_new_one_may_refer_to_the_one_it_replaces(cas: Cas) -> None:
    old = cas.add(Phi(8, 16, kind=PhiKind.DATE))
    candidate = cas.add(PhiCandidate(8, 16, kind=PhiKind.DATE, winner=old))
    new = cas.view().replace(candidate, PhiCandidate(8, 15, kind=PhiKind.DATE, winner=old))
    assert new.winner is old
    kept = cas.view().replace(new, new)
    assert cas.select(PhiCandidate) == [kept]
    types = TypeSystem()
    version = types.create_type("a.Version", Annotation, {"previous": "a.Version"})
    first = cas.add(version(0, 4))
    second = cas.view().replace(first, version(0, 3, previous=first))
    assert second.previous is first


def test_a_refused_replacement_changes_nothing(cas: Cas) -> None:
    one, two = cas.add(Chunk(0, 4, tag="NP")), cas.add(Chunk(0, 4, tag="VP"))
    attribute = cas.add(SpanAttribute(of=one, name="a"))
    with pytest.raises(CasError, match="lies outside the text"):
        cas.view().replace(one, Chunk(0, 99, tag="NP"))
    with pytest.raises(CasError, match="is not indexed in view _InitialView"):
        cas.view().replace(Chunk(0, 4, tag="NP"), Chunk(0, 2, tag="NP"))
    assert cas.select(Chunk) == [one, two]
    assert attribute.of is one


def test_removing_leaves_references_as_uima_does(cas: Cas) -> None:
    winner = cas.add(Phi(8, 16, kind=PhiKind.DATE))
    loser = cas.add(PhiCandidate(8, 12, kind=PhiKind.DATE, winner=winner))
    cas.remove(winner)
    assert loser.winner is winner
    assert winner.sofa is cas.view().sofa


def test_data_that_is_not_text_has_one_sofa() -> None:
    cas = Cas()
    view = cas.create_view("sound", None, mime="audio/wav", array=ByteArray(b"\x00"))
    with pytest.raises(AttributeError):
        view.sofa = Sofa("sound")  # type: ignore[misc]
    with pytest.raises(CasError, match="has a view sound already"):
        cas.create_view("sound", None, uri="file:/x.wav")


def test_annotations_can_be_added_from_a_generator_that_looks_at_the_index(cas: Cas) -> None:
    def made() -> Iterator[Phi]:
        for i in range(30):
            assert len(cas.select(Phi)) == len(cas.select(Annotation)) - 1 == i
            yield Phi(29 - i, 30, kind=PhiKind.ID)

    cas.add(Chunk(0, 30, tag="NP"))
    cas.view().add_all(made())
    assert [a.begin for a in cas.select(Phi)] == list(range(30))
    assert [a.begin for a in cas.select(Annotation)] == [0, *range(30)]


def test_a_removal_after_many_adds_leaves_equal_spans_in_order_of_type(cas: Cas) -> None:
    view, spans = cas.view(), range(20)
    view.add_all([Phi(0, 4, kind=PhiKind.ID), Chunk(0, 4, tag="NP")])
    assert [type(a) for a in view.select(Annotation)] == [Chunk, Phi]
    phis, chunks = [Phi(0, 4, kind=PhiKind.ID) for _ in spans], [Chunk(0, 4, tag="VP") for _ in spans]
    view.add_all([*phis, *chunks])
    view.remove(phis[3])
    assert [type(a) for a in view.select(Annotation)] == [Chunk] * 21 + [Phi] * 20


def test_an_add_before_each_select_does_not_sort_all_annotations_again(monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[str] = []

    def counted(name: str) -> None:
        method = getattr(Index, name)

        def counting(self: Any, given: Any) -> Any:
            passes.append(name)
            return method(self, given)

        monkeypatch.setattr(Index, name, counting)

    for name in ("_sort", "_keep"):  # the two methods that look at every annotation
        counted(name)
    cas = Cas("x" * 50_000)
    view = cas.view()
    view.add_all([Chunk(i * 5, i * 5 + 4, tag="NP") for i in range(10_000)])
    view.add(Phi(0, 5, kind=PhiKind.ID))
    assert [len(view.select(t, covered_by=(0, 10))) for t in (Chunk, Annotation)] == [2, 3]
    assert "_sort" in passes
    passes.clear()
    for i in range(100):
        added = view.add(Chunk(i * 500, i * 500 + 4, tag="VP"))
        assert added in view.select(Chunk, covered_by=(i * 500, i * 500 + 4))
        assert added in view.select(Annotation, covered_by=(i * 500, i * 500 + 4))
        view.remove(view.select(Chunk, covered_by=(i * 500 + 5, i * 500 + 9))[0])
    assert not passes
