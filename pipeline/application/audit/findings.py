"""The findings of readers: `findings.csv`, filled in on the page or in a spreadsheet, checked against its sample."""

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
    """Leaks by kind, of those with a known kind."""
    places: tuple[tuple[int, int, str], ...] = ()
    """(begin, end, kind) of those that were marked on the page: code points of the masked text."""


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings in all documents that were read."""

    sample: Sample
    by_reader: Mapping[str, Mapping[int, Finding]]

    def together(self) -> dict[int, Finding]:
        """Return by document: what any reader found; of leaks that several found, the larger number of each kind."""
        joined: dict[int, Finding] = {}
        for _, found in sorted(self.by_reader.items()):
            for number, one in found.items():
                joined[number] = _joined(joined[number], one) if number in joined else one
        return joined


def empty(sample: Sample) -> bytes:
    """Return the file to fill in: a row for each document, in the order in which they are to be read."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    writer.writerows([sample.id, number, *[""] * (len(COLUMNS) - 2)] for number in sample.numbers)
    return out.getvalue().encode("utf-8-sig")


def read_findings(paths: Iterable[Path], sample: Sample) -> Findings:
    """Return the findings of one or more files. Rows without a number of leaks were not read.

    Raises ConfigError with every fault: another sample, a document that was not drawn, the same one twice by one reader. Cells
    are never quoted, since a reader may have typed words of a document there.
    """
    faults: list[Fault] = []
    by_reader: dict[str, dict[int, Finding]] = {}
    numbers = frozenset(sample.numbers)
    for path in paths:
        for line, row in _rows(path, faults):

            def fault(what: str, path: Path = path, line: int = line) -> None:
                faults.append(Fault("", what, str(path), line))

            found = _finding(row, sample.id, numbers, fault)
            if found is None:
                continue
            mine = by_reader.setdefault(found.reader, {})
            if found.document in mine:
                fault(f"document {found.document} is in an earlier row of the same reader")
            mine[found.document] = found
    if faults:
        raise ConfigError(faults)
    return Findings(sample, by_reader)


def sample_ids(path: Path) -> set[str]:
    """Return the samples that a file names."""
    return {row.get("sample", "") for _, row in _rows(path, [])} - {""}


def _rows(path: Path, faults: list[Fault]) -> Iterator[tuple[int, dict[str, str]]]:
    """Line numbers and rows with their cells by column; blank rows are left out. Commas, semicolons and tabs may part cells."""
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
        fault("leaks: expected a number from 0, blank where the document was not read")
        return None
    kinds = _kinds(row.get("kinds", ""), fault)
    places = _places(row.get("places", ""), fault)
    identifier = _identifier(row.get("identifier", ""), fault)
    if kinds is None or places is None or identifier is None:
        return None
    n, total = int(leaks), sum(kinds.values())
    if total > n or (not n and identifier):
        fault(
            f"kinds: expected {n:,} leaks at most, found {total:,}"
            if total > n
            else "identifier: expected none, 0 leaks"
        )
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
    """`PERSON_PATIENT:2; DATE`, or the same with commas or blanks: leaks by kind."""
    counts: Counter[str] = Counter()
    for n, part in enumerate(filter(None, re.split(r"[;,|]\s*|\s+(?=[A-Za-z])", cell)), 1):
        match = _KIND.fullmatch(part.strip())
        known = [kind.name for kind in PhiKind]
        if match is None or match[1].upper() not in known:
            fault(
                f"kinds: expected kinds as in PERSON:2; DATE, found something else in place {n}{nearest(part.upper(), known)}"
            )
            return None
        counts[match[1].upper()] += int(match[2] or 1)
    return {kind: counts[kind] for kind in sorted(counts) if counts[kind]}


def _places(cell: str, fault: Callable[[str], None]) -> tuple[tuple[int, int, str], ...] | None:
    """`120-131:PERSON; 140-144:DATE`."""
    places = []
    for n, part in enumerate(filter(None, re.split(r"[;,\s]+", cell)), 1):
        match = _PLACE.fullmatch(part)
        if match is None or int(match[1]) >= int(match[2]):
            fault(f"places: expected BEGIN-END:KIND, found something else in place {n}")
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


def _joined(one: Finding, other: Finding) -> Finding:
    kinds = {k: max(one.kinds.get(k, 0), other.kinds.get(k, 0)) for k in sorted({*one.kinds, *other.kinds})}
    leaks = max(one.leaks, other.leaks, sum(kinds.values()))
    direct = max(one.direct, other.direct)
    quasi = max(one.quasi, other.quasi)
    return Finding(
        one.document, "", max(leaks, direct + quasi), direct, quasi, kinds, tuple(sorted({*one.places, *other.places}))
    )
