"""Replacing spans and finding every offset again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.typesystem import OffsetMap, Replacement, replace_spans


@st.composite
def replacements(draw: st.DrawFn) -> tuple[str, list[Replacement]]:
    text = draw(st.text(max_size=30))
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
    return text, [Replacement(b, e, draw(st.text(max_size=5))) for b, e in pairs]


@given(replacements())
def test_text_outside_replacements_stays_and_maps_exactly(case: tuple[str, list[Replacement]]) -> None:
    text, changes = case
    new, offsets = replace_spans(text, changes)
    assert [new[nb:ne] for _, _, nb, ne in offsets.segments()] == [r.text for r in changes]
    covered = {i for r in changes for i in range(r.begin, r.end)}
    for i in range(len(text)):
        if i not in covered:
            begin, end = offsets.to_new(i, i + 1)
            assert new[begin:end] == text[i]
            assert offsets.to_old(begin, end) == (i, i + 1)


@given(replacements())
def test_a_replaced_span_maps_to_its_whole_replacement_and_back(case: tuple[str, list[Replacement]]) -> None:
    text, changes = case
    new, offsets = replace_spans(text, changes)
    for r, (ob, oe, nb, ne) in zip(changes, offsets.segments(), strict=True):
        assert (r.begin, r.end) == (ob, oe)
        assert offsets.to_new(ob, oe) == (nb, ne)
        if ne > nb:
            assert offsets.to_old(nb, ne) == (ob, oe)
    assert offsets.to_new(0, len(text)) == (0, len(new))


def test_a_span_inside_a_replacement_snaps_to_all_of_it() -> None:
    new, offsets = replace_spans("Seen by Smith today", [Replacement(8, 13, "[NAME]")])
    assert new == "Seen by [NAME] today"
    assert offsets.to_new(9, 11) == (8, 14)
    assert offsets.to_new(5, 10) == (5, 14)
    assert offsets.to_old(10, 12) == (8, 13)


def test_overlapping_or_unsorted_replacements_are_refused() -> None:
    with pytest.raises(ValueError, match="replacements must be sorted and disjoint: 2:4 follows an end at 3"):
        OffsetMap([(0, 3, 1), (2, 4, 1)])
    with pytest.raises(ValueError, match="sorted and disjoint"):
        replace_spans("abc", [Replacement(2, 3, ""), Replacement(0, 1, "")])
