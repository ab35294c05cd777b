"""`caspipe evaluate`: what a pipeline finds, or what any other system found, against reference annotations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...errors import ConfigError, Fault, nearest
from .command import choices, guarded, reader_names, shipped_configs

if TYPE_CHECKING:
    from ....consumers.scoring import Comparison, Pair, Scores
    from ....consumers.scoring.report import Report
    from ..evaluation.documents import Collection, Step
    from ..evaluation.risk import RiskWanted

EPILOG = (
    "Examples: `caspipe evaluate my.yaml --set reader.jsonl.spans_field=spans` | "
    "`caspipe evaluate --gold corpus/gold --system corpus/run1 --reader i2b2 --scheme i2b2-2014` | "
    "`caspipe evaluate --gold dev --system run1 --compare run2 --reader i2b2 --scheme meddocan` | "
    "`caspipe evaluate --gold gold.jsonl --system found.jsonl --reader jsonl --bootstrap 1000 --json scores.json` | "
    "`caspipe evaluate my.yaml --risk --risk-densities my-notes.yaml --risk-html risk.html` | "
    "`caspipe evaluate --gold echr_test.json --system masked.json --reader tab --scheme tab`. "
    "A figure that cannot be computed, such as the precision of a system that found nothing, is printed as `undefined`."
)
SHOWN = ("strict", "covering", "overlapping", "token-binary", "masking", "characters", "documents")
"""Criteria where none are asked for."""
LEAK = "leak: misses per sentence; sentences of {}"


@guarded
def command(
    config: Annotated[
        str | None,
        typer.Argument(
            metavar="[CONFIG]",
            autocompletion=shipped_configs,
            help="Pipeline to score: a YAML file, or the name of a shipped one. Its reader brings reference annotations; "
            "its engines run, consumers and masking do not.",
        ),
    ] = None,
    gold: Annotated[Path | None, typer.Option(metavar="PATH", help="Reference collection: folder or file.")] = None,
    system: Annotated[
        Path | None, typer.Option(metavar="PATH", help="What a system found in the same documents.")
    ] = None,
    reader: Annotated[
        str,
        typer.Option(
            help="Reader of both: i2b2, conll, brat, jsonl, xmi ...; `tab` for TAB's own files.",
            autocompletion=reader_names,
        ),
    ] = "i2b2",
    compare: Annotated[
        str,
        typer.Option(
            metavar="OTHER", help="A second system on the same documents (or a second CONFIG): difference and p."
        ),
    ] = "",
    scheme: Annotated[
        list[str] | None,
        typer.Option(
            help="Score as a shared task does: i2b2-2014, meddocan, conll, tab; may be given again.",
            autocompletion=choices("i2b2-2014", "meddocan", "conll", "tab"),
        ),
    ] = None,
    criterion: Annotated[
        list[str] | None,
        typer.Option(help=f"What counts as a hit; may be given again. Without schemes: {', '.join(SHOWN)}."),
    ] = None,
    level: Annotated[
        str,
        typer.Option(
            help="Compare kinds as they are (`kind`), at the first level (`top`) or as categories of a scheme "
            "(vigibase, i2b2-2014, i2b2-2014-sub, meddocan)."
        ),
    ] = "top",
    kinds: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LABEL=KIND", help="What a label of the files means; `LABEL=` drops it; may be given again."
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME.PARAM=VALUE", help="Overrides a parameter; may be given again."),
    ] = None,
    plugin: Annotated[
        list[Path] | None, typer.Option("--plugin", metavar="FILE.py", help="Python file with components of yours.")
    ] = None,
    gold_view: Annotated[
        str, typer.Option(metavar="VIEW", help="View with the reference, where it is another one.")
    ] = "",
    system_view: Annotated[str, typer.Option(metavar="VIEW", help="View with what was found, likewise.")] = "",
    sentences: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Files `<id>.ann`, a line a sentence: for MEDDOCAN's leak score. Without: `annotated_corpora/sentence_splitted` "
            "here or above the gold collection, else the segmenter's sentences.",
        ),
    ] = None,
    bootstrap: Annotated[int, typer.Option(metavar="N", help="Draws for 95 % intervals over documents.", min=0)] = 0,
    wilson: Annotated[
        bool,
        typer.Option(
            "--wilson", help="Wilson's 95 % intervals for precision, recall and shares, spans taken for independent."
        ),
    ] = False,
    seed: Annotated[int, typer.Option(help="Where the draws begin.")] = 0,
    by_group: Annotated[
        bool, typer.Option("--by-group", help="Draw patients, not documents, where they are known.")
    ] = False,
    risk: Annotated[
        bool,
        typer.Option(
            "--risk", help="Also the expected share of documents that direct or indirect identifiers are left in."
        ),
    ] = False,
    risk_densities: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CORPUS",
            help="Risk for another corpus too, without reference: a pipeline to run, or a folder or file that was annotated "
            "already, as a run's `restricted/xmi`; may be given again.",
        ),
    ] = None,
    risk_at_least: Annotated[
        int, typer.Option(metavar="K", help="So many different indirect identifiers left are a risk.")
    ] = 2,
    risk_hidden: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[KIND=]SHARE",
            help="Share of leaks that nobody tells from surrogates; only where surrogates are written.",
        ),
    ] = None,
    risk_html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the risk as a page.")] = None,
    risk_plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the risk: .svg, .png or .pdf.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write everything as JSON.")] = None,
    csv_file: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write the table as CSV.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Scores a pipeline, or a system's annotations, against a reference: precision, recall, F1, leaks, shared-task figures."""
    from ....consumers.scoring.kinds import LEVELS
    from ...contract.registry import load_file
    from ..evaluation import risk as evaluation_risk

    faults = _faults(config, gold, system, kinds or [])
    if level not in LEVELS:
        hint = nearest(level, LEVELS) or f"; expected one of {', '.join(LEVELS)}"
        faults.append(Fault("--level", f"no level called {level!r}{hint}"))
    wanted = _wanted(criterion or [], scheme or [], faults)
    at_risk = evaluation_risk.wanted(
        risk,
        {
            "--risk-densities": risk_densities,
            "--risk-hidden": risk_hidden,
            "--risk-html": risk_html,
            "--risk-plot": risk_plot,
        },
        risk_at_least,
        risk_hidden or [],
        risk_densities or [],
        seed,
        by_group,
        faults,
    )
    if faults:
        raise ConfigError(faults)
    for file in plugin or []:
        load_file(str(file))

    def pairs(which: str | Path, step: Step | None) -> Iterator[Pair]:
        if gold is None:
            return _of_pipeline(str(which), set_ or [], gold_view, system_view, step)
        if reader == "tab":
            return _of_tab(gold, Path(which))
        reference = _collection(gold, reader, kinds or [], set_ or [], gold_view)
        found = _collection(Path(which), reader, kinds or [], set_ or [], system_view)
        found.keep_overlaps = True
        return _side_by_side(reference, found, step)

    near = _sentences_near(gold) if gold is not None and sentences is None and "meddocan" in wanted else None

    def scored(which: str | Path, watched: RiskWanted | None = None) -> dict[str, Scores]:
        from . import console

        with console.progress(quiet) as progress:
            found = pairs(which, console.stepper(progress, "evaluate"))
            if watched is not None:
                found = watched.watch(found)
            return _scored(_counted(found, sentences, near), wanted, level)

    first = scored(system if system is not None else str(config), at_risk)
    second = scored(compare) if compare else None
    report = _report(first, second, bootstrap, wilson, seed, "group" if by_group else "document")
    if at_risk is not None:
        from . import console

        with console.progress(quiet) as progress:
            report.risk = at_risk.result(reader, set_ or [], console.stepper(progress, "densities"))
        evaluation_risk.write(report.risk, risk_html, risk_plot)
    _write(report, json_file, csv_file)
    from .score_tables import print_report

    print_report(report, {"meddocan": LEAK.format(sentences or near or "the segmenter")})


