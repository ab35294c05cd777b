"""The commands around a run: `caspipe run`, `status`, `retry`, `merge`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .command import Config, Plugin, Set, Verify, choices, guarded, load

if TYPE_CHECKING:
    from ...contract.report import RunReport
    from ...pipeline import Pipeline

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")]
Workers = Annotated[
    str, typer.Option("--workers", "-w", metavar="N", help="Worker processes; 0: none; auto: as many as pay.")
]
LedgerFile = Annotated[
    Path | None, typer.Option("--ledger", metavar="FILE", help="Ledger elsewhere than in the output folder.")
]
Events = Annotated[
    Path | None, typer.Option("--events", metavar="FILE", help="Writes a line of JSON for each thing that happens.")
]
Metrics = Annotated[
    Path | None, typer.Option("--metrics", metavar="FILE", help="Writes OpenMetrics every few seconds.")
]


def run(
    config: Config = "deidentify",
    set_: Set = None,
    plugin: Plugin = None,
    verify: Verify = None,
    workers: Workers = "",
    resume: Annotated[
        bool, typer.Option("--resume", help="Takes over what an earlier run into the same folder finished.")
    ] = False,
    shard: Annotated[
        str, typer.Option("--shard", metavar="K/N", help="Only part K of N; `caspipe merge` puts the parts together.")
    ] = "",
    ledger: LedgerFile = None,
    runner: Annotated[
        str, typer.Option("--runner", help="local or spark.", autocompletion=choices("local", "spark"))
    ] = "",
    events: Events = None,
    metrics: Metrics = None,
    stop_after: Annotated[
        str, typer.Option(metavar="ID", help="Run engines up to this one, no consumers, and count what is there.")
    ] = "",
    quiet: Quiet = False,
) -> None:
    """Runs a pipeline: reader, engines, consumers."""
    from . import console

    given = _options(workers=workers, shard=shard, ledger=ledger, runner=runner, events=events, metrics=metrics)
    pipeline = load(config, [*(set_ or []), *given, *(["run.resume=true"] if resume else [])], plugin, verify)
    if stop_after:
        console.print_counts(pipeline, stop_after)
        return
    _run(pipeline, quiet)


def retry(
    config: Config = "deidentify",
    set_: Set = None,
    plugin: Plugin = None,
    verify: Verify = None,
    quarantined: Annotated[
        bool, typer.Option("--quarantined", help="Documents that were quarantined are tried again.")
    ] = True,
    workers: Workers = "",
    ledger: LedgerFile = None,
    quiet: Quiet = False,
) -> None:
    """Runs a pipeline once more for the documents that were not released, and for what has changed since."""
    given = _options(workers=workers, ledger=ledger)
    again = ["run.resume=true", f"run.retry_quarantined={str(quarantined).lower()}"]
    _run(load(config, [*(set_ or []), *given, *again], plugin, verify), quiet)


def merge(
    config: Config = "deidentify",
    set_: Set = None,
    plugin: Plugin = None,
    verify: Verify = None,
    keep: Annotated[bool, typer.Option("--keep", help="The folders of the parts stay.")] = False,
    quiet: Quiet = False,
) -> None:
    """Puts the parts of a run together that `caspipe run --shard` made."""
    from ...running.ledger.merging import merge as merged
    from . import console

    pipeline = load(config, set_, plugin, verify)
    with console.progress(quiet) as progress:
        report = merged(pipeline, keep=keep, progress=progress)
    _end(report, pipeline, quiet)


def status(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Output folder of a run, or a ledger.")] = Path(
        "out"
    ),
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Tells how far a run into a folder is: documents done, failures by reason, speed."""
    from ...running.ledger import Ledger
    from . import console

    with Ledger.read(folder) as ledger:
        latest, counts, busy = ledger.run(), ledger.counts(), ledger.in_use()
    if as_json:
        told: dict[str, Any] = {
            "name": latest.name,
            "started": latest.started,
            "ended": latest.ended,
            "state": _state(latest.state, busy),
            "shard": latest.shard,
            "total": latest.total,
            "documents": {s: sum(n for (t, _), n in counts.items() if t == s) for s in sorted({s for s, _ in counts})},
            "reasons": {r: n for (_, r), n in counts.items() if r},
            "fingerprint": latest.fingerprint.partition(":")[0],
            "code": latest.code,
        }
        sys.stdout.write(json.dumps(told, indent=1) + "\n")
    else:
        console.print_status(latest, counts, _state(latest.state, busy))


def _state(state: str, busy: bool) -> str:
    if state != "running":
        return state
    return "running" if busy else "cut off: `--resume` goes on"


def _options(**given: Any) -> list[str]:
    """Options of the command line as overrides of `run:`."""
    return [f"run.{name}={value}" for name, value in given.items() if value not in ("", None)]


def _run(pipeline: Pipeline, quiet: bool) -> None:
    from . import console

    with console.progress(quiet) as progress:
        report = pipeline.run(progress)
    _end(report, pipeline, quiet)


def _end(report: RunReport, pipeline: Pipeline, quiet: bool) -> None:
    from . import console

    if not quiet:
        console.print_report(report, pipeline)
    elif report.exit_code:
        console.print_failures(report, pipeline)
    raise typer.Exit(report.exit_code)


def mount(app: typer.Typer) -> None:
    """Puts the commands under `caspipe`."""
    app.command(
        epilog="Examples: `caspipe run deidentify` | "
        "`caspipe run my.yaml --set reader.text.folder=notes --set run.output=there` | "
        "`caspipe run my.yaml --resume --workers 8` | `caspipe run my.yaml --shard 3/64`"
    )(guarded(run))
    app.command(epilog="Examples: `caspipe status` | `caspipe status there --json`")(guarded(status))
    app.command(epilog="Example: `caspipe retry my.yaml --quarantined`")(guarded(retry))
    app.command(epilog="Example: `caspipe merge my.yaml --set run.output=there`")(guarded(merge))
