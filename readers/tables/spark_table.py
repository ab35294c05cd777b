"""Reader of Spark tables with one document per row, which keeps one partition in memory."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from ...pipeline.contract.component import component
from ...pipeline.errors import CaspipeError, ReaderError, ResourceError
from ...pipeline.storage.digest_set import Digests
from ...pipeline.storage.spark_session import session
from ...typesystem import Cas, KnownPhi
from .records import SpanFields, column_of, columns_of
from .values import plain


@component("spark_table", outputs=[KnownPhi])
class SparkTableReader(SpanFields):
    """Reads a table, a view or files through Spark: one document per row, ordered by `id_field`. Requires the extra `spark`.

    `text_field`, `id_field`, `metadata` and `known_phi` name columns; only these are read. All rows are transferred to the
    machine that runs caspipe. To de-identify tables on a cluster, see `caspipe.pipeline.running.runners.spark.annotate`. Error
    messages contain no data.
    """

    table: str
    """Table or view of the session's catalogue, such as `archive.notes`. With `format`, a path of files in Spark's notation: a
    folder, `s3a://bucket/notes`, `hdfs:///notes/*.parquet`."""
    format: str = ""
    """Format of the files in `table`: parquet, orc, json, csv, delta, or any other format of the session. Empty: `table` is a
    table or view."""
    options: dict[str, str] = dataclasses.field(default_factory=dict)
    """Options of the format, such as `{header: "true"}`."""

    forks = False

    def __post_init__(self) -> None:
        self.check_fields()
        if not self.table:
            raise ValueError("table: expected a table, a view or files, got nothing")
        self._frame: Any = None

    def open(self) -> None:
        """Look up the table. Raises ResourceError without pyspark, ReaderError if the table or a column is missing."""
        super().open()
        self._frame = self._load_frame()

    def close(self) -> None:
        self._frame = None
        super().close()

    def __iter__(self) -> Iterator[Cas]:
        frame = self._frame if self._frame is not None else self._load_frame()
        rows = frame.toLocalIterator(prefetchPartitions=True)
        seen = Digests()
        n, fault = 0, ""
        while True:
            try:
                row = next(rows, None)
            except Exception as error:  # its message may hold data
                fault = type(error).__name__
                break
            if row is None:
                return
            n += 1
            yield from self.of_row(row.asDict(recursive=True), f"{self.table}/{n}", f"{self.table}, row {n}", seen)
        raise ReaderError(f"reader {self.id}: {self.table}, after row {n}: {fault}")

    def of_row(self, row: Mapping[str, Any], number: str, place: str, seen: Digests) -> Iterator[Cas]:
        """Yield the documents of a row; an invalid row goes to `failed`. `number` identifies a row without a valid id."""
        yield from self.documents({name: plain(value) for name, value in row.items()}, number, place, seen)

    def _load_frame(self) -> Any:
        """Return a frame of the required columns, ordered by id."""
        fault = ""
        try:
            frame = self._source()
            columns = columns_of(self.wanted(), frame.columns)
            frame = frame.select(*[f"`{name}`" for name in columns])
            by = column_of(self.id_field, columns) if self.id_field else None
            return frame.orderBy(f"`{by}`") if by else frame
        except ResourceError:
            raise
        except (CaspipeError, ValueError) as error:
            fault = str(error)
        except Exception as error:  # its message may hold data
            condition = getattr(error, "getCondition", None) or getattr(
                error, "getErrorClass", None
            )  # 4.0 and later, 3.5
            fault = (condition() if condition is not None else "") or type(error).__name__
        raise ReaderError(f"reader {self.id}: {self.table}: {fault}")

    def _source(self) -> Any:
        spark, _ = session()
        if not self.format:
            return spark.table(self.table)
        return spark.read.format(self.format).options(**self.options).load(self.table)
