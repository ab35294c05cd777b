"""`caspipe convert`, from any reader to any consumer, and `caspipe view`, the page of one document."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...errors import ConfigError, ConsumerError, Fault, ReaderError
from .command import Plugin, Set, consumer_names, guarded, reader_names, shipped_configs

if TYPE_CHECKING:
    from ....typesystem import Cas
    from ...contract.component import Component
    from ...pipeline import Pipeline

CONVERT_EPILOG = (
    "Examples: `caspipe convert corpus/brat corpus.xmi --from brat --to xmi` | "
    "`caspipe convert reviewed export.jsonl --from xmi --to doccano` | "
    "`caspipe convert old.xcas there --from xcas --to xmi --typesystem TypeSystem.xml` | "
    "`caspipe convert corpus.zip there --from i2b2 --to conll --set conll.scheme=i2b2-2014` | "
    "`caspipe convert corpus there --from brat --to xmi --set brat.kinds.DOCTOR=PERSON_DOCTOR`. "
    "Exit codes: 0 all converted; 2 wrong usage; 3 some documents could not be; 4 it could not go on."
)
VIEW_EPILOG = (
    "Examples: `caspipe view out/restricted/xmi/17.xmi` | `caspipe view note.txt --open` | "
    "`caspipe view corpus/17.xml --from i2b2 -o page.html`. A file without annotations (.txt) goes through a pipeline first."
)
BY_SUFFIX = {".xmi": "xmi", ".xcas": "xcas", ".json": "jsoncas", ".txt": "text", ".xml": "i2b2", ".ann": "brat"}
"""The reader of a file where none is named."""


@guarded
def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="Folder, archive or file; for sql the database's URL.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="Folder or file; for sql the database's URL.")],
    from_: Annotated[
        str, typer.Option("--from", metavar="READER", help="`caspipe list` shows all.", autocompletion=reader_names)
    ],
    to: Annotated[str, typer.Option("--to", metavar="CONSUMER", help="Likewise.", autocompletion=consumer_names)],
    typesystem: Annotated[
        Path | None,
        typer.Option(help="UIMA type system of the documents that are read, where it does not lie beside them."),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME.PARAM=VALUE", help="A parameter of reader.NAME or consumers.NAME; again."),
    ] = None,
    plugin: Plugin = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")] = False,
) -> None:
    """Reads documents with any reader and writes them with any consumer; nothing is found or masked.

    What is written holds the original text, for its owner only, unless the documents bring a masked view and the consumer is
    told to write that.
    """
    from ...contract import registry
    from . import console

    for file in plugin or []:
        registry.load_file(str(file))
    pipeline = _conversion(source, target, from_, to, typesystem, set_ or [])
    pipeline.options.ledger = False  # a copy in another form: there is nothing to be released or taken up again
    with console.progress(quiet) as progress:
        report = pipeline.run(progress)
    if not quiet:
        console.print_report(report, pipeline, "written")
    elif report.exit_code:
        console.print_failures(report, pipeline)
    raise typer.Exit(report.exit_code)


def _conversion(
    source: str, target: str, reader: str, consumer: str, typesystem: Path | None, overrides: list[str]
) -> Pipeline:
    from ...pipeline import Pipeline

    takes, makes = _component(reader, "reader", "--from"), _component(consumer, "consumer", "--to")
    given = _place_in(takes, source)
    if typesystem is not None:
        if "typesystem" not in _fields(takes):
            raise ConfigError([Fault("--typesystem", f"the reader {reader} takes no type system")])
        given["typesystem"] = str(typesystem.absolute())
    output, written = _place_out(makes, target)
    if reader == "jsonl":
        given["spans_field"] = "spans"
    options = {"output": str(output), "on_error": "skip"}  # what cannot be converted still lies where it was read
    steps = {"reader": {reader: given}, "engines": _engines(makes), "consumers": [{consumer: written}], "run": options}
    made = Pipeline.parse(json.dumps(steps), overrides)
    made.name = f"{reader} to {consumer}"
    return made


def _component(name: str, role: str, option: str) -> type[Component]:
    from ...contract import registry

    try:
        return registry.find(name, role)
    except LookupError as error:
        raise ConfigError([Fault(option, str(error))]) from None


def _fields(cls: type[Component]) -> tuple[str, ...]:
    from ...contract import params

    return tuple(p.name for p in params.parameters(cls))


def _place_in(cls: type[Component], source: str) -> dict[str, Any]:
    """Where a reader reads. Raises ConfigError where there is nothing."""
    from ....readers.files.archive import is_archive

    fields = _fields(cls)
    if "url" in fields:
        return {"url": source}
    path = Path(source)
    if not path.exists():
        raise ConfigError([Fault("IN", f"{path}: no such folder or file")])
    if "folder" not in fields:
        raise ConfigError([Fault("--from", f"the reader {cls.name} reads no folder or file")])
    whole = path.is_dir() or is_archive(str(path))
    return {"folder": str(path.absolute())} if whole else {"files": [str(path.absolute())]}


def _place_out(cls: type[Component], target: str) -> tuple[Path, dict[str, Any]]:
    """The run's output folder, and where in it a consumer writes."""
    fields = _fields(cls)
    if "url" in fields:
        return Path(), {"url": target}
    path = Path(target).absolute()
    given: dict[str, Any] = {}
    one = "file" in fields and ("folder" not in fields or (path.suffix not in ("", ".xmi") and not path.is_dir()))
    given["file" if one else "folder"] = path.name
    if not one and "folder" not in fields:
        raise ConfigError([Fault("--to", f"the consumer {cls.name} writes no folder or file")])
    if getattr(cls, "annotations", "") == "masked":
        given["annotations"] = "auto"
    return path.parent, given


