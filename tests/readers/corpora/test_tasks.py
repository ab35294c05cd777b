"""Common behavior of the readers of doccano, Prodigy and Label Studio. All texts are our own."""

from __future__ import annotations

import gzip
import json
import pickle
import zipfile
from pathlib import Path
from typing import Any

import pytest

from caspipe.readers.corpora.doccano import DoccanoReader
from caspipe.readers.corpora.label_studio import LabelStudioReader
from caspipe.readers.corpora.prodigy import ProdigyReader
from caspipe.readers.corpora.tasks import TaskReader
from caspipe.typesystem import GOLD_VIEW, Cas, CaspipeWarning, KnownPhi, Phi, PhiKind

NAME = "Featherstone"
TEXT = f"Mr. {NAME} \U0001f600 of Lund"
PLACE = len(TEXT) - 4


def doccano(begin: Any, end: Any, label: Any = "LOCATION_CITY", text: Any = TEXT, **more: Any) -> dict[str, Any]:
    return {"text": text, "label": [[begin, end, label]], **more}


def prodigy(begin: Any, end: Any, label: Any = "LOCATION_CITY", text: Any = TEXT, **more: Any) -> dict[str, Any]:
    return {"text": text, "spans": [{"start": begin, "end": end, "label": label}], "answer": "accept", **more}


def label_studio(begin: Any, end: Any, label: Any = "LOCATION_CITY", text: Any = TEXT, **more: Any) -> dict[str, Any]:
    if isinstance(begin, int) and isinstance(text, str):
        begin, end = begin + (begin > 19), end + (end > 19)  # behind the emoji
    value = {"start": begin, "end": end, "labels": [label]}
    result = {"id": "r", "from_name": "label", "to_name": "text", "type": "labels", "value": value}
    return {"data": {"text": text}, "annotations": [{"result": [result], "completed_by": 1}], **more}


TOOLS: list[Any] = [
    pytest.param(DoccanoReader, doccano, id="doccano"),
    pytest.param(ProdigyReader, prodigy, id="prodigy"),
    pytest.param(LabelStudioReader, label_studio, id="label_studio"),
]
FIELD = {DoccanoReader: "field label, span 1", ProdigyReader: "span 1", LabelStudioReader: "result 1"}
FIELDS = {DoccanoReader: "text", ProdigyReader: "text", LabelStudioReader: "data.text"}


def reader(cls: type[TaskReader], tmp_path: Path, *lines: dict[str, Any] | str | bytes, **options: Any) -> TaskReader:
    data = b"".join(
        (x if isinstance(x, bytes) else (x if isinstance(x, str) else json.dumps(x)).encode()) + b"\n" for x in lines
    )
    (tmp_path / "tasks.jsonl").write_bytes(data)
    return cls(files=tmp_path / "tasks.jsonl", **options)


def gold(cas: Cas) -> list[tuple[str, str]]:
    return [(p.covered_text, p.kind.name) for p in cas.view(GOLD_VIEW).select(Phi)]


def faults(r: TaskReader) -> list[tuple[str, str]]:
    assert NAME not in repr(r.failed)
    return [(id, str(error).rpartition("tasks.jsonl, ")[2]) for id, error in r.failed]


@pytest.mark.parametrize(("cls", "task"), TOOLS)
def test_spans_become_gold_and_ids_are_found_or_made(cls: type[TaskReader], task: Any, tmp_path: Path) -> None:
    r = reader(cls, tmp_path, task(4, 16, "PERSON"), "", task(PLACE, len(TEXT), id=7))
    first, second = r
    assert (first.id, first.text, gold(first)) == ("tasks/1", TEXT, [(NAME, "PERSON")])
    assert (second.id, gold(second)) == ("7", [("Lund", "LOCATION_CITY")])
    numbered = list(reader(cls, tmp_path, task(4, 16, id=7), id_field=None))
    assert [cas.id for cas in numbered] == ["tasks/1"]


@pytest.mark.parametrize(("cls", "task"), TOOLS)
def test_labels_are_those_of_a_scheme_or_translated_or_dropped(
    cls: type[TaskReader], task: Any, tmp_path: Path
) -> None:
    (cas,) = reader(cls, tmp_path, task(4, 16, "NOMBRE_SUJETO_ASISTENCIA"), scheme="meddocan")
    assert gold(cas) == [(NAME, "PERSON_PATIENT")]
    cas, other = reader(cls, tmp_path, task(4, 16, "Who"), task(4, 16, "No"), kinds={"Who": PhiKind.PERSON, "No": None})
    assert (gold(cas), gold(other)) == ([(NAME, "PERSON")], [])
    with pytest.raises(ValueError, match="scheme: no scheme called 'i2b2'"):
        cls(scheme="i2b2")
    with pytest.raises(ValueError, match="text_field: expected one field"):
        cls(text_field=["a", "b"])


