"""`redact`: one character for each code point."""

from __future__ import annotations

from ....pipeline.contract.component import part
from ..context import Context
from ..operator import Mention, Operator, Outcome


@part("redact")
class Redact(Operator):
    """Blackens the text; its length, and with `spaces` its words, remain visible."""

    char: str = "*"
    """What every code point becomes; one character that is no letter or digit."""
    spaces: bool = True
    """White space and line breaks stay."""

    def __post_init__(self) -> None:
        if len(self.char) != 1 or self.char.isalnum() or self.char.isspace():
            raise ValueError(f"char: expected one character that is no letter, digit or blank, got {self.char!r}")

    def mask(self, mention: Mention, context: Context) -> Outcome:
        return "".join(c if self.spaces and c.isspace() else self.char for c in mention.text)
