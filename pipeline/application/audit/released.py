"""The released documents of a run as the ledger lists them, their masked texts in the output folder, and samples of them."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from ....typesystem import PhiKind
from ...contract.component import Output
from ...errors import ConfigError, Fault, ReaderError
from ...running.ledger import LedgerReader
from .findings import sample_ids
from .sampling import FILE, By, Sample, draw, draw_by_stratum, read_sample, sample_id, strata_of

RELEASE = "release"
FOLDER = Path("restricted") / "audit"
"""Folder of the samples, below the output folder of the run."""
_NO_TEXT = {".html", ".xml", ".xmi", ".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet", ".ann", ".conll"}
"""Suffixes of whole files that are not plain text."""
_PLACEHOLDER = re.compile(r"\[([A-Z]{2,20}(?:_[A-Z0-9]{1,20}){0,3})\]")


@dataclass(frozen=True, slots=True)
class Released:
    """A released document and the place of its masked text."""

    number: int
    id: str
    output: Output
    record: bool
    """True if the output is a JSON object with the text in it, rather than the text itself."""


@dataclass(frozen=True, slots=True)
class MaskedText:
    """A masked text. `spans`: (begin, end, kind) of what is known to replace something masked, in code points, disjoint."""

    text: str
    spans: tuple[tuple[int, int, str], ...]


def ledger_of(run: Path, ledger: Path | None = None) -> LedgerReader:
    """Return the ledger of a run that has ended. Raises ResourceError if there is none, ReaderError if the run continues."""
    reader = LedgerReader.read(ledger or run)
    if reader.run().state == "running":
        reader.close()
        raise ReaderError(f"{run}: the run has not ended (or was cut off: resume it first)")
    return reader


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
    """Return a digest that tells releases apart: over the numbers of all released documents and the digests of their outputs."""
    digest = hashlib.sha256(b"caspipe release\0")
    for row in ledger.rows("released"):
        digests = " ".join(sorted(o.digest for o in row.outputs if in_release(o)))
        digest.update(f"{row.number} {digests}\n".encode())
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
    spans: list[tuple[int, int, str]] = []
    for span in sorted(record["spans"], key=lambda s: (s["begin"], s["end"])):
        begin, end = int(span["begin"]), int(span["end"])
        if begin < end and (not spans or begin >= spans[-1][1]):
            spans.append((begin, end, str(span["kind"])))
    return tuple(spans)


def _placeholders(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield placeholders such as `[DATE]` whose name is that of a kind."""
    found = list(_PLACEHOLDER.finditer(text))
    known = {kind.name for kind in PhiKind} if found else set()
    for match in found:
        if match[1] in known:
            yield match.start(), match.end(), match[1]


def take(run: Path, size: int, seed: int, by: By, ledger: Path | None = None) -> tuple[Sample, list[MaskedText]]:
    """Draw a sample from what a run released, and read its texts. Raises ReaderError if that cannot be done."""
    with ledger_of(run, ledger) as opened:
        released = {document.number: document for document in released_texts(opened, run)}
        release, row = fingerprint(opened), opened.run()
    if not released:
        raise ReaderError(f"{run}: the run released no document: nothing to draw from")
    stratum: dict[int, str] = {}
    if by == "kind":
        kinds = {
            n: sorted({kind.partition("_")[0] for _, _, kind in masked_text(run, d).spans}) for n, d in released.items()
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
    """Return the sample that findings were made for, and its folder: `folder`, beside the findings, or below `restricted/audit/`.

    If several sizes of it were drawn, the largest. Raises ConfigError if the findings are of another sample or the run
    has released something else since.
    """
    asked = {name for path in findings for name in sample_ids(path)}
    folders = [folder] if folder is not None else [*(p.parent for p in findings), *sorted((run / FOLDER).glob("*"))]
    samples = [(f, read_sample(f / FILE)) for f in dict.fromkeys(folders) if (f / FILE).is_file()]
    fitting = [(f, s) for f, s in samples if s.id in asked] if asked else samples
    if not fitting:
        there = ", ".join(sorted({s.id for _, s in samples})) or "none"
        raise ConfigError(
            [Fault("--findings", f"findings of another sample or another run; samples drawn here: {there}")]
        )
    home, sample = max(fitting, key=lambda one: len(one[1].numbers))
    with ledger_of(run, ledger) as opened:
        release = fingerprint(opened)
    if release != sample.release:
        message = "the run has released other documents since the sample was drawn: draw a new one"
        raise ConfigError([Fault(f"sample {sample.id}", message)])
    return home, sample


def audits(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the content of the `audit.json` files of a run; other files are skipped."""
    for path in sorted(folder.glob("*/audit.json")):
        try:
            audit = json.loads(path.read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(audit, dict) and {"release", "read", "drawn", "sample", "bounds"} <= audit.keys():
            yield audit
