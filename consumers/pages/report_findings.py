"""The run page's sections on what was found: kinds, who found them, how they were masked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .page import bar, cell, chip, kind_class, table
from .tally import Tally


def findings(tally: Tally) -> str:
    """Three sections, and a fourth where surrogates could not be made."""
    return _kinds(tally) + _sources(tally) + _operators(tally)


def ranked(counts: Mapping[Any, int]) -> list[tuple[Any, int]]:
    """Most frequent first, then by name."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _kinds(tally: Tally) -> str:
    total, most = tally.spans.total(), max(tally.spans.values(), default=1)
    rows = [
        f'<th scope="row">{chip(kind)}</th>'
        + cell(n)
        + _share(n, total)
        + cell(tally.holding[kind])
        + bar(n / most, kind_class(kind))
        for kind, n in ranked(tally.spans)
    ]
    caption = f"{total:,} spans in {tally.documents:,} released documents"
    columns = ["Kind", "#Spans", "#Share", "#Documents with it", "Spans"]
    return f"<h2>What was found</h2>{table(caption, columns, rows)}"


def _sources(tally: Tally) -> str:
    columns = ["#Candidates", "#Final spans", "#Taken out", "Final spans"]
    caption = "Candidates by finder, final spans they speak for, and candidates that a veto or threshold took out"
    by_source = Tally()
    for name in ("proposed", "won", "vetoed"):
        for (source, _), n in getattr(tally, name).items():
            getattr(by_source, name)[source, ""] += n
    sources = table(
        caption, ["Source", *columns], [cell(k[0] or "(none)", head=True) + v for k, v in _finders(by_source)]
    )
    rules = [cell(k[0] or "(none)", head=True) + cell(k[1] or "–") + v for k, v in _finders(tally)]
    detail = table("The same by rule", ["Source", "Rule", *columns], rules)
    return f"<h2>Who found it</h2>{sources}<details><summary>By rule</summary>{detail}</details>"


def _finders(tally: Tally) -> list[tuple[tuple[str, str], str]]:
    """(source, rule) and the cells of its counts, those that speak for most final spans first."""
    keys = sorted(set(tally.proposed) | set(tally.won), key=lambda k: (-tally.won[k], -tally.proposed[k], k))
    most = max(tally.won.values(), default=1)
    return [
        (k, cell(tally.proposed[k]) + cell(tally.won[k]) + cell(tally.vetoed[k]) + bar(tally.won[k] / most))
        for k in keys
    ]


def _operators(tally: Tally) -> str:
    rows = [
        f'<th scope="row">{chip(kind)}</th>{cell(name)}{cell(n)}' for (kind, name), n in sorted(tally.operators.items())
    ]
    made = (
        f"<h2>How it was masked</h2>{table('Masked spans by kind and operator', ['Kind', 'Operator', '#Spans'], rows)}"
    )
    if tally.fallbacks:
        rows = [cell(name, head=True) + cell(reason) + cell(n) for (name, reason), n in ranked(tally.fallbacks)]
        made += f"<h2>Placeholders instead of surrogates</h2>{table('', ['Operator', 'Reason', '#Spans'], rows)}"
    return made


def _share(n: int, total: int) -> str:
    return f'<td class="n">{100 * n / total:.1f} %</td>' if total else "<td></td>"
