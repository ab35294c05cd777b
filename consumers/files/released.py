"""Release of a document: the masked view or nothing, and text as bytes that every program can read."""

from __future__ import annotations

import re

from ...pipeline.contract.component import CasConsumer
from ...pipeline.contract.leaks import refuse_leaks
from ...pipeline.errors import ComponentError
from ...typesystem import DEIDENTIFIED_VIEW, Cas, CasError, View

REPLACED = "lone_surrogates_replaced"
"""Metadata: number of lone surrogates that became U+FFFD when the text was written."""

_SURROGATES = re.compile("[\ud800-\udfff]")


def released_view(consumer: CasConsumer, cas: Cas, name: str = DEIDENTIFIED_VIEW) -> View:
    """Return the view to write. Raises ComponentError if the document does not have it, since the original text is never a
    substitute, or if the leak gate found something in it."""
    refuse_leaks(cas)
    if not cas.has_view(name):
        hint = "; no masker ran before this consumer" if name == DEIDENTIFIED_VIEW else ""
        raise ComponentError(consumer.id, CasError(f"expected a view {name}, found none{hint}"))
    return cas.view(name)


def encodable(text: str, cas: Cas) -> str:
    """Return the text with each lone surrogate, which no encoding allows, replaced by U+FFFD. Offsets stay the same. Their
    number is noted in the document's metadata."""
    if text.isascii():
        return text
    clean, count = _SURROGATES.subn("\ufffd", text)
    if count:
        cas.metadata[REPLACED] = str(max(count, int(cas.metadata.get(REPLACED, "0"))))
    return clean
