"""The component `dates`: marked-up lines, values, parameters, offsets, time."""

from __future__ import annotations

import pickle
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marked_spans import Marked, cases, disagreement

from caspipe.annotators.dates import DateAnnotator, find_dates, parse_date
from caspipe.annotators.dates.calendar import Calendar
from caspipe.typesystem import Cas, PhiCandidate, PhiKind


def found(text: str, **parameters: Any) -> list[PhiCandidate]:
    view = Cas(text).view()
    view.add_all(list(DateAnnotator(**parameters).annotate(view)))
    return view.select(PhiCandidate)


def texts(text: str, **parameters: Any) -> list[str]:
    return [c.covered_text for c in found(text, **parameters)]


@pytest.mark.slow
@pytest.mark.parametrize("case", cases("dates.txt"), ids=lambda case: case.name)
def test_the_marked_spans_and_no_others_are_found(case: Marked) -> None:
    assert disagreement(case, found(case.text)) == ""


def test_the_value_is_the_likeliest_interpretation_in_iso_8601() -> None:
    values = {
        "seen on 3/4/2020": "2020-03-04",
        "on the 5th of March": "XXXX-03-05",
        "on the 14th he": "XXXX-XX-14",
        "from 3/1/21-3/5/21": "2021-03-01/2021-03-05",
        "in October-November 2013": "2013-10/2013-11",
        "since spring 2021": "2021-21",
        "in the 1980s": "198X",
        "in 2004": "2004",
        "on Friday he": "Friday",
        "at Christmas 2020": "2020-12-25",
        "during Ramadan": "Ramadan",
    }
    assert {text: found(text)[0].value for text in values} == values


def test_day_first_and_latest_year_are_parameters() -> None:
    assert found("on 3/4/40", day_first=True)[0].value == "1940-04-03"
    assert found("on 3/4/40", latest_year=2045)[0].value == "2040-03-04"


def test_a_doubtful_date_has_less_confidence_than_a_certain_one() -> None:
    certain, doubtful = found("Shot on 4/9. Tired all day (4/10).")
    assert (certain.covered_text, certain.confidence) == ("4/9", 0.95)
    assert (doubtful.covered_text, doubtful.confidence < certain.confidence) == ("4/10", True)


def test_a_score_without_a_date_next_to_it_is_not_marked() -> None:
    assert texts("Tired all day (4/10).") == []


def test_every_candidate_names_its_rule() -> None:
    assert [c.rule for c in found("Friday, 3/19/21 or mid January 2021 or Jan 3 - Feb 5")] == [
        "weekday d/m/y",
        "mid Mon y",
        "Mon d to Mon d",
    ]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("de", "Am 3. März 2020 und im Oktober 2019, Dienstag", ["3. März 2020", "Oktober 2019", "Dienstag"]),
        (
            "fr",
            "le 1er septembre, le 11 janvier\n2017, en août 2020",
            ["1er septembre", "11 janvier\n2017", "août 2020"],
        ),
        ("es", "el 5 de marzo de 2020, en octubre de 2019", ["5 de marzo de 2020", "octubre de 2019"]),
        ("it", "il 3 maggio 2020, giovedì", ["3 maggio 2020", "giovedì"]),
        ("nl", "op 3 mei 2020, woensdag", ["3 mei 2020", "woensdag"]),
        ("pt", "em 7 de setembro de 2019, em 3 de maio", ["7 de setembro de 2019", "3 de maio"]),
        ("sv", "den 6 juni 2019, torsdag", ["6 juni 2019", "torsdag"]),
    ],
)
def test_other_languages_are_recognized(language: str, text: str, expected: list[str]) -> None:
    assert texts(text, languages=["en", language]) == expected


def test_months_and_weekdays_alone_of_other_languages_are_recognized_on_request_only() -> None:
    text = "Dienstag im März, mardi, martes, giovedì, woensdag, torsdag, em maio"
    assert texts(text) == []
    assert len(texts(text, languages=["en", "de", "fr", "es", "it", "nl", "sv", "pt"])) == 6


def test_an_unknown_language_is_rejected_by_name() -> None:
    with pytest.raises(ValueError, match=r"languages: expected some of en, de, .*, got 'xx'"):
        Calendar(("en", "xx"))


