"""The layers of INCEpTION projects with their types, and the trimming of spans, for reader and consumer.

Sources: INCEpTION (2026-08-19), `TrimUtils.java`, `TypeSystemAnalysis.java`; DKPro Core, `NamedEntity`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from .annotation import Feature, FeatureStructure
from .description import ANNOTATION, STRING
from .types import DocumentMetaData, Sentence, Token
from .typesystem import TypeSystem

Mode = Literal["phi-layer", "named-entity"]

PHI_LAYER = "caspipe.review.PHI"
CANDIDATE_LAYER = "caspipe.review.Candidate"
NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
FLOAT = "uima.cas.Float"
"""INCEpTION supports String, Boolean, Integer and Float, and silently drops Double (`NumberFeatureSupport.java`)."""

MAX_TOKENS = 2_000_000
"""INCEpTION refuses documents with more tokens (`document-import.max-tokens`)."""
MAX_SENTENCES = 20_000
"""INCEpTION refuses documents with more sentences (`document-import.max-sentences`)."""

FOUND, ACCEPTED, REJECTED, UNSURE = "found", "accepted", "rejected", "unsure"
STATUS = {
    FOUND: "Made by caspipe; not reviewed yet.",
    ACCEPTED: "A person has reviewed it: it is correct.",
    REJECTED: "A person has reviewed it: it is not PHI. Deleting the annotation means the same.",
    UNSURE: "To be decided by another person.",
}
"""The decisions about a span in review."""

FEATURES: dict[str, tuple[Feature, ...]] = {
    PHI_LAYER: (
        Feature("label", STRING, description="Kind of PHI."),
        Feature("status", STRING, description="The decision of the reviewer."),
        Feature("confidence", FLOAT, description="How sure the finder was, 0 to 1."),
        Feature("source", STRING, description="The component that found it."),
        Feature("rule", STRING, description="The rule, pattern or list entry class that found it."),
        Feature("reason", STRING, description="Why it won over other candidates."),
        Feature("value", STRING, description="Normalized value: a date as ISO 8601, the digits of a number."),
    ),
    CANDIDATE_LAYER: (
        Feature("label", STRING, description="Kind of PHI."),
        Feature("confidence", FLOAT, description="How sure the finder was, 0 to 1."),
        Feature("source", STRING, description="The component that found it."),
        Feature("rule", STRING, description="The rule, pattern or list entry class that found it."),
        Feature("reason", STRING, description="Why it won, lost or was vetoed."),
        Feature("value", STRING, description="Normalized value."),
    ),
}
"""The features of caspipe's layers, all declared on the type itself: INCEpTION ignores inherited ones."""

_NAMED_ENTITY_FEATURES = (
    Feature("value", STRING, description="The class of the named entity."),
    Feature("identifier", STRING, description="Identifier of the named entity in a knowledge base."),
)
_TITLES = {
    PHI_LAYER: "Protected health information, for review.",
    CANDIDATE_LAYER: "The candidates of single finders, for information.",
    NAMED_ENTITY: "Named entity, as DKPro Core has it.",
}


def layers(mode: Mode, candidates: bool) -> list[str]:
    """Return the UIMA names of the layers of a review, the one with the PHI first."""
    return [PHI_LAYER if mode == "phi-layer" else NAMED_ENTITY, *([CANDIDATE_LAYER] if candidates else [])]


@cache
def review_types(mode: Mode, candidates: bool) -> TypeSystem:
    """Return the types of a document in review; shared, so do not add to them."""
    types = TypeSystem()
    for name in layers(mode, candidates):
        types.create_type(name, ANNOTATION, FEATURES.get(name, _NAMED_ENTITY_FEATURES), description=_TITLES[name])
    return types


def review_types_xml(mode: Mode, candidates: bool) -> bytes:
    """Return the types as a self-contained UIMA file, with DKPro's types for tokens, sentences and metadata."""
    wanted: list[str | type[FeatureStructure]] = [*layers(mode, candidates), Sentence, Token, DocumentMetaData]
    return review_types(mode, candidates).to_xml(
        wanted, name="caspipe-review", description="Types of documents that caspipe wrote for review in INCEpTION"
    )


BLANK = (
    "\t\n\x0b\x0c\r\x1c-\x1f \u1680\u205f\u3000"  # Java's Character.isWhitespace
    "\u00a0\u2000-\u200f\u2028-\u202f\u2060-\u206f"  # added by TrimUtils
)
"""Characters that INCEpTION trims from the edges of annotations, as a class of a regular expression."""
_LEADING = re.compile(f"[{BLANK}]*")
_BLANK = re.compile(f"[{BLANK}]")


def is_blank(character: str) -> bool:
    """Return whether INCEpTION trims a character."""
    return _BLANK.fullmatch(character) is not None


def trimmed(text: str, begin: int, end: int) -> tuple[int, int]:
    """Return the span without blank edges, or an empty span at `begin`. Offsets are code points."""
    while end > begin and _BLANK.match(text, end - 1):
        end -= 1
    leading = _LEADING.match(text, begin, end)
    return (leading.end() if leading else begin), end
