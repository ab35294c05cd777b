"""Tables are taken over as files are: row by row, to the same bytes or the same rows as a run from scratch writes."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
import running
from resuming import ALL, again, first, killed

from caspipe.pipeline.running.ledger.merging import merge

# -- parquet ------------------------------------------------------------------------------------------------------------

FIELDS = "fields: [id, text, spans, counts, metadata]"
PARQUET = [
    f"[text, {{parquet: {{{FIELDS}}}}}, jsonl]",
    f"[{{parquet: {{{FIELDS}, include: [original, phi, offsets], file: restricted/d.parquet, row_group: 3}}}}]",
    "[{parquet: {rows: spans, row_group: 2}}, html]",
]


@pytest.fixture
def _pyarrow() -> None:
    pytest.importorskip("pyarrow", reason="needs pyarrow: pip install 'caspipe[parquet]'")


@pytest.mark.slow
@pytest.mark.usefixtures("_pyarrow")
@pytest.mark.parametrize("consumers", PARQUET)
@pytest.mark.parametrize("workers", [0, 2])
def test_rows_of_a_parquet_table_are_taken_over(tmp_path: Path, notes: Path, consumers: str, workers: int) -> None:
    out, given = tmp_path / "out", f"run.workers={workers}"
    first(out, notes, given, consumers=consumers)
    assert again(out, notes, given, consumers=consumers) == []
    (notes / "n2.txt").write_text("Another text with number 5 and number 6.")
    assert again(out, notes, given, consumers=consumers) == [3]
    (notes / "n0.txt").unlink()
    (notes / "n4.txt").rename(notes / "n9.txt")
    assert again(out, notes, given, consumers=consumers) == [7]
    (notes / "n5.txt").write_text("do=fails 1")
    assert again(out, notes, given, consumers=consumers) == [4]
    assert again(out, notes, given, consumers=consumers) == []


@pytest.mark.slow
@pytest.mark.usefixtures("_pyarrow")
def test_rows_of_a_parquet_table_outlive_a_kill(tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caspipe.pipeline.running.ledger.ledger._BATCH_SECONDS", -1)
    out = tmp_path / "out"
    killed(out, notes, 6, consumers=PARQUET[1])
    assert not (out / "restricted/d.parquet").exists()
    assert again(out, notes, consumers=PARQUET[1]) == [7, 8]
    (notes / "n0.txt").write_text("Another text with number 5.")
    killed(out, notes, 4, "run.resume=true", consumers=PARQUET[1])
    assert again(out, notes, consumers=PARQUET[1]) == []


@pytest.mark.slow
@pytest.mark.usefixtures("_pyarrow")
def test_a_parquet_table_that_is_not_what_was_written_is_written_again(tmp_path: Path, notes: Path) -> None:
    import pyarrow.parquet as pq

    out, consumers = tmp_path / "out", "[text, {parquet: {row_group: 2}}]"
    file = out / "release/documents.parquet"
    first(out, notes, consumers=consumers)
    table = pq.read_table(file)
    texts = table.column("text").to_pylist()
    texts[4] = texts[4].replace("Patient", "Patent")
    pq.write_table(table.set_column(1, table.schema.field("text"), [texts]), file, row_group_size=2)
    assert again(out, notes, consumers=consumers) == [5, 6, 7, 8]
    data = bytearray(file.read_bytes())
    data[40:60] = bytes(20)
    file.write_bytes(data)
    assert 1 in again(out, notes, consumers=consumers)
    file.write_bytes(file.read_bytes()[:-30])
    assert again(out, notes, consumers=consumers) == ALL
    file.unlink()
    assert again(out, notes, consumers=consumers) == ALL


@pytest.mark.slow
@pytest.mark.usefixtures("_pyarrow")
def test_a_document_that_another_consumer_does_not_take_over_leaves_no_row_twice(tmp_path: Path, notes: Path) -> None:
    out, consumers = tmp_path / "out", "[{parquet: {row_group: 2}}, text]"
    first(out, notes, consumers=consumers)
    (out / "release/text/n3.txt").unlink()
    (out / "release/text/n4.txt").unlink()
    assert again(out, notes, consumers=consumers) == [4, 5]


@pytest.mark.slow
@pytest.mark.usefixtures("_pyarrow")
@pytest.mark.parametrize("consumers", PARQUET)
def test_parquet_tables_of_shards_are_put_together(tmp_path: Path, notes: Path, consumers: str) -> None:
    running.run(tmp_path / "whole", notes, consumers=consumers)
    out = tmp_path / "out"
    for part in (1, 2, 3):
        running.run(out, notes, f"run.shard={part}/3", consumers=consumers)
    reader = f"{{text: {{folder: {json.dumps(str(notes))}}}}}"
    merge(running.pipeline(out, reader, consumers=consumers))
    assert running.files(out) == running.files(tmp_path / "whole")


# -- sql ----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def _sqlalchemy() -> None:
    pytest.importorskip("sqlalchemy", reason="needs SQLAlchemy: pip install 'caspipe[sql]'")


def sql(**parameters: Any) -> str:
    given = json.dumps({"url": "sqlite:///tables/notes.db", **parameters})
    return f"[text, {{sql: {given}}}, jsonl]"


ALL_FIELDS = {"fields": ["id", "text", "spans", "counts", "metadata"], "include": ["phi"]}
SQL = [sql(), sql(existing="replace", **ALL_FIELDS), sql(rows="spans", existing="append")]


def table(out: Path) -> list[tuple[Any, ...]]:
    with sqlite3.connect(out / "tables/notes.db") as connection:
        found = connection.execute("SELECT * FROM documents").fetchall()
    connection.close()
    return sorted(found)


def resumed(out: Path, notes: Path, *overrides: str, consumers: str) -> list[int]:
    """Resumes, checks that the table is as a run from scratch writes it, and returns which documents were done."""
    report, seen = running.run(out, notes, "run.resume=true", *overrides, consumers=consumers)
    scratch = out.with_name("scratch")
    shutil.rmtree(scratch, ignore_errors=True)
    expected, _ = running.run(scratch, notes, *overrides, consumers=consumers)
    assert table(out) == table(scratch)
    assert running.plain(report) == running.plain(expected)
    return seen.done()


def changed(out: Path, statement: str) -> None:
    with sqlite3.connect(out / "tables/notes.db") as connection:
        connection.execute(statement)
    connection.close()


@pytest.mark.slow
@pytest.mark.usefixtures("_sqlalchemy")
@pytest.mark.parametrize("consumers", SQL)
@pytest.mark.parametrize("workers", [0, 2])
def test_rows_of_an_sql_table_are_taken_over(tmp_path: Path, notes: Path, consumers: str, workers: int) -> None:
    out, given = tmp_path / "out", f"run.workers={workers}"
    first(out, notes, given, consumers=consumers)
    assert resumed(out, notes, given, consumers=consumers) == []
    (notes / "n2.txt").write_text("Another text with number 5 and number 6.")
    assert resumed(out, notes, given, consumers=consumers) == [3]
    (notes / "n5.txt").write_text("do=fails 1")
    assert resumed(out, notes, given, consumers=consumers) == [6]
    (notes / "n5.txt").write_text("number 1")
    assert resumed(out, notes, given, consumers=consumers) == [6]
    (out / "release/text/n7.txt").unlink()
    assert resumed(out, notes, given, consumers=consumers) == [8]


@pytest.mark.slow
@pytest.mark.usefixtures("_sqlalchemy")
@pytest.mark.parametrize("consumers", SQL[:2])
def test_rows_of_documents_that_are_gone_go(tmp_path: Path, notes: Path, consumers: str) -> None:
    first(tmp_path / "out", notes, consumers=consumers)
    (notes / "n0.txt").unlink()
    (notes / "n4.txt").rename(notes / "n9.txt")
    running.run(tmp_path / "out", notes, "run.resume=true", "run.limit=3", consumers=consumers)
    assert len(table(tmp_path / "out")) == 8  # it did not come to its end
    assert resumed(tmp_path / "out", notes, consumers=consumers) == [4, 5, 6, 7]


@pytest.mark.slow
@pytest.mark.usefixtures("_sqlalchemy")
def test_a_table_that_is_added_to_keeps_the_rows_of_documents_that_are_gone(tmp_path: Path, notes: Path) -> None:
    first(tmp_path / "out", notes, consumers=SQL[2])
    before = table(tmp_path / "out")
    (notes / "n0.txt").unlink()
    running.run(tmp_path / "out", notes, "run.resume=true", consumers=SQL[2])
    assert table(tmp_path / "out") == before


@pytest.mark.slow
@pytest.mark.usefixtures("_sqlalchemy")
def test_rows_of_an_sql_table_that_are_not_what_was_written_are_written_again(tmp_path: Path, notes: Path) -> None:
    out, consumers = tmp_path / "out", SQL[1]
    first(out, notes, consumers=consumers)
    changed(out, "UPDATE documents SET text = 'other' WHERE id = 'n3'")
    assert resumed(out, notes, consumers=consumers) == [4]
    changed(out, "UPDATE documents SET spans = '[{' WHERE id = 'n3'")
    changed(out, "DELETE FROM documents WHERE id = 'n5'")
    assert resumed(out, notes, consumers=consumers) == [4, 6]
    changed(out, "INSERT INTO documents SELECT * FROM documents WHERE id = 'n1'")
    assert resumed(out, notes, consumers=consumers) == [2]
    changed(out, "DROP TABLE documents")
    assert resumed(out, notes, consumers=consumers) == ALL
    (out / "tables/notes.db").unlink()
    assert resumed(out, notes, consumers=consumers) == ALL


@pytest.mark.slow
@pytest.mark.usefixtures("_sqlalchemy")
def test_rows_that_somebody_else_changed_are_never_removed(tmp_path: Path, notes: Path) -> None:
    out = tmp_path / "out"
    first(out, notes, consumers=SQL[0])
    changed(out, "UPDATE documents SET text = 'other' WHERE id IN ('n3', 'n4', 'n5')")
    (notes / "n4.txt").unlink()
    (notes / "n5.txt").write_text("do=fails 1")
    _, seen = running.run(out, notes, "run.resume=true", consumers=SQL[0])
    assert [n for n, status in seen.statuses().items() if status != "released"] == [4, 5]
    assert [row[0] for row in table(out) if row[1] == "other"] == ["n3", "n4", "n5"]


@pytest.mark.slow
@pytest.mark.usefixtures("_sqlalchemy")
@pytest.mark.parametrize("consumers", SQL)
def test_a_killed_run_leaves_the_table_as_it_was_and_can_be_resumed(
    tmp_path: Path, notes: Path, consumers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("caspipe.pipeline.running.ledger.ledger._BATCH_SECONDS", -1)
    out = tmp_path / "out"
    killed(out, notes, 5, consumers=consumers)
    assert resumed(out, notes, consumers=consumers) == ALL
    (notes / "n2.txt").write_text("Another text with number 5.")
    killed(out, notes, 5, "run.resume=true", consumers=consumers)
    assert resumed(out, notes, consumers=consumers) == [3]


@pytest.mark.slow
@pytest.mark.usefixtures("_sqlalchemy")
def test_what_a_killed_run_left_beside_the_table_goes(tmp_path: Path, notes: Path) -> None:
    first(tmp_path / "out", notes, consumers=SQL[0])
    journal = tmp_path / "out/tables/notes.db-journal"
    journal.write_bytes(b"")
    assert resumed(tmp_path / "out", notes, consumers=SQL[0]) == []
    assert not journal.exists()


@pytest.mark.slow
@pytest.mark.usefixtures("_sqlalchemy")
@pytest.mark.parametrize("consumers", SQL)
def test_sql_tables_of_shards_are_put_together(tmp_path: Path, notes: Path, consumers: str) -> None:
    running.run(tmp_path / "whole", notes, consumers=consumers)
    out = tmp_path / "out"
    for part in (1, 2, 3):
        running.run(out, notes, f"run.shard={part}/3", consumers=consumers)
    reader = f"{{text: {{folder: {json.dumps(str(notes))}}}}}"
    merge(running.pipeline(out, reader, consumers=consumers))
    assert table(out) == table(tmp_path / "whole")
    assert not (out / "shards").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("_sqlalchemy")
def test_rows_without_an_id_stay_with_the_shards(tmp_path: Path, notes: Path) -> None:
    consumers, out = sql(fields=["text"], existing="append"), tmp_path / "out"
    for part in (1, 2):
        running.run(out, notes, f"run.shard={part}/2", consumers=consumers)
    reader = f"{{text: {{folder: {json.dumps(str(notes))}}}}}"
    report = merge(running.pipeline(out, reader, consumers=consumers))
    assert "merge: the outputs of sql stay in the folders of the shards" in report.warnings
    assert len(table(out / "shards/1-of-2")) == 4