def _faults(config: str | None, gold: Path | None, system: Path | None, kinds: list[str]) -> list[Fault]:
    faults = []
    if config is not None and (gold is not None or system is not None):
        faults.append(Fault("", "expected a CONFIG, or --gold and --system; got both"))
    elif config is None and (gold is None or system is None):
        missing = [name for name, path in (("--gold", gold), ("--system", system)) if path is None]
        faults.append(Fault("", f"expected a CONFIG, or --gold and --system; {' and '.join(missing)} missing"))
    elif config is not None and kinds:
        faults.append(Fault("--kinds", "goes with --gold and --system; a pipeline's reader has a parameter `kinds`"))
    faults += [Fault(f"--kinds {k}", "expected LABEL=KIND") for k in kinds if "=" not in k or k.startswith("=")]
    return faults


def _wanted(
    criteria: list[str], schemes: list[str], faults: list[Fault]
) -> dict[str, tuple[tuple[str, ...], str | None]]:
    """What to score, by scheme; criteria of our own stand under the empty name."""
    from ....consumers.scoring import measures
    from ...errors import ConsumerError

    wanted: dict[str, tuple[tuple[str, ...], str | None]] = {}
    if criteria or not schemes:
        wanted[""] = tuple(criteria or SHOWN), None
    wanted.update((name, ((), name)) for name in schemes)
    for given in wanted.values():
        try:
            measures(*given)
        except ConsumerError as error:
            faults.append(Fault("--criterion" if given[1] is None else "--scheme", str(error)))
    return wanted


