"""`caspipe convert`: read documents with any reader and write them with any consumer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from ....typesystem import Token
from ...contract import params, registry
from ...contract.component import Component
from ...errors import ConfigError, Fault
from ...pipeline import Pipeline
from ...storage.archives.archive import is_archive
from . import console
from .command import CommandApp
from .options import Plugin, Quiet, consumer_names, load_plugins, reader_names

app = CommandApp()


@app.command(
    epilog="Examples: `caspipe convert corpus/brat corpus.xmi --from brat --to xmi` | "
    "`caspipe convert reviewed export.jsonl --from xmi --to doccano` | "
    "`caspipe convert old.xcas there --from xcas --to xmi --typesystem TypeSystem.xml` | "
    "`caspipe convert corpus.zip there --from i2b2 --to conll --set conll.scheme=i2b2-2014` | "
    "`caspipe convert corpus there --from brat --to xmi --set brat.kinds.DOCTOR=PERSON_DOCTOR`. "
    "Exit codes: 0 all converted; 2 wrong usage; 3 some documents failed; 4 the conversion failed."
)
def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="Folder, archive or file; for sql the database's URL.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="Folder or file; for sql the database's URL.")],
    from_: Annotated[
        str, typer.Option("--from", metavar="READER", help="`caspipe list` shows all.", autocompletion=reader_names)
    ],
    to: Annotated[str, typer.Option("--to", metavar="CONSUMER", help="Likewise.", autocompletion=consumer_names)],
    typesystem: Annotated[
        Path | None, typer.Option(help="UIMA type system of the documents that are read, if it is not beside them.")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME.PARAM=VALUE", help="A parameter of reader.NAME or consumers.NAME; repeatable."
        ),
    ] = None,
    plugin: Plugin = None,
    quiet: Quiet = False,
) -> None:
    """Read documents with any reader and write them with any consumer, without finding or masking PHI.

    The output holds the original text, for its owner only, unless the documents have a masked view and the consumer is
    configured to write that.
    """
    load_plugins(plugin)
    pipeline = _conversion(source, target, from_, to, typesystem, set_ or [])
    pipeline.options.ledger = False  # a copy in another format is never released or resumed
    report = console.run(pipeline, quiet)
    if not quiet:
        console.print_report(report, pipeline, "written")
    elif report.exit_code:
        console.print_failures(report, pipeline)
    raise typer.Exit(report.exit_code)


def _conversion(
    source: str, target: str, reader: str, consumer: str, typesystem: Path | None, overrides: list[str]
) -> Pipeline:
    reader_class, consumer_class = (
        find_component(reader, "reader", "--from"),
        find_component(consumer, "consumer", "--to"),
    )
    parameters = source_parameters(reader_class, source)
    if typesystem is not None:
        if "typesystem" not in parameter_names(reader_class):
            raise ConfigError([Fault("--typesystem", f"the reader {reader} takes no type system")])
        parameters["typesystem"] = str(typesystem.absolute())
    if reader == "jsonl":
        parameters["spans_field"] = "spans"
    output, written = _target_parameters(consumer_class, target)
    steps = {
        "reader": {reader: parameters},
        "engines": ["segmenter"] if Token in consumer_class.inputs else [],  # files may lack tokens and sentences
        "consumers": [{consumer: written}],
        "run": {"output": str(output), "on_error": "skip"},  # a document that fails still exists at its source
    }
    pipeline = Pipeline.parse(json.dumps(steps), overrides)
    pipeline.name = f"{reader} to {consumer}"
    return pipeline


def find_component(name: str, role: str, option: str) -> type[Component]:
    """Return the class of a component. Raises ConfigError that names the option."""
    try:
        return registry.find(name, role)
    except LookupError as error:
        raise ConfigError([Fault(option, str(error))]) from None


def parameter_names(cls: type[Component]) -> list[str]:
    return [p.name for p in params.parameters(cls)]


def source_parameters(cls: type[Component], source: str) -> dict[str, Any]:
    """Return the parameters that make a reader read `source`. Raises ConfigError if it does not exist."""
    names = parameter_names(cls)
    if "url" in names:
        return {"url": source}
    path = Path(source)
    if not path.exists():
        raise ConfigError([Fault("IN", f"{path}: no such folder or file")])
    if "folder" not in names:
        raise ConfigError([Fault("--from", f"the reader {cls.name} reads no folder or file")])
    several = path.is_dir() or is_archive(str(path))
    return {"folder": str(path.absolute())} if several else {"files": [str(path.absolute())]}


def _target_parameters(cls: type[Component], target: str) -> tuple[Path, dict[str, Any]]:
    """Return the run's output folder and the parameters that make a consumer write to `target`."""
    names = parameter_names(cls)
    if "url" in names:
        return Path(), {"url": target}
    path = Path(target).absolute()
    single = "file" in names and ("folder" not in names or (path.suffix not in ("", ".xmi") and not path.is_dir()))
    if not single and "folder" not in names:
        raise ConfigError([Fault("--to", f"the consumer {cls.name} writes no folder or file")])
    parameters = {"file" if single else "folder": path.name}
    if getattr(cls, "annotations", "") == "masked":
        parameters["annotations"] = "auto"
    return path.parent, parameters
