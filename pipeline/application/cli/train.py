"""`caspipe train`: run a training pipeline and summarize the models that it wrote."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ....annotators.neural.vectors.trainer import VectorsTrainer
from ....annotators.sequence.model_files import META, read_member
from ...contract import registry
from ...contract.component import CasConsumer, Component
from ...contract.report import RunReport
from ...errors import ConfigError, Fault, ResourceError
from ...pipeline import Pipeline
from . import console, train_tagger, train_vectors
from .command import EXIT_INTERRUPTED, CommandApp, color, folder_size
from .options import Plugin, Quiet, Set, load, shipped_configs
from .training_progress import held_out, show_training

COMPLETE = ("", "limit")
"""Values of `stopped` in the report of a run that was not cut short."""

ADD_A_TRAINER = (
    "a training pipeline needs a trainer among its consumers, for example "
    "`consumers: [{crf_trainer: {model: models/my-crf}}]`; trainers: "
)


class _ConfigFirst(TyperGroup):
    """A group whose first argument may be a configuration: `caspipe train my.yaml` is `caspipe train pipeline my.yaml`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = ["pipeline", *args]
        return super().parse_args(ctx, args)


app = CommandApp(
    name="train",
    cls=_ConfigFirst,
    help="Train models: `caspipe train CONFIG` runs a training pipeline.",
    epilog="Examples: `caspipe train my-training.yaml` | `caspipe train my-training.yaml --set crf_trainer.c1=0.1` | "
    "`caspipe train pipeline --help` for the options",
    no_args_is_help=True,
)


@app.command(
    "pipeline",
    epilog="Examples: `caspipe train my-training.yaml` | `caspipe train my-training.yaml --set run.limit=100 "
    "--set crf_trainer.model=models/small`; then `caspipe model info out/models/small` and `crf: {model: out/models/small}`",
)
def train_pipeline(
    config: Annotated[
        str,
        typer.Argument(
            metavar="CONFIG",
            help="YAML file, or the name of a shipped one; with a trainer.",
            autocompletion=shipped_configs,
        ),
    ],
    set_: Set = None,
    plugin: Plugin = None,
    quiet: Quiet = False,
) -> None:
    """Run a training pipeline: read the corpus, train, write the model."""
    pipeline = load(config, set_, plugin)
    trainers = _trainers(pipeline, config)
    try:
        with show_training(quiet) as progress:
            report = pipeline.run(progress)
        interrupted = report.stopped == "interrupted"
    except KeyboardInterrupt:
        interrupted = True
    if interrupted:
        typer.secho("interrupted: no model was written", err=True)
        raise typer.Exit(EXIT_INTERRUPTED)
    if not quiet:
        _summarize(report, pipeline, trainers)
    elif report.exit_code:
        console.print_failures(report, pipeline)
    raise typer.Exit(report.exit_code)


app.add_typer(train_tagger.app)
app.add_typer(train_vectors.app)


def _trainers(pipeline: Pipeline, config: str) -> list[CasConsumer]:
    """Return the consumers that train. Raises ConfigError if there are none."""
    trainers = [c for c in pipeline.consumers if _is_trainer(type(c))]
    if not trainers:
        names = [c.name for c in registry.components() if _is_trainer(c)]
        file = pipeline.config.file if pipeline.config is not None else config
        raise ConfigError([Fault("consumers", f"{ADD_A_TRAINER}{', '.join(names)}", file)])
    return trainers


def _is_trainer(cls: type[Component]) -> bool:
    """Return whether a class is a consumer that names the annotator of its models, or trains word vectors."""
    return issubclass(cls, CasConsumer) and (bool(getattr(cls, "trained_as", "")) or issubclass(cls, VectorsTrainer))


def _summarize(report: RunReport, pipeline: Pipeline, trainers: list[CasConsumer]) -> None:
    d = report.documents
    failed = f", {d.quarantined + d.skipped:,} failed and not learned from" if d.quarantined + d.skipped else ""
    typer.echo(f"{report.name}: {d.read:,} documents read{failed}, {report.seconds:.1f} s")
    for warning in report.warnings:
        typer.secho(f"warning: {warning}", fg=color(typer.colors.YELLOW, sys.stdout))
    console.print_failures(report, pipeline)
    for trainer in trainers:
        if isinstance(trainer, VectorsTrainer) and trainer.trained is not None:
            written, learned = train_vectors.described(trainer.trained)
            typer.echo(f"{trainer.id}: {written}\n  {learned}")
            continue
        path = trainer.output / vars(trainer).get("model", "")
        meta = _description(path)
        if meta is None or report.stopped not in COMPLETE:
            typer.echo(f"{trainer.id}: no model was written")
            continue
        training = meta.get("training", {})
        typer.echo(f"{trainer.id}: {path} ({folder_size(path) / 1e6:.1f} MB)")
        weights = f"{meta.get('active_features', 0):,} {'weights' if 'network' in meta else 'active features'}"
        typer.echo(f"  {weights}, {len(meta.get('labels', []))} labels{_epoch(meta)}")
        typer.echo(f"  {training.get('documents', 0):,} documents{_tokens(training)}")
        misfits = [f"{n:,} {reason}" for reason, n in training.get("misfits", {}).items() if n]
        if misfits:
            typer.echo(f"  gold spans that do not fit tokens: {', '.join(misfits)}")


def _epoch(meta: dict[str, Any]) -> str:
    """Return the epoch of a network that was kept, with its scores on held-out documents."""
    row = next((r for r in meta.get("history", []) if r.get("epoch") == meta.get("epoch")), None)
    return "" if row is None else f", epoch {row['epoch']:,} of {len(meta['history']):,}{held_out(row, ':')}"


def _tokens(training: dict[str, Any]) -> str:
    spans = sum(training.get("spans", {}).values())
    return f", {training['tokens']:,} tokens, {spans:,} gold spans" if "tokens" in training else ""


def _description(path: Path) -> dict[str, Any] | None:
    """Return the description inside a model of any type; None if it cannot be read."""
    try:
        data = json.loads(read_member(path, META))
    except (ResourceError, ValueError):
        return None
    return data if isinstance(data, dict) else None
