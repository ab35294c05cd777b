"""Run pyDeid, the Python edition of PhysioNet's Perl program `deid`, with its defaults."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .harness import Span, Work, each, masked

KINDS = (
    ("AGE", r"\bage\b"),
    ("EMAIL", r"e-?mail"),
    ("PHONE", r"telephone|fax|phone|pager|contact"),
    ("DATE", r"date|day|month|year|holiday|season|time"),
    ("LOCATION", r"address|street|city|state|province|zip|postal|location|hospital|site|country|building"),
    ("PERSON", r"name|prefix|initial"),
)
"""Kinds of caspipe and words of pyDeid's types, in order; all other types are identifying numbers."""


def kind_of(types: Sequence[str]) -> str:
    """Return the kind of the types of one finding."""
    joined = " ".join(types)
    return next((kind for kind, words in KINDS if re.search(words, joined, re.IGNORECASE)), "ID")


def spans_of(found: Sequence[Mapping[str, Any]]) -> list[Span]:
    """Return the spans of pyDeid's list of surrogates."""
    return [(int(f["phi_start"]), int(f["phi_end"]), kind_of(f["types"])) for f in found]


def load(variant: str) -> Work:
    """`default`. Raises RuntimeError for the empty package that the package index has under this name."""
    try:
        from pyDeid import deid_string
    except ImportError:
        raise RuntimeError("the installed package pyDeid has no function deid_string") from None

    def one(text: str) -> tuple[str, Sequence[Span]]:
        found = deid_string(text)[0]
        spans = spans_of(found) if found else []
        return masked(text, spans), spans

    return each(one)
