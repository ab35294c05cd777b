"""The labels that a word's other lines have."""

from __future__ import annotations

from typing import Any

import pytest

from caspipe.annotators.sequence.features.elsewhere import MOST, Elsewhere


def test_a_word_has_the_labels_of_its_other_lines(column: Any) -> None:
    text = "Médico: Ana Ruiz\nRemitido por: Dra. Ruiz, Calle Mayor\nRUIZ said so"
    assert column(Elsewhere(), text) == [
        ("Ruiz", ("remitido por",)),
        ("Ruiz", ("médico",)),
        ("RUIZ", ("médico", "remitido por")),
    ]


def test_the_own_line_does_not_count(column: Any) -> None:
    assert column(Elsewhere(), "Name: Ann Ann") == []
    assert column(Elsewhere(), "Name: Ann\nNurse: Eve\nName: Ann") == [("Ann", ("name",)), ("Ann", ("name",))]


def test_words_without_capital_and_short_words_are_not_looked_for(column: Any) -> None:
    assert column(Elsewhere(), "Plan: go home, 7\nHome: go 7") == []
    assert column(Elsewhere(), "Code: 28046 A\n28046 A") == [("28046", ("code",))]
    assert column(Elsewhere(shortest=1), "Code: 28046 A\n28046 A") == [("28046", ("code",)), ("A", ("code",))]


def test_there_are_never_more_labels_than_said(column: Any) -> None:
    text = "\n".join([*(f"field {chr(97 + i)}: Ann" for i in range(9)), "Ann"])
    (_, values) = column(Elsewhere(), text)[-1]
    assert values == tuple(f"field {chr(97 + i)}" for i in range(MOST))


def test_texts_without_labels_have_no_values(column: Any) -> None:
    assert column(Elsewhere(), "") == []
    assert column(Elsewhere(), "Ann saw Ann\nAnn") == []


def test_a_length_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="shortest: expected a whole number of at least 1, got 0"):
        Elsewhere(shortest=0)
