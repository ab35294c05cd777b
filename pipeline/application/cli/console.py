"""What the command line shows: progress, tables and coloured spans."""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from ....typesystem import DEIDENTIFIED_VIEW, Cas, MaskedSpan, Phi, PhiCandidate
from ...contract import params, registry
from ...contract.component import AnalysisEngine, Annotator, CasConsumer, CollectionReader, Component, Part
from ...contract.type_hints import inner_classes

if TYPE_CHECKING:
    from ...contract.conformance import Finding
    from ...contract.report import RunReport
    from ...pipeline import Pipeline
    from ...running.ledger import RunRow
    from ...running.runners.watching import Progress

COLOURS = {
    "DATE": "cyan",
    "AGE": "blue",
    "PERSON": "magenta",
    "LOCATION": "green",
    "ORGANIZATION": "green",
    "PROFESSION": "yellow",
    "ID": "red",
    "PHONE": "yellow",
    "FAX": "yellow",
    "EMAIL": "yellow",
    "URL": "yellow",
    "IP": "yellow",
}


def out() -> Console:
    return Console(highlight=False, soft_wrap=True)


@contextlib.contextmanager
def progress(quiet: bool) -> Iterator[Progress | None]:
    """A bar with rate, remaining time, failures and memory on a terminal, a plain line every ten seconds elsewhere."""
    from ...running.observing.progress import shown

    with shown(quiet) as progress:
        yield progress


def stepper(progress: Progress | None, name: str) -> Callable[[int | None], None] | None:
    """A progress bar for documents that are not run: to be called for each, with the number of all where it is known."""
    if progress is None:
        return None
    from ...contract.report import RunReport

    report = RunReport(name=name, started="", versions={}, config={})

    def step(total: int | None) -> None:
        report.documents.read += 1
        progress(report, total)

    return step


def print_report(report: RunReport, pipeline: Pipeline, done: str = "released") -> None:
    """The end of a run: documents, kinds found, where the outputs lie. `done`: what became of those that did not fail."""
    console = out()
    d = report.documents
    rate = d.read / report.seconds if report.seconds else 0.0
    line = f"{d.read:,} documents read, {d.released:,} {done}, {d.quarantined:,} quarantined, {d.skipped:,} skipped"
    console.print(f"[bold]{escape(report.name)}[/]: {line} in {report.seconds:.1f} s ({rate:,.0f}/s)")
    if report.kinds:
        table = Table("kind", "found", box=None, pad_edge=False)
        table.columns[1].justify = "right"
        for kind, n in sorted(report.kinds.items(), key=lambda kv: (-kv[1], kv[0])):
            table.add_row(Text(kind, style=colour(kind)), f"{n:,}")
        console.print(table)
    for warning in report.warnings:
        console.print(f"[yellow]warning:[/] {escape(warning)}")
    print_failures(report, pipeline)
    places = [f"  {c.id}: {where}" for c in pipeline.consumers if (where := _place(c))]
    if places:
        console.print("Outputs:")
        for place in places:
            console.print(place, markup=False)


def print_status(latest: RunRow, counts: dict[tuple[str, str], int], state: str) -> None:
    """How far a run is."""
    console = out()
    done = sum(counts.values())
    of = f" of {latest.total:,}" if latest.total is not None else ""
    part = f", part {latest.shard}" if latest.shard else ""
    console.print(f"[bold]{escape(latest.name)}[/]{escape(part)}: {escape(state)}")
    console.print(f"started {latest.started}" + (f", ended {latest.ended}" if latest.ended else ""))
    console.print(f"{done:,}{of} documents done")
    table = Table("status", "reason", "documents", box=None, pad_edge=False)
    table.columns[2].justify = "right"
    for (status, reason), n in counts.items():
        table.add_row(Text(status, style="green" if status == "released" else "red"), reason, f"{n:,}")
    if counts:
        console.print(table)


