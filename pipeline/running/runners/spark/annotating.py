"""A DataFrame of texts to a DataFrame of masked texts: what befalls a document is a row, never the end of a job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .....typesystem import DEIDENTIFIED_VIEW, Cas, CasError, MaskedSpan, PhiKind
from ....assembly.dependencies import fingerprint
from ....contract import params, registry
from ....contract.leaks import refuse_leaks
from ....errors import ComponentError, ConfigError, Fault, ReaderError, nearest
from ....storage.digest_set import Digests
from ....storage.spark_session import pyspark
from ..memory import limit_memory
from ..work import Failed, Item, Work, noting
from .engine import Careful, engine, pipeline_of
from .shipping import Ticket, ship

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from ....pipeline import Pipeline

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
class Asked:
    """What a task is told."""

    ticket: Ticket
    names: tuple[str, ...]
    """Names of the input's columns."""
    fields: Mapping[str, Any]
    """Parameters of the reader that makes documents of rows."""
    columns: tuple[str, ...]


def annotate(
    df: DataFrame,
    config: str | Path | Pipeline,
    *,
    text: str = "text",
    id: str = "id",
    metadata: Iterable[str] | Mapping[str, str] = (),
    known: Mapping[str, str | PhiKind] | None = None,
    columns: Iterable[str] | None = None,
    overrides: Iterable[str] = (),
) -> DataFrame:
    """Masks the texts of a DataFrame: a row of the result for each of its rows, in no particular order.

    `config`: a file, a shipped name, a bundle or a pipeline; its reader, consumers and output folder play no part. `text`, `id`,
    `metadata` and `known` name columns as the record readers' `text_field`, `id_field`, `metadata` and `known_phi` do. `columns`:
    those of the result that are wanted, all of `TYPES` by default; offsets of spans are code points in the masked text.

    A row has the status `released`, or `quarantined` with reason, component, cause and message, and no text then. Nothing is
    computed before an action asks for it. Raises ConfigError for columns that are missing and for a faulty configuration.
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
    asked = Asked(ship(df.sparkSession, config, overrides), tuple(used), fields, tuple(wanted))

    def caspipe(batches: Iterator[Any]) -> Iterator[Any]:
        return annotated(asked, batches)

    plain = df.select(*[df[f"`{name}`"].alias(f"c{n}") for n, name in enumerate(used)])
    return plain.mapInArrow(caspipe, ", ".join(f"{name} {TYPES[name]}" for name in wanted))


def _maker(fields: Mapping[str, Any], faults: list[Fault]) -> Any:
    """The reader that makes documents of rows."""

    def told(at: tuple[str | int, ...], what: str) -> None:
        faults.append(Fault(".".join(("annotate", *map(str, at))), what))

    return params.build(registry.find(_READER, "reader"), fields, told)


class Annotating:
    """The engine of a Python worker, as `annotate` needs it."""

    def __init__(self, asked: Asked) -> None:
        with noting():
            pipeline = self.pipeline = pipeline_of(asked.ticket)
            pipeline.consumers = []
            self.fingerprint = fingerprint(pipeline)
            pipeline.open()
        self.reader = _maker(asked.fields, [])
        pipeline.reader = self.reader
        limit_memory(pipeline.options.limits.memory_mb)
        self.careful = Careful(pipeline)

    def rows(self, records: Iterable[dict[str, Any] | None]) -> Iterator[dict[str, Any]]:
        """A row for each record; None is a record that cannot be read."""
        with noting() as noted:
            work = Work(self.pipeline, noted, travels=False, salt=b"", watch=self.careful.watch)
            work.whole = True
            for record in records:
                yield self._row(work, record)

    def _row(self, work: Work, record: dict[str, Any] | None) -> dict[str, Any]:
        name = _name(record, self.reader.id_field)
        row: dict[str, Any] = {**dict.fromkeys(TYPES), "id": name, "fingerprint": self.fingerprint}
        found = self._document(record)
        item = Item(1, name or "", fault=found) if isinstance(found, Exception) else Item(1, found.id, cas=found)
        result = self.careful.do(work, item)
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
        """Lets go of the models."""
        self.pipeline.close()


def _check(cas: Cas | None) -> None:
    """Raises ComponentError where there is no masked text, and where the leak gate found something in it."""
    if cas is None or not cas.has_view(DEIDENTIFIED_VIEW):
        raise ComponentError("annotate", CasError(f"expected a view {DEIDENTIFIED_VIEW}, found none; no masker ran"))
    refuse_leaks(cas)


_BAD: Any = object()
"""Stands for a value that cannot be read."""


def _name(record: dict[str, Any] | None, field: str) -> str | None:
    value = record.get(field) if record is not None else None
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else None


def _encodable(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def annotated(asked: Asked, batches: Iterator[Any]) -> Iterator[Any]:
    """Rows of documents to rows of results. Raises CaspipeError where the engine cannot be made."""
    import pyarrow as pa

    schema = _schema(pa, asked.columns)
    for batch in batches:
        if not batch.num_rows:
            continue
        maker = engine(asked.ticket, lambda: Annotating(asked))
        made: list[dict[str, Any]] = []
        size = 0
        for row in maker.rows(_records(batch, asked.names)):
            made.append(row)
            size += len(row["text"] or "")
            if len(made) >= _ROWS or size > _CHARACTERS:
                yield _batch(pa, made, schema)
                made, size = [], 0
        if made:
            yield _batch(pa, made, schema)


def _batch(pa: Any, rows: list[dict[str, Any]], schema: Any) -> Any:
    columns = [pa.array([row[field.name] for row in rows], field.type) for field in schema]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _records(batch: Any, names: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    columns = [_values(column) for column in batch.columns]
    for values in zip(*columns, strict=True):
        yield dict(zip(names, values, strict=True))


def _values(column: Any) -> list[Any]:
    """The values of a column as Python has them, `_BAD` for those that it cannot have: no UTF-8, a year 10,000."""
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
