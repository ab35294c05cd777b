"""What consumers may release of a document: the masked view or nothing, and text as bytes that every program can read."""

from __future__ import annotations

import re

from ...pipeline.contract.component import CasConsumer
from ...pipeline.contract.leaks import refuse_leaks
from ...pipeline.errors import ComponentError
from ...typesystem import DEIDENTIFIED_VIEW, Cas, CasError, View

REPLACED = "lone_surrogates_replaced"
"""Metadata: how many lone surrogates of the text became U+FFFD when it was written."""

_SURROGATES = re.compile("[\ud800-\udfff]")


def released_view(consumer: CasConsumer, cas: Cas, name: str = DEIDENTIFIED_VIEW) -> View:
    """The view to write. Raises ComponentError where the document has none, since its original text is never a substitute,
    and where the leak gate found something in it."""
    refuse_leaks(cas)
    if not cas.has_view(name):
        hint = "; no masker ran before this consumer" if name == DEIDENTIFIED_VIEW else ""
        raise ComponentError(consumer.id, CasError(f"expected a view {name}, found none{hint}"))
    return cas.view(name)


def encodable(text: str, cas: Cas) -> str:
    """The text with each lone surrogate, which no encoding can carry, replaced by U+FFFD: offsets stay.

    How many there were is noted in the document's metadata.
    """
    if text.isascii():
        return text
    clean, count = _SURROGATES.subn("\ufffd", text)
    if count:
        cas.metadata[REPLACED] = str(max(count, int(cas.metadata.get(REPLACED, "0"))))
    return clean