def _of_pipeline(config: str, overrides: list[str], gold: str, system: str, step: Step | None) -> Iterator[Pair]:
    from ....typesystem import GOLD_VIEW, INITIAL_VIEW
    from ...assembly.shipped import locate
    from ...pipeline import Pipeline
    from ..evaluation.documents import found_by

    return found_by(Pipeline.load(locate(config), overrides), gold or GOLD_VIEW, system or INITIAL_VIEW, step)


def _of_tab(gold: Path, masked: Path) -> Iterator[Pair]:
    from ....consumers.scoring.schemes.tab_files import read_tab

    return iter(read_tab(gold, masked))


def _side_by_side(reference: Collection, found: Collection, step: Step | None) -> Iterator[Pair]:
    from ..evaluation.documents import side_by_side

    return side_by_side(reference, found, step)


def _collection(path: Path, reader: str, kinds: list[str], overrides: list[str], view: str) -> Collection:
    from ..evaluation.documents import Collection

    meaning = {label: kind or None for label, _, kind in (k.rpartition("=") for k in kinds)}
    return Collection(path, reader, meaning, overrides, view)


def _sentences_near(gold: Path) -> Path | None:
    from ..evaluation.documents import sentences_near

    return sentences_near(gold)


def _counted(pairs: Iterator[Pair], sentences: Path | None, near: Path | None) -> Iterator[Pair]:
    from ..evaluation.documents import with_sentences

    if sentences is not None:
        return with_sentences(pairs, sentences)
    return pairs if near is None else with_sentences(pairs, near, all_there=False)


def _scored(
    pairs: Iterator[Pair], wanted: dict[str, tuple[tuple[str, ...], str | None]], level: Any
) -> dict[str, Scores]:
    from ....consumers.scoring import Scores, Tally, at_level, measures
    from ...errors import ReaderError

    tallies = {name: Tally(measures(*given)) for name, given in wanted.items()}
    for pair in pairs:
        for name, tally in tallies.items():
            tally.add(pair if name else at_level(pair, level))
    if not any(tally.documents for tally in tallies.values()):
        raise ReaderError("no documents to score")
    return {name: Scores(tally) for name, tally in tallies.items()}


def _report(
    first: dict[str, Scores], second: dict[str, Scores] | None, draws: int, wilson: bool, seed: int, by: Any
) -> Report:
    from ....consumers.scoring import bootstrap_intervals, wilson_intervals
    from ....consumers.scoring.report import Report

    drawn = {name: bootstrap_intervals(s, draws, seed, by=by) if draws else {} for name, s in first.items()}
    if wilson:
        drawn = {name: {**found, **wilson_intervals(first[name])} for name, found in drawn.items()}
    if not (draws or wilson):
        drawn = {}
    compared = (
        {name: _compared(s, second[name], draws or 1000, seed, by) for name, s in first.items()}
        if second is not None
        else {}
    )
    return Report(first, drawn, compared)


def _compared(first: Scores, second: Scores, draws: int, seed: int, by: Any) -> list[Comparison]:
    """The totals of every criterion."""
    from ....consumers.scoring import compare
    from ....consumers.scoring.figures import figures_of

    return [
        compare(first, second, row.criterion, row.kind, name, draws=draws, seed=seed, by=by)
        for row in first.table
        if row.kind in ("micro", "macro", "DIRECT", "QUASI")
        for name in figures_of(first.measure(row.criterion), row.kind)
    ]


def _write(report: Report, json_file: Path | None, csv_file: Path | None) -> None:
    from ...storage.files import make_folder, write_atomic

    for path, suffix in ((json_file, ".json"), (csv_file, ".csv")):
        if path is not None:
            make_folder(path.parent)
            write_atomic(path, report.render(suffix).encode())
