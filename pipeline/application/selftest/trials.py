"""The attacks: evasions, records with dates, damaged files, runs that are killed, and writes that fail."""

from __future__ import annotations

import random
import re
import signal
import subprocess
import tempfile
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ....typesystem import Cas
from ...contract.report import RunReport
from ...errors import ComponentError
from ...pipeline import Pipeline
from .attacked import Target, attacked
from .cases import Case, cases, damaged, plant
from .searching import search

_COPIES = 4
"""Copies of the planted files in the runs that are killed, so that they last."""
_DISTINCTIVE = 6
"""Values with fewer letters or digits are searched in the masked text only: bytes of that length occur by chance."""
_SHARES = "kill points of selftest"
_TIME_OUT = 600.0


@dataclass(slots=True)
class Outcome:
    """The result of one kind of attack."""

    row: str
    """The promise: a row of the attack suite."""
    what: str
    tried: int = 0
    held: int = 0
    refused: int = 0
    """How many of those that held were refused rather than released."""
    failures: list[str] = field(default_factory=list)
    """Attempts that did not hold, without any text."""

    def add(self, failure: str, *, refused: bool = False) -> None:
        """Count one attempt; an empty failure means that it held."""
        self.tried += 1
        self.held += not failure
        self.refused += refused
        if failure:
            self.failures.append(failure)


Step = Callable[[str], None]


