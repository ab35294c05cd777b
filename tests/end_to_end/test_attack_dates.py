"""An attack on shifted dates with nothing but released files: structured dates beside the text, and days that many share.

The attacker knows the formats and which fields hold dates. He tries to find by how many days a patient's dates were moved:
from dates that were left as they were (the VigiBase system's section 9), and from days that were the same for all patients,
such as that of an export: a moved common day shows each patient's offset, up to a constant that the range of offsets tells.
"""

from __future__ import annotations

import csv
import datetime
import json
import random
import re
import statistics
import warnings
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from e2b_files import r2, r2_report, r3, r3_report
from fhir_samples import bundle, data, patient
from lxml import etree

from caspipe.consumers.files.metadata import WithheldWarning
from caspipe.consumers.records.e2b import E2bConsumer
from caspipe.consumers.records.fhir import FhirConsumer
from caspipe.consumers.tables.jsonl import JsonlConsumer
from caspipe.pipeline.contract.component import CasConsumer, CollectionReader
from caspipe.pipeline.pipeline import Pipeline
from caspipe.readers.e2b import E2bReader
from caspipe.readers.fhir import FhirReader
from caspipe.readers.tables.csv import CsvReader
from caspipe.typesystem import PhiKind

Day = datetime.date
EXPORTED = Day(2026, 4, 1)
PATIENTS = 150
IDS_KEY = "a-key-of-the-tests"
ENGINES = """
engines:
  - segmenter
  - known_phi
  - aggregate: {id: rules, engines: [dates, ages, identifiers]}
  - resolver: {priority: [known_phi, rules]}
  - masker:
      DATE: {shift: {days: [-365, 365], key: a key for the tests of this file, style: iso}}
      default: placeholder
"""
_LOOKS = re.compile(r"(?<![\d.])((?:19|20)\d\d)-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])(?!\d{1,3}(?!\d))")
_STEP = re.compile(r"\[\d+\]|\d+(?=/|$)")


def found(text: str) -> list[Day]:
    """Every day in a text, by its looks."""
    days = []
    for match in _LOOKS.finditer(text):
        try:
            days.append(Day(*map(int, match.groups())))
        except ValueError:
            continue
    return days


def in_xml(raw: bytes) -> Iterator[tuple[str, str]]:
    """(where, what) of every attribute and text of a file."""
    root = etree.fromstring(raw, etree.XMLParser(load_dtd=False, no_network=True, resolve_entities=False))
    for element in root.iter():
        way = [e for e in (*reversed(list(element.iterancestors())), element) if isinstance(e.tag, str)]
        where = "/".join(etree.QName(e).localname for e in way)
        yield where, element.text or ""
        yield from ((f"{where}/@{name}", value) for name, value in element.attrib.items())


