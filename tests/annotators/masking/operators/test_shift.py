"""Shifted dates: who shares an offset, how it is drawn, and that lengths stay what they were."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from pathlib import Path

import pytest
from dateutil.relativedelta import relativedelta
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from overlap_cases import made

from caspipe.annotators.dates.interpretation import MONTHS, PartialDate
from caspipe.annotators.masking.date_arithmetic import representative_day, shift_date
from caspipe.annotators.masking.masker import Masker
from caspipe.annotators.masking.operator import KeyedHash
from caspipe.annotators.masking.operators.shift import Shift
from caspipe.pipeline import Pipeline
from caspipe.pipeline.errors import ResourceError
from caspipe.typesystem import DEIDENTIFIED_VIEW, Cas, KnownPhi, MaskedSpan, Phi, PhiKind

DATES = st.dates(datetime.date(1930, 1, 1), datetime.date(2030, 12, 31))
LAYOUTS = [
    "{m:02d}/{d:02d}/{y}",
    "{m}-{d}-{y}",
    "{d:02d}.{m:02d}.{y}",
    "{y}-{m:02d}-{d:02d}",
    "{d} {mon} {y}",
    "{d}-{abbr}-{y}",
    "{month} {d}, {y}",
    "{abbr} {d} {y}",
]


def write(date: datetime.date, layout: str) -> str:
    name = MONTHS[date.month - 1]
    return layout.format(y=date.year, m=date.month, d=date.day, mon=name, month=name, abbr=name[:3])


def shifted(dates: list[str], parameters: dict[str, object], id: str = "document", **metadata: str) -> list[str]:
    cas = Cas("\n".join(dates), id=id)
    cas.metadata.update(metadata)
    at = 0
    for text in dates:
        cas.add(Phi(at, at + len(text), kind=PhiKind.DATE))
        at += len(text) + 1
    made(Masker, {"DATE": {"shift": parameters}}).process(cas)
    return cas.deidentified.split("\n")


def offset(**given_: str) -> int:
    parameters = {"key": given_.pop("key", "k"), "style": "iso"}
    (new,) = shifted(["2010-01-01"], parameters, **given_)
    return (datetime.date.fromisoformat(new) - datetime.date(2010, 1, 1)).days


@given(DATES, DATES, st.sampled_from(LAYOUTS), st.sampled_from(LAYOUTS), st.integers(0, 50))
@settings(max_examples=200, deadline=None)
def test_lengths_stay_what_they_were_in_every_layout(
    one: datetime.date, other: datetime.date, first: str, second: str, key: int
) -> None:
    anchor = datetime.date(2001, 2, 20)  # a document tells how it writes dates
    texts = [write(one, first), write(other, second), write(anchor, first), write(anchor, second)]
    assume(max(one, other, anchor) - min(one, other, anchor) < datetime.timedelta(89 * 365))  # the calendar contract
    assume(len({layout for layout in (first, second) if re.match(r"\{[md](:02d)?\}[/.-]\{", layout)}) < 2)
    new = shifted(texts, {"key": str(key), "style": "iso"})
    made_ = [datetime.date.fromisoformat(text) for text in new]
    assert made_[1] - made_[0] == other - one
    assert made_[0] != one
    assert abs((made_[0] - one).days) <= 365


@given(DATES, st.sampled_from(LAYOUTS), st.sampled_from(["text", "seed", "iso"]), st.integers(-400, 400))
@settings(max_examples=200, deadline=None)
def test_what_is_written_is_read_back_as_the_moved_day(date: datetime.date, layout: str, style: str, days: int) -> None:
    assume(days)
    anchor = write(datetime.date(2001, 2, 20), layout)
    new, _ = shifted([write(date, layout), anchor], {"style": style}, date_shift_days=str(days))
    (iso, _) = shifted([new.strip("[]"), anchor], {"style": "iso"}, date_shift_days=str(-days))
    assert iso == date.isoformat()


@given(st.dates(datetime.date(1, 1, 1), datetime.date(9999, 12, 31)), st.integers(-800, 800))
@settings(max_examples=200, deadline=None)
def test_moving_keeps_the_precision_or_says_that_it_cannot(date: datetime.date, days: int) -> None:
    step = datetime.timedelta(days)
    for said in (
        PartialDate(date.year, date.month, date.day, weekday=date.weekday()),
        PartialDate(date.year, date.month),
        PartialDate(date.year),
        PartialDate(date.year, season="winter"),
        PartialDate(date.year, season="summer", qualifier="late"),
        PartialDate(decade=date.year // 10 * 10, qualifier="early"),
    ):
        try:
            new = shift_date(said, said, relativedelta(days=days))
        except OverflowError:
            assert not 400 < date.year < 9000
            continue
        if new is None:
            assert representative_day(said) is None
            continue
        assert new.precision == said.precision
        if said.day:
            assert new.to_date() == date + step
            assert new.weekday == (date + step).weekday()


def test_documents_of_a_patient_move_together() -> None:
    assert offset(id="a", patient_id="77") == offset(id="b", patient_id="77")
    assert offset(id="a", patient_id="77") != offset(id="a", patient_id="78")
    assert offset(id="a") != offset(id="b")
    assert offset(id="77") != offset(id="a", patient_id="77")
    assert offset(id="a", key="k") != offset(id="a", key="l")


def test_a_record_number_names_the_patient_where_metadata_does_not() -> None:
    def moved_by(*known: KnownPhi, id: str) -> str:
        cas = Cas("2010-01-01", id=id)
        cas.add(Phi(0, 10, kind=PhiKind.DATE))
        for fs in known:
            cas.add(fs)
        made(Masker, {"DATE": {"shift": {"key": "k"}}}).process(cas)
        return cas.deidentified

    record = {"kind": PhiKind.ID_MEDICAL_RECORD, "value": "00123", "role": "patient"}
    case = {"kind": PhiKind.ID_CASE, "value": "C-1", "role": "patient"}
    first = moved_by(KnownPhi(**case), KnownPhi(**record), id="a")
    assert first == moved_by(KnownPhi(**record), id="b")
    assert first != moved_by(KnownPhi(**{**record, "role": "doctor"}), id="b")


def test_a_document_without_id_is_known_by_its_text() -> None:
    one = shifted(["2010-01-01"], {"key": "k"}, id="")
    two = shifted(["2010-01-01", "x"], {"key": "k"}, id="")
    assert one == shifted(["2010-01-01"], {"key": "k"}, id="")
    assert one[0] != two[0]


def test_every_offset_of_the_interval_is_drawn_and_no_other() -> None:
    drawn = Counter(
        shifted(["2010-06-15"], {"key": "k", "days": [-3, 4], "min_days": 2, "style": "iso"}, id=str(i))[0]
        for i in range(400)
    )
    days = {(datetime.date.fromisoformat(text) - datetime.date(2010, 6, 15)).days for text in drawn}
    assert days == {-3, -2, 2, 3, 4}
    assert min(drawn.values()) > 400 / 5 * 0.6


def test_numbers_are_drawn_without_bias() -> None:
    secret = KeyedHash(b"k")
    counts = Counter(secret.number(3, str(i)) for i in range(3000))
    assert sorted(counts) == [0, 1, 2]
    assert max(counts.values()) - min(counts.values()) < 200
    assert secret.digest("ab", "c") != secret.digest("a", "bc")


def test_a_table_of_offsets_comes_before_the_key(tmp_path: Path) -> None:
    table = tmp_path / "offsets.csv"
    table.write_text("77,10\n78,-20\n")
    parameters = {"table": str(table), "style": "iso"}
    assert shifted(["2010-01-11"], parameters, patient_id="77") == ["2010-01-21"]
    assert shifted(["2010-01-21"], parameters, patient_id="78") == ["2010-01-01"]
    with pytest.warns(UserWarning, match="shift has no key"):
        assert shifted(["2010-01-21"], parameters, patient_id="79") == ["[DATE]"]


@pytest.mark.parametrize("content", ["77\n", "77,ten\n", "77,1,2\n"])
def test_a_damaged_table_is_told_by_row(tmp_path: Path, content: str) -> None:
    table = tmp_path / "offsets.csv"
    table.write_text("76,1\n" + content)
    with pytest.raises(ResourceError) as told:
        Shift(table=table).open()
    assert str(told.value) == f"offset table {table}: row 2: expected an identifier and whole days"


def test_season_keeps_the_time_of_year() -> None:
    for i in range(40):
        new, month = shifted(["2010-07-15", "May 2010"], {"key": "k", "season": True, "style": "iso"}, id=str(i))
        date = datetime.date.fromisoformat(new)
        assert date != datetime.date(2010, 7, 15)
        assert datetime.date(date.year, 6, 8) <= date <= datetime.date(date.year, 8, 22)
        assert 2007 <= date.year <= 2013
        assert re.fullmatch(r"20(0[7-9]|1[0-3])-0[3-7]", month)


def test_season_may_change_lengths_by_a_few_days_only() -> None:
    for i in range(40):
        texts = ["2010-01-31", "2010-03-01", "2012-02-29"]
        days = [
            datetime.date.fromisoformat(t)
            for t in shifted(texts, {"key": "k", "season": True, "style": "iso"}, id=str(i))
        ]
        assert abs((days[1] - days[0]).days - 29) <= 4
        assert abs((days[2] - days[1]).days - 730) <= 4


@pytest.mark.parametrize(
    ("text", "days"), [("9999-12-30", 2), ("0001-01-05", -5), ("May 9999", 300), ("the 9990s", 4000)]
)
def test_years_out_of_reach_become_placeholders(text: str, days: int) -> None:
    cas = Cas(text)
    cas.add(Phi(0, len(text), kind=PhiKind.DATE, value={"May 9999": "9999-05", "the 9990s": "999X"}.get(text, "")))
    cas.metadata["date_shift_days"] = str(days)
    made(Masker, {"DATE": "shift"}).process(cas)
    (span,) = cas.view(DEIDENTIFIED_VIEW).select(MaskedSpan)
    assert (span.covered_text, span.fallback) == ("[DATE]", "year outside 1 to 9999")


def test_the_finder_may_know_more_than_the_text_says_in_english() -> None:
    cas = Cas("visto el 3 de mayo de 2010")
    cas.add(Phi(9, 26, kind=PhiKind.DATE, value="2010-05-03"))
    cas.metadata["date_shift_days"] = "10"
    made(Masker, {"DATE": "shift"}).process(cas)
    assert cas.deidentified == "visto el 13 May 2010"


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("27.1.", "6.2."),
        ("20-ABR-2022", "30 Apr 2022"),
        ("14 abr. 1960", "24 Apr 1960"),
        ("Thu Sep 25 10:36:28 BRST 2003", "Sun 5 Oct 2003"),
        ("--/08/1963", "Aug 1963"),
    ],
)
def test_a_span_of_a_model_moves_in_notations_that_the_finder_does_not_know(text: str, new: str) -> None:
    assert shifted([text, "2022-03-01"], {}, date_shift_days="10") == [new, "11 Mar 2022"]


def test_the_order_of_the_document_decides_where_an_unknown_notation_leaves_it_open() -> None:
    assert shifted(["1 9 64", "25/3/2020"], {}, date_shift_days="10") == ["11 Sep 1964", "4 Apr 2020"]
    assert shifted(["1 9 64", "3/25/2020"], {}, date_shift_days="10") == ["19 Jan 1964", "4 Apr 2020"]


@pytest.mark.parametrize("named", ["Easter 2021", "Orthodox Easter 2021", "Thanksgiving 2020"])
def test_a_named_day_with_its_year_completes_the_dates_near_it(named: str) -> None:
    assert shifted([named, "12 April"], {"style": "iso"}, date_shift_days="30") == ["[DATE]", "XXXX-05-12"]
    assert shifted([named, "Monday, 12 April"], {}, date_shift_days="30") == ["[DATE]", "Wed 12 May"]


def test_a_day_that_does_not_exist_is_no_year() -> None:
    pipeline = Pipeline.parse("engines: [dates, {masker: {DATE: {shift: {key: k}}}}]")
    assert pipeline.process("on 2/30/2020.").deidentified == "on [DATE]."


def test_an_offset_out_of_range_becomes_placeholders() -> None:
    pipeline = Pipeline.parse("engines: [dates, {masker: {DATE: {shift: {key: k}}}}]")
    cas = Cas("on 3/4/2020.")
    cas.metadata["date_shift_days"] = "9" * 14
    assert pipeline.process(cas).deidentified == "on [DATE]."
