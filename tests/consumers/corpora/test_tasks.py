"""Consumers of tasks for doccano, Prodigy and Label Studio. All texts are ours."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from caspipe.consumers.corpora.doccano import DoccanoConsumer
from caspipe.consumers.corpora.label_studio import LabelStudioConsumer
from caspipe.consumers.corpora.prodigy import ProdigyConsumer
from caspipe.consumers.corpora.tasks import TaskConsumer
from caspipe.typesystem import Cas, CasError, CaspipeWarning, Phi, PhiKind, Token

from round_trips import annotated, document, written  # isort: skip

NAME = "Featherstone"
TEXT = f"\U0001f600 {NAME}  of\nLund"
TOOLS: list[Any] = [DoccanoConsumer, ProdigyConsumer, LabelStudioConsumer]


def spans(*named: tuple[int, int, str]) -> list[tuple[int, int, PhiKind]]:
    return [(b, e, PhiKind.of(kind)) for b, e, kind in named]


def tasks(tmp_path: Path, consumer: TaskConsumer, *cases: Cas) -> list[Any]:
    written(consumer, tmp_path, cases)
    made = (tmp_path / consumer.file).read_text(encoding="utf-8")
    return list(json.loads(made)) if made.startswith("[") else [json.loads(line) for line in made.splitlines()]


def found() -> Cas:
    cas = Cas(TEXT, id="ward/note-1")
    for begin, end, kind, confidence in ((2, 14, "PERSON", 0.5), (19, 23, "LOCATION_CITY", 1.0)):
        phi = Phi(begin, end, kind=PhiKind.of(kind), confidence=confidence)
        phi._source = "models/crf"
        cas.add(phi)
    return cas


def test_doccano_gets_lists_of_three(tmp_path: Path) -> None:
    assert tasks(tmp_path, DoccanoConsumer(scheme="meddocan"), found(), document("", [], id="b")) == [
        {
            "text": TEXT,
            "label": [[2, 14, "NOMBRE_SUJETO_ASISTENCIA"], [19, 23, "TERRITORIO"]],
            "document_id": "ward/note-1",
        },
        {"text": "", "label": [], "document_id": "b"},
    ]


def test_prodigy_gets_tokens_and_spans_on_them(tmp_path: Path) -> None:
    (task,) = tasks(tmp_path, ProdigyConsumer(), found())
    assert [(t["text"], t["start"], t["end"], t["ws"]) for t in task["tokens"]] == [
        ("\U0001f600", 0, 1, True), (NAME, 2, 14, True), (" ", 15, 16, False),
        ("of", 16, 18, False), ("\n", 18, 19, False), ("Lund", 19, 23, False),
    ]  # fmt: skip
    assert [t["id"] for t in task["tokens"]] == list(range(6))
    source = {"source": "models/crf"}
    assert task["spans"] == [
        {"start": 2, "end": 14, "token_start": 1, "token_end": 1, "label": "PERSON", "score": 0.5, **source},
        {"start": 19, "end": 23, "token_start": 5, "token_end": 5, "label": "LOCATION_CITY", "score": 1.0, **source},
    ]
    assert (task["document_id"], task["meta"]) == ("ward/note-1", {"document_id": "ward/note-1"})


@given(annotated(overlaps=True))
def test_prodigys_tokens_make_up_the_text_and_hold_the_edges_of_all_spans(made: Any) -> None:
    text, marks = made
    consumer = ProdigyConsumer(overlaps="keep")
    cas = document(text, marks)
    task = consumer.task(cas, consumer.annotated(cas))
    tokens = task["tokens"]
    assert "".join(t["text"] + " " * t["ws"] for t in tokens) == text
    for span, (begin, end, _) in zip(task["spans"], marks, strict=True):
        assert (tokens[span["token_start"]]["start"], tokens[span["token_end"]]["end"]) == (begin, end)


def test_prodigys_spans_can_be_widened(tmp_path: Path) -> None:
    cas = document("aged 53y  x", spans((5, 7, "AGE"), (8, 10, "ID")))
    cas.view().add_spans(Token, [0, 5, 10], [4, 8, 11])
    consumer = ProdigyConsumer(unaligned="widen")
    consumer.output = tmp_path
    consumer.process(cas)
    with pytest.warns(
        CaspipeWarning, match=r"2 spans did not begin and end with tokens \(they were widened\); 1 were left out"
    ):
        consumer.close()
    (task,) = [json.loads(line) for line in (tmp_path / "restricted/prodigy.jsonl").read_text().splitlines()]
    assert [(s["start"], s["end"]) for s in task["spans"]] == [(5, 8)]


def test_label_studio_gets_predictions_with_offsets_of_utf16(tmp_path: Path) -> None:
    (task,) = tasks(tmp_path, LabelStudioConsumer(), found())
    assert task["data"] == {"text": TEXT, "document_id": "ward/note-1"}
    (prediction,) = task["predictions"]
    assert (prediction["model_version"], prediction["score"]) == ("caspipe", 0.75)
    assert prediction["result"][0] == {
        "id": "r1", "from_name": "label", "to_name": "text", "type": "labels", "score": 0.5,
        "value": {"start": 3, "end": 15, "text": NAME, "labels": ["PERSON"]},
    }  # fmt: skip
    assert "annotations" not in task
    units = TEXT.encode("utf-16-le")
    for result in prediction["result"]:
        value = result["value"]
        assert units[2 * value["start"] : 2 * value["end"]].decode("utf-16-le") == value["text"]


def test_label_studio_gets_its_labelling_configuration(tmp_path: Path) -> None:
    cas = document("Ivy", spans((0, 3, "PERSON")), [(0, "why?", "a"), (0, "why?", "b"), (0, "label", "c")])
    (task,) = tasks(tmp_path, LabelStudioConsumer(scheme="i2b2-2014-sub", write=["annotations"]), cas)
    view = ET.parse(tmp_path / "restricted/label_studio/labels.xml").getroot()
    labels, areas, text = view.find("Labels"), view.findall("TextArea"), view.find("Text")
    assert labels is not None and text is not None
    assert [label.get("value") for label in labels] == PhiKind.labels("i2b2-2014-sub")
    assert (labels.get("toName"), text.get("name"), text.get("value")) == ("text", "text", "$text")
    assert [(a.get("name"), a.get("perRegion")) for a in areas] == [("label_", "true"), ("why?", "true")]
    controls = {labels.get("name"), *(a.get("name") for a in areas)}
    results = task["annotations"][0]["result"]
    assert {r["from_name"] for r in results} == controls
    assert [r["value"].get("text") for r in results] == ["Ivy", ["a", "b"], ["c"]]
    assert (tmp_path / "restricted/label_studio/labels.xml").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("cases", [[], ["a"], ["a", "b", "c"]])
@pytest.mark.parametrize("tool", TOOLS)
def test_the_file_is_whole_however_many_documents_there_are(tool: Any, cases: list[str], tmp_path: Path) -> None:
    made = tool()
    assert len(tasks(tmp_path, made, *(document("x", [], id=id) for id in cases))) == len(cases)
    assert (tmp_path / made.file).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("lost", ["a", "b", "c"])
def test_a_rolled_back_document_leaves_nothing(tool: Any, lost: str, tmp_path: Path) -> None:
    consumer = tool()
    consumer.output = tmp_path
    for id in ("a", "b", "c"):
        consumer.process(document("x", [], id=id))
        if id == lost:
            consumer.rollback(id)
    consumer.close()
    made = (tmp_path / consumer.file).read_text(encoding="utf-8")
    left = json.loads(made) if made.startswith("[") else [json.loads(line) for line in made.splitlines()]
    assert [(t.get("data") or t)["document_id"] for t in left] == [id for id in ("a", "b", "c") if id != lost]


@pytest.mark.parametrize("tool", TOOLS)
def test_masked_text_is_for_all(tool: Any, tmp_path: Path, make: Callable[..., Cas]) -> None:
    consumer = tool(annotations="masked", file=Path("release/t.json"))
    (task,) = tasks(tmp_path, consumer, make("000001"))
    data = task.get("data") or task
    assert (data["document_id"], data["text"][:12]) == ("000001", "Dr. [PERSON]")
    assert NAME not in (tmp_path / "release/t.json").read_text(encoding="utf-8")
    assert (tmp_path / "release/t.json").stat().st_mode & 0o044 == 0o044


def test_overlaps_fail_the_document_where_the_tool_bears_none(tmp_path: Path) -> None:
    cas = document("Ivy Lee", spans((0, 3, "PERSON"), (0, 7, "PERSON")))
    for tool in (DoccanoConsumer, ProdigyConsumer):
        with pytest.raises(CasError, match="spans 0:3 and 0:7 overlap; `overlaps` can say which to keep"):
            tool().process(cas)
    (task,) = tasks(tmp_path, DoccanoConsumer(overlaps="longest"), cas)
    assert task["label"] == [[0, 7, "PERSON"]]


def test_doccano_warns_of_carriage_returns_and_attributes(tmp_path: Path) -> None:
    consumer = DoccanoConsumer()
    consumer.output = tmp_path
    with pytest.warns(
        CaspipeWarning, match="doccano: texts contain carriage returns, which doccano counts differently"
    ):
        consumer.process(document("a\r\nb", spans((0, 1, "ID")), [(0, "certainty", "low")]))
    with pytest.warns(CaspipeWarning, match="doccano: 1 attributes of spans were left out"):
        consumer.close()


def test_parameters_of_label_studio_are_checked() -> None:
    with pytest.raises(ValueError, match="write: expected predictions, annotations or both, got none"):
        LabelStudioConsumer(write=[])
    with pytest.raises(ValueError, match="configuration: expected the name of a file, without a folder"):
        LabelStudioConsumer(configuration="../x.xml")


def test_lone_surrogates_become_the_replacement_character(tmp_path: Path) -> None:
    cas = document("a\ud800 Ivy", spans((3, 6, "PERSON")), id="n\udc00")
    (task,) = tasks(tmp_path, DoccanoConsumer(), cas)
    assert (task["text"], task["label"], task["document_id"]) == ("a\ufffd Ivy", [[3, 6, "PERSON"]], "n\ufffd")
