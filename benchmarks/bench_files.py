"""Measure the cost of flushing small files to disk before they are renamed: one at a time, and in groups as runs do.

python -m benchmarks.bench_files [FOLDER]     in a folder on the disk to measure; default: the current folder
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from caspipe.pipeline.storage.files import place, settle, stage

FILES, SIZE, ROUNDS = 192, 8_000, 5


def seconds(below: Path, way: str) -> float:
    """Return the wall-clock seconds for one file."""
    with tempfile.TemporaryDirectory(dir=below) as made:
        folder = Path(made)
        began = time.perf_counter()
        staged = []
        for _ in range(FILES):
            staged.append(stage(folder, b"x" * SIZE, durable=way != "never"))
            if way == "each":
                settle(staged[-1:])
        settle(staged)
        for number, file in enumerate(staged):
            place(file, folder / f"{number}.txt")
        return (time.perf_counter() - began) / FILES


def main() -> None:
    below = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    ways = ("each", "together", "never")
    took: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(ROUNDS):
        for way in ways:
            took[way].append(seconds(below, way))
    for way in ways:
        print(f"waiting for the disk {way:10} {statistics.median(took[way]) * 1e3:8.3f} ms a file")


if __name__ == "__main__":
    main()
