"""`Phi.value` after the masker: the date or age that it went by, and nothing of it in what is released."""

from __future__ import annotations

import datetime
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from overlap_cases import made

from caspipe.annotators.masking.masker import Masker
from caspipe.annotators.masking.operator import MissingKeyWarning
from caspipe.pipeline import Pipeline
from caspipe.typesystem import DEIDENTIFIED_VIEW, Annotation, Cas, Phi, PhiCandidate, PhiKind
from caspipe.typesystem.xmi.reader import read_xmi

SHIFT = {"shift": {"key": "a key", "style": "iso", "days": [10, 10]}}
DAYS = 10


def masked(spans: list[tuple[str, str, str]], **masker: Any) -> Cas:
    """Mask spans of (kind, text, value of the finder), one in a line."""
    cas = Cas("\n".join(text for _, text, _ in spans), id="d")
    at = 0
    for kind, text, value in spans:
        cas.add(Phi(at, at + len(text), kind=PhiKind.of(kind), value=value))
        at += len(text) + 1
    made(Masker, masker).process(cas)
    return cas


def values(cas: Cas) -> list[str]:
    return [phi.value for phi in cas.select(Phi)]


def dates(*texts: str) -> list[tuple[str, str, str]]:
    return [("DATE", text, "") for text in texts]


def test_the_most_frequent_format_decides_an_ambiguous_date() -> None:
    """Table 9 of the source."""
    cas = masked(dates("03-04-2014", "16-05-2014", "Jan 2014"), DATE=SHIFT)
    assert values(cas) == ["2014-04-03", "2014-05-16", "2014-01"]
    assert cas.deidentified == "2014-04-13\n2014-05-26\n2014-01"


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("3/4/2020", "25/3/2020"), "2020-04-03"),
        (("3/4/2020", "3/25/2020"), "2020-03-04"),
        (("3/4/2020", "25/3/2020", "3/26/2020", "3/27/2020"), "2020-03-04"),
        (("3/4/2020",), "2020-03-04"),
    ],
)
@pytest.mark.parametrize("given_", ["", "2020-03-04"])
def test_the_value_agrees_with_what_is_written(texts: tuple[str, ...], expected: str, given_: str) -> None:
    spans = [("DATE", text, given_ if text == "3/4/2020" else "") for text in texts]
    cas = masked(spans, DATE=SHIFT)
    assert values(cas)[0] == expected
    moved = datetime.date.fromisoformat(cas.deidentified.splitlines()[0])
    assert moved - datetime.date.fromisoformat(expected) == datetime.timedelta(DAYS)


@pytest.mark.parametrize(
    "masker",
    [
        {"DATE": "placeholder"},
        {"DATE": "keep"},
        {"DATE": {"pseudonym": {"key": "a key"}}},
        {"policy": {"keep": ["DATE"]}},
        {"DATE": "year"},
        {"DATE": "relative"},
        {"DATE": {"surrogate": {"key": "a key"}}},
    ],
    ids=str,
)
def test_every_operator_leaves_the_same_value(masker: dict[str, Any]) -> None:
    spans = [("DATE", "3/4/2020", "2020-03-04"), ("DATE", "25/3/2020", ""), ("DATE_BIRTH", "May 1960", "1960-05")]
    assert values(masked(spans, **masker)) == ["2020-04-03", "2020-03-25", "1960-05"]


def test_dates_are_read_without_a_key_too() -> None:
    with pytest.warns(MissingKeyWarning):
        assert values(masked(dates("3/4/2020", "25/3/2020"), DATE={"shift": {}})) == ["2020-04-03", "2020-03-25"]


def test_without_other_dates_the_order_of_the_operator_decides_and_else_that_of_the_finder() -> None:
    finder = [("DATE", "3/4/2020", "2020-04-03")]
    assert values(masked(finder, DATE="placeholder")) == ["2020-04-03"]
    assert values(masked(finder, DATE=SHIFT)) == ["2020-03-04"]
    assert values(masked(finder, DATE={"shift": {**SHIFT["shift"], "ambiguous": "DMY"}})) == ["2020-04-03"]
    assert values(masked(finder, DATE={"relative": {"ambiguous": "DMY"}})) == ["2020-04-03"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5-7 Oct 2013", "2013-10-05/2013-10-07"),
        ("March 5", "XXXX-03-05"),
        ("2014", "2014"),
        ("the 1990s", "199X"),
        ("spring 2021", "2021-21"),
        ("Monday", "Monday"),
        ("March\n 3,\n\n 2020", "2020-03-03"),
    ],
)
def test_the_value_has_the_precision_of_the_text(text: str, value: str) -> None:
    assert values(masked(dates(text), DATE=SHIFT)) == [value]


def test_what_cannot_be_read_has_no_value_and_becomes_a_placeholder() -> None:
    cas = masked([("DATE", "30 February 2020", "2020-02-30"), ("AGE", "elderly", "70 years")], DATE=SHIFT, AGE="age")
    assert values(cas) == ["", ""]
    assert cas.deidentified == "[DATE]\n[AGE]"


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("92-year-old", "92 years", "[AGE > 89]"),
        ("41 y/o", "41 years", "41 y/o"),
        ("11 months", "11 months", "11 months"),
        ("2-3 weeks", "3 weeks", "2-3 weeks"),
        ("18-25 years", "25 years", "18-25 years"),
        ("ninety-one", "91 years", "[AGE > 89]"),
        ("in her 80s", "89 years", "in her 80s"),
        ("1100 months", "1100 months", "[AGE > 89]"),
        ("nonagenarian", "99 years", "[AGE > 89]"),
        ("3 years 2 months", "3 years", "3 years 2 months"),
    ],
)
def test_the_value_of_an_age_is_what_was_compared_with_the_threshold(text: str, value: str, expected: str) -> None:
    cas = masked([("AGE", text, "")], AGE="age")
    assert values(cas) == [value]
    assert cas.deidentified == expected