def print_failures(report: RunReport, pipeline: Pipeline) -> None:
    """What went wrong, the first ten documents one by one."""
    console = out()
    for f in report.failures[:10]:
        console.print(f"document {f.number}: {f.message}", style="red", markup=False)
    if len(report.failures) > 10:
        console.print(f"... and {len(report.failures) - 10:,} more", style="red")
    if report.documents.quarantined:
        folder = pipeline.options.output / "restricted" / "quarantine"
        console.print(f"Quarantined documents and their reasons: {folder}", markup=False)
    if report.stopped and report.stopped != "limit":
        console.print(f"The run ended early: {report.stopped}", style="red", markup=False)


def _place(consumer: CasConsumer) -> str:
    for field in ("folder", "file"):
        value = getattr(consumer, field, None)
        if value:
            return str(consumer.output / value)
    return ""


def colour(kind: str) -> str:
    return COLOURS.get(kind.partition("_")[0], "white")


def print_spans(cas: Cas) -> None:
    """The text with its spans in colour (in brackets where there is none), the masked text, and a table of the spans."""
    console = out()
    view = cas.view()
    phis: list[Phi] = view.select(Phi)
    plain = not console.is_terminal or console.no_color
    marked, at = Text(), 0
    for phi in phis:
        marked.append(view.text[at : phi.begin])
        inside = view.text[phi.begin : phi.end]
        marked.append(f"[{inside}]" if plain else inside, style=f"bold {colour(phi.kind.name)} reverse")
        marked.append(f"({phi.kind.name})" if plain else f" {phi.kind.name} ", style=colour(phi.kind.name))
        at = phi.end
    marked.append(view.text[at:])
    console.print(marked)
    if cas.has_view(DEIDENTIFIED_VIEW):
        console.print()
        console.print(Text(cas.deidentified))
    if phis:
        console.print()
        table = Table("begin", "end", "kind", "source", "value", box=None, pad_edge=False)
        for phi in phis:
            kind = Text(phi.kind.name, style=colour(phi.kind.name))
            table.add_row(str(phi.begin), str(phi.end), kind, Text(phi.source), Text(phi.value))
        console.print(table)


def print_json(cas: Cas) -> None:
    """The spans and the masked text as one JSON object. Offsets are code points."""
    spans = [
        {
            "begin": p.begin,
            "end": p.end,
            "kind": p.kind.name,
            "source": p.source,
            "confidence": p.confidence,
            "value": p.value,
            "reason": p.reason,
        }
        for p in cas.select(Phi)
    ]
    masked = cas.deidentified if cas.has_view(DEIDENTIFIED_VIEW) else None
    sys.stdout.write(json.dumps({"spans": spans, "masked": masked}, indent=1) + "\n")


def print_counts(pipeline: Pipeline, stop_after: str) -> None:
    """Runs up to one engine over the reader's documents and counts what each type has."""
    from ...errors import ConfigError, Fault, ReaderError, nearest

    ids = [e.id for e in pipeline.engines]
    if stop_after not in ids:
        hint = nearest(stop_after, ids) or f"; expected one of {', '.join(ids)}"
        raise ConfigError([Fault("--stop-after", f"no engine called {stop_after!r}{hint}")])
    if pipeline.reader is None:
        raise ReaderError(f"pipeline {pipeline.name} has no reader")
    counts: dict[tuple[str, str, str], int] = {}
    documents = 0
    pipeline.reader.failed = []
    pipeline.reader.open()
    for cas in pipeline.reader:
        documents += 1
        pipeline.process(cas, stop_after=stop_after)
        for view in cas.views:
            for type_ in view.types():
                for item in view.select(type_):
                    if type(item) is type_:
                        key = (view.name, type_.__name__, getattr(item, "_source", ""))
                        counts[key] = counts.get(key, 0) + 1
    pipeline.reader.close()
    table = Table("view", "type", "source", "count", box=None, pad_edge=False)
    for (view_name, name, source), n in sorted(counts.items()):
        table.add_row(*map(Text, (view_name, name, source, f"{n:,}")))
    console = out()
    console.print(f"{documents:,} documents, engines up to {stop_after}")
    console.print(table)


def print_components(classes: list[type[Component]]) -> None:
    """All components by role."""
    console = out()
    roles = (
        ("Readers", CollectionReader),
        ("Annotators", Annotator),
        ("Engines", AnalysisEngine),
        ("Consumers", CasConsumer),
    )
    for title, role in roles:
        table = Table("name", "", title=title, title_justify="left", title_style="bold", box=None, show_header=False)
        for cls in classes:
            if issubclass(cls, role):
                table.add_row(Text(cls.name, style="cyan"), Text(_first_sentence(cls)))
        console.print(table)


