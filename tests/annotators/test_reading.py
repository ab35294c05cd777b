"""The text as the rules read it: the same length, blanks and wrapped lines as spaces, digits of a scan as digits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.reading import as_read

LONG = "The patient came to the clinic by bus and was seen on"


@given(st.text(alphabet="ab 1\n\r\u2009\u202f\u3000lO/-,.", max_size=120))
def test_offsets_stay_those_of_the_text(text: str) -> None:
    assert len(as_read(text)) == len(text)


@pytest.mark.parametrize("blank", ["\xa0", "\u2009", "\u202f", "\u3000", "\u2007", "\ufeff"])
def test_every_blank_is_a_space(blank: str) -> None:
    assert as_read(f"3{blank}March") == "3 March"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (f"{LONG}\n3/4 for a rash", f"{LONG} 3/4 for a rash"),
        (f"{LONG}\r\n3/4 for a rash", f"{LONG}  3/4 for a rash"),
        (f"{LONG} the ward\nby the team", f"{LONG} the ward by the team"),
    ],
)
def test_a_line_wrapped_inside_a_sentence_is_joined(text: str, read: str) -> None:
    assert as_read(text) == read


@pytest.mark.parametrize(
    "text",
    [
        "Pain on\n3/4 of the days",  # a short line is not wrapped
        f"{LONG}.\nby the team",
        f"{LONG}\nBy the team",
        f"{LONG}\n\nby the team",
        f"{LONG} the ward\n3/4: fever",  # a list
    ],
)
def test_other_line_breaks_stay(text: str) -> None:
    assert as_read(text) == text


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("O9/l4/25", "09/14/25"),
        ("l2-O2-l96O", "12-02-1960"),
        ("2O25-O1-17", "2025-01-17"),
        ("l6/lO", "16/10"),
        ("in 2O19", "in 2019"),
    ],
)
def test_letters_of_a_scan_are_digits_in_a_date(text: str, read: str) -> None:
    assert as_read(text) == read


@pytest.mark.parametrize("text", ["O2 sat 94%", "10^9/l", "IL-6", "CO2 12/14", "Il Lido", "l/O", "lO-l2", "K2O"])
def test_letters_elsewhere_stay(text: str) -> None:
    assert as_read(text) == text
