"""Ages in released records: an independent parser computes every age that dates and ages allow, and finds none over 89."""

from __future__ import annotations

import base64
import datetime
import itertools
import json
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from e2b_files import r2, r2_report, r3, r3_report
from fhir_samples import data, write
from lxml import etree

from caspipe.pipeline import Pipeline

pytestmark = pytest.mark.attack("age-from-records")

MASKER = {"DATE": {"shift": {"key": "a-secret-of-sixteen", "style": "iso"}}, "AGE": {"age": {}}}
ENGINES = ["segmenter", "known_phi", "dates", "ages", {"masker": MASKER}]
Day = datetime.date


def run(tmp_path: Path, name: str) -> dict[str, bytes]:
    """The released files, by name."""
    steps = {
        "reader": {name: {"folder": str(tmp_path / "in")}},
        "engines": ENGINES,
        "consumers": [{name: {"ids": "keep"}}],
        "run": {"output": str(tmp_path / "out")},
    }
    report = Pipeline.parse(json.dumps(steps)).run()
    assert report.exit_code == 0, report.failures
    return {p.name: p.read_bytes() for p in sorted((tmp_path / "out/release" / name).rglob("*.*"))}


# -- people ------------------------------------------------------------------------------------------------------------


@dataclass
class Person:
    number: int
    born: Day
    visits: list[Day]
    precision: int
    """Characters of the birth date in ISO 8601: 4, 7, 10."""

    @property
    def oldest(self) -> int:
        """The greatest age that the birth date, as it is written, allows at the last visit."""
        return years(period(str(self.born)[: self.precision])[0], max(self.visits))


def years(born: Day, day: Day) -> int:
    return day.year - born.year - ((day.month, day.day) < (born.month, born.day))


def people(count: int, seed: int) -> list[Person]:
    chosen = random.Random(seed)
    made = []
    for number in range(count):
        born = Day(1905, 1, 1) + datetime.timedelta(chosen.randrange(13_149))
        last = born + datetime.timedelta(days=chosen.randrange(int(84 * 365.25), int(97 * 365.25)))
        visits = [last - datetime.timedelta(days=chosen.randrange(3_000)) for _ in range(chosen.randrange(3))]
        made.append(Person(number, born, [*visits, last], chosen.choice((4, 7, 10, 10, 10))))
    return made


# -- what can be computed ------------------------------------------------------------------------------------------------


def period(written: str) -> tuple[Day, Day]:
    """The first and last day of 1931, 1931-05, 1931-05-04."""
    first = Day.fromisoformat((written + "-01-01")[:10])
    if len(written) == 10:
        return first, first
    after = Day(first.year + 1, 1, 1) if len(written) == 4 or first.month == 12 else Day(first.year, first.month + 1, 1)
    return first, after - datetime.timedelta(days=1)


def oldest(dates: Iterable[str]) -> int:
    """The greatest number of full years between any two dates."""
    spans = [period(d) for d in dates]
    return max((years(a[0], b[1]) for a, b in itertools.permutations(spans, 2)), default=0)


def later(age: float, on: str, dates: Iterable[str]) -> int:
    """The least age on the last of the dates, of somebody with an age on a day."""
    last = max(period(d)[0] for d in dates)
    return int(age) + max(years(period(on)[1], last), 0)


ISO = re.compile(r"(?<![\d-])(?:1[89]|20)\d\d(?:-\d\d(?:-\d\d)?)?(?![\d-])")


# -- FHIR --------------------------------------------------------------------------------------------------------------

BIRTH_TIME = "http://hl7.org/fhir/StructureDefinition/patient-birthTime"


