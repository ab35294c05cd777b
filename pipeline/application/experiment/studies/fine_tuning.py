"""A network trained on one corpus and then on another: how much that helps, and after how many epochs."""

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
from ..plan import Plan, pieces
from ..reference import Reference
from ..result import Result, shown
from ..runner import ExperimentRunner, JobOutcome, of_each
from ..scores import OVERALL, averaged
from ..tables import across, by_kind, of_systems, records

START = "start_from"
_NOT = "not fine-tuned"


@dataclasses.dataclass(frozen=True, slots=True)
class _Round:
    """A system after some epochs of fine-tuning."""

    model: str
    epochs: int

    def __str__(self) -> str:
        if not self.epochs:
            return f"{self.model}, {_NOT}"
        return f"{self.model}, {self.epochs} epoch{'s' * (self.epochs > 1)}"


@part("fine_tuning")
class FineTuning(Experiment):
    """Trains networks on the training corpus, continues the training for some epochs on folds of a second corpus, and tests both
    on what the folds left out.

    After §4.3.6 and Tables 5.8 to 5.10 of the inverse hybrid system. Trainers must take `start_from`.
    """

    corpus: str
    """The second corpus, in folds."""
    epochs: list[int] = dataclasses.field(default_factory=lambda: [1, 2])
    """Epochs of fine-tuning, each a system of its own."""
    models: list[str] = dataclasses.field(default_factory=list)
    """Systems in which something is trained; all such if empty."""
    reference: list[Reference] = dataclasses.field(default_factory=list)
    """Tables of the publication that is repeated. Our systems are called `MODEL, not fine-tuned`, `MODEL, 2 epochs`."""

    def __post_init__(self) -> None:
        if not self.epochs or min(self.epochs) < 1:
            raise ValueError("epochs: expected numbers of 1 or more")

    def check(self, plan: Plan) -> Iterator[tuple[Keys, str]]:
        if self.corpus not in plan.corpora:
            yield ("corpus",), f"no corpus called {self.corpus!r}; expected one of {', '.join(plan.corpora)}"
        elif self.corpus == plan.train:
            yield ("corpus",), f"{self.corpus} is what the networks are trained on before; expected another corpus"
        chosen = [name for name in plan.chosen() if name in plan.models]
        for name in chosen:
            for model in _trained(plan, name):
                step = plan.models[model].trainer
                known = {p.name for p in params.parameters(registry.find(step.name, "consumer"))} if step else set()
                if not {START, "epochs"} <= known:
                    yield ("models",), f"{model}: its trainer takes no parameters {START} and epochs"
        if not any(_trained(plan, name) for name in chosen):
            yield ("models",), "nothing is trained in any of the systems"
        for number, table in enumerate(self.reference):
            for keys, what in table.check(plan, [str(r) for r in self._rounds(plan)]):
                yield ("reference", number, *keys), what

    def _rounds(self, plan: Plan) -> list[_Round]:
        chosen = [name for name in plan.chosen() if name in plan.models and _trained(plan, name)]
        return [_Round(model, epochs) for model in chosen for epochs in [0, *sorted(set(self.epochs))]]

    def run(self, runner: ExperimentRunner) -> Result:
        rounds, folds = self._rounds(runner.plan), runner.folds(self.corpus)
        before = runner.corpus().all
        plain = {r.model: [runner.test(r.model, before, test) for _, test in folds] for r in rounds}
        bundles = {t.key: t for tests in plain.values() for test in tests for t in test.needs}
        kept, runner.schedule.keep_models = runner.schedule.keep_models, True
        _bring(runner, list(bundles.values()))
        jobs = {
            r: [
                self._tuned(runner, job, train, r.epochs) if r.epochs else job
                for job, (train, _) in zip(plain[r.model], folds, strict=True)
            ]
            for r in rounds
        }
        by_system = {str(r): outcomes for r, outcomes in runner.run_groups(jobs).items()}
        runner.schedule.keep_models = kept
        if not kept:
            shutil.rmtree(bundle_folder(runner.folder, next(iter(bundles.values()))).parent, ignore_errors=True)
        return self._result(runner, by_system, len(folds))

    def _result(self, runner: ExperimentRunner, by_system: dict[str, list[JobOutcome]], folds: int) -> Result:
        settings, result = runner.settings, Result()
        title = f"All kinds together, {folds} folds of {self.corpus}"
        result.tables.append(of_systems(by_system, settings, title))
        result.tables += [reference.table(by_system) for reference in self.reference]
        for criterion in by_kind(by_system.values(), settings):
            result.tables.append(across(by_system, criterion, "recall"))
        for system, many in by_system.items():
            result.records += records([o.scores for o in many], settings, system=system)
        criterion = settings.criteria[0]
        for r in self._rounds(runner.plan):
            each = of_each(by_system[str(r)])
            recall, precision = (averaged(each, criterion, OVERALL, m) for m in ("recall", "precision"))
            result.findings.append(f"{r}: {criterion} recall {shown(recall)}, precision {shown(precision)}.")
        return result

    def _tuned(self, runner: ExperimentRunner, job: Testing, train: Documents, epochs: int) -> Testing:
        """Return the test with networks trained further on `train`."""
        pieces = []
        for step, training in job.pieces:
            if training is not None:
                more = {"epochs": epochs, "patience": 0, "held_out": 0.0}
                known = {p.name for p in params.parameters(registry.find(training.step.name, "consumer"))}
                given = {name: value for name, value in more.items() if name in known}
                again = runner.training(training.model, train, given)
                place = Text(str(bundle_folder(runner.folder.resolve(), training) / "model"), runner.folder.resolve())
                tuned = model_steps.with_parameters(again.step, {START: place})
                key = fingerprint.digest([START, training.key, again.key])[:KEY_LENGTH]
                training = Training(key, training.model, tuned, train)
            pieces.append((step, training))
        keys = [training.key for _, training in pieces if training is not None]
        key = fingerprint.digest(["fine-tuned", job.key, keys])[:KEY_LENGTH]
        return dataclasses.replace(job, key=key, pieces=tuple(pieces))


def _bring(runner: ExperimentRunner, trainings: Sequence[Training]) -> None:
    """Run the trainings to continue from, unless their models exist."""
    for training in trainings:
        if not bundle_folder(runner.folder, training).is_dir():
            job_file(runner.folder, training).unlink(missing_ok=True)
            runner.schedule.finished.pop(training.key, None)
    runner.run(list(trainings))


def _trained(plan: Plan, name: str) -> list[str]:
    try:
        return [piece.trained for piece in pieces(plan.models, name) if piece.trained]
    except KeyError:  # made of a model that is not there, which is reported elsewhere
        return []
