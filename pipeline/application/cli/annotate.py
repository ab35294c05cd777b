"""`caspipe annotate` shows the PHI of one text; `caspipe why` explains what happened at one offset."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from ....typesystem import DEIDENTIFIED_VIEW, Cas, ListHit, MaskedSpan, Phi, PhiCandidate, PhiKind
from ...contract.leaks import describe_leaks, leaks_of, refuse_leaks
from ...errors import ReaderError
from . import console
from .command import CommandApp, complain
from .options import Config, Plugin, Set, SiteFile, load, overrides_of, shipped_configs

app = CommandApp()


@app.command(
    epilog='Examples: `caspipe annotate "Seen on 3/4/2020 by Dr. Smith."` | `caspipe annotate --masked < note.txt`'
)
def annotate(
    text: Annotated[str | None, typer.Argument(help="The text; standard input if omitted or `-`.")] = None,
    config: Annotated[
        str,
        typer.Option("--config", "-c", help="YAML file, or the name of a shipped one.", autocompletion=shipped_configs),
    ] = "deidentify",
    set_: Set = None,
    site: SiteFile = None,
    plugin: Plugin = None,
    masked: Annotated[bool, typer.Option("--masked", "-m", help="Print the masked text only.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the spans as JSON.")] = False,
) -> None:
    """Find PHI in one text and show it, colored on a terminal."""
    if text is None or text == "-":
        if sys.stdin.isatty():
            typer.echo("Reading the text from the terminal; end with Ctrl-D.", err=True)
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
    cas = load(config, overrides_of(set_, site=site), plugin).process(text)
    if as_json or masked:
        refuse_leaks(cas)
    if as_json:
        _print_json(cas)
    elif masked:
        sys.stdout.write(cas.deidentified)
        if not cas.deidentified.endswith("\n"):
            sys.stdout.write("\n")
    else:
        _print_spans(cas)
        if leaks := leaks_of(cas):
            complain(f"leak gate: {describe_leaks(leaks)}: no consumer would write this")


@app.command(epilog="Example: `caspipe why my.yaml notes/17.txt 120`")
def why(
    config: Config,
    file: Annotated[Path, typer.Argument(help="A text file.")],
    offset: Annotated[int, typer.Argument(help="Code point, from 0.")],
    set_: Set = None,
    site: SiteFile = None,
    plugin: Plugin = None,
    show_text: Annotated[bool, typer.Option(help="Print the covered texts as well.")] = False,
) -> None:
    """Explain what was found at one offset of a text, which candidate won, and why."""
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ReaderError(f"{file}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ReaderError(f"{file}: expected UTF-8, found an invalid byte at {error.start}") from None
    if not 0 <= offset < max(len(text), 1):
        raise ReaderError(f"offset {offset} is outside the text (0 to {len(text) - 1})")
    _print_why(load(config, overrides_of(set_, site=site), plugin).process(text), offset, show_text)


def _print_spans(cas: Cas) -> None:
    """Print the text with its spans in color (in brackets without colors), the masked text, and a table of the spans."""
    out = console.out()
    view = cas.view()
    phis: list[Phi] = view.select(Phi)
    plain = not out.is_terminal or out.no_color
    marked, end = Text(), 0
    for phi in phis:
        color = console.color(phi.kind.name)
        marked.append(view.text[end : phi.begin])
        covered = view.text[phi.begin : phi.end]
        marked.append(f"[{covered}]" if plain else covered, style=f"bold {color} reverse")
        marked.append(f"({phi.kind.name})" if plain else f" {phi.kind.name} ", style=color)
        end = phi.end
    marked.append(view.text[end:])
    out.print(marked)
    if cas.has_view(DEIDENTIFIED_VIEW):
        out.print()
        out.print(Text(cas.deidentified))
    if phis:
        out.print()
        kinds = (Text(phi.kind.name, style=console.color(phi.kind.name)) for phi in phis)
        rows = (
            (str(phi.begin), str(phi.end), kind, phi.source, phi.value) for phi, kind in zip(phis, kinds, strict=True)
        )
        out.print(console.table(("begin", "end", "kind", "source", "value"), rows))


def _print_json(cas: Cas) -> None:
    """Print the spans and the masked text as one JSON object. Offsets are code points."""
    names = ("begin", "end", "kind", "source", "confidence", "value", "reason")
    spans = [{n: p.kind.name if n == "kind" else getattr(p, n) for n in names} for p in cas.select(Phi)]
    masked = cas.deidentified if cas.has_view(DEIDENTIFIED_VIEW) else None
    sys.stdout.write(json.dumps({"spans": spans, "masked": masked}, indent=1) + "\n")


def _print_why(cas: Cas, offset: int, show_text: bool) -> None:
    """Print everything at an offset: candidates with their outcome, the final span, the replacement."""
    out = console.out()
    view = cas.view()
    here = (offset, offset + 1)
    line, column = view.line_column(offset)
    out.print(f"offset {offset} (line {line}, column {column})")
    candidates: list[PhiCandidate] = view.select(PhiCandidate, overlapping=here)
    rows = []
    for c in candidates:
        span = f"{c.begin}:{c.end}" + (f" {c.covered_text!r}" if show_text else "")
        rows.append((c.source, c.kind.name, span, c.rule, f"{c.confidence:.2f}", c.reason))
    columns = ("component", "kind", "span", "rule", "confidence", "outcome")
    out.print(console.table(columns, rows) if rows else "no component found anything here")
    for c in candidates:
        if c.rule.startswith("denied by "):
            out.print(f"site list: {c.rule}", markup=False)
    for phi in view.select(Phi, overlapping=here):
        out.print(f"final: {phi.kind.name} {phi.begin}:{phi.end} from {phi.source}: {phi.reason}", markup=False)
    for a in view.select("uima.tcas.Annotation", overlapping=here):
        if not isinstance(a, Phi | PhiCandidate):
            source = f" from {a.source}" if a.source else ""
            listed = f": {a.list} {a.entry}" if isinstance(a, ListHit) and a.list.startswith("site.") else ""
            out.print(f"also: {type(a).__name__} {a.begin}:{a.end}{source}{listed}", markup=False)
    if cas.has_view(DEIDENTIFIED_VIEW):
        for m in cas.view(DEIDENTIFIED_VIEW).select(MaskedSpan):
            if m.original_begin <= offset < m.original_end:
                fallback = f" ({m.fallback})" if m.fallback else ""
                out.print(f"masked by: {m.operator}{fallback}", markup=False)
                if m.kind.top is PhiKind.DATE and cas.metadata.get("possible_offsets"):
                    out.print(f"offsets that remain possible: {cas.metadata['possible_offsets']}", markup=False)
