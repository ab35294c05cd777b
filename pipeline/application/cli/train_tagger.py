"""`caspipe train tagger`: from CoNLL-U files to a part-of-speech tagger, with its accuracy."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .command import guarded

if TYPE_CHECKING:
    from ..training.tagger import TaggerScores, TrainedTagger

EPILOG = (
    "Examples: `caspipe train tagger en_ewt-ud-train.conllu --dev en_ewt-ud-dev.conllu --output models/my-tagger` | "
    "`caspipe train tagger es_ancora-ud-train.conllu.gz --tags UPOS --language es --output models/es-tagger`; "
    "then `tagger: {model: models/my-tagger}`"
)


@guarded
def command(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE.conllu...", help="CoNLL-U files to learn from; `.gz` too.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where the model goes: a folder, or a file that ends in `.zip`.")
    ] = Path("tagger"),
    dev: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="CoNLL-U file to score on; may be given again.")
    ] = None,
    test: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="A further one, kept for the end; may be given again.")
    ] = None,
    tags: Annotated[
        str, typer.Option(metavar="COLUMN", help="Column with the tags: XPOS, UPOS or another of the file.")
    ] = "XPOS",
    algorithm: Annotated[
        str, typer.Option(help="ap (averaged perceptron), lbfgs (CRF; give it 60 iterations or more), l2sgd, pa, arow.")
    ] = "ap",
    iterations: Annotated[int, typer.Option("--iterations", "-n", min=1, help="Passes over the data.")] = 10,
    runs: Annotated[
        int, typer.Option(min=1, help="Trainings with sentences in other orders, averaged: a little better.")
    ] = 1,
    c1: Annotated[float | None, typer.Option(help="L1 regularisation, for lbfgs: larger makes smaller models.")] = None,
    c2: Annotated[float | None, typer.Option(help="L2 regularisation, for lbfgs and l2sgd.")] = None,
    min_count: Annotated[int, typer.Option(min=1, help="Attributes that occur less often are left out.")] = 2,
    prune: Annotated[float, typer.Option(min=0, help="Weights not larger than this are left out.")] = 0.0,
    language: Annotated[str, typer.Option(help="Language of the texts, ISO 639-1, for the card.")] = "",
    licence: Annotated[str, typer.Option(help="Licence of the model, for the card.")] = "",
    corpus: Annotated[
        list[str] | None, typer.Option(help="What the files are, for the card; may be given again.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")] = False,
) -> None:
    """Trains a part-of-speech tagger on CoNLL-U files and tells how often it is right."""
    from ...errors import ConfigError, Fault, nearest
    from ..training.tagger import train_tagger
    from .train import shown

    known = ("ap", "lbfgs", "l2sgd", "pa", "arow")
    if algorithm not in known:
        raise ConfigError(
            [Fault("algorithm", f"expected one of {', '.join(known)}, got {algorithm}{nearest(algorithm, known)}")]
        )
    options = {"algorithm": algorithm, "iterations": iterations, "runs": runs, "tags": tags, "c1": c1, "c2": c2}
    options |= {"min-count": min_count, "prune": prune}
    given = [file.name for file in files]
    given += [text for name, value in options.items() if value is not None for text in (f"--{name}", str(value))]
    with shown(quiet):
        made = train_tagger(
            files,
            output,
            dev=dev or [],
            test=test or [],
            column=tags,
            algorithm=algorithm,
            max_iterations=iterations,
            runs=runs,
            c1=c1,
            c2=c2,
            min_count=min_count,
            prune=prune,
            language=language,
            licence=licence,
            corpora=corpus or [file.name for file in files],
            command=f"caspipe train tagger {shlex.join(given)}",
        )
    if not quiet:
        _print(made)


def _print(made: TrainedTagger) -> None:
    typer.echo(f"{made.path}: {made.weights:,} weights, {made.tags} tags, {made.size / 1e6:.2f} MB")
    typer.echo(f"trained on {made.tokens:,} tokens; words of the files became ours so: {_listed(made.carried)}")
    for scores in made.scores:
        _print_scores(scores)


def _print_scores(scores: TaggerScores) -> None:
    typer.echo(f"{scores.corpus}")
    for counted, which in ((scores.own, "our tokens"), (scores.given, "the file's own tokens")):
        accuracy = "undefined" if counted.accuracy is None else f"{counted.accuracy:.4f}"
        typer.echo(f"  accuracy {accuracy} on {counted.tokens:,} tokens ({which})")
    typer.echo("  commonest mistakes (reference, given, tokens): " + _mistakes(scores))


def _mistakes(scores: TaggerScores) -> str:
    found = [f"{gold} {system or '-'} {n}" for gold, system, n in scores.own.confusions(8)]
    return "; ".join(found) or "none"


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {n:,}" for name, n in counts.items())
