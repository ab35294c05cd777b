"""`caspipe run`, and the commands around a run: `status`, `retry`, `merge`."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.text import Text

from ...contract.report import RunReport
from ...errors import ConfigError, ReaderError
from ...pipeline import Pipeline
from ...running.ledger import LedgerReader, RunRow, merging
from ..audit.after_review import ReviewedRelease, reviewed_release
from . import console
from .command import CommandApp
from .options import (
    Config,
    Pages,
    Plugin,
    Quiet,
    Set,
    SiteFile,
    SourcePath,
    Surrogates,
    Trust,
    Verify,
    choices,
    load,
    name_faults,
    overrides_of,
)

app = CommandApp()

Workers = Annotated[
    str,
    typer.Option(
        "--workers", "-w", metavar="N", help="Worker processes; 0: none; auto: as many as are worth starting."
    ),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FOLDER", help="Folder for all outputs.", show_default=False)
]
LedgerFile = Annotated[Path | None, typer.Option("--ledger", metavar="FILE", help="Ledger outside the output folder.")]
Events = Annotated[
    Path | None, typer.Option("--events", metavar="FILE", help="Write each event of the run as a line of JSON.")
]
ReplaceRelease = Annotated[
    bool,
    typer.Option(
        "--replace-release", help="Replace a release that was made from reviewed documents, without their decisions."
    ),
]
Metrics = Annotated[Path | None, typer.Option("--metrics", metavar="FILE", help="Write OpenMetrics every few seconds.")]


@app.command(
    epilog="Examples: `caspipe run deidentify notes` | `caspipe run my.yaml notes --output there` | "
    "`caspipe run deidentify --surrogates` | `caspipe run deidentify notes --html` | "
    "`caspipe run my.yaml --resume --workers 8` | `caspipe run my.yaml --shard 3/64`"
)
def run(
    config: Config = "deidentify",
    source: SourcePath = None,
    output: Output = None,
    set_: Set = None,
    site: SiteFile = None,
    plugin: Plugin = None,
    verify: Verify = None,
    trust: Trust = False,
    workers: Workers = "",
    resume: Annotated[
        bool, typer.Option("--resume", help="Keep what an earlier run into the same folder finished.")
    ] = False,
    shard: Annotated[
        str, typer.Option("--shard", metavar="K/N", help="Run part K of N only; `caspipe merge` combines the parts.")
    ] = "",
    ledger: LedgerFile = None,
    runner: Annotated[
        str, typer.Option("--runner", help="local or spark.", autocompletion=choices("local", "spark"))
    ] = "",
    events: Events = None,
    metrics: Metrics = None,
    show_output: Annotated[
        bool, typer.Option("--show-output", help="Show what components print, which may quote documents.")
    ] = False,
    stop_after: Annotated[
        str, typer.Option(metavar="ID", help="Run engines up to this one and no consumers, then count the annotations.")
    ] = "",
    surrogates: Surrogates = False,
    html: Pages = False,
    replace_release: ReplaceRelease = False,
    quiet: Quiet = False,
) -> None:
    """Run a pipeline: reader, engines, consumers."""
    given = overrides_of(set_, source=source, site=site, surrogates=surrogates, html=html)
    options = _run_options(
        output=output, workers=workers, shard=shard, ledger=ledger, runner=runner, events=events, metrics=metrics
    )
    flags = (("resume", resume), ("show_output", show_output), ("replace_release", replace_release))
    options += [f"run.{name}=true" for name, wanted in flags if wanted]
    pipeline = load(config, [*given, *options], plugin, verify, trust=trust)
    if stop_after:
        _print_counts(pipeline, stop_after)
    else:
        _end(console.run(pipeline, quiet), pipeline, quiet)


@app.command(epilog="Examples: `caspipe status` | `caspipe status there --json`")
def status(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Output folder of a run, or a ledger.")] = Path(
        "out"
    ),
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Show the progress of a run: documents done, failures by reason, speed."""
    with LedgerReader.read(folder) as ledger:
        latest, counts, busy = ledger.run(), ledger.counts(), ledger.in_use()
    state = latest.state
    if state == "running" and not busy:
        state = "interrupted: `--resume` continues it"
    reviewed = reviewed_release(folder) if folder.is_dir() else None
    if as_json:
        typer.echo(json.dumps(_as_json(latest, counts, state, reviewed), indent=1))
    else:
        _print_status(latest, counts, state)
        if reviewed is not None:
            _print_reviewed(reviewed)


@app.command(epilog="Example: `caspipe retry my.yaml notes --quarantined`")
def retry(
    config: Config = "deidentify",
    source: SourcePath = None,
    output: Output = None,
    set_: Set = None,
    site: SiteFile = None,
    plugin: Plugin = None,
    verify: Verify = None,
    trust: Trust = False,
    quarantined: Annotated[bool, typer.Option("--quarantined", help="Retry documents that were quarantined.")] = True,
    workers: Workers = "",
    ledger: LedgerFile = None,
    surrogates: Surrogates = False,
    html: Pages = False,
    replace_release: ReplaceRelease = False,
    quiet: Quiet = False,
) -> None:
    """Run a pipeline again for documents that were not released, and for those that have changed since."""
    given = overrides_of(set_, source=source, site=site, surrogates=surrogates, html=html)
    options = _run_options(output=output, workers=workers, ledger=ledger, replace_release=_flag(replace_release))
    again = ["run.resume=true", f"run.retry_quarantined={str(quarantined).lower()}"]
    pipeline = load(config, [*given, *options, *again], plugin, verify, trust=trust)
    _end(console.run(pipeline, quiet), pipeline, quiet)


