"""The two sorts of jobs, a training and a test, and how a worker does them. A job's key says all that its result depends on."""

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
from ...assembly.config import Step
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
"""Letters of a job's hash that name its files."""


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Training:
    """A model to be trained: which trainer, on which documents; `rank`: features per label to be listed afterwards."""

    key: str
    model: str
    step: Step
    documents: Documents
    rank: int = 0
    needs: tuple[Testing, ...] = ()
    """Tests whose candidates it learns from, beside the documents: each of documents that the tested were not trained on."""


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Testing:
    """A system to be applied and scored. `pieces`: its steps, each with the training whose bundle it takes, if any."""

    key: str
    system: str
    pieces: tuple[tuple[Step, Training | None], ...]
    documents: Documents
    criteria: tuple[str, ...]
    level: Level = "kind"
    schemes: tuple[str, ...] = ()
    thresholds: tuple[float, ...] = ()
    """Confidences (0 to 1) at which the system's spans are scored again, leaving out those with less."""
    keep: bool = False
    """True if what its components proposed is kept, for a training that learns from it."""
    each: bool = False
    """True if the counts of every document are kept, for intervals."""

    @property
    def needs(self) -> tuple[Training, ...]:
        return tuple({t.key: t for _, t in self.pieces if t is not None}.values())


Job = Training | Testing
Corpora = Mapping[str, Sequence[Cas]]
"""Documents by the name of their corpus."""


def bundle_folder(folder: Path, training: Training) -> Path:
    """Return where a training leaves its bundle."""
    return folder / "bundles" / training.key


def job_file(folder: Path, job: Job) -> Path:
    """Return where a finished job keeps its result."""
    return folder / "jobs" / f"{job.key}.json"


def stored(folder: Path, job: Job) -> dict[str, Any] | None:
    """Return the result of a job that was finished before; None if there is none, or none that can be read."""
    try:
        result = json.loads(job_file(folder, job).read_text(encoding="utf-8"))
        return dict(result["result"]) if result["key"] == job.key else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def attempt(job: Job, corpora: Corpora, folder: Path) -> dict[str, Any] | str:
    """Do a job and store its result in the folder. Return the result, or why the job failed without any text of a document."""
    try:
        return _result(job, corpora, folder)
    except Exception as error:
        name = f"training {job.model}" if isinstance(job, Training) else f"testing {job.system}"
        message = str(error if isinstance(error, CaspipeError) else ComponentError(name, error))
        return message if message.startswith(name) else f"{name}: {message}"


def _result(job: Job, corpora: Corpora, folder: Path) -> dict[str, Any]:
    began = time.perf_counter()
    documents = [corpora[name][i] for name, i in job.documents]
    with collect_warnings() as collected:
        if isinstance(job, Training) and job.needs:
            documents = _proposed_in(job, documents, folder)
        result = _train(job, documents, folder) if isinstance(job, Training) else _test(job, documents, folder)
    result["warnings"] = collected.target
    record = {"key": job.key, "seconds": round(time.perf_counter() - began, 3), "result": result}
    path = job_file(folder, job)
    make_folder(path.parent)
    quotes = isinstance(job, Training) and job.rank > 0  # features are named after words of the documents
    write_atomic(path, (json.dumps(record, indent=1) + "\n").encode(), private=quotes)
    return result


def _proposed_in(job: Training, documents: Sequence[Cas], folder: Path) -> list[Cas]:
    """Copies of the documents with what the tests that the job needs proposed in them."""
    proposed: dict[tuple[str, int], list[list[Any]]] = {}
    for test in job.needs:
        found = (stored(folder, test) or {}).get("candidates")
        if found is None:
            raise ComponentError(f"training {job.model}", LookupError("what the models before it proposed is gone"))
        proposed |= zip(test.documents, found, strict=True)
    copies = []
    for place, document in zip(job.documents, documents, strict=True):
        cas = document.copy()
        for begin, end, kind, confidence, source, rule in proposed[place]:
            candidate = PhiCandidate(begin, end, kind=PhiKind.of(kind), confidence=confidence, rule=rule)
            candidate.set_source(source)
            cas.view().add(candidate)
        copies.append(cas)
    return copies


def _proposed_by(job: Testing, cas: Cas) -> list[list[Any]]:
    """Return what the components of a test proposed: begin, end, kind, confidence, source, rule. No text, and nothing vetoed."""
    sources = tuple(f"{step.id}/" for step, _ in job.pieces)
    return [
        [c.begin, c.end, c.kind.name, c.confidence, c.source, c.rule]
        for c in cas.view().select(PhiCandidate)
        if f"{c.source}/".startswith(sources) and not c.reason.startswith("vetoed")
    ]


