"""Reader of Label Studio's exports. All texts are ours; the rest is in test_tasks.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caspipe.readers.corpora.label_studio import LabelStudioReader
from caspipe.typesystem import GOLD_VIEW, Cas, CaspipeWarning, Phi, SpanAttribute

NAME = "Featherstone"
TEXT = f"\U0001f600 {NAME} of Lund"


def region(covered: str, *labels: str, text: str = TEXT, id: str = "a", **more: Any) -> dict[str, Any]:
    begin = len(text[: text.index(covered)].encode("utf-16-le")) // 2
    end = begin + len(covered.encode("utf-16-le")) // 2
    value = {"start": begin, "end": end, "text": covered, "labels": list(labels)}
    return {"id": id, "from_name": "label", "to_name": "text", "type": "labels", "value": value | more}


def said(type_: str, name: str, id: str = "a", **value: Any) -> dict[str, Any]:
    return {"id": id, "from_name": name, "to_name": "text", "type": type_, "value": {"start": 3, "end": 15, **value}}


def annotation(*results: dict[str, Any], by: Any = 1, **more: Any) -> dict[str, Any]:
    return {"id": 9, "completed_by": by, "result": list(results), "was_cancelled": False, **more}


def task(*annotations: dict[str, Any], text: str = TEXT, **more: Any) -> dict[str, Any]:
    return {"id": 1, "data": {"text": text}, "annotations": list(annotations), "predictions": [], **more}


def reader(tmp_path: Path, *tasks: Any, **options: Any) -> LabelStudioReader:
    (tmp_path / "all.json").write_text(json.dumps(tasks, indent=1), encoding="utf-8")
    return LabelStudioReader(folder=tmp_path, **options)


def gold(cas: Cas) -> list[tuple[str, str]]:
    return [(p.covered_text, p.kind.name) for p in cas.view(GOLD_VIEW).select(Phi)]


def only(r: LabelStudioReader) -> str:
    assert list(r) == []
    ((_, error),) = r.failed
    assert NAME not in str(error)
    return str(error).removeprefix(f"{r.folder}/all.json").removeprefix(", ")


def test_regions_become_gold_with_offsets_of_utf16(tmp_path: Path) -> None:
    r = reader(tmp_path, task(annotation(region(NAME, "PERSON"), region("Lund", "LOCATION_CITY", id="b"))))
    (cas,) = r
    assert (cas.id, cas.text) == ("1", TEXT)
    assert gold(cas) == [(NAME, "PERSON"), ("Lund", "LOCATION_CITY")]


@pytest.mark.parametrize("way", ["utf-16", "code points", "one line end", "behind blanks"])
def test_offsets_that_count_otherwise_are_noticed(tmp_path: Path, way: str) -> None:
    text = f"\r\n \U0001f600\r\n{NAME}\r\nof Lund"
    counted = {
        "utf-16": text,
        "code points": text.replace("\U0001f600", "x"),
        "one line end": text.replace("\r\n", "\n"),
        "behind blanks": text.lstrip(),
    }[way]
    regions = [region(NAME, "PERSON", text=counted), region("Lund", "LOCATION", text=counted, id="b")]
    (cas,) = reader(tmp_path, task(annotation(*regions), text=text))
    assert (cas.text, gold(cas)) == (text, [(NAME, "PERSON"), ("Lund", "LOCATION")])


def test_collapsed_blanks_in_the_tools_copy_of_the_text_are_no_mismatch(tmp_path: Path) -> None:
    text = f"{NAME},  Lund"
    (cas,) = reader(tmp_path, task(annotation(region(text, "PERSON", text=text) | {}), text=text))
    assert gold(cas) == [(text, "PERSON")]
    made = region(text, "PERSON", text=text)
    made["value"]["text"] = f"{NAME}, Lund"  # label-studio#3078
    (cas,) = reader(tmp_path, task(annotation(made), text=text))
    assert gold(cas) == [(text, "PERSON")]


def test_json_lines_and_single_tasks_are_read(tmp_path: Path) -> None:
    (tmp_path / "all.jsonl").write_text(json.dumps(task(annotation(region(NAME, "PERSON")))) + "\n\n", encoding="utf-8")
    assert [gold(cas) for cas in LabelStudioReader(folder=tmp_path)] == [[(NAME, "PERSON")]]


def test_json_min_is_read(tmp_path: Path) -> None:
    minimal = {"id": 3, "text": TEXT, "label": [region(NAME, "PERSON")["value"]], "annotator": 1, "annotation_id": 9}
    empty = {"id": 4, "text": TEXT, "annotator": 1, "annotation_id": 10}
    first, second, third = reader(tmp_path, minimal, empty, {"id": 5, "text": TEXT})
    assert (first.id, gold(first), gold(second)) == ("3", [(NAME, "PERSON")], [])
    assert not third.has_view(GOLD_VIEW)
    with pytest.warns(CaspipeWarning, match="left out: 2 tasks of other annotators"):
        assert len(list(reader(tmp_path, minimal, empty, {"id": 5, "text": TEXT}, completed_by=2))) == 1


def test_cancelled_annotations_are_left_out(tmp_path: Path) -> None:
    cancelled = annotation(region("Lund", "LOCATION"), was_cancelled=True)
    tasks = [task(cancelled), task(cancelled, annotation(region(NAME, "PERSON")), id=2), task(id=3)]
    with pytest.warns(CaspipeWarning, match="left out: 1 tasks that were skipped by all annotators"):
        second, third = reader(tmp_path, *tasks)
    assert gold(second) == [(NAME, "PERSON")]
    assert not third.has_view(GOLD_VIEW)


def test_one_of_several_annotators_is_chosen(tmp_path: Path) -> None:
    two = task(
        annotation(region(NAME, "PERSON"), by={"id": 7, "email": "ann@example.org"}),
        annotation(region("Lund", "LOCATION"), by=8),
    )
    assert only(reader(tmp_path, two)) == (
        "item 1: expected one of annotations, found 2; `completed_by` or `several` can say which to take"
    )
    for options, wanted in (
        ({"completed_by": 7}, NAME),
        ({"completed_by": "ann@example.org"}, NAME),
        ({"completed_by": "8"}, "Lund"),
        ({"several": "first"}, NAME),
        ({"several": "last"}, "Lund"),
    ):
        (cas,) = reader(tmp_path, two, **options)
        assert [covered for covered, _ in gold(cas)] == [wanted]
    (cas,) = reader(tmp_path, two, completed_by=9)
    assert not cas.has_view(GOLD_VIEW)


def test_predictions_are_read_if_asked_for(tmp_path: Path) -> None:
    predictions = [
        {"model_version": "one", "result": [region(NAME, "PERSON")]},
        {"model_version": "two", "result": [region("Lund", "LOCATION")]},
    ]
    made = task(predictions=predictions)
    assert "`model_version` or `several`" in only(reader(tmp_path, made, take="predictions"))
    (cas,) = reader(tmp_path, made, take="predictions", model_version="two")
    assert gold(cas) == [("Lund", "LOCATION")]


def test_what_regions_say_is_kept_and_the_rest_counted(tmp_path: Path) -> None:
    results = [
        region(NAME, "PERSON", "PERSON_PATIENT"),
        said("choices", "certainty", choices=["low", "odd"]),
        said("textarea", "why", text=["first\nmention"]),
        said("rating", "stars", rating=3),
        said("taxonomy", "where", taxonomy=[["A", "B"]]),
        said("choices", "whole", id="z", choices=["fine"]),
        {"type": "relation", "from_id": "a", "to_id": "b", "direction": "right"},
    ]
    with pytest.warns(CaspipeWarning, match="left out: 1 relations, 1 values of whole documents"):
        (cas,) = reader(tmp_path, task(annotation(*results)), overlaps="keep")
    assert gold(cas) == [(NAME, "PERSON"), (NAME, "PERSON_PATIENT")]
    found = [(a.name, a.value) for a in cas.view(GOLD_VIEW).select(SpanAttribute)]
    wanted = [("certainty", "low"), ("certainty", "odd"), ("why", "first\nmention"), ("stars", "3"), ("where", "A/B")]
    assert found == wanted * 2


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (task(annotation({"type": "labels"})), "result 1: expected an object with value"),
        (task(annotation({"type": "hypertextlabels", "value": {"start": "/p[1]", "hypertextlabels": ["X"]}})),
         "result 1: expected a region with labels in plain text (Labels and Text)"),
        (task(annotation(region(NAME, "PERSON", start=4, end=16))), "result 1: 3:15 does not cover the text that the tag names"),
        (task(annotation(region(NAME, "PERSON", end=400))), "result 1: 2:399 is not a span of the text (0:22)"),
        (task(annotations=7), "field annotations: expected a list"),
        (task(annotations=[7]), "field annotations: expected a list of objects"),
        (task(annotation(result=7)), "field result: expected a list"),
        ({"id": 1, "data": {"html": "x"}}, "expected a field data.text, found none; did you mean data?"),
    ],
    ids="no-value hypertext shifted outside number numbers results no-text".split(),
)  # fmt: skip
def test_other_shapes_fail(tmp_path: Path, made: dict[str, Any], reason: str) -> None:
    assert only(reader(tmp_path, made)) == f"item 1: {reason}"


def test_a_truncated_array_keeps_the_tasks_before(tmp_path: Path) -> None:
    r = reader(tmp_path, *(task(annotation(region(NAME, "PERSON")), id=n) for n in (1, 2, 3)))
    path = tmp_path / "all.json"
    path.write_bytes(path.read_bytes()[:-200])
    assert [cas.id for cas in r] == ["1", "2"]
    ((document, error),) = r.failed
    assert document == "all/3"
    assert str(error).startswith(f"{path}, item 3: from here on: not valid JSON (line ")
    assert NAME not in str(error)


@pytest.mark.parametrize(
    ("data", "reasons"),
    [
        (b"[]", []),
        (b" [ ] ", []),
        (b"[", ["item 1: from here on: not valid JSON (column 2)"]),
        (b"[1, 2]", ["item 1: expected a JSON object", "item 2: expected a JSON object"]),
        (
            b'[{"data": {"text": "a"}} {}]',
            ["item 2: from here on: expected a comma or the end of the array (column 26)"],
        ),
        (b'[{"data": {"text": "a"}},]', ["item 2: from here on: not valid JSON (column 26)"]),
        (b'[{"data": {"text": "a"}}] x', ["item 2: expected nothing after the array (column 27)"]),
        (b'[{"data": {"text": "\xe9"}}]', [": expected utf-8, found a byte that is not at byte 20"]),
        (b'[{"data": {"text": "a", "text": "b"}}]', ["item 1: from here on: a field occurs twice in one object"]),
        (b"[" * 100_000, ["item 1: from here on: nested too deeply"]),
        (b"", []),
    ],
    ids="empty blank open numbers comma trailing rest bytes twice deep nothing".split(),
)
def test_damaged_arrays(tmp_path: Path, data: bytes, reasons: list[str]) -> None:
    r = reader(tmp_path)
    (tmp_path / "all.json").write_bytes(data)
    list(r)
    assert [str(error).removeprefix(f"{tmp_path}/all.json").removeprefix(", ") for _, error in r.failed] == reasons


def test_an_array_beyond_the_limit_fails(tmp_path: Path) -> None:
    r = reader(tmp_path, task(), max_bytes=30)
    assert only(r) == ": longer than max_bytes (30 bytes)"
