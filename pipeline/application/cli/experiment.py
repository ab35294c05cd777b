"""`caspipe experiment`: run an experiment from its YAML file and write a report."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as ProgressBar

from ...contract import registry
from ...errors import ConfigError, Fault
from ...storage.yaml_source import read
from ..experiment import shipped
from ..experiment.experiment import Experiment
from ..experiment.plan import Plan
from ..experiment.reading import read_plan
from ..experiment.run import Summary, run_experiment
from ..experiment.scheduler import Progress
from . import console
from .command import EXIT_INCOMPLETE, EXIT_INTERRUPTED, CommandApp, complain
from .options import Plugin, Quiet, choices, load_plugins

app = CommandApp()


def shipped_experiments(incomplete: str) -> list[str]:
    return choices(*shipped.names())(incomplete)


@app.command(
    epilog="Examples: `caspipe experiment synthetic-comparison` | `caspipe experiment --list` | "
    "`MEDDOCAN=/data/meddocan caspipe experiment meddocan-learning-curve --repetitions 5 --jobs 2` | "
    "`caspipe experiment my.yaml --set folds=10 --set models.crf.trainer.C=0.001`"
)
def experiment(
    config: Annotated[
        str | None,
        typer.Argument(
            metavar="CONFIG", help="YAML file, or the name of a shipped one.", autocompletion=shipped_experiments
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME.PARAM=VALUE", help="Change anything in the file; repeatable."),
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=0, help="Processes; 0 for one per core. Results do not depend on it.")
    ] = 0,
    output: Annotated[
        Path | None, typer.Option(help="Folder for results and report; default: out/experiments/NAME.")
    ] = None,
    repetitions: Annotated[int | None, typer.Option(min=1, help="Fewer random repetitions than the source's.")] = None,
    limit: Annotated[
        int | None, typer.Option(min=2, metavar="DOCS", help="At most this many documents of each corpus.")
    ] = None,
    plugin: Plugin = None,
    list_: Annotated[bool, typer.Option("--list", help="List the shipped experiments and the kinds.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Check the file, read no document.")] = False,
    quiet: Quiet = False,
) -> None:
    """Run or resume an experiment such as a cross-validation, a learning curve or a comparison."""
    load_plugins(plugin)
    if list_ or config is None:
        _list()
        return
    try:
        plan = _plan(config, list(set_ or []), repetitions, limit)
        if check:
            typer.echo(f"{plan.name}: {plan.experiment.name} over {', '.join(plan.corpora)}; no faults")
            return
        folder = output or Path("out") / "experiments" / plan.name
        with _progress(quiet) as display:
            summary = run_experiment(plan, folder, jobs or os.cpu_count() or 1, display)
    except KeyboardInterrupt:
        complain("interrupted; finished jobs are kept: run the same command again to continue")
        raise typer.Exit(EXIT_INTERRUPTED) from None
    if not quiet:
        _summarize(summary)
    for failure in summary.failures[:10]:
        complain(failure)
    raise typer.Exit(EXIT_INCOMPLETE if summary.failures else 0)


def _plan(config: str, overrides: list[str], repetitions: int | None, limit: int | None) -> Plan:
    if limit is not None:
        overrides.append(f"limit={limit}")
    path = shipped.locate(config)
    if repetitions is not None:
        kind = read_plan(path, overrides).experiment
        if not hasattr(kind, "repetitions"):
            raise ConfigError([Fault("--repetitions", f"{kind.name} has no repetitions")])
        overrides.append(f"experiment.repetitions={repetitions}")
    plan = read_plan(path, overrides)
    plan.given = config
    return plan


def _list() -> None:
    registry.import_package("caspipe.pipeline.application.experiment.studies")
    experiments = []
    for name in shipped.names():
        data = read(shipped.folder() / f"{name}.yaml").data
        kind = data["experiment"] if isinstance(data["experiment"], str) else next(iter(data["experiment"]))
        source = f" ({data['source']})" if data.get("source") else ""
        experiments.append((name, str(kind), f"{data.get('title', '')}{source}"))
    kinds = [
        (cls.name, (cls.__doc__ or "").strip().split("\n\n")[0].replace("\n    ", " "))
        for cls in registry.parts(Experiment)
    ]
    out = Console(highlight=False)
    out.print(console.boxed_table(("name", "kind", "content"), experiments, title="Shipped experiments"))
    out.print(console.boxed_table(("kind", "content"), kinds, title="Kinds of experiments"))


def _summarize(summary: Summary) -> None:
    for finding in summary.result.findings:
        typer.echo(finding)
    already = f", {summary.skipped:,} of them finished before" if summary.skipped else ""
    typer.echo(f"{summary.done:,} jobs done{already}; {len(summary.result.figures):,} figures")
    if summary.missing:
        typer.echo(summary.missing)
    typer.echo(f"Report: {summary.folder / 'report.html'}")


# -- progress ----------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _progress(quiet: bool) -> Iterator[_JobProgress | None]:
    """Yield the display of a run, which is removed at its end."""
    display = None if quiet else _JobProgress()
    try:
        yield display
    finally:
        if display is not None and display.bar is not None:
            display.bar.stop()


class _JobProgress(Progress):
    """Show the jobs of all batches with rate and remaining time: a bar on a terminal, else a line every ten seconds.

    The bar is shown from the first batch on: worker processes must start before its thread does.
    """

    def __init__(self) -> None:
        self.total = self.finished = self.ended = self.failed = 0
        self.began = self.last = time.monotonic()
        self.bar = _bar() if sys.stderr.isatty() else None

    def batch(self, jobs: int, finished: int) -> None:
        self.total += jobs
        self.finished += finished
        if self.bar is not None:
            self._update(self.bar, "jobs")

    def done(self, name: str, failed: bool) -> None:
        self.ended += 1
        self.finished += 1
        self.failed += failed
        now = time.monotonic()
        if self.bar is not None:
            self._update(self.bar, name)
        elif now - self.last >= 10:
            self.last = now
            left = (now - self.began) / self.ended * (self.total - self.finished)
            sys.stderr.write(f"{self.finished:,} of {self.total:,} jobs, {self.rate}, {left:,.0f} s left\n")

    @property
    def rate(self) -> str:
        minutes = max(time.monotonic() - self.began, 1e-9) / 60
        failed = f", {self.failed} failed" if self.failed else ""
        return f"{self.ended / minutes:,.1f} jobs a minute{failed}"

    def _update(self, bar: ProgressBar, what: str) -> None:
        bar.start()
        bar.update(bar.task_ids[0], description=what, completed=self.finished, total=self.total, rate=self.rate)
        bar.refresh()


def _bar() -> ProgressBar:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    bar = ProgressBar(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
    bar.add_task("jobs", total=None, rate="")
    return bar
