"""Train the bundles of the comparison once, and store them with the training time."""

from __future__ import annotations

import json
import resource
import shutil
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from caspipe.pipeline import Pipeline
from caspipe.pipeline.assembly.shipped import folder

from .corpora import AbsentError
from .declared import Training

RECORD = "trained.json"
"""File next to the bundles: the settings and the time of the training."""
_NO_MODEL = {"README.md", "model.onnx"}
"""Files that prediction does not need, or that duplicate another file."""


@dataclass(frozen=True)
class Bundles:
    """The bundles of a training: one or several."""

    name: str
    """Name of the training."""
    places: dict[str, str]
    """Name after `@` (`name` for the only bundle, `name/bundle` for one of several) -> its folder or shipped name."""
    bytes: int
    cpu_seconds: float | None
    """Processor seconds of all threads; None for a shipped bundle that was not trained here."""
    seconds: float | None


def provided(training: Training, out: Path, again: bool = False) -> Bundles:
    """Return the bundles of a training: those in `out`, else the shipped ones, else new ones; `again` always trains.

    Raises AbsentError if the configuration is missing, RuntimeError if the training fails.
    """
    place = out / "models" / training.name
    if not again and (place / RECORD).is_file():
        return kept(training.name, place)
    if training.shipped and not again:
        shipped = folder() / "models" / training.name
        return Bundles(training.name, {training.name: training.name}, size(shipped), None, None)
    train(training, place)
    return kept(training.name, place)


def train(training: Training, place: Path) -> None:
    """Train bundles in a temporary folder next to `place`, and replace the earlier ones at the end."""
    config = training.path
    work = place.with_name(f".{place.name}")
    started, cpu = time.perf_counter(), processor_seconds()
    report = Pipeline.load(config, [*training.overrides, f"run.output={work.resolve()}"]).run()
    if report.exit_code:
        raise RuntimeError(f"{training.name}: training failed ({report.stopped or 'documents failed'})")
    made = [file.parent for file in sorted(work.rglob("model.json"))]
    if not made:
        raise RuntimeError(f"{training.name}: {config.name} wrote no bundle")
    record = {
        "config": training.config,
        "set": list(training.overrides),
        "bundles": [m.name for m in made],
        "cpu_seconds": round(processor_seconds() - cpu, 1),
        "seconds": round(time.perf_counter() - started, 1),
    }
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for bundle in made:
        bundle.replace(place / bundle.name)
    (place / RECORD).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    shutil.rmtree(work, ignore_errors=True)


def kept(name: str, place: Path) -> Bundles:
    """Return the bundles that an earlier training stored in a folder."""
    told = json.loads((place / RECORD).read_text(encoding="utf-8"))
    names = told["bundles"]
    places = {name if len(names) == 1 else f"{name}/{one}": str((place / one).resolve()) for one in names}
    return Bundles(name, places, sum(size(place / one) for one in names), told["cpu_seconds"], told["seconds"])


def size(place: Path) -> int:
    """Return the bytes of the files that prediction needs. Raises AbsentError if the bundle is missing."""
    if not place.is_dir():
        raise AbsentError(f"no bundle {place.name}")
    return sum(f.stat().st_size for f in place.rglob("*") if f.is_file() and f.name not in _NO_MODEL)


def processor_seconds() -> float:
    """Return the processor time of this process so far, with all threads and finished children."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def total(bundles: Iterable[Bundles]) -> tuple[int, float | None, float | None]:
    """Return the total bytes, processor seconds and wall-clock seconds; None if one of the values is unknown."""
    listed = list(bundles)
    return sum(b.bytes for b in listed), _sum(b.cpu_seconds for b in listed), _sum(b.seconds for b in listed)


def _sum(given: Iterable[float | None]) -> float | None:
    known = list(given)
    return None if None in known else sum(s for s in known if s is not None)
