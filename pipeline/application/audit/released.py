"""Released documents of a run: their records in the ledger, their masked texts in the output folder, and samples of them."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from ....typesystem import PhiKind, first_level
from ...contract.output import Output
from ...errors import ConfigError, Fault, ReaderError
from ...running.ledger import LedgerReader
from ...running.reviewed_release import REVIEWED
from ...storage.own_kinds import declare_from
from ...storage.release_place import RELEASE
from .findings import sample_ids
from .published import published
from .sampling import FILE, Sample, Stratification, draw, draw_by_stratum, read_sample, sample_id, strata_of

FOLDER = Path("restricted") / "audit"
"""Folder of the samples, below the output folder of the run."""
_NOT_PLAIN_TEXT = {".html", ".xml", ".xmi", ".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet", ".ann", ".conll"}
"""Suffixes of files for one document that are not plain text."""
_PLACEHOLDER = re.compile(r"\[([A-Z]{2,20}(?:_[A-Z0-9]{1,20}){0,3})\]")


@dataclass(frozen=True, slots=True)
class ReleasedDocument:
    """A released document and the output with its masked text."""

    number: int
    id: str
    output: Output
    record: bool
    """True if the output is a JSON object that contains the text, False if it is the text."""


@dataclass(frozen=True, slots=True)
class MaskedText:
    """A masked text. `spans`: (begin, end, kind) of the known replacements, in code points, disjoint."""

    text: str
    spans: tuple[tuple[int, int, str], ...]


def ledger_of(run: Path, ledger: Path | None = None) -> LedgerReader:
    """Return the ledger of a run that has ended, or of the release from its reviewed documents. Raises ResourceError without a
    ledger, ReaderError if the run has not ended."""
    declare_from(run / "restricted")  # the kinds of its placeholders
    if ledger is None and LedgerReader.place(run).is_file() and published(run) is not None:
        ledger = run / REVIEWED
    reader = LedgerReader.read(ledger or run)
    if reader.run().state == "running":
        reader.close()
        raise ReaderError(f"{run}: the run has not ended; if it was interrupted, resume it first")
    return reader


def released_texts(ledger: LedgerReader, run: Path) -> Iterator[ReleasedDocument]:
    """Yield every released document in reading order with the output of its text: a JSON record, which contains masked spans,
    else a plain text file.

    Raises ReaderError for a document without either. Only outputs below `release/` count; others can contain original text.
    """
    for row in ledger.rows("released"):
        outputs = [o for o in row.outputs if in_release(o)]
        record = next((o for o in outputs if _holds_record(o) and row.together(o.consumer) is None), None)
        text = next(
            (o for o in outputs if o.whole and PurePosixPath(o.path).suffix.lower() not in _NOT_PLAIN_TEXT), None
        )
        chosen = record or text
        if chosen is None:
            raise ReaderError(
                f"{run}: document {row.number} has neither text nor JSON in release/: expected the consumer text or jsonl"
            )
        yield ReleasedDocument(row.number, row.id, chosen, record is not None)


def fingerprint(ledger: LedgerReader) -> str:
    """Return a digest that identifies a release, over the numbers of all released documents and the digests of their outputs."""
    digest = hashlib.sha256(b"caspipe release\0")
    for row in ledger.rows("released"):
        digests = " ".join(sorted(o.digest for o in row.outputs if in_release(o)))
        digest.update(f"{row.number} {digests}\n".encode())
    return digest.hexdigest()


def in_release(output: Output) -> bool:
    """Return whether an output is below `release/`."""
    return PurePosixPath(output.path).parts[:1] == (RELEASE,)


def masked_text(run: Path, document: ReleasedDocument) -> MaskedText:
    """Return the masked text of a document. Raises ReaderError if the file is missing or has changed since the run."""
    data = _read_output(run, document)
    if document.record:
        try:
            record = json.loads(data)
        except ValueError:
            record = None
        if not isinstance(record, dict) or not isinstance(record.get("text"), str):
            raise ReaderError(
                f"document {document.number}: expected a JSON object with a field `text`: add it to the consumer's `fields`"
            )
        return MaskedText(record["text"], _known_spans(record))
    text = data.decode("utf-8", "replace")
    return MaskedText(text, tuple(_placeholders(text)))


def _read_output(run: Path, document: ReleasedDocument) -> bytes:
    output = document.output
    path = run / output.path
    if ".." in PurePosixPath(output.path).parts:
        raise ReaderError(f"document {document.number}: its output is outside of {run}")
    try:
        with path.open("rb") as file:
            file.seek(output.begin)
            data = file.read(output.length)
    except OSError as error:
        raise ReaderError(f"document {document.number}: cannot read its output: {error.strerror}") from None
    if hashlib.sha256(data).hexdigest() != output.digest:
        raise ReaderError(f"document {document.number}: its output has changed since the run")
    return data


def _holds_record(output: Output) -> bool:
    suffix = PurePosixPath(output.path).suffix.lower()
    return suffix == ".json" if output.whole else suffix in (".jsonl", ".ndjson", ".json")


def _known_spans(record: Mapping[str, Any]) -> tuple[tuple[int, int, str], ...]:
    """Return the spans of a record, or its placeholders if it has no field `spans`."""
    if not isinstance(record.get("spans"), list):
        return tuple(_placeholders(record["text"]))
    spans: list[tuple[int, int, str]] = []
    for span in sorted(record["spans"], key=lambda s: (s["begin"], s["end"])):
        begin, end = int(span["begin"]), int(span["end"])
        if begin < end and (not spans or begin >= spans[-1][1]):
            spans.append((begin, end, str(span["kind"])))
    return tuple(spans)


def _placeholders(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the placeholders, such as `[DATE]`, that contain the name of a kind."""
    kinds = {kind.name for kind in PhiKind}
    yield from ((m.start(), m.end(), m[1]) for m in _PLACEHOLDER.finditer(text) if m[1] in kinds)


