"""The scores of a system by criterion and scheme: the documents of `caspipe evaluate` with both sides of their annotations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ....consumers.scoring import Comparison, Pair, Scores, Tally, at_level, compare, measures
from ....consumers.scoring.bootstrap import bootstrap_intervals, wilson_intervals
from ....consumers.scoring.counts import figures_of
from ....consumers.scoring.grouped import Groups, grouped
from ....consumers.scoring.report import Report
from ....consumers.scoring.schemes.tab import read_tab
from ....typesystem import GOLD_VIEW, INITIAL_VIEW
from ...assembly.shipped import locate
from ...errors import ReaderError, nearest
from ...pipeline import Pipeline
from ...running.run_documents import is_run, xmi_folder
from .documents import (
    Collection,
    DocumentCallback,
    collection_pairs,
    engine_pairs,
    label_kinds,
    pipeline_pairs,
    with_sentences,
)
from .risk import RiskRequest
from .run_progress import RunProgress

Measured = Mapping[str, tuple[tuple[str, ...], str | None]]
"""Criteria and scheme of each table; our own criteria are under the empty name."""


@dataclass(slots=True)
class Evaluation:
    """The criteria and schemes to score, and the sources of documents, reference and system annotations."""

    measured: Measured
    level: Any
    gold: Path | None
    """The reference collection; None if a pipeline's reader provides the reference."""
    gold_reader: str
    """Name of the reader of the reference collection."""
    reader: str
    """Name of the reader of a system's collection."""
    engines: bool
    """True if the systems are pipelines, False if they are annotated collections."""
    kinds: list[str]
    overrides: list[str]
    gold_view: str
    system_view: str
    sentences: Path | None
    sentences_near: Path | None
    by: str = ""
    """Name of the metadata by which documents are grouped; empty for none."""
    values: list[str] = field(default_factory=list)
    """The value of each document of the last `scores`."""
    notes: list[str] = field(default_factory=list)
    """Notes about documents that are not scored."""

    def scores(
        self, system: str | Path, risk: RiskRequest | None, callback: DocumentCallback | None
    ) -> dict[str, Scores]:
        """Return the scores of a system by scheme. Raises ReaderError without documents, or if none has the metadata `by`."""
        tallies = {name: Tally(measures(*given)) for name, given in self.measured.items()}
        self.values = []
        names: set[str] = set()
        pairs = self._pairs(system, callback)
        for pair in pairs if risk is None else risk.profile(pairs):
            names.update(pair.metadata)
            self.values.append(pair.metadata.get(self.by, ""))
            for name, tally in tallies.items():
                tally.add(pair if name else at_level(pair, self.level))
        if not self.values:
            raise ReaderError("no documents to score")
        if self.by and self.by not in names:
            known = f"; they have {', '.join(sorted(names)) or 'none'}"
            raise ReaderError(f"--by: no document has metadata called {self.by!r}{nearest(self.by, names) or known}")
        return {name: Scores(tally) for name, tally in tallies.items()}

    def groups(self, scores: Mapping[str, Scores]) -> dict[str, Groups]:
        """Return the scores of the groups of documents by scheme; empty without `by`."""
        return {name: grouped(s, self.values, self.by) for name, s in scores.items()} if self.by else {}

    def _pairs(self, system: str | Path, callback: DocumentCallback | None) -> Iterator[Pair]:
        """Yield the documents with reference and system annotations, and their number of sentences if it is known."""
        pairs = self._without_sentences(system, callback)
        if self.sentences is not None:
            return with_sentences(pairs, self.sentences)
        return pairs if self.sentences_near is None else with_sentences(pairs, self.sentences_near, required=False)

    def _without_sentences(self, system: str | Path, callback: DocumentCallback | None) -> Iterator[Pair]:
        if self.gold is None:
            pipeline = Pipeline.load(locate(str(system)), self.overrides)
            return pipeline_pairs(pipeline, self.gold_view or GOLD_VIEW, self.system_view or INITIAL_VIEW, callback)
        if self.reader == "tab":
            return iter(read_tab(self.gold, Path(system)))
        kinds = label_kinds(self.kinds)
        of_gold = [o for o in self.overrides if o.partition(".")[0] in ("reader", self.gold_reader)]
        others = [o for o in self.overrides if o not in of_gold]
        if self.engines:
            reference = Collection(self.gold, self.gold_reader, kinds, of_gold, self.gold_view)
            pipeline = Pipeline.load(locate(str(system)), others)
            return engine_pairs(pipeline, reference, self.system_view or INITIAL_VIEW, callback)
        if self.reader == self.gold_reader:
            of_gold = others = self.overrides
        reference = Collection(self.gold, self.gold_reader, kinds, of_gold, self.gold_view)
        if is_run(Path(system)):
            return self._of_run(Path(system), reference, callback)
        collection = Collection(Path(system), self.reader, kinds, others, self.system_view, keep_overlaps=True)
        return collection_pairs(reference, collection, callback)

    def _of_run(self, run: Path, reference: Collection, callback: DocumentCallback | None) -> Iterator[Pair]:
        """Yield the documents that a run released, and note how many it did not."""
        done = RunProgress.of(run)
        self.notes += [done.note] if done.note else []
        collection = Collection(xmi_folder(run), "xmi", {}, (), self.system_view)
        return collection_pairs(reference, collection, callback, done)


def report_of(
    first: dict[str, Scores], second: dict[str, Scores] | None, draws: int, wilson: bool, seed: int, by: Any
) -> Report:
    """Return the scores with their intervals and, with a second system, the differences."""
    intervals = {}
    for name, scores in first.items() if draws or wilson else ():
        intervals[name] = bootstrap_intervals(scores, draws, seed, by=by) if draws else {}
        if wilson:
            intervals[name] |= wilson_intervals(scores)
    compared = {n: _comparisons(s, second[n], draws or 1000, seed, by) for n, s in first.items()} if second else {}
    return Report(first, intervals, compared)


def _comparisons(first: Scores, second: Scores, draws: int, seed: int, by: Any) -> list[Comparison]:
    """Compare the totals of every criterion."""
    return [
        compare(first, second, row.criterion, row.kind, name, draws=draws, seed=seed, by=by)
        for row in first.table
        if row.kind in ("micro", "macro", "DIRECT", "QUASI")
        for name in figures_of(first.measure(row.criterion), row.kind)
    ]
