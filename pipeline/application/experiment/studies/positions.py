"""Positions of the tokens of each kind in documents and sentences: the box plots behind the position features."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import ClassVar

from .....typesystem import GOLD_VIEW, Cas, Phi, Sentence
from ....contract.component import part
from ....errors import CaspipeError
from ..experiment import Experiment
from ..result import Cell, Figure, Result, Table
from ..runner import ExperimentRunner
from ..scores import mean, quantile

PLACES = {
    "document": "Position in the document (0: first token, 1: last)",
    "sentence": "Position in the sentence (0: first token, 1: last)",
}
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
OUTSIDE = "outside"


@part("positions")
class Positions(Experiment):
    """Positions of gold tokens (0 to 1) in the document and in their sentence, by kind (source: §5.5.2, Fig. 15 and 16).

    No model is needed. A document or sentence of one token puts it at 0.
    """

    full: ClassVar[tuple[str, ...]] = ()

    first_level: bool = True
    """True if kinds are counted at the first level: PERSON for PERSON_DOCTOR."""
    outside: bool = True
    """True to add a box for the tokens outside of gold spans, for comparison."""

    def run(self, runner: ExperimentRunner) -> Result:
        corpus = runner.corpus()
        found: dict[str, dict[str, list[float]]] = {place: {} for place in PLACES}
        for cas in corpus.documents:
            for kind, in_document, in_sentence in self._tokens(cas):
                found["document"].setdefault(kind, []).append(in_document)
                found["sentence"].setdefault(kind, []).append(in_sentence)
        if not any(kind != OUTSIDE for kind in found["document"]):
            raise CaspipeError(f"corpus {corpus.name}: no token is in a reference annotation: has a segmenter run?")
        result = Result()
        kinds = sorted(found["document"], key=lambda kind: (kind == OUTSIDE, kind))
        for place, label in PLACES.items():
            rows: list[list[Cell]] = []
            for kind in kinds:
                values = found[place][kind]
                figures = [mean(values), *(quantile(values, q) for q in QUANTILES)]
                rows.append([kind, len(values), *figures])
                names = ("mean", *(f"q{100 * q:g}" for q in QUANTILES))
                record: dict[str, Cell] = {"place": place, "kind": kind, "tokens": len(values)}
                result.records.append({**record, **dict(zip(names, figures, strict=True))})
            columns = ["kind", "tokens", "mean", *(f"{100 * q:g} %" for q in QUANTILES)]
            result.tables.append(Table(f"Position in the {place}", columns, rows))
            data = ({kind: found[place][kind] for kind in kinds},)
            options = {"xlabel": label, "title": f"{corpus.name}: position in the {place}"}
            caption = f"Position of tokens in the {place}, by kind, over {len(corpus.documents):,} documents."
            result.figures.append(Figure(f"position-in-{place}", caption, "boxplots", data, options))
        return result

    def _tokens(self, cas: Cas) -> Iterator[tuple[str, float, float]]:
        """Return (kind, position in the document, position in the sentence) of every counted token."""
        view = cas.view()
        begins, ends = view.tokens.begins, view.tokens.ends
        kinds: list[str] = [OUTSIDE if self.outside else ""] * len(begins)
        for phi in cas.view(GOLD_VIEW).select(Phi):
            name = phi.kind.top.name if self.first_level else phi.kind.name
            for i in range(bisect_right(ends, phi.begin), bisect_left(begins, phi.end)):
                kinds[i] = name
        starts = [bisect_left(begins, b) for b in view.spans(Sentence)[0]]
        bounds = sorted({0, *starts, len(begins)})
        for i, kind in enumerate(kinds):
            if kind:
                after = bisect_right(bounds, i)
                first, last = bounds[after - 1], bounds[after] - 1
                yield kind, i / max(len(begins) - 1, 1), (i - first) / max(last - first, 1)
