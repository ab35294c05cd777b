"""Planted values, which no list knows, in every corner of FHIR: none may be left in what is written, nor in its base64."""

from __future__ import annotations

import base64
import datetime
import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fhir_samples import bundle, data, document, patient, write
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caspipe.consumers.records.json_spans import value_spans
from caspipe.pipeline import Pipeline
from caspipe.pipeline.contract.report import RunReport

PLANTED = "Zramexvlo"
ENGINES: list[Any] = [
    "segmenter",
    "known_phi",
    {"aggregate": {"id": "rules", "engines": ["dates", "ages", "identifiers", "names"]}},
    {"resolver": {"priority": ["known_phi", "rules"]}},
    {"masker": {"DATE": {"shift": {"key": "a-secret-of-sixteen"}}, "AGE": {"age": {}}}},
]
EXTENSIONS = "http://hl7.org/fhir/StructureDefinition"


def run(folder: Path, output: Path) -> RunReport:
    steps = {
        "reader": {"fhir": {"folder": str(folder)}},
        "engines": ENGINES,
        "consumers": ["fhir"],
        "run": {"output": str(output), "names": "id", "scan": False},  # this test searches itself
    }
    return Pipeline.parse(json.dumps(steps)).run()


def back(tmp_path: Path, root: Any) -> Any:
    write(tmp_path / "in" / "b.json", root)
    report = run(tmp_path / "in", tmp_path / "out")
    assert report.exit_code == 0, report.failures
    return json.loads((tmp_path / "out/release/fhir/b.json").read_text(encoding="utf-8"))


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict | list):
        for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, f"{path}/{name}")
    else:
        yield path, value


def readable(root: Any) -> str:
    """All values of a file, what is encoded in them too."""
    found = []
    for _, value in leaves(root):
        found.append(str(value))
        bare = re.sub(r"\s", "", str(value))
        if re.fullmatch(r"[A-Za-z0-9+/]{8,}={0,2}", bare) and len(bare) % 4 == 0:
            found.append(base64.b64decode(bare).decode("latin-1"))
    return "\n".join(found)


def extension(name: str, **value: Any) -> dict[str, Any]:
    return {"extension": [{"url": f"{EXTENSIONS}/{name}", **value}]}


