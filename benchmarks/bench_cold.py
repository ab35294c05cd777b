"""Measure caspipe on lifelike notes that it has not processed before (cold), and on the same notes again (warm).

    python -m benchmarks.bench_cold                        everything but the training, 10 to 15 minutes on an idle machine
    python -m benchmarks.bench_cold --write                also writes the sections of docs/results/speed.md
    python -m benchmarks.bench_cold --only engines crf     some of engines, whole, first, memory, crf
    python -m benchmarks.bench_cold --memory 1000 100000   memory over more notes
    python -m benchmarks.bench_cold --training --write     the training of the CRF instead, some minutes
    python -m benchmarks.bench_cold --json FILE            also keeps the results; --from FILE writes the page from them

The notes are those of phi_notes, which ships with caspipe, and of MTSamples and VAERS if the open corpora are next to the
checkout; further ones are composed (benchmarks/cold/texts.py). Each figure is the median of interleaved rounds, each in a new
process. Engines are timed by processor time, whole runs with workers by wall-clock time.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from .cold import rounds
from .cold.accuracy import PAGE as ENGLISH
from .cold.accuracy import accuracy
from .cold.page import cold_section, profiles_section, training_section
from .cold.rounds import PROFILES, Sizes
from .cold.texts import WARM, Notes, notes, write
from .notes.marked_section import put
from .run import ROOT, SHARED, machine, processor

PAGE = ROOT / "docs" / "results" / "speed.md"
PARTS = ("engines", "whole", "first", "memory", "crf")
TRAINING = 600
ITERATIONS = 70
"""Iterations of configs/training/en-phi-crf.yaml."""


def tell(text: str) -> None:
    """Report the progress."""
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def measured(parts: Sequence[str], sizes: Sizes, corpora: Path, command: str) -> dict[str, Any]:
    """Return the results of some parts as plain data. Raises ProcessError."""
    load = os.getloadavg()[0]
    most = max(
        [sizes.notes, *([sizes.whole] if "whole" in parts else []), *(sizes.memory if "memory" in parts else ())]
    )
    tell(f"preparing {most:,} notes")
    all_notes = notes(corpora, most)
    few = replace(all_notes, new=all_notes.new[: sizes.notes])
    results = {**_place(command), "load": load, "warm": WARM, "notes": rounds.facts(few, all_notes)}
    with tempfile.TemporaryDirectory() as made:
        folders = {name: _folder(Path(made) / name, all_notes, count) for name, count in _counts(parts, sizes).items()}
        work: dict[str, Callable[[], Any]] = {
            "engines": lambda: rounds.engines(folders["engines"], sizes, tell),
            "whole": lambda: rounds.whole(folders["whole"], sizes, tell),
            "first": lambda: rounds.first(all_notes.new[0], sizes, tell),
            "memory": lambda: _memory(folders["memory"], sizes),
            "crf": lambda: rounds.crf(folders["engines"], sizes, tell),
        }
        for part in PARTS:
            if part in parts:
                results[part] = work[part]()
    return results


def _counts(parts: Sequence[str], sizes: Sizes) -> dict[str, int]:
    counts = {"engines": sizes.notes}
    if "whole" in parts:
        counts["whole"] = sizes.whole
    if "memory" in parts:
        counts["memory"] = max(sizes.memory)
    return counts


def _folder(place: Path, given: Notes, count: int) -> Path:
    place.mkdir()
    write(place / "warm.jsonl", given.warm)
    write(place / "new.jsonl", given.new[:count])
    return place


def _memory(folder: Path, sizes: Sizes) -> dict[str, dict[str, Any]]:
    found = rounds.memory(folder, sizes, tell)
    for one in found.values():
        peaks = {**{count: peak for count, (_, peak) in one["curve"].items()}, str(max(sizes.memory)): one["peak"]}
        one["shown"] = {str(count): peaks[str(count)] for count in sizes.memory}
    return found


def _place(command: str) -> dict[str, str]:
    return {
        "date": time.strftime("%Y-%m-%d"),
        "machine": machine(),
        "processor": processor(),
        "command": command,
    }


def trained(count: int, command: str) -> dict[str, Any]:
    """Return the results of the training. Raises ProcessError."""
    found = rounds.training(count, tell)
    return {**_place(command), "training": {**found, "notes": count, "iterations": ITERATIONS}}


def sections(results: dict[str, Any]) -> dict[str, str]:
    """Return the sections of the page that the results fill."""
    if "training" in results:
        return {"training": training_section(results)}
    found = {"cold": cold_section(results)}
    if set(PROFILES) <= set(results.get("engines", {})):
        found["profiles"] = profiles_section(results, accuracy(PROFILES, ENGLISH.read_text(encoding="utf-8")))
    return found


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    normal = Sizes()
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--notes", type=int, default=normal.notes, help="new notes of the engines and the CRF")
    parser.add_argument("--rounds", type=int, default=normal.rounds, help="rounds of the engines and the CRF")
    parser.add_argument("--whole", type=int, default=normal.whole, help="new notes of whole runs")
    parser.add_argument("--whole-rounds", type=int, default=normal.whole_rounds)
    parser.add_argument("--first", type=int, default=normal.first, help="processes for the first document")
    parser.add_argument(
        "--memory",
        type=int,
        nargs="+",
        default=normal.memory,
        help="new notes after which memory is read: 100, 200, 500 ...",
    )
    parser.add_argument("--training", action="store_true", help="measure the training instead")
    parser.add_argument("--training-notes", type=int, default=TRAINING)
    parser.add_argument("--corpora", type=Path, default=SHARED, help="folder of the open corpora")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results")
    parser.add_argument("--from", type=Path, metavar="FILE", dest="file", help="take the results of --json")
    parser.add_argument("--write", action="store_true", help=f"write the sections of {PAGE.name}")
    given = parser.parse_args(arguments)
    if given.write and set(given.only) != set(PARTS):
        parser.error("--write: expected no --only, because the section holds the figures of one run")
    given.memory = tuple(sorted(given.memory))
    return given


def main(arguments: Sequence[str] | None = None) -> int:
    given = parsed(arguments)
    shown = [a for a in (sys.argv[1:] if arguments is None else arguments) if a != "--write"]
    command = " ".join(["python -m benchmarks.bench_cold", *shown])
    sizes = Sizes(given.notes, given.rounds, given.whole, given.whole_rounds, given.first, given.memory)
    try:
        if given.file:
            results = json.loads(given.file.read_text(encoding="utf-8"))
        elif given.training:
            results = trained(given.training_notes, command)
        else:
            results = measured(given.only, sizes, given.corpora, command)
        if given.json:
            given.json.write_text(json.dumps(results), encoding="utf-8")
        written = sections(json.loads(json.dumps(results)))
        for name, body in written.items():
            print(f"{body}\n")
            if given.write:
                put(PAGE, name, body)
    except (rounds.ProcessError, ValueError, OSError) as error:
        print(f"bench_cold: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
