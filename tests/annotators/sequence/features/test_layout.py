"""Lines, labels of fields, and blanks."""

from __future__ import annotations

from typing import Any

import pytest

from caspipe.annotators.sequence.features.layout import BlankBefore, Field, LineHead, LinePosition, head, lines


def test_lines_end_at_every_break_and_empty_ones_do_not_count() -> None:
    text = "a\r\n\r\nb\x85c\u2028\n"
    assert [text[b:e] for b, e in lines(text)] == ["a", "b", "c"]
    assert list(lines("")) == []


def test_the_head_of_a_line_is_the_value_for_what_follows_it(column: Any) -> None:
    assert column(LineHead(), "Nombre: Ana\nseen by Ana") == [("Nombre", ""), (":", ""), ("Ana", "nombre")]
    two = "Date of Birth : 3 May: noon\nName： Ana"
    assert column(LineHead(), two)[4:] == [
        ("3", "date of birth"),
        ("May", "date of birth"),
        (":", "date of birth"),
        ("noon", "date of birth"),
        ("Name", ""),
        ("：", ""),
        ("Ana", "name"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "no colon here",
        "at 10:30 he left",
        "http://example.org is a page",
        ": nothing before it",
        "12: no letter before it",
        "this line is running text and much too long to be a label: really",
        "line\n: next",
    ],
)
def test_what_is_no_label_gives_no_head(column: Any, text: str) -> None:
    assert column(LineHead(), text) == []


def test_a_time_in_a_line_does_not_hide_its_head(column: Any) -> None:
    assert column(LineHead(), "10:30 Nurse: Ana")[-1] == ("Ana", "00:00 nurse")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Visit 12", "visit 00"),
        ("- Name", "name"),
        ("DATE   OF\tBIRTH ", "date of birth"),
        ("12.3", ""),
        ("", ""),
        ("•", ""),
    ],
)
def test_labels_are_in_lower_case_without_bullets_and_numbers(text: str, value: str) -> None:
    assert head(text) == value


def test_the_longest_label_is_a_parameter(column: Any) -> None:
    assert column(LineHead(longest=4), "Name: a") != []
    assert column(LineHead(longest=3), "Name: a") == []
    assert (LineHead().label, LineHead(longest=9).label) == ("line_head", "line_head:9")
    for longest in (0, 65):
        with pytest.raises(ValueError) as told:
            LineHead(longest=longest)
        assert str(told.value) == f"longest: expected a whole number from 1 to 64, got {longest}"


def test_a_line_with_several_fields(column: Any) -> None:
    assert column(Field(), "Médico: Ana Ruiz NºCol: 28\n30 at 10:30") == [
        ("Médico", ""),
        (":", ""),
        ("Ana", "médico"),
        ("Ruiz", "médico"),
        ("NºCol", ""),
        (":", ""),
        ("28", "nºcol"),
    ]


@pytest.mark.parametrize("text", [":", "a", "12: b", "a\n: b", ": a", "x://y"])
def test_what_is_no_field(column: Any, text: str) -> None:
    assert column(Field(), text) == []


def test_fields_without_content_and_fields_in_a_row(column: Any) -> None:
    assert column(Field(), "a: b: c") == [("a", ""), (":", ""), ("b", ""), (":", ""), ("c", "b")]
    assert column(Field(), "a:\nb: c") == [("a", ""), (":", ""), ("b", ""), (":", ""), ("c", "b")]


def test_places_in_a_line(column: Any) -> None:
    assert column(LinePosition(), "a b c d e\nf\n\n g") == [
        ("a", "1"),
        ("b", "2"),
        ("c", "3"),
        ("e", "last"),
        ("f", ("1", "last")),
        ("g", ("1", "last")),
    ]
    assert column(LinePosition(cap=1), "a b c") == [("a", "1"), ("c", "last")]
    assert (LinePosition().label, LinePosition(cap=1).label) == ("line_position", "line_position:1")
    with pytest.raises(ValueError, match=r"^cap: expected a whole number from 1 to 99, got 0$"):
        LinePosition(cap=0)


def test_what_stands_before_a_token(column: Any) -> None:
    assert column(BlankBefore(), "a b. c  d\te\nf\r\ng\n \nh\u00a0i") == [
        ("a", "start"),
        (".", "joined"),
        ("d", "wide"),
        ("e", "wide"),
        ("f", "line"),
        ("g", "line"),
        ("h", "paragraph"),
    ]
    assert column(BlankBefore(), "") == []
