"""Consumer that writes one Parquet table of all documents, or of all masked spans."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from typing import Any

from ...pipeline.contract.component import Locate, Output, component
from ...pipeline.errors import ConsumerError
from ...pipeline.storage.files import AtomicFile
from ...typesystem import Cas
from ..files.content import Content
from ..files.lines import LineConsumer
from ..files.slices import Slices, slice_of
from .parquet_rows import OldTable, pyarrow, row_bytes, rows_from
from .table_columns import Column, TableOptions

_MOST = 32 << 20


@component("parquet")
class ParquetConsumer(TableOptions, LineConsumer):
    """Writes a Parquet table (zstd): a row for each document or for each masked span. Needs the extra `parquet`.

    Offsets are code points in the masked text. Original text, original spans and original offsets are left out unless
    `include` asks for them; the file is its owner's only then. The same documents make the same bytes, with one version of
    pyarrow.
    """

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
        self._written = 0
        self._last: tuple[str, int, int] | None = None
        self._beside: Slices | None = None
        self._old: OldTable | None = None
        self._writer: Any = None
        self._sink: _Sink | None = None

    def open(self) -> None:
        """Makes the folder and the temporary files. Raises ResourceError where pyarrow is not installed.

        A table without its end cannot be read, so the rows stand as JSON in a second temporary file until the run ends: a run
        that is cut off can be resumed from there.
        """
        _, pq = pyarrow()
        super().open()
        assert self._slices is not None
        self._rows, self._size, self._last, self._written = [], 0, None, 0
        self._sink = _Sink(self._slices.file)
        try:
            self._beside = Slices(self.output / self.file, private=self.holds_original_text())
            self._writer = pq.ParquetWriter(
                self._sink, self._schema(), compression="zstd", write_page_checksum=True, store_schema=True
            )
        except BaseException:
            self.abort()
            raise

    def content(self, cas: Cas) -> bytes:
        return row_bytes(self.rows_of(cas), self.columns(), self.span_columns())

    def commit(self, document_id: str, prepared: Content) -> list[Output]:
        return self._put(document_id, prepared.data)

    def adopt_previous(
        self, document_id: str, outputs: list[Output], state: Any, locate: Locate
    ) -> list[Output] | None:
        """Takes the rows over from an earlier run's table, or, where that was cut off, from what stood beside it."""
        if len(outputs) != 2:
            return None
        place = locate(outputs[0])
        if place.name != Path(self.file).name:
            data = slice_of(place, outputs[1])
        else:
            if self._old is None or self._old.path != place:
                self._forget_old()
                self._old = OldTable(place)
            data = self._old.rows(outputs[0].begin, outputs[0].length)
        if data is None or hashlib.sha256(data).hexdigest() != outputs[0].digest:
            return None
        return self._put(document_id, data)

    def _put(self, document: str, data: bytes) -> list[Output]:
        """Takes the rows of a document, or nothing. Returns which rows of the table they are, and which bytes beside it."""
        if self._slices is None:
            self.open()
        assert self._beside is not None
        rows = rows_from(data, self.columns())
        if self._size > _MOST or len(self._rows) >= self.row_group:
            self._flush()  # before, not behind: the last document can still be taken back
        at, length = self._beside.append(document, data)
        begin = self._written + len(self._rows)
        self._last = document, len(self._rows), self._size
        self._rows += rows
        self._size += sum(_size(row) for row in rows)
        path, digest = Path(self.file).as_posix(), hashlib.sha256(data).hexdigest()
        return [Output(self.id, path, *place, digest, False) for place in ((begin, len(rows)), (at, length))]

    def shared_files(self) -> dict[str, Path]:
        if self._slices is None or self._beside is None:
            return {}
        return {Path(self.file).as_posix(): self._beside.file.temporary}

    def rollback(self, document_id: str) -> None:
        if self._last is not None and self._last[0] == document_id:
            _, rows, self._size = self._last
            del self._rows[rows:]
            self._last = None
        if self._beside is not None:
            self._beside.rollback(document_id)

    def abort(self) -> None:
        sink, self._sink, self._writer, self._rows = self._sink, None, None, []
        if sink is not None:
            sink.file = None  # what the writer still has to say goes nowhere
        self._forget_beside()
        super().abort()

    def close(self) -> None:
        """Writes the rest and gives the file its name. Raises ConsumerError where it could not be written whole."""
        writer, sink = self._writer, self._sink
        if writer is not None and sink is not None:
            try:
                self._flush()
                writer.close()
                sink.check()
            except BaseException:
                self.abort()
                raise
            sink.file = self._sink = self._writer = None
        self._forget_old()
        super().close()
        self._forget_beside()

    def _forget_beside(self) -> None:
        beside, self._beside = self._beside, None
        if beside is not None:
            beside.file.discard()
        self._forget_old()

    def _forget_old(self) -> None:
        old, self._old = self._old, None
        if old is not None:
            old.close()

    def _flush(self) -> None:
        pa, _ = pyarrow()
        schema = self._schema()
        rows, self._rows, self._size, self._last = self._rows, [], 0, None
        self._written += len(rows)
        assert self._sink is not None
        for begin in range(0, len(rows), self.row_group):
            columns = [
                pa.array([row[c.name] for row in rows[begin : begin + self.row_group]], schema.field(c.name).type)
                for c in self.columns()
            ]
            table = pa.Table.from_arrays(columns, schema=schema)
            self._sink.check()
            self._writer.write_table(table, row_group_size=self.row_group)
            self._sink.check()

    def _schema(self) -> Any:
        pa, _ = pyarrow()
        return pa.schema([pa.field(c.name, self._type(c), nullable=False) for c in self.columns()])

    def _type(self, column: Column) -> Any:
        pa, _ = pyarrow()
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


def _size(row: dict[str, Any]) -> int:
    """About how many bytes a row takes up."""
    return sum(len(v) if isinstance(v, str) else 64 * len(v) if isinstance(v, list | dict) else 8 for v in row.values())
