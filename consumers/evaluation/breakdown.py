"""Consumer that takes scores apart: what was taken for what, who found what, and what a threshold on confidence would do."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from pathlib import Path
from typing import Literal

from ...pipeline.contract.component import CasConsumer, Scope, component
from ...pipeline.storage.files import make_folder, write_atomic
from ...typesystem import GOLD_VIEW, INITIAL_VIEW, Cas
from ..scoring import plots
from ..scoring.alignment import Compared, Criterion
from ..scoring.confusion import Confusion
from ..scoring.credit import Credit
from ..scoring.curves import Curve, Thresholds, distinct_at
from ..scoring.document import Mark, Pair, pair_of

RESULT = "(result)"
"""The curve of the final spans, beside those of the components' candidates."""


@component("breakdown")
class Breakdown(CasConsumer):
    """Counts which kinds were taken for which, which component found what alone or with others, and precision and recall over
    a threshold on confidence: of the final spans, and of the candidates of each component.

    Each is written as JSON, CSV and text. The files hold figures only, no text of any document.
    """

    folder: Path = Path("release/breakdown")
    """Folder for `confusion`, `credit` and `curves`, under the run's output folder."""
    gold: str = GOLD_VIEW
    """View with the reference annotations. A document without it fails."""
    system: str = INITIAL_VIEW
    """View with what was found, over the same text."""
    level: Compared = "top"
    """How finely kinds are told apart: `kind` as they are, `top` at the first level, else the categories of a scheme; `any`: what
    counts is that it was found."""
    criterion: Criterion = "overlapping"
    """When a span answers a reference span: same bounds, the whole of it covered, a code point shared."""
    by: Literal["top", "path"] = "top"
    """What counts as one component: the outermost id (`regex` of `regex/dates`), or the whole path."""
    groups: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    """Components that count as one, by a name for them: `{rules: [regex, identifiers]}`."""
    plots: Literal["none", "svg", "png", "pdf"] = "none"
    """Format of the figures of confusion and curves. Needs matplotlib (extra `plots`)."""

    scope = Scope.COLLECTION

    def __post_init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self.confusion = Confusion()
        """Counts by gold kind and system kind, whole after `close`."""
        self.credit = Credit(by=self.by, groups=self.groups, criterion=self.criterion, level=self.level)
        """Who found what, likewise."""
        self.curves: dict[str, Curve] = {}
        """A curve for the result and for each component, after `close`."""
        self._counts: dict[str, Thresholds] = {}
        self._gold = 0
        self._last: Pair | None = None

    def open(self) -> None:
        """Makes the folder. Raises ConsumerError where that cannot be done, or where there is nothing to draw figures with."""
        super().open()
        if self.plots != "none":
            plots.check()
        make_folder(self.output / self.folder)
        self._start()

    def process(self, cas: Cas) -> None:
        self._settle()
        self._last = pair_of(cas, self.gold, self.system)

    def rollback(self, document_id: str) -> None:
        if self._last is not None and self._last.id == document_id:
            self._last = None

    def close(self) -> None:
        """Writes the files. Raises ConsumerError that names the path."""
        self._settle()
        self.curves = {name: self._counts[name].curve(self._gold) for name in sorted(self._counts)}
        for name, made in (("confusion", self.confusion), ("credit", self.credit)):
            self._write(f"{name}.json", made.to_json())
            self._write(f"{name}.csv", made.to_csv())
            self._write(f"{name}.txt", str(made))
        self._write(
            "curves.json", json.dumps({n: json.loads(c.to_json()) for n, c in self.curves.items()}, indent=2) + "\n"
        )
        self._write("curves.csv", _joined(self.curves))
        if self.plots != "none":
            folder = self.output / self.folder
            plots.save(plots.confusion(self.confusion.matrix), folder / f"confusion.{self.plots}")
            drawn = plots.precision_recall({name: c.drawn() for name, c in self.curves.items()})
            plots.save(drawn, folder / f"curves.{self.plots}")
        super().close()

    def abort(self) -> None:
        """Leaves the files that were there before."""
        self._start()
        super().close()

    def _write(self, name: str, text: str) -> None:
        write_atomic(self.output / self.folder / name, text.encode())

    def _settle(self) -> None:
        """Counts the last document, which nothing can take back any more."""
        pair, self._last = self._last, None
        if pair is None:
            return
        self.confusion.add(pair, self.level)
        self.credit.add(pair)
        self._gold += len(distinct_at(pair.gold, self.level))
        marks: dict[str, list[Mark]] = {RESULT: pair.system}
        for candidate in pair.candidates:
            marks.setdefault(self.credit.name(candidate.source), []).append(candidate)
        for name, found in marks.items():
            self._counts.setdefault(name, Thresholds(self.criterion, self.level)).add(pair.gold, found)


def _joined(curves: dict[str, Curve]) -> str:
    """All curves in one CSV table, the first column says whose."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for number, (name, made) in enumerate(curves.items()):
        header, *rows = csv.reader(io.StringIO(made.to_csv()))
        writer.writerows([["of", *header]] if number == 0 else [])
        writer.writerows([name, *row] for row in rows)
    return out.getvalue()