B64 = data(f"of {PLANTED}")
DIV = '<div xmlns="http://www.w3.org/1999/xhtml">{}</div>'


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "extra"),
    [
        ("Patient", extension("patient-mothersMaidenName", valueString=PLANTED)),
        ("Patient", extension("somebody-knows-what", valueString=PLANTED)),
        ("Patient", {"modifierExtension": [{"url": "http://x.example/m", "valueString": PLANTED}]}),
        ("Patient", extension("b", valueBase64Binary=B64)),
        ("Patient", extension("b", valueUri=f"mailto:{PLANTED}@example.org")),
        ("Patient", extension("b", valueUrl=f"http://x.example/?name={PLANTED}")),
        ("Patient", extension("b", valueSignature={"who": {"display": PLANTED}, "data": B64})),
        ("Patient", extension("b", valueAnnotation={"authorString": PLANTED, "text": "x"})),
        ("Patient", extension("b", valueAttachment={"data": B64})),
        ("Patient", {"name": [{"family": "T", "_family": extension("humanname-own-name", valueString=PLANTED)}]}),
        ("Patient", {"name": [{"_text": extension("phonetic", valueString=PLANTED)}]}),
        ("Patient", {"name": [{"suffix": [PLANTED]}]}),
        ("Patient", {"address": [{"_line": [extension("iso21090-ADXP-streetName", valueString=PLANTED)]}]}),
        ("Patient", {"address": [{"postalCode": 60617}]}),
        ("Patient", {"identifier": [{"value": 60617}]}),
        ("Patient", {"identifier": [{"_value": extension("rendered-value", valueString=PLANTED)}]}),
        ("Patient", {"telecom": [{"value": 60617}]}),
        ("Patient", {"link": [{"other": {"reference": f"Patient?identifier=http://x.example|{PLANTED}"}}]}),
        ("Patient", {"birthDate": 60617}),
        ("Observation", {"note": [{"authorString": PLANTED, "text": "x"}]}),
        ("Observation", {"code": {"text": "Age of the oldest"}, "valueInteger": 60617}),
        ("Consent", {"sourceAttachment": {"data": B64}}),
        ("Provenance", {"signature": [{"data": B64, "sigFormat": "application/jose"}]}),
        ("AuditEvent", {"agent": [{"name": PLANTED, "altId": PLANTED, "network": {"address": PLANTED}}]}),
        ("AuditEvent", {"source": {"site": PLANTED}, "entity": [{"name": PLANTED, "query": B64}]}),
        ("AuditEvent", {"entity": [{"detail": [{"type": "x", "valueBase64Binary": B64}]}]}),
        ("Coverage", {"network": PLANTED, "dependent": PLANTED, "class": [{"value": PLANTED, "name": PLANTED}]}),
        ("Claim", {"accident": {"locationAddress": {"line": [PLANTED], "city": PLANTED}}}),
        ("Claim", {"insurance": [{"preAuthRef": [PLANTED], "businessArrangement": PLANTED}]}),
        ("FamilyMemberHistory", {"name": PLANTED}),
        ("Specimen", {"accessionIdentifier": {"value": PLANTED}}),
        ("ServiceRequest", {"requisition": {"system": "http://x.example", "value": PLANTED}}),
        ("Parameters", {"parameter": [{"name": "patient-name", "valueString": PLANTED}]}),
        ("QuestionnaireResponse", {"item": [{"linkId": "1", "text": "Your name?", "answer": [{"valueString": PLANTED}]}]}),
        ("QuestionnaireResponse", {"item": [{"linkId": "1", "text": "Phone", "answer": [{"valueInteger": 60617}]}]}),
        ("QuestionnaireResponse", {"item": [{"linkId": "1", "text": "x", "answer": [{"valueUri": f"tel:{PLANTED}"}]}]}),
        ("Library", {"author": [{"name": PLANTED}], "contact": [{"name": PLANTED}], "publisher": PLANTED}),
        ("Binary", {"contentType": "application/dicom", "data": B64}),
        ("Basic", {"nested": {"personName": PLANTED, "phoneNo": PLANTED}}),
        ("Basic", {"valueString": base64.b64encode(PLANTED.encode() * 40).decode()}),
        ("Basic", {"text": {"div": DIV.format(f'<p aria-label="{PLANTED}" id="{PLANTED}" h:title="{PLANTED}">x</p>')}}),
        ("Basic", {"text": {"div": DIV.format(f"<p title={PLANTED}>x</p><b {PLANTED}>x</b><!-- {PLANTED} --><?x {PLANTED}?>")}}),
        ("Basic", {"text": {"div": DIV.format(f"Dr. <{PLANTED}@example.org>")}}),
    ],
)  # fmt: skip
def test_what_is_planted_does_not_come_out(kind: str, extra: dict[str, Any], tmp_path: Path) -> None:
    root = back(tmp_path, {"resourceType": kind, "id": "1", "status": "final", **extra})
    assert PLANTED.lower() not in readable(root).lower() and "60617" not in readable(root)
    assert root["resourceType"] == kind and root["id"] != "1" and root["status"] == "final"


def test_requests_and_searches_of_bundles_hide_whom_they_ask_for(tmp_path: Path) -> None:
    root = bundle(patient())
    root["link"] = [{"relation": "self", "url": f"http://x.example/Patient?name={PLANTED}&birthdate=1961-03-12"}]
    root["signature"] = {"data": B64}
    root["entry"][0]["request"] = {"method": "POST", "url": "Patient", "ifNoneExist": f"identifier=http://x|{PLANTED}"}
    root["entry"].append({"request": {"method": "PUT", "url": f"Patient?family={PLANTED}", "ifMatch": 'W/"1"'}})
    made = back(tmp_path, root)
    assert PLANTED not in readable(made) and "1961-03-12" not in readable(made)
    assert made["entry"][0]["request"]["url"] == "Patient"
    assert re.fullmatch(r'W/"[a-z2-7]{26}"', made["entry"][1]["request"]["ifMatch"])


