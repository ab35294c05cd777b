"""Run an experiment and write its results, figures and report."""

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
"""Libraries of trainings and figures, reported in addition to those of every pipeline."""
NO_PLOTS = "Figures need matplotlib: pip install 'caspipe[plots]'. The tables below are complete."


@dataclass(slots=True)
class Summary:
    """The outcome of an experiment."""

    folder: Path
    result: Result
    skipped: int
    """Number of jobs with results from an earlier run."""
    done: int
    failures: list[str]
    missing: str = ""
    """Why figures are missing; empty if they were drawn."""


def run_experiment(plan: Plan, folder: Path, workers: int = 1, progress: Progress | None = None) -> Summary:
    """Run an experiment and write `results.json`, `results.csv`, `figures/`, `report.html` and `report.md` into the folder.

    Jobs that are already finished are skipped. Raises CaspipeError if the corpora cannot be read or every job fails, and
    ConsumerError if the folder cannot be written. After KeyboardInterrupt, the results of finished jobs are kept.
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
        "corpora": {c.name: {"documents": len(c.documents), "of": c.total} for c in runner.corpora.values()},
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
    """Write all figures as SVG and PNG, and return the SVGs by name."""
    drawings = {}
    for figure in result.figures:
        figure.name = "".join(c if c.isalnum() or c in "-_." else "-" for c in figure.name)
        drawing = figure.draw()
        for form in ("svg", "png"):
            plots.save(drawing, folder / "figures" / f"{figure.name}.{form}", private=result.quotes)
        drawings[figure.name] = (folder / "figures" / f"{figure.name}.svg").read_text(encoding="utf-8")
    return drawings


def _versions() -> dict[str, str]:
    versions = report.versions()
    for package in LIBRARIES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions
