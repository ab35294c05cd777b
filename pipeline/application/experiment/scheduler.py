"""Schedules jobs: trainings first, their tests as soon as possible; finished jobs are skipped, each result is stored at once."""

from __future__ import annotations

import contextlib
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...contract import registry
from ...errors import CaspipeError
from ...running.worker import Handler, Worker, WorkerDied, safe_start_method, wait_for
from .job import Corpora, Job, Training, attempt, bundle_folder, stored


class Progress:
    """Observes batches of jobs. By default, the methods do nothing."""

    def batch(self, jobs: int, finished: int) -> None:
        """Called with the number of jobs of a batch, and how many of them were finished before."""

    def done(self, what: str, failed: bool) -> None:
        """Called at the end of each job."""


class JobScheduler:
    """Runs jobs in `workers` processes, or in this one if it is 1. Results do not depend on their number."""

    def __init__(
        self, folder: Path, corpora: Corpora, workers: int, progress: Progress | None = None, keep_models: bool = False
    ) -> None:
        self.folder = folder
        self.corpora = corpora
        self.workers = workers
        self.progress = progress or Progress()
        self.keep_models = keep_models
        self.finished: dict[str, dict[str, Any]] = {}
        self.failed: dict[str, str] = {}
        """Why a job failed, by its key."""
        self.trainings: dict[str, Training] = {}
        """Every training asked for, by its key."""
        self.skipped = 0
        """Jobs whose result existed already."""
        self._uses: Counter[str] = Counter()
        """How many jobs that have not ended make or need the bundle of a training, by its key."""

    def run(self, jobs: Iterable[Job]) -> None:
        """Do the jobs and what they need; results are in `finished`, failures in `failed`.

        Ctrl-C (KeyboardInterrupt) passes on: what was finished stays. Raises CaspipeError if a worker process dies.
        """
        wanted: dict[str, Job] = {}
        for job in jobs:
            wanted |= {**_needs(job), job.key: job}
        self.trainings |= {key: job for key, job in wanted.items() if isinstance(job, Training)}
        left: list[Job] = []
        missing: set[str] = set()
        for job in reversed(wanted.values()):  # a job comes after those that it needs
            if job.key not in self.finished and (result := stored(self.folder, job)) is not None:
                self.finished[job.key] = result
                self.skipped += 1
            if (
                job.key not in self.finished or job.key in missing
            ):  # the model of a finished training may have been removed
                left.append(job)
                missing |= {
                    training.key for training in _used(job) if not bundle_folder(self.folder, training).is_dir()
                }
        ordered = left[::-1]
        self.progress.batch(len(wanted), len(wanted) - len(left))
        self._uses = Counter(training.key for job in ordered for training in _used(job))
        if self.workers == 1:
            for job in ordered:
                self._end(job, self._blocked(job) or attempt(job, self.corpora, self.folder))
        elif ordered:
            try:
                self._in_workers(ordered)
            except BaseException:
                _remove_unfinished(self.folder)
                raise
        with contextlib.suppress(OSError):  # it does not exist, or models are kept in it
            (self.folder / "bundles").rmdir()

    def _blocked(self, job: Job) -> str:
        """Return why a job that this job needs failed; empty if none did."""
        return next((self.failed[t.key] for t in job.needs if t.key in self.failed), "")

    def _end(self, job: Job, result: dict[str, Any] | str) -> None:
        """Note a result, and remove the bundles that no other job needs, unless models are kept."""
        if isinstance(result, str):
            self.failed[job.key] = result
        else:
            self.finished[job.key] = result
        self.progress.done(job.model if isinstance(job, Training) else job.system, isinstance(result, str))
        for training in _used(job):
            self._uses[training.key] -= 1
            if self._uses[training.key] == 0 and not self.keep_models:
                shutil.rmtree(bundle_folder(self.folder, training), ignore_errors=True)

    def _in_workers(self, ordered: list[Job]) -> None:
        """Do jobs in processes, which end with this call, at once after an error or Ctrl-C."""
        waiting = {job.key: job for job in ordered}
        running: dict[Worker, Job] = {}
        start = safe_start_method()
        arguments = (self.corpora, self.folder, registry.loaded_files())
        workers: list[Worker] = []
        try:
            numbers = range(1, min(self.workers, len(ordered)) + 1)
            workers.extend(Worker(f"caspipe-experiment-{n}", start, _set_up, *arguments) for n in numbers)
            while waiting or running:
                idle = [worker for worker in workers if worker.ready and worker not in running]
                for job in _ready(waiting, running.values()):
                    if blocked := self._blocked(job):
                        del waiting[job.key]
                        self._end(job, blocked)
                    elif idle:
                        del waiting[job.key]
                        running[idle[-1]] = job
                        idle.pop().send(job)
                if running or not idle:
                    for worker in wait_for(workers):
                        if (result := worker.receive()) is not None:
                            self._end(running.pop(worker), result)
        except WorkerDied:
            raise CaspipeError(
                f"a worker process died ({len(self.finished)} jobs are finished and kept): run the same command "
                "again, with fewer --jobs if memory was short"
            ) from None
        finally:
            for worker in workers:
                worker.stop()


def _needs(job: Job) -> dict[str, Job]:
    """Return all that a job needs, directly or through others, by key. Each comes after those that it needs itself."""
    jobs: dict[str, Job] = {}
    for needed in job.needs:
        jobs |= {**_needs(needed), needed.key: needed}
    return jobs


def _used(job: Job) -> Sequence[Training]:
    """Return the trainings whose bundles a job makes or needs."""
    return [job] if isinstance(job, Training) else job.needs


def _ready(waiting: Mapping[str, Job], running: Iterable[Job]) -> list[Job]:
    """Return the jobs that do not wait for another, tests before trainings."""
    pending = {*waiting, *(job.key for job in running)}
    ready = [job for job in waiting.values() if not any(t.key in pending for t in job.needs)]
    return sorted(ready, key=lambda job: isinstance(job, Training))


def _remove_unfinished(folder: Path) -> None:
    """Remove what workers were writing when they were ended."""
    for file in folder.glob("jobs/.*.tmp"):
        file.unlink(missing_ok=True)
    for part in folder.glob("bundles/.*.part"):
        shutil.rmtree(part, ignore_errors=True)


def _set_up(corpora: Corpora, folder: Path, plugins: Sequence[str]) -> Handler:
    """Set up a worker process with documents and plug-in files."""
    for file in plugins:
        registry.load_file(file)
    return lambda job, send: send(attempt(job, corpora, folder))
