"""The command line: `caspipe run`, `annotate`, `why`, and what helps to write a configuration or a plug-in."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Annotated

import typer

from ...errors import ConfigError, Fault
from .command import Config, Plugin, Set, complain, component_names, guarded, load, one_a_line, shipped_configs
from .run import mount as mount_run

app = typer.Typer(
    name="caspipe",
    help="UIMA for Python: pipelines from YAML around one CAS; de-identification of clinical narratives.",
    epilog="Exit codes: 0 all documents released; 2 wrong configuration or usage; 3 some documents quarantined or skipped; "
    "4 the run could not go on; 130 interrupted.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"caspipe {version('caspipe')}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    pass


mount_run(app)


@app.command(
    epilog='Examples: `caspipe annotate "Seen on 3/4/2020 by Dr. Smith."` | `caspipe annotate --masked < note.txt`'
)
@guarded
def annotate(
    text: Annotated[str | None, typer.Argument(help="The text; standard input where it is left out or `-`.")] = None,
    config: Annotated[
        str,
        typer.Option("--config", "-c", help="YAML file, or the name of a shipped one.", autocompletion=shipped_configs),
    ] = "deidentify",
    set_: Set = None,
    plugin: Plugin = None,
    masked: Annotated[bool, typer.Option("--masked", "-m", help="Print the masked text only.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the spans as JSON.")] = False,
) -> None:
    """Finds PHI in one text and shows it, coloured on a terminal."""
    from . import console

    if text is None or text == "-":
        if sys.stdin.isatty():
            typer.echo("Reading the text from the terminal; end with Ctrl-D.", err=True)
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
    from ...contract.leaks import leaks_of, refuse_leaks, told

    cas = load(config, set_, plugin).process(text)
    if as_json or masked:
        refuse_leaks(cas)
    if as_json:
        console.print_json(cas)
    elif masked:
        sys.stdout.write(cas.deidentified)
        if not cas.deidentified.endswith("\n"):
            sys.stdout.write("\n")
    else:
        console.print_spans(cas)
        if leaks := leaks_of(cas):
            complain(f"leak gate: {told(leaks)}: no consumer would write this")


@app.command("list", epilog="Examples: `caspipe list` | `caspipe list --plugin badge.py`")
@guarded
def list_(plugin: Plugin = None) -> None:
    """Lists every component, shipped and plugged in."""
    from ...contract import registry
    from . import console

    for file in plugin or []:
        registry.load_file(str(file))
    console.print_components(registry.components())


@app.command(epilog="Example: `caspipe describe masker`")
@guarded
def describe(
    component: Annotated[
        str, typer.Argument(help="Name or dotted path of a component.", autocompletion=component_names)
    ],
    plugin: Plugin = None,
) -> None:
    """Explains a component: what it reads and makes, and its parameters."""
    from ...contract import registry
    from . import console

    for file in plugin or []:
        registry.load_file(str(file))
    try:
        classes = registry.find_all(component)
    except LookupError as error:
        raise ConfigError([Fault("", str(error))]) from None
    for cls in classes:
        console.print_component(cls)


@app.command(epilog="Example: `caspipe validate my.yaml`")
@guarded
def validate(config: Config, set_: Set = None, plugin: Plugin = None) -> None:
    """Assembles a pipeline and runs the examples of its rule files; reads no document."""
    pipeline = load(config, set_, plugin)
    faults: list[Fault] = []
    for part in [pipeline.reader, *pipeline.engines, *pipeline.consumers]:
        faults += part.check() if part is not None else []
    if faults:
        raise ConfigError(faults)
    typer.echo(f"{pipeline.name}: {len(pipeline.engines)} engines, {len(pipeline.consumers)} consumers; no faults")


@app.command(epilog="Example: `caspipe schema > caspipe.schema.json`")
@guarded
def schema() -> None:
    """Prints the JSON Schema of configurations, for completion in editors."""
    import json

    from ...assembly.schema import pipeline_schema

    typer.echo(json.dumps(pipeline_schema(), indent=1))


@app.command(epilog="Example: `caspipe typesystem > TypeSystem.xml`")
@guarded
def typesystem() -> None:
    """Prints the UIMA type system of every component known, as XML."""
    from ....typesystem.typesystem import TypeSystem
    from ...contract import registry

    registry.discover()
    sys.stdout.write(TypeSystem().to_xml().decode("utf-8"))


@app.command(epilog="Example: `caspipe new annotator badge --into my_hospital`")
@guarded
def new(
    kind: Annotated[str, typer.Argument(help="annotator, reader or consumer.")],
    name: Annotated[str, typer.Argument(help="What YAML will call it: a singular noun in snake_case.")],
    into: Annotated[Path, typer.Option(help="Folder that the files are written to.")] = Path(),
) -> None:
    """Writes a plug-in to start from: the component and its test."""
    from ...contract.skeletons import write

    for path in write(kind, name, into):
        typer.echo(str(path))


@app.command(epilog="Example: `caspipe check my_hospital.badges` | `caspipe check badge.py`")
@guarded
def check(module: Annotated[str, typer.Argument(help="Module, Python file, or name of one component.")]) -> None:
    """Runs the contract battery over the components of a module."""
    from ...contract.conformance import check_module
    from . import console

    findings = check_module(module)
    console.print_findings(findings)
    if any(f.fault for f in findings):
        raise typer.Exit(1)


@app.command(epilog="Example: `caspipe why my.yaml notes/17.txt 120`")
@guarded
def why(
    config: Config,
    file: Annotated[Path, typer.Argument(help="A text file.")],
    offset: Annotated[int, typer.Argument(help="Code point, from 0.")],
    set_: Set = None,
    plugin: Plugin = None,
    show_text: Annotated[bool, typer.Option(help="Print the covered texts as well.")] = False,
) -> None:
    """Tells which components saw what at a place in a text, who won and why."""
    from ...errors import ReaderError
    from . import console

    try:
        text = file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ReaderError(f"{file}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ReaderError(f"{file}: expected UTF-8, found an invalid byte at {error.start}") from None
    if not 0 <= offset < max(len(text), 1):
        raise ReaderError(f"offset {offset} lies outside the text (0 to {len(text) - 1})")
    console.print_why(load(config, set_, plugin).process(text), offset, show_text)


def _mount() -> None:
    from .lexicon import app as lexicon

    app.add_typer(lexicon, name="lexicon")

    from .evaluate import EPILOG, command
    from .model import app as model
    from .train import app as train

    app.command("evaluate", epilog=EPILOG)(command)
    app.add_typer(train, name="train")

    from .experiment import EPILOG as EXPERIMENT_EPILOG
    from .experiment import experiment

    app.command("experiment", epilog=EXPERIMENT_EPILOG)(experiment)
    app.add_typer(model, name="model")

    from .synthesize import mount as mount_synthesize

    mount_synthesize(app)

    from .diff import mount as mount_diff
    from .exchange import mount as mount_exchange

    mount_exchange(app)
    mount_diff(app)

    from .audit import mount as mount_audit
    from .doctor import mount as mount_doctor
    from .key import mount as mount_key
    from .pack import mount as mount_pack
    from .review import mount as mount_review
    from .serve import mount as mount_serve

    mount_audit(app)
    mount_doctor(app)
    mount_key(app)
    mount_pack(app)
    mount_review(app)
    mount_serve(app)


_mount()
one_a_line(app)


def main() -> None:
    """Entry point of `caspipe`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal or pipe that is not UTF-8 gets escapes, not a crash
            stream.reconfigure(errors="backslashreplace")
    app()


if __name__ == "__main__":
    main()
