"""Reader of Parquet files with one document per row, which keeps one batch of rows in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from ...pipeline.contract.component import component
from ...pipeline.errors import ReaderError, ResourceError
from ...pipeline.storage.archives.archive import MARK
from ...pipeline.storage.archives.open_archives import read_bounded, too_long
from ...pipeline.storage.digest_set import Digests
from ...typesystem import Cas, KnownPhi
from ..files.selection import Source
from .records import RecordReader, SpanFields, columns_of
from .values import plain

_DAMAGED = "the Parquet data are damaged or cut off"
_BUFFER = 1 << 20


@component("parquet", outputs=[KnownPhi])
class ParquetReader(SpanFields, RecordReader):
    """Reads Parquet files: one document per row. Only the columns named in the parameters are read; fields of a struct column
    are named `patient.name`. Requires the extra `parquet`.

    A damaged row group is one failed document; later row groups are read.
    """

    pattern: str = "*.parquet"
    batch: int = 64
    """Number of rows in memory at a time."""

    suffixes = (".parquet", ".pq")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.batch < 1:
            raise ValueError(f"batch: expected 1 or more, got {self.batch}")

    def open(self) -> None:
        """List the files. Raises ResourceError without pyarrow, ReaderError if nothing matches."""
        _pyarrow()
        super().open()

    def _file(self, file: BinaryIO, source: Source, seen: Digests) -> Iterator[Cas]:
        table = self._parquet(file, source)
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
                elif any(isinstance(v, str) and len(v) > self.max_bytes for v in record.values()):
                    self.fail(number, f"{place}: {too_long(self.max_bytes)}")
                else:
                    yield from self.documents(record, number, place, seen)
            if row < last:
                self.fail(f"{source.id}/{row + 1}", f"{source.path}, rows {row + 1} to {last}: {_DAMAGED}")
                row = last

    def _parquet(self, file: BinaryIO, source: Source) -> Any:
        """Open the file. Raises ReaderError if it is damaged or, inside an archive or .gz file, too large."""
        pa, pq = _pyarrow()
        content: Any = source.path
        if MARK in source.path or source.path.endswith(".gz"):  # Parquet is read from the end, which streams cannot do
            content = pa.BufferReader(read_bounded(file, self.max_bytes, source.path))
        try:
            return pq.ParquetFile(
                content, buffer_size=_BUFFER, pre_buffer=False, memory_map=False, page_checksum_verification=True
            )
        except Exception:  # its messages may quote the file
            pass
        raise ReaderError(f"{source.path}: {_DAMAGED}")

    def _records(self, table: Any, group: int, columns: list[str]) -> Iterator[dict[str, Any] | None]:
        """Yield the rows of a row group, None for an unreadable one. Ends early if the group is damaged."""
        try:
            batches = table.iter_batches(self.batch, row_groups=[group], columns=columns, use_threads=False)
            for batch in batches:
                yield from _rows(batch)
        except Exception:  # its messages may quote the file
            return


def _rows(batch: Any) -> Iterator[dict[str, Any] | None]:
    for row in _values(batch) or [(_values(batch.slice(n, 1)) or [None])[0] for n in range(batch.num_rows)]:
        yield None if row is None else plain(row)


def _values(batch: Any) -> list[Any] | None:
    """Return the rows as Python objects; None if one has a value that Python cannot represent, such as the year 10,000."""
    try:
        return _microseconds(batch).to_pylist(maps_as_pydicts="strict")  # type: ignore[no-any-return]
    except Exception:
        return None


def _microseconds(batch: Any) -> Any:
    """Truncate timestamps in nanoseconds to microseconds, the precision of Python."""
    pa, _ = _pyarrow()
    for n, field in enumerate(batch.schema):
        if pa.types.is_timestamp(field.type) and field.type.unit == "ns":
            truncated = batch.column(n).cast(pa.timestamp("us", field.type.tz), safe=False)
            batch = batch.set_column(n, field.name, truncated)
    return batch


def _pyarrow() -> Any:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise ResourceError("the reader parquet needs pyarrow: pip install 'caspipe[parquet]'") from None
    return pa, pq
