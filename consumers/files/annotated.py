"""Shared code of consumers that write texts with annotations: which annotations, and their labels."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Sequence
from typing import ClassVar, Literal, NamedTuple

from ...pipeline.contract.component import CasConsumer
from ...typesystem import (
    GOLD_VIEW,
    INITIAL_VIEW,
    Annotation,
    Cas,
    CasError,
    CaspipeWarning,
    MaskedSpan,
    Phi,
    PhiKind,
    SpanAttribute,
    View,
)
from .released import encodable, released_view

Which = Literal["auto", "gold", "found", "masked"]
Overlaps = Literal["error", "longest", "keep"]
"""Treatment of spans that share characters."""


class Span(NamedTuple):
    """An annotation to be written. Offsets are code points."""

    begin: int
    end: int
    kind: PhiKind
    label: str
    confidence: float
    source: str
    annotation: Annotation
    """The annotation that it was made from."""
    attributes: tuple[tuple[str, str], ...] = ()
    """(name, value) of its SpanAttributes."""


class Annotated(NamedTuple):
    """A text and its annotations, in text order."""

    text: str
    spans: list[Span]


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class AnnotatedOptions(CasConsumer):
    """Parameters of consumers that write annotated text; to be inherited before FolderConsumer or LineConsumer."""

    annotations: Which = "auto"
    """Annotations to write: the reference (`gold`), the final spans of the original text (`found`), the masked text with its
    replacements (`masked`), or (`auto`) the reference if the document has one, else the final spans. All but `masked` contain
    the original text, so folder and files are readable by their owner only."""
    scheme: str = ""
    """Scheme of the labels: `meddocan`, `i2b2-2014-sub`, `i2b2-2014`, `i2b2-2006`, `vigibase`; empty for names of PHI kinds."""

    def check_scheme(self) -> None:
        """Raise ValueError for an unknown scheme; for `__post_init__`."""
        if self.scheme:
            try:
                PhiKind.labels(self.scheme)
            except ValueError as error:
                raise ValueError(f"scheme: {error}") from None

    @property
    def original(self) -> bool:
        """True if the output contains the original text."""
        return self.annotations != "masked"

    def writes_original(self) -> bool:
        """Return True if the original text or its offsets are written: next to the masked text they would undo the masking."""
        return self.original

    def annotated(self, cas: Cas) -> Annotated:
        """Return the text and the annotations to write. Raises ComponentError or CasError if the document lacks them."""
        view = self.annotated_view(cas)
        items: Sequence[Phi | MaskedSpan]
        if self.annotations == "masked":
            items = [m for m in view.select(MaskedSpan) if m.begin < m.end]
        else:
            items = sorted(view.select(Phi), key=lambda p: (p.begin, p.end))
        attributes: dict[int, list[tuple[str, str]]] = {}
        for attribute in view.select(SpanAttribute):
            attributes.setdefault(id(attribute.of), []).append((attribute.name, attribute.value))
        return Annotated(encodable(view.text, cas), [self._span(p, attributes.get(id(p), ())) for p in items])

    def annotated_view(self, cas: Cas) -> View:
        """Return the view to write. Raises ComponentError or CasError if the document lacks it."""
        if self.annotations == "masked":
            return released_view(self, cas)
        gold = self.annotations == "gold" or (self.annotations == "auto" and cas.has_view(GOLD_VIEW))
        return cas.view(GOLD_VIEW if gold else INITIAL_VIEW)

    def _span(self, item: Phi | MaskedSpan, attributes: Sequence[tuple[str, str]]) -> Span:
        confidence = item.confidence if isinstance(item, Phi) else 1.0
        label = self.label(item.kind)
        return Span(item.begin, item.end, item.kind, label, confidence, item.source, item, tuple(attributes))

    def label(self, kind: PhiKind) -> str:
        """Return the label of a kind in `scheme`. Raises CasError for a kind without a category in the scheme."""
        if not self.scheme:
            return kind.name
        label = kind.in_scheme(self.scheme)
        if label not in PhiKind.labels(self.scheme):
            raise CasError(f"kind {kind.name} has no label in scheme {self.scheme}")
        return label

    def labels(self) -> list[str]:
        """Return every label that may be written, in the order of the kinds."""
        return PhiKind.labels(self.scheme) if self.scheme else [kind.name for kind in PhiKind]


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class CountedText(AnnotatedOptions):
    """Parameters of consumers for tools that count offsets in texts with carriage returns."""

    carriage_returns: Literal["keep", "blank"] = "keep"
    """Carriage returns, which some tools count differently: unchanged (`keep`), or a space for each (`blank`), so that no offset
    can shift."""

    miscounting_tool: ClassVar[str] = ""
    """The tool, if it is known to count offsets incorrectly after carriage returns."""

    def annotated(self, cas: Cas) -> Annotated:
        text, spans = super().annotated(cas)
        if "\r" in text:
            if self.carriage_returns == "blank":
                text = text.replace("\r", " ")
            elif self.miscounting_tool:
                problem = f"texts contain carriage returns, which {self.miscounting_tool} counts differently"
                hint = "`carriage_returns: blank` prevents shifted spans"
                warnings.warn(f"{self.id}: {problem}; {hint}", CaspipeWarning, stacklevel=2)
        return Annotated(text, spans)


def warn_of_dropped(consumer: CasConsumer, attributes: int) -> None:
    """Warn, when a consumer is closed, of the number of attributes of spans that its format cannot store."""
    if attributes:
        message = f"{consumer.id}: {attributes} attributes of spans were left out: the format cannot store them"
        warnings.warn(message, CaspipeWarning, stacklevel=3)


def disjoint(spans: Sequence[Span], overlaps: Overlaps) -> list[Span]:
    """Return the spans in text order, for tools that do not support overlaps: `longest` keeps the longest of those that share
    characters.

    Raises CasError for overlaps under `error`.
    """
    if overlaps == "keep":
        return list(spans)
    order = sorted(spans, key=lambda s: (s.begin, s.end))
    if overlaps == "error":
        end, last = 0, None
        for span in order:
            if last is not None and span.begin < end:
                message = f"spans {last.begin}:{last.end} and {span.begin}:{span.end} overlap"
                raise CasError(f"{message}; `overlaps` can say which to keep")
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
