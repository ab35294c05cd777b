"""Mask PHI: the masker, its operators, and the dates, names, numbers and secrets that they need."""

from .context import Context
from .keys import KeyedHash, KeyedOperator, MissingKeyWarning
from .mention import Mention
from .operator import KEPT, NO_KEY, Fallback, Operator, Outcome

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
