"""Reader of Parquet files: one row, one document, a batch of rows in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from ...pipeline.contract.component import component
from ...pipeline.errors import ReaderError, ResourceError
from ...pipeline.storage.digest_set import Digests
from ...typesystem import Cas, KnownPhi
from ..files.archive import MARK
from ..files.file_reader import bounded, too_long
from ..files.selection import Source
from .records import RecordReader
from .span_fields import SpanFields
from .values import columns_of, plain

_DAMAGED = "the Parquet data are damaged or cut off"
_BUFFER = 1 << 20


@component("parquet", outputs=[KnownPhi])
class ParquetReader(SpanFields, RecordReader):
    """Reads Parquet files: a document a row. Only the columns that are named here are read; fields of a struct column are
    named `patient.name`. Needs the extra `parquet`.

    A row group that is damaged is one failed document; those behind it are read.
    """

    pattern: str = "*.parquet"
    batch: int = 64
    """Rows in memory at a time."""

    suffixes = (".parquet", ".pq")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.batch < 1:
            raise ValueError(f"batch: expected 1 or more, got {self.batch}")

    def open(self) -> None:
        """Lists the files. Raises ResourceError where pyarrow is not installed, ReaderError where nothing matches."""
        _pyarrow()
        super().open()

    def _file(self, file: BinaryIO, source: Source, seen: Digests) -> Iterator[Cas]:
        table = self._table(file, source)
        try:
            columns = columns_of(self.wanted(), table.schema_arrow.names)
        except ReaderError as error:
            raise ReaderError(f"{source.path}: {error}") from None
        row = 0
        for group in range(table.num_row_groups):
            last = row + table.metadata.row_group(group).num_rows
            for record in self._records(table, group, columns):
                row += 1
                number, place = f"{source.id}/{row}", f"{source.path}, row {row}"
                if record is None:
                    self.fail(number, f"{place}: a value that cannot be read")
                elif self._too_long(record):
                    self.fail(number, f"{place}: {too_long(self.max_bytes)}")
                else:
                    yield from self.documents(record, number, place, seen)
            if row < last:
                self.fail(f"{source.id}/{row + 1}", f"{source.path}, rows {row + 1} to {last}: {_DAMAGED}")
                row = last

    def _table(self, file: BinaryIO, source: Source) -> Any:
        """The file, its end read. Raises ReaderError where it is damaged or, inside an archive or .gz, too large."""
        pa, pq = _pyarrow()
        whole: Any = source.path
        if MARK in source.path or source.path.endswith(".gz"):  # to be read from its end, which a stream cannot
            data = bounded(file, self.max_bytes)
            if len(data) > self.max_bytes:
                raise ReaderError(f"{source.path}: {too_long(self.max_bytes)}")
            whole = pa.BufferReader(data)
        try:
            return pq.ParquetFile(
                whole, buffer_size=_BUFFER, pre_buffer=False, memory_map=False, page_checksum_verification=True
            )
        except Exception:  # its messages may quote the file
            pass
        raise ReaderError(f"{source.path}: {_DAMAGED}")

    def _records(self, table: Any, group: int, columns: list[str]) -> Iterator[dict[str, Any] | None]:
        """The rows of a row group, None for one that cannot be read. Ends early where the group is damaged."""
        try:
            batches = table.iter_batches(self.batch, row_groups=[group], columns=columns, use_threads=False)
            for batch in batches:
                yield from _rows(batch)
        except Exception:  # its messages may quote the file
            return

    def _too_long(self, record: dict[str, Any]) -> bool:
        return any(isinstance(v, str) and len(v) > self.max_bytes for v in record.values())


def _rows(batch: Any) -> Iterator[dict[str, Any] | None]:
    for n, row in enumerate(_values(batch) or [None] * batch.num_rows):
        found = row if row is not None else (_values(batch.slice(n, 1)) or [None])[0]
        yield None if found is None else plain(found)


def _values(batch: Any) -> list[Any] | None:
    """The rows as Python has them; None where one of them holds what it cannot: no UTF-8, a year 10,000."""
    try:
        return _microseconds(batch).to_pylist(maps_as_pydicts="strict")  # type: ignore[no-any-return]
    except Exception:
        return None


def _microseconds(batch: Any) -> Any:
    """Timestamps to the nanosecond cut to microseconds, which is as fine as Python tells time."""
    pa, _ = _pyarrow()
    for n, field in enumerate(batch.schema):
        if pa.types.is_timestamp(field.type) and field.type.unit == "ns":
            whole = batch.column(n).cast(pa.timestamp("us", field.type.tz), safe=False)
            batch = batch.set_column(n, field.name, whole)
    return batch


def _pyarrow() -> Any:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise ResourceError("the reader parquet needs pyarrow: pip install 'caspipe[parquet]'") from None
    return pa, pq
