"""Bundles of the comparison: trained once and kept, with the time that took."""

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
"""Beside the bundles: how they were made and how long that took."""
_NO_MODEL = {"README.md", "model.onnx"}
"""What prediction does not need, or holds twice."""


@dataclass(frozen=True)
class Bundles:
    """What a training made: one bundle, or several."""

    name: str
    """Of the training."""
    places: dict[str, str]
    """What `@…` stands for: `@name` for the only bundle, `@name/bundle` for one of several -> its folder or shipped name."""
    bytes: int
    cpu_seconds: float | None
    """Of the processor, all threads together; None for a shipped bundle that was not made here."""
    seconds: float | None


def provided(training: Training, out: Path, again: bool = False) -> Bundles:
    """What a training made: kept in `out`, else shipped, else made now; `again` makes it anew.

    Raises AbsentError where the configuration is not there, RuntimeError where the training fails.
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
    """Makes bundles; what was there is replaced at the end. What a trainer keeps for going on lies beside it meanwhile."""
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
    """What an earlier training left at a place."""
    told = json.loads((place / RECORD).read_text(encoding="utf-8"))
    names = told["bundles"]
    places = {name if len(names) == 1 else f"{name}/{one}": str((place / one).resolve()) for one in names}
    return Bundles(name, places, sum(size(place / one) for one in names), told["cpu_seconds"], told["seconds"])


def size(place: Path) -> int:
    """Bytes of what prediction needs. Raises AbsentError where there is no such bundle."""
    if not place.is_dir():
        raise AbsentError(f"no bundle {place.name}")
    return sum(f.stat().st_size for f in place.rglob("*") if f.is_file() and f.name not in _NO_MODEL)


def processor_seconds() -> float:
    """Processor time of this process so far, all its threads and ended children together."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def total(bundles: Iterable[Bundles]) -> tuple[int, float | None, float | None]:
    """Bytes, processor and wall seconds of several; None where one of them is not known."""
    listed = list(bundles)
    return sum(b.bytes for b in listed), _sum(b.cpu_seconds for b in listed), _sum(b.seconds for b in listed)


def _sum(given: Iterable[float | None]) -> float | None:
    known = list(given)
    return None if None in known else sum(s for s in known if s is not None)
