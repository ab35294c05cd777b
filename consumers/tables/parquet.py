"""Consumer that writes one Parquet table of all documents, or of all masked spans."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...pipeline.contract.component import component
from ...pipeline.contract.output import Locate, Output
from ...pipeline.errors import ConsumerError, ResourceError
from ...pipeline.storage.files import AtomicFile
from ...typesystem import Cas
from ..files.content import Content
from ..files.lines import LineConsumer
from ..files.slices import slice_of
from .record_fields import Column, TableOptions

_DEFAULT = Path("release/documents.parquet")
_MAX_GROUP_SIZE = 32 << 20
_MAPS = ("counts", "metadata")
Row = dict[str, Any]


@component("parquet")
class ParquetConsumer(TableOptions, LineConsumer):
    """Writes a Parquet table (zstd): a row for each document or for each masked span. Needs the extra `parquet`.

    Offsets are code points in the masked text. Original text, original spans and original offsets are left out unless
    `include` asks for them; the file is readable by its owner only then. The same documents make the same bytes, with one
    version of pyarrow.

    A Parquet file cannot be read before it is complete. Until the run ends, the rows are therefore JSON lines in a temporary
    file, from which an interrupted run can be resumed.
    """

    file: Path = _DEFAULT
    """File for all documents, under the run's output folder. Parts of the original are written to `restricted/documents.parquet`
    unless another file is given."""
    row_group: int = 10_000
    """Maximum number of rows in a row group; it also ends at 32 MiB of text, to limit memory."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_record()
        if self.writes_original() and Path(self.file) == _DEFAULT:
            self.file = Path("restricted") / _DEFAULT.name
        if self.row_group < 1:
            raise ValueError(f"row_group: expected 1 or more, got {self.row_group}")
        self._previous: dict[Path, AtomicFile] = {}

    def open(self) -> None:
        """Create the folder and the temporary file. Raises ResourceError if pyarrow is not installed."""
        _pyarrow()
        super().open()

    def content(self, cas: Cas) -> bytes:
        fields = [c.name for c in self.span_columns()]
        rows = ({c.name: _cell(row[c.name], c.shape, fields) for c in self.columns()} for row in self.rows_of(cas))
        return b"".join(map(_line, rows))

    def restore(self, outputs: list[Output], state: Any, locate: Locate) -> Content | None:
        """Return the rows from the table of an earlier run or, if it was interrupted, from its temporary file."""
        return super().restore(outputs, state, lambda output: self._lines_of(locate(output)))

    def written(self, document_id: str, output: Output) -> bytes | None:
        return slice_of(self._lines_of(self.output / output.path), output)

    def _lines_of(self, path: Path) -> Path:
        """Return a file with the rows of an earlier run as they were written before they became a table."""
        if path.name != Path(self.file).name:
            return path
        if path not in self._previous:
            lines = self._previous[path] = AtomicFile(self.output / self.file, private=self.writes_original())
            for row in _read_table(path):
                lines.write(_line(row))
        return self._previous[path].temporary

    def _forget_previous(self) -> None:
        while self._previous:
            self._previous.popitem()[1].discard()

    def abort(self) -> None:
        self._forget_previous()
        super().abort()

    def close(self) -> None:
        """Write the table. Raises ConsumerError if it cannot be written completely."""
        lines, self._slices = self._slices, None
        try:
            if lines is not None:
                self._write_table(lines.file.temporary)
        finally:
            self._forget_previous()
            if lines is not None:
                lines.file.discard()
        super().close()

    def _write_table(self, lines: Path) -> None:
        _, pq = _pyarrow()
        schema = self._schema()
        with AtomicFile(self.output / self.file, private=self.writes_original()) as file:
            sink = _Sink(file)
            with pq.ParquetWriter(
                sink, schema, compression="zstd", write_page_checksum=True, store_schema=True
            ) as writer:
                for group in self._groups(lines):
                    sink.check()
                    writer.write_table(self._table(group, schema), row_group_size=self.row_group)
            sink.check()

    def _groups(self, lines: Path) -> Iterator[list[Row]]:
        """Yield the rows in groups that are limited in number and size."""
        group: list[Row] = []
        size = 0
        with lines.open(encoding="utf-8", newline="\n") as file:
            for line in file:
                if len(group) == self.row_group or size > _MAX_GROUP_SIZE:
                    yield group
                    group, size = [], 0
                group.append(json.loads(line))
                size += len(line)
        if group:
            yield group

    def _table(self, rows: list[Row], schema: Any) -> Any:
        pa, _ = _pyarrow()
        for name in [c.name for c in self.columns() if c.shape in _MAPS]:
            for row in rows:
                row[name] = [tuple(pair) for pair in row[name]]
        return pa.Table.from_pylist(rows, schema=schema)

    def _schema(self) -> Any:
        pa, _ = _pyarrow()
        return pa.schema([pa.field(c.name, self._type(c), nullable=False) for c in self.columns()])

    def _type(self, column: Column) -> Any:
        pa, _ = _pyarrow()
        text, number, real = pa.string(), pa.int64(), pa.float64()
        plain = {"text": text, "number": number, "real": real}
        phi = {"begin": number, "end": number, "kind": text, "confidence": real, "source": text, "reason": text}
        nested = {
            "counts": pa.map_(text, number),
            "metadata": pa.map_(text, text),
            "spans": pa.list_(pa.struct([(c.name, plain[c.shape]) for c in self.span_columns()])),
            "phi": pa.list_(pa.struct(list(phi.items()))),
        }
        return (plain | nested)[column.shape]


class _Sink(io.RawIOBase):
    """An atomic file for pyarrow. It ignores what comes after a failed write, because pyarrow writes even when it is closed
    after an error; `check` raises the error."""

    def __init__(self, file: AtomicFile) -> None:
        self.file = file
        self.error: ConsumerError | None = None

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.file.offset

    def write(self, data: Any) -> int:
        if self.error is None:
            try:
                self.file.write(bytes(data))
            except ConsumerError as error:
                self.error = error
        return len(data)

    def check(self) -> None:
        if self.error is not None:
            raise self.error


def _pyarrow() -> Any:
    """Return pyarrow and its module for Parquet. Raises ResourceError if they are not installed."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise ResourceError("the consumer parquet needs pyarrow: pip install 'caspipe[parquet]'") from None
    return pa, pq


def _read_table(path: Path) -> Iterator[Row]:
    """Yield the rows of a table, as far as it can be read."""
    pa, pq = _pyarrow()
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as table:
            for batch in table.iter_batches(batch_size=1_000):
                yield from batch.to_pylist()
    except (OSError, ValueError, pa.ArrowException):  # missing or damaged: the rest cannot be adopted
        return


def _cell(value: Any, shape: str, fields: list[str]) -> Any:
    """Return a value as it comes back from a table: every field of a span present, maps as lists of pairs."""
    if shape in _MAPS:
        return list(value.items())
    if shape == "spans":
        return [{name: span.get(name) for name in fields} for span in value]
    if shape == "phi":
        return [{**phi, "confidence": float(phi["confidence"])} for phi in value]
    return value


def _line(row: Row) -> bytes:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
