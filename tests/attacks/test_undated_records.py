"""Birth dates and ages in FHIR and E2B records in which nothing else is dated."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from e2b_files import r2, r2_report, r3, r3_report
from fhir_samples import document, patient, write

from caspipe.pipeline import Pipeline

pytestmark = pytest.mark.attack("age-from-records")

MASKER = {"DATE": {"shift": {"key": "a-secret-of-sixteen", "style": "iso"}}, "AGE": {"age": {}}}
ENGINES: list[Any] = ["segmenter", "known_phi", "dates", "ages", {"masker": MASKER}]
BIRTH_TIME = "http://hl7.org/fhir/StructureDefinition/patient-birthTime"


def run(tmp_path: Path, name: str) -> bytes:
    """The released files of a folder `in`, joined."""
    steps = {
        "reader": {name: {"folder": str(tmp_path / "in")}},
        "engines": ENGINES,
        "consumers": [{name: {"ids": "keep"}}],
        "run": {"output": str(tmp_path / "out")},
    }
    report = Pipeline.parse(json.dumps(steps)).run()
    assert report.exit_code == 0, report.failures
    return b"\n".join(p.read_bytes() for p in sorted((tmp_path / "out/release" / name).rglob("*.*")))


def bundle(tmp_path: Path, *resources: dict[str, Any]) -> list[dict[str, Any]]:
    entries = [{"resource": r} for r in resources]
    write(tmp_path / "in" / "b.json", {"resourceType": "Bundle", "type": "collection", "entry": entries})
    return [e["resource"] for e in json.loads(run(tmp_path, "fhir"))["entry"]]


YEARS = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


@pytest.mark.parametrize("born", ["1931", "1931-05", "1931-05-04", "1945-12-31"])
def test_a_birth_date_without_any_other_date_goes(tmp_path: Path, born: str) -> None:
    (me,) = bundle(tmp_path, patient(birthDate=born))
    assert "birthDate" not in me


@pytest.mark.parametrize("born", ["1948", "1948-05", "1948-05-04", "2011-05-04"])
def test_a_birth_date_of_a_person_under_90_stays(tmp_path: Path, born: str) -> None:
    (me,) = bundle(tmp_path, patient(birthDate=born))
    assert len(me["birthDate"]) == len(born)


def test_a_shifted_birth_date_is_checked_as_well(tmp_path: Path) -> None:
    everyone = bundle(tmp_path, *(patient(f"p{n}", birthDate=f"1946-{n % 12 + 1:02}-15") for n in range(40)))
    shown = [p["birthDate"] for p in everyone if "birthDate" in p]
    assert shown and len(shown) < 40
    assert all(born >= "1946" for born in shown)


def test_the_time_of_birth_is_no_other_date(tmp_path: Path) -> None:
    extension = {"extension": [{"url": BIRTH_TIME, "valueDateTime": "1931-05-04T03:04:05+01:00"}]}
    (me,) = bundle(tmp_path, patient(birthDate="1931-05-04", _birthDate=extension))
    assert not YEARS.search(json.dumps(me))


def test_birth_dates_of_relatives_are_no_other_dates(tmp_path: Path) -> None:
    child = {
        "resourceType": "RelatedPerson",
        "id": "r1",
        "patient": {"reference": "Patient/p1"},
        "birthDate": "1961-02-03",
    }
    me, relative = bundle(tmp_path, patient(birthDate="1931-05-04"), child)
    assert "birthDate" not in me
    assert len(relative["birthDate"]) == 10


@pytest.mark.parametrize("text", ["DOB 5/4/1931.", "Seen for a cough."])
def test_a_text_without_a_date_tells_nothing(tmp_path: Path, text: str) -> None:
    resources = bundle(tmp_path, patient(birthDate="1931-05-04"), document(text))
    assert not YEARS.search(json.dumps(resources[0]))


def test_lines_of_a_bulk_export_without_other_dates(tmp_path: Path) -> None:
    write(tmp_path / "in" / "Patient.ndjson", [patient(birthDate="1931-05-04"), patient("p2", birthDate="1961-05-04")])
    released = [json.loads(line) for line in run(tmp_path, "fhir").splitlines()]
    assert [len(r.get("birthDate", "")) for r in released] == [0, 10]


def test_another_date_decides(tmp_path: Path) -> None:
    visit = {"resourceType": "Encounter", "id": "e1", "status": "finished", "class": {"code": "AMB"},
             "subject": {"reference": "Patient/p1"}, "period": {"start": "2014-01-02"}}  # fmt: skip
    me, _ = bundle(tmp_path, patient(birthDate="1931-05-04"), visit)
    assert len(me["birthDate"]) == 10


OVER: list[dict[str, Any]] = [
    {"value": 94, "unit": "years"},
    {"value": "94", "unit": "years"},
    {"value": " 94.5", "code": "a"},
    {"value": 94},
    {"value": 9, "unit": "decades"},
    {"value": 9, "unit": "decade", "code": "a"},
    {"value": 9, "code": "10.a", "unit": "a"},
    {"value": 1, "unit": "century"},
    {"value": 4.7, "unit": "score"},
    {"value": 1128, "code": "mo"},
    {"value": "34,000", "code": "d"},
    {"value": 4900, "unit": "weeks"},
    {"value": 820_000, "code": "h"},
    {"value": 94, "unit": "Jahre"},
    {"value": 300, "unit": "years", "code": "mo"},
]
UNDER: list[dict[str, Any]] = [
    {"value": 44, "unit": "years"},
    {"value": 4, "unit": "decades"},
    {"value": 4, "unit": "Monate", "code": "mo"},
    {"value": 128, "code": "mo"},
    {"value": "44", "unit": "years"},
    {"value": 44},
]


def test_quantities_over_89_years_go_in_any_unit(tmp_path: Path) -> None:
    subject = {"reference": "Patient/p1"}
    conditions = [
        {"resourceType": "Condition", "id": f"c{n}", "subject": subject, "onsetAge": q}
        for n, q in enumerate([*OVER, *UNDER])
    ]
    _, *released = bundle(tmp_path, patient(birthDate="1961-03-12"), *conditions)
    stays = [r["onsetAge"].get("value") for r in released]
    assert stays == [None] * len(OVER) + [q["value"] for q in UNDER]


STRINGS = """nine decades; her 90s; in her nineties; nonagenarian; over a century; four score and fourteen; 9O; l02 years;
fourscore and ten; 94; ninety-four; 1128 months; 34,000 days; 93 Jahre; 93歳""".replace("\n", " ").split("; ")


def test_ages_over_89_in_a_string_go(tmp_path: Path) -> None:
    subject = {"reference": "Patient/p1"}
    conditions = [
        {"resourceType": "Condition", "id": f"c{n}", "subject": subject, "onsetString": text}
        for n, text in enumerate([*STRINGS, "in childhood", "4 decades", "her 40s", "9 weeks", "44"])
    ]
    _, *released = bundle(tmp_path, patient(birthDate="1961-03-12"), *conditions)
    stays = [r.get("onsetString", "") for r in released]
    assert [s for s in stays[: len(STRINGS)] if re.search(r"\d[^\d\]]|\d\d(?!\])|nine|score|cent|nona", s)] == []
    assert stays[len(STRINGS) :] == ["in childhood", "4 decades", "her 40s", "9 weeks", "44"]


def undated_r2(report: str, born: str) -> str:
    """The report with the birth date as its only date."""
    report = re.sub(r"<(\w*dateformat)>[^<]*</\1>", lambda m: m[0] if "birth" in m[0] else "", report)
    report = re.sub(r"<(\w*date)>[^<]*</\1>", lambda m: m[0] if "birth" in m[0] else "", report)
    return report.replace("19610312", born)


@pytest.mark.parametrize(("born", "stays"), [("19310504", False), ("19610312", True)])
def test_a_report_in_r2_whose_only_date_is_the_birth_date(tmp_path: Path, born: str, stays: bool) -> None:
    (tmp_path / "in").mkdir()
    report = undated_r2(r2_report("Fell ill, recovered.", case="XX-1"), born)
    (tmp_path / "in" / "cases.xml").write_bytes(r2(report))
    found = re.search(rb"<patientbirthdate>(\d+)", run(tmp_path, "e2b"))
    assert bool(found) is stays


@pytest.mark.parametrize(("born", "stays"), [("19310504", False), ("19610312", True)])
def test_a_report_in_r3_whose_only_date_is_the_birth_date(tmp_path: Path, born: str, stays: bool) -> None:
    (tmp_path / "in").mkdir()
    report = r3_report("<text>Fell ill, recovered.</text>", case="XX-1").replace("19610312", born)
    report = re.sub(r'value="20\d{4,12}(?:[+-]\d{4})?"', 'nullFlavor="UNK"', report).replace(" on 3/9/2026", "")
    (tmp_path / "in" / "cases.xml").write_bytes(r3(report))
    found = re.search(rb'birthTime[^>]* value="(\d{4})', run(tmp_path, "e2b"))
    assert bool(found) is stays
