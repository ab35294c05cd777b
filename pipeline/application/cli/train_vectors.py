"""`caspipe train vectors`: learn word vectors from files of text."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from ....annotators.neural.vectors.trainer import TrainedVectors
from ...contract.report import RunReport
from ...errors import ConfigError
from ..training.vectors import train_vectors
from .command import EXIT_INTERRUPTED, CommandApp
from .options import Quiet, choices, word_faults
from .training_progress import show_training

app = CommandApp()

CONTEXTS = ("sentence", "document")
FORMATS = ("auto", "npz", "word2vec")

Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE...",
        help="Text files, folders or archives of them, or files of records (.jsonl, .csv); `.gz` too.",
    ),
]
Output = Annotated[
    Path,
    typer.Option(
        "--output", "-o", help="File to write: caspipe's own format for .npz, word2vec's text for other names."
    ),
]
TextFields = Annotated[
    list[str] | None,
    typer.Option(metavar="FIELD", help="Field of records that holds the text; default `text`; repeatable."),
]
Dim = Annotated[int, typer.Option(min=1, max=10_000, help="Numbers in a vector.")]
Window = Annotated[int, typer.Option(min=1, max=100, help="Words to either side that count as near.")]
MinCount = Annotated[int, typer.Option(min=1, help="Words that occur less often get no vector.")]
MaxWords = Annotated[int, typer.Option(min=1, max=1_000_000, help="Only the N most frequent words get one.")]
Epochs = Annotated[int, typer.Option(min=1, max=1_000, help="Passes over the text.")]
Lower = Annotated[bool, typer.Option("--lower/--case", help="Ignore case, or distinguish it.")]
Digits = Annotated[bool, typer.Option("--zero-digits/--digits", help="Read every digit as 0, or keep digits.")]
Context = Annotated[
    str,
    typer.Option(metavar="|".join(CONTEXTS), help="Where a window ends.", autocompletion=choices(*CONTEXTS)),
]
Format = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="|".join(FORMATS),
        help="Format of the file; auto goes by its name.",
        autocompletion=choices(*FORMATS),
    ),
]


@app.command(
    "vectors",
    epilog="Examples: `caspipe train vectors notes/ --output vectors/notes.npz` | "
    "`caspipe train vectors narratives.jsonl.gz --text narrative --dim 50 -o vectors/narratives.npz` | "
    "`caspipe train vectors a.txt b.txt.gz --output vectors/ab.txt`. A name that does not end in .npz gives word2vec's text, "
    "for other tools. The file holds every word that occurs often enough, names too: keep it where the texts are kept.",
)
def command(
    files: Files,
    output: Output = Path("vectors.npz"),
    text: TextFields = None,
    dim: Dim = 100,
    window: Window = 5,
    min_count: MinCount = 3,
    max_words: MaxWords = 50_000,
    epochs: Epochs = 10,
    lower: Lower = True,
    digits: Digits = True,
    context: Context = "sentence",
    format_: Format = "auto",
    quiet: Quiet = False,
) -> None:
    """Learn word vectors from text: skip-gram, by gensim (extra `vectors`). No annotations are needed."""
    if faults := [*word_faults("context", context, CONTEXTS), *word_faults("format", format_, FORMATS)]:
        raise ConfigError(faults)
    parameters: dict[str, Any] = {"dim": dim, "window": window, "min_count": min_count, "max_words": max_words}
    parameters |= {"lower": lower, "epochs": epochs, "digits": digits, "context": context, "format": format_}
    began = time.monotonic()
    report = RunReport(name="train vectors")
    try:
        with show_training(quiet) as progress:

            def count(documents: int) -> None:
                report.documents.read = documents
                if progress is not None:
                    progress(report, None)

            vectors = train_vectors(files, output, text=text or "text", progress=count, **parameters)
    except KeyboardInterrupt:
        typer.secho("interrupted: no vectors were written", err=True)
        raise typer.Exit(EXIT_INTERRUPTED) from None
    if not quiet:
        written, learned = described(vectors)
        typer.echo(written)
        typer.echo(f"{learned}; {time.monotonic() - began:.1f} s")


def described(vectors: TrainedVectors) -> tuple[str, str]:
    """Return what was written, and what it was learned from."""
    share = vectors.covered / vectors.tokens
    return (
        f"{vectors.path}: {vectors.words:,} words, {vectors.dim} dimensions, {vectors.size / 1e6:.2f} MB",
        f"learned from {vectors.tokens:,} tokens in {vectors.documents:,} texts; {share:.1%} of the tokens have a vector",
    )
