"""The run page's sections on the run itself: how it ended, its pace, time, memory, failures, configuration."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .pace_chart import pace_chart
from .page import bar, cell, esc, table
from .report_findings import ranked
from .units import duration, megabytes, rate

if TYPE_CHECKING:
    from ...pipeline.contract.report import ComponentStats, RunReport

_SECRETS = ("key", "secret", "password", "token", "salt", "credential")
_REASONS = {
    "error": "a component raised an error",
    "time": "it took longer than a limit allows",
    "memory": "it took more memory than a limit allows",
    "crash": "the process that worked on it died",
    "leak": "the leak gate found masked or known values in the masked text",
    "unreadable": "it could not be read",
    "duplicate": "its document id was there before",
    "undeclared": "a component made what it does not declare",
    "output": "its outputs could not be written",
}


def heading(report: RunReport, *, ids: bool) -> str:
    """Name, start, how the run ended, and its main figures."""
    d = report.documents
    if report.stopped and report.stopped != "limit":
        status = f'<span class="status bad">Stopped early: {esc(_stopped(report.stopped, ids))}</span>'
    elif d.quarantined or d.skipped:
        failed = d.quarantined + d.skipped
        status = f'<span class="status bad">{failed:,} of {d.read:,} documents were not released</span>'
    else:
        status = '<span class="status good">All documents were released</span>'
    if report.stopped == "limit":
        status += ' <span class="muted">The run ended at its limit of documents.</span>'
    each_second = d.read / report.seconds if report.seconds > 0 else 0.0
    cards = [
        ("Documents read", f"{d.read:,}", ""),
        ("Released", f"{d.released:,}", ""),
        ("Quarantined", f"{d.quarantined:,}", "bad" if d.quarantined else ""),
        ("Skipped", f"{d.skipped:,}", "bad" if d.skipped else ""),
        ("Characters released", f"{report.characters:,}", ""),
        ("Duration", duration(report.seconds), ""),
        ("Documents a second", rate(each_second), ""),
    ]
    if report.reused:
        cards.append(("Reused of an earlier run", f"{report.reused:,}", ""))
    if report.attempts:
        cards.append(("Retries", f"{report.attempts:,}", ""))
    if report.workers:
        cards.append(("Workers", f"{report.workers:,}", ""))
    if report.resident:
        cards.append(("Most memory of a process", megabytes(max(report.resident.values())), ""))
    shown = "".join(f'<div class="{css}"><dt>{name}</dt><dd>{value}</dd></div>' for name, value, css in cards)
    facts = [f"Started {esc(report.started)}" if report.started else "Start not recorded"]
    facts += [f"shard {esc(report.shard)}"] if report.shard else []
    facts += [f"fingerprint <code>{esc(report.fingerprint[:16])}</code>"] if report.fingerprint else []
    return (
        f'<header><p class="facts">Run report</p><h1>{esc(report.name or "pipeline")}</h1>'
        f'<p class="facts">{" · ".join(facts)}</p>{status}<dl class="cards">{shown}</dl>{_identity(report)}</header>'
    )


def _identity(report: RunReport) -> str:
    """Whether every document that was read is accounted for."""
    d = report.documents
    good = d.read == d.released + d.quarantined + d.skipped
    sides = f"{d.read:,} read {'=' if good else '≠'} {d.released:,} released + {d.quarantined:,} quarantined"
    sides += f" + {d.skipped:,} skipped"
    told = "every document is accounted for" if good else "documents are missing from the account: release nothing"
    mark = "✓" if good else "✗"
    css = "good" if good else "bad"
    return f'<p class="account {css}"><span aria-hidden="true">{mark}</span> {sides}: {told}</p>'


def account(report: RunReport) -> str:
    """The pace of the run over its time."""
    chart = pace_chart(report.pace, report.pace_seconds, report.seconds)
    return f"<h2>Pace</h2>{chart}" if chart else ""


def resources(report: RunReport) -> str:
    """Where time and memory went, and the slowest documents."""
    return _components(report.components) + _memory(report.resident) + _slowest(report.slowest)


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


def _memory(resident: Mapping[str, int]) -> str:
    if not resident:
        return ""
    most = max(resident.values()) or 1
    rows = [
        cell(name, head=True) + f'<td class="n">{megabytes(held)}</td>' + bar(held / most)
        for name, held in resident.items()
    ]
    caption = "The most that each process held; pages that workers share with the run count for each"
    return f"<h2>Memory</h2>{table(caption, ['Process', '#Peak', 'Peak'], rows)}"


def _slowest(documents: list[tuple[float, int]]) -> str:
    if not documents:
        return ""
    most = max(seconds for seconds, _ in documents) or 1.0
    rows = [
        cell(number, head=True) + f'<td class="n">{seconds * 1e3:,.1f}</td>' + bar(seconds / most)
        for seconds, number in documents
    ]
    return f"<h2>Slowest documents</h2>{table('By number in reading order', ['Document', '#ms', 'Time'], rows)}"


def troubles(report: RunReport, *, ids: bool, limit: int) -> str:
    """What was not released and why, and the warnings. Without `ids` nothing that may name a document."""
    return _failures(report, ids, limit) + _warnings(report, ids)


def _failures(report: RunReport, ids: bool, limit: int) -> str:
    reasons = report.reasons or Counter(f.reason for f in report.failures)
    if not reasons:
        return "<h2>Errors</h2><p>None.</p>"
    rows = [cell(code, head=True) + cell(_REASONS.get(code, "")) + cell(n) for code, n in ranked(reasons)]
    made = f"<h2>Errors</h2>{table('Documents that were not released', ['Reason', 'Meaning', '#Documents'], rows)}"
    classes = Counter((f.reason, f.component, f.cause) for f in report.failures)
    rows = [
        cell(where, head=True) + cell(cause) + cell(reason) + cell(n)
        for (reason, where, cause), n in sorted(classes.items(), key=lambda item: (-item[1], item[0][1:], item[0]))
    ]
    told = sum(reasons.values())
    caption = f"The first {len(report.failures):,} of {told:,}" if told > len(report.failures) else ""
    made += f"<h2>Where they failed</h2>{table(caption, ['Component', 'Error', 'Reason', '#Documents'], rows)}"
    listed = report.failures[:limit]
    if listed:
        columns = ["#Number", *(["Document"] if ids else []), "Reason", "Component", "Error"]
        rows = [
            f'<td class="n">{f.number}</td>'
            + (cell(f.document) if ids else "")
            + cell(f.reason)
            + cell(f.component)
            + cell(f.cause)
            + (cell(f.message) if ids else "")
            for f in listed
        ]
        rest = told - len(listed)
        caption = "Failed documents, by their number in reading order"
        caption += f"; {rest:,} more are not listed" if rest > 0 else ""
        made += f"<h2>Failed documents</h2>{table(caption, [*columns, *(['Message'] if ids else [])], rows)}"
    return made


def _warnings(report: RunReport, ids: bool) -> str:
    if not report.warnings:
        return ""
    parts = sorted((c.id for c in report.components if "/" in c.id), key=len, reverse=True)
    shown = [w for w in report.warnings if ids or not may_name_a_document(w, parts)]
    items = "".join(f"<li>{esc(w)}</li>" for w in shown)
    withheld = len(report.warnings) - len(shown)
    if withheld:
        what = "1 warning that may name" if withheld == 1 else f"{withheld:,} warnings that may name"
        items += f'<li class="muted">{what} documents or files: shown only with <code>document_ids</code></li>'
    return f'<h2>Warnings</h2><ul class="warnings">{items}</ul>'


def may_name_a_document(warning: str, components: Iterable[str] = ()) -> bool:
    """Whether a warning speaks of a document or a file. Ids of `components` may hold a slash without being paths."""
    for component in components:
        warning = warning.replace(component, "")
    return re.search(r"[/\\]|^document |\bdocument [^ ]+:|^[^ ]*\.\w+: ", warning) is not None


def _stopped(why: str, ids: bool) -> str:
    """Why the run stopped; without `ids` no more of an error's message than component and class."""
    return why if ids else ": ".join(why.split(": ")[:2])


def configuration(report: RunReport, *, parameters: bool) -> str:
    """Components and parameters, where they are to be shown, and versions."""
    made = ""
    if parameters:
        config = json.dumps(without_secrets(report.config), indent=2, ensure_ascii=False, default=str)
        made = f"<h2>Configuration</h2><details><summary>Components and parameters</summary><pre>{esc(config)}</pre></details>"
    rows = [cell(name, head=True) + cell(version) for name, version in sorted(report.versions.items())]
    return f"{made}<h2>Versions</h2>{table('', ['Package', 'Version'], rows)}"


def without_secrets(value: Any) -> Any:
    """A configuration without the values of parameters whose name speaks of a secret."""
    if isinstance(value, Mapping):
        return {
            k: "(secret)" if v and any(s in str(k).lower() for s in _SECRETS) else without_secrets(v)
            for k, v in value.items()
        }
    return [without_secrets(v) for v in value] if isinstance(value, list | tuple) else value


def _ms(seconds: float) -> str:
    return f'<td class="n">{seconds * 1000:,.2f}</td>'
