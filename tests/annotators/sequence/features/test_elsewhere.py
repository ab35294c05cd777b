"""The labels that a word's other lines have."""

from __future__ import annotations

import time
from bisect import bisect_left
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.sequence.features.elsewhere import MOST, Elsewhere
from caspipe.annotators.sequence.features.layout import LineHead


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


def naive(feature: Elsewhere, words: Any) -> list[Any]:
    """Return the values as the definition states them: for each word, look at all lines of all its labels."""
    breaks = [i for i, c in enumerate(words.view.text) if c in "\n\r"]
    lines = [bisect_left(breaks, begin) for begin in words.begins]
    heads, column = LineHead().column(words), []
    eligible = [len(f) >= feature.shortest and (f[0].isupper() or f[0].isdecimal()) for f in words.forms]
    for i, lower in enumerate(words.lowers):
        same = [j for j, other in enumerate(words.lowers) if other == lower and eligible[j] and heads[j]]
        values = dict.fromkeys(heads[j] for j in same)
        others = [v for v in values if any(heads[j] == v and lines[j] != lines[i] for j in same)]
        column.append((tuple(others[:MOST]) or None) if eligible[i] else None)
    return column


@given(
    st.lists(
        st.sampled_from([*"abcdAB", "Ann", "ann", "ANN", "Eve", "28", ": ", ":", " ", "\n", "\r\n", "\x0b", ", "]),
        max_size=60,
    )
)
def test_values_are_those_of_the_definition(words: Any, pieces: list[str]) -> None:
    made = words("".join(pieces))
    assert [*Elsewhere().column(made)] == naive(Elsewhere(), made)


def test_time_is_proportional_to_the_length(words: Any) -> None:
    def seconds(labels: int, line_break: str) -> float:
        made = words(line_break.join(f"f{_letters(i)}: Ann" for i in range(labels)))
        began = time.process_time()
        Elsewhere().column(made)
        return time.process_time() - began

    for line_break in "\n", "\x0b":
        short = min(seconds(1_000, line_break) for _ in range(3))
        assert seconds(8_000, line_break) < 24 * short + 0.05


def _letters(n: int) -> str:
    return "".join("abcdefghij"[int(digit)] for digit in str(n))
