"""The findings of readers: `findings.csv`, completed on the reading page or in a spreadsheet and checked against its sample."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ....typesystem import PhiKind
from ...errors import ConfigError, Fault, ReaderError, nearest
from .sampling import Sample

COLUMNS = ("sample", "document", "leaks", "kinds", "identifier", "note", "reader", "places")
NEEDED = COLUMNS[:3]
_KIND = re.compile(r"([A-Z_]+)(?:\s*[:=x]\s*(\d{1,6}))?", re.IGNORECASE)
_PLACE = re.compile(r"(\d{1,12})-(\d{1,12}):([A-Z_]+)")


@dataclass(frozen=True, slots=True)
class Finding:
    """The findings of one reader in one document. `direct` and `quasi` identifiers add up to `leaks`."""

    document: int
    reader: str
    leaks: int
    direct: int
    quasi: int
    kinds: Mapping[str, int] = field(default_factory=dict)
    """Number of leaks of each kind, without leaks of unknown kind."""
    places: tuple[tuple[int, int, str], ...] = ()
    """(begin, end, kind) of the leaks marked on the page, in code points of the masked text."""


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings in all documents that were read, by reader and number of the document."""

    sample: Sample
    by_reader: Mapping[str, Mapping[int, Finding]]

    def merged(self) -> dict[int, Finding]:
        """Return the findings of all readers by document, with the larger number of each kind if several readers found it."""
        merged: dict[int, Finding] = {}
        for _, findings in sorted(self.by_reader.items()):
            for number, finding in findings.items():
                merged[number] = _merged(merged[number], finding) if number in merged else finding
        return merged


