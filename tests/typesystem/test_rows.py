"""Annotations that are columns are made one after the other when they are only read."""

from __future__ import annotations

from array import array

import pytest

from caspipe.typesystem import Cas, MaskedSpan, PhiKind, Token, View
from caspipe.typesystem.typesystem import own_types
from caspipe.typesystem.xmi.collector import Collector
from caspipe.typesystem.xmi.writer import write_xmi

KINDS = [PhiKind.DATE, PhiKind.PERSON, PhiKind.DATE]


def masked(*, columns: bool) -> Cas:
    """A masked view with three replacements, as columns or as objects."""
    cas = Cas("4 May, Ann, 5 May", id="one")
    view = cas.create_view("deidentified", "[DATE], [PERSON], [DATE]")
    begins, ends, old_begins, old_ends = [0, 8, 18], [6, 16, 24], [0, 7, 12], [5, 10, 17]
    if columns:
        view.add_spans(MaskedSpan, begins, ends, "masker")
        view.set_feature(MaskedSpan, "kind", KINDS)
        view.set_feature(MaskedSpan, "operator", ["placeholder"] * 3)
        view.set_feature(MaskedSpan, "original_begin", array("q", old_begins))  # type: ignore[arg-type]
        view.set_feature(MaskedSpan, "original_end", array("q", old_ends))  # type: ignore[arg-type]
        view.set_feature(MaskedSpan, "fallback", ["", "no key", ""])
        return cas
    for n, kind in enumerate(KINDS):
        span = MaskedSpan(
            begins[n],
            ends[n],
            kind=kind,
            operator="placeholder",
            original_begin=old_begins[n],
            original_end=old_ends[n],
            fallback="no key" if n == 1 else "",
        )
        view.add(span.set_source("masker"))
    return cas


def values(spans: object) -> list[tuple[object, ...]]:
    return [
        (s.begin, s.end, s.kind, s.operator, s.original_begin, s.original_end, s.fallback, s.source, s.sofa)
        for s in spans  # type: ignore[attr-defined]
    ]


def view_of(cas: Cas) -> View:
    return cas.view("deidentified")


def test_rows_have_the_values_of_the_objects() -> None:
    view = view_of(masked(columns=True))
    rows = view.rows(MaskedSpan)
    assert len(rows) == 3 and values(rows) == values(rows[:]) == values([rows[0], rows[1], rows[-1]])
    assert values(view.select(MaskedSpan)) == values(rows)
    assert view.rows(MaskedSpan) is view.indexes.of(MaskedSpan).items  # objects from then on


def test_a_row_outside_is_an_index_error() -> None:
    rows = view_of(masked(columns=True)).rows(MaskedSpan)
    for outside in (3, -4):
        with pytest.raises(IndexError):
            rows[outside]


def test_reading_rows_leaves_the_columns() -> None:
    view = view_of(masked(columns=True))
    assert [s.begin for s in view.rows(MaskedSpan)] == [0, 8, 18]
    assert not isinstance(view.rows(MaskedSpan), list)


def test_columns_and_objects_have_the_same_xmi() -> None:
    cas = masked(columns=True)
    assert write_xmi(cas) == write_xmi(masked(columns=False))
    assert not isinstance(view_of(cas).rows(MaskedSpan), list)


def test_annotations_without_columns_are_the_objects() -> None:
    cas = Cas("a b")
    token = cas.add(Token(0, 1))
    assert cas.view().rows(Token)[0] is token


@pytest.mark.attack("cost")
def test_ids_are_looked_up_only_for_types_that_something_refers_to() -> None:
    cas = masked(columns=False)
    for begin in (0, 2, 4):
        cas.add(Token(begin, begin + 1))
    graph = Collector(cas, own_types(), every_id=False).collect()
    assert not graph.number  # nothing refers to a token or a masked span
