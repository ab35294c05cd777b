"""The findings of the gate's checks: spans, kinds and the check that found them, without any text of the document."""

from __future__ import annotations

from typing import NamedTuple

from ...typesystem import PhiKind


class LeakSpan(NamedTuple):
    """A span of the masked text, `begin:end` in code points, that should not be readable."""

    begin: int
    end: int
    kind: PhiKind
    check: str
    """`values`, `known_phi`, `rules`, or `fields` for a structured field of the record, which has no span in the text."""

    def __repr__(self) -> str:
        return f"<LeakSpan {self.check} {self.kind.name} {self.begin}:{self.end}>"
