"""`redact`: one character for each code point."""

from __future__ import annotations

from ....pipeline.contract.component import part
from ..context import Context
from ..mention import Mention
from ..operator import Operator, Outcome


@part("redact")
class Redact(Operator):
    """Replaces every character; the length of the text, and with `spaces` its words, remain visible."""

    char: str = "*"
    """The character that replaces every code point; not a letter or digit."""
    spaces: bool = True
    """Keep white space and line breaks."""

    def __post_init__(self) -> None:
        if len(self.char) != 1 or self.char.isalnum() or self.char.isspace():
            raise ValueError(f"char: expected one character that is not a letter, digit or space, got {self.char!r}")

    def mask(self, mention: Mention, context: Context) -> Outcome:
        return "".join(c if self.spaces and c.isspace() else self.char for c in mention.text)