def in_json(value: Any, where: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from in_json(inner, f"{where}/{key}")
    elif isinstance(value, list):
        for n, inner in enumerate(value):
            yield from in_json(inner, f"{where}/{n}")
    else:
        yield where, str(value)


def released(
    reader: CollectionReader, consumer: CasConsumer, output: Path, ignore: type[Warning] | None = None
) -> dict[str, bytes]:
    """The files that a pipeline with shifted dates releases, by name."""
    engines = Pipeline.parse(ENGINES)
    consumer.output = output
    consumer.open()
    with warnings.catch_warnings():
        if ignore is not None:
            warnings.simplefilter("ignore", ignore)
        for cas in reader:
            consumer.process(engines.process(cas))
    consumer.close()
    assert reader.failed == []
    return {p.stem: p.read_bytes() for p in sorted(output.rglob("*")) if p.is_file()}


class Attack:
    """What an attacker makes of the released dates: per patient, (where, day)."""

    def __init__(self, files: dict[str, list[tuple[str, str]]]) -> None:
        self.by_place: dict[str, dict[str, Day]] = defaultdict(dict)
        self.days: dict[str, list[Day]] = {}
        for name, values in files.items():
            self.days[name] = [day for _, text in values for day in found(text)]
            for where, text in values:
                for day in found(text)[:1]:
                    self.by_place[_STEP.sub("", where)].setdefault(name, day)

    def common_day(self, truth: dict[str, int]) -> float:
        """The best share of patients whose offset is found to within three days from one field's dates, if it held the same
        day for all: the middle of the range of the moved ones is then that day."""
        return max((_right(days, truth) for days in self.by_place.values() if len(days) > PATIENTS / 2), default=0.0)

    def left_over(self, truth: dict[str, int]) -> dict[str, list[Day]]:
        """Days of a patient that stand in the release as they were, and not because another one was moved there."""
        left = {}
        for name, days in self.days.items():
            true = {*COHORT[name], EXPORTED}
            moved = {day + datetime.timedelta(truth[name]) for day in true}
            left[name] = [day for day in days if day in true - moved]
        return {name: days for name, days in left.items() if days}


def _right(days: dict[str, Day], truth: dict[str, int]) -> float:
    numbers = [day.toordinal() for day in days.values()]
    for middle in {(min(numbers) + max(numbers)) // 2, round(statistics.median(numbers))}:
        hits = sum(abs(day.toordinal() - middle - truth[name]) <= 3 for name, day in days.items())
        if hits > len(days) / 4:
            return hits / len(days)
    return 0.0


def cohort() -> dict[str, list[Day]]:
    """Days of each patient: born, drug begun, fell ill, recovered, told. Nothing in common."""
    chance = random.Random(20260401)
    made = {}
    for n in range(PATIENTS):
        begun = Day(2023, 1, 10) + datetime.timedelta(chance.randrange(1000))
        steps = [0, chance.randrange(2, 30), chance.randrange(31, 60), chance.randrange(61, 90)]
        born = Day(1940, 1, 10) + datetime.timedelta(chance.randrange(20_000))
        made[f"case{n:03d}"] = [born, *(begun + datetime.timedelta(s) for s in steps)]
    return made


COHORT = cohort()


def offsets(told: dict[str, Day]) -> dict[str, int]:
    """What the attacker wants: how far the day on which each patient fell ill was moved."""
    return {name: (day - COHORT[name][2]).days for name, day in told.items()}


def narrative(days: list[Day], layout: str = "%Y-%m-%d") -> str:
    born, begun, ill, well, _ = (d.strftime(layout) for d in days)
    return f"Born {born}, took ZORBEX from {begun}, fell ill on {ill} and recovered on {well}."


def e2b_file(n: int, name: str, days: list[Day], release: str) -> bytes:
    born, begun, ill, well, told = (d.strftime("%Y%m%d") for d in days)
    if release == "R2":
        made = r2(r2_report(narrative(days), case=f"US-SYNLAB-{n}"))
        changes = {"19610312": born, "202603041315": f"{ill}1315", ">602<": ">102<", ">2025<": f">{begun}<"}
    else:
        more = (
            f"<subjectOf2><x><effectiveTime xsi:type='IVL_TS'><low value='{begun}'/><high value='{well}'/></effectiveTime>"
            "</x></subjectOf2>"
        )
        made = r3(r3_report(f"<text>{narrative(days)}</text>", case=f"US-SYNLAB-{n}", more=more))
        changes = {"19610312": born, "20260305": ill, '"202603"': f'"{told}"', "20260210": begun, "3/9/2026": well}
    text = made.decode("utf-8")
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    return text.encode()


@pytest.mark.slow
@pytest.mark.parametrize("release", ["R3", "R2"])
@pytest.mark.parametrize("transmission", ["null", "mask"])
def test_case_reports_of_one_export_tell_no_offset(
    tmp_path: Path, release: str, transmission: Literal["null", "mask"]
) -> None:
    (tmp_path / "in").mkdir()
    for n, (name, days) in enumerate(COHORT.items()):
        (tmp_path / "in" / f"{name}.xml").write_bytes(e2b_file(n, name, days, release))
    reader = E2bReader(folder=tmp_path / "in", transmission=transmission)
    files = released(reader, E2bConsumer(durable=False, ids_key=IDS_KEY), tmp_path / "out")
    assert len(files) == PATIENTS
    attack = Attack({name: list(in_xml(raw)) for name, raw in files.items()})
    told = {name: found(next(t for _, t in in_xml(raw) if "fell ill" in t))[2] for name, raw in files.items()}
    truth = offsets(told)
    assert 0 not in truth.values()
    assert len(set(truth.values())) > PATIENTS / 2
    assert attack.left_over(truth) == {}
    if transmission == "mask":  # what would be lost: the attack works where there is something to find
        assert attack.common_day(truth) > 0.8
    else:
        assert attack.common_day(truth) == 0


def test_structured_dates_of_case_reports_agree_with_the_narrative(tmp_path: Path) -> None:
    """The pairing of section 9: drugs and events of the structured part with the same ones in the text."""
    (tmp_path / "in").mkdir()
    for n, (name, days) in enumerate(list(COHORT.items())[:20]):
        (tmp_path / "in" / f"{name}.xml").write_bytes(e2b_file(n, name, days, "R3"))
    files = released(E2bReader(folder=tmp_path / "in"), E2bConsumer(durable=False, ids_key=IDS_KEY), tmp_path / "out")
    for raw in files.values():
        values = list(in_xml(raw))
        _, begun, ill, well = found(next(t for _, t in values if "fell ill" in t))[:4]
        structured = [found(value)[0] for where, value in values if "effectiveTime" in where and found(value)]
        assert {(s - t).days for s, t in zip(sorted(structured), (begun, ill, well), strict=True)} == {0}


def fhir_file(n: int, days: list[Day]) -> dict[str, Any]:
    born, begun, ill, well, told = (d.isoformat() for d in days)
    subject = {"reference": f"Patient/p{n}"}
    stamp = f"{EXPORTED.isoformat()}T10:15:00Z"
    made = bundle(
        patient(f"p{n}", birthDate=born, meta={"lastUpdated": stamp}),
        {
            "resourceType": "MedicationStatement",
            "id": f"m{n}",
            "status": "active",
            "subject": subject,
            "effectivePeriod": {"start": begun, "end": f"{well}T10:00:00Z"},
            "note": [{"text": narrative(days)}],
        },
        {"resourceType": "Condition", "id": f"c{n}", "subject": subject, "onsetDateTime": ill, "recordedDate": told},
        {
            "resourceType": "DocumentReference",
            "id": f"d{n}",
            "status": "current",
            "subject": subject,
            "content": [{"attachment": {"contentType": "text/plain", "data": data(narrative(days, "%d %B %Y"))}}],
        },
    )
    made |= {"timestamp": stamp, "meta": {"lastUpdated": stamp}}
    made["entry"][0]["response"] = {"status": "200", "lastModified": stamp}
    return made


@pytest.mark.slow
def test_bundles_of_one_export_tell_no_offset(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for n, (name, days) in enumerate(COHORT.items()):
        (tmp_path / "in" / f"{name}.json").write_text(json.dumps(fhir_file(n, days)))
    files = released(FhirReader(folder=tmp_path / "in"), FhirConsumer(durable=False, ids_key=IDS_KEY), tmp_path / "out")
    assert len(files) == PATIENTS
    roots = {name: json.loads(raw) for name, raw in files.items()}
    attack = Attack({name: list(in_json(root)) for name, root in roots.items()})
    told = {name: Day.fromisoformat(root["entry"][2]["resource"]["onsetDateTime"]) for name, root in roots.items()}
    truth = offsets(told)
    assert attack.left_over(truth) == {}
    assert attack.common_day(truth) == 0
    for name, root in roots.items():
        statement = root["entry"][1]["resource"]
        period = [found(statement["effectivePeriod"][end])[0] for end in ("start", "end")]
        text = found(statement["note"][0]["text"])
        assert period == [text[1], text[3]], name
        assert (text[2] - COHORT[name][2]).days == truth[name] != 0


def csv_file(path: Path) -> Path:
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "patient", "text", "begun", "ward", "exported", "shift"])
        for n, (name, days) in enumerate(COHORT.items()):
            rows.writerow([name, f"P{n}", narrative(days), days[1].isoformat(), "W3", EXPORTED.strftime("%d %b %Y"), n])
    return path


CARRIED = {
    "patient_id": "patient",
    "begun": "begun",
    "ward": "ward",
    "exported": "exported",
    "date_shift_note": "shift",
}


def test_metadata_that_would_undo_the_masking_are_withheld_and_told(tmp_path: Path) -> None:
    reader = CsvReader(files=csv_file(tmp_path / "a.csv"), metadata=CARRIED)
    consumer = JsonlConsumer(fields=["id", "text", "metadata"])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", WithheldWarning)
        (raw,) = released(reader, consumer, tmp_path / "out").values()
    lines = [json.loads(line) for line in raw.decode().splitlines()]
    assert {json.dumps(line["metadata"]) for line in lines} == {'{"encoding": "utf-8", "ward": "W3"}'}
    assert sorted({str(w.message) for w in told}) == [
        "jsonl: metadata begun contains a date that was not shifted; let the reader declare it: structured: {begun: DATE}: "
        "not written",
        "jsonl: metadata date_shift_note tells whose document it is, or by how much its dates were shifted: not written",
        "jsonl: metadata exported contains a date that was not shifted; let the reader declare it: structured: {exported: DATE}: "
        "not written",
        "jsonl: metadata patient_id tells whose document it is, or by how much its dates were shifted: not written",
    ]


def test_declared_dates_of_rows_move_with_the_text(tmp_path: Path) -> None:
    carried = {name: field for name, field in CARRIED.items() if name in ("patient_id", "ward")}
    reader = CsvReader(files=csv_file(tmp_path / "a.csv"), metadata=carried, structured={"begun": PhiKind.DATE})
    consumer = JsonlConsumer(fields=["id", "text", "metadata"])
    (raw,) = released(reader, consumer, tmp_path / "out", WithheldWarning).values()
    lines = {line["id"]: line for line in map(json.loads, raw.decode().splitlines())}
    attack = Attack({name: list(in_json(line)) for name, line in lines.items()})
    truth = offsets({name: found(line["text"])[2] for name, line in lines.items()})
    assert attack.left_over(truth) == {}
    assert attack.common_day(truth) == 0
    for line in lines.values():
        assert line["metadata"]["begun"] == found(line["text"])[1].isoformat()
        assert line["metadata"]["ward"] == "W3"
