"""Check that memory stays flat: resident memory of the default pipeline over 1,000 and 10,000 documents, one process each.

python -m benchmarks.bench_memory                      1,000 and 10,000 short notes
python -m benchmarks.bench_memory --documents 1000 100000 --reader text
python -m benchmarks.bench_memory --size 2000          narratives of 2 kB
python -m benchmarks.bench_memory --documents 1000 100000 --write     also writes the section of benchmarks/RESULTS.md

Notes are generated during the run (benchmarks/narratives.py). Each contains new numbers, so that tables over word forms keep
growing. "Resident" is the memory of the process after the last document, "peak" its maximum. CPU seconds are those of the run
without its start.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.narratives import narratives
from benchmarks.run import machine
from benchmarks.sections import replaced

RESULTS = Path(__file__).parent / "RESULTS.md"
SHORT = 200
"""Characters of a short note."""
GOAL = 1.2
"""Largest allowed ratio of resident memory: any number of documents to the smallest number."""


def notes(folder: Path, documents: int, size: int, reader: str) -> str:
    """Write the notes; return the override that makes the reader read them."""
    if reader == "text":
        for i, text in enumerate(narratives(documents, size)):
            ward = folder / "notes" / f"ward-{i // 1000}"
            ward.mkdir(parents=True, exist_ok=True)
            (ward / f"note-{i:07}.txt").write_text(text, encoding="utf-8")
        return f"reader.text.folder={folder / 'notes'}"
    with (folder / "notes.jsonl").open("w", encoding="utf-8") as out:
        for i, text in enumerate(narratives(documents, size)):
            out.write(json.dumps({"id": f"ward-{i // 1000}/note-{i:07}", "text": text}) + "\n")
    return f"reader.jsonl.files={folder / 'notes.jsonl'}"


def resident() -> tuple[float, float]:
    """Return the current and the peak resident memory of this process in MB (Linux)."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return tuple(int(status[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))  # type: ignore[return-value]


def measure(documents: int, size: int, reader: str, engines: bool) -> dict[str, Any]:
    """Run the pipeline once in this process. Without `engines` only the reader and the consumers run."""
    from caspipe.pipeline.assembly.shipped import locate
    from caspipe.pipeline.pipeline import Pipeline

    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        overrides = [notes(folder, documents, size, reader), f"run.output={folder / 'out'}", "run.workers=0"]
        overrides += [f"consumers.{c}.durable=false" for c in ("text", "xmi", "html")]
        curve: dict[int, float] = {}
        pipeline = Pipeline.load(locate("deidentify"), [*overrides, "masker.DATE.shift.key=benchmark"])
        if not engines:
            pipeline.engines = [e for e in pipeline.engines if e.name in ("segmenter", "dates", "resolver", "masker")]

        def watch(report: Any, total: int | None) -> None:
            if report.documents.read in marks:
                curve[report.documents.read] = held = resident()[0]
                print(f"{report.documents.read:>9,} documents {held:8.1f} MB", file=sys.stderr, flush=True)

        marks = {n * 10**k for k in range(2, 7) for n in (1, 2, 5)}
        began, used = time.perf_counter(), time.process_time()
        report = pipeline.run(watch)
        seconds, used = time.perf_counter() - began, time.process_time() - used
        now, peak = resident()
        assert report.documents.read == documents, report.stopped  # the leak gate may quarantine some
    return {"documents": documents, "resident": now, "peak": peak, "seconds": seconds, "cpu": used, "curve": curve}


def measured(documents: int, *options: str) -> dict[str, Any]:
    """Run `measure` in a separate process."""
    command = [sys.executable, "-m", "benchmarks.bench_memory", "--one", str(documents), *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def section(found: list[dict[str, Any]], command: str, what: str) -> str:
    """Return the section of RESULTS.md: a row for each run, the memory during the longest run, the goal."""
    first, longest = found[0], max(found, key=lambda one: int(one["documents"]))
    over = f"over {first['documents']:,}"
    lines = [
        f"`{command}`",
        "",
        f"{time.strftime('%Y-%m-%d')}; {machine()}. Whole runs of the default pipeline in one process, {what}.",
        "",
        f"| documents | resident (MB) | {over} | peak (MB) | {over} | documents per CPU second |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    for one in found:
        figures = [f"{one['documents']:,}"]
        for name in ("resident", "peak"):
            figures += [f"{one[name]:.0f}", f"{one[name] / first[name]:.2f}"]
        lines.append(f"| {' | '.join(figures)} | {one['documents'] / one['cpu']:,.0f} |")
    way = ", ".join(f"{held:.0f} after {int(n):,}" for n, held in longest["curve"].items())
    most = max(one[name] / first[name] for one in found for name in ("resident", "peak"))
    verdict = "met" if most <= GOAL else "missed"
    lines += [
        "",
        f"During the longest run, MB: {way}.",
        "",
        f"Goal: at most {GOAL} times. Measured {most:.2f}: {verdict}.",
    ]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> list[tuple[str, str]]:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--documents", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--size", type=int, default=SHORT, help="characters of a note")
    parser.add_argument("--reader", choices=("jsonl", "text"), default="jsonl")
    parser.add_argument("--few-engines", action="store_true", help="segmenter, dates and masker only")
    parser.add_argument("--write", action="store_true", help="write the section of benchmarks/RESULTS.md")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args([] if arguments is None else arguments)
    if given.one is not None:
        print(json.dumps(measure(given.one, given.size, given.reader, not given.few_engines)))
        return []
    options = ["--size", str(given.size), "--reader", given.reader, *(["--few-engines"] if given.few_engines else [])]
    rows, all_found = [], []
    for count in given.documents:
        found = measured(count, *options)
        all_found.append(found)
        first = all_found[0]
        what = f"{count:,} notes of {given.size:,} characters, reader {given.reader}"
        rows.append((f"{what}: resident, peak (MB)", f"{found['resident']:.0f}, {found['peak']:.0f}"))
        rows.append((f"{what}: documents per CPU second", f"{count / found['cpu']:,.0f}"))
        if found is not first:
            over = f"over {first['documents']:,} documents"
            rows += [(f"  {name}, {over}", f"{found[name] / first[name]:.2f}") for name in ("resident", "peak")]
    if given.write:
        kept = [a for a in arguments or [] if a != "--write"]
        command = " ".join(["python -m benchmarks.bench_memory", *kept])
        body = section(all_found, command, f"notes of {given.size:,} characters, reader {given.reader}")
        RESULTS.write_text(replaced(RESULTS.read_text(encoding="utf-8"), "bench_memory", body), encoding="utf-8")
    return rows


if __name__ == "__main__":
    for row, figure in main(sys.argv[1:]):
        print(f"{row:70} {figure:>16}")
