"""Ids in FHIR files: none of the source is released, and what referred to a resource still refers to it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fhir_samples import PRACTITIONER, bundle, data, patient, write

from caspipe.consumers.records.record_ids import run_secret
from caspipe.pipeline import Pipeline
from caspipe.pipeline.errors import ResourceError
from caspipe.pipeline.storage.secrets import Secret

pytestmark = pytest.mark.attack("record-ids")

KEY = "a-secret-of-sixteen"
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
UID = re.compile(r"urn:oid:2\.25\.[1-9][0-9]{1,38}")
ID = re.compile(r"[A-Za-z0-9\-.]{1,64}")
SERVER = "https://fhir.st-quillery.example.com/r4"
P = "4f5a1b7e-0d0a-4d6e-9a55-7c1f0f2b8d11"
STUDY = "1.3.12.2.1107.5.2.30.25119"
MASKER = {"DATE": {"shift": {"key": KEY}}, "AGE": {"age": {}}}
IDENTIFIER = {"system": "http://st-quillery.example.com/mrn", "value": "MRN-00417732"}
PATIENT = {**patient(P), "identifier": [IDENTIFIER], "meta": {"versionId": "v-17", "source": f"{SERVER}/feed#qzx17"}}
OBSERVATION: dict[str, Any] = {
    "resourceType": "Observation",
    "id": "Tollivant-obs-2024-03-04",
    "status": "final",
    "contained": [{"resourceType": "Specimen", "id": "spec-zx9"}],
    "code": {"coding": [{"system": "http://loinc.org", "code": "8480-6"}]},
    "subject": {"reference": f"Patient/{P}", "identifier": IDENTIFIER},
    "specimen": {"reference": "#spec-zx9"},
    "focus": [{"reference": f"{SERVER}/Patient/{P}/_history/v-17"}, {"reference": f"urn:uuid:{P}"}],
    "performer": [{"reference": "Practitioner?identifier=http://st-quillery.example.com/mrn|MRN-00417732"}],
    "derivedFrom": [{"reference": "ImagingStudy/is-88zq"}],
}
IMAGING = {
    "resourceType": "ImagingStudy",
    "id": "is-88zq",
    "status": "available",
    "subject": {"reference": f"urn:uuid:{P.upper()}"},
    "identifier": [{"system": "urn:dicom:uid", "value": f"urn:oid:{STUDY}"}],
    "series": [
        {
            "uid": f"{STUDY}.7",
            "modality": {"system": "http://dicom.nema.org/resources/ontology/DCM", "code": "MR"},
            "instance": [
                {
                    "uid": f"urn:oid:{STUDY}.7.1",
                    "sopClass": {"system": "urn:ietf:rfc:3986", "code": "urn:oid:1.2.840.10008.5.1.4.1.1.4"},
                }
            ],
        }
    ],
}
DEVICE = {
    "resourceType": "Device",
    "id": "dev-zx1",
    "udiCarrier": [
        {"deviceIdentifier": "09504000059118", "carrierHRF": "(01)09504000059118(21)QZX7", "carrierAIDC": data("QZX7")}
    ],
    "serialNumber": "SN-QZX7",
}
DOCUMENT = {
    "resourceType": "DocumentReference",
    "id": "doc-zx2",
    "status": "current",
    "subject": {"reference": f"Patient/{P}"},
    "content": [
        {"attachment": {"url": f"{SERVER}/Binary/bin-zx3"}},
        {"attachment": {"url": "http://x.example/Qzxy.pdf"}},
    ],
}
BINARY = {"resourceType": "Binary", "id": "bin-zx3", "contentType": "application/pdf", "data": data("%PDF")}
ORIGINALS = (
    P, P.upper(), P[:8], STUDY, "v-17", "qzx17", "Tollivant", "2024-03-04", "spec-zx9", "is-88zq", "st-quillery.example.com/r4",
    "dev-zx1", "09504000059118", "QZX7", "doc-zx2", "bin-zx3", "Qzxy", "00417732", "bundle-zx8",
)  # fmt: skip


def record() -> dict[str, Any]:
    root = bundle(PATIENT, OBSERVATION, IMAGING, DEVICE, DOCUMENT, BINARY)
    for entry in root["entry"]:
        inner = entry["resource"]
        entry["fullUrl"] = f"{SERVER}/{inner['resourceType']}/{inner['id']}"
        entry["request"] = {"method": "PUT", "url": f"{inner['resourceType']}/{inner['id']}", "ifMatch": 'W/"v-17"'}
        entry["response"] = {"status": "200", "location": f"{inner['resourceType']}/{inner['id']}/_history/v-17"}
    root["id"] = "bundle-zx8"
    root["link"] = [
        {"relation": "self", "url": f"{SERVER}/Patient/{P}"},
        {"relation": "next", "url": f"{SERVER}?_getpages=qzx17&_id={P}"},
    ]
    return root


def run(
    tmp_path: Path, key: str = KEY, name: str = "out", warned: list[str] | None = None, **options: Any
) -> dict[str, str]:
    """The released files, by name. `warned` gets the warnings of the run's report."""
    steps = {
        "reader": {"fhir": {"folder": str(tmp_path / "in")}},
        "engines": ["segmenter", "known_phi", "identifiers", "dates", {"masker": MASKER}],
        "consumers": [{"fhir": {"ids_key": key, **options}}],
        "run": {"output": str(tmp_path / name)},
    }
    report = Pipeline.parse(json.dumps(steps)).run()
    assert report.exit_code == 0, report.failures
    if warned is not None:
        warned += report.warnings
    folder = tmp_path / name / "release/fhir"
    return {p.name: p.read_text(encoding="utf-8") for p in sorted(folder.rglob("*json"))}


