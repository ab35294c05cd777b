"""Consumer of the table of masked spans."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caspipe.consumers.csv import CsvConsumer
from caspipe.pipeline.errors import ComponentError
from caspipe.pipeline.file_names import pseudonym
from caspipe.typesystem import Cas

Make = Callable[..., Cas]


def rows(output: Path, *documents: Cas, **parameters: Any) -> list[list[str]]:
    c = CsvConsumer(**parameters)
    c.output = output
    c.open()
    for cas in documents:
        c.process(cas)
    c.close()
    with (output / "release/spans.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_each_masked_span_is_a_row_without_text(tmp_path: Path, make: Make) -> None:
    assert rows(tmp_path, make(), make("=1+1")) == [
        ["document", "begin", "end", "kind", "operator", "fallback"],
        ["ward/note-1", "4", "12", "PERSON_DOCTOR", "placeholder", ""],
        ["ward/note-1", "24", "30", "DATE", "shift", "no key"],
        ["'=1+1", "4", "12", "PERSON_DOCTOR", "placeholder", ""],
        ["'=1+1", "24", "30", "DATE", "shift", "no key"],
    ]


def test_ids_can_be_pseudonyms(tmp_path: Path, make: Make) -> None:
    assert rows(tmp_path, make("Featherstone"), names="pseudonym", key="k")[1][0] == pseudonym("Featherstone", "k")
    with pytest.raises(ValueError, match="key: expected a secret"):
        CsvConsumer(names="pseudonym")


def test_a_document_that_was_not_masked_is_refused(tmp_path: Path, make: Make) -> None:
    with pytest.raises(ComponentError, match="expected a view deidentified, found none"):
        rows(tmp_path, make(mask=False))


def test_a_retracted_document_leaves_no_row(tmp_path: Path, make: Make) -> None:
    c = CsvConsumer()
    c.output = tmp_path
    c.process(make("a"))
    c.process(make("b"))
    c.retract(make("b"))
    c.close()
    assert (tmp_path / "release/spans.csv").read_text().count("\n") == 3
