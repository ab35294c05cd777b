"""`caspipe train vectors`: from files of text to vectors of words."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .command import EXIT_INTERRUPTED, choices, guarded

if TYPE_CHECKING:
    from ....annotators.neural.vectors.trainer import TrainedVectors

EPILOG = (
    "Examples: `caspipe train vectors notes/ --output vectors/notes.npz` | "
    "`caspipe train vectors narratives.jsonl.gz --text narrative --dim 50 -o vectors/narratives.npz` | "
    "`caspipe train vectors a.txt b.txt.gz --output vectors/ab.txt`. A name that does not end in .npz gives word2vec's text, "
    "for other tools. The file holds every word that occurs often enough, names too: keep it where the texts are kept."
)


@guarded
def command(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Text files, folders or archives of them, or files of records (.jsonl, .csv); `.gz` too.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="Where the vectors go: caspipe's own format for .npz, word2vec's text for other names.",
        ),
    ] = Path("vectors.npz"),
    text: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD", help="Field of records that holds the text, `text` unless given; may be given again."
        ),
    ] = None,
    dim: Annotated[int, typer.Option(min=1, max=10_000, help="Numbers in a vector.")] = 100,
    window: Annotated[int, typer.Option(min=1, max=100, help="Words to either side that count as near.")] = 5,
    min_count: Annotated[int, typer.Option(min=1, help="Words that occur less often get no vector.")] = 3,
    max_words: Annotated[
        int, typer.Option(min=1, max=1_000_000, help="The most frequent words that get one.")
    ] = 50_000,
    lower: Annotated[bool, typer.Option("--lower/--case", help="Learn on lower case, or tell cases apart.")] = True,
    digits: Annotated[
        bool, typer.Option("--zero-digits/--digits", help="Learn on 0 in place of any digit, or on digits as they are.")
    ] = True,
    context: Annotated[
        str,
        typer.Option(
            metavar="sentence|document", help="Where a window ends.", autocompletion=choices("sentence", "document")
        ),
    ] = "sentence",
    format_: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="auto|npz|word2vec",
            help="Format of the file; auto goes by its name.",
            autocompletion=choices("auto", "npz", "word2vec"),
        ),
    ] = "auto",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")] = False,
) -> None:
    """Learns vectors of words from text: positive pointwise mutual information, factorised. No annotations are needed."""
    from ...contract.report import RunReport
    from ...errors import ConfigError, Fault, nearest
    from ..training.vectors import train_vectors
    from .train import shown

    faults = [
        Fault(name, f"expected one of {', '.join(known)}, got {given}{nearest(given, known)}")
        for name, given, known in (
            ("context", context, ("sentence", "document")),
            ("format", format_, ("auto", "npz", "word2vec")),
        )
        if given not in known
    ]
    if faults:
        raise ConfigError(faults)
    began = time.monotonic()
    report = RunReport(name="train vectors")
    try:
        with shown(quiet) as progress:

            def documents(done: int) -> None:
                report.documents.read = done
                if progress is not None:
                    progress(report, None)

            made = train_vectors(
                files,
                output,
                text=text or "text",
                progress=documents,
                dim=dim,
                window=window,
                min_count=min_count,
                max_words=max_words,
                lower=lower,
                digits=digits,
                context=context,
                format=format_,
            )
    except KeyboardInterrupt:
        typer.secho("interrupted: no vectors were written", err=True)
        raise typer.Exit(EXIT_INTERRUPTED) from None
    if not quiet:
        _print(made, time.monotonic() - began)


def _print(made: TrainedVectors, seconds: float) -> None:
    typer.echo(f"{made.path}: {made.words:,} words, {made.dim} dimensions, {made.size / 1e6:.2f} MB")
    share = made.covered / made.tokens
    typer.echo(
        f"learnt from {made.tokens:,} tokens in {made.documents:,} texts; {share:.1%} of the tokens have a vector; "
        f"{made.pairs:,} pairs of words; {seconds:.1f} s"
    )