def of_person(p: Person) -> list[dict[str, Any]]:
    me = {"reference": f"Patient/p{p.number}"}
    born = str(p.born)[: p.precision]
    first, last = min(p.visits), max(p.visits)
    person: dict[str, Any] = {"resourceType": "Patient", "id": f"p{p.number}", "gender": "other", "birthDate": born}
    if p.number % 3 == 0 and p.precision == 10:
        person["_birthDate"] = {"extension": [{"url": BIRTH_TIME, "valueDateTime": f"{p.born}T03:04:05+01:00"}]}
    if p.number % 5 == 0:
        person["deceasedDateTime"] = f"{last}T10:00:00Z"
    return [
        person,
        *(
            {"resourceType": "Encounter", "id": f"e{p.number}-{n}", "status": "finished", "subject": me,
             "period": {"start": f"{day}T08:00:00+02:00", "end": f"{day}T09:00:00+02:00"}}
            for n, day in enumerate(p.visits)
        ),
        {"resourceType": "Observation", "id": f"o{p.number}", "status": "final", "subject": me, "effectiveDateTime": str(first),
         "issued": f"{first}T08:00:00.123Z", "code": {"coding": [{"system": "http://loinc.org", "code": "30525-0"}]},
         "valueQuantity": {"value": years(p.born, first), "code": "a", "system": "http://unitsofmeasure.org"}},
        {"resourceType": "Condition", "id": f"c{p.number}", "subject": me, "recordedDate": str(first),
         "onsetAge": {"value": years(p.born, first) * 12, "code": "mo", "system": "http://unitsofmeasure.org"}},
        {"resourceType": "MedicationRequest", "id": f"m{p.number}", "subject": me, "authoredOn": str(first),
         "dosageInstruction": [{"timing": {"event": [str(last)], "repeat": {"boundsPeriod": {"start": str(first)}}}}]},
        {"resourceType": "DocumentReference", "id": f"d{p.number}", "status": "current", "subject": me,
         "content": [{"attachment": {"contentType": "text/plain", "data": data(
             f"Date of birth: {p.born}. Seen on {first}, {years(p.born, first)} years old, and on {last}.")}}]},
    ]  # fmt: skip


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "data":
                yield base64.b64decode(inner).decode()
            elif key not in ("id", "reference", "code", "url", "system"):
                yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)
    elif isinstance(value, str):
        yield value


def fhir_faults(p: Person, resources: list[dict[str, Any]], before: list[dict[str, Any]]) -> Iterator[str]:
    by_type = {r["resourceType"]: r for r in resources}
    dates = [d for s in strings(resources) for d in ISO.findall(s.partition("T")[0] if "T" in s[:12] else s)]
    if oldest(dates) > 89:
        yield f"{p.number}: two dates tell {oldest(dates)}"
    age, on = by_type["Observation"]["valueQuantity"].get("value"), by_type["Observation"].get("effectiveDateTime")
    if age is not None and later(age, on, dates) > 89:
        yield f"{p.number}: an observation tells {later(age, on, dates)}"
    months = by_type["Condition"]["onsetAge"].get("value")
    if months is not None and later(months / 12, by_type["Condition"]["recordedDate"], dates) > 89:
        yield f"{p.number}: an onset tells too much"
    text = base64.b64decode(by_type["DocumentReference"]["content"][0]["attachment"]["data"]).decode()
    for written in re.findall(r"(\d+) years old", text):
        if later(float(written), ISO.findall(text)[-1], dates) > 89:
            yield f"{p.number}: a text tells too much"
    yield from half_shifted(p, resources, before)
    if p.oldest <= 89:
        born = by_type["Patient"].get("birthDate", "")
        if len(born) != p.precision:
            yield f"{p.number}: the birth date is missing, although nothing tells an age over 89"
        elif p.precision == 10:
            visit = by_type["MedicationRequest"]["dosageInstruction"][0]["timing"]["event"][0]
            if Day.fromisoformat(visit) - Day.fromisoformat(born) != max(p.visits) - p.born:
                yield f"{p.number}: an interval is not exact"
            if text.count("[") or len(ISO.findall(text)) != 3:
                yield f"{p.number}: a text lost what it may keep"


def half_shifted(p: Person, after: list[dict[str, Any]], before: list[dict[str, Any]]) -> Iterator[str]:
    """All days of a person have moved by the same number of days."""
    moved = set()
    for old, new in zip(strings_of(before), strings_of(after), strict=True):
        if re.fullmatch(r"\d{4}-\d\d-\d\d(?:T.*)?", old) and new:
            moved.add((Day.fromisoformat(new[:10]) - Day.fromisoformat(old[:10])).days)
    if len(moved) != 1 or 0 in moved:
        yield f"{p.number}: dates moved by {sorted(moved)}"


def strings_of(resources: list[dict[str, Any]]) -> list[str]:
    """The dates in the same order in both; empty for a masked one."""
    found: list[Any] = []
    for r in resources:
        period_ = r.get("period", {})
        found += [period_.get("start", ""), period_.get("end", ""), r.get("effectiveDateTime", ""), r.get("issued", "")]
        found += [
            r.get("birthDate", ""),
            r.get("deceasedDateTime", ""),
            r.get("recordedDate", ""),
            r.get("authoredOn", ""),
        ]
        for dosage in r.get("dosageInstruction", []):
            found += [dosage["timing"]["event"][0], dosage["timing"]["repeat"]["boundsPeriod"].get("start", "")]
    return found


