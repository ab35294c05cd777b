"""A place that the gate found."""

from __future__ import annotations

from typing import NamedTuple

from ...typesystem import PhiKind


class LeakSpan(NamedTuple):
    """A span of the masked text, `begin:end` in code points, that should not be readable."""

    begin: int
    end: int
    kind: PhiKind
    check: str
    """`values`, `known_phi`, `rules`, `site`, or `fields` for a structured field of the record, which has no span in the text."""

    def __repr__(self) -> str:
        return f"<LeakSpan {self.check} {self.kind.name} {self.begin}:{self.end}>"


def outermost(leaks: list[LeakSpan]) -> list[LeakSpan]:
    """Return the leaks in text order, without those inside another one; of equal spans the first."""
    kept: list[LeakSpan] = []
    end = 0
    for leak in sorted(leaks, key=lambda item: (item.begin, -item.end)):
        if leak.end > end or leak.check == "fields":
            end = max(end, leak.end)
            kept.append(leak)
    return kept
