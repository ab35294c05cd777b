"""The small components of these tests are registered before any of them, and importable in worker processes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = str(Path(__file__).parent)
sys.path.insert(0, HERE)
os.environ["PYTHONPATH"] = os.pathsep.join([HERE, *filter(None, [os.environ.get("PYTHONPATH")])])
import memory_parts as _parts  # noqa: E402

from caspipe.pipeline.application.experiment.experiment import experiment_of  # noqa: E402
from caspipe.pipeline.application.experiment.reading import read_plan  # noqa: E402
from caspipe.pipeline.application.experiment.result import Result  # noqa: E402
from caspipe.pipeline.application.experiment.runner import ExperimentRunner  # noqa: E402

CONFIG = """\
title: A small one
experiment: comparison
corpora:
  wards: {{reader: {{x_corpus: {{documents: 24}}}}, engines: [segmenter], group: patient}}
  clinics: {{reader: {{x_corpus: {{documents: 10, seed: 2}}}}, engines: [segmenter]}}
train: wards
folds: 3
models:
  memory: {{trainer: {{x_trainer: {{}}}}, annotator: x_memory}}
  digits: {{engines: [x_digits]}}
  both: {{of: [digits, memory]}}
{extra}
"""


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes an experiment's file: the small one, its kind replaced, more lines at its end."""

    def written(kind: str = "comparison", extra: str = "", name: str = "small.yaml") -> Path:
        path = tmp_path / name
        text = CONFIG.format(extra=extra).replace("experiment: comparison", f"experiment: {kind}")
        path.write_text(text, encoding="utf-8")
        return path

    return written


@pytest.fixture
def parts() -> object:
    """The module of test components."""
    return _parts


@pytest.fixture
def run(write: Callable[..., Path], tmp_path: Path) -> Callable[..., Result]:
    """Runs the small experiment with another kind and more lines; returns its result."""

    def done(kind: str, extra: str = "") -> Result:
        plan = read_plan(write(kind, extra))
        return experiment_of(plan).run(ExperimentRunner(plan, tmp_path / "out"))

    return done
