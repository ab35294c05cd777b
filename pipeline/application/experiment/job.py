"""The two types of jobs, trainings and tests, and their execution in a worker. The key of a job is a hash of all its inputs."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import shutil
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ....annotators.sequence.linear_model import LinearModel
from ....consumers.scoring import at_level, pair_of, score
from ....typesystem import Cas, PhiCandidate, PhiKind
from ...assembly.steps import Step
from ...contract import resources
from ...contract.component import CasConsumer, Component
from ...errors import CaspipeError, ComponentError, guarded
from ...pipeline import Pipeline
from ...running.runners.work import collect_warnings
from ...storage.files import make_folder, restricted_folder, write_atomic
from ...storage.yaml_source import Text
from . import model_steps
from .corpus import Documents
from .plan import Level
from .scores import OVERALL, Counts, Scores

KEY_LENGTH = 20
"""Number of characters of a job's hash that are used as its file name."""


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Training:
    """The training of a model: its trainer and documents. `rank`: number of features to rank for each label afterwards."""

    key: str
    model: str
    step: Step
    documents: Documents
    rank: int = 0
    needs: tuple[Testing, ...] = ()
    """Tests whose candidates are added to the documents. No model was trained on the documents that it is tested on."""


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Testing:
    """The test of a system. `steps`: its engines, each with the training that creates its bundle, if any."""

    key: str
    system: str
    steps: tuple[tuple[Step, Training | None], ...]
    documents: Documents
    criteria: tuple[str, ...]
    level: Level = "kind"
    schemes: tuple[str, ...] = ()
    thresholds: tuple[float, ...] = ()
    """Thresholds (0 to 1): for each, the spans with at least this confidence are scored as well."""
    keep_candidates: bool = False
    """True to store the candidates, for a training that uses them."""
    per_document: bool = False
    """True to store the counts of each document, for confidence intervals."""

    @property
    def needs(self) -> tuple[Training, ...]:
        return tuple({t.key: t for _, t in self.steps if t is not None}.values())


Job = Training | Testing
Corpora = Mapping[str, Sequence[Cas]]
"""Documents by the name of their corpus."""


def bundle_folder(folder: Path, training: Training) -> Path:
    """Return the folder of the bundle that a training creates."""
    return folder / "bundles" / training.key


def job_file(folder: Path, job: Job) -> Path:
    """Return the file with the result of a finished job."""
    return folder / "jobs" / f"{job.key}.json"


def stored_result(folder: Path, job: Job) -> dict[str, Any] | None:
    """Return the result of a job from an earlier run; None if it is missing or damaged."""
    try:
        result = json.loads(job_file(folder, job).read_text(encoding="utf-8"))
        return dict(result["result"]) if result["key"] == job.key else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def run_job(job: Job, corpora: Corpora, folder: Path) -> dict[str, Any] | str:
    """Run a job and store its result in the folder. Return the result, or an error message without document text."""
    try:
        return _run_and_store(job, corpora, folder)
    except Exception as error:
        name = f"training {job.model}" if isinstance(job, Training) else f"testing {job.system}"
        message = str(error if isinstance(error, CaspipeError) else ComponentError(name, error))
        return message if message.startswith(name) else f"{name}: {message}"


def _run_and_store(job: Job, corpora: Corpora, folder: Path) -> dict[str, Any]:
    start = time.perf_counter()
    documents = [corpora[name][i] for name, i in job.documents]
    with collect_warnings() as collected:
        if isinstance(job, Training) and job.needs:
            documents = _with_candidates(job, documents, folder)
        result = _train(job, documents, folder) if isinstance(job, Training) else _test(job, documents, folder)
    result["warnings"] = collected.target
    record = {"key": job.key, "seconds": round(time.perf_counter() - start, 3), "result": result}
    path = job_file(folder, job)
    make_folder(path.parent)
    quotes = isinstance(job, Training) and job.rank > 0  # features are named after words of the documents
    write_atomic(path, (json.dumps(record, indent=1) + "\n").encode(), private=quotes)
    return result


def _with_candidates(job: Training, documents: Sequence[Cas], folder: Path) -> list[Cas]:
    """Return copies of the documents with the candidates of the tests that the training needs."""
    candidates: dict[tuple[str, int], list[list[Any]]] = {}
    for test in job.needs:
        of_test = (stored_result(folder, test) or {}).get("candidates")
        if of_test is None:
            raise ComponentError(f"training {job.model}", LookupError("the candidates of its models are missing"))
        candidates |= zip(test.documents, of_test, strict=True)
    copies = []
    for key, document in zip(job.documents, documents, strict=True):
        cas = document.copy()
        for begin, end, kind, confidence, source, rule in candidates[key]:
            candidate = PhiCandidate(begin, end, kind=PhiKind.of(kind), confidence=confidence, rule=rule)
            candidate.set_source(source)
            cas.view().add(candidate)
        copies.append(cas)
    return copies


def _candidates(job: Testing, cas: Cas) -> list[list[Any]]:
    """Return the candidates of a test: begin, end, kind, confidence, source, rule. Text and vetoed candidates are omitted."""
    sources = tuple(f"{step.id}/" for step, _ in job.steps)
    return [
        [c.begin, c.end, c.kind.name, c.confidence, c.source, c.rule]
        for c in cas.view().select(PhiCandidate)
        if f"{c.source}/".startswith(sources) and not c.reason.startswith("vetoed")
    ]


