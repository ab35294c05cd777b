"""Fine-tuning of networks on a second corpus."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator, Sequence

from ....contract import params, registry
from ....contract.component import part
from ....storage.yaml_source import Keys, Text
from .. import fingerprint, model_steps
from ..corpus import Documents
from ..experiment import Experiment
from ..job import KEY_LENGTH, Testing, Training, bundle_folder, job_file
from ..plan import Plan, system_steps
from ..reference import Reference
from ..result import Result, shown
from ..runner import ExperimentRunner, JobOutcome, successful_scores
from ..scores import OVERALL, averaged
from ..tables import kind_criteria, kinds_by_system, records, systems_table

START = "start_from"


@dataclasses.dataclass(frozen=True, slots=True)
class TunedSystem:
    """A system after a number of epochs of fine-tuning."""

    model: str
    epochs: int

    def __str__(self) -> str:
        if not self.epochs:
            return f"{self.model}, not fine-tuned"
        return f"{self.model}, {self.epochs} epoch{'s' * (self.epochs > 1)}"


@part("fine_tuning")
class FineTuning(Experiment):
    """Trains networks on the training corpus, continues the training on folds of a second corpus, and tests both versions on the
    test documents of the folds.

    Based on §4.3.6 and Tables 5.8 to 5.10 of the inverse hybrid system. Trainers must have the parameter `start_from`.
    """

    corpus: str
    """The second corpus, split into folds."""
    epochs: list[int] = dataclasses.field(default_factory=lambda: [1, 2])
    """Numbers of epochs of fine-tuning. Each number is reported as a separate system."""
    models: list[str] = dataclasses.field(default_factory=list)
    """Systems with a trained model; by default all of them."""
    beside: list[str] = dataclasses.field(default_factory=list)
    """Further systems for comparison. Their models, if they have any, are trained on the folds of the second corpus alone."""
    reference: list[Reference] = dataclasses.field(default_factory=list)
    """Tables of the reproduced publication. The systems are called `MODEL, not fine-tuned` and `MODEL, 2 epochs`."""

    def __post_init__(self) -> None:
        if not self.epochs or min(self.epochs) < 1:
            raise ValueError("epochs: expected whole numbers of 1 or more")

    def check(self, plan: Plan) -> Iterator[tuple[Keys, str]]:
        if self.corpus not in plan.corpora:
            yield ("corpus",), f"no corpus called {self.corpus!r}; expected one of {', '.join(plan.corpora)}"
        elif self.corpus == plan.train:
            yield ("corpus",), f"expected another corpus than the training corpus, got {self.corpus}"
        for name in self.beside:
            if name not in plan.models:
                yield ("beside",), f"no model called {name!r}; expected one of {', '.join(plan.models)}"
        chosen = [name for name in plan.chosen() if name in plan.models]
        for name in chosen:
            for model in _trained(plan, name):
                step = plan.models[model].trainer
                known = {p.name for p in params.parameters(registry.find(step.name, "consumer"))} if step else set()
                if not {START, "epochs"} <= known:
                    yield ("models",), f"{model}: its trainer does not have the parameters {START} and epochs"
        if not any(_trained(plan, name) for name in chosen):
            yield ("models",), "no system has a trained model"
        for number, table in enumerate(self.reference):
            for keys, what in table.check(plan, [*map(str, self._systems(plan)), *self.beside]):
                yield ("reference", number, *keys), what

    def _systems(self, plan: Plan) -> list[TunedSystem]:
        chosen = [name for name in plan.chosen() if name in plan.models and _trained(plan, name)]
        return [TunedSystem(model, epochs) for model in chosen for epochs in [0, *sorted(set(self.epochs))]]

    def run(self, runner: ExperimentRunner) -> Result:
        systems, folds = self._systems(runner.plan), runner.folds(self.corpus)
        first = runner.corpus().all
        untuned = {s.model: [runner.test(s.model, first, test) for _, test in folds] for s in systems}
        bundles = {t.key: t for tests in untuned.values() for test in tests for t in test.needs}
        keep_models, runner.schedule.keep_models = runner.schedule.keep_models, True
        _train_missing(runner, list(bundles.values()))
        jobs = {
            str(system): [
                self._tuned(runner, job, train, system.epochs) if system.epochs else job
                for job, (train, _) in zip(untuned[system.model], folds, strict=True)
            ]
            for system in systems
        }
        jobs |= {name: [runner.test(name, train, test) for train, test in folds] for name in self.beside}
        by_system = runner.run_groups(jobs)
        runner.schedule.keep_models = keep_models
        if not keep_models:
            shutil.rmtree(bundle_folder(runner.folder, next(iter(bundles.values()))).parent, ignore_errors=True)
        return self._result(runner, by_system, len(folds))

    def _result(self, runner: ExperimentRunner, by_system: dict[str, list[JobOutcome]], folds: int) -> Result:
        settings, result = runner.settings, Result()
        title = f"All kinds together, {folds} folds of {self.corpus}"
        result.tables.append(systems_table(by_system, settings, title))
        result.tables += [reference.table(by_system) for reference in self.reference]
        for criterion in kind_criteria(by_system.values(), settings):
            result.tables.append(kinds_by_system(by_system, criterion, "recall"))
        criterion = settings.criteria[0]
        for system, outcomes in by_system.items():
            result.records += records([o.scores for o in outcomes], settings, system=system)
            scores = successful_scores(outcomes)
            recall, precision = (averaged(scores, criterion, OVERALL, m) for m in ("recall", "precision"))
            result.findings.append(f"{system}: {criterion} recall {shown(recall)}, precision {shown(precision)}.")
        return result

    def _tuned(self, runner: ExperimentRunner, job: Testing, train: Documents, epochs: int) -> Testing:
        """Return a test whose networks are fine-tuned on `train`."""
        steps = []
        for step, training in job.steps:
            if training is not None:
                parameters = {"epochs": epochs, "patience": 0, "held_out": 0.0}
                known = {p.name for p in params.parameters(registry.find(training.step.name, "consumer"))}
                parameters = {name: value for name, value in parameters.items() if name in known}
                continued = runner.training(training.model, train, parameters)
                start = Text(str(bundle_folder(runner.folder.resolve(), training) / "model"), runner.folder.resolve())
                tuned = model_steps.with_parameters(continued.step, {START: start})
                key = fingerprint.digest([START, training.key, continued.key])[:KEY_LENGTH]
                training = Training(key, training.model, tuned, train)
            steps.append((step, training))
        keys = [training.key for _, training in steps if training is not None]
        key = fingerprint.digest(["fine-tuned", job.key, keys])[:KEY_LENGTH]
        return dataclasses.replace(job, key=key, steps=tuple(steps))


def _train_missing(runner: ExperimentRunner, trainings: Sequence[Training]) -> None:
    """Run the trainings whose bundles are missing."""
    for training in trainings:
        if not bundle_folder(runner.folder, training).is_dir():
            job_file(runner.folder, training).unlink(missing_ok=True)
            runner.schedule.finished.pop(training.key, None)
    runner.run(list(trainings))


def _trained(plan: Plan, name: str) -> list[str]:
    try:
        return [s.trained for s in system_steps(plan.models, name) if s.trained]
    except KeyError:  # it contains an unknown model, which is reported elsewhere
        return []
