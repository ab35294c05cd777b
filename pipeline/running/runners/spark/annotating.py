"""Masking the texts of a DataFrame. A document that fails becomes a row with the reason; it does not end the job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .....typesystem import DEIDENTIFIED_VIEW, Cas, CasError, MaskedSpan, PhiKind
from ....assembly.assembly import Assembly
from ....assembly.dependencies import fingerprint
from ....contract import params, registry
from ....contract.leaks import refuse_leaks
from ....errors import ComponentError, ConfigError, Fault, ReaderError, nearest
from ....storage.digest_set import Digests
from ....storage.spark_session import pyspark
from ...memory import limit_memory
from ...withheld_output import WithheldOutput
from ..work import Failed, Item, Work, collect_warnings
from .engine import Careful, engine, load_assembly
from .shipping import Ticket, ship

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SPAN = "array<struct<begin:bigint,end:bigint,kind:string,operator:string>>"
TYPES = {
    "id": "string",
    "status": "string",
    "reason": "string",
    "component": "string",
    "cause": "string",
    "message": "string",
    "text": "string",
    "spans": SPAN,
    "counts": "map<string,bigint>",
    "fingerprint": "string",
}
"""Columns of the result, with their types in Spark."""

_READER = "spark_table"
_ROWS, _CHARACTERS = 1_000, 4 << 20
_UNREADABLE = "a value that cannot be read: expected UTF-8"


@dataclass(frozen=True, slots=True)
class Request:
    """The data that a task needs."""

    ticket: Ticket
    names: tuple[str, ...]
    """Names of the input's columns."""
    fields: Mapping[str, Any]
    """Parameters of the reader that turns rows into documents."""
    columns: tuple[str, ...]


def annotate(
    df: DataFrame,
    config: str | Path | Assembly,
    *,
    text: str = "text",
    id: str = "id",
    metadata: Iterable[str] | Mapping[str, str] = (),
    known: Mapping[str, str | PhiKind] | None = None,
    columns: Iterable[str] | None = None,
    overrides: Iterable[str] = (),
) -> DataFrame:
    """Mask the texts of a DataFrame. The result has one row for each row, in no particular order.

    `config`: a file, a shipped name, a package or a pipeline; its reader, consumers and output folder are ignored. `text`, `id`,
    `metadata` and `known` name columns as the record readers' `text_field`, `id_field`, `metadata` and `known_phi` do. `columns`:
    columns of the result, by default all of `TYPES`; offsets of spans are code points in the masked text.

    A row has the status `released`, or `quarantined` with reason, component, cause and message, and without text. Evaluation is
    lazy. Raises ConfigError for missing columns and for an invalid configuration.
    """
    pyspark()
    carried = dict(metadata) if isinstance(metadata, Mapping) else list(metadata)
    kinds = {column: kind.name if isinstance(kind, PhiKind) else str(kind) for column, kind in (known or {}).items()}
    fields = {"table": "(data frame)", "text_field": text, "id_field": id, "metadata": carried, "known_phi": kinds}
    faults: list[Fault] = []
    reader = _maker(fields, faults)
    wanted = list(TYPES) if columns is None else list(columns)
    for name in wanted:
        if name not in TYPES:
            hint = nearest(name, TYPES) or f"; expected some of {', '.join(TYPES)}"
            faults.append(Fault("annotate.columns", f"no such column {name!r}{hint}"))
    used = list(dict.fromkeys(reader.wanted())) if reader is not None else []
    faults += [
        Fault("annotate", f"the DataFrame has no column {name}{nearest(name, df.columns)}")
        for name in used
        if name not in df.columns
    ]
    if faults or not wanted:
        raise ConfigError(faults or [Fault("annotate.columns", "expected at least one")])
    request = Request(ship(df.sparkSession, config, overrides), tuple(used), fields, tuple(wanted))

    def caspipe(batches: Iterator[Any]) -> Iterator[Any]:
        return annotated(request, batches)

    plain = df.select(*[df[f"`{name}`"].alias(f"c{n}") for n, name in enumerate(used)])
    return plain.mapInArrow(caspipe, ", ".join(f"{name} {TYPES[name]}" for name in wanted))


def _maker(fields: Mapping[str, Any], faults: list[Fault]) -> Any:
    """Return the reader that turns rows into documents."""

    def report(path: tuple[str | int, ...], fault: str) -> None:
        faults.append(Fault(".".join(("annotate", *map(str, path))), fault))

    return params.build(registry.find(_READER, "reader"), fields, report)