def _train(job: Training, documents: Sequence[Cas], folder: Path) -> dict[str, Any]:
    final = bundle_folder(folder, job)
    partial = final.with_name(f".{job.key}.part")
    shutil.rmtree(partial, ignore_errors=True)
    restricted_folder(final.parent)  # models hold words of the documents
    make_folder(partial)
    trainer = model_steps.create(model_steps.with_parameters(job.step, {model_steps.MODEL: "model"}), "consumers")
    assert isinstance(trainer, CasConsumer)
    trainer.output = partial
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
    result: dict[str, Any] = {"active_features": _active_features(partial / "model"), "documents": len(documents)}
    if job.rank:
        result["rankings"] = rankings(partial / "model", job.rank)
    shutil.rmtree(final, ignore_errors=True)
    partial.rename(final)
    return result


def _active_features(bundle: Path) -> int | None:
    """Return what the bundle says of its features with a weight other than 0."""
    try:
        model = json.loads((bundle / "model.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return model.get("active_features") if isinstance(model, dict) else None


def _test(job: Testing, documents: Sequence[Cas], folder: Path) -> dict[str, Any]:

    engines: list[Component] = []
    for step, training in job.pieces:
        if training is not None:
            path = Text(str(bundle_folder(folder.resolve(), training) / "model"), folder.resolve())
            step = model_steps.with_model(step, path)
        engines.append(model_steps.create(step, "engines"))
        engines[-1].set_id(step.id)
    pairs, proposed = [], []
    with Pipeline(engines, name=job.system) as pipeline:
        for document in documents:
            cas = document.copy()
            pipeline.process(cas)
            pairs.append(pair_of(cas))
            if job.keep:
                proposed.append(_proposed_by(job, cas))
    for _, training in job.pieces:
        if training is not None:
            _forget(str(bundle_folder(folder.resolve(), training)))
    levelled = [at_level(pair, job.level) for pair in pairs]

    def scored(least: float) -> Any:
        kept = [dataclasses.replace(p, system=[m for m in p.system if m.confidence >= least]) for p in levelled]
        return score(kept, criteria=job.criteria)

    whole = scored(0.0)
    result: dict[str, Any] = {"scores": scores_of(whole).to_json(), "documents": len(documents)}
    if job.each:
        result["each"] = _each(whole, job.criteria)
    if job.thresholds:
        found = [(least, scored(least)) for least in job.thresholds]
        result["thresholds"] = [[least, scores_of(scores).to_json()] for least, scores in found]
        if job.each:
            result["each_threshold"] = [[least, _each(scores, job.criteria)] for least, scores in found]
    if job.keep:
        result["candidates"] = proposed
    if job.schemes:
        result["official"] = {scheme: _official(score(pairs, scheme=scheme)) for scheme in job.schemes}
    return result


def scores_of(found: Any) -> Scores:
    """Count by criterion and kind, those of all kinds together in a row of their own."""
    counts: dict[tuple[str, str], Counts] = {}
    for row in found.table:
        if row.kind == "macro":
            continue
        system = row.system or 0
        count = Counts(row.gold or 0, row.tp or 0, system, system - (row.fp or 0))
        counts[row.criterion, OVERALL if row.kind == "micro" else row.kind] = count
    return Scores(counts)


def _each(found: Any, criteria: Sequence[str]) -> dict[str, list[list[Any]]]:
    """Return by criterion [number of the document, kind, gold, found, marked, right] of all kinds that occur."""
    by_criterion = {}
    for criterion in criteria:
        kinds, counts = found.counts(criterion)
        rows = ((n, kind, *map(int, counts[n, k])) for n in range(len(counts)) for k, kind in enumerate(kinds))
        by_criterion[criterion] = [list(row) for row in rows if any(row[2:])]
    return by_criterion


def _official(found: Any) -> list[list[Any]]:
    """Return the rows over all kinds as a shared task's script gives them: criterion, row, precision, recall, F1, score.

    Figures that a criterion does not have are empty strings, undefined ones None.
    """
    figures = ("precision", "recall", "f1", "score")
    return [
        [row.criterion, row.kind, *(getattr(row, name) if name in row.applies else "" for name in figures)]
        for row in found.table
        if row.kind in ("micro", "macro")
    ]


def _forget(place: str) -> None:
    """Drop a bundle that was loaded for one test, so that thousands of them do not stay in memory."""
    resources.forget(lambda _, name: name.startswith(place))


def rankings(path: Path, n: int) -> dict[str, Any]:
    """Return, for each label of a model, its `n` features of highest absolute weight (appendix D of the VigiBase thesis), signed,
    and the share of all weight they hold.

    Raises ResourceError if it is not a model.
    """
    model = LinearModel.load(str(path))
    found: dict[str, Any] = {}
    for label in model.labels:
        every = sorted(model.ranking(label, 2**31), key=lambda item: (-abs(item[1]), item[0]))
        whole = sum(abs(weight) for _, weight in every)
        top = [(feature, float(weight)) for feature, weight in every[:n]]
        found[label] = {"top": top, "share": sum(abs(w) for _, w in top) / whole if whole else None, "of": len(every)}
    return found
