"""Measure the default pipeline on generated text: documents and megabytes per second on one core, time by component, peak memory.

python -m benchmarks.bench_pipeline            speed
python -m benchmarks.bench_pipeline memory N   peak memory of a run over N documents, in MB, and how many were quarantined

The text repeats a few sentences, so that the caches know every word: an upper bound. benchmarks/bench_cold.py measures new notes.
"""

from __future__ import annotations

import gc
import json
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.narratives import narratives


def load(output: Path | None = None):  # type: ignore[no-untyped-def]
    from caspipe.pipeline.assembly.shipped import locate
    from caspipe.pipeline.pipeline import Pipeline

    overrides = ["masker.DATE.shift.key=benchmark"] + ([f"run.output={output}"] if output else [])
    return Pipeline.load(locate("deidentify"), overrides)


def speed(documents: int = 400, rounds: int = 5) -> list[tuple[str, str]]:
    """Return rows (name, figure): medians over the rounds, after a warm-up round."""
    texts = list(narratives(documents))
    characters = sum(map(len, texts))
    pipeline = load().open()
    gc.collect()
    gc.freeze()  # as a run does
    seconds = []
    for round_ in range(rounds + 1):
        started = time.process_time()
        for text in texts:
            pipeline.process(text)
        if round_:
            seconds.append(time.process_time() - started)
        else:
            for stats in pipeline.stats.values():
                stats.timings.__init__()  # type: ignore[misc]
    median = statistics.median(seconds)
    rows = [
        ("documents of 2 kB of repeated text per CPU second, engines only", f"{documents / median:,.0f}"),
        ("MB of text per CPU second", f"{characters / median / 1e6:.2f}"),
        ("milliseconds per document", f"{median / documents * 1e3:.2f}"),
    ]
    for stats in pipeline.stats.values():
        stats.settle()
        if stats.timings.count:
            rows.append((f"  of which {stats.id} (p50, microseconds)", f"{stats.p50 * 1e6:,.0f}"))
    return rows


def memory(documents: int) -> tuple[float, int]:
    """Run the pipeline over `documents` files; return the peak resident memory in MB and the number of quarantined documents.

    The leak gate quarantines about one generated narrative in a hundred. Memory is measured over all documents.
    """
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder) / "notes.jsonl"
        with notes.open("w", encoding="utf-8") as out:
            for i, text in enumerate(narratives(documents)):
                out.write(json.dumps({"id": str(i), "text": text}) + "\n")
        from caspipe.pipeline.assembly.shipped import locate
        from caspipe.pipeline.pipeline import Pipeline

        overrides = [f"reader.jsonl.files={notes}", f"run.output={folder}/out", "masker.DATE.shift.key=benchmark"]
        report = Pipeline.load(locate("deidentify"), overrides).run()
        assert report.documents.read == documents and not report.stopped, report.stopped
        assert {failure.reason for failure in report.failures} <= {"leak"}, report.failures[:3]
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, report.documents.quarantined


if __name__ == "__main__":
    if sys.argv[1:2] == ["memory"]:
        print(*memory(int(sys.argv[2])))
    else:
        for what, figure in speed():
            print(f"{what:70} {figure:>12}")
