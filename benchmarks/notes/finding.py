"""Run a configuration over texts in a process of its own, with this checkout or another one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from caspipe.consumers.scoring import Mark

SCRIPT = Path(__file__).with_name("finder.py")


class FindingError(Exception):
    """A configuration could not be run."""


@dataclass(frozen=True)
class Found:
    """The result of a program for one text."""

    spans: tuple[Mark, ...]
    seconds: float = 0.0
    """Processor time."""
    repaired: int = 0
    """Spans that the leak gate added."""
    refused: bool = False
    """True if the leak gate did not release the document."""
    failed: str = ""
    """Class of the error if an engine failed."""


def interpreter(checkout: Path | None) -> str:
    """Return the interpreter of a checkout, of this one by default. Raises FindingError if it has none."""
    if checkout is None:
        return sys.executable
    for place in (checkout / ".venv" / "bin" / "python", checkout / "bin" / "python"):
        if place.exists():
            return str(place.absolute())
    raise FindingError(f"{checkout.name}: expected an environment .venv with caspipe, found none")


def find(config: str, texts: Sequence[str], checkout: Path | None = None, warm: Sequence[str] = ()) -> list[Found]:
    """Return what a configuration (shipped name or file) finds in each text. Raises FindingError.

    `warm`: other texts that are processed first, because the first notes after the start take longer.
    """
    command = [interpreter(checkout), str(SCRIPT), config]
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    with tempfile.TemporaryDirectory() as folder:
        first, given, results = (Path(folder) / f"{name}.jsonl" for name in ("warm", "texts", "found"))
        for file, many in ((first, warm), (given, texts)):
            file.write_text("".join(json.dumps(text) + "\n" for text in many), encoding="utf-8")
        done = subprocess.run(
            [*command, str(first), str(given), str(results)],
            env={**os.environ, **one},
            cwd=folder if checkout is not None else None,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            last = done.stderr.strip().splitlines()[-1:] or ["no error message"]
            raise FindingError(f"{config}: exit code {done.returncode}: {last[0][:300]}")
        lines = results.read_text(encoding="utf-8").splitlines()
    return [_parsed(line) for line in lines]


def _parsed(line: str) -> Found:
    told = json.loads(line)
    spans = tuple(Mark(begin, end, kind, source) for begin, end, kind, source in told["spans"])
    return Found(spans, told["seconds"], told["repaired"], told["refused"], told["failed"])
