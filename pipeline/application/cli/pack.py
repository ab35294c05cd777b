"""`caspipe pack`: a pipeline with everything it needs in one file, for machines without a network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...packaging import packing
from .command import CommandApp
from .options import Config, Plugin, Set, load_plugins

app = CommandApp()


@app.command(
    epilog="Examples: `caspipe pack deidentify -o deidentify.zip` | "
    "`caspipe pack my.yaml -o my.zip --sign release-key --wheels wheels`. "
    "`caspipe run my.zip --verify release-key.pub` runs it; keys are not in it."
)
def pack(
    config: Config,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE.zip", help="Pipeline package to write.")],
    set_: Set = None,
    plugin: Plugin = None,
    sign: Annotated[
        Path | None, typer.Option(metavar="KEY", help="Private key to sign it with (`caspipe key signing`).")
    ] = None,
    wheels: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Folder with the wheels of all requirements, to include.")
    ] = None,
) -> None:
    """Pack a pipeline: configuration, models, lexicons, rules, plug-ins, type system, and the hash of each.

    Keys and passwords are never packed: `${VARIABLE}` and `file:PATH` stay references, a secret in clear is rejected.
    """
    load_plugins(plugin)
    packed = packing.pack(config, output, overrides=set_ or [], sign=sign, wheels=wheels)
    for name, value in packing.describe(packed).items():
        if value not in ([], 0):
            typer.echo(f"{name}: {', '.join(value) if isinstance(value, list) else value}")
