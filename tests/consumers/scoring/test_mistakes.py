"""What is wrong about a document, and what of it leaks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caspipe.consumers.scoring.alignment import mistakes
from caspipe.consumers.scoring.document import Mark, Pair

TEXT = "Seen by Dr. Ivy Featherstone, 12 March 2020, in Ashgrove; Parkinson's disease. "
MARKS = st.lists(
    st.builds(
        lambda begin, length, kind: Mark(begin, begin + length, kind),
        st.integers(0, 60),
        st.integers(1, 12),
        st.sampled_from(["DATE", "PERSON"]),
    ),
    max_size=6,
)


def mark(words: str, kind: str) -> Mark:
    begin = TEXT.index(words)
    return Mark(begin, begin + len(words), kind)


def pair(gold: list[Mark], system: list[Mark]) -> Pair:
    return Pair("a", TEXT, gold, system, ([], []))


def test_each_error_is_in_its_group() -> None:
    name, date, place = mark("Ivy Featherstone", "PERSON"), mark("12 March 2020", "DATE"), mark("Ashgrove", "LOCATION")
    short, wrong, false = mark("Featherstone", "PERSON"), mark("12 March 2020", "ID"), mark("Parkinson", "PERSON")
    found = mistakes(pair([name, date, place], [short, wrong, false]))
    assert [(m.group, m.gold, m.system) for m in found] == [
        ("bounds", name, short),
        ("kind", date, wrong),
        ("missed", place, None),
        ("false", None, false),
    ]
    assert [[TEXT[b:e] for b, e in m.leaked] for m in found] == [["Ivy "], [], ["Ashgrove"], []]
    assert [m.kind for m in found] == ["PERSON", "DATE", "LOCATION", "PERSON"]


def test_what_is_right_is_not_listed() -> None:
    name = mark("Ivy Featherstone", "PERSON_DOCTOR")
    assert mistakes(pair([name], [name])) == []
    assert mistakes(pair([name], [mark("Ivy Featherstone", "PERSON")]), "top") == []
    assert [m.group for m in mistakes(pair([name], [mark("Ivy Featherstone", "PERSON")]))] == ["kind"]


def test_a_blank_between_two_parts_does_not_leak() -> None:
    name = mark("Ivy Featherstone", "PERSON")
    found = mistakes(pair([name], [mark("Ivy", "PERSON"), mark("Featherstone", "PERSON")]))
    assert [(m.group, m.gold, m.leaked) for m in found] == [("bounds", name, ()), ("bounds", name, ())]


def test_one_system_span_over_two_gold_spans_is_wrong_about_both() -> None:
    name, date = mark("Featherstone", "PERSON"), mark("12 March 2020", "DATE")
    long = mark("Featherstone, 12 March 2020", "DATE")
    found = mistakes(pair([name, date], [long]))
    assert [(m.group, m.gold, m.system) for m in found] == [("bounds", date, long), ("kind", name, long)]


@given(MARKS, MARKS)
def test_every_span_without_an_equal_partner_is_listed(gold: list[Mark], system: list[Mark]) -> None:
    found = mistakes(pair(gold, system))
    spans = {(m.begin, m.end, m.kind) for m in gold} & {(m.begin, m.end, m.kind) for m in system}
    for m in gold:
        assert m in [f.gold for f in found] or (m.begin, m.end, m.kind) in spans
    for m in system:
        assert m in [f.system for f in found] or (m.begin, m.end, m.kind) in spans


@given(MARKS, MARKS)
def test_leaks_are_the_gold_letters_that_no_system_span_holds(gold: list[Mark], system: list[Mark]) -> None:
    covered = {o for m in system for o in range(m.begin, m.end)}
    open_ = {o for m in gold for o in range(m.begin, m.end) if o not in covered and TEXT[o].isalnum()}
    told = {o for f in mistakes(pair(gold, system)) for b, e in f.leaked for o in range(b, e) if TEXT[o].isalnum()}
    assert told == open_
