"""Structured fields of records: in the form that maskers understand, or empty."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.readers.tables.csv import CsvReader
from caspipe.readers.tables.json_records import JsonlReader
from caspipe.readers.tables.values import normal_field
from caspipe.typesystem import PhiKind, RecordField


@pytest.mark.parametrize(
    ("order", "written", "iso"),
    [
        ("YMD", "2020-03-04", "2020-03-04"),
        ("YMD", "2020/3/4", "2020-03-04"),
        ("YMD", "20200304", "2020-03-04"),
        ("YMD", "202003041530", "2020-03-04"),
        ("YMD", "2020-03-04T10:15:00+01:00", "2020-03-04"),
        ("YMD", " 2020-03-04 10:15 ", "2020-03-04"),
        ("YMD", "2020-03", "2020-03"),
        ("YMD", "2020", "2020"),
        ("MDY", "3/4/2020", "2020-03-04"),
        ("MDY", "12/31/1999 23:59", "1999-12-31"),
        ("DMY", "3.4.2020", "2020-04-03"),
        ("YMD", "3/4/2020", ""),
        ("MDY", "2020-03-04", ""),
        ("MDY", "13/4/2020", ""),
        ("DMY", "30.2.2020", ""),
        ("YMD", "2020-02-30", ""),
        ("YMD", "0000-01-01", ""),
        ("YMD", "about 2020", ""),
        ("YMD", "2020-03-04 or so", ""),
        ("YMD", "14-APR-1960", "1960-04-14"),
        ("MDY", "April 14, 1960", "1960-04-14"),
        ("DMY", "Thu Apr 14 00:00:00 EST 1960", "1960-04-14"),
        ("YMD", "Apr 14 1960 12:00AM", "1960-04-14"),
        ("YMD", "14APR1960:10:30:00", "1960-04-14"),
        ("YMD", "Apr 1960", "1960-04"),
        ("YMD", "14-APR-60", ""),
        ("YMD", "31 April 2020", ""),
        ("YMD", "April 14", ""),
        ("YMD", "Sat 2004", ""),
        ("YMD", "10 Sat 2004", ""),
        ("YMD", "4-5 May 2004", ""),
        ("YMD", "May 2004 2005", ""),
        ("YMD", "see May 2004", ""),
        ("YMD", "4 May 2004 10:30 SMITH", "2004-05-04"),
    ],
)
def test_dates_are_read_in_the_order_that_was_told(order: Literal["YMD", "MDY", "DMY"], written: str, iso: str) -> None:
    assert normal_field(PhiKind.DATE_BIRTH, written, order) == iso


@pytest.mark.parametrize(
    ("written", "age"),
    [("64", "64 years"), ("64.5", "64 years"), ("5 Months", "5 months"), ("92 y", "92 years"), ("old", "")],
)
def test_ages_get_their_unit(written: str, age: str) -> None:
    assert normal_field(PhiKind.AGE, written) == age


@given(st.dates())
def test_every_day_is_read(day: object) -> None:
    assert normal_field(PhiKind.DATE, str(day)) == str(day)


@given(st.text(max_size=20))
def test_what_is_no_date_is_empty_or_iso(text: str) -> None:
    made = normal_field(PhiKind.DATE, text)
    assert made == "" or made[:4].isdigit()


def test_fields_go_with_every_text_and_nothing_else_does(tmp_path: Path) -> None:
    record = {
        "id": "a",
        "text": "one",
        "more": "two",
        "begun": "2020-03-04",
        "ward": {"name": "W3"},
        "none": None,
        "secret": "x",
    }
    (tmp_path / "a.jsonl").write_text(json.dumps(record) + "\n")
    kinds = {"begun": PhiKind.DATE, "ward.name": PhiKind.LOCATION_DEPARTMENT, "none": PhiKind.DATE}
    reader = JsonlReader(folder=tmp_path, text_field=["text", "more"], structured=kinds)
    one, two = reader
    for cas in (one, two):
        told = [(f.kind.name, f.path, f.value, f.operator) for f in cas.select(RecordField)]
        assert told == [
            ("DATE", "field:begun", "2020-03-04", ""),
            ("LOCATION_DEPARTMENT", "field:ward.name", "W3", ""),
        ]
        assert "begun" not in cas.metadata


def test_a_field_is_not_masked_and_carried_along_at_once(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match=r"^structured: begun is masked here but copied unmasked by metadata or text_field$"
    ):
        CsvReader(folder=tmp_path, metadata={"start": "begun"}, structured={"begun": PhiKind.DATE})
