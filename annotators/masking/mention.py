"""A span of text that an operator masks."""

from __future__ import annotations

from dataclasses import dataclass

from ...typesystem import PhiKind


@dataclass(frozen=True, slots=True, repr=False)
class Mention:
    """A span of text to be masked. Its repr never shows the text."""

    begin: int
    end: int
    kind: PhiKind
    text: str
    value: str = ""
    """The value as normalised by the finder; may be empty."""

    def __repr__(self) -> str:
        return f"<Mention {self.kind.name} {self.begin}:{self.end}>"
