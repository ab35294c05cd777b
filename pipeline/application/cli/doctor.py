"""`caspipe doctor`: find what INCEpTION would reject in XMI and JSON CAS documents, type systems and projects."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from ....consumers.inception.checks import Finding
from ....consumers.inception.doctor import Doctor, Report
from ....readers.uima.inception_export import FolderTree, ZipTree
from ....typesystem.typesystem import TypeSystem
from ...errors import ReaderError
from . import console
from .command import EXIT_INCOMPLETE, CommandApp

app = CommandApp()

_COLORS = {"error": "red", "warning": "yellow", "info": "blue"}
_ORDER = tuple(_COLORS)


@app.command(
    epilog="Examples: `caspipe doctor restricted/inception.zip` | `caspipe doctor note.xmi --typesystem TypeSystem.xml` | "
    "`caspipe doctor restricted/xmi --json`. Exit codes: 0 no errors; 3 errors; 4 nothing there to examine."
)
def doctor(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH...", help="XMI, JSON CAS, TypeSystem.xml, a zip of these, or a folder."),
    ],
    typesystem: Annotated[
        Path | None, typer.Option(help="Type system of documents that have none beside them.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    least: Annotated[
        str, typer.Option("--severity", metavar="error|warning|info", help="Least severity that is shown.")
    ] = "warning",
    most: Annotated[int, typer.Option("--most", min=1, help="Findings shown for one check and type in a file.")] = 20,
) -> None:
    """Run INCEpTION's import checks: errors are what it rejects, warnings what it drops silently.

    A finding names the file, the check, the type, the number of the feature structure (xmi:id) and its offsets, in code points
    and in UTF-16 code units, never any text.
    """
    if least not in _ORDER:
        raise typer.BadParameter(f"expected error, warning or info, got {least!r}", param_hint="--severity")
    report = examine(paths, typesystem)
    if not (report.documents or report.typesystems or report.findings):
        raise ReaderError(f"{', '.join(map(str, paths))}: expected XMI, JSON CAS or type systems, found none")
    if as_json:
        typer.echo(json.dumps(_as_json(report), indent=1))
    else:
        _print(report, _ORDER[: _ORDER.index(least) + 1], most)
    if report.count("error"):
        raise typer.Exit(EXIT_INCOMPLETE)


def examine(paths: list[Path], typesystem: Path | None = None) -> Report:
    """Check files, folders and archives. Raises ReaderError for a path that does not exist."""
    types = None
    if typesystem is not None:
        try:
            types = TypeSystem.load(typesystem)
        except OSError as error:
            raise ReaderError(f"{typesystem}: cannot read: {error.strerror or type(error).__name__}") from None
    checker = Doctor(types)
    folders: dict[Path, FolderTree] = {}
    for path in paths:
        if path.is_dir():
            checker.examine(FolderTree(path))
        elif not path.is_file():
            raise ReaderError(f"{path}: expected a file or a folder, found none")
        elif path.name.lower().endswith(".zip"):
            checker.examine(ZipTree(path, f"{path}!/"))
        else:
            tree = folders.get(path.parent) or folders.setdefault(path.parent, FolderTree(path.parent))
            checker.examine(tree, only=path.name)
    return checker.report


def _as_json(report: Report) -> dict[str, object]:
    return {
        "documents": report.documents,
        "typesystems": report.typesystems,
        **{f"{severity}s": report.count(severity) for severity in ("error", "warning")},
        "findings": [
            {
                name: value
                for name, value in dataclasses.asdict(finding).items()
                if value not in (None, "", 0) or name in ("begin", "utf16_begin")
            }
            for finding in report.findings
        ],
    }


def _print(report: Report, severities: tuple[str, ...], most: int) -> None:
    out = console.out()
    shown = [f for f in report.findings if f.severity in severities]
    file, counts = None, Counter[tuple[str, str, str]]()
    for f in shown:
        key = f.file, f.check, f.type
        counts[key] += 1
        if counts[key] > most:
            continue
        if f.file != file:
            out.print(f.file, style="bold", markup=False)
            file = f.file
        out.print(_line(f))
    if left := sum(n - most for n in counts.values() if n > most):
        out.print(f"{left:,} more of the same kinds; --most shows more of them")
    hidden = len(report.findings) - len(shown)
    looked = f"{report.documents:,} documents, {report.typesystems:,} type systems"
    totals = f"{report.count('error'):,} errors, {report.count('warning'):,} warnings"
    out.print(f"{looked}: {totals}" + (f", {hidden:,} less severe findings not shown" if hidden else ""))


def _line(finding: Finding) -> Text:
    place = [finding.type.rpartition(".")[2]] if finding.type else []
    if finding.id:
        place.append(f"#{finding.id}")
    if finding.begin is not None:
        place.append(f"{finding.begin}:{finding.end}")
    units = finding.utf16_begin, finding.utf16_end
    if units[0] is not None and units != (finding.begin, finding.end):
        place.append(f"(UTF-16 {units[0]}:{units[1]})")
    where = f" {' '.join(place)}" if place else ""
    severity = (finding.severity, _COLORS[finding.severity])
    return Text.assemble("  ", severity, f" {finding.check}{where}: {finding.message}")
