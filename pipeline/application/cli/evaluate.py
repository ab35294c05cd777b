"""`caspipe evaluate`: score a pipeline, or the output of any other system, against reference annotations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from ....consumers.scoring import (
    Comparison,
    Pair,
    Scores,
    Tally,
    at_level,
    bootstrap_intervals,
    measures,
    wilson_intervals,
)
from ....consumers.scoring import compare as compare_scores
from ....consumers.scoring.alignment import LEVELS
from ....consumers.scoring.counts import figures_of
from ....consumers.scoring.report import Report
from ....consumers.scoring.schemes.tab import read_tab
from ....typesystem import GOLD_VIEW, INITIAL_VIEW
from ...assembly.shipped import locate
from ...errors import ConfigError, ConsumerError, Fault, ReaderError
from ...pipeline import Pipeline
from ...storage.files import make_folder, write_atomic
from ..evaluation import risk as risk_evaluation
from ..evaluation.documents import (
    Collection,
    DocumentCallback,
    collection_pairs,
    label_kinds,
    pipeline_pairs,
    sentences_near,
    with_sentences,
)
from . import console
from .command import CommandApp
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
)
from .score_tables import print_report

app = CommandApp()

DEFAULT_CRITERIA = ("strict", "covering", "overlapping", "token-binary", "masking", "characters", "documents")
SCHEMES = ("i2b2-2014", "meddocan", "conll", "tab")
Measured = dict[str, tuple[tuple[str, ...], str | None]]
"""Criteria and scheme of each table; our own criteria are under the empty name."""

EvaluatedConfig = Annotated[
    str | None,
    typer.Argument(
        metavar="[CONFIG]",
        autocompletion=shipped_configs,
        help="Pipeline to score: a YAML file, or the name of a shipped one. Its reader provides reference annotations; "
        "its engines run, consumers and masking do not.",
    ),
]
Gold = Annotated[Path | None, typer.Option(metavar="PATH", help="Reference collection: folder or file.")]
System = Annotated[Path | None, typer.Option(metavar="PATH", help="A system's annotations of the same documents.")]
Reader = Annotated[
    str,
    typer.Option(
        help="Reader of both: i2b2, conll, brat, jsonl, xmi ...; `tab` for TAB's own files.",
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
    "`caspipe evaluate --gold corpus/gold --system corpus/run1 --reader i2b2 --scheme i2b2-2014` | "
    "`caspipe evaluate --gold dev --system run1 --compare run2 --reader i2b2 --scheme meddocan` | "
    "`caspipe evaluate --gold gold.jsonl --system found.jsonl --reader jsonl --bootstrap 1000 --json scores.json` | "
    "`caspipe evaluate my.yaml --risk --risk-densities my-notes.yaml --risk-html risk.html` | "
    "`caspipe evaluate --gold echr_test.json --system masked.json --reader tab --scheme tab`. "
    "A figure that cannot be computed, such as the precision of a system that found nothing, is printed as `undefined`."
)
def evaluate(
    config: EvaluatedConfig = None,
    gold: Gold = None,
    system: System = None,
    reader: Reader = "i2b2",
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
    if faults:
        raise ConfigError(faults)
    load_plugins(plugin)
    near = sentences_near(gold) if gold is not None and sentences is None and "meddocan" in measured else None
    views = (gold_view, system_view)
    evaluation = _Evaluation(measured, level, gold, reader, kinds or [], set_ or [], *views, sentences, near, quiet)
    first = evaluation.scores(system if system is not None else str(config), request)
    second = evaluation.scores(compare) if compare else None
    report = _report(first, second, bootstrap, wilson, seed, "group" if by_group else "document")
    if request is not None:
        with console.progress(quiet) as progress:
            report.risk = request.result(reader, set_ or [], console.stepper(progress, "densities"))
        risk_evaluation.write(report.risk, risk_html, risk_plot)
    for path, suffix in ((json_file, ".json"), (csv_file, ".csv")):
        if path is not None:
            make_folder(path.parent)
            write_atomic(path, report.render(suffix).encode())
    print_report(
        report, {"meddocan": f"leak: misses per sentence; sentences of {sentences or near or 'the segmenter'}"}
    )


def _faults(config: str | None, gold: Path | None, system: Path | None, kinds: list[str], level: str) -> list[Fault]:
    faults = []
    if config is not None and (gold is not None or system is not None):
        faults.append(Fault("", "expected a CONFIG, or --gold and --system; got both"))
    elif config is None and (gold is None or system is None):
        missing = [name for name, path in (("--gold", gold), ("--system", system)) if path is None]
        faults.append(Fault("", f"expected a CONFIG, or --gold and --system; {' and '.join(missing)} missing"))
    elif config is not None and kinds:
        faults.append(Fault("--kinds", "goes with --gold and --system; a pipeline's reader has a parameter `kinds`"))
    return [*faults, *kinds_faults(kinds), *name_faults("--level", "no level", [level], LEVELS)]


def _measured(criteria: list[str], schemes: list[str], faults: list[Fault]) -> Measured:
    """Return what to score by scheme. Adds to `faults` for unknown criteria and schemes."""
    measured: Measured = {}
    if criteria or not schemes:
        measured[""] = tuple(criteria or DEFAULT_CRITERIA), None
    measured.update((name, ((), name)) for name in schemes)
    for names, scheme in measured.values():
        try:
            measures(names, scheme)
        except ConsumerError as error:
            faults.append(Fault("--criterion" if scheme is None else "--scheme", str(error)))
    return measured


@dataclass(slots=True)
class _Evaluation:
    """The criteria and schemes to score, and the sources of documents, reference and system annotations."""

    measured: Measured
    level: Any
    gold: Path | None
    reader: str
    kinds: list[str]
    overrides: list[str]
    gold_view: str
    system_view: str
    sentences: Path | None
    sentences_near: Path | None
    quiet: bool

    def scores(self, system: str | Path, risk: risk_evaluation.RiskRequest | None = None) -> dict[str, Scores]:
        """Return the scores of a system by scheme. Raises ReaderError without documents."""
        tallies = {name: Tally(measures(*given)) for name, given in self.measured.items()}
        with console.progress(self.quiet) as progress:
            pairs = self._pairs(system, console.stepper(progress, "evaluate"))
            for pair in pairs if risk is None else risk.profile(pairs):
                for name, tally in tallies.items():
                    tally.add(pair if name else at_level(pair, self.level))
        if not any(tally.documents for tally in tallies.values()):
            raise ReaderError("no documents to score")
        return {name: Scores(tally) for name, tally in tallies.items()}

    def _pairs(self, system: str | Path, step: DocumentCallback | None) -> Iterator[Pair]:
        """Yield the documents with reference and system annotations, and their number of sentences if it is known."""
        pairs = self._without_sentences(system, step)
        if self.sentences is not None:
            return with_sentences(pairs, self.sentences)
        return pairs if self.sentences_near is None else with_sentences(pairs, self.sentences_near, required=False)

    def _without_sentences(self, system: str | Path, step: DocumentCallback | None) -> Iterator[Pair]:
        if self.gold is None:
            pipeline = Pipeline.load(locate(str(system)), self.overrides)
            return pipeline_pairs(pipeline, self.gold_view or GOLD_VIEW, self.system_view or INITIAL_VIEW, step)
        if self.reader == "tab":
            return iter(read_tab(self.gold, Path(system)))
        kinds = label_kinds(self.kinds)
        reference = Collection(self.gold, self.reader, kinds, self.overrides, self.gold_view)
        collection = Collection(Path(system), self.reader, kinds, self.overrides, self.system_view, keep_overlaps=True)
        return collection_pairs(reference, collection, step)


def _report(
    first: dict[str, Scores], second: dict[str, Scores] | None, draws: int, wilson: bool, seed: int, by: Any
) -> Report:
    intervals = {}
    for name, scores in first.items() if draws or wilson else ():
        intervals[name] = bootstrap_intervals(scores, draws, seed, by=by) if draws else {}
        if wilson:
            intervals[name] |= wilson_intervals(scores)
    compared = {n: _comparisons(s, second[n], draws or 1000, seed, by) for n, s in first.items()} if second else {}
    return Report(first, intervals, compared)


def _comparisons(first: Scores, second: Scores, draws: int, seed: int, by: Any) -> list[Comparison]:
    """Compare the totals of every criterion."""
    return [
        compare_scores(first, second, row.criterion, row.kind, name, draws=draws, seed=seed, by=by)
        for row in first.table
        if row.kind in ("micro", "macro", "DIRECT", "QUASI")
        for name in figures_of(first.measure(row.criterion), row.kind)
    ]
