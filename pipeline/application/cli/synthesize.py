"""`caspipe synthesize`: writes synthetic narratives with gold PHI, for training and for tests."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from ...errors import CaspipeError
from .command import EXIT_CONFIG, EXIT_FAILED

if TYPE_CHECKING:
    from ....readers.synthetic import Document, Maker


class Format(StrEnum):
    """What is written."""

    jsonl = "jsonl"
    text = "text"
    brat = "brat"
    i2b2 = "i2b2"


def mount(app: typer.Typer) -> None:
    """Adds the command to an application."""
    app.command(
        "synthesize",
        epilog="Examples: `caspipe synthesize -n 20000 --seed 7 -o corpus` | "
        "`caspipe synthesize -n 50 -f i2b2 -o notes --layout discharge_summary=2 --layout nursing_note=1` | "
        "`caspipe synthesize -n 3 --noise 0 -o -` | `caspipe synthesize --list`; "
        "then `reader: {jsonl: {folder: corpus, spans_field: spans}}`",
    )(synthesize)


def synthesize(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FOLDER", help="Folder to write to; `-` prints JSON Lines.")
    ] = None,
    documents: Annotated[int, typer.Option("--documents", "-n", help="How many.")] = 1000,
    seed: Annotated[int, typer.Option(help="Another seed, other documents.")] = 1,
    first: Annotated[int, typer.Option(help="Number of the first document, to share the work.")] = 0,
    language: Annotated[list[str] | None, typer.Option(help="en by default; may be given again.")] = None,
    format_: Annotated[Format, typer.Option("--format", "-f", help="What is written.")] = Format.jsonl,
    layout: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME[=WEIGHT]", help="Only these sorts of documents; may be given again."),
    ] = None,
    noise: Annotated[float, typer.Option(help="0 for clean text, 1 for very bad typing.")] = 0.3,
    phi_density: Annotated[
        float, typer.Option(help="How much likelier sentences with PHI are than those without.")
    ] = 1.0,
    unlisted: Annotated[float, typer.Option(help="Share of surnames that are in no list.")] = 0.4,
    list_: Annotated[bool, typer.Option("--list", help="List the layouts and stop.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")] = False,
) -> None:
    """Writes synthetic narratives with their PHI spans. Document i of a seed is always the same."""
    try:
        languages = language or ["en"]
        if list_:
            _list(languages)
            return
        if output is None:
            _stop("Missing option --output: a folder, or - for standard output", EXIT_CONFIG)
        for name, number in (("--documents", documents), ("--first", first)):
            if number < 0:
                raise ValueError(f"{name}: expected 0 or more, got {number}")
        from ....readers.synthetic import Maker

        maker = Maker(seed, languages, _weights(layout or []), noise=noise, phi_density=phi_density, unlisted=unlisted)
        numbers = range(first, first + documents)
        if str(output) == "-":
            _print(maker, numbers)
        else:
            _write(maker, numbers, output, format_, quiet)
    except ValueError as error:
        _stop(str(error), EXIT_CONFIG)
    except CaspipeError as error:
        _stop(str(error), EXIT_FAILED)
    except BrokenPipeError:
        raise typer.Exit(0) from None


def _stop(message: str, code: int) -> NoReturn:
    typer.secho(message, err=True, fg=typer.colors.RED if sys.stderr.isatty() else None)
    raise typer.Exit(code) from None


def _weights(layouts: list[str]) -> dict[str, float]:
    """`NAME=WEIGHT` as a table. Raises ValueError for a weight that is no number."""
    weights: dict[str, float] = {}
    for given in layouts:
        name, _, weight = given.partition("=")
        try:
            weights[name] = float(weight or 1)
        except ValueError:
            raise ValueError(f"--layout {name}: expected a weight after =, got {weight!r}") from None
    return weights


def _list(languages: list[str]) -> None:
    from ....readers.synthetic.library import library

    for language in languages:
        for layout in library(language).layouts.values():
            typer.echo(f"{language}  {layout.name:20} {layout.weight:g}")


def _print(maker: Maker, numbers: range) -> None:
    from ....readers.synthetic.formats import jsonl

    for number in numbers:
        sys.stdout.buffer.write(jsonl(maker.document(number)))
    sys.stdout.buffer.flush()


def _write(maker: Maker, numbers: range, folder: Path, format_: Format, quiet: bool) -> None:
    from ....readers.synthetic import formats
    from ...storage.file_names import FileNames
    from ...storage.files import AtomicFile, DocumentFolder, make_folder

    counts: Counter[str] = Counter()
    began = time.monotonic()
    shown = _counted(_documents(maker, numbers, counts), len(numbers), quiet)
    if format_ is Format.jsonl:
        make_folder(folder)
        file = AtomicFile(folder / "synthetic.jsonl")
        try:
            for document in shown:
                file.write(formats.jsonl(document))
            file.commit()
        except BaseException:
            file.discard()
            raise
    else:
        kinds = {Format.text: [(".txt", formats.text)], Format.i2b2: [(".xml", formats.i2b2)]}
        kinds[Format.brat] = [(".txt", formats.text), (".ann", formats.brat)]
        writers = [
            (DocumentFolder(folder, FileNames(suffix), below=Path(), durable=False), write)
            for suffix, write in kinds[format_]
        ]
        for document in shown:
            for files, write in writers:
                files.write(document.id, write(document))
    if not quiet:
        _summary(counts, len(numbers), folder, time.monotonic() - began)


def _documents(maker: Maker, numbers: range, counts: Counter[str]) -> Iterator[Document]:
    for number in numbers:
        document = maker.document(number)
        counts.update(kind for _, _, kind in document.spans)
        yield document


def _counted(documents: Iterator[Document], total: int, quiet: bool) -> Iterator[Document]:
    """The documents, with a bar that tells how many there have been."""
    from ...contract.report import RunReport
    from .console import progress

    with progress(quiet) as show:
        report = RunReport("synthesize")
        for document in documents:
            yield document
            report.documents.read += 1
            if show is not None and report.documents.read % 20 == 0:
                show(report, total)


def _summary(counts: Counter[str], documents: int, folder: Path, seconds: float) -> None:
    rate = documents / max(seconds, 1e-9)
    typer.echo(f"{folder}: {documents:,} documents, {counts.total():,} spans in {seconds:.1f} s ({rate:,.0f}/s)")
    for kind, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        typer.echo(f"  {kind:22} {count:>9,}")
