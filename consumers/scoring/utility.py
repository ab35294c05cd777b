"""Utility: how much clinical content of a narrative survives masking, and how much was masked without need.

In the VigiBase study a pharmacist read 100 masked narratives and noted what was missing for assessing causality (§4.4.2 and
§5.2.4 of the inverse hybrid system). These are counts for the same questions: medical terms, doses, lab values, durations, the
time between dates, and masked characters that are not PHI. Text in a reference span is PHI and must be masked: it counts neither
as kept nor as lost.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...typesystem import OffsetMap
from .intervals import Moved, intervals
from .leaks import merged, shared
from .spans import Spans
from .table import align_columns, as_csv, format_share
from .valuables import Span, doses, durations, lab_values

MEASURES = ("terms", "doses", "lab_values", "durations", "intervals")
"""Counted in every document; terms also by group, as `terms:MEDICATION`."""


@dataclass(slots=True)
class Narrative:
    """One document before and after masking. Spans are in the original text, sorted."""

    original: str = field(repr=False)
    masked: str = field(repr=False)
    offsets: OffsetMap
    """From the original text to the masked one."""
    terms: Sequence[tuple[int, int, str]] = ()
    """Medical terms: begin, end, group."""
    dates: Sequence[Moved] = field(default=(), repr=False)
    """Dates of the original whose value is known, with their replacement."""
    gold: Sequence[Span] | None = None
    """Reference spans of PHI; None without a reference."""

    def survives(self, begin: int, end: int) -> bool:
        """Return whether the masked text is the same at this place."""
        new = self.offsets.to_new(begin, end)
        return self.masked[new[0] : new[1]] == self.original[begin:end]


@dataclass(slots=True)
class Utility:
    """Sums over documents: `add` them, then read shares. Numbers only."""

    kept: Counter[str] = field(default_factory=Counter)
    total: Counter[str] = field(default_factory=Counter)
    documents: int = 0
    some_left: int = 0
    """Documents in which at least some of the content is kept, of `holding`."""
    all_left: int = 0
    """Documents in which all of it is kept, of `holding`."""
    holding: int = 0
    """Documents with such content."""
    masked: int = 0
    """Code points of the original that were replaced, in documents with a reference."""
    over_masked: int = 0
    """Those of them in no reference span."""
    harmless: int = 0
    """Code points in no reference span, in documents with a reference."""

    def add(self, other: Utility) -> None:
        """Add the sums of other documents."""
        self.kept.update(other.kept)
        self.total.update(other.total)
        for name in ("documents", "some_left", "all_left", "holding", "masked", "over_masked", "harmless"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @classmethod
    def of(cls, narrative: Narrative) -> Utility:
        """Return the sums of one document."""
        result = cls(documents=1)
        protected = merged(sorted(narrative.gold or ()))
        phi = Spans(protected)
        groups = [("terms", (begin, end), group) for begin, end, group in narrative.terms]
        analytes = [(begin, end) for begin, end, group in narrative.terms if group == "LAB_PROCEDURE"]
        for measure, spans in (
            ("doses", doses(narrative.original)),
            ("lab_values", lab_values(narrative.original, analytes)),
            ("durations", durations(narrative.original)),
        ):
            groups += [(measure, span, "") for span in spans]
        for measure, (begin, end), group in groups:
            if phi.overlap((begin, end)):
                continue
            left = narrative.survives(begin, end)
            for name in (measure, f"{measure}:{group}") if group else (measure,):
                result.total[name] += 1
                result.kept[name] += left
        kept, total = intervals(narrative.dates)
        result.kept["intervals"] += kept
        result.total["intervals"] += total
        kept, total = (sum(counts[m] for m in MEASURES) for counts in (result.kept, result.total))
        result.holding, result.some_left, result.all_left = int(total > 0), int(kept > 0), int(0 < total == kept)
        if narrative.gold is not None:
            result._count_masked(narrative, protected)
        return result

    def _count_masked(self, narrative: Narrative, protected: list[Span]) -> None:
        replaced = merged([(b, e) for b, e, *_ in narrative.offsets.segments() if not narrative.survives(b, e)])
        self.masked = _length(replaced)
        self.over_masked = self.masked - _length(shared(replaced, protected))
        self.harmless = len(narrative.original) - _length(protected)

    def share(self, measure: str) -> float | None:
        """Return the share that is kept, of one of `MEASURES` or of a group of terms; None if there was nothing."""
        return self.kept[measure] / self.total[measure] if self.total[measure] else None

    @property
    def over_masking(self) -> float | None:
        """Share of the masked characters that are not PHI; None without a reference or if nothing was masked."""
        return self.over_masked / self.masked if self.masked else None

    @property
    def over_masked_text(self) -> float | None:
        """Share of the characters that are not PHI which were masked; None without a reference or such text."""
        return self.over_masked / self.harmless if self.harmless else None

    @property
    def table(self) -> list[dict[str, Any]]:
        """A row for each measure: name, count, total, and the share, None if undefined."""
        names = [*MEASURES, *sorted(set(self.total) - set(MEASURES))]
        rows = [(name, self.kept[name], self.total[name]) for name in names]
        rows.append(("documents_with_something_left", self.some_left, self.holding))
        rows.append(("documents_with_nothing_lost", self.all_left, self.holding))
        rows.append(("over_masked_of_masked_characters", self.over_masked, self.masked))
        rows.append(("over_masked_of_harmless_characters", self.over_masked, self.harmless))
        return [{"measure": m, "count": k, "of": t, "share": k / t if t else None} for m, k, t in rows]

    def to_json(self) -> str:
        return json.dumps({"documents": self.documents, "measures": self.table}, indent=2) + "\n"

    def to_csv(self) -> str:
        """Return `table` as CSV."""
        return as_csv([row | {"share": format_share(row["share"], 6)} for row in self.table])

    def __str__(self) -> str:
        rows = [["measure", "count", "of", "share"]]
        rows += [[r["measure"], f"{r['count']:,}", f"{r['of']:,}", format_share(r["share"])] for r in self.table]
        return f"{align_columns(rows)}\n"


def utility_of(narratives: Iterable[Narrative]) -> Utility:
    """Return the sums over some documents."""
    result = Utility()
    for narrative in narratives:
        result.add(Utility.of(narrative))
    return result


def _length(spans: Iterable[Span]) -> int:
    return sum(end - begin for begin, end in spans)
