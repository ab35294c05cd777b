"""Scans a release at the end of a run, withdraws what must not be there, and says what was not checked."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from ...assembly.assembly import Assembly
from ...contract.component import CasConsumer
from ...contract.report import RunReport
from ..ledger.ledger import Ledger
from ..quarantine import Quarantine
from ..release_manifest import RELEASE
from ..released_names import ReleasedNames
from .scanner import Hit, Outcome, ReleaseScanner
from .values import NOT_SEARCHED
from .withdrawal import Withdrawal

_ROUNDS = 3
_SHOWN = 6
_CROWDED = "numbers, of whose length the run has too many"


def may_release(assembly: Assembly) -> bool:
    """Return whether a consumer writes below `release/`, or may do so, because its parameters contain no path."""
    places = [list(paths_of(consumer)) for consumer in assembly.consumers]
    return any(not paths or any(RELEASE in PurePosixPath(path).parts[:5] for path in paths) for paths in places)


def scan_release(
    assembly: Assembly, report: RunReport, quarantine: Quarantine, ledger: Ledger, keys: Iterable[bytes]
) -> None:
    """Search the release of a run that is complete, except for its end in the ledger, and withdraw documents and files.

    Raises OutputError or ConsumerError if something cannot be read or withdrawn: the run is not finished then.
    """
    scan = report.scan
    if not assembly.options.scan:
        return
    if report.stopped not in ("", "limit"):
        scan.state = "the run stopped before"
        return
    if not (assembly.output / RELEASE).is_dir():
        scan.state = "nothing in release/"
        return
    scanner = ReleaseScanner(
        assembly.output, ledger, assembly.two_phase_consumers(), keys, ReleasedNames.of(assembly.options)
    )
    withdrawal = Withdrawal(assembly, report, quarantine, ledger)
    outcome = _settled(scanner, withdrawal)
    scan.state, scan.files, scan.size, scan.forms = "done", outcome.searched, outcome.size, outcome.forms
    scan.not_searched = dict(sorted(outcome.not_searched.items()))
    scan.not_checked = list(_not_checked(assembly, outcome))


def _settled(scanner: ReleaseScanner, withdrawal: Withdrawal) -> Outcome:
    """Scan until nothing is found; what is still found in the last round is moved out of the release."""
    kinds = withdrawal.report.scan.kinds
    for last in (False,) * (_ROUNDS - 1) + (True,):
        outcome = scanner.scan()
        if outcome.clean:
            return outcome
        found = {hit: None for hits in (*outcome.documents.values(), *outcome.files.values()) for hit in hits}
        for hit in found:
            kinds[hit.kind] = kinds.get(hit.kind, 0) + 1
        withdrawn = dict(outcome.documents)
        for path, hits in outcome.files.items():
            owners = scanner.owners_of(hits) if scanner.is_shared(path) and not last else set()
            for number in owners:
                withdrawn.setdefault(number, hits)
            if not owners:
                withdrawal.move(path)
        if withdrawn:
            withdrawal.withdraw({number: message(hits) for number, hits in withdrawn.items()})
    return scanner.scan()


def message(hits: Iterable[Hit]) -> str:
    """Describe places without quoting text: `the release contains masked values: PERSON in release/a.csv at byte 17`."""
    places = list(dict.fromkeys(map(str, hits)))
    more = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
    return f"the release contains masked values: {', '.join(places[:_SHOWN])}{more}"


def _not_checked(assembly: Assembly, outcome: Outcome) -> Iterator[str]:
    reasons = {**NOT_SEARCHED, "crowded": _CROWDED}
    for reason, n in sorted(outcome.not_searched.items()):
        yield f"{n:,} value{'s' * (n != 1)}: {reasons.get(reason, reason)}"
    if outcome.unknown:
        yield f"values of {outcome.unknown:,} documents, which are not known"
    for what, n in sorted(outcome.unreadable.items()):
        yield f"{what}: {n:,}"
    for consumer in assembly.consumers:
        places = sorted({place for path in paths_of(consumer) if (place := _outside(path))})
        yield from (f"what {consumer.id} writes {place}" for place in places)


def _outside(path: str) -> str:
    """Return where a path is if it is neither below `release/` nor below `restricted/`."""
    if "://" in path:
        file = path.partition(":///")[2] if path.startswith("sqlite") else ""
        return _outside(file) if file else "to a database server"
    first = PurePosixPath(path).parts[:1]
    return "" if first in ((RELEASE,), ("restricted",)) else "outside of release/"


def paths_of(consumer: CasConsumer) -> Iterator[str]:
    """Yield the paths and addresses in the parameters of a consumer."""
    for field in dataclasses.fields(consumer):  # type: ignore[arg-type]
        value: Any = getattr(consumer, field.name)
        if field.name in ("folder", "file", "url") and value not in (None, "", Path()):
            yield Path(value).as_posix() if isinstance(value, Path) else str(value)
        elif field.name == "files" and isinstance(value, list | tuple):
            yield from (Path(each).as_posix() for each in value)
