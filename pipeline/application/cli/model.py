"""`caspipe model`: which models there are, what one is and looks at, and its card."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .command import guarded

if TYPE_CHECKING:
    from rich.table import Table

app = typer.Typer(
    help="Models: trained bundles that `crf`, `svm` and their like apply.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)


def _names(incomplete: str) -> list[str]:
    from ....annotators.sequence.bundle import known

    return [n for n in sorted(known()) if n.startswith(incomplete)]


Name = Annotated[
    str,
    typer.Argument(metavar="NAME", help="Name of a model, or the path of its folder or zip.", autocompletion=_names),
]


@app.command(
    "list", epilog="Models are found among those shipped, in installed packages and in the folders of CASPIPE_MODELS."
)
@guarded
def list_() -> None:
    """Lists the models that have a name."""
    from rich.text import Text

    from ....annotators.sequence.bundle import FOLDER_VARIABLE, head, known
    from ...errors import ResourceError

    models = known()
    if not models:
        typer.echo(
            f"no models: none are shipped or installed, and {FOLDER_VARIABLE} names no folder with any; "
            "`caspipe train` makes them, and a model can also be named by its path"
        )
        return
    table = _table("name", "type", "language", "labels", "size", "licence", "place")
    for name, place in sorted(models.items()):
        try:
            meta = head(str(place))
        except ResourceError:
            table.add_row(Text(name), Text("damaged", style="red"), "", "", "", "", Text(str(place)))
            continue
        cells = (name, meta["type"], meta.get("language", ""), _kinds(meta), _size(place), meta.get("licence", ""))
        table.add_row(*map(Text, map(str, cells)), Text(str(place)))
    _print(table)


@app.command(
    epilog="Examples: `caspipe model info en-phi-crf` | `caspipe model info out/my-crf --attributes 20 --label B-DATE`"
)
@guarded
def info(
    name: Name,
    attributes: Annotated[
        int,
        typer.Option("--attributes", "-n", min=0, help="Show so many attributes with the largest weights per label."),
    ] = 0,
    label: Annotated[
        str, typer.Option(metavar="LABEL", help="Of this label only; 20 of them where --attributes is not given.")
    ] = "",
) -> None:
    """Shows what a model is: labels, features, training, versions; on request the attributes that weigh most.

    Attributes hold words of the texts that the model was trained on.
    """
    from ....annotators.sequence.bundle import ModelBundle, head, locate
    from ...errors import ResourceError

    meta, place = head(name), locate(name)
    if not attributes and not label:
        for title, value in _facts(meta, place):
            if value:
                typer.echo(f"{title:16} {value}")
        return
    bundle = ModelBundle.load(name)
    labels = [label] if label else bundle.labels
    for one in labels:
        try:
            ranked = bundle.ranking(one, attributes or 20)
        except ValueError as error:
            raise ResourceError(f"model {place}: {error}") from None
        typer.echo(f"{one}")
        for attribute, weight in ranked:
            typer.echo(f"  {weight:+9.4f}  {attribute}")


@app.command(epilog="Example: `caspipe model card en-phi-crf`")
@guarded
def card(name: Name) -> None:
    """Prints a model's card: what it is for, what it was made from, how good it is, what it cannot do."""
    from ....annotators.sequence.bundle import card as text_of

    text = text_of(name)
    if not sys.stdout.isatty():
        typer.echo(text)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(text))


@app.command(
    "export-onnx",
    epilog="Example: `caspipe model export-onnx out/my-network`; applying it then needs `pip install 'caspipe[onnx]'` alone",
)
@guarded
def export_onnx(name: Name) -> None:
    """Adds an ONNX graph to a network's bundle, so that it can be applied without PyTorch."""
    from ....annotators.neural.export import add_graph

    size = add_graph(name)
    typer.echo(f"{name}: model.onnx, {size / 1e6:.1f} MB")


def _facts(meta: dict[str, Any], place: Path) -> list[tuple[str, str]]:
    """The description of a model for reading, in order."""
    from ....annotators.sequence.card import shown

    training = meta.get("training", {})
    counts = [f"{training[k]:,} {k}" for k in ("documents", "tokens") if isinstance(training.get(k), int)]
    misfits = [f"{n:,} {k}" for k, n in training.get("misfits", {}).items() if n]
    window = f"{meta['window'][0]} to {meta['window'][1]} tokens around, within the {meta['context']}"
    return [
        ("name", str(meta.get("name", ""))),
        ("title", str(meta.get("title", ""))),
        ("type", str(meta["type"])),
        ("language", str(meta.get("language", ""))),
        ("licence", str(meta.get("licence", ""))),
        ("place", f"{place} ({_size(place)})"),
        ("made by", f"caspipe {meta.get('caspipe', 'unknown')}, format {meta['format']}"),
        ("labels", f"{len(meta['labels'])} in {str(meta['encoding']).upper()}: {', '.join(meta['labels'])}"),
        ("active weights", f"{meta.get('active_features', 0):,}"),
        ("network", _network(meta)),
        ("features", ", ".join(map(shown, meta["features"]))),
        ("window", window),
        ("engines before", ", ".join(str(e.get("component", "")) for e in meta.get("preprocessing", []))),
        ("training", ", ".join(counts)),
        ("gold spans", ", ".join(f"{n:,} {k}" for k, n in training.get("spans", {}).items())),
        ("misfits", ", ".join(misfits)),
        (
            "parameters",
            ", ".join(f"{k}={v}" for k, v in training.get("parameters", {}).items() if v not in (None, [], {})),
        ),
        ("corpora", "; ".join(training.get("corpora", []))),
        ("versions", ", ".join(f"{k} {v}" for k, v in meta.get("versions", {}).items())),
    ]


def _network(meta: dict[str, Any]) -> str:
    """The parts of a network, and the epoch that was taken."""
    given = meta.get("network")
    if not isinstance(given, dict):
        return ""
    from ....annotators.sequence.card import shown

    parts = [shown(given[p]) for p in ("tokens", "characters", "attributes", "encoder", "decoder") if given.get(p)]
    return f"{', '.join(parts)}; epoch {meta.get('epoch', '?')} of {len(meta.get('history', []))}"


def _kinds(meta: dict[str, Any]) -> str:
    """Labels as people count them: kinds where they mark kinds."""
    from ....annotators.sequence.labels import OUTSIDE, parts

    if meta["type"] not in ("crf", "svm", "neural"):
        return f"{len(meta['labels'])} labels"
    kinds = {parts(label, meta["encoding"])[1]: None for label in meta["labels"] if label != OUTSIDE}
    return ", ".join(sorted(kinds)) if len(kinds) <= 6 else f"{len(kinds)} kinds"


def _size(place: Path) -> str:
    size = sum(f.stat().st_size for f in place.iterdir()) if place.is_dir() else place.stat().st_size
    return f"{size / 1e6:.1f} MB"


def _table(*columns: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _print(table: Table) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=200)
    console.print(table)
