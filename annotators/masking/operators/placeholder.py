"""`placeholder`: the kind in brackets."""

from __future__ import annotations

import string

from ....pipeline.contract.component import part
from ..context import Context
from ..mention import Mention
from ..operator import Operator, Outcome


@part("placeholder")
class Placeholder(Operator):
    """Writes the kind of the PHI: `[DATE]`."""

    detail: bool = False
    """Name the precise kind (`[DATE_BIRTH]`) instead of the first-level one (`[DATE]`)."""
    format: str = "[{kind}]"
    """Format of the placeholder; `{kind}` stands for the kind's name."""

    def __post_init__(self) -> None:
        try:
            fields = {name for _, name, _, _ in string.Formatter().parse(self.format) if name is not None}
            example = self.format.format(kind="KIND")
        except (ValueError, KeyError, IndexError, AttributeError):
            raise ValueError("format: expected text with {kind} in it; write {{ and }} for braces") from None
        if not fields <= {"kind"} or not example.strip():
            raise ValueError("format: expected text, in which {kind} stands for the kind's name")

    def mask(self, mention: Mention, context: Context) -> Outcome:
        return self.write(mention)

    def write(self, mention: Mention) -> str:
        kind = mention.kind if self.detail else mention.kind.top
        return self.format.format(kind=kind.name)
