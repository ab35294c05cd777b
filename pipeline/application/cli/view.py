"""`caspipe view`: write the page of one document."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from ....consumers.pages.document_page import document_page
from ....typesystem import GOLD_VIEW, INITIAL_VIEW, Cas, Phi
from ...errors import ConfigError, ConsumerError, Fault, ReaderError
from ...pipeline import Pipeline
from ...running.run_documents import is_run
from ...storage.files import write_atomic
from .command import CommandApp
from .convert import find_component, parameter_names, source_parameters
from .options import Plugin, Set, load, load_plugins, reader_names, shipped_configs
from .run_page import run_document_cas, run_page

app = CommandApp()

BY_SUFFIX = {
    ".xmi": "xmi",
    ".xcas": "xcas",
    ".json": "jsoncas",
    ".txt": "text",
    ".xml": "i2b2",
    ".ann": "brat",
    ".cas": "jsoncas",
}
"""The default reader of a file."""


@app.command(
    epilog="Examples: `caspipe view out/restricted/xmi/17.xmi` | `caspipe view note.txt --open` | "
    "`caspipe view out ward-17` (a document of a run; one in quarantine with the places that the leak gate refused) | "
    "`caspipe view corpus/17.xml --from i2b2 -o page.html`. A file without annotations (.txt) goes through a pipeline first."
)
def view(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE|RUN", help="A document: XMI, JSON CAS, XCAS, text, or a format of --from; or a run's output."
        ),
    ],
    document: Annotated[
        str, typer.Argument(metavar="[DOCUMENT]", help="Id or number of a document of the run.", show_default=False)
    ] = "",
    from_: Annotated[
        str,
        typer.Option("--from", metavar="READER", help="Default: chosen by the suffix.", autocompletion=reader_names),
    ] = "",
    typesystem: Annotated[Path | None, typer.Option(help="UIMA type system, if it is not beside the file.")] = None,
    config: Annotated[
        str,
        typer.Option("--config", "-c", help="Pipeline for a text without annotations.", autocompletion=shipped_configs),
    ] = "deidentify",
    number: Annotated[
        int, typer.Option(metavar="N", help="Number of the document in a file with several; from 1.", min=1)
    ] = 1,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The page; default: FILE.html in this folder, or in that of the run."
        ),
    ] = None,
    show: Annotated[bool, typer.Option("--open", help="Show it in the browser.")] = False,
    set_: Set = None,
    plugin: Plugin = None,
) -> None:
    """Write a page with the original and masked text of one document, and the source of each span."""
    load_plugins(plugin)
    in_run = is_run(file)
    if document and not in_run:
        raise ConfigError([Fault("DOCUMENT", "expected only with the output folder of a run", str(file))])
    if in_run and output is None:
        page = run_page(file, document)
    else:
        cas = run_document_cas(file, document) if in_run else _document(file, from_, typesystem, number, config, set_)
        page = output or Path(f"{file.name}.html")
        _write(page, cas)
    typer.echo(str(page))
    if show:
        typer.launch(page.absolute().as_uri())


def _write(page: Path, cas: Cas) -> None:
    _show_reference(cas)
    if not page.parent.is_dir():
        raise ConsumerError(f"{page}: no such folder")
    write_atomic(page, document_page(cas, index=""), private=True)


def _document(
    file: Path, reader: str, typesystem: Path | None, number: int, config: str, overrides: list[str] | None
) -> Cas:
    name = reader or BY_SUFFIX.get(Path(file.name.removesuffix(".gz")).suffix.lower(), "")
    if not name:
        known = ", ".join(f"{s} ({r})" for s, r in BY_SUFFIX.items())
        raise ConfigError([Fault("--from", f"expected a reader, since the suffix is none of {known}")])
    cls = find_component(name, "reader", "--from")
    parameters = source_parameters(cls, str(file))
    if typesystem is not None and "typesystem" in parameter_names(cls):
        parameters["typesystem"] = str(typesystem.absolute())
    is_text = name == "text"
    steps = {"reader": {name: parameters}, "engines": []}
    parsed = Pipeline.parse(json.dumps(steps), [] if is_text else overrides or [])
    assert parsed.reader is not None
    parsed.reader.open()
    try:
        document = next((cas for n, cas in enumerate(parsed.reader, 1) if n == number), None)
    finally:
        parsed.reader.close()
    if document is None:
        failed = parsed.reader.failed
        raise ReaderError(str(failed[0][1] if failed else f"{file}: holds no document {number}"))
    return load(config, overrides, None).process(document) if is_text else document


def _show_reference(cas: Cas) -> None:
    """Let the reference count as found in a document that has one and no PHI of its own."""
    if cas.has_view(GOLD_VIEW) and cas.has_view(INITIAL_VIEW) and not cas.view().count(Phi):
        gold = cas.view(GOLD_VIEW)
        if gold.text == cas.text:
            cas.view().add_all([p.moved(p.begin, p.end) for p in gold.select(Phi)])
