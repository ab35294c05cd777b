"""The API of experiments: corpora, splits, the creation of jobs, and their outcomes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar

from ....annotators.sequence import folds
from ...assembly.steps import Step
from ...errors import CaspipeError
from ...storage.yaml_source import text_of
from . import fingerprint, model_steps
from .corpus import Corpus, Documents, preparation, read_corpus
from .job import KEY_LENGTH, Job, Testing, Training, bundle_folder
from .plan import RESOLVER, Plan, Settings, SystemStep, member_steps, system_steps
from .scheduler import JobScheduler, Progress
from .scores import Scores

K = TypeVar("K")
Owner = Literal["trainer", "annotator", "resolver"]
"""The component whose parameters an experiment sets."""


@dataclass(slots=True)
class JobOutcome:
    """The result of a job. If it failed, `failed` is the error message and all numbers are undefined."""

    job: Job
    failed: str = ""
    data: dict[str, Any] = field(default_factory=dict)

    @property
    def scores(self) -> Scores:
        return Scores.from_json(self.data.get("scores", []))

    @property
    def thresholds(self) -> list[tuple[float, Scores]]:
        """Pairs of a threshold and the scores of the spans with at least this confidence."""
        return [(least, Scores.from_json(rows)) for least, rows in self.data.get("thresholds", [])]

    @property
    def official(self) -> dict[str, list[list[Any]]]:
        """Rows by shared task: criterion, micro or macro, precision, recall, F1, score."""
        return dict(self.data.get("official", {}))

    @property
    def rankings(self) -> dict[str, Any]:
        return dict(self.data.get("rankings", {}))


class ExperimentRunner:
    """Provides documents, jobs and results to an experiment. All randomness follows from the seed of the settings."""

    def __init__(self, plan: Plan, folder: Path, workers: int = 1, progress: Progress | None = None) -> None:
        self.plan = plan
        self.settings: Settings = plan.settings
        self.folder = folder
        self.workers = workers
        self.progress = progress
        self.folded = False
        """True if the experiment uses folds."""
        self.corpora: dict[str, Corpus] = {}
        self.prepared: dict[str, list[object]] = {}

    # -- documents -----------------------------------------------------------------------------------------------

    def corpus(self, name: str = "") -> Corpus:
        """Return a corpus, by default the training corpus. It is read on first use."""
        name = name or self.plan.train
        if name not in self.corpora:
            plan = self.plan.corpora[name]
            self.corpora[name] = read_corpus(plan, self.settings.limit, self.settings.seed)
            self.prepared[name] = preparation(plan)
        return self.corpora[name]

    def folds(self, name: str = "") -> list[tuple[Documents, Documents]]:
        """Return (train, test) documents for a cross-validation on a corpus. Raises CaspipeError if there are too few."""
        corpus = self.corpus(name)
        self.folded = True
        with _naming_corpus(corpus):
            pairs = folds.folds(corpus.groups, self.settings.folds, self.settings.seed, corpus.strata)
        return [(_documents(corpus, train), _documents(corpus, test)) for train, test in pairs]

    def split(self) -> tuple[Documents, Documents]:
        """Return (train, test) documents: the two corpora, or without a test corpus a split of the training corpus."""
        corpus = self.corpus()
        if self.settings.test is not None and self.settings.test != corpus.name:
            return corpus.all, self.corpus(self.settings.test).all
        with _naming_corpus(corpus):
            train, test = folds.holdout(corpus.groups, self.settings.holdout, self.settings.seed, corpus.strata)
        return _documents(corpus, train), _documents(corpus, test)

    def splits(self) -> list[tuple[Documents, Documents]]:
        """Return the training and test corpus as a single split if a `test` corpus is configured, else the folds."""
        return [self.split()] if self.settings.test is not None else self.folds()

    def subset(self, documents: Documents, share: float, *labels: object) -> Documents:
        """Return a random share of documents. With the same labels, larger shares include smaller ones."""
        return tuple(folds.subset(documents, share, self.settings.seed, *labels))

    # -- jobs ----------------------------------------------------------------------------------------------------

    def training(
        self,
        model: str,
        documents: Documents,
        parameters: Mapping[str, Any] | None = None,
        rank: int = 0,
        seed: int | None = None,
    ) -> Training:
        """Return a training of a model, with further trainer parameters. Raises CaspipeError if the model has no trainer.

        `seed`: the seed of the training and of those of its members, if their trainers have one.
        """
        step = self.plan.models[model].trainer
        if step is None:
            raise CaspipeError(f"model {model} has no trainer")
        step = model_steps.with_seed(model_steps.with_parameters(step, parameters or {}), seed)
        needs = self._member_tests(model, documents, seed)
        inputs = ["training", fingerprint.of_step(step, "consumer"), self._digests(documents), rank]
        inputs += [test.key for test in needs]
        return Training(fingerprint.digest(inputs)[:KEY_LENGTH], model, step, documents, rank, needs)

    def _member_tests(self, model: str, documents: Documents, seed: int | None) -> tuple[Testing, ...]:
        """Return cross-validated tests of the members of a model on its training documents."""
        members = member_steps(self.plan.models, self.plan.models[model])
        if not members:
            return ()
        groups = [(name, self.corpus(name).groups[i]) for name, i in documents]
        self.folded = True
        strata = [self.corpus(name).strata[i] for name, i in documents if self.corpus(name).strata]
        with _naming_corpus(self.corpus(documents[0][0] if documents else "")):
            same = len(strata) == len(documents)
            pairs = folds.folds(groups, self.settings.folds, self.settings.seed, strata if same else ())
        return tuple(
            self._testing(
                f"{model}: {', '.join(self.plan.models[model].members)}",
                members,
                tuple(documents[i] for i in train),
                tuple(documents[i] for i in test),
                keep_candidates=True,
                seed=seed,
            )
            for train, test in pairs
        )

    def test(
        self,
        system: str,
        train: Documents,
        test: Documents,
        *,
        parameters: Mapping[str, Any] | None = None,
        owner: Owner = "trainer",
        member: str = "",
        thresholds: Sequence[float] = (),
        per_document: bool = False,
        seed: int | None = None,
    ) -> Testing:
        """Return a test of a system.

        `parameters`: further parameters of its trainer, annotator or resolver (`owner`), or those of one of its models or
        components (`member`). `per_document`: counts are stored for each document. `seed`: the seed of all its trainings.
        """
        steps = system_steps(self.plan.models, system)
        if owner == "resolver":
            steps, parameters = _with_resolver_parameters(steps, parameters or {}), None
        return self._testing(
            system,
            steps,
            train,
            test,
            parameters=parameters,
            owner=owner,
            member=member or system,
            thresholds=thresholds,
            per_document=per_document,
            seed=seed,
        )

    def _testing(
        self,
        system: str,
        steps: Sequence[SystemStep],
        train: Documents,
        test: Documents,
        *,
        parameters: Mapping[str, Any] | None = None,
        owner: Owner = "trainer",
        member: str = "",
        thresholds: Sequence[float] = (),
        keep_candidates: bool = False,
        per_document: bool = False,
        seed: int | None = None,
    ) -> Testing:
        engines, inputs = [], []
        for system_step in steps:
            step, model, training = system_step.step, system_step.trained, None
            name = model if member in self.plan.trainable else step.id.rpartition("/")[2]
            own = parameters or {} if member and name == member else {}
            if model:
                training = self.training(model, train, own if owner == "trainer" else {}, seed=seed)
            step = model_steps.with_parameters(step, own if owner == "annotator" else {})
            engines.append((step, training))
            inputs.append([fingerprint.of_step(step, "engine"), training.key if training else None])
        settings = self.settings
        documents = self._digests(test)
        outputs: list[Any] = [settings.criteria, settings.level, settings.schemes, list(thresholds)]
        outputs += ["candidates"] if keep_candidates else []
        outputs += ["each"] if per_document else []
        key = fingerprint.digest(["test", inputs, documents, outputs, fingerprint.of_scoring()])[:KEY_LENGTH]
        return Testing(
            key,
            system,
            tuple(engines),
            test,
            tuple(settings.criteria),
            settings.level,
            tuple(settings.schemes),
            tuple(thresholds),
            keep_candidates,
            per_document,
        )

    @cached_property
    def schedule(self) -> JobScheduler:
        documents = {name: corpus.documents for name, corpus in self.corpora.items()}
        return JobScheduler(self.folder, documents, self.workers, self.progress, self.settings.keep_models)

    def run(self, jobs: Sequence[Job]) -> list[JobOutcome]:
        """Run the jobs that are not finished, and return the outcomes of all in the same order.

        The outcome of a failed job contains the error message. Raises CaspipeError if every job fails.
        """
        schedule = self.schedule
        schedule.corpora = {name: corpus.documents for name, corpus in self.corpora.items()}
        schedule.run(jobs)
        outcomes = [JobOutcome(j, schedule.failed.get(j.key, ""), schedule.finished.get(j.key, {})) for j in jobs]
        if outcomes and all(o.failed for o in outcomes):
            raise CaspipeError(f"every job failed; the first: {outcomes[0].failed}")
        return outcomes

    def run_groups(self, groups: Mapping[K, Sequence[Job]]) -> dict[K, list[JobOutcome]]:
        """Run the jobs of all groups and return their outcomes by group. Raises as `run`."""
        outcomes = iter(self.run([job for jobs in groups.values() for job in jobs]))
        return {key: [next(outcomes) for _ in jobs] for key, jobs in groups.items()}

    def trained(self, outcome: JobOutcome, model: str = "") -> list[dict[str, Any]]:
        """Return the results of the trainings of a test, or of those of one model.

        They have `active_features`, `documents`, `tokens`, `epochs`, `processor_seconds`.
        """
        trainings = [t for t in outcome.job.needs if isinstance(t, Training) and (not model or t.model == model)]
        return [self.schedule.finished[t.key] for t in trainings if t.key in self.schedule.finished]

    @property
    def bundles(self) -> list[dict[str, Any]]:
        """The stored bundles: name of the model, number of training documents, path relative to the folder."""
        folders = [(t, bundle_folder(self.folder, t) / "model") for t in self.schedule.trainings.values()]
        return [
            {"model": t.model, "documents": len(t.documents), "folder": path.relative_to(self.folder).as_posix()}
            for t, path in folders
            if path.exists()
        ]

    @property
    def failures(self) -> list[str]:
        """The distinct error messages of failed jobs."""
        return list(dict.fromkeys(self.schedule.failed.values()))

    @property
    def warnings(self) -> list[str]:
        """The distinct warnings of jobs."""
        return list(
            dict.fromkeys(w for _, data in sorted(self.schedule.finished.items()) for w in data.get("warnings", []))
        )

    def _digests(self, documents: Documents) -> list[Any]:
        names = dict.fromkeys(name for name, _ in documents)
        digests: list[Any] = [text_of(self.prepared[name]) for name in names]
        return digests + [self.corpora[name].digests[i] for name, i in documents]


def _with_resolver_parameters(steps: Sequence[SystemStep], parameters: Mapping[str, Any]) -> list[SystemStep]:
    """Return the steps with further parameters of the resolver, which is added at the end if it is missing."""
    if not any(p.step.name == RESOLVER for p in steps):
        steps = [*steps, SystemStep(Step(RESOLVER, RESOLVER, {}, (), ("", 0)))]
    return [
        SystemStep(model_steps.with_parameters(p.step, parameters), p.trained) if p.step.name == RESOLVER else p
        for p in steps
    ]


def _documents(corpus: Corpus, indexes: Iterable[int]) -> Documents:
    return tuple((corpus.name, i) for i in indexes)


@contextlib.contextmanager
def _naming_corpus(corpus: Corpus) -> Iterator[None]:
    """Add the name of the corpus to the error of a failed split."""
    try:
        yield
    except CaspipeError:
        raise
    except ValueError as error:
        raise CaspipeError(f"corpus {corpus.name}: {error}") from None


def successful_scores(outcomes: Iterable[JobOutcome]) -> list[Scores]:
    """Return the scores of the jobs that did not fail."""
    return [o.scores for o in outcomes if not o.failed]
