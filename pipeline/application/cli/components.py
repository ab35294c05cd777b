"""The commands that help to write a configuration or a plug-in: `list`, `describe`, `validate`, `schema`, `new`, `check` ..."""

from __future__ import annotations

import inspect
import json
import re
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from ....typesystem.typesystem import TypeSystem
from ...assembly.schema import pipeline_schema
from ...contract import params, registry, skeletons
from ...contract.component import AnalysisEngine, Annotator, CasConsumer, CollectionReader, Component, Part
from ...contract.conformance import check_module
from ...contract.type_hints import inner_classes
from ...errors import ConfigError, Fault
from . import console
from .command import CommandApp
from .options import Config, Plugin, Set, component_names, load, load_plugins

app = CommandApp()

ROLES = {
    "Readers": CollectionReader,
    "Annotators": Annotator,
    "Engines": AnalysisEngine,
    "Consumers": CasConsumer,
}


@app.command("list", epilog="Examples: `caspipe list` | `caspipe list --plugin badge.py`")
def list_(plugin: Plugin = None) -> None:
    """List every component, shipped and plugged in."""
    load_plugins(plugin)
    components = list(registry.components())
    for title, role in ROLES.items():
        table = Table("name", "", title=title, title_justify="left", title_style="bold", box=None, show_header=False)
        for cls in components:
            if issubclass(cls, role):
                table.add_row(Text(cls.name, style="cyan"), Text(_first_sentence(cls)))
        console.out().print(table)


@app.command(epilog="Example: `caspipe describe masker`")
def describe(
    component: Annotated[
        str, typer.Argument(help="Name or dotted path of a component.", autocompletion=component_names)
    ],
    plugin: Plugin = None,
) -> None:
    """Explain a component: what it reads and makes, and its parameters."""
    load_plugins(plugin)
    try:
        classes = registry.find_all(component)
    except LookupError as error:
        raise ConfigError([Fault("", str(error))]) from None
    for cls in classes:
        _print_component(cls)


@app.command(epilog="Example: `caspipe validate my.yaml`")
def validate(config: Config, set_: Set = None, plugin: Plugin = None) -> None:
    """Assemble a pipeline and run the examples of its rule files; read no document."""
    pipeline = load(config, set_, plugin)
    faults: list[Fault] = []
    for part in [pipeline.reader, *pipeline.engines, *pipeline.consumers]:
        faults += part.check() if part is not None else []
    if faults:
        raise ConfigError(faults)
    typer.echo(f"{pipeline.name}: {len(pipeline.engines)} engines, {len(pipeline.consumers)} consumers; no faults")


@app.command(epilog="Example: `caspipe schema > caspipe.schema.json`")
def schema() -> None:
    """Print the JSON Schema of configurations, for completion in editors."""
    typer.echo(json.dumps(pipeline_schema(), indent=1))


@app.command(epilog="Example: `caspipe typesystem > TypeSystem.xml`")
def typesystem() -> None:
    """Print the UIMA type system of every known component as XML."""
    registry.discover()
    sys.stdout.write(TypeSystem().to_xml().decode("utf-8"))


@app.command(epilog="Example: `caspipe new annotator badge --into my_hospital`")
def new(
    kind: Annotated[str, typer.Argument(help="annotator, reader or consumer.")],
    name: Annotated[str, typer.Argument(help="Its name in YAML: a singular noun in snake_case.")],
    into: Annotated[Path, typer.Option(help="Folder that the files are written to.")] = Path(),
) -> None:
    """Write the skeleton of a plug-in: the component and its test."""
    code, test = skeletons.write(kind, name, into)
    typer.echo(f"{code}\n{test}")
    typer.echo(f"next: pytest {test}; caspipe check {code}; caspipe run CONFIG --plugin {code}", err=True)


@app.command(epilog="Example: `caspipe check my_hospital.badges` | `caspipe check badge.py --text note.txt`")
def check(
    modules: Annotated[list[str], typer.Argument(help="Modules, Python files, or names of components.")],
    text: Annotated[
        list[Path] | None,
        typer.Option(exists=True, dir_okay=False, help="File with a text in which annotators find something."),
    ] = None,
) -> None:
    """Run the contract battery over the components of modules."""
    texts = [path.read_text(encoding="utf-8") for path in text or []]
    findings = [finding for module in modules for finding in check_module(module, *texts)]
    out = console.out()
    for f in findings:
        mark = "[red]FAIL[/]" if f.fault else "[yellow]note[/]" if f.note else "[green]ok[/]  "
        out.print(f"{mark} {escape(f.component)}: {escape(f.check)}")
        if f.fault or f.note:
            out.print(f"     {f.fault or f.note}", markup=False)
    failed, notes = sum(bool(f.fault) for f in findings), sum(bool(f.note) for f in findings)
    out.print(f"{len(findings) - failed - notes} of {len(findings) - notes} checks passed")
    if failed:
        raise typer.Exit(1)


def _first_sentence(cls: type[Any]) -> str:
    paragraph = " ".join((cls.__doc__ or "").strip().partition("\n\n")[0].split())
    end = re.search(r"\.(?= [A-Z])", paragraph)
    return paragraph[: end.end()] if end else paragraph


def _print_component(cls: type[Component]) -> None:
    """Print a component with its parameters, and the parameters of the parts it takes."""
    out = console.out()
    out.print(f"[bold cyan]{cls.name}[/]  {cls.role}  ({cls.__module__}:{cls.__qualname__})")
    out.print(inspect.cleandoc(cls.__doc__ or ""), markup=False)
    out.print(f"needs: {', '.join(t.__name__ for t in cls.inputs) or 'nothing'}")
    out.print(f"makes: {', '.join(t.__name__ for t in cls.outputs) or 'nothing'}")
    _print_parameters(out, cls)
    families = [c for p in params.parameters(cls) for c in inner_classes(p.hint) if issubclass(c, Part)]
    for family in dict.fromkeys(families):
        for part in registry.parts(family):
            out.print(f"\n[bold]{family.__name__.lower()} {part.name}[/]: {escape(_first_sentence(part))}")
            _print_parameters(out, part)


def _print_parameters(out: Console, cls: type[Any]) -> None:
    rows = []
    for p in params.parameters(cls):
        default = "required" if p.required else "" if p.default is None else _default(p.default)
        rows.append((Text(p.name, style="cyan"), p.type_name, default, p.doc))
    if rows:
        out.print(console.table(("parameter", "type", "default", ""), rows))


def _default(value: Any) -> str:
    if isinstance(value, Part):
        return value.name
    return repr(value) if isinstance(value, str) else str(value)
