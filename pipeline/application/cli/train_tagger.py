"""`caspipe train tagger`: train a part-of-speech tagger on CoNLL-U files and measure its accuracy."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from ...errors import ConfigError
from ..training.tagger import TaggerScores, TrainedTagger, train_tagger
from .command import CommandApp
from .options import Quiet, word_faults
from .training_progress import show_training

app = CommandApp()

ALGORITHMS = ("ap", "lbfgs", "l2sgd", "pa", "arow")

Files = Annotated[list[Path], typer.Argument(metavar="FILE.conllu...", help="CoNLL-U files to learn from; `.gz` too.")]
Output = Annotated[
    Path, typer.Option("--output", "-o", help="Model to write: a folder, or a file that ends in `.zip`.")
]
Dev = Annotated[list[Path] | None, typer.Option(metavar="FILE", help="CoNLL-U file to score on; repeatable.")]
Test = Annotated[list[Path] | None, typer.Option(metavar="FILE", help="Another one, for the final score; repeatable.")]
Tags = Annotated[str, typer.Option(metavar="COLUMN", help="Column with the tags: XPOS, UPOS or another of the file.")]
Algorithm = Annotated[
    str, typer.Option(help="ap (averaged perceptron), lbfgs (CRF; give it 60 iterations or more), l2sgd, pa, arow.")
]
Iterations = Annotated[int, typer.Option("--iterations", "-n", min=1, help="Passes over the data.")]
Runs = Annotated[int, typer.Option(min=1, help="Trainings with shuffled sentences, averaged: a little better.")]
C1 = Annotated[float | None, typer.Option(help="L1 regularization, for lbfgs: larger makes smaller models.")]
C2 = Annotated[float | None, typer.Option(help="L2 regularization, for lbfgs and l2sgd.")]
MinCount = Annotated[int, typer.Option(min=1, help="Attributes that occur less often are left out.")]
Prune = Annotated[float, typer.Option(min=0, help="Weights not larger than this are left out.")]
Language = Annotated[str, typer.Option(help="Language of the texts, ISO 639-1, for the card.")]
Licence = Annotated[str, typer.Option(help="Licence of the model, for the card.")]
Corpus = Annotated[list[str] | None, typer.Option(help="Description of the files, for the card; repeatable.")]


@app.command(
    "tagger",
    epilog="Examples: `caspipe train tagger en_ewt-ud-train.conllu --dev en_ewt-ud-dev.conllu --output models/my-tagger` | "
    "`caspipe train tagger es_ancora-ud-train.conllu.gz --tags UPOS --language es --output models/es-tagger`; "
    "then `tagger: {model: models/my-tagger}`",
)
def command(
    files: Files,
    output: Output = Path("tagger"),
    dev: Dev = None,
    test: Test = None,
    tags: Tags = "XPOS",
    algorithm: Algorithm = "ap",
    iterations: Iterations = 10,
    runs: Runs = 1,
    c1: C1 = None,
    c2: C2 = None,
    min_count: MinCount = 2,
    prune: Prune = 0.0,
    language: Language = "",
    licence: Licence = "",
    corpus: Corpus = None,
    quiet: Quiet = False,
) -> None:
    """Train a part-of-speech tagger on CoNLL-U files and print its accuracy."""
    if faults := word_faults("algorithm", algorithm, ALGORITHMS):
        raise ConfigError(faults)
    options = {"algorithm": algorithm, "iterations": iterations, "runs": runs, "tags": tags, "c1": c1, "c2": c2}
    options |= {"min-count": min_count, "prune": prune}
    names = [file.name for file in files]
    words = [*names, *(w for name, value in options.items() if value is not None for w in (f"--{name}", str(value)))]
    with show_training(quiet):
        tagger = train_tagger(
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
            corpora=corpus or names,
            command=f"caspipe train tagger {shlex.join(words)}",
        )
    if not quiet:
        _print(tagger)


def _print(tagger: TrainedTagger) -> None:
    typer.echo(f"{tagger.path}: {tagger.weights:,} weights, {tagger.tags} tags, {tagger.size / 1e6:.2f} MB")
    aligned = ", ".join(f"{name} {n:,}" for name, n in tagger.carried.items())
    typer.echo(f"trained on {tagger.tokens:,} tokens; alignment of the files' words with our tokens: {aligned}")
    for scores in tagger.scores:
        _print_scores(scores)


def _print_scores(scores: TaggerScores) -> None:
    typer.echo(f"{scores.corpus}")
    for counts, tokens in ((scores.own, "our tokens"), (scores.given, "the file's own tokens")):
        accuracy = "undefined" if counts.accuracy is None else f"{counts.accuracy:.4f}"
        typer.echo(f"  accuracy {accuracy} on {counts.tokens:,} tokens ({tokens})")
    mistakes = [f"{gold} {system or '-'} {n}" for gold, system, n in scores.own.confusions(8)]
    typer.echo("  most frequent mistakes (reference, given, tokens): " + ("; ".join(mistakes) or "none"))
