"""Consumer that writes an account of the run as one HTML page: numbers and names of components, no text of any document."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..pipeline.component import CasConsumer, component
from ..pipeline.files import make_folder, write_atomic
from ..typesystem import Cas
from .page import bar, cell, chip, esc, kind_class, page, table
from .style import REPORT
from .tally import Tally

if TYPE_CHECKING:
    from ..pipeline.report import ComponentStats, RunReport

_SECRETS = ("key", "secret", "password", "token", "salt", "credential")


@component("report")
class ReportConsumer(CasConsumer):
    """Writes a report of the run: documents, PHI by kind and source, rules, operators, timings, errors, configuration.

    One HTML file that needs nothing else and works offline. The same documents give the same report, apart from timings.
    """

    file: Path = Path("release/report.html")
    """The report, under the run's output folder. Written when the run has ended."""
    document_ids: bool = False
    """Whether failed documents appear with their id and the message, which can name files; else by number only."""
    configuration: bool = True
    """Whether the report shows the configuration, without secrets. To be left out where it names people, as a list of
    names given in place does."""
    max_failures: int = 200
    """Failed documents listed one by one; all are counted."""

    def __post_init__(self) -> None:
        if self.max_failures < 0:
            raise ValueError(f"max_failures: expected 0 or more, got {self.max_failures}")
        self._start()

    def _start(self) -> None:
        self._tally = Tally()
        self._last: tuple[str, Tally] | None = None

    def open(self) -> None:
        """Makes the folder. Raises ConsumerError where that cannot be done."""
        super().open()
        self._start()
        make_folder((self.output / self.file).parent)

    def process(self, cas: Cas) -> None:
        self._settle()
        self._last = cas.id, Tally.of(cas)

    def retract(self, cas: Cas) -> None:
        if self._last is not None and self._last[0] == cas.id:
            self._last = None

    def _settle(self) -> None:
        """Counts the document before for good: from now on nobody takes it back."""
        if self._last is not None:
            self._tally.add(self._last[1])
            self._last = None

    def finish(self, report: RunReport) -> None:
        """Writes the page; called by the run when all else is done. Raises ConsumerError that names the path."""
        self._settle()
        path = self.output / self.file
        make_folder(path.parent)
        write_atomic(path, self.render(report))

    def render(self, report: RunReport) -> bytes:
        """The page."""
        sections = [
            _heading(report),
            "<main>",
            _kinds(self._tally),
            _sources(self._tally),
            _operators(self._tally),
            _components(report.components),
            _slowest(report.slowest),
            _failures(report, self.document_ids, self.max_failures),
            _warnings(report.warnings),
            _configuration(report) if self.configuration else "",
            _versions(report),
            "</main>",
            "<footer>Written by caspipe. This page holds no text of any document. Masking is done by rules and models, which "
            "miss things: look at samples before you release.</footer>",
        ]
        return page(f"{report.name or 'pipeline'}: run report", "\n".join(sections), style=REPORT)


def _heading(report: RunReport) -> str:
    d = report.documents
    if report.stopped and report.stopped != "limit":
        status = f'<span class="status bad">Stopped early: {esc(report.stopped)}</span>'
    elif d.quarantined or d.skipped:
        failed = d.quarantined + d.skipped
        status = f'<span class="status bad">{failed:,} of {d.read:,} documents were not released</span>'
    else:
        status = '<span class="status good">All documents were released</span>'
    if report.stopped == "limit":
        status += ' <span class="muted">The run ended at its limit of documents.</span>'
    rate = d.read / report.seconds if report.seconds > 0 else 0.0
    cards = [
        ("Documents read", f"{d.read:,}", ""),
        ("Released", f"{d.released:,}", ""),
        ("Quarantined", f"{d.quarantined:,}", "bad" if d.quarantined else ""),
        ("Skipped", f"{d.skipped:,}", "bad" if d.skipped else ""),
        ("Characters released", f"{report.characters:,}", ""),
        ("Duration", duration(report.seconds), ""),
        ("Documents a second", f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}", ""),
    ]
    shown = "".join(f'<div class="{css}"><dt>{name}</dt><dd>{value}</dd></div>' for name, value, css in cards)
    started = f"Started {esc(report.started)}" if report.started else "Start not recorded"
    return (
        f'<header><p class="facts">Run report</p><h1>{esc(report.name or "pipeline")}</h1><p class="facts">{started}</p>'
        f'{status}<dl class="cards">{shown}</dl></header>'
    )