def empty_findings(sample: Sample) -> bytes:
    """Return the CSV file for the reader to complete: one row for each document, in reading order."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    writer.writerows([sample.id, number, *[""] * (len(COLUMNS) - 2)] for number in sample.numbers)
    return out.getvalue().encode("utf-8-sig")


def read_findings(paths: Iterable[Path], sample: Sample) -> Findings:
    """Return the findings in one or more files. A row without a number of leaks means that the document was not read.

    Raises ConfigError with every fault, such as another sample, a document that was not drawn, or two rows of one reader for a
    document. Messages never quote cells, since a reader may have typed words of a document there.
    """
    faults: list[Fault] = []
    by_reader: dict[str, dict[int, Finding]] = {}
    numbers = frozenset(sample.numbers)
    for path in paths:
        for line, row in _rows(path, faults):

            def fault(what: str, path: Path = path, line: int = line) -> None:
                faults.append(Fault("", what, str(path), line))

            finding = _finding(row, sample.id, numbers, fault)
            if finding is None:
                continue
            by_document = by_reader.setdefault(finding.reader, {})
            if finding.document in by_document:
                fault(f"document {finding.document} is in an earlier row of the same reader")
            by_document[finding.document] = finding
    if faults:
        raise ConfigError(faults)
    return Findings(sample, by_reader)


def sample_ids(path: Path) -> set[str]:
    """Return the ids of the samples that a file of findings refers to."""
    return {row.get("sample", "") for _, row in _rows(path, [])} - {""}


def _rows(path: Path, faults: list[Fault]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield line number and cells by column of each row that is not blank. Cells are separated by commas, semicolons or tabs."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ReaderError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ReaderError(f"{path}: expected UTF-8, found an invalid byte at {error.start}") from None
    first = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count))
    try:
        head = [cell.strip().casefold() for cell in next(reader, [])]
        missing = [name for name in NEEDED if name not in head]
        if missing:
            faults.append(
                Fault("", f"expected the columns {', '.join(COLUMNS)}; missing: {', '.join(missing)}", str(path), 1)
            )
            return
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, {name: cell.strip() for name, cell in zip(head, cells, strict=False)}
    except csv.Error:
        faults.append(Fault("", "expected CSV", str(path), reader.line_num))


def _finding(
    row: Mapping[str, str], sample: str, numbers: frozenset[int], fault: Callable[[str], None]
) -> Finding | None:
    """Return the finding of a row; None if the document was not read or the row has an error."""
    if row.get("sample", "") != sample:
        fault(f"sample: expected {sample}, found another: findings of another sample or another run")
        return None
    if not row.get("document", "").isdecimal() or (number := int(row["document"])) not in numbers:
        fault("document: expected the number of a document of the sample")
        return None
    leaks = row.get("leaks", "")
    if not leaks:
        if any(row.get(name) for name in ("kinds", "identifier", "places")):
            fault("leaks: expected a number because kinds are given; blank means that the document was not read")
        return None
    if not leaks.isdecimal() or len(leaks) > 6:
        fault("leaks: expected a number from 0, or blank if the document was not read")
        return None
    kinds = _kinds(row.get("kinds", ""), fault)
    places = _places(row.get("places", ""), fault)
    identifier = _identifier(row.get("identifier", ""), fault)
    if kinds is None or places is None or identifier is None:
        return None
    n, total = int(leaks), sum(kinds.values())
    if total > n:
        fault(f"kinds: expected {n:,} leaks at most, found {total:,}")
        return None
    if not n and identifier:
        fault("identifier: expected a blank cell for 0 leaks")
        return None
    quasi = sum(k for kind, k in kinds.items() if not PhiKind.of(kind).direct)
    if identifier == {"direct"}:
        quasi = 0
    elif identifier == {"quasi"}:
        quasi = n
    elif len(identifier) == 2:
        if n < 2:
            fault("identifier: expected one of direct and quasi for one leak")
            return None
        quasi = min(max(quasi, 1), n - 1)
    return Finding(number, row.get("reader", ""), n, n - quasi, quasi, kinds, places)


def _kinds(cell: str, fault: Callable[[str], None]) -> dict[str, int] | None:
    """Return the number of leaks of each kind from `PERSON_PATIENT:2; DATE`; commas and blanks also separate kinds."""
    counts: Counter[str] = Counter()
    for n, part in enumerate(filter(None, re.split(r"[;,|]\s*|\s+(?=[A-Za-z])", cell)), 1):
        match = _KIND.fullmatch(part.strip())
        known = [kind.name for kind in PhiKind]
        if match is None or match[1].upper() not in known:
            fault(f"kinds: expected kinds as in PERSON:2; DATE, but item {n} is invalid{nearest(part.upper(), known)}")
            return None
        counts[match[1].upper()] += int(match[2] or 1)
    return {kind: counts[kind] for kind in sorted(counts) if counts[kind]}


def _places(cell: str, fault: Callable[[str], None]) -> tuple[tuple[int, int, str], ...] | None:
    """Return (begin, end, kind) of each leak in `120-131:PERSON; 140-144:DATE`."""
    places = []
    for n, part in enumerate(filter(None, re.split(r"[;,\s]+", cell)), 1):
        match = _PLACE.fullmatch(part)
        if match is None or int(match[1]) >= int(match[2]):
            fault(f"places: expected BEGIN-END:KIND, but item {n} is invalid")
            return None
        places.append((int(match[1]), int(match[2]), match[3]))
    return tuple(sorted(places))


def _identifier(cell: str, fault: Callable[[str], None]) -> set[str] | None:
    identifiers = set(filter(None, re.split(r"[^a-z]+", cell.casefold()))) - {"and"}
    identifiers = {"direct", "quasi"} if identifiers == {"both"} else identifiers
    if not identifiers <= {"direct", "quasi"}:
        fault("identifier: expected direct, quasi, or both")
        return None
    return identifiers


def _merged(a: Finding, b: Finding) -> Finding:
    kinds = {k: max(a.kinds.get(k, 0), b.kinds.get(k, 0)) for k in sorted({*a.kinds, *b.kinds})}
    direct, quasi = max(a.direct, b.direct), max(a.quasi, b.quasi)
    leaks = max(a.leaks, b.leaks, sum(kinds.values()), direct + quasi)
    return Finding(a.document, "", leaks, direct, quasi, kinds, tuple(sorted({*a.places, *b.places})))
