"""Consumer of the table of masked spans."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caspipe.consumers.tables.csv import CsvConsumer
from caspipe.pipeline.errors import ComponentError
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


def test_a_document_that_was_not_masked_is_refused(tmp_path: Path, make: Make) -> None:
    with pytest.raises(ComponentError, match="expected a view deidentified, found none"):
        rows(tmp_path, make(mask=False))


def test_a_rolled_back_document_leaves_no_row(tmp_path: Path, make: Make) -> None:
    c = CsvConsumer()
    c.output = tmp_path
    c.process(make("a"))
    c.process(make("b"))
    c.rollback("b")
    c.close()
    assert (tmp_path / "release/spans.csv").read_text().count("\n") == 3


def test_spans_of_the_original_are_for_their_owner_only(tmp_path: Path, make: Make) -> None:
    c = CsvConsumer(annotations="found", scheme="meddocan", text=True)
    c.output = tmp_path
    c.process(make())
    c.close()
    path = tmp_path / "restricted/spans.csv"
    with path.open(newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == [
            ["document", "begin", "end", "kind", "label", "confidence", "source", "text"],
            [
                "ward/note-1",
                "4",
                "20",
                "PERSON_DOCTOR",
                "NOMBRE_PERSONAL_SANITARIO",
                "1.0",
                "regex/names",
                "Ivy Featherstone",
            ],
            ["ward/note-1", "32", "40", "DATE", "FECHAS", "1.0", "regex/dates", "3/4/2020"],
            ["ward/note-1", "47", "49", "AGE", "EDAD_SUJETO_ASISTENCIA", "1.0", "regex/ages", "41"],
        ]
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_masked_spans_can_show_their_text(tmp_path: Path, make: Make) -> None:
    assert [row[-1] for row in rows(tmp_path, make(), text=True)] == ["text", "[PERSON]", "[DATE]"]