def _train(job: Training, documents: Sequence[Cas], folder: Path) -> dict[str, Any]:
    final = bundle_folder(folder, job)
    partial = final.with_name(f".{job.key}.part")
    shutil.rmtree(partial, ignore_errors=True)
    restricted_folder(final.parent)  # models contain words of the documents
    make_folder(partial)
    trainer = model_steps.create(model_steps.with_parameters(job.step, {model_steps.MODEL: "model"}), "consumers")
    assert isinstance(trainer, CasConsumer)
    trainer.output = partial
    start = time.process_time()
    try:
        with guarded(trainer.id):
            trainer.open()
            for cas in documents:
                trainer.process(cas)
            trainer.close()
    except BaseException:
        with contextlib.suppress(Exception):
            trainer.abort()
        shutil.rmtree(partial, ignore_errors=True)
        raise
    result: dict[str, Any] = {**_facts(partial / "model"), "documents": len(documents)}
    result["processor_seconds"] = round(time.process_time() - start, 3)
    if job.rank:
        result["rankings"] = rankings(partial / "model", job.rank)
    shutil.rmtree(final, ignore_errors=True)
    partial.rename(final)
    return result


def _facts(bundle: Path) -> dict[str, Any]:
    """Return the number of features with a non-zero weight and of training tokens, the history of epochs, their number, and the
    one that was kept; None for what the bundle lacks."""
    try:
        model = json.loads((bundle / "model.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        model = None
    meta = model if isinstance(model, dict) else {}
    return {
        "active_features": meta.get("active_features"),
        "tokens": meta.get("training", {}).get("tokens"),
        "history": meta.get("history"),
        "epochs": len(meta["history"]) if "history" in meta else None,
        "epoch": meta.get("epoch"),
    }


def _test(job: Testing, documents: Sequence[Cas], folder: Path) -> dict[str, Any]:
    engines: list[Component] = []
    for step, training in job.steps:
        if training is not None:
            path = Text(str(bundle_folder(folder.resolve(), training) / "model"), folder.resolve())
            step = model_steps.with_model(step, path)
        engines.append(model_steps.create(step, "engines"))
        engines[-1].set_id(step.id)
    pairs, candidates = [], []
    with Pipeline(engines, name=job.system) as pipeline:
        for document in documents:
            cas = document.copy()
            pipeline.process(cas)
            pairs.append(pair_of(cas))
            if job.keep_candidates:
                candidates.append(_candidates(job, cas))
    bundles = tuple(str(bundle_folder(folder.resolve(), training)) for training in job.needs)
    resources.forget(lambda _, name: name.startswith(bundles))  # thousands of models must not stay in memory
    pairs_at_level = [at_level(pair, job.level) for pair in pairs]

    def score_at(threshold: float) -> Any:
        kept = [
            dataclasses.replace(p, system=[m for m in p.system if m.confidence >= threshold]) for p in pairs_at_level
        ]
        return score(kept, criteria=job.criteria)

    scores = score_at(0.0)
    result: dict[str, Any] = {"scores": scores_of(scores).to_json(), "documents": len(documents)}
    if job.per_document:
        result["each"] = _counts_per_document(scores, job.criteria)
    if job.thresholds:
        at_thresholds = [(threshold, score_at(threshold)) for threshold in job.thresholds]
        result["thresholds"] = [[threshold, scores_of(scores).to_json()] for threshold, scores in at_thresholds]
        if job.per_document:
            result["each_threshold"] = [[t, _counts_per_document(scores, job.criteria)] for t, scores in at_thresholds]
    if job.keep_candidates:
        result["candidates"] = candidates
    if job.schemes:
        result["official"] = {scheme: _official(score(pairs, scheme=scheme)) for scheme in job.schemes}
    return result


def scores_of(scores: Any) -> Scores:
    """Return the counts by criterion and kind; `OVERALL` is all kinds together."""
    counts: dict[tuple[str, str], Counts] = {}
    for row in scores.table:
        if row.kind == "macro":
            continue
        system = row.system or 0
        count = Counts(row.gold or 0, row.tp or 0, system, system - (row.fp or 0))
        counts[row.criterion, OVERALL if row.kind == "micro" else row.kind] = count
    return Scores(counts)


def _counts_per_document(scores: Any, criteria: Sequence[str]) -> dict[str, list[list[Any]]]:
    """Return rows by criterion: document number, kind, gold, found, marked, right. Rows without counts are omitted."""
    by_criterion = {}
    for criterion in criteria:
        kinds, counts = scores.counts(criterion)
        rows = ((n, kind, *map(int, counts[n, k])) for n in range(len(counts)) for k, kind in enumerate(kinds))
        by_criterion[criterion] = [list(row) for row in rows if any(row[2:])]
    return by_criterion


def _official(scores: Any) -> list[list[Any]]:
    """Return the totals in the format of a shared task's script: criterion, row, precision, recall, F1, score.

    Metrics that a criterion does not define are empty strings; undefined values are None.
    """
    metrics = ("precision", "recall", "f1", "score")
    return [
        [row.criterion, row.kind, *(getattr(row, name) if name in row.applies else "" for name in metrics)]
        for row in scores.table
        if row.kind in ("micro", "macro")
    ]


def rankings(path: Path, n: int) -> dict[str, Any]:
    """Return, for each label of a model, the `n` features with the highest absolute weight, their signed weights, and their share
    of the sum of absolute weights (appendix D of the VigiBase thesis). Raises ResourceError if it is not a model.
    """
    model = LinearModel.load(str(path))
    by_label: dict[str, Any] = {}
    for label in model.labels:
        ranking = sorted(model.ranking(label, 2**31), key=lambda item: (-abs(item[1]), item[0]))
        total = sum(abs(weight) for _, weight in ranking)
        top = [(feature, float(weight)) for feature, weight in ranking[:n]]
        share = sum(abs(weight) for _, weight in top) / total if total else None
        by_label[label] = {"top": top, "share": share, "of": len(ranking)}
    return by_label
