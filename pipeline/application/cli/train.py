"""`caspipe train`: runs a training pipeline and shows how the training goes and what came of it."""

from __future__ import annotations

import contextlib
import importlib
import json
import logging
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from ...errors import ConfigError, Fault
from .command import EXIT_INTERRUPTED, guarded, load

if TYPE_CHECKING:
    from ...contract.component import CasConsumer
    from ...contract.report import RunReport
    from ...pipeline import Pipeline
    from ...running.runners.watching import Progress

ENDED_WELL = ("", "limit")
"""What `stopped` says in the report of a run that went as asked."""

TO_ADD = (
    "a training pipeline needs a trainer among its consumers, for example "
    "`consumers: [{crf_trainer: {model: models/my-crf}}]`; trainers: "
)


class _ConfigFirst(TyperGroup):
    """A group whose first argument may also be a configuration: `caspipe train my.yaml` is `caspipe train pipeline my.yaml`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = ["pipeline", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_ConfigFirst,
    help="Trains models: `caspipe train CONFIG` runs a training pipeline.",
    epilog="Examples: `caspipe train my-training.yaml` | `caspipe train my-training.yaml --set crf_trainer.c1=0.1` | "
    "`caspipe train pipeline --help` for the options",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)


def _configs(incomplete: str) -> list[str]:
    from ...assembly.shipped import names

    return [n for n in names() if n.startswith(incomplete)]


@app.command(
    "pipeline",
    epilog="Examples: `caspipe train my-training.yaml` | `caspipe train my-training.yaml --set run.limit=100 "
    "--set crf_trainer.model=models/small`; then `caspipe model info out/models/small` and `crf: {model: out/models/small}`",
)
@guarded
def pipeline_(
    config: Annotated[
        str,
        typer.Argument(
            metavar="CONFIG", help="YAML file, or the name of a shipped one; with a trainer.", autocompletion=_configs
        ),
    ],
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME.PARAM=VALUE", help="Overrides a parameter; may be given again."),
    ] = None,
    plugin: Annotated[
        list[Path] | None, typer.Option("--plugin", metavar="FILE.py", help="Python file with components of yours.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")] = False,
) -> None:
    """Runs a training pipeline: reads the corpus, trains, writes the model bundle."""
    from . import console

    pipeline = load(config, set_, plugin)
    trainers = _trainers(pipeline, config)
    try:
        with shown(quiet) as progress:
            report = pipeline.run(progress)
    except KeyboardInterrupt:
        typer.secho("interrupted: no model was written", err=True)
        raise typer.Exit(EXIT_INTERRUPTED) from None
    if report.stopped == "interrupted":
        typer.secho("interrupted: no model was written", err=True)
        raise typer.Exit(EXIT_INTERRUPTED)
    if not quiet:
        _summary(report, pipeline, trainers)
    elif report.exit_code:
        console.print_failures(report, pipeline)
    raise typer.Exit(report.exit_code)


def _trainers(pipeline: Pipeline, config: str) -> list[CasConsumer]:
    """The consumers that train. Raises ConfigError where there is none, with what to add."""
    from ...contract import registry

    found = [c for c in pipeline.consumers if _trains(type(c))]
    if not found:
        names = [c.name for c in registry.components() if _trains(c)]
        place = pipeline.config.file if pipeline.config is not None else config
        raise ConfigError([Fault("consumers", f"{TO_ADD}{', '.join(names)}", place)])
    return found


def _trains(cls: type[Any]) -> bool:
    """A consumer that says what its models are applied by is a trainer."""
    from ...contract.component import CasConsumer

    return issubclass(cls, CasConsumer) and bool(getattr(cls, "trained_as", ""))


@contextlib.contextmanager
def shown(quiet: bool) -> Iterator[Progress | None]:
    """Shows how reading and training go: bars on a terminal, else a line every ten seconds.

    Gives the progress function of the run; training is what trainers tell the log `caspipe.training`.
    """
    from . import console

    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _bars() as (progress, handler), _listening(handler):
            yield progress
    else:
        with console.progress(False) as progress, _listening(_Lines()):
            yield progress


@contextlib.contextmanager
def _listening(handler: logging.Handler) -> Iterator[None]:
    log = logging.getLogger("caspipe.training")
    before = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(before)


def told(record: logging.LogRecord) -> str:
    """What a record of a training says, for people; empty for records that are no news."""
    said = record.__dict__
    if record.getMessage() == "iteration":
        of = f" of {said['of']:,}" if said.get("of") else ""
        loss = f", loss {said['loss']:,.1f}" if said.get("loss") is not None else ""
        held = f", {said['accuracy']:.2%} of held-out labels right" if said.get("accuracy") is not None else ""
        return f"iteration {said['iteration']:,}{of}{loss}{held}"
    if record.getMessage() == "epoch":
        held = f", held-out F1 {said['f1']:.2%}, token recall {said['token_recall']:.2%}" if "f1" in said else ""
        return f"epoch {said['epoch']:,} of {said['of']:,}, loss {said['loss']:,.3f}{held}, {said['seconds']:,.0f} s"
    if record.getMessage() == "matrix":
        return f"{said['tokens']:,} tokens, {said['attributes']:,} attributes"
    return ""


class _Lines(logging.Handler):
    """At most one line every ten seconds."""

    def __init__(self) -> None:
        super().__init__()
        self.began = self.last = time.monotonic()

    def emit(self, record: logging.LogRecord) -> None:
        now, text = time.monotonic(), told(record)
        if text and now - self.last >= 10:
            self.last = now
            sys.stderr.write(f"training: {text}, {now - self.began:,.0f} s\n")


@contextlib.contextmanager
def _bars() -> Iterator[tuple[Progress, logging.Handler]]:
    """A bar for the documents and, once it begins, one for the training."""
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[said]}"), TimeElapsedColumn())
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        reading = bars.add_task("documents", total=None, said="")

        def progress(report: RunReport, total: int | None) -> None:
            done = report.documents.read
            bars.update(reading, completed=done, total=total, said=f"{done:,}{f' of {total:,}' if total else ''}")

        class Handler(logging.Handler):
            task: Any = None

            def emit(self, record: logging.LogRecord) -> None:
                text = told(record)
                if not text:
                    return
                if self.task is None:
                    bars.stop_task(reading)
                    self.task = bars.add_task("training", total=None, said="")
                said = record.__dict__
                bars.update(self.task, completed=said.get("iteration", 0), total=said.get("of") or None, said=text)

        yield progress, Handler()


def _summary(report: RunReport, pipeline: Pipeline, trainers: list[CasConsumer]) -> None:
    from . import console

    d = report.documents
    failed = f", {d.quarantined + d.skipped:,} failed and not learnt from" if d.quarantined + d.skipped else ""
    typer.echo(f"{report.name}: {d.read:,} documents read{failed}, {report.seconds:.1f} s")
    for warning in report.warnings:
        typer.secho(f"warning: {warning}", fg=typer.colors.YELLOW if sys.stdout.isatty() else None)
    console.print_failures(report, pipeline)
    for trainer in trainers:
        place = trainer.output / getattr(trainer, "model", "")
        meta = _description(place)
        if meta is None or report.stopped not in ENDED_WELL:
            typer.echo(f"{trainer.id}: no model was written")
            continue
        training = meta.get("training", {})
        typer.echo(f"{trainer.id}: {place} ({_size(place) / 1e6:.1f} MB)")
        weights = "weights" if "network" in meta else "active features"
        typer.echo(
            f"  {meta.get('active_features', 0):,} {weights}, {len(meta.get('labels', []))} labels{_epoch(meta)}"
        )
        typer.echo(f"  {training.get('documents', 0):,} documents" + _tokens(training))
        misfits = {k: n for k, n in training.get("misfits", {}).items() if n}
        if misfits:
            typer.echo(f"  gold spans that do not fit tokens: {', '.join(f'{n:,} {k}' for k, n in misfits.items())}")


def _epoch(meta: dict[str, Any]) -> str:
    """Which epoch of a network was taken, and how good it was on held-out documents."""
    row = next((r for r in meta.get("history", []) if r.get("epoch") == meta.get("epoch")), None)
    if row is None:
        return ""
    held = f": held-out F1 {row['f1']:.2%}, token recall {row['token_recall']:.2%}" if "f1" in row else ""
    return f", epoch {row['epoch']:,} of {len(meta['history']):,}{held}"


def _tokens(training: dict[str, Any]) -> str:
    spans = sum(training.get("spans", {}).values())
    return f", {training['tokens']:,} tokens, {spans:,} gold spans" if "tokens" in training else ""


def _description(place: Path) -> dict[str, Any] | None:
    """What the bundle says of itself, whatever sort of model it is; None where there is none."""
    try:
        if place.is_dir():
            raw = (place / "model.json").read_bytes()
        else:
            with zipfile.ZipFile(place) as archive:
                raw = archive.read("model.json")
        found = json.loads(raw)
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        return None
    return found if isinstance(found, dict) else None


def _size(place: Path) -> int:
    return sum(f.stat().st_size for f in place.iterdir()) if place.is_dir() else place.stat().st_size


def _mount(name: str) -> None:
    """A command that learns from files of its own and not from a pipeline: `caspipe train tagger`, `caspipe train vectors`."""
    try:
        found = importlib.import_module(f".train_{name}", __package__)
    except ModuleNotFoundError as error:
        if error.name != f"{__package__}.train_{name}":
            raise
    else:
        app.command(name, epilog=found.EPILOG)(found.command)


_mount("tagger")
_mount("vectors")