@app.command(epilog="Example: `caspipe merge my.yaml notes --output there`")
def merge(
    config: Config = "deidentify",
    source: SourcePath = None,
    output: Output = None,
    set_: Set = None,
    site: SiteFile = None,
    plugin: Plugin = None,
    verify: Verify = None,
    trust: Trust = False,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the folders of the parts.")] = False,
    surrogates: Surrogates = False,
    html: Pages = False,
    replace_release: ReplaceRelease = False,
    quiet: Quiet = False,
) -> None:
    """Combine the parts of a run that `caspipe run --shard` made."""
    given = overrides_of(set_, source=source, site=site, surrogates=surrogates, html=html)
    options = _run_options(output=output, replace_release=_flag(replace_release))
    pipeline = load(config, [*given, *options], plugin, verify, trust=trust)
    with console.progress(quiet) as progress:
        report = merging.merge(pipeline, keep=keep, progress=progress)
    _end(report, pipeline, quiet)


def _run_options(**values: Any) -> list[str]:
    """Return command-line options as overrides of the section `run`."""
    return [f"run.{name}={value}" for name, value in values.items() if value not in ("", None)]


def _flag(wanted: bool) -> str:
    return "true" if wanted else ""


def _end(report: RunReport, pipeline: Pipeline, quiet: bool) -> None:
    with console.readers_may_leave():
        if not quiet:
            console.print_report(report, pipeline)
        elif report.exit_code:
            console.print_failures(report, pipeline)
    raise typer.Exit(report.exit_code)


def _as_json(
    latest: RunRow, counts: dict[tuple[str, str], int], state: str, reviewed: ReviewedRelease | None
) -> dict[str, Any]:
    return {
        "name": latest.name,
        "started": latest.started,
        "ended": latest.ended,
        "state": state,
        "shard": latest.shard,
        "total": latest.total,
        "documents": {s: sum(n for (t, _), n in counts.items() if t == s) for s in sorted({s for s, _ in counts})},
        "reasons": {reason: n for (_, reason), n in counts.items() if reason},
        "fingerprint": latest.fingerprint.partition(":")[0],
        "code": latest.code,
        "reviewed_release": None
        if reviewed is None
        else {"by": dict(reviewed.by), "ended": reviewed.ended, "documents": reviewed.documents},
    }


def _print_status(latest: RunRow, counts: dict[tuple[str, str], int], state: str) -> None:
    out = console.out()
    of = f" of {latest.total:,}" if latest.total is not None else ""
    part = f", part {latest.shard}" if latest.shard else ""
    out.print(f"[bold]{escape(latest.name)}[/]{escape(part)}: {escape(state)}")
    out.print(f"started {latest.started}" + (f", ended {latest.ended}" if latest.ended else ""))
    out.print(f"{sum(counts.values()):,}{of} documents done")
    rows = [
        (Text(outcome, style="green" if outcome == "released" else "red"), reason, f"{n:,}")
        for (outcome, reason), n in counts.items()
    ]
    if rows:
        out.print(console.table(("status", "reason", "documents"), rows, right=[2]))


def _print_reviewed(reviewed: ReviewedRelease) -> None:
    """Say that the release is not the one that the run made."""
    by = ", ".join(f"{name} ({n:,} entries)" for name, n in reviewed.by.items())
    when = f" on {reviewed.ended}" if reviewed.ended else ""
    documents = f", {reviewed.documents:,} documents" if reviewed.documents is not None else ""
    made = (
        f"release/ was made after this run{when}, from {f'the review by {by}' if by else 'edited documents'}{documents}"
    )
    console.out().print(made, markup=False, highlight=False, soft_wrap=True)


def _print_counts(pipeline: Pipeline, stop_after: str) -> None:
    """Run the engines up to one over the reader's documents, and print the number of annotations of each type."""
    ids = [e.id for e in pipeline.engines]
    if faults := name_faults("--stop-after", "no engine", [stop_after], ids):
        raise ConfigError(faults)
    if pipeline.reader is None:
        raise ReaderError(f"pipeline {pipeline.name} has no reader")
    counts: Counter[tuple[str, str, str]] = Counter()
    documents = 0
    pipeline.reader.failed = []
    pipeline.reader.open()
    for cas in pipeline.reader:
        documents += 1
        pipeline.process(cas, stop_after=stop_after)
        for view in cas.views:
            for item in view:
                counts[view.name, type(item).__name__, getattr(item, "source", "")] += 1
    pipeline.reader.close()
    out = console.out()
    out.print(f"{documents:,} documents, engines up to {stop_after}")
    rows = ([*key, f"{n:,}"] for key, n in sorted(counts.items()))
    out.print(console.table(("view", "type", "source", "count"), rows))