def one(tmp_path: Path, root: Any, **options: Any) -> tuple[str, Any]:
    write(tmp_path / "in" / "b.json", root)
    (text,) = run(tmp_path, **options).values()
    return text, json.loads(text)


def ids(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("id"), str):
            yield value["id"]
        for inner in value.values():
            yield from ids(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from ids(inner)


def test_no_id_of_the_source_is_released(tmp_path: Path) -> None:
    text, root = one(tmp_path, record())
    assert [value for value in ORIGINALS if value in text] == []
    assert all(ID.fullmatch(found) for found in ids(root))


def test_what_referred_to_a_resource_still_does(tmp_path: Path) -> None:
    _, root = one(tmp_path, record())
    person, observation, imaging, _, document, binary = (entry["resource"] for entry in root["entry"])
    new, base = person["id"], root["entry"][0]["fullUrl"].partition("/Patient/")[0]
    assert UUID.fullmatch(new) and re.fullmatch(r"https://[a-z2-7]{26}\.invalid/fhir", base)
    assert observation["subject"]["reference"] == f"Patient/{new}"
    version = person["meta"]["versionId"]
    assert observation["focus"][0]["reference"] == f"{base}/Patient/{new}/_history/{version}"
    assert observation["focus"][1]["reference"] == imaging["subject"]["reference"] == f"urn:uuid:{new}"
    assert observation["specimen"]["reference"] == f"#{observation['contained'][0]['id']}"
    assert observation["derivedFrom"][0]["reference"] == f"ImagingStudy/{imaging['id']}"
    value = person["identifier"][0]["value"]
    assert observation["subject"]["identifier"]["value"] == value
    assert observation["performer"][0]["reference"] == f"Practitioner?identifier={IDENTIFIER['system']}|{value}"
    assert document["content"][0]["attachment"]["url"] == f"{base}/Binary/{binary['id']}"
    assert list(document["content"][1]["attachment"]) == ["_url"]
    for entry in root["entry"]:
        where = f"{entry['resource']['resourceType']}/{entry['resource']['id']}"
        assert entry["fullUrl"] == f"{base}/{where}" and entry["request"]["url"] == where
        assert entry["request"]["ifMatch"] == f'W/"{version}"'
        assert entry["response"]["location"] == f"{where}/_history/{version}"
    assert root["link"][0]["url"] == f"{base}/Patient/{new}" and list(root["link"][1]) == ["relation", "_url"]


def test_uids_of_dicom_stay_uids_and_those_of_its_standard_stay(tmp_path: Path) -> None:
    _, root = one(tmp_path, record())
    imaging = root["entry"][2]["resource"]
    series = imaging["series"][0]
    assert UID.fullmatch(imaging["identifier"][0]["value"])
    assert UID.fullmatch(f"urn:oid:{series['uid']}") and UID.fullmatch(series["instance"][0]["uid"])
    assert len({imaging["identifier"][0]["value"], series["uid"], series["instance"][0]["uid"]}) == 3
    assert all(len(uid) <= 64 for uid in (series["uid"], series["instance"][0]["uid"].removeprefix("urn:oid:")))
    assert series["instance"][0]["sopClass"] == IMAGING["series"][0]["instance"][0]["sopClass"]  # type: ignore[index]


def test_the_files_of_a_run_and_of_runs_with_a_key_agree(tmp_path: Path) -> None:
    write(tmp_path / "in" / "Patient.ndjson", [PATIENT, patient("p2")])
    write(tmp_path / "in" / "Observation.ndjson", [OBSERVATION])
    write(tmp_path / "in" / "one.json", IMAGING)
    found = run(tmp_path)
    assert run(tmp_path, name="again") == found != run(tmp_path, name="other", key="another-secret-of-16")
    text = "".join(found.values())
    assert [value for value in ORIGINALS if value in text] == []
    lines = [json.loads(line) for file in found.values() for line in file.splitlines() if line.startswith('{"')]
    new = next(r["id"] for r in lines if r["resourceType"] == "Patient")
    observation = next(r for r in lines if r["resourceType"] == "Observation")
    assert observation["subject"]["reference"] == f"Patient/{new}" and text.count(new) == 5


def test_without_a_key_a_run_makes_its_own_and_a_resumed_run_uses_it(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.json", record())
    found = run(tmp_path, key="")
    secret = tmp_path / "out/restricted/record-ids.key"
    assert secret.stat().st_mode & 0o777 == 0o600 and re.fullmatch("[0-9a-f]{64}", secret.read_text())
    assert [value for value in ORIGINALS if value in "".join(found.values())] == []
    assert run(tmp_path, key="") == found
    assert run(tmp_path, key="", name="other") != found
    secret.chmod(0o644)
    with pytest.raises(ResourceError, match="expected 0600"):
        run_secret(Secret(), tmp_path / "out")


def test_ids_that_are_kept_are_said_at_the_end(tmp_path: Path) -> None:
    warned: list[str] = []
    _, root = one(tmp_path, bundle(patient(), PRACTITIONER), ids="keep", warned=warned)
    assert any("fhir: 1 released file has the ids of the source, as `ids: keep` says" in w for w in warned)
    assert [entry["resource"]["id"] for entry in root["entry"]] == ["p1", "d1"]
    assert root["entry"][1]["fullUrl"] == "urn:uuid:1"


CODES = {
    "resourceType": "Observation",
    "meta": {"profile": ["http://hl7.org/fhir/us/core/StructureDefinition/us-core-observation-lab|5.0.1"]},
    "implicitRules": "http://x.example/rules",
    "status": "final",
    "code": {"coding": [{"system": "urn:oid:2.16.840.1.113883.6.96", "version": "2024-03-04", "code": "271649006"}]},
    "valueQuantity": {"value": 107, "unit": "mmHg", "system": "http://unitsofmeasure.org", "code": "mm[Hg]"},
    "extension": [
        {"url": "http://hl7.org/fhir/us/core/StructureDefinition/us-core-birthsex", "valueCode": "F"},
        {"url": "http://hl7.org/fhir/StructureDefinition/x", "valueOid": "urn:oid:2.16.840.1.113883.6.1"},
        {"url": "http://hl7.org/fhir/StructureDefinition/y", "valueUri": "http://loinc.org"},
    ],
    "instantiatesCanonical": "http://x.example/PlanDefinition/7",
}


def test_codes_profiles_units_and_types_stay(tmp_path: Path) -> None:
    kept = [
        CODES,
        {"resourceType": "Bundle", "type": "batch", "entry": [{"request": {"method": "POST", "url": "Patient"}}]},
        {"resourceType": "Bundle", "type": "batch", "entry": [{"request": {"method": "GET", "url": "metadata"}}]},
        {"resourceType": "Parameters", "parameter": [{"name": "url", "valueUri": "http://loinc.org/vs/LL715-4"}]},
        {
            "resourceType": "StructureDefinition",
            "url": "http://x.example/StructureDefinition/p",
            "snapshot": {"element": [{"id": "Patient.name", "path": "Patient.name"}]},
        },
    ]
    write(tmp_path / "in" / "kept.ndjson", kept)
    (text,) = run(tmp_path).values()
    assert [json.loads(line) for line in text.splitlines()] == kept


PLANTED = "Zramexvlo"
HL7 = "http://hl7.org/fhir"
EXTENSION = "http://st-quillery.example.com/ext"


KINDS = ("Code", "String", "Markdown", "Id", "Uri", "Url", "Canonical", "Uuid", "Oid", "Base64Binary")


@pytest.mark.parametrize("owner", ["Patient", "Observation"])
def test_no_value_of_an_unknown_extension_is_released(owner: str, tmp_path: Path) -> None:
    extensions = [{"url": EXTENSION, f"value{kind}": f"{PLANTED}{kind}"} for kind in KINDS]
    text, root = one(tmp_path, {"resourceType": owner, "extension": extensions})
    assert re.findall(f"{PLANTED}[A-Za-z0-9]*", text) == []
    assert {extension["url"] for extension in root["extension"]} == {EXTENSION}


COMPLEX: list[dict[str, Any]] = [
    {"url": EXTENSION, "valueCoding": {"system": "http://x.example", "code": PLANTED, "display": PLANTED}},
    {"url": EXTENSION, "valueCodeableConcept": {"coding": [{"code": PLANTED}], "text": PLANTED}},
    {"url": EXTENSION, "valueQuantity": {"value": 60617, "unit": PLANTED, "code": PLANTED}},
    {"url": EXTENSION, "valueInteger": 60617},
    {"url": EXTENSION, "valueDecimal": 60617},
    {"url": EXTENSION, "extension": [{"url": "text", "valueCode": PLANTED}]},
    {"url": EXTENSION, "extension": [{"url": "http://hl7.org/fhir/StructureDefinition/x", "valueCode": PLANTED}]},
    {"url": EXTENSION, "valueContactDetail": {"name": PLANTED}},
    {"url": EXTENSION, "valueReference": {"reference": f"Patient/{PLANTED}", "type": "Patient", "display": PLANTED}},
    {"url": EXTENSION, "valueMeta": {"tag": [{"code": PLANTED}], "versionId": PLANTED}},
    {"url": EXTENSION, "valueExpression": {"language": "text/x", "expression": PLANTED}},
    {"url": "relative", "valueCode": PLANTED},
    {"valueCode": PLANTED},
]


@pytest.mark.parametrize("place", ["extension", "modifierExtension", "_gender"])
def test_no_value_of_a_complex_unknown_extension_is_released(place: str, tmp_path: Path) -> None:
    value = {"extension": COMPLEX} if place == "_gender" else COMPLEX
    text, root = one(tmp_path, {"resourceType": "Basic", place: value})
    assert re.findall(f".*(?:{PLANTED}|60617).*", text) == []
    assert len(root[place]["extension"] if place == "_gender" else root[place]) == len(COMPLEX)


def test_values_of_the_standards_extensions_stay(tmp_path: Path) -> None:
    kept = [
        {"url": f"{HL7}/StructureDefinition/patient-importance", "valueCode": "vip"},
        {"url": f"{HL7}/us/core/StructureDefinition/us-core-sex", "valueCode": "248152002"},
        {
            "url": f"{HL7}/us/core/StructureDefinition/us-core-race",
            "extension": [
                {"url": "text", "valueString": "White"},
                {"url": "ombCategory", "valueCoding": {"code": "2106-3"}},
            ],
        },
        {"url": "http://x.example/flag", "valueBoolean": True},
    ]
    root = {"resourceType": "Patient", "gender": "female", "extension": kept}
    assert one(tmp_path, root)[1] == root
