"""`caspipe review`: check annotations in the browser; the decisions become gold annotations."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import typer

from ....consumers.uima.xmi import XmiConsumer
from ...errors import ConfigError, Fault
from ...pipeline import Pipeline
from ...running.run_documents import is_run
from ...storage.files import write_atomic
from ..review.agreement import Agreement
from ..review.agreement import agreement as compute_agreement
from ..review.catalogue import Catalogue
from ..review.export import export_gold
from ..review.history import DocumentDecisions, History
from ..review.run_documents import RunCatalogue
from ..review.session import AnnotatorPair, Session
from ..review.store import Journal, annotators, journal_path, read_journal
from . import console
from .command import EXIT_INCOMPLETE, CommandApp, complain, require_extra
from .options import NoProgress, Plugin, Set, load, shipped_configs

app = CommandApp()

Paths = Annotated[
    list[Path],
    typer.Argument(
        metavar="RUN|FOLDER|XMI...",
        help="Output folder of a run, with its quarantine; a folder of XMI files as `caspipe run` writes it, or files.",
    ),
]
Annotator = Annotated[
    str, typer.Option("--annotator", "-a", metavar="NAME", help="Annotator; each has a journal of decisions.")
]
PrepareConfig = Annotated[
    str,
    typer.Option(
        "--config",
        "-c",
        help="Pipeline whose reader and engines make the XMI first, into FOLDER.",
        autocompletion=shipped_configs,
    ),
]
View = Annotated[str, typer.Option(metavar="VIEW", help="View with the spans to review.")]
Lenient = Annotated[bool, typer.Option("--lenient", help="Pass through types that the type system lacks.")]
Threshold = Annotated[float, typer.Option(min=0, max=1, help="Lower confidences are shown as low.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="0: any free one.")]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Print the address only.")]
Export = Annotated[
    Path | None, typer.Option(metavar="OUT", help="Write documents that are done as gold XMI into this folder.")
]
All = Annotated[bool, typer.Option("--all", help="With --export: also documents that are not done.")]
WithAgreement = Annotated[bool, typer.Option("--agreement", help="Print the agreement between annotators.")]
Level = Annotated[
    str, typer.Option(help="With --agreement: compare kinds at the first level (`top`) or as they are (`kind`).")
]
JsonFile = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="With --agreement: also write it as JSON.")
]
Adjudicate = Annotated[
    tuple[str, str] | None, typer.Option(metavar="A B", help="Choose between two annotators in each difference.")
]


@app.command(
    epilog="Examples: `caspipe run deidentify`, then `caspipe review out` | "
    "`caspipe review narratives --config my.yaml --set reader.text.folder=notes` | "
    "`caspipe review out --annotator anna` | `caspipe review out --agreement` | "
    "`caspipe review out --adjudicate anna ben` | `caspipe review out/restricted/xmi --export gold`. "
    "`caspipe release out --review anna` releases what was decided. Everything stays on this machine."
)
def review(
    paths: Paths,
    annotator: Annotator = "",
    config: PrepareConfig = "",
    set_: Set = None,
    plugin: Plugin = None,
    view: View = "_InitialView",
    lenient: Lenient = False,
    threshold: Threshold = 0.8,
    port: Port = 0,
    no_browser: NoBrowser = False,
    export: Export = None,
    all_: All = False,
    agreement: WithAgreement = False,
    level: Level = "top",
    json_file: JsonFile = None,
    adjudicate: Adjudicate = None,
    quiet: NoProgress = False,
) -> None:
    """Open a page in the browser to check, correct and complete annotations.

    Decisions are saved at once, in `review/` beside the documents. The page is served to this machine only; nothing leaves it.
    """
    faults = [
        *_config_faults(config, paths),
        *_option_faults(export, all_, agreement, level, json_file, adjudicate),
    ]
    if faults:
        raise ConfigError(faults)
    if not agreement and export is None:
        require_extra("review", "server", "fastapi", "uvicorn")
    if config:
        _prepare(paths[0], load(config, set_, plugin), quiet)
    if len(paths) == 1 and is_run(paths[0]):
        catalogue: Catalogue = RunCatalogue(paths[0], view=view, lenient=lenient)
    else:
        catalogue = Catalogue(paths, view=view, lenient=lenient)
    if agreement:
        _print_agreement(catalogue, annotator, level == "top", json_file)
        return
    name = annotator or ("adjudicator" if adjudicate else "reviewer")
    session = _session(catalogue, name, adjudicate)
    try:
        if export is not None:
            _export(session, export, name, all_)
        else:
            _serve(session, name, adjudicate, port=port, browser=not no_browser, threshold=threshold)
    finally:
        session.journal.close()


def _config_faults(config: str, paths: list[Path]) -> list[Fault]:
    if config and (len(paths) != 1 or paths[0].is_file()):
        return [Fault("--config", "expected one folder, for the XMI that the pipeline makes")]
    if not config:
        return []
    if any(paths[0].glob("**/*.xmi")):
        what = "holds XMI already: leave --config out to review that, or"
    elif is_run(paths[0]):
        what = "is the output folder of a run: leave --config out to review it, or"
    elif paths[0].is_dir() and any(paths[0].iterdir()):
        what = "holds other files: expected a folder for the XMI that the pipeline makes (--set names the input, as "
        what += "reader.text.folder=notes):"
    else:
        return []
    return [Fault("--config", f"{paths[0]} {what} name a new folder")]


def _option_faults(
    export: Path | None,
    all_: bool,
    agreement: bool,
    level: str,
    json_file: Path | None,
    adjudicate: tuple[str, str] | None,
) -> list[Fault]:
    wrong = (
        (adjudicate and adjudicate[0] == adjudicate[1], "--adjudicate", "expected two different annotators"),
        (level not in ("top", "kind"), "--level", f"expected top or kind, got {level!r}"),
        (all_ and export is None, "--all", "goes with --export"),
        (json_file is not None and not agreement, "--json", "goes with --agreement"),
        (agreement and export is not None, "--export", "does not go with --agreement"),
    )
    return [Fault(option, message) for is_wrong, option, message in wrong if is_wrong]


def _prepare(folder: Path, loaded: Pipeline, quiet: bool) -> None:
    """Run a pipeline's reader and engines, and write the documents as XMI into `folder`. The output folder of the pipeline, which
    may hold a release, is not touched: what else a run writes goes to a temporary folder."""
    consumer = XmiConsumer(folder=folder.absolute())
    with tempfile.TemporaryDirectory(prefix="caspipe-review-") as own:
        options = replace(
            loaded.options,
            output=Path(own),
            on_error="stop" if loaded.options.on_error == "stop" else "skip",  # nothing would read the quarantine
            ledger=False,
            resume=False,
            shard="",
            events=None,
            metrics=None,
        )
        pipeline = Pipeline(
            loaded.engines, reader=loaded.reader, consumers=[consumer], options=options, name=loaded.name
        )
        pipeline.views, pipeline.config, pipeline.own_kinds = loaded.views, loaded.config, loaded.own_kinds
        report = console.run(pipeline, quiet)
    if report.exit_code:
        console.print_failures(report, pipeline)
        if not any(folder.glob("**/*.xmi")):
            raise typer.Exit(report.exit_code)


def _session(catalogue: Catalogue, name: str, adjudicate: tuple[str, str] | None) -> Session:
    """Open an annotator's journal. The caller closes it."""
    pair = None
    others = {}
    if adjudicate:
        left, right = adjudicate
        pair = AnnotatorPair(left, right, (_decisions(catalogue, left), _decisions(catalogue, right)))
        if name in adjudicate:
            raise ConfigError([Fault("--annotator", f"{name} is one of the two annotators to adjudicate")])
    else:
        others = {n: _decisions(catalogue, n) for n in annotators(catalogue.home) if n != name}
    header: dict[str, Any] = {"annotator": name, "between": list(adjudicate) if adjudicate else None}
    journal = Journal(journal_path(catalogue.home, name), header)
    try:
        return Session(catalogue, journal, pair=pair, others=others)
    except BaseException:
        journal.close()
        raise