def attack(target: Target, kills: int | None, step: Step = lambda what: None) -> Iterator[Outcome]:
    """Attack a configuration, and yield what came of it. `kills`: how often a run is killed, and how often its writes fail;
    None: only mask the planted texts, without a run.

    Nothing is written outside a temporary folder, which is removed at the end. Raises ConfigError if the configuration has
    faults.
    """
    with tempfile.TemporaryDirectory(prefix="caspipe-selftest-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        root = Path(folder)
        planted = cases()
        notes = root / "notes"
        plant(notes, planted)
        step("evasions")
        yield from _evasions(target.at(notes, root / "none"), planted)
        if kills is None:
            return
        step("bytes of the release")
        yield from _bytes(target.at(notes, root / "planted"), planted)
        step("damaged files")
        yield _damaged(target, root)
        many = root / "many"
        for copy in range(_COPIES):
            plant(many / str(copy), planted)
        if kills:
            step("undisturbed run")
            whole = _Undisturbed(target.at(many, root / "undisturbed"))
            step("killed runs")
            yield _killed(target, root, many, whole, kills)
            step("failing writes")
            yield _failing(target, root, many, whole, kills)


def _evasions(target: Target, planted: list[Case]) -> Iterator[Outcome]:
    """Process each planted text, and look at the masked text."""
    outcomes: dict[str, Outcome] = {}
    pipeline, _ = attacked(target)
    with pipeline:
        for case in planted:
            outcome = outcomes.setdefault(case.row, Outcome(case.row, "masked texts"))
            masked = _masked(pipeline, case)
            refused = f"{case.file}: an ordinary note was refused" if case.shown else ""
            outcome.add(refused if masked is None else _wrong(case, masked), refused=masked is None)
    yield from outcomes.values()


def _masked(pipeline: Pipeline, case: Case) -> str | None:
    """Return the masked text of a case; None if the pipeline refuses the document."""
    try:
        return pipeline.process(Cas(case.text, id=case.file)).deidentified
    except ComponentError:
        return None


def _wrong(case: Case, masked: str) -> str:
    """Return what a masked text still shows; empty if it shows nothing."""
    standing = [n for n, value in enumerate(case.hidden, 1) if _stands(value, masked)]
    told = [f"hidden value {n} stands" for n in standing] + [broken for broken in [case.broken(masked)] if broken]
    return f"{case.file if case.row != 'names-of-files' else 'a file'}: {', '.join(told)}" if told else ""


def _stands(value: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE) is not None


def _bytes(target: Target, planted: list[Case]) -> Iterator[Outcome]:
    """Run over the planted files, and search every byte of the release."""
    pipeline, left_out = attacked(target)
    report = pipeline.run()
    yield _accounted(Outcome("release-scanner", "documents accounted for"), report, len(planted))
    owners: dict[str, list[Case]] = defaultdict(list)
    for case in planted:
        for value in case.hidden:
            if len(re.sub(r"\W", "", value)) >= _DISTINCTIVE and not case.oldest:
                owners[value].append(case)
    values = sorted(owners)
    hits = search(Path(target.output) / "release", values)
    outcomes: dict[str, Outcome] = {}
    for number, value in enumerate(values):
        row = owners[value][0].row
        outcome = outcomes.setdefault(row, Outcome(row, "values searched in every byte"))
        places = [hit.file for hit in hits if hit.value == number]
        outcome.add(f"value {number}: found in {', '.join(places[:3])}" if places else "")
    yield from outcomes.values()
    if left_out:
        yield Outcome("release-scanner", f"not attacked, as they write elsewhere: {', '.join(left_out)}")


def _accounted(outcome: Outcome, report: RunReport, expected: int) -> Outcome:
    documents = report.documents
    done = documents.released + documents.quarantined + documents.skipped
    outcome.add("" if done == documents.read == expected else f"expected {expected} documents, found {done}")
    outcome.refused = documents.quarantined + documents.skipped
    return outcome


def _damaged(target: Target, root: Path) -> Outcome:
    """Run over damaged files: each one is released or refused, and the run ends."""
    folder = root / "damaged"
    folder.mkdir()
    for name, data in damaged().items():
        (folder / f"{name}.txt").write_bytes(data)
    pipeline, _ = attacked(target.at(folder, root / "damaged-out"))
    return _accounted(Outcome("release-scanner", "damaged files"), pipeline.run(), len(damaged()))


class _Undisturbed:
    """A run to its end in a process of its own: what it released, and how long it took."""

    def __init__(self, target: Target) -> None:
        began = time.monotonic()
        self.code = _call(target)
        self.seconds = time.monotonic() - began
        self.released = _released(target)


def _killed(target: Target, root: Path, notes: Path, whole: _Undisturbed, kills: int) -> Outcome:
    """Kill runs at random moments, and resume them."""
    outcome = Outcome("signals", "runs killed by SIGKILL and resumed")
    drawn = random.Random(_SHARES)
    for n in range(kills):
        here = target.at(notes, root / f"killed-{n}")
        process = subprocess.Popen(here.command(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=(0.3 + 0.7 * drawn.random()) * whole.seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        outcome.add(_resumed(here, whole, f"kill {n + 1}"))
    return outcome


def _failing(target: Target, root: Path, notes: Path, whole: _Undisturbed, fails: int) -> Outcome:
    """Let writes fail as on a full disk from some file on, then give room and resume."""
    outcome = Outcome("signals", "runs on a full disk, and resumed")
    for n in range(fails):
        here = target.at(notes, root / f"full-{n}", more=("run.workers=0",))
        code = _call(here.at(notes, Path(here.output), fails_after=4 + 37 * n))
        wrong = "" if code else "ended with exit code 0"
        outcome.add(wrong or _resumed(here, whole, f"full disk {n + 1}"))
    return outcome


def _resumed(target: Target, whole: _Undisturbed, shown: str) -> str:
    """Resume a run, and return what differs from the undisturbed one."""
    partial = _released(target)
    damaged = [name for name, data in partial.items() if not whole.released.get(name, b"").startswith(data)]
    if damaged:
        return f"{shown}: {len(damaged)} files of the release were neither whole nor absent"
    code = _call(target.at(Path(target.notes), Path(target.output), resume=True))
    if code != whole.code:
        return f"{shown}: expected exit code {whole.code} after resuming, found {code}"
    after = _released(target)
    differing = {name for name in after.keys() | whole.released.keys() if after.get(name) != whole.released.get(name)}
    return f"{shown}: {len(differing)} files of the release differ" if differing else ""


def _call(target: Target) -> int:
    done = subprocess.run(
        target.command(), check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=_TIME_OUT
    )
    return done.returncode


def _released(target: Target) -> dict[str, bytes]:
    """Return the files of a release by name, without unfinished ones of a killed run."""
    folder = Path(target.output) / "release"
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.name.startswith(".")]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
