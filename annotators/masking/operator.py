"""The interface of masking operators: an operator takes a mention and returns its replacement."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from ...pipeline.contract.component import Part
from ...typesystem import PhiKind
from .context import Context
from .mention import Mention


@dataclass(frozen=True, slots=True)
class Fallback:
    """The operator cannot replace the mention: the placeholder is written instead. `reason` never quotes the text."""

    reason: str


class _Kept(enum.Enum):
    KEPT = "kept"


KEPT: Final = _Kept.KEPT
"""The mention stays readable."""

NO_KEY: Final = Fallback("no key")
"""The operator needs a secret and has none; the masker warns once."""

Outcome: TypeAlias = str | Fallback | Literal[_Kept.KEPT]


class Operator(Part):
    """Replaces mentions of PHI. One instance serves all documents: the state of one document is kept in the context."""

    def mask(self, mention: Mention, context: Context) -> Outcome:
        """Return the replacement, `KEPT`, or a `Fallback`; never the text itself as a replacement."""
        raise TypeError(f"{type(self).__name__} must define mask(mention, context)")

    def field(self, value: str, kind: PhiKind, context: Context) -> str | None:
        """Return the replacement for a structured field of the record (RecordField), or None for the format's null.

        `value` and the replacement are normalised: a date is ISO 8601 (year, month or day), an age is `64 years`.
        """
        return None

    def open(self) -> None:
        """Load key files and lexicons. Raises ResourceError if one is missing."""
