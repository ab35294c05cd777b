"""Compare the service with the pipeline: documents per second over HTTP, one by one and in batches, with one and two workers.

It also reports the milliseconds of CPU time per document, summed over all processes of the service. A busy machine distorts them
less (Linux only).

python -m benchmarks.bench_service
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path

import httpx

from benchmarks.narratives import narratives
from caspipe.pipeline.assembly.shipped import locate
from caspipe.pipeline.contract.leaks import leaks_of
from caspipe.pipeline.pipeline import Pipeline

DOCUMENTS = 150
ROUNDS = 2
KEY = "0123456789abcdef" * 2
PROGRAM = "from caspipe.pipeline.application.cli.main import main; main()"


@contextmanager
def service(workers: int) -> Iterator[tuple[httpx.Client, int]]:
    """Start `caspipe serve` with the default pipeline; yield a client and the process id."""
    command = [
        sys.executable,
        "-c",
        PROGRAM,
        "serve",
        "--port",
        "0",
        "--quiet",
        "--workers",
        str(workers),
        "--queue",
        "64",
    ]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "CASPIPE_KEY": KEY})
    try:
        assert running.stderr is not None
        lines = (re.search(r"http://\S+", line) for line in running.stderr)
        address = next(match[0] for match in lines if match)
        with httpx.Client(base_url=address, timeout=120) as client:
            while client.get("/ready").status_code != 200:
                time.sleep(0.1)
            yield client, running.pid
    finally:
        running.terminate()
        running.communicate()


def timed(work: Callable[[], None], cpu: Callable[[], float]) -> tuple[float, float]:
    """Return documents per second and CPU milliseconds per document: medians of the rounds, after a warm-up round."""
    seconds, busy = [], []
    for _ in range(ROUNDS + 1):
        started, before = time.perf_counter(), cpu()
        work()
        seconds.append(time.perf_counter() - started)
        busy.append(cpu() - before)
    return DOCUMENTS / statistics.median(seconds[1:]), statistics.median(busy[1:]) / DOCUMENTS * 1e3


def released(pipeline: Pipeline) -> list[str]:
    """Return narratives without those that the leak gate withholds (about one in a hundred), which the service refuses."""
    texts = list(islice((t for t in narratives(2 * DOCUMENTS) if not leaks_of(pipeline.process(t))), DOCUMENTS))
    assert len(texts) == DOCUMENTS
    return texts


def inside(pipeline: Pipeline, texts: list[str]) -> tuple[float, float]:
    """Measure the pipeline in this process, without HTTP."""

    def work() -> None:
        for text in texts:
            assert pipeline.process(text).deidentified

    return timed(work, time.process_time)


def singly(client: httpx.Client, texts: list[str], together: int) -> None:
    """Send one request for each document, from several clients at a time."""

    def ask(text: str) -> None:
        assert client.post("/v1/process", json={"text": text}).status_code == 200

    with ThreadPoolExecutor(together) as clients:
        list(clients.map(ask, texts))


def batch(client: httpx.Client, texts: list[str]) -> None:
    """Send all documents in one batch."""
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    response = client.post("/v1/batch", content=lines, headers={"Content-Type": "application/x-ndjson"})
    assert len(response.text.splitlines()) == len(texts)


def family(pid: int) -> Iterator[Path]:
    """Yield the folders in /proc of a process and its descendants; none if the system does not have /proc."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if folder.name == str(pid) or fields[1] == str(pid):
            yield folder


def cpu_of(pid: int) -> float:
    """Return the CPU seconds of a service."""
    ticks = 0
    for folder in family(pid):
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> float:
    """Return the resident memory of a service in MB."""
    pages = sum(int((folder / "statm").read_text().split()[1]) for folder in family(pid))
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> list[tuple[str, str]]:
    pipeline = Pipeline.load(locate("deidentify"), [f"masker.DATE.shift.key={KEY}"]).open()
    texts = released(pipeline)
    rows: list[tuple[str, str]] = []

    def row(what: str, found: tuple[float, float]) -> None:
        rows.append((f"{what}: documents per second", f"{found[0]:,.0f}"))
        rows.append((f"{what}: CPU ms per document", f"{found[1]:,.1f}"))

    row("2 kB, in process", inside(pipeline, texts))
    for workers in (1, 2):
        with service(workers) as (client, pid):
            row(
                f"{workers} workers, a request each from {2 * workers} clients",
                timed(partial(singly, client, texts, 2 * workers), partial(cpu_of, pid)),
            )
            row(f"{workers} workers, a batch of lines", timed(partial(batch, client, texts), partial(cpu_of, pid)))
            rows.append((f"{workers} workers: resident memory of all processes (MB)", f"{memory(pid):,.0f}"))
    return rows


if __name__ == "__main__":
    for what, figure in main():
        print(f"{what:70} {figure:>12}")
