"""`caspipe selftest`: attack the own installation and configuration."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from typing import Annotated

import typer
from rich.text import Text

from ...assembly.shipped import locate
from ..selftest.attacked import Target
from ..selftest.trials import Outcome, attack
from . import console
from .command import EXIT_INCOMPLETE, CommandApp
from .options import Config, Plugin, Set

app = CommandApp()
_MOST = 20
_KEY = "a key that selftest invents for notes that it invents"


@app.command(
    epilog="Examples: `caspipe selftest --attack` | `caspipe selftest --attack my.yaml --kills 20`. Exit codes: 0 everything "
    "held; 3 something did not."
)
def selftest(
    config: Config = "deidentify",
    attacks: Annotated[
        bool,
        typer.Option("--attack", help="Also run: search the bytes of a release, damage files, kill runs."),
    ] = False,
    kills: Annotated[
        int, typer.Option(min=0, metavar="N", help="Kill a run N times, and let its writes fail N times.")
    ] = 3,
    set_: Set = None,
    plugin: Plugin = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Attack the own installation and configuration with planted notes.

    Masks notes that try to get names, dates and ages into a release, and looks at the masked texts. With `--attack` also runs
    over them as files, searches every byte of the release, plants damaged files, kills runs and fills the disk.

    The notes are invented, and everything happens in a temporary folder: your data, and the places that your configuration
    writes to, are not touched. A refused document counts as held, because it is not released. Without a key in `CASPIPE_KEY`
    an invented one is used, so that dates are shifted.
    """
    os.environ.setdefault("CASPIPE_KEY", _KEY)
    target = Target(str(locate(config)), tuple(set_ or []), tuple(map(str, plugin or [])))
    with console.out().status("") as status:
        outcomes = list(attack(target, kills if attacks else None, status.update))
    if as_json:
        typer.echo(json.dumps([asdict(outcome) for outcome in outcomes], indent=1))
    else:
        _print(outcomes)
    if any(outcome.failures for outcome in outcomes):
        raise typer.Exit(EXIT_INCOMPLETE)


def _print(outcomes: list[Outcome]) -> None:
    out = console.out()
    rows = [
        (
            Text("held" if not outcome.failures else "FAILED", style="green" if not outcome.failures else "red"),
            outcome.row,
            outcome.what,
            f"{outcome.tried:,}",
            f"{outcome.held:,}",
            f"{outcome.refused:,}",
        )
        for outcome in outcomes
        if outcome.tried
    ]
    out.print(console.table(("", "promise", "attack", "tried", "held", "refused"), rows, right=[3, 4, 5]))
    for outcome in outcomes:
        if not outcome.tried:
            out.print(outcome.what, markup=False)
        for failure in outcome.failures[:_MOST]:
            out.print(f"{outcome.row}: {failure}", style="red", markup=False)
