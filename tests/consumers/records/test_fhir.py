"""Writing FHIR back: what was masked is masked, what was not is untouched."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from fhir_samples import PRACTITIONER, bundle, data, document, patient, write

from caspipe.consumers.records.fhir import FhirConsumer
from caspipe.consumers.records.json_spans import value_spans
from caspipe.consumers.records.writeback import WithheldFileWarning
from caspipe.pipeline import Pipeline
from caspipe.pipeline.contract.report import RunReport
from caspipe.readers.fhir import FhirReader

ABSENT = {"extension": [{"url": "http://hl7.org/fhir/StructureDefinition/data-absent-reason", "valueCode": "masked"}]}
MASKER = {"DATE": {"shift": {"key": "a-secret-of-sixteen"}}, "AGE": {"age": {}}}
ENGINES: list[Any] = ["segmenter", "known_phi", "dates", "ages", "identifiers", {"masker": MASKER}]


def run(folder: Path, output: Path, engines: list[Any] | None = None) -> RunReport:
    steps = {
        "reader": {"fhir": {"folder": str(folder)}},
        "engines": engines or ENGINES,
        "consumers": ["fhir"],
        "run": {"output": str(output), "names": "id"},
    }
    return Pipeline.parse(json.dumps(steps)).run()


def back(tmp_path: Path, root: Any, engines: list[Any] | None = None) -> tuple[str, Any]:
    """The file as it was written back, as text and as JSON."""
    write(tmp_path / "in" / "b.json", root)
    report = run(tmp_path / "in", tmp_path / "out", engines)
    assert report.exit_code == 0, report.failures
    text = (tmp_path / "out/release/fhir/b.json").read_text(encoding="utf-8")
    return text, json.loads(text)


def resource(root: Any, number: int) -> Any:
    return root["entry"][number]["resource"]


@pytest.mark.slow
def test_no_known_value_and_no_date_is_left_anywhere(tmp_path: Path) -> None:
    text, root = back(tmp_path, bundle(patient(), PRACTITIONER, document()))
    note = base64.b64decode(resource(root, 2)["content"][0]["attachment"]["data"]).decode()
    for value in (
        "Tollivant",
        "Ansgarde",
        "Maud",
        "Lyle",
        "Fessenmark",
        "00417732",
        "555-0199",
        "9 Oak",
        "2026-04-05",
        "1961-03-12",
    ):
        assert value not in text + note
    assert "[PERSON]" in note


@pytest.mark.slow
def test_dates_of_the_record_and_of_its_texts_move_alike(tmp_path: Path) -> None:
    _, root = back(tmp_path, bundle(patient(), document("Seen on 5 April 2026.")))
    moved = resource(root, 1)["date"]
    assert moved.endswith("T00:00:00Z") and moved[:10] != "2026-04-05"
    note = base64.b64decode(resource(root, 1)["content"][0]["attachment"]["data"]).decode()
    import datetime

    written = datetime.date.fromisoformat(moved[:10])
    assert note == f"Seen on {written.day} {written:%b} {written.year}."


@pytest.mark.slow
def test_masked_values_are_absent_as_the_standard_says(tmp_path: Path) -> None:
    _, root = back(tmp_path, bundle(patient()))
    found = resource(root, 0)
    assert found["name"] == [{"use": "official", "_given": [ABSENT, ABSENT], "_family": ABSENT}]
    assert found["telecom"] == [{"system": "phone", "_value": ABSENT}]
    assert found["gender"] == "female" and found["id"] != "p1"


@pytest.mark.slow
def test_everything_else_stays_to_the_character(tmp_path: Path) -> None:
    code = '"code":{"coding":[{"code":"1","display":"\\u00e9"}]}'
    odd = '{"resourceType":"Observation" , "status":"final",\r\n\t"valueQuantity":{"value":1.50e0},' + code + "}"
    (tmp_path / "in").mkdir()
    (tmp_path / "in/b.json").write_bytes(odd.encode())
    assert run(tmp_path / "in", tmp_path / "out").exit_code == 0
    assert (tmp_path / "out/release/fhir/b.json").read_bytes() == odd.encode()


@pytest.mark.slow
def test_an_extension_that_is_there_already_gives_way(tmp_path: Path) -> None:
    no_key = ["segmenter", "dates", {"masker": {}}]
    extended = patient(_birthDate={"extension": [{"url": "x", "valueDateTime": "1961-03-12T01:00:00Z"}]}, active=True)
    _, root = back(tmp_path, bundle(extended), no_key)
    assert resource(root, 0)["_birthDate"] == ABSENT and "birthDate" not in resource(root, 0)
    last = {"resourceType": "Patient", "birthDate": "1961-03-12", "_birthDate": {"id": "x"}}
    _, root = back(tmp_path / "again", bundle(last), no_key)
    assert resource(root, 0) == {"resourceType": "Patient", "_birthDate": ABSENT}


@pytest.mark.slow
def test_kept_kinds_stay_and_old_ages_go(tmp_path: Path) -> None:
    policy = {"masker": {**MASKER, "policy": {"keep": ["LOCATION_COUNTRY"]}}}
    ages = {
        "resourceType": "Condition",
        "onsetAge": {"value": 91.0, "code": "a"},
        "abatementAge": {"value": 64, "code": "a"},
    }
    _, root = back(tmp_path, bundle(patient(), ages), ["segmenter", "dates", policy])
    assert resource(root, 0)["address"][0]["country"] == "US" and "city" not in resource(root, 0)["address"][0]
    assert resource(root, 1)["onsetAge"] == {"_value": ABSENT, "code": "a"}
    assert resource(root, 1)["abatementAge"] == {"value": 64, "code": "a"}


@pytest.mark.slow
def test_text_between_tags_is_masked_in_place(tmp_path: Path) -> None:
    div = '<div xmlns="http://www.w3.org/1999/xhtml"><p title="Ansgarde">Mrs. <b>Ansgarde Tollivant</b> &amp; son</p></div>'
    _, root = back(tmp_path, bundle(patient(text={"status": "generated", "div": div})))
    assert resource(root, 0)["text"]["div"] == (
        '<div xmlns="http://www.w3.org/1999/xhtml"><p title="">Mrs. <b>[PERSON]</b> &amp; son</p></div>'
    )


@pytest.mark.slow
def test_what_nobody_could_read_is_taken_out(tmp_path: Path) -> None:
    _, root = back(
        tmp_path, bundle(patient(), document(contentType="application/pdf", data=data("%PDF"), hash="abc=", size=4))
    )
    attachment = resource(root, 1)["content"][0]["attachment"]
    assert attachment == {"contentType": "application/pdf", "_data": ABSENT, "_hash": ABSENT, "_size": ABSENT}


@pytest.mark.slow
def test_a_bulk_export_is_written_line_by_line(tmp_path: Path) -> None:
    write(tmp_path / "in" / "all.ndjson", [patient(), document(), {"resourceType": "Basic", "code": {"text": "é"}}])
    assert run(tmp_path / "in", tmp_path / "out").exit_code == 0
    written = tmp_path / "out/release/fhir/all.ndjson"
    lines = written.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["resourceType"] for line in lines] == ["Patient", "DocumentReference", "Basic"]
    assert "Tollivant" not in written.read_text()


@pytest.mark.slow
def test_the_one_day_of_an_export_does_not_tell_how_offsets_differ(tmp_path: Path) -> None:
    meta = {"versionId": "3", "lastUpdated": "2026-04-05T10:15:00Z"}
    _, root = back(tmp_path, bundle(patient(meta=meta), patient("p2", "Quillerby", "Ines", meta=meta)))
    assert resource(root, 0)["meta"] == resource(root, 1)["meta"]
    assert sorted(resource(root, 0)["meta"]) == ["_lastUpdated", "versionId"]
    assert resource(root, 0)["meta"]["_lastUpdated"] == ABSENT
    assert resource(root, 0)["birthDate"] != resource(root, 1)["birthDate"]
    _, root = back(tmp_path / "alone", bundle(patient(meta=meta)))
    assert resource(root, 0)["meta"]["_lastUpdated"] == ABSENT  # other files are of the same day


@pytest.mark.slow
def test_a_file_with_a_failed_text_is_held_back(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.json", bundle(patient(), document()))
    write(tmp_path / "in" / "b.json", bundle(patient(), document(), document("BREAK")))
    broken = tmp_path / "breaking.py"
    broken.write_text(
        "from caspipe.pipeline import AnalysisEngine, component\n"
        '@component("breaking")\n'
        "class Breaking(AnalysisEngine):\n"
        '    """Breaks on a word."""\n'
        "    def process(self, cas):\n"
        '        if "BREAK" in cas.text:\n'
        '            raise ValueError("no")\n'
    )
    from caspipe.pipeline.contract import registry

    registry.load_file(str(broken))
    report = run(tmp_path / "in", tmp_path / "out", [*ENGINES, "breaking"])
    assert report.documents.quarantined == 1
    assert [p.name for p in (tmp_path / "out/release/fhir").iterdir()] == ["a.json"]
    assert any("1 file was not written back" in w for w in report.warnings)


@pytest.mark.slow
def test_without_a_masker_nothing_is_written(tmp_path: Path) -> None:
    write(tmp_path / "in" / "b.json", bundle(patient(), document()))
    report = run(tmp_path / "in", tmp_path / "out", ["segmenter"])
    assert report.documents.released == 0
    assert list((tmp_path / "out/release/fhir").iterdir()) == []


@pytest.mark.parametrize("text", ['{"a":[1,{"b":"x\\"]"}],"c":{}}', "[]", '"x"', ' { "a" : null , "b" : [ ] } '])
def test_places_of_json_hold_what_is_there(text: str) -> None:
    found = value_spans(text)

    def check(value: Any, path: str) -> None:
        assert json.loads(text[found[path].begin : found[path].end]) == value
        for name, inner in (
            value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        ):
            check(inner, f"{path}/{name}")

    check(json.loads(text), "")


def test_two_readers_of_a_file_never_make_up_a_whole_between_them(tmp_path: Path) -> None:
    path = write(tmp_path / "in" / "b.json", bundle(patient(), document("One."), document("Ansgarde Tollivant.")))
    pipe = Pipeline.parse(json.dumps({"reader": {"fhir": {"files": str(path)}}, "engines": ENGINES}))
    first, second = list(FhirReader(files=[path])), list(FhirReader(folder=tmp_path))
    consumer = FhirConsumer(folder=tmp_path / "out")
    consumer.open()
    for cas in (first[0], second[0]):  # of each the text without a name
        consumer.process(pipe.process(cas))
    with pytest.warns(WithheldFileWarning, match="2 files were not written back"):
        consumer.close()
    assert list((tmp_path / "out").rglob("*")) == []
