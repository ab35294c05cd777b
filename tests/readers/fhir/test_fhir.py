"""Reading FHIR R4: which values are texts, which are known, which are structured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fhir_samples import NOTE, PRACTITIONER, bundle, data, document, patient, write

from caspipe.readers.fhir import FhirReader
from caspipe.typesystem import Cas, RecordField


def read(path: Path) -> tuple[list[Cas], list[str]]:
    reader = FhirReader(folder=path) if path.is_dir() else FhirReader(files=[path])
    reader.open()
    found = list(reader)
    return found, [f"{name}: {error}" for name, error in reader.failed]


def one(tmp_path: Path, *resources: dict[str, Any]) -> list[Cas]:
    found, failed = read(write(tmp_path / "b.json", bundle(*resources)))
    assert failed == []
    return found


def fields(cas: Cas) -> dict[str, tuple[str, str]]:
    return {f.path: (f.kind.name, f.value) for f in cas.select(RecordField)}


def known(cas: Cas) -> set[tuple[str, str, str]]:
    return {(k.kind.name, k.value, k.role) for k in cas.known_phi}


def test_an_attachment_is_a_document_and_the_bundle_tells_about_its_people(tmp_path: Path) -> None:
    (cas,) = one(tmp_path, patient(), PRACTITIONER, document())
    assert cas.text == NOTE and cas.id == "b/entry.2.resource/DocumentReference/content/0/attachment/data"
    assert known(cas) >= {
        ("PERSON_PATIENT", "Ansgarde Maud Tollivant", "patient"),
        ("PERSON_RELATIVE", "Lyle Tollivant", "relative"),
        ("PERSON_DOCTOR", "Obren Fessenmark", "doctor"),
        ("ID_MEDICAL_RECORD", "00417732", "patient"),
        ("DATE_BIRTH", "1961-03-12", "patient"),
        ("LOCATION_CITY", "Dunmere", "patient"),
        ("PHONE", "555-0199", "patient"),
    }
    assert cas.metadata["patient_id"] == "Patient/p1" and cas.metadata["carrier_texts"] == "1"


def test_every_identifying_value_and_every_date_is_a_field(tmp_path: Path) -> None:
    (cas,) = one(tmp_path, patient(), document())
    found = fields(cas)
    assert found["/entry/0/resource/birthDate"] == ("DATE_BIRTH", "1961-03-12")
    assert found["/entry/0/resource/name/0/given/1"] == ("PERSON_PATIENT", "Maud")
    assert found["/entry/0/resource/address/0/line/0"] == ("LOCATION_STREET", "9 Oak Rd")
    assert found["/entry/1/resource/date"] == ("DATE", "2026-04-05")
    assert found["/entry/1/resource/subject/display"] == ("PERSON_PATIENT", "Ansgarde Tollivant")
    assert not any(path.endswith(("/id", "/reference", "/system", "/gender", "/status")) for path in found)


@pytest.mark.parametrize(
    ("extra", "path", "expected"),
    [
        ({"onsetPeriod": {"start": "2020-03", "end": "2020"}}, "onsetPeriod/start", ("DATE", "2020-03")),
        ({"onsetPeriod": {"start": "2020-03", "end": "2020"}}, "onsetPeriod/end", ("DATE", "2020")),
        ({"meta": {"lastUpdated": "2020-03-04T05:06:07.123+01:00"}}, "meta/lastUpdated", ("OTHER", "")),
        ({"recordedDate": "2020-03-04T05:06:07.123+01:00"}, "recordedDate", ("DATE", "2020-03-04")),
        ({"recordedDate": "4.3.2020"}, "recordedDate", ("OTHER", "4.3.2020")),
        ({"lastOccurrence": "2012-06"}, "lastOccurrence", ("DATE", "2012-06")),
        ({"sent": "2012"}, "sent", ("DATE", "2012")),
        ({"extension": [{"url": "x", "valueDate": "2020-03-04"}]}, "extension/0/valueDate", ("DATE", "2020-03-04")),
        ({"extension": [{"valueHumanName": {"family": "T."}}]}, "extension/0/valueHumanName/family", ("PERSON", "T.")),
        ({"extension": [{"valueAddress": {"city": "Ede"}}]}, "extension/0/valueAddress/city", ("LOCATION_CITY", "Ede")),
        ({"onsetAge": {"value": 93, "code": "a"}}, "onsetAge/value", ("AGE", "93 years")),
        ({"udiCarrier": [{"deviceIdentifier": "A7"}]}, "udiCarrier/0/deviceIdentifier", ("ID_DEVICE", "A7")),
        ({"position": {"latitude": 42.25, "longitude": -83.5}}, "position/latitude", ("LOCATION_COORDINATES", "42.25")),
        ({"photo": [{"contentType": "image/png", "url": "http://a.example/1"}]}, "photo/0/url", ("URL", "http://a.example/1")),
    ],
)  # fmt: skip
def test_values_are_known_by_their_datatype_wherever_they_stand(
    extra: dict[str, Any], path: str, expected: tuple[str, str], tmp_path: Path
) -> None:
    (cas,) = one(tmp_path, {"resourceType": "Condition", "subject": {"reference": "Patient/p1"}, **extra})
    assert fields(cas)[f"/entry/0/resource/{path}"] == expected


@pytest.mark.parametrize(
    ("extra", "text"),
    [
        ({"note": [{"text": "Lives with Lyle."}]}, "Lives with Lyle."),
        ({"conclusion": "No fracture."}, "No fracture."),
        ({"text": {"status": "generated", "div": "<div><p>Seen by <b>Lyle</b></p></div>"}}, "Seen by Lyle\n"),
        ({"valueString": "told by Lyle"}, "told by Lyle"),
        ({"code": {"coding": [{"code": "1", "display": "Fall"}], "text": "fell at Lyle's"}}, "fell at Lyle's"),
        ({"payload": [{"contentString": "Call Lyle"}]}, "Call Lyle"),
        ({"description": "Lyle's letter"}, "Lyle's letter"),
    ],
)
def test_free_text_is_a_document_of_its_own(extra: dict[str, Any], text: str, tmp_path: Path) -> None:
    (cas,) = one(tmp_path, {"resourceType": "Observation", "status": "final", **extra})
    assert cas.text == text


def test_words_of_the_terminology_are_no_text(tmp_path: Path) -> None:
    coded = {"coding": [{"system": "http://loinc.org", "code": "1", "display": "Fall"}], "text": "Fall"}
    (cas,) = one(tmp_path, {"resourceType": "Observation", "status": "final", "code": coded, "valueCode": "abc"})
    assert cas.text == "" and cas.metadata["carrier_path"] == ""


def test_each_patient_has_documents_and_dates_of_their_own(tmp_path: Path) -> None:
    found = one(
        tmp_path,
        patient(),
        patient("p2", "Quillerby", "Ines"),
        document(),
        document("Ines Quillerby is well.", "Patient/p2"),
        PRACTITIONER,
    )
    by_patient = {cas.metadata["patient_id"]: cas for cas in found}
    assert set(by_patient) == {"Patient/p1", "Patient/p2", "b"}
    assert ("PERSON_PATIENT", "Ines Maud Quillerby", "patient") not in known(by_patient["Patient/p1"])
    assert ("PERSON_DOCTOR", "Obren Fessenmark", "doctor") in known(by_patient["Patient/p2"])
    assert "/entry/1/resource/birthDate" in fields(by_patient["Patient/p2"])
    assert {cas.metadata["carrier_texts"] for cas in found} == {"3"}


def test_references_by_full_url_lead_to_the_patient(tmp_path: Path) -> None:
    found = one(tmp_path, patient(), patient("p2", "Quillerby", "Ines"), document(subject="urn:uuid:1"))
    assert [cas.metadata["patient_id"] for cas in found if cas.text] == ["Patient/p2"]


@pytest.mark.parametrize(
    ("id_", "searched"), [("tollivant-1", True), ("00417732", True), ("alison", False), ("p1", False), ("12345", False)]
)
def test_the_ids_of_people_are_searched_for_if_they_are_no_common_words(
    id_: str, searched: bool, tmp_path: Path
) -> None:
    (found,) = one(tmp_path, patient(id_, identifier=[]), document("Well.", f"Patient/{id_}"))
    assert found.metadata["patient_id"] == f"Patient/{id_}"
    assert (("ID", id_, "patient") in known(found)) is searched


def test_a_bulk_export_has_a_resource_a_line(tmp_path: Path) -> None:
    write(tmp_path / "DocumentReference.ndjson", [document(), document("Well.", "Patient/p2")])
    write(tmp_path / "Patient.ndjson", [patient(), patient("p2")])
    found, failed = read(tmp_path)
    assert failed == []
    assert [cas.text for cas in found] == [NOTE, "Well.", "", ""]
    assert found[1].metadata["carrier_path"] == "2/content/0/attachment/data#base64:utf-8:plain"
    assert ("PERSON_PATIENT", "Ansgarde Maud Tollivant", "patient") in known(found[0])
    assert found[1].metadata["patient_id"] == found[3].metadata["patient_id"] == "Patient/p2"


@pytest.mark.parametrize(
    ("attachment", "texts", "sealed"),
    [
        ({"contentType": "text/plain; charset=iso-8859-1", "data": data("Åse", "latin-1")}, ["Åse"], ""),
        ({"contentType": "text/html", "data": data("<p>Åse</p>")}, ["Åse\n"], ""),
        ({"contentType": "application/pdf", "data": data("%PDF")}, [""], "1"),
        ({"contentType": "text/plain", "data": data("Åse", "latin-1")}, [""], "1"),
        ({"contentType": "text/plain", "data": "no base64!"}, [""], "1"),
    ],
)
def test_attachments_without_readable_text_are_sealed(
    attachment: dict[str, str], texts: list[str], sealed: str, tmp_path: Path
) -> None:
    found = one(tmp_path, document(**attachment))
    assert [cas.text for cas in found] == texts
    assert found[0].metadata.get("attachments", "") == sealed


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"{", "not valid JSON (column 2)"),
        (b'{"resourceType": "Patient", "id": "1", "id": "2"}', "a field occurs twice in one object"),
        (b"[1]", "expected a FHIR resource, found no JSON object"),
        (b'{"id": "1"}', "/: expected a resourceType"),
        (b'{"resourceType": "Patient", "Lyle T.": "x"}', "/: a property name that FHIR cannot have"),
        (b'{"resourceType": "Bundle", "entry": {}}', "/entry: expected a list"),
        (b'{"resourceType": "Patient", "note": "\xff"}', "expected utf-8, found a byte that is not at byte 37"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_fhir_fails_alone_and_quotes_nothing(content: bytes, told: str, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_bytes(content)
    write(tmp_path / "good.json", bundle(patient(), document()))
    found, failed = read(tmp_path)
    assert len(found) == 1 and len(failed) == 1
    assert told in failed[0] and "Lyle" not in failed[0]


def test_the_sample_bundle_of_the_shared_formats(shared: Path) -> None:
    found, failed = read(shared / "formats" / "terminologies" / "fhir" / "bundle.json")
    assert failed == [] and len(found) == 4
    assert json.loads(Path(found[0].metadata["carrier_file"]).read_text())["resourceType"] == "Bundle"
