"""Partial dates: precision, ISO 8601 and EDTF."""

from __future__ import annotations

import pytest

from caspipe.annotators.dates import DateInterpretation, PartialDate


@pytest.mark.parametrize(
    ("date", "precision", "iso"),
    [
        (PartialDate(2011, 7, 19), "day", "2011-07-19"),
        (PartialDate(2013, 10), "month", "2013-10"),
        (PartialDate(2013), "year", "2013"),
        (PartialDate(month=3, day=5), "partial", "XXXX-03-05"),
        (PartialDate(day=14), "partial", "XXXX-XX-14"),
        (PartialDate(2021, season="spring"), "season", "2021-21"),
        (PartialDate(season="winter"), "season", "XXXX-24"),
        (PartialDate(decade=2010), "decade", "201X"),
        (PartialDate(weekday=4), "weekday", "Friday"),
        (PartialDate(2020, 12, 25, holiday="Christmas"), "holiday", "2020-12-25"),
        (PartialDate(holiday="Ramadan"), "holiday", "Ramadan"),
    ],
    ids=str,
)
def test_precision_and_iso(date: PartialDate, precision: str, iso: str) -> None:
    assert (date.precision, date.iso()) == (precision, iso)


def test_only_complete_days_that_exist_become_calendar_days() -> None:
    day = PartialDate(2020, 2, 29).to_date()
    assert day is not None
    assert day.isoformat() == "2020-02-29"
    assert [PartialDate(2021, 2, 29).to_date(), PartialDate(2021, 2).to_date()] == [None, None]


def test_an_interval_is_written_with_a_slash() -> None:
    assert DateInterpretation("Mon Y", PartialDate(2013, 10), PartialDate(2013, 11)).iso() == "2013-10/2013-11"