def _serve(session: Session, name: str, adjudicate: tuple[str, str] | None, **options: Any) -> None:
    from ..review.server import serve

    documents, home = len(session.catalogue), session.catalogue.home
    typer.echo(
        f"{documents:,} documents. Decisions are kept in {session.journal.path}. Ctrl-C ends the review.", err=True
    )
    serve(session, annotator=name, say=lambda address: typer.echo(address), **options)
    between = f" --adjudicate {' '.join(adjudicate)}" if adjudicate else ""
    typer.echo("All decisions are saved.", err=True)
    if isinstance(session.catalogue, RunCatalogue):
        reviewers = " ".join(f"--review {reviewer}" for reviewer in adjudicate or (name,))
        typer.echo(f"To mask again with them: caspipe release {session.catalogue.run} {reviewers}", err=True)
    command = f"caspipe review {home} --annotator {name}{between} --export FOLDER"
    typer.echo(f"To write the documents that are done: {command}", err=True)


def _export(session: Session, folder: Path, name: str, all_: bool) -> None:
    exported = export_gold(session, folder, name, everything=all_)
    skipped = f"; {exported.skipped:,} not reviewed and left out" if exported.skipped else ""
    typer.echo(f"{exported.written:,} documents written to {folder}{skipped}")
    if not exported.written and exported.skipped:
        complain("a document is done once its reviewer marks it so (`d` on the page); --all also writes the others")
    for document, reason in exported.failed:
        complain(f"{document}: {reason}")
    if exported.failed:
        raise typer.Exit(EXIT_INCOMPLETE)


