"""Tables of Spark: read as documents, and the other way round."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from caspipe.consumers.tables.parquet import ParquetConsumer
from caspipe.pipeline import Pipeline
from caspipe.pipeline.errors import ConfigError, ReaderError
from caspipe.readers.tables.parquet import ParquetReader
from caspipe.readers.tables.spark_table import SparkTableReader
from caspipe.typesystem import Cas

pytestmark = pytest.mark.spark

ROWS = [(f"n{n:02}", f"Dr. Smith \U0001f600 {n}", "p1" if n % 2 else None, n) for n in range(25)]
SCHEMA = "id string, text string, patient string, age int"


@pytest.fixture
def folder(spark: Any, tmp_path: Path) -> Path:
    """Parquet files as Spark writes them: parts, `_SUCCESS` and checksums."""
    path = tmp_path / "notes.parquet"
    spark.createDataFrame(list(reversed(ROWS)), SCHEMA).repartition(3).write.parquet(str(path))
    assert (path / "_SUCCESS").exists()
    return path


def told(documents: list[Cas]) -> list[tuple[str, str, dict[str, str], list[str]]]:
    return [(d.id, d.text, dict(d.metadata), [k.value for k in d.known_phi]) for d in documents]


def given(**more: Any) -> dict[str, Any]:
    return {"metadata": ["age"], "known_phi": {"patient": "PERSON_PATIENT"}, **more}


def documents(cls: type[Any], **more: Any) -> list[Cas]:
    from caspipe.pipeline.contract import params

    faults: list[str] = []
    reader = params.build(cls, given(**more), lambda at, what: faults.append(what))
    assert not faults
    reader.open()
    found = list(reader)
    assert not reader.failed
    reader.close()
    return found


def test_files_of_spark_are_read_in_order_of_ids(folder: Path) -> None:
    found = told(documents(SparkTableReader, table=str(folder), format="parquet"))
    assert found == [(name, text, {"age": str(age)}, [patient] if patient else []) for name, text, patient, age in ROWS]


def test_the_reader_parquet_reads_what_spark_wrote(folder: Path) -> None:
    there = told(documents(SparkTableReader, table=str(folder), format="parquet"))
    here = told(documents(ParquetReader, folder=str(folder)))
    assert sorted(here) == there


def test_a_view_is_read_by_its_name(spark: Any) -> None:
    spark.createDataFrame(ROWS, SCHEMA).createOrReplaceTempView("caspipe_notes")
    assert [d.id for d in documents(SparkTableReader, table="caspipe_notes")] == [name for name, *_ in ROWS]


def test_rows_that_are_no_documents_are_failures_with_their_place(spark: Any) -> None:
    rows = [("a", "one"), ("a", "two"), ("b", None), (None, "three")]
    spark.createDataFrame(rows, "id string, text string").createOrReplaceTempView("caspipe_bad")
    reader = SparkTableReader(table="caspipe_bad")
    assert [d.id for d in reader] == ["a"]
    assert sorted((name, str(error)) for name, error in reader.failed) == [
        ("a", "caspipe_bad, row 3: an earlier document has the same id"),
        ("b", "caspipe_bad, row 4: field text: expected text, found nothing"),
        ("caspipe_bad/1", "caspipe_bad, row 1: field id: expected a document id, found nothing"),
    ]


def test_tables_and_columns_that_are_missing_are_told(spark: Any, folder: Path) -> None:
    with pytest.raises(ReaderError, match=r"caspipe_none: TABLE_OR_VIEW_NOT_FOUND"):
        SparkTableReader(table="caspipe_none").open()
    with pytest.raises(ReaderError, match="expected a field texts, found none; did you mean text"):
        SparkTableReader(table=str(folder), format="parquet", text_field="texts").open()
    with pytest.raises(ConfigError, match="table: expected a table, a view or files, got nothing"):
        Pipeline.parse("reader: {spark_table: {table: ''}}\nengines: [segmenter]\n")


def test_spark_reads_what_the_consumer_parquet_writes(spark: Any, tmp_path: Path) -> None:
    with Pipeline.parse("engines: [segmenter, names, masker]\n") as pipeline:
        consumer = ParquetConsumer(fields=["id", "text", "spans", "counts"])
        consumer.output = tmp_path
        consumer.open()
        for name in ("a", "b"):
            consumer.process(pipeline.process(Cas("Dr. Smith \U0001f600", id=name)))
        consumer.close()
    found = spark.read.parquet(str(tmp_path / "release" / "documents.parquet")).orderBy("id").collect()
    assert [(row.id, row.text, row.counts) for row in found] == [
        (name, "Dr. [PERSON] \U0001f600", {"PERSON_DOCTOR": 1}) for name in ("a", "b")
    ]
    assert found[0].spans[0].kind == "PERSON_DOCTOR"
