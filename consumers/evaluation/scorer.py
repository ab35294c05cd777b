"""Consumer that scores the spans of a pipeline against reference annotations."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from ...pipeline.contract.component import CasConsumer, Scope, component
from ...pipeline.errors import ConsumerError
from ...pipeline.storage.files import make_folder, write_atomic
from ...typesystem import GOLD_VIEW, INITIAL_VIEW, Cas
from ..scoring import Level, Scores, Tally, at_level, bootstrap_intervals, measures, pair_of
from ..scoring.report import OWN, Report, format_of
from ..scoring.run import DEFAULT


@component("scorer")
class Scorer(CasConsumer):
    """Scores Phi against the reference: precision, recall and F1 by criterion and kind, and as in shared tasks.

    It keeps counts, not documents. The files contain numbers only, no text of any document. After `close` the results are in
    `scores` and `scheme_scores`.
    """

    gold: str = GOLD_VIEW
    """View with the reference annotations. A document without it fails."""
    system: str = INITIAL_VIEW
    """View with the spans that were found, over the same text."""
    criteria: list[str] = dataclasses.field(default_factory=lambda: list(DEFAULT))
    """Conditions for a hit: strict, covering, overlapping and their `-binary` variants that ignore kinds; token, token-binary,
    token-binary-hipaa; masking, masking-hipaa, masking-telling, safe-removed; characters; documents."""
    schemes: list[str] = dataclasses.field(default_factory=list)
    """Schemes of shared tasks by which to score too: i2b2-2014, meddocan, conll, tab."""
    level: Level = "top"
    """Level at which kinds are compared under `criteria`: `kind` as they are, `top` at the first level (PERSON for
    PERSON_PATIENT), else as the categories of that scheme. Schemes use their own."""
    files: list[Path] = dataclasses.field(default_factory=lambda: [Path("release/scores.json")])
    """Files to write, under the run's output folder, by their suffix: .json, .csv or .txt."""
    bootstrap: int = 0
    """Draws for bootstrap intervals over documents; 0 for none."""
    seed: int = 0
    """Seed of the draws."""

    scope = Scope.COLLECTION

    def __post_init__(self) -> None:
        for file in self.files:
            format_of(Path(file))
        if self.bootstrap < 0:
            raise ValueError(f"bootstrap: expected 0 or more, got {self.bootstrap}")
        self._names: dict[str, tuple[tuple[str, ...], str | None]] = {}
        if self.criteria:
            self._names[OWN] = tuple(self.criteria), None
        self._names.update((scheme, ((), scheme)) for scheme in self.schemes)
        if not self._names:
            raise ValueError("expected criteria or schemes, got neither")
        try:
            for criteria, scheme in self._names.values():
                measures(criteria, scheme)
        except ConsumerError as error:
            raise ValueError(str(error)) from None
        self._tallies: dict[str, Tally] | None = None
        self._last: str | None = None
        self.report = Report({})

    @property
    def scores(self) -> Scores:
        """The scores under `criteria`, after the run has ended. Raises ConsumerError before, and if no criteria were given."""
        return self._scores_of(OWN)

    @property
    def scheme_scores(self) -> dict[str, Scores]:
        """The scores under each of `schemes`."""
        return {scheme: self._scores_of(scheme) for scheme in self.schemes}

    def _scores_of(self, name: str) -> Scores:
        if name not in self.report.scores:
            raise ConsumerError(f"consumer {self.id}: no scores: not closed yet, or no criteria given")
        return self.report.scores[name]

    def writes_original(self) -> bool:
        return False

    def open(self) -> None:
        """Create the folders. Raises ConsumerError if that fails."""
        super().open()
        for file in self.files:
            make_folder((self.output / file).parent)
        self._tallies = {name: Tally(measures(*given)) for name, given in self._names.items()}
        self._last = None
        self.report = Report({})

    def process(self, cas: Cas) -> None:
        if self._tallies is None:
            self.open()
        assert self._tallies is not None
        self._last = None
        pair = pair_of(cas, self.gold, self.system)
        for name, tally in self._tallies.items():
            tally.add(at_level(pair, self.level) if name == OWN else pair)
        self._last = cas.id

    def rollback(self, document_id: str) -> None:
        if self._tallies is not None and self._last == document_id:
            for tally in self._tallies.values():
                tally.rollback()
            self._last = None

    def close(self) -> None:
        """Write the files. Raises ConsumerError that names the path."""
        if self._tallies is not None:
            scores = {name: Scores(tally) for name, tally in self._tallies.items()}
            drawn = (
                {n: bootstrap_intervals(s, self.bootstrap, self.seed) for n, s in scores.items()}
                if self.bootstrap
                else {}
            )
            self.report = Report(scores, drawn)
            for file in self.files:
                write_atomic(self.output / file, self.report.render(file.suffix).encode())
        self._tallies = None
        super().close()

    def abort(self) -> None:
        self._tallies = None
        super().close()
