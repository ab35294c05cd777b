"""Scores under several schemes in one report: JSON, CSV or plain text. Numbers, kinds and names only, no text of any document."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ...pipeline.errors import ConsumerError
from .comparison import Comparison
from .grouped import Groups
from .risk_report import text as risk_text
from .risk_result import Risk
from .scores import Scores
from .table import Interval, Key, as_csv

FORMATS = (".json", ".csv", ".txt")
OWN = ""
"""Key of our own criteria; others have the name of a scheme."""


def digits(scheme: str) -> int:
    """Return the number of digits in text: for a scheme, as many as the official scripts print."""
    return 3 if scheme == OWN else 4


@dataclass(slots=True)
class Report:
    """Scores by scheme, with intervals, comparisons and scores of groups if requested."""

    scores: Mapping[str, Scores]
    intervals: Mapping[str, Mapping[Key, Interval]] = field(default_factory=dict)
    comparisons: Mapping[str, list[Comparison]] = field(default_factory=dict)
    risk: Risk | None = None
    groups: Mapping[str, Groups] = field(default_factory=dict)

    @property
    def documents(self) -> int:
        """Number of documents."""
        return max((len(s.documents) for s in self.scores.values()), default=0)

    def rows(self, *, undefined: bool) -> list[dict[str, object]]:
        """Return all rows; with `undefined`, that word instead of None."""
        result: list[dict[str, object]] = []
        for scheme, scores in self.scores.items():
            intervals = self.intervals.get(scheme)
            rows = scores.csv_rows(intervals) if undefined else scores.rows(intervals)
            result += [{"scheme": scheme, **cells} for cells in rows]
        return result

    def render(self, suffix: str) -> str:
        """Return the report in the format of a file suffix. Raises ConsumerError for one other than .json, .csv, .txt."""
        if suffix == ".json":
            return json.dumps(self._data(), indent=1, ensure_ascii=False) + "\n"
        if suffix == ".csv":
            return as_csv(self.rows(undefined=True))
        if suffix == ".txt":
            parts = [
                f"{scheme or 'criteria'}, {self.documents:,} documents\n\n"
                f"{scores.to_text(self.intervals.get(scheme), digits(scheme))}"
                for scheme, scores in self.scores.items()
            ]
            parts += [str(groups) for groups in self.groups.values()]
            if self.risk is not None:
                parts.append(risk_text(self.risk))
            return "\n".join(parts)
        raise ConsumerError(f"expected a file name that ends in one of {', '.join(FORMATS)}, got {suffix or 'none'}")

    def _data(self) -> dict[str, object]:
        data: dict[str, object] = {"documents": self.documents, "rows": self.rows(undefined=False)}
        if self.comparisons:
            data["comparisons"] = [
                {"scheme": scheme, **asdict(c)} for scheme, found in self.comparisons.items() for c in found
            ]
        if self.groups:
            data["groups"] = [
                {"scheme": scheme, "by": groups.by, **asdict(f)}
                for scheme, groups in self.groups.items()
                for f in groups.figures
            ]
        if self.risk is not None:
            data["risk"] = asdict(self.risk)
        return data


def format_of(path: Path) -> str:
    """Return the format of a file name. Raises ValueError for an unknown one."""
    if path.suffix not in FORMATS:
        raise ValueError(f"expected a file name that ends in one of {', '.join(FORMATS)}, got {path.suffix or 'none'}")
    return path.suffix
