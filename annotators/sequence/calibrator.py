"""Fits the confidences of a trained model on documents that it was not trained on, and writes the curve into the model."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, Literal

from ...pipeline.contract.component import CasConsumer, Scope, component
from ...pipeline.errors import CasError, ConsumerError
from ...typesystem import GOLD_VIEW, Cas, CaspipeWarning, Phi, PhiCandidate
from ..resolving.candidates import matches_source
from .calibration import Curve, cross_fitted, fit_curve, reliability
from .card import model_card
from .model_files import locate_model, read_description, update_description

TYPES = ("crf", "svm", "neural")


@component("calibrator", inputs=[PhiCandidate, Phi])
class Calibrator(CasConsumer):
    """Makes the confidences of a model (`crf`, `svm`, `neural`) probabilities: of 100 spans with 0.8, about 80 are right.

    Place it after the annotator that applies the model, over documents with a gold view that the model was not trained on. The
    curve is written into the model, the reliability before and after (ECE, measured by cross-validation) into its card. Labels
    and their order do not change. Votes by confidence and thresholds of different models are then comparable.
    """

    model: Path
    """Folder or zip of the model that the annotator applies, relative to the output folder as for trainers."""
    source: str
    """Id of the annotator that applies it."""
    gold: str = GOLD_VIEW
    """View with the reference annotations."""
    right: Literal["exact", "overlapping"] = "exact"
    """A span is right if a gold span with its first-level kind has its bounds (`exact`) or overlaps it."""
    group: str = ""
    """Metadata entry with the original document or the patient; documents with the same value are never divided between fitting
    and measuring. Empty: each document by itself."""
    folds: int = 5
    """Number of folds in which the reliability is measured."""
    seed: int = 1
    """Seed of the folds."""

    scope = Scope.COLLECTION

    def __post_init__(self) -> None:
        if self.folds < 2:
            raise ValueError(f"folds: expected 2 or more, got {self.folds}")

    def open(self) -> None:
        super().open()
        self._path = locate_model(str(self.output / self.model))
        self._meta = read_description(str(self._path))
        if self._meta["type"] not in TYPES:
            raise ConsumerError(
                f"{self.name}: model {self._path}: trained as {self._meta['type']}; expected one of {', '.join(TYPES)}"
            )
        self._spans: list[tuple[float, bool, str]] = []
        self._documents = 0
        self._latest: tuple[str, int] | None = None

    def process(self, cas: Cas) -> None:
        """Add the candidates of a document. Raise CasError if it has no gold view or no group, or if its text differs."""
        gold, view = cas.view(self.gold), cas.view()
        if gold.text != view.text:
            raise CasError(f"view {self.gold} has another text than the initial view: its spans have other offsets")
        group = str(cas.metadata.get(self.group, "")) if self.group else cas.id
        if not group:
            raise CasError(f"metadata {self.group}: expected the group of the document, found none")
        self._latest = cas.id, len(self._spans)
        self._documents += 1
        for c in view.select(PhiCandidate):
            if matches_source(self.source, c.source) and c.confidence == c.confidence:
                overlapping = gold.select(Phi, overlapping=c)
                same = [p for p in overlapping if p.kind.top is c.kind.top]
                exact = any((p.begin, p.end) == (c.begin, c.end) for p in same)
                self._spans.append((c.confidence, exact if self.right == "exact" else bool(same), group))

    def rollback(self, document_id: str) -> None:
        if self._latest is not None and self._latest[0] == document_id:
            del self._spans[self._latest[1] :]
            self._documents -= 1
            self._latest = None

    def abort(self) -> None:
        """Discard the candidates: a failed run changes no model."""
        self._spans = []

    def close(self) -> None:
        """Fit the curve and write it. Raise ConsumerError if the annotator found nothing."""
        if not self._spans:
            raise ConsumerError(
                f"{self.name}: nothing to fit: no candidate of {self.source} in the documents; is it the id of an annotator?"
            )
        confidences, right = [s[0] for s in self._spans], [s[1] for s in self._spans]
        curve = fit_curve(confidences, right)
        if curve is None:
            warnings.warn(
                f"{self.name}: {len(right)} spans, {sum(right)} of them right, are not enough to fit a curve: "
                "the model is unchanged",
                CaspipeWarning,
                stacklevel=2,
            )
            return
        earlier = Curve.of(self._meta)
        fitted = cross_fitted(confidences, right, [s[2] for s in self._spans], self.folds, self.seed)
        written: dict[str, Any] = {
            "curve": (curve.after(earlier) if earlier else curve).as_data(),
            "right": self.right,
            "documents": self._documents,
            "before": reliability(confidences, right),
            "after": reliability(fitted, right),
        }
        meta = {**self._meta, "confidence": written}
        update_description(self._path, {"confidence": written}, model_card(meta))
