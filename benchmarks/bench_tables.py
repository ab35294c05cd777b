"""Measure tables and archives: rows per second to and from Parquet, SQLite and PostgreSQL, and files per second from archives.

python -m benchmarks.bench_tables            2,000 documents of 2 kB
python -m benchmarks.bench_tables 20000      20,000 documents

PostgreSQL is measured if CASPIPE_TEST_POSTGRES names a database. Its tables bench_notes and bench_released are replaced.
"""

from __future__ import annotations

import csv
import importlib
import io
import os
import sqlite3
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

from benchmarks.narratives import narratives
from caspipe.consumers.tables.jsonl import JsonlConsumer
from caspipe.consumers.tables.parquet import ParquetConsumer
from caspipe.consumers.tables.sql import SqlConsumer
from caspipe.pipeline.contract.component import CasConsumer, CollectionReader
from caspipe.readers.files.text import TextReader
from caspipe.readers.tables.csv import CsvReader
from caspipe.readers.tables.json_records import JsonlReader
from caspipe.readers.tables.parquet import ParquetReader
from caspipe.readers.tables.sql import SqlReader
from caspipe.typesystem import Cas, MaskedSpan, PhiKind

Row = tuple[str, float]


def masked(texts: Iterable[str]) -> list[Cas]:
    """Return documents with ten masked spans each."""
    made = []
    for n, text in enumerate(texts):
        cas = Cas(text, id=f"{n:06}")
        view = cas.create_view("deidentified", text)
        spans = [
            MaskedSpan(b, b + 4, kind=PhiKind.DATE, operator="shift", original_begin=b, original_end=b + 4)
            for b in range(0, 1000, 100)
        ]
        view.add_all(spans)
        made.append(cas)
    return made


def write(consumer: CasConsumer, output: Path, documents: list[Cas]) -> float:
    """Return the documents written per second."""
    consumer.output = output
    started = time.perf_counter()
    consumer.open()
    for cas in documents:
        consumer.process(cas)
    consumer.close()
    return len(documents) / (time.perf_counter() - started)


def read(make: Callable[[], CollectionReader], count: int) -> float:
    """Return the documents read per second: the best of three runs."""
    best = 0.0
    for _ in range(3):
        reader = make()
        started = time.perf_counter()
        reader.open()
        found = sum(1 for _ in reader)
        reader.close()
        assert (found, reader.failed) == (count, [])
        best = max(best, count / (time.perf_counter() - started))
    return best


def pack(folder: Path, documents: list[Cas]) -> list[Path]:
    """Write the texts as files to a folder, a zip, a tar and a compressed tar; return the paths."""
    made = [folder / "notes", *(folder / f"notes{s}" for s in (".zip", ".tar", ".tar.gz"))]
    made[0].mkdir()
    with (
        zipfile.ZipFile(made[1], "w", zipfile.ZIP_DEFLATED) as zip_,
        tarfile.open(made[2], "w") as tar,
        tarfile.open(made[3], "w:gz") as packed,
    ):
        for cas in documents:
            data = cas.text.encode()
            (made[0] / f"{cas.id}.txt").write_bytes(data)
            zip_.writestr(f"{cas.id}.txt", data)
            for archive in (tar, packed):
                info = tarfile.TarInfo(f"{cas.id}.txt")
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
    return made


def main(count: int) -> list[Row]:
    for module in ("pyarrow.parquet", "sqlalchemy"):
        importlib.import_module(module)  # not measured
    documents = masked(narratives(count))
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        out = Path(name)
        lite = f"sqlite:///{out}/release/notes.db"
        rows += [
            ("write jsonl", write(JsonlConsumer(), out, documents)),
            ("write parquet", write(ParquetConsumer(), out, documents)),
            (
                "write parquet, rows: spans",
                write(ParquetConsumer(rows="spans", file=Path("release/s.pq")), out, documents),
            ),
            ("write sql (SQLite)", write(SqlConsumer(url=lite), out, documents)),
            ("write sql (SQLite), existing: replace", write(SqlConsumer(url=lite, existing="replace"), out, documents)),
            ("read jsonl", read(lambda: JsonlReader(folder=out / "release"), count)),
            ("read parquet", read(lambda: ParquetReader(folder=out / "release", pattern="*.parquet"), count)),
            ("read sql (SQLite)", read(lambda: SqlReader(url=lite, table="documents"), count)),
        ]
        _csv(out / "csv", documents)
        rows.append(("read csv", read(lambda: CsvReader(folder=out / "csv"), count)))
        for path in pack(out, documents):
            rows.append((f"read text from {path.name}", read(lambda path=path: TextReader(folder=path), count)))  # type: ignore[misc]
        postgres = os.environ.get("CASPIPE_TEST_POSTGRES", "")
        if postgres:
            _drop(postgres)
            rows.append(
                ("write sql (PostgreSQL)", write(SqlConsumer(url=postgres, table="bench_released"), out, documents))
            )
            rows.append(("read sql (PostgreSQL)", read(lambda: SqlReader(url=postgres, table="bench_released"), count)))
            _drop(postgres)
    return rows


def _csv(folder: Path, documents: list[Cas]) -> None:
    folder.mkdir()
    with (folder / "notes.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("id", "text"), *((c.id, c.text) for c in documents)])


def _drop(url: str) -> None:
    import sqlalchemy as sa

    from caspipe.pipeline.storage.database import engine, parsed

    with engine(parsed(url, "the benchmark"), "the benchmark", read_only=False).begin() as connection:
        connection.execute(sa.text("DROP TABLE IF EXISTS bench_released"))


if __name__ == "__main__":
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print(f"{wanted:,} documents of 2 kB, ten spans each; SQLite {sqlite3.sqlite_version}\n")
    for what, rate in main(wanted):
        print(f"{what:42} {rate:10,.0f} documents/s")
