"""The released documents of a run as the ledger lists them, and their masked texts in the output folder."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from ....typesystem import PhiKind
from ...contract.component import Output
from ...errors import ReaderError
from ...running.ledger import LedgerReader

RELEASE = "release"
_NO_TEXT = {".html", ".xml", ".xmi", ".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet", ".ann", ".conll"}
"""Suffixes of whole files that are not plain text."""
_PLACEHOLDER = re.compile(r"\[([A-Z]{2,20}(?:_[A-Z0-9]{1,20}){0,3})\]")


@dataclass(frozen=True, slots=True)
class Released:
    """A released document and where its masked text lies."""

    number: int
    id: str
    output: Output
    record: bool
    """True if the output is a JSON object with the text in it, rather than the text itself."""


@dataclass(frozen=True, slots=True)
class MaskedText:
    """A masked text. `spans`: (begin, end, kind) of what is known to stand for something masked, in code points, disjoint."""

    text: str
    spans: tuple[tuple[int, int, str], ...]


def ledger_of(run: Path, ledger: Path | None = None) -> LedgerReader:
    """Return the ledger of a run that has ended. Raises ResourceError if there is none, ReaderError where the run goes on."""

    found = LedgerReader.read(ledger or run)
    if found.run().state == "running":
        found.close()
        raise ReaderError(f"{run}: the run has not ended (or was cut off: resume it first)")
    return found


def released_texts(ledger: LedgerReader, where: Path) -> Iterator[Released]:
    """Yield every released document in reading order, with its text: of JSON records, which know masked spans, or plain files.

    Raises ReaderError for a document without either. Outputs elsewhere than below `release/` never count: they can hold
    original text.
    """
    for row in ledger.rows("released"):
        outputs = [o for o in row.outputs if in_release(o)]
        record = next((o for o in outputs if _holds_record(o) and row.together(o.consumer) is None), None)
        text = next((o for o in outputs if o.whole and PurePosixPath(o.path).suffix.lower() not in _NO_TEXT), None)
        chosen = record or text
        if chosen is None:
            raise ReaderError(
                f"{where}: document {row.number} was released, but neither as text nor as JSON in release/: "
                "expected the consumer text or jsonl"
            )
        yield Released(row.number, row.id, chosen, record is not None)


def fingerprint(ledger: LedgerReader) -> str:
    """Report releases apart: the numbers of all released documents and the digests of what was written of them."""
    digest = hashlib.sha256(b"caspipe release\0")
    for row in ledger.rows("released"):
        told = " ".join(sorted(o.digest for o in row.outputs if in_release(o)))
        digest.update(f"{row.number} {told}\n".encode())
    return digest.hexdigest()


def in_release(output: Output) -> bool:
    """Return whether an output is below `release/`."""
    return PurePosixPath(output.path).parts[:1] == (RELEASE,)


def masked_text(run: Path, document: Released) -> MaskedText:
    """Return the masked text of a document. Raises ReaderError if the file is gone or has changed since the run."""
    data = _bytes(run, document)
    if document.record:
        record = _record(data)
        if record is None:
            raise ReaderError(
                f"document {document.number}: expected a JSON object with a field `text`: the consumer's `fields` lack it"
            )
        return MaskedText(record["text"], _known_spans(record))
    text = data.decode("utf-8", "replace")
    return MaskedText(text, tuple(_placeholders(text)))


def _bytes(run: Path, document: Released) -> bytes:
    output = document.output
    path = run / output.path
    if ".." in PurePosixPath(output.path).parts:
        raise ReaderError(f"document {document.number}: its output leads out of {run}")
    try:
        with path.open("rb") as file:
            file.seek(output.begin)
            data = file.read(output.length)
    except OSError as error:
        raise ReaderError(f"document {document.number}: cannot read its output: {error.strerror}") from None
    if hashlib.sha256(data).hexdigest() != output.digest:
        raise ReaderError(f"document {document.number}: its output is not what the run wrote")
    return data


def _holds_record(output: Output) -> bool:
    suffix = PurePosixPath(output.path).suffix.lower()
    return suffix == ".json" if output.whole else suffix in (".jsonl", ".ndjson", ".json")


def _record(data: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(data)
    except ValueError:
        return None
    return record if isinstance(record, dict) and isinstance(record.get("text"), str) else None


def _known_spans(record: Mapping[str, Any]) -> tuple[tuple[int, int, str], ...]:
    """Return the spans of a record; of a record without any field for them, what looks like a placeholder."""
    if not isinstance(record.get("spans"), list):
        return tuple(_placeholders(record["text"]))
    made: list[tuple[int, int, str]] = []
    for span in sorted(record["spans"], key=lambda s: (s["begin"], s["end"])):
        begin, end = int(span["begin"]), int(span["end"])
        if begin < end and (not made or begin >= made[-1][1]):
            made.append((begin, end, str(span["kind"])))
    return tuple(made)


def _placeholders(text: str) -> Iterator[tuple[int, int, str]]:
    """`[DATE]` and the like, where the name is that of a kind."""
    found = list(_PLACEHOLDER.finditer(text))
    known = {kind.name for kind in PhiKind} if found else set()
    for match in found:
        if match[1] in known:
            yield match.start(), match.end(), match[1]
