"""The base class of trainers of token labels, which converts gold spans to labels."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from ...pipeline.errors import CasError, ConsumerError
from ...typesystem import Cas, CaspipeWarning, Phi, PhiCandidate, PhiKind, View, optional_spans
from .extraction import DocumentFeatures
from .feature import Words
from .labels import OUTSIDE, Encoding, EncodingErrors, encode
from .model_trainer import ModelTrainer, counted, interruptible, log
from .tokenization import Tokenization, TrainingTokens
from .weights import Weights

__all__ = ["AUGMENTED_FROM", "Example", "Trainer", "log", "source_document"]

AUGMENTED_FROM = "augmented_from"
"""Metadata of a changed copy of a document: the id of the document."""
_COPY = re.compile(r"(?<=.)(?:~\d+)+\Z", re.DOTALL)
"""The end of the id of a copy: `ID~2` is the second one of `ID`."""


@dataclass(slots=True)
class Example:
    """A training document: its features, the label of each token, and the spans that labels do not represent exactly."""

    columns: DocumentFeatures
    labels: list[str]
    encoding_errors: EncodingErrors
    spans: Counter[str]
    more: Any = None
    """Further data for the trainer."""
    source: str = ""
    """The document, or the one that it is a copy of."""


@dataclass(kw_only=True, eq=False, repr=False)
class Trainer(ModelTrainer):
    """Learns labels of tokens from the spans of the gold view."""

    encoding: Encoding = "iob2"
    """Encoding of spans as labels of tokens."""
    first_level: bool = False
    """Learn first-level kinds only: PERSON for PERSON_DOCTOR."""
    complete: list[PhiKind] = field(default_factory=list)
    """Kinds that are not annotated in some corpora. If the gold view of a document has no span of such a first-level kind, the
    candidates of earlier annotators are used instead, so that the model does not learn that dates are not PHI."""

    optional: list[PhiKind] = field(default_factory=list)
    """Kinds whose optional reference spans are learned too; optional spans of other kinds are left out."""
    tokenization: Tokenization = "segmenter"
    """Tokens to learn from. `segmenter`: those that the segmenter makes of raw text; if a reader or another program added other
    tokens, they are replaced for the training, and gold spans keep their characters. `given`: the tokens of the documents; the
    model then needs the same tokens wherever it is applied, and warns if it gets others."""

    def open(self) -> None:
        super().open()
        self._training_tokens = TrainingTokens(self.tokenization, self.needs())

    def process(self, cas: Cas) -> None:
        """Add a document. Optional gold spans are left out, except those of the kinds in `optional`.

        Raise CasError if it has no gold view, if its text differs, or if gold spans overlap.
        """
        _, gold = self.views_of(cas)
        view = self._training_tokens.of(cas)
        words = Words(view)
        left_out = optional_spans(gold)
        marked: list[Phi | PhiCandidate] = [
            p for p in gold.select(Phi) if id(p) not in left_out or any(map(p.kind.is_a, self.optional))
        ]
        marked = sorted([*marked, *self._completed(view, marked)], key=lambda p: (p.begin, p.end))
        spans = [(p.begin, p.end, self._name_of(p.kind)) for p in marked if self.wants(p.kind)]
        for a, b in pairwise(spans):
            if b[0] < a[1]:
                raise CasError(
                    f"view {self.gold}: {a[2]} at {a[0]}:{a[1]} and {b[2]} at {b[0]}:{b[1]} overlap, but a token has one label"
                )
        columns = self.feature_set.columns(words)
        labels, errors = encode(words.begins, words.ends, words.sentences, spans, self.encoding)
        counts = Counter(kind for _, _, kind in spans)
        self.collect(cas, Example(columns, labels, errors, counts, self.more(words), source_document(cas)))

    def more(self, words: Words) -> Any:
        """Return further data of a document besides its features."""
        return None

    def _completed(self, view: View, gold: Sequence[Phi | PhiCandidate]) -> list[PhiCandidate]:
        """Return candidates of kinds without gold spans in the document; of overlapping ones, the most confident."""
        annotated = {p.kind.top for p in gold}
        missing = [kind for kind in self.complete if kind.top not in annotated]
        if not missing:
            return []
        added: list[PhiCandidate] = []
        for c in sorted(view.select(PhiCandidate), key=lambda c: (-c.confidence, c.begin - c.end, c.begin)):
            overlaps = any(p.begin < c.end and c.begin < p.end for p in (*gold, *added))
            if not overlaps and any(map(c.kind.is_a, missing)):
                added.append(c)
        return added

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
            raise ConsumerError(f"{self.name}: only one label occurs in training ({labels[0]}): expected at least two")
        errors, spans = EncodingErrors(), Counter[str]()
        for example in examples:
            errors.add(example.encoding_errors)
            spans.update(example.spans)
        if errors:
            counts = ", ".join(f"{n} {what}" for what, n in errors.as_dict().items() if n)
            warnings.warn(f"{self.name}: gold spans that do not fit tokens: {counts}", CaspipeWarning, stacklevel=2)
        training = {
            "documents": len(examples),
            "tokens": sum(len(e.labels) for e in examples),
            "spans": counted(spans),
            "misfits": errors.as_dict(),
            "tokenization": self._training_tokens.description(),
        }
        with interruptible():
            self.learn(examples, training)

    def learn(self, examples: list[Example], training: dict[str, Any]) -> None:
        """Train and write the model. `training` describes the training data."""
        weights, facts, crfsuite = self.train(examples)
        self.write(weights, training, {"encoding": self.encoding, **facts}, crfsuite)

    def train(self, examples: list[Example]) -> tuple[Weights, dict[str, Any], bytes | None]:
        """Return the weights, entries for model.json, and the model in CRFsuite's format if there is one."""
        raise TypeError(f"{type(self).__name__} must define train(examples)")


def source_document(cas: Cas) -> str:
    """Return the id of a document; of a changed copy that of the document it was made from."""
    return _COPY.sub("", cas.metadata.get(AUGMENTED_FROM) or cas.id)
