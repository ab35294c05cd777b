"""`caspipe evaluate`: score a pipeline, or the output of any other system, against reference annotations."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ....consumers.scoring import Scores, measures
from ....consumers.scoring.alignment import LEVELS
from ....consumers.scoring.report import Report
from ...errors import ConfigError, ConsumerError, Fault, ResourceError
from ...storage.files import make_folder, write_atomic
from ...storage.shipped_corpora import corpus_folder, is_shipped
from ..evaluation import risk as risk_evaluation
from ..evaluation.documents import sentences_near
from ..evaluation.scoring import Evaluation, Measured, report_of
from . import console
from .command import CommandApp, complain
from .options import (
    JsonFile,
    Kinds,
    NoProgress,
    Plugin,
    Set,
    choices,
    kinds_faults,
    load_plugins,
    name_faults,
    reader_names,
    shipped_configs,
    shipped_corpora,
)
from .score_tables import print_report

app = CommandApp()

DEFAULT_CRITERIA = (
    *("strict", "covering", "overlapping", "token-binary"),
    *("masking", "characters", "covered", "documents", "false-spans"),
)
SCHEMES = ("i2b2-2014", "meddocan", "conll", "tab")

EvaluatedConfig = Annotated[
    str | None,
    typer.Argument(
        metavar="[CONFIG]",
        autocompletion=shipped_configs,
        help="Pipeline to score: a YAML file, or the name of a shipped one. Its reader, or --gold, provides texts and reference "
        "annotations; its engines run, consumers and masking do not.",
    ),
]
Gold = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        help="Reference collection: folder, file, or a shipped corpus such as `shipped:phi-notes-dev`.",
        autocompletion=shipped_corpora,
    ),
]
System = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH|RUN",
        help="A system's annotations of the same documents, or the output folder of a run: the documents that are done count.",
    ),
]
Reader = Annotated[
    str,
    typer.Option(
        help="Reader of both: i2b2, conll, brat, marked, jsonl, xmi ...; `tab` for TAB's own files. Default: i2b2. "
        "Shipped corpora have their own.",
        show_default=False,
        autocompletion=reader_names,
    ),
]
Other = Annotated[
    str,
    typer.Option(metavar="OTHER", help="A second system on the same documents (or a second CONFIG): difference and p."),
]
Scheme = Annotated[
    list[str] | None,
    typer.Option(
        help=f"Score as a shared task does: {', '.join(SCHEMES)}; repeatable.", autocompletion=choices(*SCHEMES)
    ),
]
Criterion = Annotated[
    list[str] | None,
    typer.Option(help=f"What counts as a hit; repeatable. Without schemes: {', '.join(DEFAULT_CRITERIA)}."),
]
Level = Annotated[
    str,
    typer.Option(
        help="Compare kinds as they are (`kind`), at the first level (`top`) or as categories of a scheme "
        "(vigibase, i2b2-2014, i2b2-2014-sub, meddocan)."
    ),
]
GoldView = Annotated[str, typer.Option(metavar="VIEW", help="View with the reference, if it is not the default.")]
SystemView = Annotated[
    str, typer.Option(metavar="VIEW", help="View with the system's annotations, if it is not the default.")
]
Sentences = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Files `<id>.ann` with one sentence per line, for MEDDOCAN's leak score. Default: "
        "`annotated_corpora/sentence_splitted` here or above the gold collection, else the segmenter's sentences.",
    ),
]
Bootstrap = Annotated[int, typer.Option(metavar="N", help="Draws for 95 % intervals over documents.", min=0)]
Wilson = Annotated[
    bool,
    typer.Option(
        "--wilson", help="Wilson's 95 % intervals for precision, recall and shares; treats spans as independent."
    ),
]
Seed = Annotated[int, typer.Option(help="Seed of the draws.")]
ByGroup = Annotated[bool, typer.Option("--by-group", help="Draw patients instead of documents if they are known.")]
By = Annotated[
    str,
    typer.Option(
        metavar="METADATA", help="Also a table by a value of the documents' metadata, such as `genre` or `file`."
    ),
]
Risk = Annotated[
    bool, typer.Option("--risk", help="Also the expected share of documents that keep direct or indirect identifiers.")
]
RiskDensities = Annotated[
    list[str] | None,
    typer.Option(
        metavar="CORPUS",
        help="Also the risk of a corpus without a reference: a pipeline to run, or a folder or file that was annotated "
        "already, such as a run's `restricted/xmi`; repeatable.",
    ),
]
RiskAtLeast = Annotated[
    int, typer.Option(metavar="K", help="Number of different indirect identifiers that together are a risk.")
]
RiskHidden = Annotated[
    list[str] | None,
    typer.Option(
        metavar="[KIND=]SHARE",
        help="Share of leaks that cannot be distinguished from surrogates; only if surrogates are written.",
    ),
]
RiskHtml = Annotated[Path | None, typer.Option(metavar="FILE", help="Write the risk as a page.")]
RiskPlot = Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the risk: .svg, .png or .pdf.")]
CsvFile = Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Also write the table as CSV.")]


@app.command(
    epilog="Examples: `caspipe evaluate my.yaml --set reader.jsonl.spans_field=spans` | "
    "`caspipe evaluate deidentify --gold shipped:phi-notes-dev --by file` | "
    "`caspipe evaluate --gold corpus/gold --system corpus/run1 --reader i2b2 --scheme i2b2-2014` | "
    "`caspipe evaluate --gold dev --system run1 --compare run2 --reader i2b2 --scheme meddocan` | "
    "`caspipe evaluate --gold gold.jsonl --system found.jsonl --reader jsonl --bootstrap 1000 --json scores.json` | "
    "`caspipe evaluate --gold gold --system out --reader marked` | "
    "`caspipe evaluate my.yaml --risk --risk-densities my-notes.yaml --risk-html risk.html` | "
    "`caspipe evaluate --gold echr_test.json --system masked.json --reader tab --scheme tab`. "
    "A figure that cannot be computed, such as the precision of a system that found nothing, is printed as `undefined`."
)
def evaluate(
    config: EvaluatedConfig = None,
    gold: Gold = None,
    system: System = None,
    reader: Reader = "",
    compare: Other = "",
    scheme: Scheme = None,
    criterion: Criterion = None,
    level: Level = "top",
    kinds: Kinds = None,
    set_: Set = None,
    plugin: Plugin = None,
    gold_view: GoldView = "",
    system_view: SystemView = "",
    sentences: Sentences = None,
    bootstrap: Bootstrap = 0,
    wilson: Wilson = False,
    seed: Seed = 0,
    by_group: ByGroup = False,
    by: By = "",
    risk: Risk = False,
    risk_densities: RiskDensities = None,
    risk_at_least: RiskAtLeast = 2,
    risk_hidden: RiskHidden = None,
    risk_html: RiskHtml = None,
    risk_plot: RiskPlot = None,
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
    quiet: NoProgress = False,
) -> None:
    """Score a pipeline, or the annotations of another system, against a reference."""
    faults = _faults(config, gold, system, kinds or [], level)
    measured = _measured(criterion or [], scheme or [], faults)
    risk_options = risk_evaluation.RiskOptions(
        risk, risk_densities or (), risk_at_least, risk_hidden or (), risk_html, risk_plot, seed, by_group
    )
    request = risk_options.request(faults)
    gold_reader = "marked" if gold is not None and is_shipped(gold) else reader or "i2b2"
    reader, gold = reader or gold_reader, _located(gold, faults)
    if config is not None and reader == "tab":
        faults.append(Fault("--reader", "tab goes with --gold and --system"))
    if faults:
        raise ConfigError(faults)
    load_plugins(plugin)
    near = sentences_near(gold) if gold is not None and sentences is None and "meddocan" in measured else None
    given = (kinds or [], set_ or [], gold_view, system_view, sentences, near, by)
    evaluation = Evaluation(measured, level, gold, gold_reader, reader, config is not None, *given)
    first = _scores(evaluation, system or str(config), request, quiet)
    groups = evaluation.groups(first)
    second = _scores(evaluation, compare, None, quiet) if compare else None
    report = report_of(first, second, bootstrap, wilson, seed, "group" if by_group else "document")
    report.groups = groups
    if request is not None:
        with console.progress(quiet) as progress:
            report.risk = request.result(reader, set_ or [], console.stepper(progress, "densities"))
        risk_evaluation.write(report.risk, risk_html, risk_plot)
    _write(report, json_file, csv_file)
    print_report(
        report, {"meddocan": f"leak: misses per sentence; sentences of {sentences or near or 'the segmenter'}"}
    )


def _scores(
    evaluation: Evaluation, system: str | Path, risk: risk_evaluation.RiskRequest | None, quiet: bool
) -> dict[str, Scores]:
    """Return the scores of a system by scheme, with a progress display."""
    evaluation.notes.clear()
    with console.progress(quiet) as progress:
        scores = evaluation.scores(system, risk, console.stepper(progress, "evaluate"))
    for note in evaluation.notes:
        complain(f"warning: {note}")
    return scores


def _write(report: Report, json_file: Path | None, csv_file: Path | None) -> None:
    """Write the files that were asked for."""
    for path, suffix in ((json_file, ".json"), (csv_file, ".csv")):
        if path is not None:
            make_folder(path.parent)
            write_atomic(path, report.render(suffix).encode())


def _located(gold: Path | None, faults: list[Fault]) -> Path | None:
    """Return the folder of a shipped corpus, or the path unchanged. Adds to `faults` for a wrong name."""
    if gold is None or not is_shipped(gold):
        return gold
    try:
        return corpus_folder(gold)
    except ResourceError as error:
        faults.append(Fault("--gold", str(error)))
        return None


def _faults(config: str | None, gold: Path | None, system: Path | None, kinds: list[str], level: str) -> list[Fault]:
    faults = []
    if config is not None and system is not None:
        faults.append(Fault("", "expected a CONFIG, or --gold and --system; got both"))
    elif config is None and (gold is None or system is None):
        missing = [name for name, path in (("--gold", gold), ("--system", system)) if path is None]
        faults.append(Fault("", f"expected a CONFIG, or --gold and --system; {' and '.join(missing)} missing"))
    elif gold is None and kinds:
        faults.append(Fault("--kinds", "goes with --gold; a pipeline's reader has a parameter `kinds`"))
    return [*faults, *kinds_faults(kinds), *name_faults("--level", "no level", [level], LEVELS)]


def _measured(criteria: list[str], schemes: list[str], faults: list[Fault]) -> Measured:
    """Return what to score by scheme. Adds to `faults` for unknown criteria and schemes."""
    measured: dict[str, tuple[tuple[str, ...], str | None]] = {}
    if criteria or not schemes:
        measured[""] = tuple(criteria or DEFAULT_CRITERIA), None
    measured.update((name, ((), name)) for name in schemes)
    for names, scheme in measured.values():
        try:
            measures(names, scheme)
        except ConsumerError as error:
            faults.append(Fault("--criterion" if scheme is None else "--scheme", str(error)))
    return measured
