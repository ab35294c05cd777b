"""Masking: the operators, and what they need to know about dates, names, numbers and secrets."""

from .context import Context
from .keys import Keyed, KeyedHash, MissingKeyWarning
from .operator import KEPT, NO_KEY, Fallback, Mention, Operator, Outcome

__all__ = [
    "KEPT",
    "NO_KEY",
    "Context",
    "Fallback",
    "Keyed",
    "KeyedHash",
    "Mention",
    "MissingKeyWarning",
    "Operator",
    "Outcome",
]
