"""Reader of doccano's exports. All texts are ours; the rest is in test_tasks.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caspipe.readers.corpora.doccano import DoccanoReader
from caspipe.typesystem import GOLD_VIEW, Cas, CaspipeWarning, Phi


def reader(tmp_path: Path, *tasks: dict[str, Any]) -> DoccanoReader:
    (tmp_path / "all.jsonl").write_text("\n".join(map(json.dumps, tasks)), encoding="utf-8")
    return DoccanoReader(folder=tmp_path)


def gold(cas: Cas) -> list[tuple[int, int, str]]:
    return [(p.begin, p.end, p.kind.name) for p in cas.view(GOLD_VIEW).select(Phi)]


def test_spans_stand_under_three_names(tmp_path: Path) -> None:
    entities = [{"id": 3, "label": "DATE", "start_offset": 2, "end_offset": 4}]
    tasks = [
        {"id": 1, "text": "\U0001f600 3/4", "label": [[2, 5, "DATE"]], "Comments": []},
        {"id": 2, "text": "a 3/4", "labels": [[2, 5, "DATE"]]},
        {"id": 3, "text": "a 3/4", "entities": entities, "relations": [], "Comments": []},
        {"id": 4, "text": "a 3/4", "label": []},
        {"id": 5, "text": "a 3/4"},
    ]
    found = list(reader(tmp_path, *tasks))
    assert [gold(cas) for cas in found[:4]] == [[(2, 5, "DATE")], [(2, 5, "DATE")], [(2, 4, "DATE")], []]
    assert not found[4].has_view(GOLD_VIEW)


def test_relations_and_comments_are_counted(tmp_path: Path) -> None:
    task = {"text": "a 3/4", "entities": [], "relations": [{"from_id": 1, "to_id": 2}] * 2, "Comments": ["Ivy"]}
    with pytest.warns(CaspipeWarning, match=r"all\.jsonl: left out: 1 comments, 2 relations$"):
        (cas,) = reader(tmp_path, task)
    assert gold(cas) == []


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        ({"text": "a", "label": "DATE"}, "field label: expected a list"),
        ({"text": "a", "label": ["DATE"]},
         "field label, span 1: expected [begin, end, label], or an object with start_offset, end_offset and label"),
        ({"text": "a", "entities": [{"label": "DATE"}]},
         "field entities, span 1: expected integers as begin and end and a string as label"),
        ({"label": []}, "expected a field text, found none"),
    ],
    ids="string strings offsets text".split(),
)  # fmt: skip
def test_other_shapes_fail(tmp_path: Path, task: dict[str, Any], reason: str) -> None:
    r = reader(tmp_path, task)
    assert list(r) == []
    ((_, error),) = r.failed
    assert str(error) == f"{tmp_path}/all.jsonl, line 1: {reason}"