def test_names_of_codes_that_name_a_patient_are_masked(tmp_path: Path) -> None:
    code = {
        "coding": [{"system": "http://x.example", "code": "7", "display": "List of Tollivant"}],
        "text": "List of Tollivant",
    }
    made = back(tmp_path, bundle(patient(), {"resourceType": "Observation", "code": code}))
    found = made["entry"][1]["resource"]["code"]
    assert "Tollivant" not in json.dumps(found)
    assert found["coding"][0]["system"] == "http://x.example" and found["coding"][0]["code"] == "7"


@pytest.mark.slow
@pytest.mark.parametrize(
    "kept",
    [
        {"code": {"coding": [{"system": "http://loinc.org", "version": "2020-09-01", "code": "1-8"}]}},
        {"questionnaire": "http://x.example/Questionnaire/3141|1.0"},
        {"policy": ["http://x.example/Consent/25"]},
        {"version": "2020-01-01"},
        {"valueQuantity": {"value": 107, "unit": "mmHg", "system": "http://unitsofmeasure.org", "code": "mm[Hg]"}},
        {"valueSampledData": {"period": 10, "dimensions": 1, "data": "2041 2043 E"}},
        {"interpretation": [{"coding": [{"display": "High"}]}]},
        {"lotNumber": "7896", "udiCarrier": []},
        {"extension": [{"url": f"{EXTENSIONS}/race", "extension": [{"url": "text", "valueString": "White"}]}]},
        {"parameter": [{"name": "exact", "valueBoolean": True}, {"name": "c", "valueCode": "name"}]},
        {"identifier": [{"use": "usual", "type": {"text": "Medical record"}, "system": "urn:oid:1.2"}]},
        {"deviceName": [{"name": "Pacer", "type": "user-friendly-name"}]},
    ],
)
def test_codes_names_of_things_and_numbers_stay(kept: dict[str, Any], tmp_path: Path) -> None:
    root = {"resourceType": "Observation", **kept}
    assert back(tmp_path, root) == root


@pytest.mark.slow
@pytest.mark.parametrize(
    "old",
    [
        {"ageRange": {"low": {"value": 93, "code": "a"}}},
        {"item": [{"linkId": "1", "text": "How old are you?", "answer": [{"valueInteger": 93}]}]},
        {"item": [{"linkId": "1", "text": "Age", "answer": [{"valueString": "93"}]}]},
        {"component": [{"code": {"coding": [{"code": "30525-0"}]}, "valueQuantity": {"value": 93, "code": "a"}}]},
        {"ageString": "93"},
    ],
)
def test_ages_of_the_very_old_go_wherever_they_stand(old: dict[str, Any], tmp_path: Path) -> None:
    assert "93" not in readable(back(tmp_path, {"resourceType": "Basic", **old}))


def test_a_list_of_texts_and_values_is_masked_in_both(tmp_path: Path) -> None:
    made = back(tmp_path, bundle(patient(), {"resourceType": "Basic", "event": ["2015", "by Ansgarde Tollivant", 7]}))
    assert made["entry"][1]["resource"]["event"][1:] == ["by [PERSON]", 7]
    assert made["entry"][1]["resource"]["event"][0] in ("2014", "2015", "2016")


def test_several_values_at_the_end_give_way_to_what_stands_before(tmp_path: Path) -> None:
    name = {"_family": {"id": "1"}, "_text": {"id": "2"}, "use": "usual", "family": PLANTED, "text": PLANTED}
    made = back(tmp_path, {"resourceType": "Patient", "name": [name]})
    assert sorted(made["name"][0]) == ["_family", "_text", "use"]


def test_what_leads_to_one_patient_is_about_that_patient(tmp_path: Path) -> None:
    report = {
        "resourceType": "DiagnosticReport",
        "id": "r",
        "subject": {"reference": "Patient/p1"},
        "issued": "2026-04-05",
    }
    signed = {"resourceType": "Provenance", "target": [{"reference": "DiagnosticReport/r"}], "recorded": "2026-04-05"}
    visit = {
        "resourceType": "Appointment",
        "participant": [{"actor": {"reference": "Patient/p1"}}],
        "start": "2026-04-05",
    }
    made = back(tmp_path, bundle(patient(), patient("p2", "Quillerby", "Ines"), report, signed, visit))
    found = [entry["resource"] for entry in made["entry"]]
    assert found[2]["issued"] == found[3]["recorded"] == found[4]["start"] != "2026-04-05"


