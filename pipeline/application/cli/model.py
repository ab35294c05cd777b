"""`caspipe model`: list the models, describe one, print its card."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.text import Text

from ....annotators.neural.network_model import add_onnx_graph, quantize_model
from ....annotators.sequence import model_files
from ....annotators.sequence.card import format_feature
from ....annotators.sequence.labels import OUTSIDE, parts
from ....annotators.sequence.linear_model import LinearModel
from ...errors import ResourceError
from .command import CommandApp, folder_size
from .console import boxed_table, print_table

app = CommandApp(
    name="model", help="Models: trained files that `crf`, `svm` and similar annotators apply.", no_args_is_help=True
)


def model_names(incomplete: str) -> list[str]:
    return [n for n in sorted(model_files.known_models()) if n.startswith(incomplete)]


Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME", help="Name of a model, or the path of its folder or zip.", autocompletion=model_names
    ),
]


@app.command(
    "list", epilog="Models are found among those shipped, in installed packages and in the folders of CASPIPE_MODELS."
)
def list_() -> None:
    """List the models that have a name."""
    models = model_files.known_models()
    if not models:
        typer.echo(
            f"no models: none are shipped or installed, and {model_files.FOLDER_VARIABLE} names no folder with any; "
            "`caspipe train` makes them, and a model can also be named by its path"
        )
        return
    columns = ("name", "type", "language", "labels", "size", "licence", "path")
    print_table(boxed_table(columns, (_row(name, path) for name, path in sorted(models.items()))))


@app.command(
    epilog="Examples: `caspipe model info en-phi-crf` | `caspipe model info out/my-crf --attributes 20 --label B-DATE`"
)
def info(
    name: Name,
    attributes: Annotated[
        int, typer.Option("--attributes", "-n", min=0, help="Show the N attributes with the largest weights per label.")
    ] = 0,
    label: Annotated[
        str, typer.Option(metavar="LABEL", help="Of this label only; 20 of them without --attributes.")
    ] = "",
) -> None:
    """Show a model's labels, features, training and versions; on request the attributes with the largest weights.

    Attributes hold words of the texts that the model was trained on.
    """
    meta, path = model_files.read_description(name), model_files.locate_model(name)
    if not attributes and not label:
        for title, value in _facts(meta, path):
            if value:
                typer.echo(f"{title:16} {value}")
        return
    model = LinearModel.load(name)
    for one in [label] if label else model.labels:
        try:
            ranked = model.ranking(one, attributes or 20)
        except ValueError as error:
            raise ResourceError(f"model {path}: {error}") from None
        typer.echo(f"{one}")
        for attribute, weight in ranked:
            typer.echo(f"  {weight:+9.4f}  {attribute}")


@app.command(epilog="Example: `caspipe model card en-phi-crf`")
def card(name: Name) -> None:
    """Print a model's card: its purpose, its training data, its scores and its limits."""
    text = model_files.read_card(name)
    if sys.stdout.isatty():
        Console().print(Markdown(text))
    else:
        typer.echo(text)


@app.command(
    "export-onnx",
    epilog="Example: `caspipe model export-onnx out/my-network`; applying it then needs `pip install 'caspipe[onnx]'` only",
)
def export_onnx(name: Name) -> None:
    """Add an ONNX graph to a network's model, so that it can be applied without PyTorch."""
    typer.echo(f"{name}: model.onnx, {add_onnx_graph(name) / 1e6:.1f} MB")


@app.command(
    epilog="Example: `caspipe model quantize out/my-network`; the accuracy should be measured again afterwards"
)
def quantize(name: Name) -> None:
    """Store the weights of a network as 8-bit integers, which is a quarter of the size. Its ONNX graph is deleted."""
    typer.echo(f"{name}: network.npz, {quantize_model(name) / 1e6:.1f} MB")


def _row(name: str, path: Path) -> list[str | Text]:
    """Return the cells of a model in the list."""
    try:
        meta = model_files.read_description(str(path))
    except ResourceError:
        return [name, Text("damaged", style="red"), "", "", "", "", str(path)]
    cells = (name, meta["type"], meta.get("language", ""), _kinds(meta), _size(path), meta.get("licence", ""), path)
    return [str(cell) for cell in cells]


def _facts(meta: dict[str, Any], path: Path) -> list[tuple[str, str]]:
    """Return the lines of a model's description in order."""
    training = meta.get("training", {})
    counts = [f"{training[k]:,} {k}" for k in ("documents", "tokens") if isinstance(training.get(k), int)]
    misfits = [f"{n:,} {k}" for k, n in training.get("misfits", {}).items() if n]
    parameters = [f"{k}={v}" for k, v in training.get("parameters", {}).items() if v not in (None, [], {})]
    return [
        *((key, str(meta.get(key, ""))) for key in ("name", "title", "type", "language", "licence")),
        ("path", f"{path} ({_size(path)})"),
        ("made by", f"caspipe {meta.get('caspipe', 'unknown')}, format {meta['format']}"),
        ("labels", f"{len(meta['labels'])} in {str(meta['encoding']).upper()}: {', '.join(meta['labels'])}"),
        ("active weights", f"{meta.get('active_features', 0):,}"),
        ("network", _network(meta)),
        ("features", ", ".join(map(format_feature, meta["features"]))),
        ("window", f"{meta['window'][0]} to {meta['window'][1]} tokens around, within the {meta['context']}"),
        ("engines before", ", ".join(str(e.get("component", "")) for e in meta.get("preprocessing", []))),
        ("training", ", ".join(counts)),
        ("gold spans", ", ".join(f"{n:,} {k}" for k, n in training.get("spans", {}).items())),
        ("misfits", ", ".join(misfits)),
        ("parameters", ", ".join(parameters)),
        ("corpora", "; ".join(training.get("corpora", []))),
        ("versions", ", ".join(f"{k} {v}" for k, v in meta.get("versions", {}).items())),
    ]


def _network(meta: dict[str, Any]) -> str:
    """Return the parts of a network and the epoch that was kept."""
    network = meta.get("network")
    if not isinstance(network, dict):
        return ""
    names = ("tokens", "characters", "attributes", "encoder", "decoder")
    layers = ", ".join(format_feature(network[name]) for name in names if network.get(name))
    return f"{layers}; epoch {meta.get('epoch', '?')} of {len(meta.get('history', []))}"


def _kinds(meta: dict[str, Any]) -> str:
    """Return the kinds of a model that marks kinds, else the number of its labels."""
    if meta["type"] not in ("crf", "svm", "neural"):
        return f"{len(meta['labels'])} labels"
    kinds = {parts(label, meta["encoding"])[1] for label in meta["labels"] if label != OUTSIDE}
    return ", ".join(sorted(kinds)) if len(kinds) <= 6 else f"{len(kinds)} kinds"


def _size(path: Path) -> str:
    return f"{folder_size(path) / 1e6:.1f} MB"
