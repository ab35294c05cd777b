"""`caspipe init` and `caspipe show`: start a project, and print pipelines."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from ...assembly import project, shipped
from .command import CommandApp
from .options import Config, Plugin, Set, load

app = CommandApp()


@app.command(epilog="Examples: `caspipe init study` | `cd study && caspipe run deidentify.yaml`")
def init(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A new or empty folder.")],
) -> None:
    """Write a project: a commented pipeline, a key, a sample note, and a README.

    The key is new and secret. Nothing is ever overwritten.
    """
    made = project.create(folder)
    for file in made.files:
        typer.echo(made.folder / file)
    typer.echo(f"\nNext: cd {folder} && caspipe run {project.PIPELINE}")


@app.command(
    epilog="Examples: `caspipe show deidentify` | `caspipe show deidentify > mine.yaml` | "
    "`caspipe show mine.yaml --resolved`"
)
def show(
    config: Config,
    resolved: Annotated[
        bool, typer.Option("--resolved", help="With included files and `--set`, as the run sees it; without secrets.")
    ] = False,
    where: Annotated[bool, typer.Option("--path", help="Print where the file is.")] = False,
    set_: Set = None,
    plugin: Plugin = None,
) -> None:
    """Print a shipped pipeline or one of yours."""
    path = shipped.locate(config)
    if where:
        typer.echo(path)
    elif resolved or set_:
        described = load(config, set_, plugin).describe()
        typer.echo(yaml.safe_dump(_resolved(described), sort_keys=False, allow_unicode=True, width=120), nl=False)
    else:
        typer.echo(path.read_text(encoding="utf-8-sig"), nl=False)


def _resolved(described: dict[str, Any]) -> dict[str, Any]:
    """Return the sections of a pipeline file from the description of an assembled pipeline."""
    readers = [_step(reader) for reader in described.get("readers") or [described["reader"]] if reader]
    sections = {
        "name": described["name"],
        "reader": readers[0] if len(readers) == 1 else readers,
        "engines": [_step(engine) for engine in described["engines"]],
        "consumers": [_step(consumer) for consumer in described["consumers"]],
    }
    return {name: value for name, value in sections.items() if value}


def _step(step: dict[str, Any]) -> Any:
    parameters = ({"id": step["id"]} if step["id"] != step["component"] else {}) | step["parameters"]
    return {step["component"]: parameters} if parameters else step["component"]