@pytest.mark.parametrize(("cls", "task"), TOOLS)
def test_a_faulty_task_fails_alone(cls: type[TaskReader], task: Any, tmp_path: Path) -> None:
    name = FIELD[cls]
    deep = "[" * 100_000
    r = reader(
        cls,
        tmp_path,
        task(4, 99),
        task(4.5, 16),
        task(4, 16, "PERSONS"),
        task(4, 16, f"{NAME} {NAME}"),
        task(4, 16, text=5),
        '{"text": "a", "x": ' + deep,
        json.dumps(task(4, 16))[:-9],
        b'{"text": "\xe9"}',
        "[3]",
        task(0, 2, "PERSON", id=1),
        task(0, 2, "PERSON", id=1),
    )
    assert [cas.id for cas in r] == ["1"]
    found = dict(faults(r))
    assert found["tasks/1"] == f"line 1: {name}: 4:99 is not a span of the text (0:{len(TEXT)})"
    assert found["tasks/2"] == f"line 2: {name}: expected integers as begin and end and a string as label"
    assert found["tasks/3"] == (
        f"line 3: {name}: no PHI kind called 'PERSONS'; did you mean PERSON?; `kinds` can translate or drop it"
    )
    assert found["tasks/4"] == (
        f"line 4: {name}: its label is not the name of a kind (letters, digits, _ . / -); `kinds` can translate or drop it"
    )
    assert found["tasks/5"] == f"line 5: field {FIELDS[cls]}: expected text, found a number"
    assert found["tasks/6"] == "line 6: nested too deeply"
    assert found["tasks/7"].startswith("line 7: not valid JSON (column ")
    assert found["tasks/8"] == "line 8: expected utf-8, found a byte that is not at byte 10"
    assert found["tasks/9"] == "line 9: expected a JSON object"
    assert found["1"] == "line 11: an earlier document has the same id"
    assert len(found) == 10


@pytest.mark.parametrize(("cls", "task"), TOOLS)
def test_overlaps_and_mismatches_are_as_the_parameters_say(cls: type[TaskReader], task: Any, tmp_path: Path) -> None:
    one, two = task(0, 16, "PERSON_PATIENT"), task(4, 16, "PERSON")
    for key in ("label", "spans"):
        if key in one:
            one[key] += two[key]
    if "annotations" in one:
        one["annotations"][0]["result"] += two["annotations"][0]["result"]
    r = reader(cls, tmp_path, one)
    assert list(r) == []
    assert "overlap; `overlaps` can say which to keep" in faults(r)[0][1]
    (cas,) = reader(cls, tmp_path, one, overlaps="longest")
    assert gold(cas) == [(f"Mr. {NAME}", "PERSON_PATIENT")]
    with pytest.warns(CaspipeWarning, match="is not a span of the text"):
        (cas,) = reader(cls, tmp_path, task(4, 99), mismatch="warn")
    assert gold(cas) == []


@pytest.mark.parametrize(("cls", "task"), TOOLS)
def test_packed_files_and_archives_are_read(cls: type[TaskReader], task: Any, tmp_path: Path) -> None:
    line = json.dumps(task(4, 16, "PERSON", id="a")).encode()
    (tmp_path / "t.jsonl.gz").write_bytes(gzip.compress(b"\xef\xbb\xbf" + line))
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("inside/t.jsonl", line)
    for found in (
        cls(files=tmp_path / "t.jsonl.gz"),
        cls(folder=tmp_path / "t.zip", pattern="*.jsonl"),
        pickle.loads(pickle.dumps(cls(files=tmp_path / "t.jsonl.gz"))),
    ):
        assert [(cas.id, gold(cas)) for cas in found] == [("a", [(NAME, "PERSON")])]


@pytest.mark.parametrize(("cls", "task"), TOOLS)
def test_metadata_and_known_phi_are_carried(cls: type[TaskReader], task: Any, tmp_path: Path) -> None:
    line = task(4, 16, "PERSON", ward={"name": "B", "chief": "Ivy"})
    (cas,) = reader(
        cls, tmp_path, line, metadata={"ward": "ward.name"}, known_phi={"ward.chief": PhiKind.PERSON_DOCTOR}
    )
    assert cas.metadata == {"ward": "B"}
    assert [(k.value, k.role) for k in cas.select(KnownPhi)] == [("Ivy", "doctor")]
