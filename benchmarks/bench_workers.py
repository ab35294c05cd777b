"""Measure the gain from workers: whole runs of the default pipeline, from JSON lines to all consumers, with 0, 1, 2 ... workers.

python -m benchmarks.bench_workers                                     30 to 1,000 narratives of 2 kB
python -m benchmarks.bench_workers --documents 100 --size 500 --rounds 5
python -m benchmarks.bench_workers --write                             also writes the section of benchmarks/RESULTS.md

Each run is a separate process, measured by wall-clock time from its start to its end, as a user sees it. Runs are interleaved,
and figures are medians. "auto" is the default of a run.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .narratives import narratives
from .run import HERE, machine
from .sections import replaced

GOAL = 1.7
"""Required speed-up over one process, with two workers on two cores."""
_RUN = """
import logging, sys
logging.disable(logging.WARNING)
from caspipe.pipeline.pipeline import Pipeline
from caspipe.pipeline.assembly.shipped import locate
report = Pipeline.load(locate("deidentify"), sys.argv[1:]).run()
print(report.documents.read, report.workers, report.seconds)
"""


def corpus(folder: Path, documents: int, size: int) -> Path:
    """Write the narratives as JSON lines; return the file."""
    made = folder / f"{documents}.jsonl"
    with made.open("w", encoding="utf-8") as out:
        for number, text in enumerate(narratives(documents, size)):
            out.write(json.dumps({"id": f"n{number:06}", "text": text}) + "\n")
    return made


def timed(file: Path, workers: str) -> tuple[float, float, int]:
    """Run the pipeline in a separate process; return its total seconds, the seconds of the run, and the number of workers."""
    with tempfile.TemporaryDirectory(dir=file.parent) as out:
        settings = [f"reader.jsonl.files={file}", f"run.output={out}", f"run.workers={workers}"]
        settings.append("masker.DATE.shift.key=benchmark")
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", _RUN, *settings], stdout=subprocess.PIPE, text=True, check=True
        )
        seconds = time.perf_counter() - began
    read, had, within = done.stdout.split()
    if int(read) != int(file.stem):
        raise RuntimeError(f"{read} of {file.stem} documents read")
    return seconds, float(within), int(had)


def table(file: Path, ways: list[str], rounds: int) -> list[str]:
    """Return the rows for one number of documents."""
    took: dict[str, list[tuple[float, float, int]]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way in ways:
            took[way].append(timed(file, way))
    alone = [statistics.median(one[n] for one in took["0"]) for n in (0, 1)]
    rows = []
    for way, found in took.items():
        whole, within = (statistics.median(one[n] for one in found) for n in (0, 1))
        name = f"{way} ({found[-1][2]})" if way == "auto" else way
        figures = [f"{int(file.stem):,}", name, f"{whole:.2f}", f"{alone[0] / whole:.2f}", f"{within:.2f}"]
        figures += [f"{int(file.stem) / within:,.0f}", f"{alone[1] / within:.2f}"]
        rows.append(f"| {' | '.join(figures)} |")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, nargs="+", default=[30, 100, 300, 1000])
    parser.add_argument("--size", type=int, default=2000, help="characters of a narrative")
    parser.add_argument("--workers", nargs="+", default=["0", "1", "2", "auto"], help="0 is the first")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="write the section of benchmarks/RESULTS.md")
    given = parser.parse_args()
    ways = list(dict.fromkeys(["0", *given.workers]))
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        rows = [
            row
            for documents in given.documents
            for row in table(corpus(Path(folder), documents, given.size), ways, given.rounds)
        ]
    command = " ".join(["python -m benchmarks.bench_workers", *(a for a in sys.argv[1:] if a != "--write")])
    lines = [
        f"`{command}`",
        "",
        f"{time.strftime('%Y-%m-%d')}; {machine()}. Narratives of {given.size:,} characters, {given.rounds} rounds, medians; the",
        f"load of the machine was {load:.1f} when it began. Goal: {GOAL} times as fast with two workers on two cores.",
        "",
        "| documents | workers | process, s | times as fast | run, s | documents/s | times as fast |",
        "|---:|---|---:|---:|---:|---:|---:|",
        *rows,
    ]
    body = "\n".join(lines)
    print(body)
    if given.write:
        page = HERE / "RESULTS.md"
        page.write_text(replaced(page.read_text(encoding="utf-8"), "bench_workers", body), encoding="utf-8")


if __name__ == "__main__":
    main()