def fhir_bundle(tmp_path: Path, everyone: list[Person]) -> list[str]:
    resources = [of_person(p) for p in everyone]
    entries = [{"resource": r} for r in itertools.chain.from_iterable(resources)]
    write(tmp_path / "in" / "b.json", {"resourceType": "Bundle", "type": "collection", "entry": entries})
    root = json.loads(*run(tmp_path, "fhir").values())
    made = iter([entry["resource"] for entry in root["entry"]])
    return [
        f
        for p, before in zip(everyone, resources, strict=True)
        for f in fhir_faults(p, list(itertools.islice(made, len(before))), before)
    ]


def fhir_ndjson(tmp_path: Path, everyone: list[Person]) -> list[str]:
    resources = [of_person(p) for p in everyone]
    by_type: dict[str, list[dict[str, Any]]] = {}
    for r in itertools.chain.from_iterable(resources):
        by_type.setdefault(r["resourceType"], []).append(r)
    for kind, lines in by_type.items():
        write(tmp_path / "in" / f"{kind}.ndjson", lines)
    files = run(tmp_path, "fhir")
    found = {(r["resourceType"], r["id"]): r for f in files.values() for r in map(json.loads, f.splitlines())}
    return [
        f
        for p, before in zip(everyone, resources, strict=True)
        for f in fhir_faults(p, [found[r["resourceType"], r["id"]] for r in before], before)
    ]


# -- E2B ---------------------------------------------------------------------------------------------------------------


def digits(day: Day, length: int) -> str:
    return f"{day:%Y%m%d}"[:length]


def length_of(p: Person) -> int:
    return {4: 4, 7: 6, 10: 8}[p.precision]


def r2_of(p: Person) -> str:
    first, last = min(p.visits), max(p.visits)
    form = {4: "602", 6: "610", 8: "102"}[length_of(p)]
    decades = p.number % 4 == 0
    age = years(p.born, first)
    report = r2_report(
        f"Date of birth: {p.born}. Seen on {first} and {last}.",
        case=f"XX-{p.number}",
        age=f"{age // 10}" if decades else f"{age}",
        more=f"<patientdeath><patientdeathdateformat>102</patientdeathdateformat><patientdeathdate>{digits(last, 8)}"
        "</patientdeathdate></patientdeath>",
    )
    changes = (
        ("<patientbirthdateformat>102</", f"<patientbirthdateformat>{form}</"),
        ("19610312", digits(p.born, length_of(p))),
        (">801<", ">800<" if decades else ">801<"),
        ("202602<", f"{digits(first, 6)}<"),
        ("202603041315", f"{digits(first, 8)}1315"),
        (">2025<", f">{first.year}<"),
    )
    for old, new in changes:
        assert old in report, old
        report = report.replace(old, new)
    return report


def r3_of(p: Person) -> str:
    first, last = min(p.visits), max(p.visits)
    report = r3_report(
        f"<text>Date of birth: {p.born}. Seen on {first} and {last}.</text>",
        case=f"XX-{p.number}",
        more=f'<subjectOf2><observation><code code="29"/><effectiveTime><low value="{digits(first, 8)}"/></effectiveTime>'
        "</observation></subjectOf2>"
        f'<subjectOf2><observation><code code="9"/><value xsi:type="TS" value="{digits(last, 8)}"/></observation></subjectOf2>',
    )
    months = p.number % 4 == 0
    age = years(p.born, first) * (12 if months else 1)
    changes = (
        ('value="19610312"', f'value="{digits(p.born, length_of(p))}"'),
        ('value="65" unit="a"', f'value="{age}" unit="{"mo" if months else "a"}"'),
        ('value="20260210"', f'value="{digits(first, 8)}"'),
        ('value="20260305"', f'value="{digits(first, 8)}"'),
        ('value="202603"', f'value="{digits(last, 6)}"'),
        ("recovered on 3/9/2026", f"recovered on {last}"),
    )
    for old, new in changes:
        assert old in report, old
        report = report.replace(old, new)
    return report


def iso(written: str) -> str:
    return "-".join(filter(None, (written[:4], written[4:6], written[6:8])))


@dataclass
class Found:
    """What a released report says."""

    born: str
    dates: list[str]
    onset: str
    age: float | None
    """In years."""
    text: str


