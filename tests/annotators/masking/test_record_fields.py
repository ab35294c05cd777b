"""The structured values of a record: what the masker decides about them, and that their dates go with those of the text."""

from __future__ import annotations

import datetime
import warnings
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from overlap_cases import made

from caspipe.annotators.masking.masker import Masker
from caspipe.annotators.masking.operator import MissingKeyWarning
from caspipe.typesystem import Cas, Phi, PhiKind, RecordField

SHIFT = {"shift": {"key": "k", "style": "iso"}}


def decided(
    masker: dict[str, Any], *values: tuple[str, str], text: str = "", **metadata: str
) -> list[tuple[str | None, str]]:
    """(masked, operator) of each (kind, value); `text` is one date, or empty."""
    cas = Cas(text, id="document")
    cas.metadata.update(metadata)
    if text:
        cas.add(Phi(0, len(text), kind=PhiKind.DATE))
    for number, (kind, value) in enumerate(values):
        cas.add(RecordField(kind=PhiKind.of(kind), path=f"/{number}", value=value))
    made(Masker, masker).process(cas)
    found = {f.path: (f.masked, f.operator) for f in cas.select(RecordField)}
    return [*(found[f"/{n}"] for n in range(len(values))), *([(cas.deidentified, "text")] if text else [])]


@given(st.dates(datetime.date(1900, 1, 1), datetime.date(2100, 1, 1)), st.sampled_from(["a", "b", "c"]))
def test_dates_move_as_the_dates_of_the_text_do(day: datetime.date, patient: str) -> None:
    iso = day.isoformat()
    field, text = decided({"DATE": SHIFT}, ("DATE", iso), text=iso, patient_id=patient)
    assert field == (text[0], "shift")
    assert field[0] != iso


def test_every_kind_of_date_moves_by_one_offset_and_keeps_its_precision() -> None:
    found = decided(
        {"DATE": SHIFT},
        ("DATE", "2020-03-04"),
        ("DATE_BIRTH", "1961-03-12"),
        ("DATE_DEATH", "2020-03"),
        ("DATE", "2020"),
        date_shift_days="31",
    )
    assert found == [("2020-04-04", "shift"), ("1961-04-12", "shift"), ("2020-04", "shift"), ("2020", "shift")]


@pytest.mark.parametrize("value", ["", "2020-02-30", "March 2020", "20200304", "2020-13"])
def test_what_is_no_date_becomes_null(value: str) -> None:
    assert decided({"DATE": SHIFT}, ("DATE", value)) == [(None, "shift")]
    assert decided({"DATE": "year"}, ("DATE", value)) == [(None, "year")]


def test_a_date_that_would_leave_the_calendar_becomes_null() -> None:
    assert decided({"DATE": SHIFT}, ("DATE", "9999-12-31"), date_shift_days="31") == [(None, "shift")]


def test_without_a_key_dates_become_null() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MissingKeyWarning)
        found = decided({"DATE": {"shift": {}}}, ("DATE", "2020-03-04"), text="2020-03-04")
    assert found == [(None, "shift"), ("[DATE]", "text")]


def test_years_stay_unless_they_may_tell_an_age_over_89() -> None:
    values = [("DATE", "2020-03-04"), ("DATE_BIRTH", "1961-03-12"), ("DATE_BIRTH", "1930-12-31"), ("DATE", "1931")]
    assert decided({"DATE": "year"}, *values) == [("2020", "year"), ("1961", "year"), (None, "year"), ("1931", "year")]
    assert decided({"DATE": {"year": {"earliest": 1970}}}, *values)[1] == (None, "year")
    assert decided({"DATE": "year"}, ("DATE_BIRTH", "1930-12-31"), text="4 March 2020")[0] == (None, "year")


