"""Optional reference spans are not learned, unless their kind is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from caspipe.annotators.sequence.model_files import read_description
from caspipe.pipeline import Pipeline

NOTES = """=====
#id: a  #genre: note
[[PERSON|Anna Reyes]], a [[?PROFESSION|baker]], came on [[?DATE_WEEKDAY|Monday]].
=====
#id: b  #genre: note
[[PERSON|Kofi Osei]], a [[?PROFESSION|nurse]], left on [[?DATE_WEEKDAY|Friday]].
"""


@pytest.mark.parametrize(
    ("given", "learned"),
    [("", {"PERSON": 2}), ("optional: [PROFESSION], ", {"PERSON": 2, "PROFESSION": 2})],
)
def test_optional_spans_are_learned_if_their_kind_is_named(tmp_path: Path, given: str, learned: dict[str, Any]) -> None:
    (tmp_path / "notes.txt").write_text(NOTES, encoding="utf-8")
    pipeline = Pipeline.parse(
        f"reader: {{marked: {{folder: {tmp_path}}}}}\n"
        "engines: [segmenter]\n"
        f"consumers: [{{crf_trainer: {{model: small, features: [lower], {given}max_iterations: 5}}}}]\n"
        f"run: {{output: {tmp_path / 'out'}, on_error: stop}}\n"
    )
    assert pipeline.run().exit_code == 0
    assert read_description(str(tmp_path / "out" / "small"))["training"]["spans"] == learned