def draw_sample(
    run: Path, size: int, seed: int, by: Stratification, ledger: Path | None = None
) -> tuple[Sample, list[MaskedText]]:
    """Return a sample of the released documents of a run, and their masked texts. Raises ReaderError."""
    with ledger_of(run, ledger) as opened:
        released = {document.number: document for document in released_texts(opened, run)}
        release, row = fingerprint(opened), opened.run()
    if not released:
        raise ReaderError(f"{run}: the run released no document")
    stratum: dict[int, str] = {}
    if by == "kind":
        kinds = {
            n: sorted({first_level(kind) for _, _, kind in masked_text(run, d).spans}) for n, d in released.items()
        }
        stratum = strata_of(kinds)
        numbers = draw_by_stratum(stratum, size, seed)
    else:
        numbers = draw(list(released), size, seed)
    sample = Sample(
        id=sample_id(release, seed, by),
        release=release,
        run={"name": row.name, "started": row.started, "fingerprint": row.fingerprint},
        population=len(released),
        seed=seed,
        by=by,
        numbers=tuple(numbers),
        strata=dict(sorted(Counter(stratum.values()).items())),
        stratum={n: stratum[n] for n in numbers} if stratum else {},
    )
    return sample, [masked_text(run, released[n]) for n in numbers]


def find_sample(
    run: Path, findings: Sequence[Path], folder: Path | None = None, ledger: Path | None = None
) -> tuple[Path, Sample]:
    """Return the sample of the findings and its folder, which is `folder`, or next to the findings, or below `restricted/audit/`.

    Returns the largest if it was drawn in several sizes. Raises ConfigError if the findings are of another sample or the run
    has released other documents since.
    """
    ids = {name for path in findings for name in sample_ids(path)}
    folders = [folder] if folder is not None else [*(p.parent for p in findings), *sorted((run / FOLDER).glob("*"))]
    samples = [(f, read_sample(f / FILE)) for f in dict.fromkeys(folders) if (f / FILE).is_file()]
    matching = [(f, s) for f, s in samples if s.id in ids] if ids else samples
    if not matching:
        drawn = ", ".join(sorted({s.id for _, s in samples})) or "none"
        raise ConfigError(
            [Fault("--findings", f"findings of another sample or another run; samples drawn here: {drawn}")]
        )
    home, sample = max(matching, key=lambda pair: len(pair[1].numbers))
    with ledger_of(run, ledger) as opened:
        release = fingerprint(opened)
    if release != sample.release:
        message = "the run has released other documents since the sample was drawn: draw a new one"
        raise ConfigError([Fault(f"sample {sample.id}", message)])
    return home, sample


def read_audits(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the contents of the valid `audit.json` files of a run."""
    for path in sorted(folder.glob("*/audit.json")):
        try:
            audit = json.loads(path.read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(audit, dict) and {"release", "read", "drawn", "sample", "bounds"} <= audit.keys():
            yield audit