@pytest.mark.parametrize(
    ("kind", "value", "masked"),
    [
        ("AGE", "65 years", "65 years"),
        ("AGE", "89 years", "89 years"),
        ("AGE", "90 years", None),
        ("AGE_OVER_89", "92 years", None),
        ("AGE", "5 months", "5 months"),
        ("AGE", "1100 months", None),
        ("AGE", "", None),
    ],
)
def test_ages_above_the_threshold_become_null(kind: str, value: str, masked: str | None) -> None:
    assert decided({"AGE": {"age": {"threshold": 89}}}, (kind, value)) == [(masked, "age")]


def test_what_is_kept_stays() -> None:
    assert decided(
        {"DATE": "keep", "ID": "keep"}, ("DATE", "2020-03-04"), ("ID_CASE", "C-1"), ("PERSON", "Ann Lee")
    ) == [
        ("2020-03-04", "keep"),
        ("C-1", "keep"),
        (None, "placeholder"),
    ]


@pytest.mark.parametrize("operator", ["placeholder", "redact", {"pseudonym": {"key": "k"}}, "surrogate", "zip3"])
def test_operators_that_write_words_leave_null(operator: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MissingKeyWarning)
        found = decided(
            {"PERSON": operator, "LOCATION": operator}, ("PERSON_PATIENT", "Ann Lee"), ("LOCATION_ZIP", "02139")
        )
    assert [masked for masked, _ in found] == [None, None]
    assert all(name for _, name in found)


def test_the_policy_decides_what_is_masked_at_all() -> None:
    values = [
        ("LOCATION_STATE", "OH"),
        ("LOCATION_CITY", "Dunmere"),
        ("DATE", "2020-03-04"),
        ("AGE", "65 years"),
        ("AGE", "92 years"),
    ]
    assert decided({"DATE": SHIFT, "policy": "hipaa-safe-harbor"}, *values, date_shift_days="31") == [
        ("OH", "keep"),
        (None, "placeholder"),
        ("2020-04-04", "shift"),
        ("65 years", "age"),
        (None, "age"),
    ]
    own = {"policy": {"keep": ["LOCATION"], "mask": ["LOCATION_CITY"]}}
    assert decided(own, *values[:2]) == [("OH", "keep"), (None, "placeholder")]


def test_running_again_decides_again() -> None:
    cas = Cas("", id="document")
    field = cas.add(RecordField(kind=PhiKind.DATE, path="/", value="2020-03-04"))
    made(Masker, {"DATE": "keep"}).process(cas)
    made(Masker, {"DATE": "placeholder"}).process(cas)
    assert (field.masked, field.operator) == (None, "placeholder")


def row(text: str, **fields: tuple[str, str]) -> dict[str, str | None]:
    """Masked fields of a table's row by name; the text is one date, or empty."""
    cas = Cas(text, id="row")
    cas.metadata["date_shift_days"] = "31"
    if text:
        cas.add(Phi(0, len(text), kind=PhiKind.DATE))
    for name, (kind, value) in fields.items():
        cas.add(RecordField(kind=PhiKind.of(kind), path=f"field:{name}", value=value))
    made(Masker, {"DATE": SHIFT, "AGE": {"age": {"threshold": 89}}}).process(cas)
    return {f.path.removeprefix("field:"): f.masked for f in cas.select(RecordField)}


@pytest.mark.parametrize("kind", ["DATE", "DATE_BIRTH"])
@pytest.mark.parametrize("text", ["2021-05-05", ""])
def test_columns_from_which_an_age_over_89_could_be_computed_become_null(kind: str, text: str) -> None:
    seen = {} if text else {"seen": ("DATE", "2021-05-05")}
    assert row(text, born=(kind, "1930-03-04"), **seen)["born"] is None
    assert row(text, born=(kind, "1950-03-04"), **seen)["born"] == "1950-04-04"


def test_the_age_of_a_row_goes_if_its_dates_say_that_the_person_became_older() -> None:
    assert row("2010-05-05", age=("AGE", "80"), seen=("DATE", "2021-05-05"))["age"] is None
    assert row("2019-05-05", age=("AGE", "80"), seen=("DATE", "2021-05-05"))["age"] == "80"
