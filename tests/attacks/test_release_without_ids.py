"""A document that is withdrawn leaves also the tables that cannot say which row is its own."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from attacks.scanning import ANN, BOB, released, run

pytestmark = pytest.mark.attack("release-scanner")

TEXTS = {"Quellmore_Annabel": ANN + "Peculiar and private.", "b": BOB, "c": "Nothing here."}
"""The name of a file withdraws the first document: its masked text shows no value."""


@pytest.mark.parametrize(
    "consumer",
    [
        "jsonl: {fields: [text]}",
        "jsonl: {folder: release/json, fields: [text]}",
        "parquet: {fields: [text]}",
        "csv: {text: true}",
        'sql: {url: "sqlite:///release/notes.db", fields: [text], existing: append}',
        'sql: {url: "sqlite:///release/notes.db", fields: [id, text]}',
        'sql: {url: "sqlite:///release/notes.db", fields: [id, text], existing: append}',
        'sql: {url: "sqlite:///release/notes.db", rows: spans}',
        "leaking_files: {form: tsv, file: release/own.tsv}",
        "leaking_files: {form: tsv, file: release/deep/own.tsv}",
    ],
)
def test_the_text_of_a_withdrawn_document_leaves_every_table(tmp_path: Path, consumer: str) -> None:
    out = tmp_path / "out"
    report = run(out, TEXTS, f"[text, {consumer}]", "run.names=id")
    assert [f.document for f in report.failures] == ["Quellmore_Annabel"]
    data = released(out)
    assert b"Peculiar" not in data and b"uellmore" not in data
    assert b"Nothing here" in data


def rows(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as database:
        return [text for (text,) in database.execute("SELECT text FROM documents ORDER BY text")]


@pytest.mark.parametrize("fields", ["[text]", "[id, text]"])
def test_a_database_elsewhere_is_refused_or_cleaned(tmp_path: Path, fields: str) -> None:
    there = tmp_path / "there.db"
    given = f'[text, sql: {{url: "sqlite:///{there}", fields: {fields}, existing: append}}]'
    report = run(tmp_path / "out", TEXTS, given, "run.names=id")
    assert [f.document for f in report.failures] == ["Quellmore_Annabel"]
    assert len(rows(there)) == 2 and b"Peculiar" not in there.read_bytes()


@pytest.mark.parametrize("resume", ["false", "true"])
@pytest.mark.parametrize("existing", ["replace", "append"])
@pytest.mark.parametrize("fields", ["[text]", "[id, text]"])
def test_a_document_that_fails_now_leaves_the_table_of_an_earlier_run(
    tmp_path: Path, fields: str, existing: str, resume: str
) -> None:
    if fields == "[text]" and existing == "replace":
        pytest.skip("a table without ids can only be appended to")
    out = tmp_path / "out"
    given = f'[text, sql: {{url: "sqlite:///release/notes.db", fields: {fields}, existing: {existing}}}]'
    run(out, {"a": "{PERSON:Quellmore} came. Peculiar.", "b": BOB}, given)
    assert len(rows(out / "release/notes.db")) == 2
    report = run(out, {"a": "{PERSON:Quellmore} came. Peculiar. Quellmore"}, given, f"run.resume={resume}")
    assert [f.document for f in report.failures] == ["a"]
    assert not any("Peculiar" in row for row in rows(out / "release/notes.db"))
    assert b"Peculiar" not in released(out)
