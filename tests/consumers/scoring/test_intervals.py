"""Times between dates: what masked text still tells, in the notations that our operators write."""

from __future__ import annotations

import datetime
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.consumers.scoring.intervals import Day, Moved, intervals, moved, read_value

MARCH_4 = datetime.date(2020, 3, 4).toordinal()


def day(number: int) -> Day:
    return Day("day", number)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2020-03-04", [day(MARCH_4)]),
        ("2020-03-04T10:30", [day(MARCH_4)]),
        ("2020-03", [Day("month", 12 * 2020 + 3)]),
        ("2020", [Day("year", 2020)]),
        ("2020-03-04/2020-03-06", [day(MARCH_4), day(MARCH_4 + 2)]),
        ("XXXX-03-04", []),
        ("2020-03-04/..", []),
        ("2020-02-30", []),
        ("2020-13", []),
        ("201X", []),
        ("", []),
    ],
    ids=itertools.count(),
)
def test_values_are_read_only_where_all_of_them_is_known(value: str, expected: list[Day]) -> None:
    assert read_value(value) == expected


@pytest.mark.parametrize(
    ("original", "value", "masked", "by"),
    [
        ("March 4, 2020", "2020-03-04", "14 Mar 2020", 10),
        ("March 4, 2020", "2020-03-04", "March 14th, 2020", 10),
        ("March 4, 2020", "2020-03-04", "[14 MARCH 2020]", 10),
        ("March 4, 2020", "2020-03-04", "Sat 14 Mar 2020", 10),
        ("March 4, 2020", "2020-03-04", "2020-03-14", 10),
        ("March 4, 2020", "2020-03-04", "2020-03-14T10:30", 10),
        ("March 4, 2020", "2020-03-04", "March 4, 2020", 0),
        ("3/4/2020", "2020-03-04", "3/14/2020", 10),
        ("4.3.2020", "2020-03-04", "14.3.2020", 10),
        ("04-03-20", "2020-03-04", "14-03-20", 10),
        ("2020/03/04", "2020-03-04", "2020/03/14", 10),
        ("March 2020", "2020-03", "May 2020", 2),
        ("March 2020", "2020-03", "2021-03", 12),
        ("2020", "2020", "2017", -3),
    ],
    ids=itertools.count(),
)
def test_a_shifted_date_is_read_back(original: str, value: str, masked: str, by: int) -> None:
    ((before, after),) = moved(original, value, masked)
    assert after == (before.resolution, before.number + by)


@pytest.mark.parametrize(
    "masked",
    ["[DATE]", "", "Mar 2020", "2020", "14 Xyz 2020", "31 Feb 2020", "13/14/2020", "14 Mar 2020 to 16 Mar 2020"],
)
def test_what_is_no_date_of_the_same_resolution_is_lost(masked: str) -> None:
    assert moved("3/4/2020", "2020-03-04", masked) == [Moved(day(MARCH_4), None)]


def test_numbers_are_not_read_where_the_original_has_two_orders() -> None:
    assert moved("4/4/2020", "2020-04-04", "5/6/2020")[0].masked is None
    assert moved("4/4/2020", "2020-04-04", "5/5/2020")[0].masked == day(datetime.date(2020, 5, 5).toordinal())


def test_distances_from_a_reference_date_keep_intervals() -> None:
    dates = moved("3/4/2020", "2020-03-04", "[DAY 0]") + moved("March 14", "2020-03-14", "[DAY 10]")
    assert intervals(dates) == (1, 1)


def test_an_interval_is_two_dates() -> None:
    dates = moved("4-6 March 2020", "2020-03-04/2020-03-06", "14 Apr 2019 to 16 Apr 2019")
    assert [m.masked and m.masked.number - m.original.number for m in dates] == [-325, -325]
    assert intervals(dates) == (1, 1)


def test_pairs_are_of_one_resolution_and_of_different_dates() -> None:
    month, year = Day("month", 24243), Day("year", 2020)
    dates = [Moved(d, d) for d in (day(1), day(1), day(5), month, year, Day("year", 2021))]
    assert intervals(dates) == (2, 2)


def test_a_date_that_moved_two_ways_keeps_no_interval() -> None:
    dates = [Moved(day(1), day(11)), Moved(day(1), day(12)), Moved(day(5), day(15)), Moved(day(9), day(19))]
    assert intervals(dates) == (1, 3)


def test_a_lost_mention_does_not_harm_one_that_is_left() -> None:
    assert intervals([Moved(day(1), None), Moved(day(1), day(11)), Moved(day(5), day(15))]) == (1, 1)


@given(st.sets(st.integers(1, 9999), max_size=12), st.integers(-365, 365))
def test_dates_that_move_together_keep_every_interval(days: set[int], by: int) -> None:
    pairs = len(days) * (len(days) - 1) // 2
    assert intervals(Moved(day(d), day(d + by)) for d in sorted(days)) == (pairs, pairs)
    assert intervals(Moved(day(d), None) for d in sorted(days)) == (0, pairs)
