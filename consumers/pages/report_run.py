"""The run report's data about the run: how it ended, its time and memory, failures, warnings and configuration."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from ...pipeline.contract.report import ComponentStats, RunReport
from .report_findings import Table, ranked
from .units import duration, megabytes, rate

_SECRETS = ("key", "secret", "password", "token", "salt", "credential")
_REASONS = {
    "error": "a component raised an error",
    "time": "it took longer than a limit allows",
    "memory": "it took more memory than a limit allows",
    "crash": "its worker process died",
    "leak": "the leak gate found masked or known values in the masked text",
    "unreadable": "it could not be read",
    "duplicate": "an earlier document had the same id",
    "undeclared": "a component created annotations that it does not declare",
    "output": "its outputs could not be written",
}


def summary(report: RunReport, *, ids: bool) -> dict[str, Any]:
    """Return the values of the page's header: name, start, how the run ended, its main numbers."""
    d = report.documents
    not_released = d.quarantined + d.skipped
    if stopped_early := bool(report.stopped) and report.stopped != "limit":
        status = f"Stopped early: {_stop_reason(report.stopped, ids)}"
    elif not_released:
        status = f"{not_released:,} of {d.read:,} documents were not released"
    else:
        status = "All documents were released"
    balanced = d.read == d.released + d.quarantined + d.skipped
    return {
        "name": report.name or "pipeline",
        "started": report.started,
        "shard": report.shard,
        "fingerprint": report.fingerprint[:16],
        "status": status,
        "succeeded": not stopped_early and not not_released,
        "limited": report.stopped == "limit",
        "cards": _cards(report),
        "balanced": balanced,
        "balance": f"{d.read:,} read {'=' if balanced else '≠'} {d.released:,} released + {d.quarantined:,} quarantined"
        f" + {d.skipped:,} skipped",
    }


def _cards(report: RunReport) -> list[tuple[str, str, str]]:
    d = report.documents
    cards = [
        ("Documents read", f"{d.read:,}", ""),
        ("Released", f"{d.released:,}", ""),
        ("Quarantined", f"{d.quarantined:,}", "bad" if d.quarantined else ""),
        ("Skipped", f"{d.skipped:,}", "bad" if d.skipped else ""),
        ("Characters released", f"{report.characters:,}", ""),
        ("Duration", duration(report.seconds), ""),
        ("Documents per second", rate(d.read / report.seconds if report.seconds > 0 else 0.0), ""),
    ]
    optional = {
        "Reused from an earlier run": report.reused,
        "Retries": report.attempts,
        "Workers": report.workers,
    }
    cards += [(name, f"{n:,}", "") for name, n in optional.items() if n]
    if report.resident:
        cards.append(("Peak memory of a process", megabytes(max(report.resident.values())), ""))
    return cards


def resources(report: RunReport) -> list[tuple[str, Table]]:
    """Return headings and tables of time and memory, and of the slowest documents."""
    sections = [("Where the time went", _components(report.components))]
    if report.resident:
        highest = max(report.resident.values()) or 1
        memory = [[name, megabytes(size), {"share": size / highest}] for name, size in report.resident.items()]
        caption = "Peak memory of each process; pages that workers share with the main process count for each of them"
        sections.append(("Memory", (caption, ["Process", "#Peak", "Peak"], memory)))
    if report.slowest:
        longest = max(seconds for seconds, _ in report.slowest) or 1.0
        slowest = [[str(n), f"{seconds * 1e3:,.1f}", {"share": seconds / longest}] for seconds, n in report.slowest]
        sections.append(("Slowest documents", ("By number in reading order", ["Document", "#ms", "Time"], slowest)))
    return sections


def _components(components: list[ComponentStats]) -> Table:
    longest = max((c.seconds for c in components), default=0.0) or 1.0
    rows = []
    for c in components:
        times = (c.seconds / c.documents if c.documents else 0.0, c.p50, c.p95, c.max)
        milliseconds = [f"{seconds * 1000:,.2f}" for seconds in times]
        counts = [c.documents, c.annotations, duration(c.seconds)]
        rows.append([c.id, c.kind, *counts, *milliseconds, c.errors, {"share": c.seconds / longest}])
    columns = ["Component", "Role", "#Documents", "#Annotations", "#Total", "#Mean ms", "#p50 ms", "#p95 ms", "#Max ms"]
    caption = "Time in each component, in pipeline order; milliseconds are for one document"
    return caption, [*columns, "#Errors", "Total"], rows


def failures(report: RunReport, *, ids: bool, limit: int) -> list[tuple[str, Table]]:
    """Return headings and tables of the documents that were not released; without `ids`, nothing that may name them."""
    reasons = report.reasons or Counter(f.reason for f in report.failures)
    if not reasons:
        return []
    total = sum(reasons.values())
    by_reason = [[code, _REASONS.get(code, ""), n] for code, n in ranked(reasons)]
    causes = Counter((f.reason, f.component, f.cause) for f in report.failures)
    by_cause = [
        [component, cause, reason, n]
        for (reason, component, cause), n in sorted(causes.items(), key=lambda item: (-item[1], item[0][1:], item[0]))
    ]
    caption = f"The first {len(report.failures):,} of {total:,}" if total > len(report.failures) else ""
    sections = [
        ("Errors", ("Documents that were not released", ["Reason", "Meaning", "#Documents"], by_reason)),
        ("Failures by component", (caption, ["Component", "Error", "Reason", "#Documents"], by_cause)),
    ]
    listed = report.failures[:limit]
    if listed:
        rows = [
            [str(f.number), *([f.document] if ids else []), f.reason, f.component, f.cause]
            + ([f.message] if ids else [])
            for f in listed
        ]
        columns = ["#Number", *(["Document"] if ids else []), "Reason", "Component", "Error"]
        caption = "Failed documents, by their number in reading order"
        caption += f"; {total - len(listed):,} more are not listed" if total > len(listed) else ""
        sections.append(("Failed documents", (caption, [*columns, *(["Message"] if ids else [])], rows)))
    return sections


def warnings(report: RunReport, *, ids: bool) -> tuple[list[str], int]:
    """Return the warnings to show, and the number of others, which may name a document."""
    components = sorted((c.id for c in report.components if "/" in c.id), key=len, reverse=True)
    shown = [w for w in report.warnings if ids or not may_name_a_document(w, components)]
    return shown, len(report.warnings) - len(shown)


def may_name_a_document(warning: str, components: Iterable[str] = ()) -> bool:
    """Return whether a warning may name a document or file. Ids of `components` may contain a slash without being paths."""
    for component in components:
        warning = warning.replace(component, "")
    return re.search(r"[/\\]|^document |\bdocument [^ ]+:|^[^ ]*\.\w+: ", warning) is not None


def _stop_reason(reason: str, ids: bool) -> str:
    """Return why the run stopped; without `ids`, only the component and class of an error, not its message."""
    return reason if ids else ": ".join(reason.split(": ")[:2])


def configuration_text(report: RunReport) -> str:
    """Return components and parameters as JSON, without secrets."""
    return json.dumps(without_secrets(report.config), indent=2, ensure_ascii=False, default=str)


def without_secrets(value: Any) -> Any:
    """Return a configuration without the values of parameters whose name suggests a secret."""
    if isinstance(value, Mapping):
        return {
            k: "(secret)" if v and any(s in str(k).lower() for s in _SECRETS) else without_secrets(v)
            for k, v in value.items()
        }
    return [without_secrets(v) for v in value] if isinstance(value, list | tuple) else value