def _first_sentence(cls: type[Any]) -> str:
    paragraph = " ".join((cls.__doc__ or "").strip().partition("\n\n")[0].split())
    end = re.search(r"\.(?= [A-Z])", paragraph)
    return paragraph[: end.end()] if end else paragraph


def print_component(cls: type[Component]) -> None:
    """One component with its parameters and, where it takes parts, their parameters."""
    import inspect

    console = out()
    console.print(f"[bold cyan]{cls.name}[/]  {cls.role}  ({cls.__module__}:{cls.__qualname__})")
    console.print(inspect.cleandoc(cls.__doc__ or ""), markup=False)
    console.print(f"needs: {', '.join(t.__name__ for t in cls.inputs) or 'nothing'}")
    console.print(f"makes: {', '.join(t.__name__ for t in cls.outputs) or 'nothing'}")
    _print_parameters(console, cls)
    families = [c for p in params.parameters(cls) for c in inner_classes(p.hint) if issubclass(c, Part)]
    for family in dict.fromkeys(families):
        for part in registry.parts(family):
            console.print(f"\n[bold]{family.__name__.lower()} {part.name}[/]: {escape(_first_sentence(part))}")
            _print_parameters(console, part)


def _print_parameters(console: Console, cls: type[Any]) -> None:
    table = Table("parameter", "type", "default", "", box=None, pad_edge=False)
    for p in params.parameters(cls):
        default = "required" if p.required else "" if p.default is None else _shown(p.default)
        table.add_row(Text(p.name, style="cyan"), Text(p.type_name), Text(default), Text(p.doc))
    if table.row_count:
        console.print(table)


def _shown(value: Any) -> str:
    if isinstance(value, Part):
        return value.name
    return str(value) if not isinstance(value, str) else repr(value)


def print_findings(findings: list[Finding]) -> None:
    """The contract battery's result, one line a check."""
    console = out()
    for f in findings:
        mark = "[red]FAIL[/]" if f.fault else "[green]ok[/]  "
        console.print(f"{mark} {escape(f.component)}: {escape(f.check)}")
        if f.fault:
            console.print(f"     {f.fault}", markup=False)
    bad = sum(bool(f.fault) for f in findings)
    console.print(f"{len(findings) - bad} of {len(findings)} checks passed")


def print_why(cas: Cas, offset: int, show_text: bool) -> None:
    """Everything at one place: candidates with their reasons, the final span, what replaced it."""
    console = out()
    view = cas.view()
    here = (offset, offset + 1)
    line, column = view.line_column(offset)
    console.print(f"offset {offset} (line {line}, column {column})")
    table = Table("component", "kind", "span", "rule", "confidence", "what became of it", box=None, pad_edge=False)
    candidates: list[PhiCandidate] = view.select(PhiCandidate, overlapping=here)
    for c in candidates:
        span = f"{c.begin}:{c.end}" + (f" {c.covered_text!r}" if show_text else "")
        cells = (c.source, c.kind.name, span, c.rule, f"{c.confidence:.2f}", c.reason)
        table.add_row(*map(Text, cells))
    if candidates:
        console.print(table)
    else:
        console.print("no component saw anything here")
    for phi in view.select(Phi, overlapping=here):
        console.print(f"final: {phi.kind.name} {phi.begin}:{phi.end} from {phi.source}: {phi.reason}", markup=False)
    others = [a for a in view.select("uima.tcas.Annotation", overlapping=here) if not isinstance(a, Phi | PhiCandidate)]
    for a in others:
        console.print(
            f"also: {type(a).__name__} {a.begin}:{a.end}" + (f" from {a.source}" if a.source else ""), markup=False
        )
    if cas.has_view(DEIDENTIFIED_VIEW):
        for m in cas.view(DEIDENTIFIED_VIEW).select(MaskedSpan):
            if m.original_begin <= offset < m.original_end:
                fallback = f" ({m.fallback})" if m.fallback else ""
                console.print(f"masked by: {m.operator}{fallback}", markup=False)
