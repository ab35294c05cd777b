"""The share of wholly masked names by origin and context, and how far the origins are apart."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from caspipe.consumers.scoring import Mark, Pair, score

from ..notes.figures import compact
from ..notes.finding import Found
from .texts import Case


@dataclass
class Shares:
    """Counts of one program: origin -> context -> (masked, names)."""

    name: str
    date: str
    counts: dict[str, dict[str, tuple[int, int]]]

    @property
    def contexts(self) -> list[str]:
        """Return the contexts, in the order of the file."""
        return list(next(iter(self.counts.values())))

    def share(self, origin: str, context: str) -> float:
        """Return the share of a cell."""
        masked, names = self.counts[origin][context]
        return masked / names

    def of_origin(self, origin: str) -> float:
        """Return the share over all contexts."""
        return _share(self.counts[origin].values())

    def of_context(self, context: str) -> float:
        """Return the share over all origins."""
        return _share(by[context] for by in self.counts.values())

    @property
    def average(self) -> float:
        """Return the share of all names."""
        return _share(cell for by in self.counts.values() for cell in by.values())

    @property
    def worst(self) -> tuple[str, str]:
        """Return origin and context of the lowest share, the first one of equal ones."""
        return min(((o, c) for o in self.counts for c in self.contexts), key=lambda cell: self.share(*cell))

    @property
    def spread(self) -> tuple[float, str, str]:
        """Return the distance between the best and the worst origin, and their names."""
        order = sorted(self.counts, key=self.of_origin)
        return self.of_origin(order[-1]) - self.of_origin(order[0]), order[-1], order[0]

    def to_json(self) -> dict[str, Any]:
        """Return plain data without names."""
        return {"name": self.name, "date": self.date, "counts": self.counts}

    @classmethod
    def from_json(cls, told: Mapping[str, Any], name: str = "") -> Shares:
        """Return the shares of `to_json`."""
        counts = {o: {c: (n[0], n[1]) for c, n in by.items()} for o, by in told["counts"].items()}
        return cls(name or told["name"], told["date"], counts)


def _share(cells: Iterable[tuple[int, int]]) -> float:
    every = list(cells)
    return sum(masked for masked, _ in every) / sum(names for _, names in every)


def tallied(name: str, date: str, cases: Sequence[Case], found: Sequence[Found]) -> Shares:
    """Return the shares of what a program found."""
    counts: dict[str, dict[str, tuple[int, int]]] = {}
    for case, one in zip(cases, found, strict=True):
        by = counts.setdefault(case.origin, {})
        masked, names = by.get(case.context, (0, 0))
        by[case.context] = masked + is_masked(case, one), names + 1
    return Shares(name, date, counts)


def is_masked(case: Case, found: Found) -> bool:
    """Return whether every letter of the name is in a found span, by the scorer's criterion `covered`."""
    pair = Pair("", case.text, [Mark(case.begin, case.end, "PERSON")], list(found.spans), ([], []))
    return score([pair], ["covered"]).value("covered", "micro", "recall") == 1.0


def write(path: Path, shares: Sequence[Shares]) -> None:
    """Write shares as JSON."""
    path.write_text(compact([s.to_json() for s in shares]), encoding="utf-8")


def read(path: Path, name: str = "") -> list[Shares]:
    """Return the shares of a file; `name` replaces their names. Raises ValueError that names the file."""
    try:
        return [Shares.from_json(told, name) for told in json.loads(path.read_text(encoding="utf-8"))]
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
        raise ValueError(f"{path}: expected shares as --json writes them: {type(error).__name__}") from None


def summary(shares: Shares) -> str:
    """Return average, worst cell and spread as a sentence."""
    origin, context = shares.worst
    distance, best, last = shares.spread
    return (
        f"{shares.name}: average {shares.average:.3f}; worst cell {origin}, {context} {shares.share(origin, context):.3f}; "
        f"spread by origin {distance:.3f} ({best} {shares.of_origin(best):.3f}, {last} {shares.of_origin(last):.3f})"
    )


def rows(shares: Shares) -> list[list[str]]:
    """Return the cells: a context per row, an origin per column, the averages last."""
    origins = list(shares.counts)
    told = [
        [c, *(f"{shares.share(o, c):.2f}" for o in origins), f"{shares.of_context(c):.2f}"] for c in shares.contexts
    ]
    return [*told, ["all", *(f"{shares.of_origin(o):.2f}" for o in origins), f"{shares.average:.2f}"]]


def heads(shares: Shares) -> list[str]:
    """Return the headings of `rows`."""
    return ["context", *shares.counts, "all"]
