"""The bench an experiment works at: its corpora, its models, and jobs asked for by name, done or found done, and read back."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar

from ...assembly import config
from ...errors import CaspipeError
from ...storage.yaml_source import text_of
from . import fingerprint, folds, model_steps
from .corpus import Corpus, Documents, preparation, read_corpus
from .job import KEY_LENGTH, Job, Testing, Training, bundle_folder
from .plan import RESOLVER, Piece, Plan, Settings, finders, pieces
from .scheduler import JobScheduler, Progress
from .scores import Scores

K = TypeVar("K")


@dataclass(slots=True)
class JobOutcome:
    """The result of a job. `failed` is the reason for a failure; then every number is undefined."""

    job: Job
    failed: str = ""
    data: dict[str, Any] = field(default_factory=dict)

    @property
    def scores(self) -> Scores:
        return Scores.from_json(self.data.get("scores", []))

    @property
    def thresholds(self) -> list[tuple[float, Scores]]:
        """(least confidence, scores of the spans that reach it)."""
        return [(least, Scores.from_json(rows)) for least, rows in self.data.get("thresholds", [])]

    @property
    def official(self) -> dict[str, list[list[Any]]]:
        """By shared task: [criterion, micro or macro, precision, recall, F1, score]."""
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
        """True if folds were made."""
        self.corpora: dict[str, Corpus] = {}
        self.prepared: dict[str, list[object]] = {}

    # -- documents -----------------------------------------------------------------------------------------------

    def corpus(self, name: str = "") -> Corpus:
        """Return a corpus, read at first use; the training corpus if no name is given."""
        name = name or self.plan.train
        if name not in self.corpora:
            plan = self.plan.corpora[name]
            self.corpora[name] = read_corpus(plan, self.settings.limit, self.settings.seed)
            self.prepared[name] = preparation(plan)
        return self.corpora[name]

    def folds(self, name: str = "") -> list[tuple[Documents, Documents]]:
        """Return (train, test) documents of a cross-validation over a corpus. Raises CaspipeError if it has too few."""
        corpus = self.corpus(name)
        self.folded = True
        with _about(corpus):
            pairs = folds.folds(corpus.groups, self.settings.folds, self.settings.seed)
        return [(_of(corpus, train), _of(corpus, test)) for train, test in pairs]

    def split(self) -> tuple[Documents, Documents]:
        """Return (train, test) documents: the two corpora that the file names, or a split of one."""
        corpus = self.corpus()
        if self.settings.test is not None and self.settings.test != corpus.name:
            return corpus.all, self.corpus(self.settings.test).all
        with _about(corpus):
            train, test = folds.holdout(corpus.groups, self.settings.holdout, self.settings.seed)
        return _of(corpus, train), _of(corpus, test)

    def splits(self) -> list[tuple[Documents, Documents]]:
        """Return the one split into training and test corpus if a `test` corpus is named, else the folds."""
        return [self.split()] if self.settings.test is not None else self.folds()

    def subset(self, documents: Documents, share: float, *labels: object) -> Documents:
        """Return a random share of documents; larger shares of the same labels include smaller ones."""
        return tuple(folds.subset(documents, share, self.settings.seed, *labels))

    # -- jobs ----------------------------------------------------------------------------------------------------

    def training(
        self, model: str, documents: Documents, given: Mapping[str, Any] | None = None, rank: int = 0
    ) -> Training:
        """Return a training of a model with further parameters. Raises CaspipeError if nothing of it is trained."""
        step = self.plan.models[model].trainer
        if step is None:
            raise CaspipeError(f"model {model} has no trainer")
        step = model_steps.with_parameters(step, given or {})
        needs = self._left_out(model, documents)
        depends = ["training", fingerprint.of_step(step, "consumer"), self._digests(documents), rank]
        depends += [test.key for test in needs]
        return Training(fingerprint.digest(depends)[:KEY_LENGTH], model, step, documents, rank, needs)

    def _left_out(self, model: str, documents: Documents) -> tuple[Testing, ...]:
        """Test of what a model is made of, on the documents it learns from: each in the fold that was not trained on."""
        models = finders(self.plan.models, self.plan.models[model])
        if not models:
            return ()
        groups = [(name, self.corpus(name).groups[i]) for name, i in documents]
        self.folded = True
        with _about(self.corpus(documents[0][0] if documents else "")):
            pairs = folds.folds(groups, self.settings.folds, self.settings.seed)
        return tuple(
            self._testing(
                f"{model}: {', '.join(self.plan.models[model].of)}",
                models,
                tuple(documents[i] for i in train),
                tuple(documents[i] for i in test),
                keep=True,
            )
            for train, test in pairs
        )

    def test(
        self,
        system: str,
        train: Documents,
        test: Documents,
        *,
        given: Mapping[str, Any] | None = None,
        on: Literal["trainer", "annotator", "resolver"] = "trainer",
        to: str = "",
        thresholds: Sequence[float] = (),
        each: bool = False,
    ) -> Testing:
        """Return a test of a system. `given` are further parameters of its own trainer, annotator or resolver, or of the
        model or component `to` that it is made of; `each`: counts are kept by document."""
        steps = pieces(self.plan.models, system)
        if on == "resolver":
            steps, given = _resolved(steps, given or {}), None
        return self._testing(
            system, steps, train, test, given=given, on=on, to=to or system, thresholds=thresholds, each=each
        )

    def _testing(
        self,
        system: str,
        steps: Sequence[Piece],
        train: Documents,
        test: Documents,
        *,
        given: Mapping[str, Any] | None = None,
        on: Literal["trainer", "annotator", "resolver"] = "trainer",
        to: str = "",
        thresholds: Sequence[float] = (),
        keep: bool = False,
        each: bool = False,
    ) -> Testing:
        pieces, depends = [], []
        for piece in steps:
            called = piece.trained if to in self.plan.trainable else piece.step.id.rpartition("/")[2]
            own = given or {} if to and called == to else {}
            step, training = piece.step, None
            if piece.trained:
                training = self.training(piece.trained, train, own if on == "trainer" else {})
            step = model_steps.with_parameters(step, own if on == "annotator" else {})
            pieces.append((step, training))
            depends.append([fingerprint.of_step(step, "engine"), training.key if training else None])
        settings = self.settings
        documents = self._digests(test)
        asked: list[Any] = [settings.criteria, settings.level, settings.schemes, list(thresholds)]
        asked += ["candidates"] if keep else []
        asked += ["each"] if each else []
        key = fingerprint.digest(["test", depends, documents, asked, fingerprint.of_scoring()])[:KEY_LENGTH]
        criteria, schemes = tuple(settings.criteria), tuple(settings.schemes)
        return Testing(
            key, system, tuple(pieces), test, criteria, settings.level, schemes, tuple(thresholds), keep, each
        )

    @cached_property
    def schedule(self) -> JobScheduler:
        documents = {name: corpus.documents for name, corpus in self.corpora.items()}
        return JobScheduler(self.folder, documents, self.workers, self.progress, self.settings.keep_models)

    def run(self, jobs: Sequence[Job]) -> list[JobOutcome]:
        """Do the jobs, or find them done, and return their outcomes in the same order.

        A job that fails gives an outcome with the error. Raises CaspipeError if every job fails.
        """
        schedule = self.schedule
        schedule.corpora = {name: corpus.documents for name, corpus in self.corpora.items()}
        schedule.run(jobs)
        outcomes = [JobOutcome(j, schedule.failed.get(j.key, ""), schedule.finished.get(j.key, {})) for j in jobs]
        if outcomes and all(o.failed for o in outcomes):
            raise CaspipeError(f"every job failed; the first: {outcomes[0].failed}")
        return outcomes

    def run_groups(self, groups: Mapping[K, Sequence[Job]]) -> dict[K, list[JobOutcome]]:
        """Do the jobs of all groups, as `run` does, and return their outcomes under the same keys."""
        outcomes = iter(self.run([job for jobs in groups.values() for job in jobs]))
        return {key: [next(outcomes) for _ in jobs] for key, jobs in groups.items()}

    def trained(self, outcome: JobOutcome) -> list[dict[str, Any]]:
        """Return what is known of the models behind a test: `active_features`, `documents`."""
        return [self.schedule.finished[t.key] for t in outcome.job.needs if t.key in self.schedule.finished]

    @property
    def bundles(self) -> list[dict[str, Any]]:
        """The models that were kept: of which model, from how many documents, where below the folder."""
        folders = [(t, bundle_folder(self.folder, t) / "model") for t in self.schedule.trainings.values()]
        return [
            {"model": t.model, "documents": len(t.documents), "folder": path.relative_to(self.folder).as_posix()}
            for t, path in folders
            if path.exists()
        ]

    @property
    def failures(self) -> list[str]:
        """Why jobs failed, each reason once."""
        return list(dict.fromkeys(self.schedule.failed.values()))

    @property
    def warnings(self) -> list[str]:
        """Return what jobs warned of, each warning once."""
        found = (w for _, data in sorted(self.schedule.finished.items()) for w in data.get("warnings", []))
        return list(dict.fromkeys(found))

    def _digests(self, documents: Documents) -> list[Any]:
        names = dict.fromkeys(name for name, _ in documents)
        digests: list[Any] = [text_of(self.prepared[name]) for name in names]
        return digests + [self.corpora[name].digests[i] for name, i in documents]


def _resolved(steps: Sequence[Piece], given: Mapping[str, Any]) -> list[Piece]:
    """Return the steps with further parameters of the resolver, which comes last if none is named."""
    if not any(p.step.name == RESOLVER for p in steps):
        steps = [*steps, Piece(config.Step(RESOLVER, RESOLVER, {}, (), ("", 0)))]
    return [
        Piece(model_steps.with_parameters(p.step, given), p.trained) if p.step.name == RESOLVER else p for p in steps
    ]


def _of(corpus: Corpus, indexes: Iterable[int]) -> Documents:
    return tuple((corpus.name, i) for i in indexes)


@contextlib.contextmanager
def _about(corpus: Corpus) -> Iterator[None]:
    """Say which corpus a split failed for."""
    try:
        yield
    except CaspipeError:
        raise
    except ValueError as error:
        raise CaspipeError(f"corpus {corpus.name}: {error}") from None


def of_each(outcomes: Iterable[JobOutcome]) -> list[Scores]:
    """Return the scores of the jobs that did not fail."""
    return [o.scores for o in outcomes if not o.failed]
