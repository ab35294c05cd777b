"""`caspipe synthesize`: write synthetic narratives with gold PHI, for training and for tests."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ....readers.synthetic import Document, Maker, formats
from ....readers.synthetic.library import library
from ...contract.report import RunReport
from ...errors import ConfigError, Fault
from ...storage.file_names import FileNames
from ...storage.files import AtomicFile, DocumentFolder, make_folder
from . import console
from .command import CommandApp
from .options import Quiet

app = CommandApp()


class Format(StrEnum):
    """File formats."""

    jsonl = "jsonl"
    text = "text"
    brat = "brat"
    i2b2 = "i2b2"


FILES = {
    Format.text: [(".txt", formats.text)],
    Format.brat: [(".txt", formats.text), (".ann", formats.brat)],
    Format.i2b2: [(".xml", formats.i2b2)],
}
"""The files of a document by format: suffix and writer."""


@app.command(
    epilog="Examples: `caspipe synthesize -n 20000 --seed 7 -o corpus` | "
    "`caspipe synthesize -n 50 -f i2b2 -o notes --layout discharge_summary=2 --layout nursing_note=1` | "
    "`caspipe synthesize -n 3 --noise 0 -o -` | `caspipe synthesize --list`; "
    "then `reader: {jsonl: {folder: corpus, spans_field: spans}}`",
)
def synthesize(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FOLDER", help="Folder to write to; `-` prints JSON Lines.")
    ] = None,
    documents: Annotated[int, typer.Option("--documents", "-n", help="Number of documents.")] = 1000,
    seed: Annotated[int, typer.Option(help="Another seed gives other documents.")] = 1,
    first: Annotated[int, typer.Option(help="Number of the first document, to share the work.")] = 0,
    language: Annotated[list[str] | None, typer.Option(help="en by default; repeatable.")] = None,
    format_: Annotated[Format, typer.Option("--format", "-f", help="File format.")] = Format.jsonl,
    layout: Annotated[
        list[str] | None, typer.Option(metavar="NAME[=WEIGHT]", help="Only these types of documents; repeatable.")
    ] = None,
    noise: Annotated[float, typer.Option(help="0 for clean text, 1 for very bad typing.")] = 0.3,
    phi_density: Annotated[
        float, typer.Option(help="How much likelier sentences with PHI are than those without.")
    ] = 1.0,
    unlisted: Annotated[float, typer.Option(help="Share of surnames that are in no list.")] = 0.4,
    list_: Annotated[bool, typer.Option("--list", help="List the layouts.")] = False,
    quiet: Quiet = False,
) -> None:
    """Write synthetic narratives with their PHI spans. Document i of a seed is always the same."""
    languages = language or ["en"]
    try:
        if list_:
            for name in languages:
                for template in library(name).layouts.values():
                    typer.echo(f"{name}  {template.name:20} {template.weight:g}")
            return
        if output is None:
            raise ValueError("Missing option --output: a folder, or - for standard output")
        for option, number in (("--documents", documents), ("--first", first)):
            if number < 0:
                raise ValueError(f"{option}: expected 0 or more, got {number}")
        maker = Maker(seed, languages, _weights(layout or []), noise=noise, phi_density=phi_density, unlisted=unlisted)
        numbers = range(first, first + documents)
        if str(output) == "-":
            for number in numbers:
                sys.stdout.buffer.write(formats.jsonl(maker.document(number)))
            sys.stdout.buffer.flush()
        else:
            _write(maker, numbers, output, format_, quiet)
    except ValueError as error:
        raise ConfigError([Fault("", str(error))]) from None


def _weights(layouts: list[str]) -> dict[str, float]:
    """Parse `NAME=WEIGHT`. Raises ValueError if a weight is not a number."""
    weights: dict[str, float] = {}
    for option in layouts:
        name, _, weight = option.partition("=")
        try:
            weights[name] = float(weight or 1)
        except ValueError:
            raise ValueError(f"--layout {name}: expected a weight after =, got {weight!r}") from None
    return weights


def _write(maker: Maker, numbers: range, folder: Path, format_: Format, quiet: bool) -> None:
    counts: Counter[str] = Counter()
    began = time.monotonic()
    documents = _documents(maker, numbers, counts, quiet)
    if format_ is Format.jsonl:
        make_folder(folder)
        with AtomicFile(folder / "synthetic.jsonl") as file:
            for document in documents:
                file.write(formats.jsonl(document))
    else:
        writers = [
            (DocumentFolder(folder, FileNames(suffix), below=Path(), durable=False), write)
            for suffix, write in FILES[format_]
        ]
        for document in documents:
            for files, write in writers:
                files.write(document.id, write(document))
    if not quiet:
        seconds = time.monotonic() - began
        rate = len(numbers) / max(seconds, 1e-9)
        typer.echo(f"{folder}: {len(numbers):,} documents, {counts.total():,} spans in {seconds:.1f} s ({rate:,.0f}/s)")
        for kind, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
            typer.echo(f"  {kind:22} {count:>9,}")


def _documents(maker: Maker, numbers: range, counts: Counter[str], quiet: bool) -> Iterator[Document]:
    """Yield the documents, count their spans by kind, and show the progress."""
    with console.progress(quiet) as show:
        report = RunReport("synthesize")
        for number in numbers:
            document = maker.document(number)
            counts.update(kind for _, _, kind in document.spans)
            yield document
            report.documents.read += 1
            if show is not None and report.documents.read % 20 == 0:
                show(report, len(numbers))