def test_the_annotator_can_be_pickled_after_use() -> None:
    annotator = DateAnnotator(languages=["en", "de"])
    list(annotator.annotate(Cas("am 3. März 2020").view()))
    again = pickle.loads(pickle.dumps(annotator))
    assert [c.value for c in again.annotate(Cas("am 3. März 2020").view())] == ["2020-03-03"]


@pytest.mark.parametrize(
    "filler",
    ["é" * 40, "😀" * 40, "ﬁ" * 40, "\u00a0", "\ud800é"],
    ids=["accents", "emoji", "ligatures", "nbsp", "surrogate"],
)
def test_offsets_are_code_points(filler: str) -> None:
    assert texts(f"{filler} on 3/4/2020 {filler} and 12Jan2021 {filler}") == ["3/4/2020", "12Jan2021"]


_WHOLE = "3/4/2020|12Jan2021|January 24, 2014|2021-03-04T12:00:05Z|19-Jul- 2011|Friday, 3/19/21|Mar 3-5, 2021".split(
    "|"
)


@given(
    st.sampled_from(_WHOLE),
    st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("Nd", "Lu", "Ll", "Lo", "Cs"))),
)
def test_a_full_date_is_found_between_any_characters(date: str, noise: str) -> None:
    text = f"{noise} seen {date} again {noise}"
    begin = text.index(date)
    assert any(h.begin <= begin and begin + len(date) <= h.end for h in find_dates(text))


@given(st.text(alphabet="0123456789/-.: JanuryMochdtse2o,'thPQ\n", max_size=200))
def test_dates_are_sorted_disjoint_inside_the_text_and_have_interpretations(text: str) -> None:
    last = 0
    for hit in find_dates(text):
        assert last <= hit.begin < hit.end <= len(text)
        last = hit.end
        whole = text[hit.begin : hit.end]
        assert whole == whole.strip()
        assert parse_date(whole) or hit.interpretations[0].layout == "?"


@given(st.from_regex(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", fullmatch=True))
def test_no_part_of_a_guid_is_a_date(guid: str) -> None:
    assert texts(f"id {guid} in use") == []


@given(st.from_regex(r"\(?[2-9][0-9]{2}\)?[-. ][2-9][0-9]{2}[-.][0-9]{4}", fullmatch=True))
def test_no_part_of_a_telephone_number_is_a_date(number: str) -> None:
    assert texts(f"call {number} now") == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [*"1/2 |3/4/|12Jan|20|on the |Jan 3-|2020-|early |12:30 |'|may |a|first week of ".split("|"), "0" * 50 + "/"],
    ids=range(14),
)
def test_time_grows_linearly_with_the_text(unit: str) -> None:
    def seconds(length: int) -> float:
        text = (unit * (length // len(unit) + 1))[:length]
        start = time.perf_counter()
        find_dates(text)
        return time.perf_counter() - start

    seconds(1_000)
    assert seconds(80_000) < 40 * max(seconds(10_000), 0.002)


def test_the_development_narratives_are_found_as_two_annotators_marked_them(shared: Any) -> None:
    import json

    hits = gold = found_ = 0
    for line in (shared / "corpora/vaers_dev/narratives.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        marked = {(s["begin"], s["end"]) for s in record["spans"] if s["kind"] == "DATE"}
        spans = {(h.begin, h.end) for h in find_dates(record["text"])}
        hits, gold, found_ = hits + len(spans & marked), gold + len(marked), found_ + len(spans)
    assert hits / gold >= 0.99
    assert hits / found_ >= 0.99


def test_birth_death_weekday_holiday_and_year_have_kinds_below_date() -> None:
    kinds = [
        c.kind for c in found("Born 3/4/1950, fell on Friday in 1999, at Easter; died 5/6/2020, reported 7/8/2020.")
    ]
    assert kinds == [
        PhiKind.DATE_BIRTH,
        PhiKind.DATE_WEEKDAY,
        PhiKind.DATE_YEAR,
        PhiKind.DATE_HOLIDAY,
        PhiKind.DATE_DEATH,
        PhiKind.DATE,
    ]
