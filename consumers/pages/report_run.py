"""The parts of the run report: how the run ended, its pace, time and memory, failures, warnings and configuration, and the tables
about PHI."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from ...pipeline.contract.report import ComponentStats, RunReport
from .rendering import kind_class, render_fragment
from .tally import Tally

Table = tuple[str, list[str], list[list[Any]]]
"""Caption, columns, rows: the arguments of the `table` macro."""
WIDTH, HEIGHT = 720.0, 120.0
_SECRETS = ("key", "secret", "password", "token", "salt", "credential")
_REASONS = {
    "error": "a component raised an error",
    "time": "it took longer than a limit allows",
    "memory": "it took more memory than a limit allows",
    "crash": "its worker process died",
    "leak": "the leak gate found masked or known values in the masked text",
    "scan": "the release scanner found a masked value in its outputs, or in a file that it shares",
    "unreadable": "it could not be read",
    "unreviewed": "its review is not completed, or the run did not finish it",
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
        "Refused by the leak gate": report.reasons.get("leak", 0),
        "Documents repaired by the leak gate": report.repaired_documents,
        "Withdrawn by the release scanner": report.scan.withdrawn,
        "Files withdrawn by the release scanner": report.scan.moved,
        "Reused from an earlier run": report.reused,
        "Retries": report.attempts,
        "Workers": report.workers,
        "Spans added by the leak gate": report.repaired,
    }
    cards += [(name, f"{n:,}", "") for name, n in optional.items() if n]
    if report.resident:
        cards.append(("Peak memory of a process", megabytes(max(report.resident.values())), ""))
    return cards


def scan(report: RunReport) -> tuple[str, list[str]]:
    """Return what the release scanner did, and what was not checked."""
    found = report.scan
    if found.state != "done":
        return f"Not scanned: {found.state}.", []
    searched = f"{found.files:,} files ({found.size:,} bytes) were searched for {found.forms:,} forms of masked values"
    kinds = ", ".join(f"{kind} {n:,}" for kind, n in ranked(found.kinds))
    return f"{searched}; {f'found: {kinds}' if kinds else 'nothing was found'}.", found.not_checked


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


def duration(seconds: float) -> str:
    """Return a duration: `85 ms`, `12.4 s`, `3 min 20 s`, `2 h 5 min`."""
    if seconds < 1:
        return f"{seconds * 1000:.3g} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def rate(each_second: float) -> str:
    """Return documents per second: `1,234`, `7.5`, `0.04`."""
    return f"{each_second:,.0f}" if each_second >= 10 else f"{each_second:.2g}"


def megabytes(size: float) -> str:
    """Return bytes as megabytes of 10^6: `245 MB`, `3.1 MB`."""
    return f"{size / 1e6:,.0f} MB" if size >= 1e7 else f"{size / 1e6:.2g} MB"


def pace_chart(counts: Sequence[int], seconds: float, total: float) -> Markup:
    """Draw a bar for each slice of `seconds`, in which `counts` documents ended; `total` is the length of the run.

    The last slice may be shorter. Empty if there are fewer than two slices.
    """
    if len(counts) < 2 or seconds <= 0:
        return Markup()
    total = min(max(total, (len(counts) - 1) * seconds), len(counts) * seconds)
    lengths = [seconds] * (len(counts) - 1) + [total - (len(counts) - 1) * seconds]
    rates = [n / length if length > seconds / 20 else 0.0 for n, length in zip(counts, lengths, strict=True)]
    highest = max(rates) or 1.0
    bars = []
    for i, (bar_rate, length) in enumerate(zip(rates, lengths, strict=True)):
        width, height = WIDTH * length / total, HEIGHT * bar_rate / highest
        if height > 0:
            bar_width = max(width - min(1.0, width / 5), 0.1)
            bars.append((WIDTH * i * seconds / total, HEIGHT - height, bar_width, height))
    mean = sum(counts) / total
    return render_fragment(
        "pace_chart.html.j2",
        width=WIDTH,
        height=HEIGHT,
        bars=bars,
        mean=HEIGHT - HEIGHT * min(mean / highest, 1.0),
        label=f"{rate(mean)} documents per second on average, {rate(highest)} at most, over {duration(total)}",
        middle=duration(total / 2),
        end=duration(total),
        each=duration(seconds),
    )