def _decisions(catalogue: Catalogue, name: str) -> Mapping[str, DocumentDecisions]:
    """Return the decisions of an annotator by document."""
    known = annotators(catalogue.home)
    if name not in known:
        message = f"{name!r} has reviewed nothing here; there are: {', '.join(known) or 'none'}"
        raise ConfigError([Fault("annotator", message)])
    return History(read_journal(journal_path(catalogue.home, name))[1]).documents


def _print_agreement(catalogue: Catalogue, names: str, top: bool, json_file: Path | None) -> None:
    wanted = [n.strip() for n in names.split(",") if n.strip()] or [
        n for n in annotators(catalogue.home) if not read_journal(journal_path(catalogue.home, n))[0].get("between")
    ]
    if len(wanted) < 2:
        message = f"expected at least two annotators, found: {', '.join(wanted) or 'none'}"
        raise ConfigError([Fault("--agreement", message)])
    decisions = {n: _decisions(catalogue, n) for n in wanted}
    pairs = combinations(wanted, 2)
    agreements = [compute_agreement(catalogue, (a, b), (decisions[a], decisions[b]), top=top) for a, b in pairs]
    if json_file is not None:
        write_atomic(json_file, (json.dumps([a.as_json() for a in agreements], indent=1) + "\n").encode())
    for agreement in agreements:
        _print_table(agreement)


def _print_table(agreement: Agreement) -> None:
    columns = ("", agreement.left, agreement.right, "strict F1", "overlapping F1", "kappa characters", "kappa tokens")
    title = f"{agreement.left} and {agreement.right}: {len(agreement.documents):,} documents that both have completed"
    rows = []
    for name, score in [("all", agreement.total), *sorted(agreement.kinds.items()), *agreement.documents.items()]:
        values = score.figures().values()
        rows.append(
            [name, *(str(v) if isinstance(v, int) else "undefined" if v is None else f"{v:.3f}" for v in values)]
        )
    table = console.table(columns, rows, title=title, right=range(1, len(columns)))
    for last in (0, len(agreement.kinds)):
        table.rows[last].end_section = True
    console.out().print(table)
