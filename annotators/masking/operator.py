"""What a masking operator is: it takes a mention and says what stands in its place."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from ...pipeline.contract.component import Part
from ...typesystem import PhiKind

if TYPE_CHECKING:
    from .context import Context


@dataclass(frozen=True, slots=True, repr=False)
class Mention:
    """A stretch of text to be masked. Its repr never shows the text."""

    begin: int
    end: int
    kind: PhiKind
    text: str
    value: str = ""
    """What the finder normalised it to; empty where it did not."""

    def __repr__(self) -> str:
        return f"<Mention {self.kind.name} {self.begin}:{self.end}>"


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
    """Replaces mentions of PHI. One instance serves all documents: what belongs to one document lives in the context."""

    def mask(self, mention: Mention, context: Context) -> Outcome:
        """The replacement, `KEPT`, or a `Fallback`. Never the text itself as a replacement."""
        raise TypeError(f"{type(self).__name__} must define mask(mention, context)")

    def field(self, value: str, kind: PhiKind, context: Context) -> str | None:
        """What stands in place of a structured field of the record (RecordField); None: the format's null.

        `value` is normalised, and so is what is returned: a date as ISO 8601 (year, month or day), an age as `64 years`.
        """
        return None

    def open(self) -> None:
        """Loads key files and lexicons. Raises ResourceError where one is missing."""
