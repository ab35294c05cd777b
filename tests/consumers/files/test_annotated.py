"""Whose annotations are written, under which labels, and what becomes of overlaps."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from caspipe.consumers.corpora.colors import label_color
from caspipe.consumers.corpora.doccano import DoccanoConsumer
from caspipe.consumers.files.annotated import Span, disjoint
from caspipe.pipeline.errors import ComponentError
from caspipe.typesystem import GOLD_VIEW, Cas, CasError, Phi, PhiKind, SpanAttribute

from round_trips import KINDS, document  # isort: skip

Make = Callable[..., Cas]


def test_reference_goes_before_what_was_found_unless_told_otherwise(make: Make) -> None:
    cas = make()
    found = [s.label for s in DoccanoConsumer(carriage_returns="blank").annotated(cas).spans]
    assert found == ["PERSON_DOCTOR", "DATE", "AGE"]
    gold = cas.create_view(GOLD_VIEW, cas.text)
    phi = gold.add(Phi(0, 3, kind=PhiKind.OTHER))
    gold.add(SpanAttribute(of=phi, name="sure", value="no"))
    ((span,),) = (DoccanoConsumer(carriage_returns="blank").annotated(cas).spans,)
    assert (span.label, span.attributes) == ("OTHER", (("sure", "no"),))
    assert [
        s.label for s in DoccanoConsumer(carriage_returns="blank", annotations="found").annotated(cas).spans
    ] == found
    text, spans = DoccanoConsumer(carriage_returns="blank", annotations="masked").annotated(cas)
    assert text.startswith("Dr. [PERSON] saw her on [DATE], aged 41.")
    assert [(text[s.begin : s.end], s.label) for s in spans] == [("[PERSON]", "PERSON_DOCTOR"), ("[DATE]", "DATE")]


def test_a_document_that_lacks_what_is_to_be_written_is_refused(make: Make) -> None:
    with pytest.raises(ComponentError, match="expected a view deidentified, found none"):
        DoccanoConsumer(annotations="masked").annotated(make(mask=False))
    with pytest.raises(CasError, match="has no view gold"):
        DoccanoConsumer(annotations="gold").annotated(make())


def test_labels_are_those_of_the_scheme_for_kinds_of_your_own_too() -> None:
    consumer = DoccanoConsumer(scheme="i2b2-2014-sub")
    own = PhiKind.define("ID_LOCKER", parent="ID")
    assert (consumer.label(own), DoccanoConsumer().label(own)) == ("IDNUM", "ID_LOCKER")
    assert consumer.label(PhiKind.DATE_BIRTH) == "DATE"
    with pytest.raises(CasError, match="kind PROFESSION has no label in scheme i2b2-2006"):
        DoccanoConsumer(scheme="i2b2-2006").label(PhiKind.PROFESSION)
    with pytest.raises(ValueError, match="scheme: no scheme called 'x'"):
        DoccanoConsumer(scheme="x")


def spans_of(*bounds: tuple[int, int]) -> list[Span]:
    cas = document("x" * 20, [(b, e, KINDS[0]) for b, e in bounds])
    return DoccanoConsumer().annotated(cas).spans


def test_overlaps_are_refused_settled_or_kept() -> None:
    spans = spans_of((0, 4), (2, 9), (5, 6), (9, 12))
    with pytest.raises(CasError, match=r"^spans 0:4 and 2:9 overlap; `overlaps` can say which to keep$"):
        disjoint(spans, "error")
    assert [(s.begin, s.end) for s in disjoint(spans, "longest")] == [(2, 9), (9, 12)]
    assert len(disjoint(spans, "keep")) == 4
    assert [(s.begin, s.end) for s in disjoint(spans_of((5, 6), (0, 5)), "error")] == [(0, 5), (5, 6)]


def test_a_span_inside_a_long_one_is_seen_behind_others() -> None:
    with pytest.raises(CasError, match="spans 0:12 and 5:6 overlap"):
        disjoint(spans_of((0, 12), (5, 6)), "error")


def test_labels_of_one_top_kind_share_their_colour() -> None:
    assert (
        label_color("PERSON_PATIENT")
        == label_color("PERSON")
        == label_color("NOMBRE_SUJETO_ASISTENCIA", "meddocan")
        != label_color("DATE")
    )
    assert label_color("FAX") == label_color("PHONE") != label_color("nobody's") == label_color("OTHER")
