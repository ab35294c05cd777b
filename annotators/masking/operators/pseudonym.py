"""`pseudonym`: a stable name for each value."""

from __future__ import annotations

import unicodedata
from typing import ClassVar, Literal

from ....pipeline.contract.component import part
from ....typesystem import PhiKind
from ..operator import NO_KEY, Context, KeyedOperator, Mention, Outcome

_NUMBERS = (PhiKind.ID, PhiKind.PHONE, PhiKind.FAX)


@part("pseudonym")
class Pseudonym(KeyedOperator):
    """Writes `[PERSON a3f9c2kq]`: equal values get equal names within the scope, and only the holder of the key can compute
    which value it was (HMAC-SHA256, truncated). Values are compared as normalized by the finder, else without case, white
    space and, for numbers, punctuation.
    """

    hides: ClassVar[bool] = True

    scope: Literal["project", "patient", "document"] = "project"
    """Within which scope equal values get equal names."""
    length: int = 8
    """Characters of the name, 5 bits each: with 8, two of 10,000 values share a name once in 20,000 projects."""
    detail: bool = False
    """Name the precise kind instead of the first-level one."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 4 <= self.length <= 51:
            raise ValueError(f"length: expected 4 to 51 characters, got {self.length}")

    def mask(self, mention: Mention, context: Context) -> Outcome:
        secret = self.secret
        if secret is None:
            return NO_KEY
        kind = mention.kind if self.detail else mention.kind.top
        subject = context.subject(self.scope, self.patient)
        token = secret.token(self.length, "pseudonym", *subject, mention.kind.top.name, normalized_value(mention))
        return f"[{kind.name} {token}]"


def normalized_value(mention: Mention) -> str:
    """Return the value of a mention in the form in which values are compared."""
    folded = unicodedata.normalize("NFKC", mention.value or mention.text).casefold()
    if mention.kind.top in _NUMBERS:
        return "".join(c for c in folded if c.isalnum()) or folded
    return " ".join("".join(c if c.isalnum() else " " for c in folded).split()) or folded