def in_r2(report: etree._Element) -> Found:
    def text(name: str) -> str:
        return (report.findtext(f".//{name}") or "").strip()

    written = [iso(e.text.strip()) for e in report.iter() if str(e.tag).endswith("date") and (e.text or "").strip()]
    narrative = text("narrativeincludeclinical")
    per = {"800": 10.0, "801": 1.0}.get(text("patientonsetageunit"), 0)
    age = float(text("patientonsetage")) * per if text("patientonsetage") else None
    return Found(
        iso(text("patientbirthdate")),
        [*written, *ISO.findall(narrative)],
        iso(text("reactionstartdate")),
        age,
        narrative,
    )


def in_r3(report: etree._Element) -> Found:
    v3 = "{urn:hl7-org:v3}"
    texts = [s.strip() for s in report.itertext() if s.strip()]
    written = [
        iso(value)
        for e in report.iter(etree.Element)
        if re.fullmatch(r"(?:19|20)\d{2,12}(?:[+-]\d{4})?", value := e.get("value", "")) and not e.get("unit")
    ]
    player = report.find(f".//{v3}player1")
    birth = player.find(f"{v3}birthTime") if player is not None else None
    assert player is not None and birth is not None
    ages = [o.find(f"{v3}value") for o in report.iter(f"{v3}observation") if o.find(f"{v3}code").get("code") == "3"]
    low = next(o for o in report.iter(f"{v3}observation") if o.find(f"{v3}code").get("code") == "29").find(
        f".//{v3}low"
    )
    parent, patient = ages
    assert parent.get("value") is None and parent.get("unit") is None
    age = float(patient.get("value")) / {"mo": 12, "a": 1}[patient.get("unit")] if patient.get("value") else None
    onset = iso(low.get("value", "")) if low is not None else ""
    dates = [*written, *(d for t in texts for d in ISO.findall(t))]
    return Found(iso(birth.get("value", "")), dates, onset, age, next(t for t in texts if "Seen on" in t))


def e2b_faults(p: Person, found: Found, decades: bool) -> Iterator[str]:
    if oldest(found.dates) > 89:
        yield f"{p.number}: two dates tell {oldest(found.dates)}"
    if found.age is not None and later(found.age, found.onset, found.dates) > 89:
        yield f"{p.number}: the age tells {later(found.age, found.onset, found.dates)}"
    # some dates are only a year, a birth date without a day may move by another year, a month counts as half a month longer
    last = period(str(max(p.visits).year))[1] + datetime.timedelta(days=16)
    at_most = years(period(str(p.born)[: p.precision])[0], last) + (p.precision < 10)
    if at_most <= 89:
        if len(found.born) != p.precision or (found.age is None and not decades):
            yield f"{p.number}: birth date or age is missing, although nothing tells an age over 89"
        elif p.precision == 10:
            born, first, last = ISO.findall(found.text)
            gap = Day.fromisoformat(last) - Day.fromisoformat(born)
            if born != found.born or first != found.onset or gap != max(p.visits) - p.born:
                yield f"{p.number}: an interval is not exact"


def e2b(tmp_path: Path, everyone: list[Person], release: str) -> list[str]:
    make, pack = (r2_of, r2) if release == "R2" else (r3_of, r3)
    (tmp_path / "in").mkdir(parents=True)
    (tmp_path / "in" / "cases.xml").write_bytes(pack(*map(make, everyone)))
    root = etree.fromstring(*run(tmp_path, "e2b").values())
    reports = root.findall("safetyreport") if release == "R2" else root.findall("{urn:hl7-org:v3}PORR_IN049016UV")
    read = in_r2 if release == "R2" else in_r3
    return [
        f
        for p, report in zip(everyone, reports, strict=True)
        for f in e2b_faults(p, read(report), release == "R2" and p.number % 4 == 0)
    ]


def faults(kind: str, tmp_path: Path, everyone: list[Person]) -> list[str]:
    if kind == "bundle":
        return fhir_bundle(tmp_path, everyone)
    return fhir_ndjson(tmp_path, everyone) if kind == "ndjson" else e2b(tmp_path, everyone, kind)


@pytest.mark.parametrize("kind", ["bundle", "ndjson", "R2", "R3"])
def test_no_age_over_89_can_be_computed(kind: str, tmp_path: Path) -> None:
    everyone = people(40, 7)
    assert 10 < sum(p.oldest > 89 for p in everyone) < 30
    assert faults(kind, tmp_path, everyone) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["bundle", "ndjson", "R2", "R3"])
def test_no_age_over_89_can_be_computed_from_two_thousand_records(kind: str, tmp_path: Path) -> None:
    assert faults(kind, tmp_path, people(500, 11)) == []
