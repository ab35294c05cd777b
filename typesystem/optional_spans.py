"""Optional reference spans, which need not be found."""

from __future__ import annotations

from .types import OPTIONAL, SpanAttribute
from .view import View


def optional_spans(view: View) -> set[int]:
    """Return the identities (`id`) of the optional spans of a view."""
    return {id(attribute.of) for attribute in view.select(SpanAttribute) if attribute.name == OPTIONAL}
