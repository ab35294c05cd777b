"""Measure the server of the review page: time until the first document, and time until a decision is on disk.

python -m benchmarks.bench_review            1,000 documents of 2 kB, and one text of 1 MB
python -m benchmarks.bench_review 200 100    200 documents, and one of 100 kB

The benchmark sends the requests of the page to a real server over a socket. The figures do not include the browser's own time.
"""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.narratives import narratives
from caspipe.pipeline import Pipeline
from caspipe.typesystem import save_xmi

DECISIONS = 50


def reviewed(folder: Path, texts: list[str]) -> Path:
    """Write the texts as XMI with the rule-based pipeline; return the folder."""
    folder.mkdir(parents=True)
    with Pipeline.parse("engines: [segmenter, dates, ages, identifiers, masker]") as pipeline:
        for number, text in enumerate(texts):
            cas = pipeline.process(text)
            cas.id = f"{number:05}"
            save_xmi(cas, folder / f"{number:05}.xmi")
    return folder


class Server:
    """A running `caspipe review` process."""

    def __init__(self, folder: Path) -> None:
        command = [
            sys.executable,
            "-m",
            "caspipe.pipeline.application.cli.main",
            "review",
            str(folder),
            "--no-browser",
            "-a",
            "bench",
        ]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        found = re.search(r"(http://\S+?)/\?token=(\S+)", self.process.stdout.readline())
        assert found is not None
        self.origin, self.token = found[1], found[2]

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"X-Caspipe-Token": self.token, "Content-Type": "application/json"}
        with urllib.request.urlopen(urllib.request.Request(self.origin + path, data, headers)) as answer:
            return json.load(answer)

    def megabytes(self) -> float:
        """Return the resident memory in MB (Linux)."""
        status = Path(f"/proc/{self.process.pid}/status")
        return int(status.read_text().split("VmRSS:")[1].split()[0]) / 1024 if status.exists() else float("nan")

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.perf_counter()
    made = work()
    return time.perf_counter() - began, made


def measure(folder: Path, documents: int) -> None:
    server = Server(folder)
    try:
        first, shown = timed(lambda: server.ask("/api/doc/0"))
        counted, _ = timed(lambda: _all_counted(server, documents))
        spans = [s["id"] for s in shown["spans"] if s.get("status", s.get("s")) != "vetoed"][:DECISIONS]
        took = [
            timed(
                lambda n=n, span=span: server.ask(
                    "/api/decide", {"key": f"bench-key-{n:04}", "op": "accept", "doc": 0, "shown": 0, "span": span}
                )
            )[0]
            for n, span in enumerate(spans)
        ]
        decision = f"{1000 * statistics.median(took):.1f} ms (median of {len(took)})"
        print(f"{documents:>6} documents, {len(shown['spans']):>6} spans in the first: shown after {first:.2f} s,")
        print(f"       all counted after {counted:.1f} s, decision {decision}, {server.megabytes():.0f} MB")
    finally:
        server.close()


def _all_counted(server: Server, documents: int) -> None:
    while server.ask("/api/rows?after=99999999")["scanned"] < documents:
        time.sleep(0.1)


def main(documents: int = 1000, kilobytes: int = 1000) -> None:
    texts = list(narratives(documents))
    with tempfile.TemporaryDirectory() as place:
        measure(reviewed(Path(place) / "many", texts), documents)
        long = "\n\n".join((texts * (kilobytes // (2 * len(texts)) + 1))[: max(kilobytes // 2, 1)])
        measure(reviewed(Path(place) / "long", [long]), 1)


if __name__ == "__main__":
    main(*(int(n) for n in sys.argv[1:]))
