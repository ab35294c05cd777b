"""Brackets and quotation marks."""

from __future__ import annotations

from typing import Any

import pytest

from caspipe.annotators.sequence.features.enclosure import Brackets, Quoted


def test_brackets_are_counted_with_what_they_hold(column: Any) -> None:
    assert column(Brackets(), "a ( b [ c ] ) d") == [
        ("(", "1"),
        ("b", "1"),
        ("[", "2"),
        ("c", "2"),
        ("]", "2"),
        (")", "1"),
    ]


def test_brackets_without_a_partner_do_no_harm(column: Any) -> None:
    assert column(Brackets(), ") a ) b") == []
    assert column(Brackets(), "( a . b", sentences=("( a .", "b")) == [("(", "1"), ("a", "1"), (".", "1")]


def test_deep_brackets_are_capped(column: Any) -> None:
    assert column(Brackets(deepest=2), "( [ { a } ] )")[3] == ("a", "2")
    assert (Brackets().label, Brackets(deepest=2).label) == ("brackets", "brackets:2")
    with pytest.raises(ValueError, match=r"^deepest: expected a whole number of at least 1, got 0$"):
        Brackets(deepest=0)


def test_brackets_of_other_scripts(column: Any) -> None:
    assert [v for _, v in column(Brackets(), "（ a ）")] == ["1"] * 3


@pytest.mark.parametrize("pair", ['" "', "“ ”", "” ”", "„ “", "« »", "» «", "「 」"])
def test_quotation_marks_of_any_script(column: Any, pair: str) -> None:
    left, right = pair.split()
    assert column(Quoted(), f"x {left} a b {right} y") == [(left, ""), ("a", ""), ("b", ""), (right, "")]


def test_apostrophes_open_nothing_and_sentences_begin_outside(column: Any) -> None:
    assert column(Quoted(), "it ’ s a ' b") == []
    assert column(Quoted(), '" a b', sentences=('" a', "b")) == [('"', ""), ("a", "")]
