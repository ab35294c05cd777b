"""The component `ages`: marked-up lines, values, kinds, offsets, time."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marked_spans import Marked, cases, disagreement

from caspipe.annotators.ages import AgeAnnotator, find_ages
from caspipe.typesystem import Cas, PhiCandidate, PhiKind


def found(text: str) -> list[PhiCandidate]:
    view = Cas(text).view()
    view.add_all(list(AgeAnnotator().annotate(view)))
    return view.select(PhiCandidate)


@pytest.mark.slow
@pytest.mark.parametrize("case", cases("ages.txt"), ids=lambda case: case.name)
def test_the_marked_spans_and_no_others_are_found(case: Marked) -> None:
    assert disagreement(case, found(case.text)) == ""


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a 65-year-old man", "65 years"),
        ("eleven months old", "11 months"),
        ("a 1-day-old boy", "1 day"),
        ("aged 18 to 25 years", "18-25 years"),
        ("in her 60s", "60-69 years"),
        ("in her teens", "13-19 years"),
        ("an octogenarian", "80-89 years"),
        ("a 3 1/2 year old", "3.5 years"),
        ("a 3½-year-old", "3.5 years"),
        ("three and a half years old", "3.5 years"),
        ("a 4(3/12)-year-old boy", "4.25 years"),
        ("a 2,5-year-old boy", "2.5 years"),
        ("6 wks old", "6 weeks"),
    ],
)
def test_the_value_is_in_digits_with_its_unit(text: str, value: str) -> None:
    assert [c.value for c in found(text)] == [value]


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ("an 89-year-old man", False),
        ("a 90-year-old man", True),
        ("in his 80s", False),
        ("in his 90s", True),
        ("aged 85 to 95 years", True),
        ("age over 89", True),
        ("aged 89 or older", True),
        ("older than 65 years", False),
        ("a 100 months old child", False),
        ("a nonagenarian", True),
    ],
)
def test_ages_over_89_years_have_their_own_kind(text: str, over: bool) -> None:
    assert [c.kind for c in found(text)] == [PhiKind.AGE_OVER_89 if over else PhiKind.AGE]


def test_every_candidate_names_its_rule() -> None:
    assert [c.rule for c in found("A 65-year-old man, aged 65.")] == ["n units old", "aged n"]


@given(
    st.integers(1, 120),
    st.sampled_from(["a {}-year-old man", "aged {}.", "she is {} y/o", "Age: {}", "he is {} years old"]),
)
def test_every_age_of_a_person_is_found(age: int, frame: str) -> None:
    (hit,) = find_ages(frame.format(age))
    assert (hit.low, hit.high, hit.over_89) == (age, age, age > 89)


@given(st.text(alphabet="0123456789 yearsoldmnthgf.-/'ins", max_size=150))
def test_ages_are_sorted_disjoint_and_inside_the_text(text: str) -> None:
    last = 0
    for hit in find_ages(text):
        assert last <= hit.begin < hit.end <= len(text)
        assert text[hit.begin : hit.end] == text[hit.begin : hit.end].strip()
        last = hit.end


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["65 year ", "aged ", "9", "in her ", "two ", "3-", "M/", "1 1/2 "], ids=range(8))
def test_time_grows_linearly_with_the_text(unit: str) -> None:
    def seconds(length: int) -> float:
        text = (unit * (length // len(unit) + 1))[:length]
        start = time.perf_counter()
        find_ages(text)
        return time.perf_counter() - start

    seconds(1_000)
    assert seconds(80_000) < 40 * max(seconds(10_000), 0.002)


def test_ages_in_medical_prose_are_found(shared: Any) -> None:
    """Recall by overlap on numbers, in digits or words, in the development parts of PHEE (Sun et al. 2022)."""
    import gzip
    import json
    import re

    hit = total = 0
    for part in ("train", "dev"):
        with gzip.open(shared / f"corpora/phee/{part}.json.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                spans = find_ages(record["context"])
                for annotation in record["annotations"]:
                    for event in annotation["events"]:
                        age = event.get("Subject", {}).get("Age") or {"text": [], "start": []}
                        for said, begins in zip(age["text"], age["start"], strict=True):
                            for words, begin in zip(said, begins, strict=True):
                                if re.search(r"\d", words):
                                    total += 1
                                    hit += any(s.begin < begin + len(words) and begin < s.end for s in spans)
    assert hit / total > 0.97
