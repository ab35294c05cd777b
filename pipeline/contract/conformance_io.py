"""Checks of readers and consumers: they are opened, used as a run uses them, and closed."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ...typesystem import DEIDENTIFIED_VIEW, Cas, MaskedSpan, Phi, PhiCandidate, PhiKind, Replacement, replace_spans
from ..errors import CaspipeError
from . import params
from .component import CasConsumer, CollectionReader, TwoPhaseConsumer

MOST = 1_000
"""Documents of a reader that are compared."""


def check_reader(reader: CollectionReader) -> Iterator[tuple[str, str]]:
    """Yield the checks of a reader: the name of each and its fault, or an empty string. Raises what the reader raises."""
    reader.failed = []
    reader.open()
    try:
        ids = _ids(reader)
        yield "gives every document an id of its own", _repeated(ids)
        yield "reads the same documents again", "" if _ids(reader) == ids else "the second pass gave other documents"
        handles = reader.handles()
        if handles is not None:
            loaded = [(h.id, _load(reader, h.data)) for h in handles]
            wrong = [h for h, id in loaded if id not in (h, "")]
            read = [id for _, id in loaded if id]
            fault = "a handle has another id than its document" if wrong else ""
            yield "loads the same documents by handle", fault or ("" if read[:MOST] == ids else "other documents")
    finally:
        reader.close()


def _ids(reader: CollectionReader) -> list[str]:
    return [cas.id for cas, _ in zip(reader, range(MOST), strict=False)]


def _repeated(ids: Sequence[str]) -> str:
    if not all(ids):
        return "a document has no id"
    return "" if len(set(ids)) == len(ids) else f"{len(ids) - len(set(ids))} ids are used again by a later document"


def _load(reader: CollectionReader, data: Any) -> str:
    """Return the id of a document, or an empty string if it cannot be read."""
    try:
        return reader.load(data).id
    except CaspipeError:
        return ""


def check_consumer(cls: type[CasConsumer], given: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the checks of a consumer: the name of each and its fault, or an empty string. Raises what the consumer raises."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one = _written(cls, given, Path(folder, "one"), [document("a")])
        again = _written(cls, given, Path(folder, "again"), [document("a")])
        rolled_back = _written(cls, given, Path(folder, "two"), [document("a")], [document("b")])
        yield "writes the same bytes again", "" if one == again else _difference(one, again)
        yield "rolls back a document that failed", "" if one == rolled_back else _difference(one, rolled_back)
        temporary = [name for name in one if name.rpartition("/")[2].startswith(".")]
        yield "leaves no temporary files", ", ".join(temporary)
        aborted = Path(folder, "aborted")
        left = _written(cls, given, aborted, [document("a")], abort=True)
        hidden = [name for name in left if name.rpartition("/")[2].startswith(".")]
        yield "leaves no temporary files if the run is aborted", ", ".join(hidden)


def document(id: str) -> Cas:
    """Return a document with one masked name and a reference for it, as consumers receive it from a run."""
    cas = Cas("Seen by Smith.", id=id)
    cas.create_view("gold", cas.text).add(Phi(8, 13, kind=PhiKind.PERSON))
    cas.add(PhiCandidate(8, 13, kind=PhiKind.PERSON).set_source("contract"))
    cas.add(Phi(8, 13, kind=PhiKind.PERSON).set_source("contract"))
    text, offsets = replace_spans(cas.text, [Replacement(8, 13, "[PERSON]")])
    view = cas.create_view(DEIDENTIFIED_VIEW, text)
    view.offset_map = offsets
    view.add(MaskedSpan(8, 16, kind=PhiKind.PERSON, operator="placeholder", original_begin=8, original_end=13))
    return cas


def _written(
    cls: type[CasConsumer],
    given: dict[str, Any],
    output: Path,
    released: Sequence[Cas],
    failed: Sequence[Cas] = (),
    *,
    abort: bool = False,
) -> dict[str, bytes]:
    """Return the files that a consumer writes for the released documents if others are rolled back."""
    consumer: Any = params.build(cls, given, lambda at, what: None)
    consumer.output = output
    consumer.open()
    for cas in released:
        consumer.process(cas)
    for cas in failed:
        if isinstance(consumer, TwoPhaseConsumer):
            consumer.discard(consumer.prepare(cas))
        else:
            consumer.process(cas)
            consumer.rollback(cas.id)
    consumer.abort() if abort else consumer.close()
    return {
        path.relative_to(output).as_posix(): path.read_bytes() for path in sorted(output.rglob("*")) if path.is_file()
    }


def _difference(one: dict[str, bytes], other: dict[str, bytes]) -> str:
    names = sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
    return f"{len(names)} files differ: {', '.join(names[:3])}"
