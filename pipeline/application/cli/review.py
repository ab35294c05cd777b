"""`caspipe review`: people look at what was found, in the browser; what they decide becomes gold."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...errors import ConfigError, Fault
from .command import EXIT_INCOMPLETE, Plugin, Set, complain, guarded, load, need, shipped_configs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..review.agreement import Agreement
    from ..review.catalogue import Catalogue
    from ..review.history import Decided

EPILOG = (
    "Examples: `caspipe run deidentify`, then `caspipe review out/restricted/xmi` | "
    "`caspipe review narratives --config my.yaml --set reader.text.folder=notes` | "
    "`caspipe review out/restricted/xmi --annotator anna` | `caspipe review out/restricted/xmi --agreement` | "
    "`caspipe review out/restricted/xmi --adjudicate anna ben` | "
    "`caspipe review out/restricted/xmi --export gold`. Everything stays on this machine."
)


def mount(app: typer.Typer) -> None:
    """Adds the command to an application."""
    app.command("review", epilog=EPILOG)(review)


@guarded
def review(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="FOLDER|XMI...", help="Folder of XMI files as `caspipe run` writes it, or files."),
    ],
    annotator: Annotated[
        str, typer.Option("--annotator", "-a", metavar="NAME", help="Whose decisions these are: each has a journal.")
    ] = "",
    config: Annotated[
        str,
        typer.Option(
            "--config",
            "-c",
            help="Pipeline whose reader and engines make the XMI first, into FOLDER.",
            autocompletion=shipped_configs,
        ),
    ] = "",
    set_: Set = None,
    plugin: Plugin = None,
    view: Annotated[str, typer.Option(metavar="VIEW", help="View with the spans to review.")] = "_InitialView",
    lenient: Annotated[bool, typer.Option("--lenient", help="Pass through types that the type system lacks.")] = False,
    threshold: Annotated[float, typer.Option(min=0, max=1, help="Less confidence is low.")] = 0.8,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any free one.")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address only.")] = False,
    export: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Write what is done as gold XMI into this folder, and stop.")
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="With --export: also documents that are not done.")] = False,
    agreement: Annotated[bool, typer.Option("--agreement", help="Print how far annotators agree, and stop.")] = False,
    level: Annotated[
        str, typer.Option(help="With --agreement: compare kinds at the first level (`top`) or as they are (`kind`).")
    ] = "top",
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="With --agreement: write it as JSON, too.")
    ] = None,
    adjudicate: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="A B", help="Choose between these two annotators where they differ."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Opens a page in the browser to check, correct and complete what was found.

    Decisions are saved at once, in `review/` beside the documents. The page is served to this machine only; nothing leaves it.
    """
    from ..review.catalogue import Catalogue

    faults = _faults(config, paths, export, all_, agreement, level, json_file, adjudicate)
    if faults:
        raise ConfigError(faults)
    if not agreement and export is None:
        need("review", "server", "fastapi", "uvicorn")
    if config:
        _prepare(paths[0], config, set_, plugin, quiet)
    catalogue = Catalogue(paths, view=view, lenient=lenient)
    if agreement:
        _print_agreement(catalogue, annotator, level == "top", json_file)
        return
    name = annotator or ("adjudicator" if adjudicate else "reviewer")
    _work(catalogue, name, adjudicate, export, all_, threshold, port, not no_browser)


def _faults(
    config: str,
    paths: list[Path],
    export: Path | None,
    all_: bool,
    agreement: bool,
    level: str,
    json_file: Path | None,
    adjudicate: tuple[str, str] | None,
) -> list[Fault]:
    faults = []
    if config and (len(paths) != 1 or paths[0].is_file()):
        faults.append(Fault("--config", "expected one folder, for the XMI that the pipeline makes"))
    elif config and any(paths[0].glob("**/*.xmi")):
        faults.append(
            Fault("--config", f"{paths[0]} holds XMI already: leave --config out to review that, or name a new folder")
        )
    if adjudicate and adjudicate[0] == adjudicate[1]:
        faults.append(Fault("--adjudicate", "expected two different annotators"))
    if level not in ("top", "kind"):
        faults.append(Fault("--level", f"expected top or kind, got {level!r}"))
    if all_ and export is None:
        faults.append(Fault("--all", "goes with --export"))
    if json_file is not None and not agreement:
        faults.append(Fault("--json", "goes with --agreement"))
    if agreement and export is not None:
        faults.append(Fault("--export", "does not go with --agreement"))
    return faults


def _prepare(folder: Path, config: str, set_: list[str] | None, plugin: list[Path] | None, quiet: bool) -> None:
    """Runs a pipeline's reader and engines; what they make becomes XMI in `folder`."""
    from ....consumers.uima.xmi import XmiConsumer
    from ...pipeline import Pipeline
    from . import console

    loaded = load(config, set_, plugin)
    pipeline = Pipeline(
        loaded.engines,
        reader=loaded.reader,
        consumers=[XmiConsumer(folder=folder.absolute())],
        options=loaded.options,
        name=loaded.name,
    )
    pipeline.views, pipeline.config = loaded.views, loaded.config
    with console.progress(quiet) as progress:
        report = pipeline.run(progress)
    if report.exit_code:
        console.print_failures(report, pipeline)
        if not any(folder.glob("**/*.xmi")):
            raise typer.Exit(report.exit_code)


