"""Counts of corpora: documents, tokens, PHI tokens, and gold spans of each kind (source: §5.2, Tables 1 and 2)."""

from __future__ import annotations

import dataclasses
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator

from .....consumers.scoring.alignment import kind_at
from .....typesystem import GOLD_VIEW, Cas, Phi, optional_spans
from ....contract.component import part
from ....errors import nearest
from ....storage.yaml_source import Keys
from ..corpus import Corpus
from ..experiment import Experiment
from ..plan import Level, Plan
from ..result import Cell, Result, Table
from ..runner import ExperimentRunner

TOTAL = "Total"


@dataclasses.dataclass(slots=True)
class _Counts:
    """The counts of a corpus."""

    documents: int = 0
    tokens: int = 0
    phi_tokens: int = 0
    optional: int = 0
    kinds: Counter[str] = dataclasses.field(default_factory=Counter)

    @property
    def share(self) -> float | None:
        """The share of PHI tokens (0 to 1); None without tokens."""
        return self.phi_tokens / self.tokens if self.tokens else None


@part("corpus_counts")
class CorpusCounts(Experiment):
    """Counts documents, tokens, PHI tokens and gold spans by kind of each corpus (source: §5.2, Tables 1 and 2).

    No model is needed. A PHI token overlaps a gold span. Optional gold spans are counted on their own: neither as spans of a kind
    nor as PHI tokens.
    """

    corpora: list[str] = dataclasses.field(default_factory=list)
    """Corpora, in the order of the columns; by default all of the file."""

    def check(self, plan: Plan) -> Iterator[tuple[Keys, str]]:
        for name in self.corpora:
            if name not in plan.corpora:
                yield ("corpora",), f"no corpus called {name!r}{nearest(name, plan.corpora)}"

    def run(self, runner: ExperimentRunner) -> Result:
        names = self.corpora or list(runner.plan.corpora)
        counts = {name: _counted(runner.corpus(name), runner.settings.level) for name in names}
        sizes: list[list[Cell]] = []
        result = Result()
        for name, of in counts.items():
            spans = of.kinds.total()
            sizes.append([name, of.documents, of.tokens, of.phi_tokens, of.share, spans, of.optional])
            record: dict[str, Cell] = {"corpus": name, "documents": of.documents, "tokens": of.tokens}
            record |= {"phi_tokens": of.phi_tokens, "share": of.share, "optional": of.optional}
            for kind, n in [(TOTAL, spans), *sorted(of.kinds.items())]:
                result.records.append({**record, "kind": kind, "spans": n})
        columns = ["corpus", "documents", "tokens", "PHI tokens", "share of PHI tokens", "gold spans", "optional spans"]
        result.tables.append(Table("Sizes", columns, sizes, "Optional spans are not among the gold spans."))
        total: Counter[str] = sum((of.kinds for of in counts.values()), Counter())
        rows: list[list[Cell]] = [
            [kind, *(of.kinds[kind] for of in counts.values())] for kind in sorted(total, key=lambda k: (-total[k], k))
        ]
        rows.append([TOTAL, *(of.kinds.total() for of in counts.values())])
        result.tables.append(Table("Gold spans by kind", ["kind", *counts], rows))
        return result


def _counted(corpus: Corpus, level: Level) -> _Counts:
    counts = _Counts(documents=len(corpus.documents))
    for cas in corpus.documents:
        gold = cas.view(GOLD_VIEW)
        optional = optional_spans(gold)
        required = [phi for phi in gold.select(Phi) if id(phi) not in optional]
        counts.optional += len(optional)
        counts.kinds.update(kind_at(phi.kind.name, level) for phi in required)
        counts.tokens += len(cas.view().tokens.begins)
        counts.phi_tokens += _covered(cas, required)
    return counts


def _covered(cas: Cas, spans: list[Phi]) -> int:
    """Return the number of tokens that share a character with a span."""
    begins, ends = cas.view().tokens.begins, cas.view().tokens.ends
    return len({i for s in spans for i in range(bisect_right(ends, s.begin), bisect_left(begins, s.end))})
