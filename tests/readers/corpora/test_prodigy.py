"""Reader of Prodigy's exports. All texts are ours; the rest is in test_tasks.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caspipe.readers.corpora.prodigy import ProdigyReader
from caspipe.typesystem import GOLD_VIEW, Cas, CaspipeWarning, Phi, SpanAttribute, Token

SPAN = {"start": 2, "end": 5, "label": "DATE", "token_start": 1, "token_end": 1}


def reader(tmp_path: Path, *tasks: dict[str, Any], **options: Any) -> ProdigyReader:
    (tmp_path / "all.jsonl").write_text("\n".join(map(json.dumps, tasks)), encoding="utf-8")
    return ProdigyReader(folder=tmp_path, **options)


def task(**more: Any) -> dict[str, Any]:
    return {"text": "a 3/4", "spans": [SPAN], "_input_hash": 1, **more}


def gold(cas: Cas) -> list[tuple[int, int, str]]:
    return [(p.begin, p.end, p.kind.name) for p in cas.view(GOLD_VIEW).select(Phi)]


def only(r: ProdigyReader) -> str:
    assert list(r) == []
    ((_, error),) = r.failed
    return str(error).partition(", ")[2]


def test_accepted_tasks_are_read_and_the_others_counted(tmp_path: Path) -> None:
    tasks = [task(answer=a) for a in ("accept", "reject", "ignore", "ignore")]
    with pytest.warns(CaspipeWarning, match=r"all\.jsonl: left out: 2 ignored tasks, 1 rejected tasks$"):
        found = list(reader(tmp_path, *tasks))
    assert [(cas.id, gold(cas)) for cas in found] == [("all/1", [(2, 5, "DATE")])]
    found = list(reader(tmp_path, *tasks, answers=["accept", "reject", "ignore"]))
    assert len(found) == 4


def test_answered_tasks_without_spans_have_an_empty_reference(tmp_path: Path) -> None:
    answered, open_, proposed = reader(tmp_path, {"text": "a", "answer": "accept"}, {"text": "b"}, task())
    assert gold(answered) == []
    assert not open_.has_view(GOLD_VIEW)
    assert gold(proposed) == [(2, 5, "DATE")]


def test_one_annotator_of_several_can_be_chosen(tmp_path: Path) -> None:
    tasks = [task(answer="accept", document_id="x", _annotator_id=f"phi-{who}") for who in ("ann", "bob")]
    r = reader(tmp_path, *tasks)
    assert [cas.id for cas in r] == ["x"]
    assert [str(error).rpartition(", ")[2] for _, error in r.failed] == ["line 2: an earlier document has the same id"]
    with pytest.warns(CaspipeWarning, match="left out: 1 tasks of other annotators"):
        assert [cas.id for cas in reader(tmp_path, *tasks, annotator="phi-bob")] == ["x"]


def test_ids_and_attributes_travel_in_tasks(tmp_path: Path) -> None:
    spans = [{**SPAN, "attributes": [["certainty", "low"]]}]
    (cas,) = reader(tmp_path, task(spans=spans, meta={"document_id": "ward/7"}, answer="accept"))
    (attribute,) = cas.view(GOLD_VIEW).select(SpanAttribute)
    assert (cas.id, attribute.name, attribute.value) == ("ward/7", "certainty", "low")
    assert only(reader(tmp_path, task(spans=[{**SPAN, "attributes": ["low"]}]))) == (
        "line 1: span 1: expected attributes as pairs of strings"
    )


def test_tokens_come_along_if_asked_for(tmp_path: Path) -> None:
    tokens = [
        {"text": "a", "start": 0, "end": 1},
        {"text": " ", "start": 1, "end": 2},
        {"text": "3/4", "start": 2, "end": 5},
    ]
    (cas,) = reader(tmp_path, task(tokens=tokens), tokens=True)
    assert [t.covered_text for t in cas.view(GOLD_VIEW).select(Token)] == ["a", "3/4"]
    (cas,) = reader(tmp_path, task(tokens=tokens))
    assert cas.view(GOLD_VIEW).select(Token) == []
    assert only(reader(tmp_path, task(tokens=[{"text": "a", "start": "0", "end": 1}]), tokens=True)) == (
        "line 1: token 1: expected an object with integers as start and end"
    )
    assert only(reader(tmp_path, task(tokens=tokens[::-1]), tokens=True)) == (
        "line 1: field tokens: Token: spans must be sorted and disjoint"
    )


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (task(spans={}), "line 1: field spans: expected a list"),
        (task(spans=["DATE"]), "line 1: span 1: expected an object with start, end and label"),
        (task(spans=[{**SPAN, "text": "Ivy"}]), "line 1: span 1: 2:5 does not cover the text that the tag names"),
    ],
    ids="object string text".split(),
)
def test_other_shapes_fail(tmp_path: Path, made: dict[str, Any], reason: str) -> None:
    assert only(reader(tmp_path, made)) == reason


def test_relations_are_counted(tmp_path: Path) -> None:
    with pytest.warns(CaspipeWarning, match="left out: 1 relations"):
        assert len(list(reader(tmp_path, task(relations=[{"head": 0, "child": 1, "label": "X"}])))) == 1
