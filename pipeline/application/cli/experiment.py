"""`caspipe experiment`: runs an experiment from its YAML file and shows where the report lies."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...errors import CaspipeError, ConfigError, Fault
from .command import EXIT_CONFIG, EXIT_FAILED, EXIT_INCOMPLETE, EXIT_INTERRUPTED

if TYPE_CHECKING:
    from ..experiment.plan import Plan
    from ..experiment.run import Summary
    from ..experiment.schedule import Progress

EPILOG = (
    "Examples: `caspipe experiment synthetic-comparison` | `caspipe experiment --list` | "
    "`MEDDOCAN=/data/meddocan caspipe experiment meddocan-learning-curve --repetitions 5 --jobs 2` | "
    "`caspipe experiment my.yaml --set folds=10 --set models.crf.trainer.C=0.001`"
)


def _shipped(incomplete: str) -> list[str]:
    from ..experiment.shipped import names

    return [n for n in names() if n.startswith(incomplete)]


def experiment(
    config: Annotated[
        str | None,
        typer.Argument(metavar="CONFIG", help="YAML file, or the name of a shipped one.", autocompletion=_shipped),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME.PARAM=VALUE", help="Changes anything in the file; may be given again."),
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=0, help="Processes; 0 for one a core. Results do not depend on it.")
    ] = 0,
    output: Annotated[
        Path | None, typer.Option(help="Folder for results and report; out/experiments/NAME where it is left out.")
    ] = None,
    repetitions: Annotated[int | None, typer.Option(min=1, help="Fewer random repetitions than the source's.")] = None,
    limit: Annotated[
        int | None, typer.Option(min=2, metavar="DOCS", help="At most this many documents of each corpus.")
    ] = None,
    plugin: Annotated[
        list[Path] | None, typer.Option("--plugin", metavar="FILE.py", help="Python file with components of yours.")
    ] = None,
    list_: Annotated[
        bool, typer.Option("--list", help="List the shipped experiments and the kinds there are.")
    ] = False,
    check: Annotated[bool, typer.Option("--check", help="Check the file, read no document.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")] = False,
) -> None:
    """Runs an experiment: cross-validation, a sweep, a learning curve, a comparison ... Ctrl-C and run again to resume."""
    from ..experiment.run import run_experiment

    try:
        from ...contract import registry

        for file in plugin or []:
            registry.load_file(str(file))
        if list_ or config is None:
            _list()
            return
        plan = _plan(config, list(set_ or []), repetitions, limit)
        if check:
            typer.echo(f"{plan.name}: {plan.experiment.name} over {', '.join(plan.corpora)}; no faults")
            return
        folder = output or Path("out") / "experiments" / plan.name
        with _progress(quiet) as shown:
            summary = run_experiment(plan, folder, jobs or os.cpu_count() or 1, shown)
    except ConfigError as error:
        _complain("\n".join(map(str, error.faults)))
        raise typer.Exit(EXIT_CONFIG) from None
    except CaspipeError as error:
        _complain(str(error))
        raise typer.Exit(EXIT_FAILED) from None
    except KeyboardInterrupt:
        _complain("interrupted; finished jobs are kept: run the same command to go on")
        raise typer.Exit(EXIT_INTERRUPTED) from None
    if not quiet:
        _summarise(summary)
    for failure in summary.failures[:10]:
        _complain(failure)
    raise typer.Exit(EXIT_INCOMPLETE if summary.failures else 0)


def _plan(config: str, overrides: list[str], repetitions: int | None, limit: int | None) -> Plan:
    from ..experiment.reading import read_plan
    from ..experiment.shipped import locate

    if limit is not None:
        overrides.append(f"limit={limit}")
    path = locate(config)
    if repetitions is not None:
        kind = read_plan(path, overrides).experiment
        if not hasattr(kind, "repetitions"):
            raise ConfigError([Fault("--repetitions", f"{kind.name} has no repetitions")])
        overrides.append(f"experiment.repetitions={repetitions}")
    plan = read_plan(path, overrides)
    plan.given = config
    return plan


def _list() -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from ...contract import registry
    from ...storage.yaml_source import read
    from ..experiment.experiment import Experiment
    from ..experiment.shipped import folder, names

    registry.import_package("caspipe.pipeline.application.experiment.studies")
    shipped = Table("name", "kind", "what", title="Shipped experiments", title_justify="left", box=box.SIMPLE)
    for name in names():
        data = read(folder() / f"{name}.yaml").data
        kind = data["experiment"] if isinstance(data["experiment"], str) else next(iter(data["experiment"]))
        source = f" ({data['source']})" if data.get("source") else ""
        shipped.add_row(*map(Text, (name, str(kind), f"{data.get('title', '')}{source}")))
    kinds = Table("kind", "what", title="Kinds of experiments", title_justify="left", box=box.SIMPLE)
    for cls in registry.parts(Experiment):
        kinds.add_row(*map(Text, (cls.name, (cls.__doc__ or "").strip().split("\n\n")[0].replace("\n    ", " "))))
    console = Console(highlight=False)
    console.print(shipped)
    console.print(kinds)


def _summarise(summary: Summary) -> None:
    for finding in summary.result.findings:
        typer.echo(finding)
    already = f", {summary.skipped:,} of them finished before" if summary.skipped else ""
    typer.echo(f"{summary.done:,} jobs done{already}; {len(summary.result.figures):,} figures")
    if summary.missing:
        typer.echo(summary.missing)
    typer.echo(f"Report: {summary.folder / 'report.html'}")


def _complain(message: str) -> None:
    typer.secho(message, err=True, fg=typer.colors.RED if sys.stderr.isatty() else None)


# -- progress ----------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _progress(quiet: bool) -> Iterator[Progress | None]:
    """A bar with rate and remaining time on a terminal, a plain line every ten seconds elsewhere."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        bar = _Bar()
        try:
            yield bar
        finally:
            bar.stop()
    else:
        yield _Lines()


