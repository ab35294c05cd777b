"""Masking: the operators, and what they need to know about dates, names, numbers and secrets."""

from .context import Context
from .keys import Keyed, MissingKeyWarning, Secret
from .operator import KEPT, NO_KEY, Fallback, Mention, Operator, Outcome

__all__ = [
    "KEPT",
    "NO_KEY",
    "Context",
    "Fallback",
    "Keyed",
    "Mention",
    "MissingKeyWarning",
    "Operator",
    "Outcome",
    "Secret",
]
