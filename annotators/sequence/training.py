"""The base of trainers of token labels: from gold spans to labels, and the faults these can have."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from ...pipeline.errors import CasError, ConsumerError
from ...typesystem import Cas, CaspipeWarning, Phi, PhiCandidate, PhiKind, View
from .extraction import DocumentFeatures
from .feature import Words
from .labels import OUTSIDE, Encoding, EncodingErrors, encode
from .model_trainer import ModelTrainer, counted, interruptible, log
from .weights import Weights

__all__ = ["Example", "Trainer", "log"]


@dataclass(slots=True)
class Example:
    """One document for training: what features see of it, the label of each token, and what labels could not say."""

    columns: DocumentFeatures
    labels: list[str]
    encoding_errors: EncodingErrors
    spans: Counter[str]
    more: Any = None
    """Further data for the trainer."""


@dataclass(kw_only=True, eq=False, repr=False)
class Trainer(ModelTrainer):
    """Learns labels of tokens from the spans of the gold view."""

    encoding: Encoding = "iob2"
    """How spans become labels of tokens."""
    first_level: bool = False
    """Learn first-level kinds only: PERSON for PERSON_DOCTOR."""
    complete: list[PhiKind] = field(default_factory=list)
    """Kinds that some of the corpora do not annotate. In a document whose gold view has no span of such a first-level kind,
    the candidates of annotators before the trainer replace them, so that the model does not learn that dates are not PHI."""

    def process(self, cas: Cas) -> None:
        """Add a document. Raise CasError if it has no gold view, if its text differs, or if gold spans overlap."""
        view, gold = self.views_of(cas)
        words = Words(view)
        marked: list[Phi | PhiCandidate] = [*gold.select(Phi)]
        marked = sorted([*marked, *self._completed(view, marked)], key=lambda p: (p.begin, p.end))
        spans = [(p.begin, p.end, self._name_of(p.kind)) for p in marked if self.wants(p.kind)]
        for a, b in pairwise(spans):
            if b[0] < a[1]:
                raise CasError(
                    f"view {self.gold}: {a[2]} at {a[0]}:{a[1]} and {b[2]} at {b[0]}:{b[1]} overlap, but a token has one label"
                )
        columns = self.feature_set.columns(words)
        labels, misfits = encode(words.begins, words.ends, words.sentences, spans, self.encoding)
        self.collect(cas, Example(columns, labels, misfits, Counter(kind for _, _, kind in spans), self.more(words)))

    def more(self, words: Words) -> Any:
        """Return further data of a document besides its features."""
        return None

    def _completed(self, view: View, gold: Sequence[Phi | PhiCandidate]) -> list[PhiCandidate]:
        """Candidates of kinds that this document's gold does not know, the most confident of those that overlap."""
        there = {p.kind.top for p in gold}
        lacking = [kind for kind in self.complete if kind.top not in there]
        if not lacking:
            return []
        free: list[Phi | PhiCandidate] = list(gold)
        found = []
        for c in sorted(view.select(PhiCandidate), key=lambda c: (-c.confidence, c.begin - c.end, c.begin)):
            if any(map(c.kind.is_a, lacking)) and not any(p.begin < c.end and c.begin < p.end for p in free):
                free.append(c)
                found.append(c)
        return found

    def _name_of(self, kind: PhiKind) -> str:
        return kind.top.name if self.first_level else kind.name

    def close(self) -> None:
        """Train and write the model. Raise ConsumerError if there is nothing to learn from."""
        examples: list[Example] = self.take_examples()
        labels = sorted({label for e in examples for label in e.labels})
        if not examples:
            raise ConsumerError(
                f"{self.name}: nothing to learn: no document came this far: none was read, or all failed"
            )
        if not any(label != OUTSIDE for label in labels):
            raise ConsumerError(
                f"{self.name}: nothing to learn: no gold spans on tokens in {len(examples)} documents (view {self.gold})"
            )
        if OUTSIDE not in labels and len(labels) < 2:
            raise ConsumerError(f"{self.name}: only one label occurs in training ({labels[0]}): nothing to tell apart")
        misfits, spans = EncodingErrors(), Counter[str]()
        for example in examples:
            misfits.add(example.encoding_errors)
            spans.update(example.spans)
        if misfits:
            counts = ", ".join(f"{n} {what}" for what, n in misfits.as_dict().items() if n)
            warnings.warn(f"{self.name}: gold spans that do not fit tokens: {counts}", CaspipeWarning, stacklevel=2)
        training = {
            "documents": len(examples),
            "tokens": sum(len(e.labels) for e in examples),
            "spans": counted(spans),
            "misfits": misfits.as_dict(),
        }
        with interruptible():
            self.learn(examples, training)

    def learn(self, examples: list[Example], training: dict[str, Any]) -> None:
        """Train, and write the result. `training` describes the data."""
        weights, facts, crfsuite = self.train(examples)
        self.write(weights, training, {"encoding": self.encoding, **facts}, crfsuite)

    def train(self, examples: list[Example]) -> tuple[Weights, dict[str, Any], bytes | None]:
        """Weights, facts for model.json, and the model in CRFsuite's format if there is one."""
        raise TypeError(f"{type(self).__name__} must define train(examples)")