class _Counted:
    """Jobs of all batches so far, and how fast they end."""

    def __init__(self) -> None:
        self.total = self.finished = self.ended = self.failed = 0
        self.began = time.monotonic()

    def batch(self, jobs: int, finished: int) -> None:
        self.total += jobs
        self.finished += finished

    def done(self, what: str, failed: bool) -> None:
        self.ended += 1
        self.finished += 1
        self.failed += failed

    @property
    def rate(self) -> str:
        minutes = max(time.monotonic() - self.began, 1e-9) / 60
        failed = f", {self.failed} failed" if self.failed else ""
        return f"{self.ended / minutes:,.1f} jobs a minute{failed}"


class _Lines(_Counted):
    """One line every ten seconds."""

    def __init__(self) -> None:
        super().__init__()
        self.last = self.began

    def done(self, what: str, failed: bool) -> None:
        super().done(what, failed)
        now = time.monotonic()
        if now - self.last >= 10:
            self.last = now
            left = (now - self.began) / self.ended * (self.total - self.finished)
            sys.stderr.write(f"{self.finished:,} of {self.total:,} jobs, {self.rate}, {left:,.0f} s left\n")


class _Bar(_Counted):
    """A bar, shown from the first batch on: worker processes start before its thread does."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        super().__init__()
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(elapsed_when_finished=True),
        )
        self.shown = Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
        self.task = self.shown.add_task("jobs", total=None, rate="")

    def batch(self, jobs: int, finished: int) -> None:
        super().batch(jobs, finished)
        self._show("jobs")

    def done(self, what: str, failed: bool) -> None:
        super().done(what, failed)
        self._show(what)

    def _show(self, what: str) -> None:
        self.shown.start()
        self.shown.update(self.task, description=what, completed=self.finished, total=self.total, rate=self.rate)
        self.shown.refresh()

    def stop(self) -> None:
        self.shown.stop()
