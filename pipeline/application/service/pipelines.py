"""The pipelines of the service: for documents, for suggestions with a trained recommender, and for its training."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from ....typesystem import PhiCandidate
from ...assembly.config import read_config
from ...assembly.steps import Config, Step
from ...contract import registry
from ...packaging.loading import load_package, looks_like_package
from ...pipeline import Pipeline
from .settings import Spec

ID = "live"
"""Id of the trained model in its pipeline."""
FEATURES: list[Any] = [
    *"token lower prefix2 prefix3 suffix2 suffix3 suffix4 capital_type numeric_type short_shape shape length".split(),
    *"line_head field line_position regex_class".split(),
    {"candidate": {"top": True}},
]
"""Features of the recommender: form, layout, and the candidates of all earlier annotators."""
_WEIGHING = ("consistency", "veto", "site", "resolver", "masker")
"""Components that select candidates; the trained model runs before them."""


def config_of(spec: Spec) -> Config:
    """Return the configuration of the service. Raises ConfigError."""
    for plugin in spec.plugins:
        registry.load_file(plugin)
    if looks_like_package(spec.config):
        return load_package(spec.config, spec.overrides, Path(spec.verify) if spec.verify else None, trust=spec.trust)
    return read_config(spec.config, spec.overrides)


def finders(config: Config) -> int:
    """Return the number of engines before the first one that selects candidates."""
    return next((i for i, step in enumerate(config.engines) if step.name in _WEIGHING), len(config.engines))


def service_pipeline(spec: Spec) -> Pipeline:
    """Return the pipeline of the service, without reader and consumers. Raises ConfigError."""
    return Pipeline.from_config(_engines(config_of(spec)))


def _engines(config: Config) -> Config:
    return dataclasses.replace(config, readers=[], consumers=[])


def suggestion_pipeline(spec: Spec, model: str) -> Pipeline:
    """Return the pipeline for suggestions: with the trained model, which has priority, and without masker and leak gate.

    Raises ConfigError, and ResourceError for a missing or damaged bundle.
    """
    config = _engines(config_of(spec))
    at = finders(config)
    step = Step("crf", ID, {"model": model}, ("engines",), (config.file, 0))
    later = [_listening(s) for s in config.engines[at:] if s.name not in ("masker", "leak_gate")]
    config.engines = [*config.engines[:at], step, *later]
    return Pipeline.from_config(config)


def training_pipeline(spec: Spec, folder: str) -> Pipeline:
    """Return the pipeline that trains: all annotators, then the trainer, which writes `folder`/model. Raises ConfigError."""
    config = config_of(spec)
    config.readers = []
    config.engines = config.engines[: finders(config)]
    engines = Pipeline.from_config(_engines(config)).engines
    has_candidates = any(PhiCandidate in engine.outputs for engine in engines)
    given: dict[str, Any] = {
        "model": "model",
        "features": FEATURES if has_candidates else FEATURES[:-1],
        "window": [-3, 3],
        "c1": 0.05,
        "c2": 0.01,
        "max_iterations": 100,
        "keep_crfsuite": False,
    }
    config.consumers = [Step("crf_trainer", "crf_trainer", given, ("consumers",), (config.file, 0))]
    config.run = {"output": folder, "on_error": "skip"}
    config.run_step = Step("run", "run", config.run, ("run",), (config.file, 0))
    return Pipeline.from_config(config)


def _listening(step: Step) -> Step:
    """Return a resolver that gives the trained model the highest priority after known PHI and the list of the site."""
    if step.name != "resolver":
        return step
    given = dict(step.given)
    if isinstance(given.get("priority"), list):
        given["priority"] = _first(given["priority"])
    if isinstance(given.get("per_kind"), dict):
        given["per_kind"] = {k: _first(v) if isinstance(v, list) else v for k, v in given["per_kind"].items()}
    return dataclasses.replace(step, given=given)


def _first(names: list[Any]) -> list[Any]:
    at = next((i for i, name in enumerate(names) if name not in ("known_phi", "site")), len(names))
    return [*names[:at], ID, *names[at:]]