def test_other_values_stay_those_of_the_finder() -> None:
    spans = [
        ("ID", "MRN 12-34", "1234"),
        ("PERSON", "Ann", "ann"),
        ("AGE", "11 months", "11 months"),
        ("PHONE", "5 55", ""),
    ]
    assert values(masked(spans)) == ["1234", "ann", "11 months", ""]


LAYOUTS = ("{d}/{m}/{y}", "{m}/{d}/{y}", "{d}.{m}.{y}", "{y}-{m:02}-{d:02}", "{d} {n} {y}")
NAMES = "January February March April May June July August September October November December".split()


DAYS_IN_TEXT = st.tuples(st.dates(datetime.date(1950, 1, 1), datetime.date(2020, 12, 31)), st.sampled_from(LAYOUTS))


@given(st.lists(DAYS_IN_TEXT, min_size=1, max_size=6))
@settings(max_examples=150, deadline=None)
def test_the_written_date_is_the_value_moved_by_the_offset_and_again_the_same(
    given_: list[tuple[datetime.date, str]],
) -> None:
    texts = [layout.format(d=day.day, m=day.month, y=day.year, n=NAMES[day.month - 1]) for day, layout in given_]
    cas = masked(dates(*texts), DATE=SHIFT)
    first = values(cas)
    for value, line in zip(first, cas.deidentified.splitlines(), strict=True):
        assert datetime.date.fromisoformat(line) - datetime.date.fromisoformat(value) == datetime.timedelta(DAYS)
    made(Masker, {"DATE": SHIFT}).process(cas)
    assert values(cas) == first


NOTE = "Dr. Anna Quimby-Zorro saw the 92 year old man, MRN 4711-0815, on 3/4/2020 and 25/3/2020; born 7/6/1927."
PARTS = (
    *("Quimby", "Zorro", "4711-0815", "47110815", "92 year", "3/4/2020", "2020-04-03", "2020-03-04", "25/3/2020"),
    *("2020-03-25", "7/6/1927", "1927-06-07", "1927-07-06"),
)
YAML = """
reader: {{text: {{folder: "{notes}"}}}}
engines:
  - segmenter
  - aggregate: {{id: rules, engines: [dates, ages, identifiers, names]}}
  - masker: {{DATE: {{shift: {{key: "a key for the tests of values", days: [10, 10]}}}}, AGE: age, carry: {carry}}}
  - leak_gate
consumers:
  - text: {{folder: release/text}}
  - xmi: {{folder: release/xmi, views: [deidentified]}}
  - jsoncas: {{folder: release/jsoncas, views: [deidentified]}}
  - jsonl: {{file: release/a.jsonl, fields: [id, text, spans, counts, metadata]}}
  - report: {{file: restricted/report.html}}
  - utility: {{files: [release/utility.json]}}
  - xmi: {{folder: restricted/xmi}}
run: {{output: "{out}", workers: 0, names: id}}
"""


@pytest.mark.parametrize("carry", ["true", "[Phi, PhiCandidate, Token]"])
def test_files_for_reviewers_have_the_values_and_released_ones_do_not(tmp_path: Path, carry: str) -> None:
    notes, out = tmp_path / "notes", tmp_path / "out"
    notes.mkdir()
    (notes / "a.txt").write_text(NOTE, encoding="utf-8")
    assert Pipeline.parse(YAML.format(notes=notes, out=out, carry=carry)).run().exit_code == 0
    back = read_xmi((out / "restricted/xmi/a.xmi").read_bytes())
    assert {phi.covered_text: phi.value for phi in back.select(Phi) if phi.kind.top in (PhiKind.DATE, PhiKind.AGE)} == {
        "92 year old": "92 years",
        "3/4/2020": "2020-04-03",
        "25/3/2020": "2020-03-25",
        "7/6/1927": "1927-06-07",
    }
    files = [f for f in sorted((out / "release").rglob("*")) if f.is_file()]
    assert {f.suffix for f in files} == {".txt", ".xmi", ".json", ".jsonl", ".xml"}
    for file in files:
        content = file.read_text(encoding="utf-8")
        assert [part for part in PARTS if part in content] == [], file.name
    assert "13 Apr 2020" in (out / "release/text/a.txt").read_text(encoding="utf-8")
    ledger = (out / "restricted/ledger.sqlite").read_bytes()
    assert [part for part in PARTS if part.encode() in ledger] == []


def test_no_feature_of_the_masked_view_has_a_value() -> None:
    masker = {"DATE": SHIFT, "AGE": "age", "carry": ["Phi", "PhiCandidate"]}
    cas = masked([("DATE", "3/4/2020", "2020-03-04"), ("AGE", "92 years", "92 years")], **masker)
    cas.add(PhiCandidate(0, 8, kind=PhiKind.DATE, value="2020-03-04"))
    made(Masker, masker).process(cas)
    held = [
        (type(a).__name__, f, getattr(a, f))
        for a in cas.view(DEIDENTIFIED_VIEW).select(Annotation)
        for f in type(a).features
        if re.search("2020-0[34]-0[34]|92", json.dumps(getattr(a, f), default=str))
    ]
    assert held == []
