"""Write the page of the comparison: goals, claims, one table and one plot, from the measured rows and `page.md`."""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from caspipe.consumers.scoring.plots import save
from caspipe.pipeline.storage.files import write_atomic

from .corpora import CORPORA
from .declared import Row
from .figure import drawn
from .goals import verdicts
from .results import Result, path_of, read

HERE = Path(__file__).parent
NOT_APPLICABLE = "n/a"
COLUMNS = (
    "corpus",
    "system",
    "strict P / R / F1 [95 %]",
    "covering P / R / F1",
    "overlapping P / R / F1",
    "token P / R / F1",
    "masking recall",
    "no leak [95 %]",
    "documents/s",
    "MB",
    "training",
)


def write_page(page: Path, folder: Path, rows: Mapping[str, Row]) -> str:
    """Write the page and its plot from the rows in `folder`; return a message with their number.

    Raises ValueError for a damaged row.
    """
    results = [read(file) for corpus in CORPORA for row in rows if (file := path_of(folder, row, corpus)).exists()]
    plot = folder / "systems.svg"
    if results:
        save(drawn(results, rows), plot)
    text = rendered(results, rows, claims(), plot.relative_to(page.parent).as_posix())
    write_atomic(page, text.encode())
    return f"{page.name}: {len(results)} rows of {sum(len(row.ways) for row in rows.values())} declared"


def rendered(results: Sequence[Result], rows: Mapping[str, Row], told: Sequence[Mapping[str, str]], plot: str) -> str:
    """Return the page as Markdown."""
    template = string.Template((HERE / "page.md").read_text(encoding="utf-8"))
    dates = sorted({r.date for r in results})
    return template.substitute(
        when=" to ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else "nothing measured yet",
        machine="; ".join(sorted({r.machine for r in results})),
        goals="\n".join(_table(("goal", "on", "measured", ""), verdicts(results))),
        claims="\n".join(_claims(told)),
        table="\n".join(_table(COLUMNS, (_cells(r, rows) for r in results))),
        plot=plot,
        systems="\n".join(f"* **{row.name}**: {row.title}{_notes(row)}" for row in rows.values()),
        corpora="\n".join(f"* **{c.title}**: {c.told}" for c in CORPORA.values()),
    )


def claims() -> list[dict[str, str]]:
    """Return the claims of the sources and the findings, which are written by hand from the pages that they name."""
    given: list[dict[str, Any]] = yaml.safe_load((HERE / "claims.yaml").read_text(encoding="utf-8"))
    return [{key: str(value) for key, value in one.items()} for one in given]


def _claims(told: Sequence[Mapping[str, str]]) -> Iterator[str]:
    yield from _table(
        ("source claims", "found", "", "where"),
        ((c["claim"], c["found"], c["verdict"], f"[{c['page']}](../systems/{c['page']})") for c in told),
    )


def _table(head: Sequence[str], rows: Any) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _cells(result: Result, rows: Mapping[str, Row]) -> tuple[str, ...]:
    binary = rows[result.row].binary
    whatever = "-binary" if binary else ""
    leak = result.interval("documents", "share")
    return (
        CORPORA[result.corpus].title,
        result.row,
        NOT_APPLICABLE if binary else _three(result, "strict", 4) + _between(result.interval("strict", "f1")),
        _three(result, f"covering{whatever}") + ("*" if binary else ""),
        _three(result, f"overlapping{whatever}") + ("*" if binary else ""),
        _three(result, "token-binary", 4),
        _number(result.value("masking", "recall"), 4),
        _number(result.value("documents", "share")) + _between(leak),
        _speed(result.documents_per_second),
        f"{result.bytes / 1e6:.2f}" if result.bytes else NOT_APPLICABLE,
        _training(result),
    )


def _three(result: Result, criterion: str, digits: int = 3) -> str:
    return " / ".join(_number(result.value(criterion, name), digits) for name in ("precision", "recall", "f1"))


def _number(value: float | None, digits: int = 3) -> str:
    return "undefined" if value is None else f"{value:.{digits}f}"


def _between(interval: tuple[float, float] | None) -> str:
    return f" [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else ""


def _speed(value: float) -> str:
    return f"{value:.1f}" if value < 10 else f"{value:.0f}"


def _training(result: Result) -> str:
    if not result.bundles:
        return NOT_APPLICABLE
    if result.training_cpu_seconds is not None:
        return f"{result.training_cpu_seconds:,.0f} s"
    return "shipped" if result.training_seconds is None else f"{result.training_seconds:,.0f} s by the clock"


def _notes(row: Row) -> str:
    """Return the distinct notes on single corpora."""
    notes: dict[str, list[str]] = {}
    for corpus, way in row.ways.items():
        if way.note:
            notes.setdefault(way.note, []).append(CORPORA[corpus].title)
    return "".join(f" {', '.join(titles)}: {note}" for note, titles in notes.items())
