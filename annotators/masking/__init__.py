"""Mask PHI: the masker, its operators, and the dates, names, numbers and secrets that they need."""

from .operator import (
    KEPT,
    NO_KEY,
    Context,
    Fallback,
    KeyedHash,
    KeyedOperator,
    Mention,
    MissingKeyWarning,
    Operator,
    Outcome,
)

__all__ = [
    "KEPT",
    "NO_KEY",
    "Context",
    "Fallback",
    "KeyedHash",
    "KeyedOperator",
    "Mention",
    "MissingKeyWarning",
    "Operator",
    "Outcome",
]