def _work(
    catalogue: Catalogue,
    name: str,
    adjudicate: tuple[str, str] | None,
    export: Path | None,
    all_: bool,
    threshold: float,
    port: int,
    browser: bool,
) -> None:
    from ..review.session import Session, Two
    from ..review.store import Journal, annotators, journal_path

    two = None
    if adjudicate:
        left, right = adjudicate
        two = Two(left, right, (_decided(catalogue, left), _decided(catalogue, right)))
        if name in adjudicate:
            raise ConfigError([Fault("--annotator", f"{name} is one of those between whom to choose")])
    header: dict[str, Any] = {"annotator": name, "between": list(adjudicate) if adjudicate else None}
    others = {n: _decided(catalogue, n) for n in annotators(catalogue.home) if n != name} if two is None else {}
    journal = Journal(journal_path(catalogue.home, name), header)
    try:
        session = Session(catalogue, journal, two=two, others=others)
        if export is not None:
            _export(session, export, name, all_)
            return
        from ..review.server import serve

        typer.echo(
            f"{len(catalogue):,} documents. Decisions are kept in {journal.path}. Ctrl-C ends the review.", err=True
        )
        serve(
            session,
            annotator=name,
            port=port,
            browser=browser,
            threshold=threshold,
            say=lambda address: typer.echo(address),
        )
        between = f" --adjudicate {' '.join(adjudicate)}" if adjudicate else ""
        typer.echo(
            f"All decisions are saved. To write what is done: caspipe review {catalogue.home} --annotator {name}{between} "
            "--export FOLDER",
            err=True,
        )
    finally:
        journal.close()


def _export(session: Any, folder: Path, name: str, all_: bool) -> None:
    from ..review.export import export_gold

    found = export_gold(session, folder, name, everything=all_)
    left = f"; {found.left:,} not reviewed and left out" if found.left else ""
    typer.echo(f"{found.written:,} documents written to {folder}{left}")
    if not found.written and found.left:
        complain("a document is done when its reviewer says so (`d` on the page); --all writes the others as well")
    for document, reason in found.failed:
        complain(f"{document}: {reason}")
    if found.failed:
        raise typer.Exit(EXIT_INCOMPLETE)


def _decided(catalogue: Catalogue, name: str) -> Mapping[str, Decided]:
    """Another annotator's decisions."""
    from ..review.history import History
    from ..review.store import annotators, journal_path, read_journal

    there = annotators(catalogue.home)
    if name not in there:
        raise ConfigError(
            [Fault("annotator", f"{name!r} has reviewed nothing here; there are: {', '.join(there) or 'none'}")]
        )
    return History(read_journal(journal_path(catalogue.home, name))[1]).documents


def _print_agreement(catalogue: Catalogue, names: str, top: bool, json_file: Path | None) -> None:
    from ...storage.files import write_atomic
    from ..review.agreement import agreement as compared
    from ..review.store import annotators, journal_path, read_journal

    wanted = [n.strip() for n in names.split(",") if n.strip()] or [
        n for n in annotators(catalogue.home) if not read_journal(journal_path(catalogue.home, n))[0].get("between")
    ]
    if len(wanted) < 2:
        raise ConfigError(
            [Fault("--agreement", f"expected two annotators at least, found: {', '.join(wanted) or 'none'}")]
        )
    decided = {n: _decided(catalogue, n) for n in wanted}
    found = [compared(catalogue, (a, b), (decided[a], decided[b]), top=top) for a, b in combinations(wanted, 2)]
    if json_file is not None:
        write_atomic(json_file, (json.dumps([a.as_json() for a in found], indent=1) + "\n").encode())
    for one in found:
        _print_one(one)


def _print_one(found: Agreement) -> None:
    from rich.table import Table

    from . import console

    done = len(found.documents)
    title = f"{found.left} and {found.right}: {done:,} documents that both are done with"
    columns = ("", found.left, found.right, "strict F1", "overlapping F1", "kappa characters", "kappa tokens")
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for n, column in enumerate(columns):
        table.add_column(column, justify="left" if n == 0 else "right")
    rows = [("all", found.total), *sorted(found.kinds.items()), *found.documents.items()]
    for n, (name, score) in enumerate(rows):
        if n in (1, 1 + len(found.kinds)):
            table.add_section()
        values = score.figures().values()
        shown = (str(v) if isinstance(v, int) else "undefined" if v is None else f"{v:.3f}" for v in values)
        table.add_row(name, *shown)
    console.out().print(table)
