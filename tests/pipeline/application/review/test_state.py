"""What a decision changes: bounds, overlaps, and that everything can be taken back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.pipeline.application.review import state
from caspipe.pipeline.application.review.state import (
    ACCEPTED,
    LIVE,
    OPEN,
    REJECTED,
    SUGGESTED,
    ReviewError,
    Span,
    SpanTable,
)

pytestmark = pytest.mark.server

TEXT = "Ana Ruiz saw 😀 Tom Berg, 44, in Lund.  End"


def table(*spans: Span, text: str = TEXT) -> SpanTable:
    return SpanTable(text, {f"p{n}": s for n, s in enumerate(spans)})


def shown(made: SpanTable) -> list[tuple[str, str, str]]:
    return [(made.text[s.begin : s.end], s.kind, s.status) for s in sorted(made.spans.values())]


def test_a_span_that_is_accepted_takes_its_ground_and_the_other_keeps_the_rest() -> None:
    made = table(Span(15, 28, "PERSON", OPEN), Span(25, 37, "LOCATION", SUGGESTED))
    made.apply(state.accept(made, "p1"))
    assert shown(made) == [("Tom Berg", "PERSON", OPEN), ("44, in Lund.", "LOCATION", ACCEPTED)]


def test_a_span_inside_another_cuts_it_in_two() -> None:
    made = table(Span(15, 37, "PERSON", ACCEPTED))
    made.apply(state.add(made, 25, 27, "AGE"))
    assert shown(made) == [("Tom Berg", "PERSON", ACCEPTED), ("44", "AGE", ACCEPTED), ("in Lund.", "PERSON", ACCEPTED)]


def test_a_span_under_a_new_one_is_rejected() -> None:
    made = table(Span(15, 18, "PERSON", OPEN))
    made.apply(state.add(made, 15, 23, "PERSON"))
    assert shown(made) == [("Tom", "PERSON", REJECTED), ("Tom Berg", "PERSON", ACCEPTED)]


def test_a_rest_of_punctuation_is_let_go() -> None:
    made = table(Span(15, 25, "PERSON", OPEN))
    made.apply(state.add(made, 15, 23, "ID"))
    assert [s for s in shown(made) if s[2] in LIVE] == [("Tom Berg", "ID", ACCEPTED)]


def test_a_span_with_the_same_bounds_gets_the_kind() -> None:
    made = table(Span(15, 23, "PERSON", OPEN))
    made.apply(state.add(made, 15, 23, "ID"))
    assert shown(made) == [("Tom Berg", "ID", ACCEPTED)]


def test_blanks_at_the_ends_are_left_out() -> None:
    made = table()
    made.apply(state.add(made, 23, 29, "AGE"))
    assert shown(made) == [(", 44,", "AGE", ACCEPTED)]


@pytest.mark.parametrize(("begin", "end"), [(-1, 3), (5, 5), (7, 3), (0, 999)])
def test_bounds_outside_the_text_are_refused(begin: int, end: int) -> None:
    with pytest.raises(ReviewError, match=rf"^{begin}:{end} is not a span of the text \(0:{len(TEXT)}\)$"):
        state.add(table(), begin, end, "DATE")


def test_a_span_of_blanks_is_refused() -> None:
    with pytest.raises(ReviewError, match=r"^a span must not consist of white space alone$"):
        state.add(table(), TEXT.index("  "), TEXT.index("  ") + 2, "DATE")


def test_an_unknown_span_is_refused() -> None:
    with pytest.raises(ReviewError, match=r"^this document has no such span; it may have been undone$"):
        state.accept(table(), "p9")


def test_what_a_new_run_finds_steps_back_where_something_was_decided() -> None:
    made = table(Span(0, 8, "PERSON", OPEN), Span(4, 8, "PERSON", OPEN))
    made.base = {"p0": Span(0, 8, "PERSON", OPEN)}
    made.own["a1"] = Span(4, 12, "ID", ACCEPTED)
    made.suggest_overridden()
    assert made.spans["p0"].status == SUGGESTED


KINDS = ("PERSON", "DATE", "ID")
TEXTS = st.text(st.sampled_from("ab 1,\n😀𝔞é"), min_size=1, max_size=40)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["accept", "reject", "rename", "move", "add", "open"]),
        st.integers(0, 9),
        st.integers(0, 40),
        st.integers(0, 40),
        st.sampled_from(KINDS),
    ),
    max_size=12,
)


def carry_out(made: SpanTable, step: tuple[str, int, int, int, str]) -> state.Change:
    op, which, begin, end, kind = step
    ids = sorted(made.spans)
    sid = ids[which % len(ids)] if ids else ""
    calls: dict[str, Any] = {
        "accept": lambda: state.accept(made, sid),
        "reject": lambda: state.reject(made, sid),
        "rename": lambda: state.rename(made, sid, kind),
        "move": lambda: state.move(made, sid, begin, end),
        "add": lambda: state.add(made, begin, end, kind),
        "open": lambda: state.accept_open(made),
    }
    try:
        return calls[op]()  # type: ignore[no-any-return]
    except ReviewError:
        return {}


@given(TEXTS, STEPS)
def test_live_spans_never_overlap_and_lie_in_the_text(text: str, steps: list[Any]) -> None:
    made = SpanTable(text, {"p0": Span(0, 1, "PERSON", OPEN), "s0": Span(0, len(text), "DATE", SUGGESTED)})
    for step in steps:
        made.apply(carry_out(made, step))
        last = 0
        for begin, end, _ in made.live:
            assert last <= begin < end <= len(text)
            last = end


@given(TEXTS, STEPS)
def test_every_change_can_be_taken_back_and_done_again(text: str, steps: list[Any]) -> None:
    made = SpanTable(text, {"p0": Span(0, 1, "PERSON", OPEN)})
    states, back = [dict(made.own)], []
    for step in steps:
        back.append(made.apply(carry_out(made, step)))
        states.append(dict(made.own))
    again = []
    for inverse, before in zip(reversed(back), reversed(states[:-1]), strict=True):
        again.append(made.apply(inverse))
        assert made.own == before
    for inverse, after in zip(reversed(again), states[1:], strict=True):
        made.apply(inverse)
        assert made.own == after


@given(TEXTS, STEPS)
def test_adding_and_accepting_never_uncover_a_letter_or_digit(text: str, steps: list[Any]) -> None:
    made = SpanTable(text, {"p0": Span(0, len(text), "PERSON", OPEN)})
    for step in steps:
        covered = {i for b, e, _ in made.live for i in range(b, e) if text[i].isalnum()}
        if step[0] in ("accept", "add", "rename", "open"):
            made.apply(carry_out(made, step))
            now = {i for b, e, _ in made.live for i in range(b, e)}
            assert covered <= now


@pytest.mark.parametrize(
    ("bounds", "readable"),
    [
        ((0, 28), ["saw 😀", "44"]),  # between, and after the last span
        ((4, 8), []),
        ((6, 12), ["saw"]),
        ((23, 25), []),  # punctuation identifies nobody
        ((25, 37), ["44, in Lund"]),
    ],
)
def test_the_readable_parts_of_a_place_are_those_between_the_spans(
    bounds: tuple[int, int], readable: list[str]
) -> None:
    made = table(Span(0, 8, "PERSON", OPEN), Span(15, 23, "PERSON", ACCEPTED), Span(25, 27, "AGE", REJECTED))
    assert [made.text[begin:end] for begin, end in made.readable(*bounds)] == readable
