"""The run report's tables about PHI: kinds, sources and rules, masking operators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .rendering import kind_class
from .tally import Tally

Table = tuple[str, list[str], list[list[Any]]]
"""Caption, columns, rows: the arguments of the `table` macro."""


def findings(tally: Tally) -> list[tuple[str, list[Table]]]:
    """Return headings with their tables; placeholders that replaced surrogates have a table only if there were any."""
    sections = [
        ("Detected spans", [_kinds(tally)]),
        ("Who found it", _sources(tally)),
        ("How it was masked", [_operators(tally)]),
    ]
    if tally.fallbacks:
        rows = [[operator, reason, n] for (operator, reason), n in ranked(tally.fallbacks)]
        sections.append(("Placeholders instead of surrogates", [("", ["Operator", "Reason", "#Spans"], rows)]))
    return sections


def ranked(counts: Mapping[Any, int]) -> list[tuple[Any, int]]:
    """Return the counts, most frequent first, then by name."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _kinds(tally: Tally) -> Table:
    total, highest = tally.spans.total(), max(tally.spans.values(), default=1)
    rows = [
        [
            {"kind": kind},
            n,
            f"{100 * n / total:.1f} %" if total else "",
            tally.holding[kind],
            {"share": n / highest, "css": kind_class(kind)},
        ]
        for kind, n in ranked(tally.spans)
    ]
    caption = f"{total:,} spans in {tally.documents:,} released documents"
    return caption, ["Kind", "#Spans", "#Share", "#Documents", "Spans"], rows


def _sources(tally: Tally) -> list[Table]:
    """Return the table by source and the table by source and rule."""
    columns = ["#Candidates", "#Final spans", "#Removed", "Final spans"]
    caption = "Candidates by source, the final spans they won, and candidates that a veto or threshold removed"
    by_source = Tally()
    for name in ("proposed", "won", "vetoed"):
        for (source, _), n in getattr(tally, name).items():
            getattr(by_source, name)[source, ""] += n
    sources = [[source or "(none)", *counts] for (source, _), counts in _source_counts(by_source)]
    rules = [[source or "(none)", rule or "–", *counts] for (source, rule), counts in _source_counts(tally)]
    return [(caption, ["Source", *columns], sources), ("The same by rule", ["Source", "Rule", *columns], rules)]


def _source_counts(tally: Tally) -> list[tuple[tuple[str, str], list[Any]]]:
    """Return (source, rule) with the cells of its counts; those that won most final spans first."""
    keys = sorted(set(tally.proposed) | set(tally.won), key=lambda k: (-tally.won[k], -tally.proposed[k], k))
    highest = max(tally.won.values(), default=1)
    return [(k, [tally.proposed[k], tally.won[k], tally.vetoed[k], {"share": tally.won[k] / highest}]) for k in keys]


def _operators(tally: Tally) -> Table:
    rows = [[{"kind": kind}, name, n] for (kind, name), n in sorted(tally.operators.items())]
    return "Masked spans by kind and operator", ["Kind", "Operator", "#Spans"], rows