def _kinds(tally: Tally) -> str:
    total, most = tally.spans.total(), max(tally.spans.values(), default=1)
    rows = [
        f'<th scope="row">{chip(kind)}</th>'
        + cell(n)
        + _share(n, total)
        + cell(tally.holding[kind])
        + bar(n / most, kind_class(kind))
        for kind, n in _ranked(tally.spans)
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
        rows = [cell(name, head=True) + cell(reason) + cell(n) for (name, reason), n in _ranked(tally.fallbacks)]
        made += f"<h2>Placeholders instead of surrogates</h2>{table('', ['Operator', 'Reason', '#Spans'], rows)}"
    return made


def _components(components: Iterable[ComponentStats]) -> str:
    stats = list(components)
    most = max((c.seconds for c in stats), default=0.0) or 1.0
    rows = [
        cell(c.id, head=True)
        + cell(c.kind)
        + cell(c.documents)
        + cell(c.annotations)
        + f'<td class="n">{duration(c.seconds)}</td>'
        + "".join(_ms(s) for s in (c.seconds / c.documents if c.documents else 0.0, c.p50, c.p95, c.max))
        + cell(c.errors)
        + bar(c.seconds / most)
        for c in stats
    ]
    columns = ["Component", "Role", "#Documents", "#Annotations", "#Total", "#Mean ms", "#p50 ms", "#p95 ms", "#Max ms"]
    caption = "Time in each component, in pipeline order; milliseconds are for one document"
    return f"<h2>Where the time went</h2>{table(caption, [*columns, '#Errors', 'Total'], rows)}"


def _slowest(documents: list[tuple[float, int]]) -> str:
    if not documents:
        return ""
    rows = [cell(number, head=True) + f'<td class="n">{seconds * 1e3:,.1f}</td>' for seconds, number in documents]
    return f"<h2>Slowest documents</h2>{table('By number in reading order', ['#Document', '#ms'], rows)}"


def _failures(report: RunReport, ids: bool, limit: int) -> str:
    if not report.failures:
        return "<h2>Errors</h2><p>None.</p>"
    classes = Counter((f.component, f.cause) for f in report.failures)
    rows = [cell(where, head=True) + cell(cause) + cell(n) for (where, cause), n in _ranked(classes)]
    made = f"<h2>Errors</h2>{table('Documents that were not released', ['Component', 'Error', '#Documents'], rows)}"
    listed = report.failures[:limit]
    if listed:
        columns = ["#Number", *(["Document"] if ids else []), "Component", "Error", *(["Message"] if ids else [])]
        rows = [
            f'<td class="n">{f.number}</td>'
            + (cell(f.document) if ids else "")
            + cell(f.component)
            + cell(f.cause)
            + (cell(f.message) if ids else "")
            for f in listed
        ]
        rest = len(report.failures) - len(listed)
        caption = "Failed documents, by their number in reading order" + (
            f"; {rest:,} more are not listed" if rest else ""
        )
        made += f"<h2>Failed documents</h2>{table(caption, columns, rows)}"
    return made


def _warnings(warnings: list[str]) -> str:
    if not warnings:
        return ""
    return f'<h2>Warnings</h2><ul class="warnings">{"".join(f"<li>{esc(w)}</li>" for w in warnings)}</ul>'


def _configuration(report: RunReport) -> str:
    config = json.dumps(without_secrets(report.config), indent=2, ensure_ascii=False, default=str)
    return (
        f"<h2>Configuration</h2><details><summary>Components and parameters</summary><pre>{esc(config)}</pre></details>"
    )


def _versions(report: RunReport) -> str:
    rows = [cell(name, head=True) + cell(version) for name, version in sorted(report.versions.items())]
    return f"<h2>Versions</h2>{table('', ['Package', 'Version'], rows)}"


def without_secrets(value: Any) -> Any:
    """A configuration without the values of parameters whose name speaks of a secret."""
    if isinstance(value, Mapping):
        return {
            k: "(secret)" if v and any(s in str(k).lower() for s in _SECRETS) else without_secrets(v)
            for k, v in value.items()
        }
    return [without_secrets(v) for v in value] if isinstance(value, list | tuple) else value


def duration(seconds: float) -> str:
    """A duration for people: `85 ms`, `12.4 s`, `3 min 20 s`, `2 h 5 min`."""
    if seconds < 1:
        return f"{seconds * 1000:.3g} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _ms(seconds: float) -> str:
    return f'<td class="n">{seconds * 1000:,.2f}</td>'


def _share(n: int, total: int) -> str:
    return f'<td class="n">{100 * n / total:.1f} %</td>' if total else "<td></td>"


def _ranked(counts: Mapping[Any, int]) -> list[tuple[Any, int]]:
    """Most frequent first, then by name."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
