"""Consumer that writes one Parquet table of all documents, or of all masked spans."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from ..pipeline.component import component
from ..pipeline.errors import ConsumerError, ResourceError
from ..pipeline.files import AtomicFile
from ..typesystem import Cas
from .lines import LineConsumer
from .tables import Column, TableOptions

_MOST = 32 << 20


@component("parquet")
class ParquetConsumer(TableOptions, LineConsumer):
    """Writes a Parquet table (zstd): a row for each document or for each masked span. Needs the extra `parquet`.

    Offsets are code points in the masked text. Original text, original spans and original offsets are left out unless
    `include` asks for them; the file is its owner's only then. The same documents make the same bytes, with one version of
    pyarrow.
    """

    split = False
    apart = True

    file: Path = Path("release/documents.parquet")
    row_group: int = 10_000
    """Rows of a row group at most; it also ends at 32 MiB of text, so that memory stays flat."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_record()
        if self.row_group < 1:
            raise ValueError(f"row_group: expected 1 or more, got {self.row_group}")
        self._rows: list[dict[str, Any]] = []
        self._size = 0
        self._last: tuple[str, int, int] | None = None
        self._writer: Any = None
        self._sink: _Sink | None = None

    def open(self) -> None:
        """Makes the folder and the temporary file. Raises ResourceError where pyarrow is not installed."""
        _, pq = _pyarrow()
        super().open()
        assert self._slices is not None
        self._rows, self._size, self._last = [], 0, None
        self._sink = _Sink(self._slices.file)
        try:
            self._writer = pq.ParquetWriter(
                self._sink, self._schema(), compression="zstd", write_page_checksum=True, store_schema=True
            )
        except BaseException:
            self.abandon()
            raise

    def process(self, cas: Cas) -> None:
        rows = self.rows_of(cas)
        if self._slices is None:
            self.open()
        if self._size > _MOST or len(self._rows) >= self.row_group:
            self._flush()  # before, not behind: the last document can still be taken back
        self._last = cas.id, len(self._rows), self._size
        self._rows += rows
        self._size += sum(_size(row) for row in rows)

    def retract(self, cas: Cas) -> None:
        if self._last is not None and self._last[0] == cas.id:
            _, rows, self._size = self._last
            del self._rows[rows:]
            self._last = None

    def abandon(self) -> None:
        sink, self._sink, self._writer, self._rows = self._sink, None, None, []
        if sink is not None:
            sink.file = None  # what the writer still has to say goes nowhere
        super().abandon()

    def close(self) -> None:
        """Writes the rest and gives the file its name. Raises ConsumerError where it could not be written whole."""
        writer, sink = self._writer, self._sink
        if writer is not None and sink is not None:
            try:
                self._flush()
                writer.close()
                sink.check()
            except BaseException:
                self.abandon()
                raise
            sink.file = self._sink = self._writer = None
        super().close()

    def _flush(self) -> None:
        pa, _ = _pyarrow()
        schema = self._schema()
        rows, self._rows, self._size, self._last = self._rows, [], 0, None
        assert self._sink is not None
        for begin in range(0, len(rows), self.row_group):
            columns = [
                pa.array(
                    [_cell(row[c.name]) for row in rows[begin : begin + self.row_group]], schema.field(c.name).type
                )
                for c in self.columns()
            ]
            table = pa.Table.from_arrays(columns, schema=schema)
            self._sink.check()
            self._writer.write_table(table, row_group_size=self.row_group)
            self._sink.check()

    def _schema(self) -> Any:
        pa, _ = _pyarrow()
        return pa.schema([pa.field(c.name, self._type(c), nullable=False) for c in self.columns()])

    def _type(self, column: Column) -> Any:
        pa, _ = _pyarrow()
        plain = {"text": pa.string(), "number": pa.int64(), "real": pa.float64()}
        nested = {
            "counts": pa.map_(pa.string(), pa.int64()),
            "metadata": pa.map_(pa.string(), pa.string()),
            "spans": pa.list_(pa.struct([(c.name, plain[c.shape]) for c in self.span_columns()])),
            "phi": pa.list_(
                pa.struct(
                    [
                        *((name, pa.int64()) for name in ("begin", "end")),
                        ("kind", pa.string()),
                        ("confidence", pa.float64()),
                        *((name, pa.string()) for name in ("source", "reason")),
                    ]
                )
            ),
        }
        return plain[column.shape] if column.shape in plain else nested[column.shape]


class _Sink(io.RawIOBase):
    """An atomic file as pyarrow wants files. After a write that failed nothing more is written, and `check` raises."""

    def __init__(self, file: AtomicFile) -> None:
        self.file: AtomicFile | None = file
        self.failed: ConsumerError | None = None

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.file.offset if self.file is not None else 0

    def write(self, data: Any) -> int:
        size = len(data)
        if self.file is not None and self.failed is None:
            try:
                self.file.write(bytes(data))
            except ConsumerError as error:
                self.failed = error
        return size

    def check(self) -> None:
        """Raises the error of the write that failed."""
        if self.failed is not None:
            raise self.failed


def _cell(value: Any) -> Any:
    return list(value.items()) if isinstance(value, dict) else value


def _size(row: dict[str, Any]) -> int:
    """About how many bytes a row takes up."""
    return sum(len(v) if isinstance(v, str) else 64 * len(v) if isinstance(v, list | dict) else 8 for v in row.values())


def _pyarrow() -> Any:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise ResourceError("the consumer parquet needs pyarrow: pip install 'caspipe[parquet]'") from None
    return pa, pq
