"""Scans a release at the end of a run, withdraws what must not be there, and says what was not checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...assembly.assembly import Assembly
from ...contract.report import RunReport
from ...storage.release_place import RELEASE, is_released
from ..ledger.ledger import Ledger
from ..quarantine import Quarantine
from ..released_names import ReleasedNames
from ..worker import cores
from .outcome import Hit, Outcome
from .places import places_of
from .scanner import ReleaseScanner
from .values import NOT_SEARCHED
from .withdrawal import Withdrawal

_ROUNDS = 3
_SHOWN = 6
_NOTHING = "nothing in release/"
_CROWDED = "numbers, of whose length the run has too many"


def may_release(assembly: Assembly) -> bool:
    """Return whether a consumer writes below `release/`, or may do so, because its parameters contain no path."""
    places = [list(places_of(consumer)) for consumer in assembly.consumers]
    return any(not of_one or any(map(is_released, of_one)) for of_one in places)


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
        scan.state = _NOTHING
        scan.not_checked = list(_elsewhere(assembly))
        return
    options = assembly.options
    names, processes = ReleasedNames.of(options), cores() if options.workers == "auto" else options.workers
    consumers = assembly.two_phase_consumers()
    scanner = ReleaseScanner(assembly.output, ledger, consumers, keys, names, processes=processes)
    withdrawal = Withdrawal(assembly, report, quarantine, ledger)
    outcome = _settled(scanner, withdrawal)
    scan.state, scan.files, scan.size, scan.forms = "done", outcome.searched, outcome.size, outcome.forms
    scan.not_searched = dict(sorted(outcome.not_searched.items()))
    scan.not_checked = list(_not_checked(assembly, outcome))


def say_elsewhere(assembly: Assembly, report: RunReport) -> None:
    """Report what consumers write elsewhere in a run that cannot write to the release."""
    if assembly.options.scan and (not_checked := list(_elsewhere(assembly))):
        report.scan.state, report.scan.not_checked = _NOTHING, not_checked


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
    hits = list(hits)
    named = {hit.path for hit in hits if hit.place == "name"}  # these names cannot be shown
    shown = (
        str(hit) if hit.place == "name" or hit.path not in named else str(hit._replace(path="that file"))
        for hit in hits
    )
    places = list(dict.fromkeys(shown))
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
    yield from _elsewhere(assembly)


def _elsewhere(assembly: Assembly) -> Iterator[str]:
    """Describe what consumers write that is neither searched nor below `restricted/`."""
    for consumer in assembly.consumers:
        found = sorted({where for place in places_of(consumer) if (where := _outside(place))})
        yield from (f"what {consumer.id} writes {where}" for where in found)


def _outside(place: str) -> str:
    """Say where a place is if it is neither below `release/` nor below `restricted/`."""
    if "://" in place:
        return "to a database server"
    return "" if is_released(place) or place.partition("/")[0] == "restricted" else "outside of release/"
