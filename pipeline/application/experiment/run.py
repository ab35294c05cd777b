"""From an experiment's file to its output folder: jobs, results as data, figures, and the report."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ....consumers.scoring import plots
from ...contract import report
from ...storage.files import make_folder, write_atomic
from .experiment import experiment_of
from .plan import Plan
from .report import command, report_markdown, report_page, shortfalls
from .result import Result, to_csv, to_json
from .runner import ExperimentRunner
from .scheduler import Progress

LIBRARIES = ("python-crfsuite", "sklearn-crfsuite", "liblinear-official", "scikit-learn", "matplotlib", "torch")
"""Libraries that trainings and figures depend on, beside those every pipeline does."""
NO_PLOTS = "Figures need matplotlib: pip install 'caspipe[plots]'. The tables below are whole."


@dataclass(slots=True)
class Summary:
    """The outcome of an experiment's run."""

    folder: Path
    result: Result
    skipped: int
    """Jobs whose results existed already."""
    done: int
    failures: list[str]
    missing: str = ""
    """Reason for missing figures; empty if they were drawn."""


def run_experiment(plan: Plan, folder: Path, workers: int = 1, progress: Progress | None = None) -> Summary:
    """Run an experiment and write `results.json`, `results.csv`, `figures/`, `report.html` and `report.md` into the folder.

    Jobs that were finished before are not done again. Raises CaspipeError if the corpora cannot be read or every job
    fails, ConsumerError if the folder cannot be written, KeyboardInterrupt at Ctrl-C; finished jobs stay.
    """
    make_folder(folder)
    runner = ExperimentRunner(plan, folder, workers, progress)
    result = experiment_of(plan).run(runner)
    versions = _versions()
    missing = "" if not result.figures or importlib.util.find_spec("matplotlib") else NO_PLOTS
    drawn = {} if missing else _draw(result, folder)
    data = {
        "experiment": plan.experiment.name,
        "title": plan.settings.title or plan.name,
        "command": command(plan),
        "shortfalls": shortfalls(runner),
        "corpora": {c.name: {"documents": len(c.documents), "of": c.whole} for c in runner.corpora.values()},
        **to_json(result),
        **({"bundles": runner.bundles} if runner.settings.keep_models else {}),
        "failures": runner.failures,
        "versions": versions,
    }
    files = {
        "results.json": (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode(),
        "results.csv": to_csv(result.records).encode(),
        "report.html": report_page(runner, result, drawn, missing, versions),
        "report.md": report_markdown(runner, result, missing, versions).encode(),
    }
    for name, content in files.items():
        write_atomic(folder / name, content, private=result.quotes)
    schedule = runner.schedule
    return Summary(folder, result, schedule.skipped, len(schedule.finished), runner.failures, missing)


def _draw(result: Result, folder: Path) -> dict[str, str]:
    """Write every figure as SVG and PNG; the SVGs by name."""

    found = {}
    for figure in result.figures:
        figure.name = "".join(c if c.isalnum() or c in "-_." else "-" for c in figure.name)
        drawing = figure.draw()
        for form in ("svg", "png"):
            plots.save(drawing, folder / "figures" / f"{figure.name}.{form}", private=result.quotes)
        found[figure.name] = (folder / "figures" / f"{figure.name}.svg").read_text(encoding="utf-8")
    return found


def _versions() -> dict[str, str]:
    found = report.versions()
    for package in LIBRARIES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