def _engines(consumer: type[Component]) -> list[str]:
    """What a consumer needs that files may lack: tokens and sentences."""
    from ....typesystem import Token

    return ["segmenter"] if Token in consumer.inputs else []


@guarded
def view(
    file: Annotated[Path, typer.Argument(help="A document: XMI, JSON CAS, XCAS, text, or what --from reads.")],
    from_: Annotated[
        str,
        typer.Option(
            "--from", metavar="READER", help="How it is read; without: by its suffix.", autocompletion=reader_names
        ),
    ] = "",
    typesystem: Annotated[
        Path | None, typer.Option(help="UIMA type system, where it does not lie beside the file.")
    ] = None,
    config: Annotated[
        str,
        typer.Option(
            "--config",
            "-c",
            help="Pipeline that a text without annotations goes through.",
            autocompletion=shipped_configs,
        ),
    ] = "deidentify",
    number: Annotated[
        int, typer.Option(metavar="N", help="Which document, where the file holds several; from 1.", min=1)
    ] = 1,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="The page; without: FILE.html in this folder.")
    ] = None,
    show: Annotated[bool, typer.Option("--open", help="Show it in the browser.")] = False,
    set_: Set = None,
    plugin: Plugin = None,
) -> None:
    """Writes the page of one document: original and masked text side by side, each span with who found it and why it won."""
    from ....consumers.pages.document_page import document_page
    from ...contract import registry
    from ...storage.files import write_atomic

    for path in plugin or []:
        registry.load_file(str(path))
    cas = _document(file, from_, typesystem, number, config, set_)
    page = output or Path(f"{file.name}.html")
    if not page.parent.is_dir():
        raise ConsumerError(f"{page}: no such folder")
    write_atomic(page, document_page(_shown(cas), index=""), private=True)
    typer.echo(str(page))
    if show:
        typer.launch(page.absolute().as_uri())


def _document(
    file: Path, reader: str, typesystem: Path | None, number: int, config: str, overrides: list[str] | None
) -> Cas:
    from ...pipeline import Pipeline
    from .command import load

    plain = file.name.removesuffix(".gz")
    name = reader or BY_SUFFIX.get(Path(plain).suffix.lower(), "")
    if not name:
        known = ", ".join(f"{s} ({r})" for s, r in BY_SUFFIX.items())
        raise ConfigError([Fault("--from", f"expected a reader, since the suffix tells none; it does for {known}")])
    cls = _component(name, "reader", "--from")
    given = _place_in(cls, str(file))
    if typesystem is not None and "typesystem" in _fields(cls):
        given["typesystem"] = str(typesystem.absolute())
    through = name == "text"
    parsed = Pipeline.parse(json.dumps({"reader": {name: given}, "engines": []}), [] if through else overrides or [])
    assert parsed.reader is not None
    parsed.reader.open()
    try:
        found = next((cas for n, cas in enumerate(parsed.reader, 1) if n == number), None)
    finally:
        parsed.reader.close()
    if found is None:
        told = parsed.reader.failed[0][1] if parsed.reader.failed else f"{file}: holds no document {number}"
        raise ReaderError(str(told))
    return load(config, overrides, None).process(found) if through else found


def _shown(cas: Cas) -> Cas:
    """The document as the page shows it: of one with a reference and nothing found, the reference counts as found."""
    from ....typesystem import GOLD_VIEW, INITIAL_VIEW, Phi

    if cas.has_view(GOLD_VIEW) and cas.has_view(INITIAL_VIEW) and not cas.view().count(Phi):
        gold = cas.view(GOLD_VIEW)
        if gold.text == cas.text:
            cas.view().add_all([p.moved(p.begin, p.end) for p in gold.select(Phi)])
    return cas


def mount(app: typer.Typer) -> None:
    app.command("convert", epilog=CONVERT_EPILOG)(convert)
    app.command("view", epilog=VIEW_EPILOG)(view)