class Annotating:
    """The engine of a Python worker for `annotate`."""

    def __init__(self, request: Request) -> None:
        with collect_warnings():
            assembly = self.assembly = load_assembly(request.ticket)
            assembly.consumers = []
            self.fingerprint = fingerprint(assembly)
            assembly.open()
        self.reader = _maker(request.fields, [])
        assembly.reader = self.reader
        limit_memory(assembly.options.limits.memory_mb)
        self.careful = Careful(assembly)
        self.output = WithheldOutput(show=assembly.options.show_output)

    def rows(self, records: Iterable[dict[str, Any] | None]) -> Iterator[dict[str, Any]]:
        """Yield a row for each record. None is a record that cannot be read."""
        with collect_warnings() as collected:
            work = Work(self.assembly, collected, self.output, travels=False, salt=b"", watch=self.careful.watch)
            work.needs_cas = True
            for record in records:
                yield self._row(work, record)

    def _row(self, work: Work, record: dict[str, Any] | None) -> dict[str, Any]:
        name = _name(record, self.reader.id_field)
        row: dict[str, Any] = {**dict.fromkeys(TYPES), "id": name, "fingerprint": self.fingerprint}
        found = self._document(record)
        item = Item(1, name or "", fault=found) if isinstance(found, Exception) else Item(1, found.id, cas=found)
        self.output.begin()
        try:
            result = self.careful.do(work, item)
        finally:
            self.output.end()
        cas = result.document()
        if result.failed is None:
            try:
                _check(cas)
            except ComponentError as error:
                result.failed = Failed.of(error)
        if result.failed is not None:
            failed = result.failed
            return row | {
                "status": "quarantined",
                "reason": failed.reason,
                "component": failed.component,
                "cause": failed.cause,
                "message": failed.message,
            }
        assert cas is not None
        masked = cas.view(DEIDENTIFIED_VIEW)
        spans = [
            {"begin": s.begin, "end": s.end, "kind": s.kind.name, "operator": s.operator}
            for s in masked.select(MaskedSpan)
        ]
        kinds = [str(s["kind"]) for s in spans]
        counts = [(kind, kinds.count(kind)) for kind in sorted(set(kinds))]
        return row | {"status": "released", "text": _encodable(masked.text), "spans": spans, "counts": counts}

    def _document(self, record: dict[str, Any] | None) -> Cas | Exception:
        if record is None or any(value is _BAD for value in record.values()):
            return ReaderError(_UNREADABLE)
        found: list[Cas] = list(self.reader.of_row(record, "", "row", Digests()))
        if self.reader.failed:
            error: Exception = self.reader.failed.pop()[1]
            self.reader.failed.clear()
            return error
        return found[0]

    def close(self) -> None:
        """Close the engines."""
        self.assembly.close()


def _check(cas: Cas | None) -> None:
    """Raise ComponentError if masked text is missing, or if the leak gate found a leak in it."""
    if cas is None or not cas.has_view(DEIDENTIFIED_VIEW):
        raise ComponentError("annotate", CasError(f"expected a view {DEIDENTIFIED_VIEW}, found none; no masker ran"))
    refuse_leaks(cas)


_BAD: Any = object()
"""Marks a value that cannot be read."""


def _name(record: dict[str, Any] | None, field: str) -> str | None:
    value = record.get(field) if record is not None else None
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else None


def _encodable(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def annotated(request: Request, batches: Iterator[Any]) -> Iterator[Any]:
    """Turn rows of documents into rows of results. Raises CaspipeError if the engine cannot be loaded."""
    import pyarrow as pa

    schema = _schema(pa, request.columns)
    for batch in batches:
        if not batch.num_rows:
            continue
        maker = engine(request.ticket, lambda: Annotating(request))
        rows: list[dict[str, Any]] = []
        size = 0
        for row in maker.rows(_records(batch, request.names)):
            rows.append(row)
            size += len(row["text"] or "")
            if len(rows) >= _ROWS or size > _CHARACTERS:
                yield _batch(pa, rows, schema)
                rows, size = [], 0
        if rows:
            yield _batch(pa, rows, schema)


def _batch(pa: Any, rows: list[dict[str, Any]], schema: Any) -> Any:
    columns = [pa.array([row[field.name] for row in rows], field.type) for field in schema]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _records(batch: Any, names: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    columns = [_values(column) for column in batch.columns]
    for values in zip(*columns, strict=True):
        yield dict(zip(names, values, strict=True))


def _values(column: Any) -> list[Any]:
    """Return the values of a column as Python objects, `_BAD` if Python cannot represent one (invalid UTF-8, year 10,000)."""
    try:
        return column.to_pylist()  # type: ignore[no-any-return]
    except Exception:
        return [_value(cell) for cell in column]


def _value(cell: Any) -> Any:
    try:
        return cell.as_py()
    except Exception:
        return _BAD


def _schema(pa: Any, columns: Iterable[str]) -> Any:
    span = pa.struct([("begin", pa.int64()), ("end", pa.int64()), ("kind", pa.string()), ("operator", pa.string())])
    nested = {"spans": pa.list_(span), "counts": pa.map_(pa.string(), pa.int64())}
    return pa.schema([(name, nested.get(name, pa.string())) for name in columns])
