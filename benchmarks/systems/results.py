"""Store a measured row: the figures of one system on one corpus, as a small JSON file."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from caspipe.pipeline.storage.files import make_folder, write_atomic

Figures = Mapping[str, Mapping[str, float | None]]
OVERRIDES = "set"
"""Further key of a row: the overrides of its training, as on the command line."""


@dataclass(frozen=True)
class Result:
    """One row of the comparison."""

    row: str
    corpus: str
    documents: int
    figures: Figures
    """Criterion -> figure -> value, None if undefined."""
    documents_per_second: float
    """Documents per second of processor time, engines only."""
    bytes: int
    """Bytes of the bundles, without lists and rules."""
    training_cpu_seconds: float | None
    training_seconds: float | None
    """None for shipped bundles that were not trained here."""
    bundles: list[str]
    date: str
    machine: str

    def value(self, criterion: str, name: str) -> float | None:
        """Return one figure; None if it is undefined or the system does not have the criterion."""
        return self.figures.get(criterion, {}).get(name)

    def interval(self, criterion: str, name: str) -> tuple[float, float] | None:
        """Return the 95 % interval of a figure, or None."""
        low, high = self.value(criterion, f"{name}_low"), self.value(criterion, f"{name}_high")
        return None if low is None or high is None else (low, high)

    def told(self) -> str:
        """Return the row in one line, for the console."""
        cells = [("strict F1", "strict", "f1"), ("token R", "token-binary", "recall")]
        cells += [("P", "token-binary", "precision"), ("masking R", "masking", "recall")]
        cells += [("P", "masking", "precision"), ("without leak", "documents", "share")]
        shown = (f"{name} {'n/a' if (v := self.value(*of)) is None else f'{v:.4f}'}" for name, *of in cells)
        return f"{self.documents} documents, {', '.join(shown)}, {self.documents_per_second:.1f} documents/s"

    def write(self, file: Path, overrides: Sequence[str] | None = None) -> None:
        """Write the row atomically, with figures to six digits, and with the overrides of its training if they are given."""
        make_folder(file.parent)
        told = asdict(self)
        told["figures"] = {c: {n: _short(v) for n, v in of.items()} for c, of in self.figures.items()}
        told["documents_per_second"] = round(self.documents_per_second, 2)
        told |= {} if overrides is None else {OVERRIDES: list(overrides)}
        write_atomic(file, (json.dumps(told, indent=1) + "\n").encode())


def read(file: Path) -> Result:
    """Read a row from its file. Raises ValueError for an invalid file."""
    told = json.loads(file.read_text(encoding="utf-8"))
    names = [f.name for f in fields(Result)]
    if not isinstance(told, dict) or sorted(told.keys() - {OVERRIDES}) != sorted(names):
        raise ValueError(f"{file}: expected an object with {', '.join(names)}")
    return Result(**{name: told[name] for name in names})


def overrides_of(file: Path) -> list[str]:
    """Return the overrides of the training of a row."""
    overrides: list[str] = json.loads(file.read_text(encoding="utf-8")).get(OVERRIDES, [])
    return overrides


def path_of(folder: Path, row: str, corpus: str) -> Path:
    """Return the file of a row."""
    return folder / f"{re.sub(r'[^a-z0-9]+', '-', row.lower())}-{corpus}.json"


def today() -> str:
    return time.strftime("%Y-%m-%d")


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
