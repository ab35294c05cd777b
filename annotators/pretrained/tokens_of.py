"""The borders that spans keep: a document's tokens, or those our tokenizer would make if there are none."""

from __future__ import annotations

from operator import gt

from ...typesystem import View
from ...typesystem.tokenize import token_spans


def token_columns(view: View) -> tuple[list[int], list[int]]:
    """Begins and ends of tokens in code points, sorted and disjoint. So a pipeline without a segmenter finds the same spans."""
    begins, ends = view.tokens.begins, view.tokens.ends
    if begins and not any(map(gt, ends, begins[1:])):  # tokens that other tools wrote may overlap
        return begins, ends
    return token_spans(view.text)
