"""Rows of a Parquet table: as bytes that tell whether they are what was written, and out of an earlier run's table."""

from __future__ import annotations

import json
from bisect import bisect_right
from pathlib import Path
from typing import Any

from ...pipeline.errors import ResourceError
from .table_columns import Column

_MAPS = ("counts", "metadata")


def row_bytes(rows: list[dict[str, Any]], columns: list[Column], span_columns: list[Column]) -> bytes:
    """The rows of a document as JSON: as a table gives them back, every field of a span there, maps as lists of pairs."""
    fields = [c.name for c in span_columns]
    return _json([{c.name: _cell(row[c.name], c.shape, fields) for c in columns} for row in rows])


def rows_from(data: bytes, columns: list[Column]) -> list[dict[str, Any]]:
    """The rows for pyarrow."""
    rows: list[dict[str, Any]] = json.loads(data)
    for name in (c.name for c in columns if c.shape in _MAPS):
        for row in rows:
            row[name] = [(key, value) for key, value in row[name]]
    return rows


class OldTable:
    """A table of an earlier run, read from one row group to the next."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: Any = None
        self._begins: list[int] = [0]
        """First row of each row group, and at the end the number of rows."""
        self._group: tuple[int, Any] = (-1, None)
        pa, pq = pyarrow()
        self._faults = (OSError, ValueError, pa.ArrowException)
        try:
            self._file = pq.ParquetFile(path, page_checksum_verification=True)
            for n in range(self._file.metadata.num_row_groups):
                self._begins.append(self._begins[-1] + self._file.metadata.row_group(n).num_rows)
        except self._faults:  # gone, or damaged: nothing can be taken over
            self.close()

    def rows(self, begin: int, length: int) -> bytes | None:
        """Some rows, as `row_bytes` made them; None where they are not there."""
        if self._file is None or begin + length > self._begins[-1]:
            return None
        found: list[Any] = []
        try:
            at, end = begin, begin + length
            while at < end:
                group = bisect_right(self._begins, at) - 1
                until = min(end, self._begins[group + 1])
                found += self._read(group).slice(at - self._begins[group], until - at).to_pylist()
                at = until
            return _json(found)
        except self._faults:
            return None

    def close(self) -> None:
        """Lets go of the file."""
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def _read(self, group: int) -> Any:
        if self._group[0] != group:
            self._group = group, self._file.read_row_group(group)
        return self._group[1]


def pyarrow() -> Any:
    """The package and its module for Parquet. Raises ResourceError where they are not installed."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise ResourceError("the consumer parquet needs pyarrow: pip install 'caspipe[parquet]'") from None
    return pa, pq


def _cell(value: Any, shape: str, fields: list[str]) -> Any:
    if shape in _MAPS:
        return list(value.items())
    if shape == "spans":
        return [{name: span.get(name) for name in fields} for span in value]
    if shape == "phi":
        return [{**phi, "confidence": float(phi["confidence"])} for phi in value]
    return value


def _json(rows: Any) -> bytes:
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode()
