"""What consumers share that write texts with annotations for people and other tools: whose annotations, and their labels."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Literal, NamedTuple

from ...pipeline.contract.component import CasConsumer
from ...typesystem import (
    GOLD_VIEW,
    INITIAL_VIEW,
    Annotation,
    Cas,
    CasError,
    MaskedSpan,
    Phi,
    PhiKind,
    SpanAttribute,
    View,
)
from .released import encodable, released_view

Which = Literal["auto", "gold", "found", "masked"]
Overlaps = Literal["error", "longest", "keep"]
"""What becomes of spans that share characters."""


class Span(NamedTuple):
    """An annotation to be written. Offsets are code points of the text it stands in."""

    begin: int
    end: int
    kind: PhiKind
    label: str
    confidence: float
    source: str
    annotation: Annotation
    """What it was made from."""
    said: tuple[tuple[str, str], ...] = ()
    """(name, value) of the SpanAttributes of it."""


class Annotated(NamedTuple):
    """A text and what is said of it, in text order."""

    text: str
    spans: list[Span]


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class AnnotatedOptions(CasConsumer):
    """Parameters of consumers that write annotated text; to be inherited before FolderConsumer or LineConsumer."""

    annotations: Which = "auto"
    """What is written: the reference annotations (`gold`), the final spans of the original text (`found`), the masked text with
    its replacements (`masked`), or (`auto`) the reference where the document has one, else what was found. All but `masked`
    hold the original text, so folder and files are for their owner only."""
    scheme: str = ""
    """Whose labels are written: `meddocan`, `i2b2-2014-sub`, `i2b2-2014`, `i2b2-2006`, `vigibase`; else names of PHI kinds."""

    def check_scheme(self) -> None:
        """To be called by `__post_init__`. Raises ValueError."""
        if self.scheme:
            try:
                PhiKind.labels(self.scheme)
            except ValueError as error:
                raise ValueError(f"scheme: {error}") from None

    @property
    def original(self) -> bool:
        """Whether what is written holds the original text."""
        return self.annotations != "masked"

    def annotated(self, cas: Cas) -> Annotated:
        """The text and the annotations to write. Raises ComponentError or CasError where the document lacks them."""
        view = self.annotated_view(cas)
        found: Sequence[Phi | MaskedSpan]
        if self.annotations == "masked":
            found = [m for m in view.select(MaskedSpan) if m.begin < m.end]
        else:
            found = sorted(view.select(Phi), key=lambda p: (p.begin, p.end))
        said: dict[int, list[tuple[str, str]]] = {}
        for attribute in view.select(SpanAttribute):
            said.setdefault(id(attribute.of), []).append((attribute.name, attribute.value))
        return Annotated(encodable(view.text, cas), [self._span(p, said.get(id(p), ())) for p in found])

    def annotated_view(self, cas: Cas) -> View:
        """The view that is written. Raises ComponentError or CasError where the document lacks it."""
        if self.annotations == "masked":
            return released_view(self, cas)
        gold = self.annotations == "gold" or (self.annotations == "auto" and cas.has_view(GOLD_VIEW))
        return cas.view(GOLD_VIEW if gold else INITIAL_VIEW)

    def _span(self, item: Phi | MaskedSpan, said: Sequence[tuple[str, str]]) -> Span:
        confidence = item.confidence if isinstance(item, Phi) else 1.0
        label = self.label(item.kind)
        return Span(item.begin, item.end, item.kind, label, confidence, item.source, item, tuple(said))

    def label(self, kind: PhiKind) -> str:
        """The label of a kind in `scheme`. Raises CasError for a kind that the scheme has no category for."""
        if not self.scheme:
            return kind.name
        label = kind.in_scheme(self.scheme)
        if label not in PhiKind.labels(self.scheme):
            raise CasError(f"kind {kind.name} has no label in scheme {self.scheme}")
        return label

    def labels(self) -> list[str]:
        """Every label that may be written, in the order of the kinds."""
        return PhiKind.labels(self.scheme) if self.scheme else [kind.name for kind in PhiKind]


def disjoint(spans: Sequence[Span], overlaps: Overlaps) -> list[Span]:
    """The spans in text order, for tools that bear no overlaps: `longest` keeps the longest of those that share characters.

    Raises CasError for overlaps under `error`.
    """
    if overlaps == "keep":
        return list(spans)
    order = sorted(spans, key=lambda s: (s.begin, s.end))
    if overlaps == "error":
        end, last = 0, None
        for span in order:
            if last is not None and span.begin < end:
                told = f"spans {last.begin}:{last.end} and {span.begin}:{span.end} overlap"
                raise CasError(f"{told}; `overlaps` can say which to keep")
            if span.end > end:
                end, last = span.end, span
        return order
    kept: list[Span] = []
    taken = bytearray(max((s.end for s in spans), default=0))
    for span in sorted(order, key=lambda s: s.begin - s.end):  # stable: of equal ones the first in the text
        if not any(taken[span.begin : span.end]):
            taken[span.begin : span.end] = b"\x01" * (span.end - span.begin)
            kept.append(span)
    return sorted(kept, key=lambda s: s.begin)


def without_returns(text: str) -> str:
    """The text with a blank for each carriage return: as long, and nothing left that tools count otherwise."""
    return text.replace("\r", " ")
