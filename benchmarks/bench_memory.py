"""Whether memory stays flat: resident memory of the default pipeline over 1,000 and 10,000 documents, one process each.

python -m benchmarks.bench_memory                      1,000 and 10,000 short notes
python -m benchmarks.bench_memory --documents 1000 100000 --reader text
python -m benchmarks.bench_memory --size 2000          narratives of 2 kB

Notes are made on the way (benchmarks/narratives.py): their figures are new in each, so that tables over word forms keep
filling. "Resident" is what the process holds when the last document is done, "peak" the most it ever held.
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

SHORT = 200
"""Characters of a short note."""


def notes(folder: Path, documents: int, size: int, reader: str) -> str:
    """Writes the notes; returns what is to be set so that the reader reads them."""
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
    """Megabytes this process holds now, and the most it ever held (Linux)."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return tuple(int(status[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))  # type: ignore[return-value]


def measure(documents: int, size: int, reader: str, engines: bool) -> dict[str, Any]:
    """One run in this process. `engines`: those of the default pipeline; without, only reader and consumers."""
    from caspipe.pipeline.pipeline import Pipeline
    from caspipe.pipeline.shipped import locate

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
        began = time.perf_counter()
        report = pipeline.run(watch)
        seconds = time.perf_counter() - began
        now, peak = resident()
        assert report.documents.read == documents, report.stopped  # the leak gate may keep some back
    return {"documents": documents, "resident": now, "peak": peak, "seconds": seconds, "curve": curve}


def measured(documents: int, *options: str) -> dict[str, Any]:
    """`measure` in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.bench_memory", "--one", str(documents), *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def main(arguments: list[str] | None = None) -> list[tuple[str, str]]:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--documents", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--size", type=int, default=SHORT, help="characters of a note")
    parser.add_argument("--reader", choices=("jsonl", "text"), default="jsonl")
    parser.add_argument("--few-engines", action="store_true", help="segmenter, dates and masker only")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args([] if arguments is None else arguments)
    if given.one is not None:
        print(json.dumps(measure(given.one, given.size, given.reader, not given.few_engines)))
        return []
    options = ["--size", str(given.size), "--reader", given.reader, *(["--few-engines"] if given.few_engines else [])]
    rows, first = [], None
    for count in given.documents:
        found = measured(count, *options)
        first = first or found
        what = f"{count:,} notes of {given.size:,} characters, reader {given.reader}"
        rows.append((f"{what}: resident, peak (MB)", f"{found['resident']:.0f}, {found['peak']:.0f}"))
        rows.append((f"{what}: documents per second", f"{count / found['seconds']:,.0f}"))
        if found is not first:
            over = f"over {first['documents']:,} documents"
            rows += [(f"  {name}, {over}", f"{found[name] / first[name]:.2f}") for name in ("resident", "peak")]
    return rows


if __name__ == "__main__":
    for row, figure in main(sys.argv[1:]):
        print(f"{row:70} {figure:>16}")
