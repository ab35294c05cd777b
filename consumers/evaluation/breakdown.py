"""Consumer that breaks scores down: confusion between kinds, credit of components, and curves over a threshold on confidence."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Literal

from ...pipeline.contract.component import component
from ...pipeline.storage.files import make_folder, write_atomic
from ...typesystem import GOLD_VIEW, INITIAL_VIEW, Cas
from ..scoring import plots
from ..scoring.alignment import Compared, Criterion
from ..scoring.confusion import Confusion
from ..scoring.credit import Credit
from ..scoring.curves import Curve, Thresholds, distinct_at
from ..scoring.document import Mark, Pair, pair_of
from ..scoring.table import csv_text
from .delayed import DelayedConsumer

RESULT = "(result)"
"""The curve of the final spans, next to those of the components' candidates."""


@component("breakdown")
class Breakdown(DelayedConsumer):
    """Counts confusion between kinds, the spans that each component found alone or with others, and precision and recall over a
    threshold on confidence: of the final spans, and of the candidates of each component.

    Each is written as JSON, CSV and text. The files contain numbers only, no text of any document.
    """

    folder: Path = Path("release/breakdown")
    """Folder for `confusion`, `credit` and `curves`, under the run's output folder."""
    gold: str = GOLD_VIEW
    """View with the reference annotations. A document without it fails."""
    system: str = INITIAL_VIEW
    """View with the spans that were found, over the same text."""
    level: Compared = "top"
    """Level at which kinds are compared: `kind` as they are, `top` at the first level, else the categories of a scheme; `any`: a
    span only has to be found."""
    criterion: Criterion = "overlapping"
    """Condition under which a span matches a reference span: same bounds, all of it covered, a code point shared."""
    by: Literal["top", "path"] = "top"
    """Definition of a component: the outermost id (`regex` of `regex/dates`), or the whole path."""
    groups: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    """Components that count as one, by a name for them: `{rules: [regex, identifiers]}`."""
    plots: Literal["none", "svg", "png", "pdf"] = "none"
    """Format of the figures of confusion and curves. Needs matplotlib (extra `plots`)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._start()

    def _start(self) -> None:
        self.confusion = Confusion()
        """Counts by gold kind and system kind, complete after `close`."""
        self.credit = Credit(by=self.by, groups=self.groups, criterion=self.criterion, level=self.level)
        """Credit of each component, complete after `close`."""
        self.curves: dict[str, Curve] = {}
        """A curve for the result and for each component, after `close`."""
        self._counts: dict[str, Thresholds] = {}
        self._gold = 0

    def writes_original(self) -> bool:
        return False

    def open(self) -> None:
        """Create the folder. Raises ConsumerError if that fails, or if figures cannot be drawn."""
        super().open()
        if self.plots != "none":
            plots.check()
        make_folder(self.output / self.folder)
        self._start()

    def result_of(self, cas: Cas) -> Pair:
        return pair_of(cas, self.gold, self.system)

    def close(self) -> None:
        """Write the files. Raises ConsumerError that names the path."""
        self.add_last()
        self.curves = {name: self._counts[name].curve(self._gold) for name in sorted(self._counts)}
        for name, table in (("confusion", self.confusion), ("credit", self.credit)):
            self._write(f"{name}.json", table.to_json())
            self._write(f"{name}.csv", table.to_csv())
            self._write(f"{name}.txt", str(table))
        self._write("curves.json", json.dumps({name: c.data() for name, c in self.curves.items()}, indent=2) + "\n")
        rows = [[name, *row] for name, c in self.curves.items() for row in c.rows()[1:]]
        self._write("curves.csv", csv_text([["of", *Curve([], 0).rows()[0]], *rows] if self.curves else []))
        if self.plots != "none":
            folder = self.output / self.folder
            plots.save(plots.confusion(self.confusion.matrix), folder / f"confusion.{self.plots}")
            drawn = plots.precision_recall({name: c.drawn() for name, c in self.curves.items()})
            plots.save(drawn, folder / f"curves.{self.plots}")
        super().close()

    def abort(self) -> None:
        """Keep the earlier files."""
        self._last = None
        self._start()
        super().close()

    def _write(self, name: str, text: str) -> None:
        write_atomic(self.output / self.folder / name, text.encode())

    def add(self, pair: Pair) -> None:
        self.confusion.add(pair, self.level)
        self.credit.add(pair)
        self._gold += len(distinct_at(pair.gold, self.level))
        marks: dict[str, list[Mark]] = {RESULT: pair.system}
        for candidate in pair.candidates:
            marks.setdefault(self.credit.name(candidate.source), []).append(candidate)
        for name, spans in marks.items():
            self._counts.setdefault(name, Thresholds(self.criterion, self.level)).add(pair.gold, spans)
