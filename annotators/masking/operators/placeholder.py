"""`placeholder`: the kind in brackets; `redact`: one character for each code point; `keep`: the text stays readable."""

from __future__ import annotations

import string
from typing import ClassVar

from ....pipeline.contract.component import part
from ....typesystem import PhiKind
from ..operator import KEPT, Context, Mention, Operator, Outcome
from ..surrogates.identities import Identities


@part("placeholder")
class Placeholder(Operator):
    """Writes the kind of the PHI: `[DATE]`."""

    hides: ClassVar[bool] = True

    detail: bool = False
    """Name the precise kind (`[DATE_BIRTH]`) instead of the first-level one (`[DATE]`)."""
    format: str = "[{kind}]"
    """Format of the placeholder; `{kind}` is replaced by the kind's name."""
    number: bool = False
    """Number people in the order of their first appearance in the document, `[PERSON 1]`: the forms of one person's name get one
    number."""

    def __post_init__(self) -> None:
        try:
            fields = {name for _, name, _, _ in string.Formatter().parse(self.format) if name is not None}
            example = self.format.format(kind="KIND")
        except (ValueError, KeyError, IndexError, AttributeError):
            raise ValueError("format: expected text with {kind} in it; write {{ and }} for braces") from None
        self._written = dict[PhiKind, str]()
        if not fields <= {"kind"} or not example.strip():
            raise ValueError("format: expected text, in which {kind} is the place of the kind's name")

    def mask(self, mention: Mention, context: Context) -> Outcome:
        return self.write(mention, context)

    def write(self, mention: Mention, context: Context) -> str:
        kind = mention.kind if self.detail else mention.kind.top
        person = Identities.of(context).person(mention) if self.number else None
        if person is not None:
            return self.format.format(kind=f"{kind.name} {person.number}")
        if kind not in self._written:
            self._written[kind] = self.format.format(kind=kind.name)
        return self._written[kind]  # one string for all mentions


@part("keep")
class Keep(Operator):
    """Leaves the text as it is. If a candidate of a masked kind overlaps it, that part is masked all the same."""

    def mask(self, mention: Mention, context: Context) -> Outcome:
        return KEPT

    def field(self, value: str, kind: PhiKind, context: Context) -> str | None:
        return value


@part("redact")
class Redact(Operator):
    """Replaces every character; the length of the text, and with `spaces` its words, remain visible."""

    hides: ClassVar[bool] = True

    char: str = "*"
    """The character that replaces every code point; not a letter or digit."""
    spaces: bool = True
    """Keep white space and line breaks."""

    def __post_init__(self) -> None:
        if len(self.char) != 1 or self.char.isalnum() or self.char.isspace():
            raise ValueError(f"char: expected one character that is not a letter, digit or space, got {self.char!r}")

    def mask(self, mention: Mention, context: Context) -> Outcome:
        return "".join(c if self.spaces and c.isspace() else self.char for c in mention.text)
