"""What consumers share that write texts with annotations for people and other tools: whose annotations, and their labels."""

from __future__ import annotations

import dataclasses
from typing import Literal, NamedTuple

from ..pipeline.component import CasConsumer
from ..typesystem import GOLD_VIEW, INITIAL_VIEW, Annotation, Cas, CasError, MaskedSpan, Phi, PhiKind
from .released import released_view

Which = Literal["auto", "gold", "found", "masked"]


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
    """Whose labels are written: `meddocan`, `i2b2-2014-sub`, `i2b2-2014`, `vigibase`; empty: names of PHI kinds."""

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
        if self.annotations == "masked":
            view = released_view(self, cas)
            return Annotated(view.text, [self._span(m) for m in view.select(MaskedSpan) if m.begin < m.end])
        gold = self.annotations == "gold" or (self.annotations == "auto" and cas.has_view(GOLD_VIEW))
        view = cas.view(GOLD_VIEW if gold else INITIAL_VIEW)
        spans = sorted(view.select(Phi), key=lambda p: (p.begin, p.end))
        return Annotated(view.text, [self._span(p) for p in spans])

    def _span(self, item: Phi | MaskedSpan) -> Span:
        confidence = item.confidence if isinstance(item, Phi) else 1.0
        return Span(item.begin, item.end, item.kind, self.label(item.kind), confidence, item.source, item)

    def label(self, kind: PhiKind) -> str:
        """The label of a kind in `scheme`. Raises CasError for a kind of somebody's own that the scheme does not know."""
        if not self.scheme:
            return kind.name
        label = kind.schemes.get(self.scheme) or kind.top.schemes.get(self.scheme)
        if label is None:
            raise CasError(f"kind {kind.name} has no label in scheme {self.scheme}")
        return label