@pytest.mark.slow
def test_texts_about_nobody_know_every_patient_of_the_file(tmp_path: Path) -> None:
    minutes = {"resourceType": "Communication", "payload": [{"contentString": "Called Ms Tollivant, then quillerby."}]}
    made = back(tmp_path, bundle(patient(), patient("p2", "Quillerby", "Ines"), minutes))
    assert not re.search("tollivant|quillerby", json.dumps(made), re.IGNORECASE)


@pytest.mark.slow
def test_files_of_a_folder_know_the_people_of_each_other(tmp_path: Path) -> None:
    write(tmp_path / "in" / "patient.json", patient())
    write(
        tmp_path / "in" / "doctor.json", {"resourceType": "Practitioner", "id": "d1", "name": [{"family": "Vlofyxghe"}]}
    )
    note = {**document("Tollivant saw vlofyxghe."), "author": [{"reference": "Practitioner/d1"}]}
    write(tmp_path / "in" / "note.json", note)
    assert run(tmp_path / "in", tmp_path / "out").exit_code == 0
    made = json.loads((tmp_path / "out/release/fhir/note.json").read_text())
    assert not re.search("tollivant|vlofyxghe", readable(made), re.IGNORECASE)


@pytest.mark.slow
def test_many_doctors_of_a_file_are_found_in_its_texts(tmp_path: Path) -> None:
    doctors = [
        {"resourceType": "Practitioner", "id": f"d{n}", "name": [{"family": f"Vlo{a}y{b}x"}]}
        for n, (a, b) in enumerate(PAIRS)
    ]
    note = document("Seen by Vlobynx and Vlonyrx, and Li.")
    few = {"resourceType": "Practitioner", "id": "li", "name": [{"family": "Li", "given": ["Wu"]}]}
    made = back(tmp_path, bundle(patient(), note, few, *doctors))
    assert not re.search("Vlobynx|Vlonyrx", readable(made))


PAIRS = list(itertools.product("bcdfghjklmnpqrs", "aeiouynr"))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text('abc"\\\u00e9{}[]:,', max_size=3), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(JSON, st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_places_of_any_json_hold_what_is_there(root: Any, ascii_only: bool, indent: int | str | None) -> None:
    text = json.dumps(root, ensure_ascii=ascii_only, indent=indent)
    found = value_spans(text)

    def check(value: Any, path: str) -> None:
        assert json.loads(text[found[path].begin : found[path].end]) == value
        for name, inner in (
            value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        ):
            check(inner, f"{path}/{name}")

    check(root, "")


DAYS = st.dates(datetime.date(1930, 1, 1), datetime.date(2030, 12, 28)).map(str)
TREES = st.recursive(
    st.sampled_from([PLANTED + "@example.org", "no finding", 7, True, None]) | DAYS,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        | st.dictionaries(
            st.sampled_from(["note", "text", "recorded", "_recorded", "name", "period", "extension", "value", "code2"]),
            inner,
            min_size=1,
            max_size=4,
        )
    ),
    max_leaves=12,
).filter(lambda t: isinstance(t, dict))


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(TREES, min_size=1, max_size=3))
def test_whatever_the_shape_nothing_planted_is_left_and_dates_move_alike(
    tmp_path_factory: pytest.TempPathFactory, trees: list[dict[str, Any]]
) -> None:
    root = bundle(patient(), *({"resourceType": "Basic", "subject": {"reference": "Patient/p1"}, **t} for t in trees))
    made = back(tmp_path_factory.mktemp("tree"), root)
    assert PLANTED not in json.dumps(made)
    before, after = dict(leaves(root)), dict(leaves(made))
    moved = set()
    for path, value in before.items():
        if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", value):
            new = str(after.get(path, ""))
            assert new != value
            if re.fullmatch(r"\d{4}-\d\d-\d\d", new):
                moved.add((datetime.date.fromisoformat(new) - datetime.date.fromisoformat(value)).days)
        elif path in after and not isinstance(value, str):
            assert after[path] == value or after[path] is None
    assert len(moved) <= 1
