"""The scheduler of jobs. A test runs as soon as its trainings are finished; finished jobs are skipped."""

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
from .job import Corpora, Job, Training, bundle_folder, run_job, stored_result


class Progress:
    """Observes batches of jobs. By default, the methods do nothing."""

    def batch(self, jobs: int, finished: int) -> None:
        """Report the number of jobs of a batch, and the number of those that are finished already."""

    def done(self, name: str, failed: bool) -> None:
        """Report the end of a job."""


class JobScheduler:
    """Runs jobs in `workers` processes, or in the current process if it is 1. The number does not affect the results."""

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
        """Error messages by the key of the job."""
        self.trainings: dict[str, Training] = {}
        """All trainings by key."""
        self.skipped = 0
        """Number of jobs with results from an earlier run."""
        self._uses: Counter[str] = Counter()
        """Number of unfinished jobs that create or use the bundle of a training, by its key."""

    def run(self, jobs: Iterable[Job]) -> None:
        """Run the jobs and those they need, and add the results to `finished` and `failed`.

        Raises CaspipeError if a worker process dies. After KeyboardInterrupt, the results of finished jobs are kept.
        """
        required: dict[str, Job] = {}
        for job in jobs:
            required |= {**_needs(job), job.key: job}
        self.trainings |= {key: job for key, job in required.items() if isinstance(job, Training)}
        pending: list[Job] = []
        missing: set[str] = set()
        for job in reversed(required.values()):  # a job comes after the jobs that it needs
            if job.key not in self.finished and (result := stored_result(self.folder, job)) is not None:
                self.finished[job.key] = result
                self.skipped += 1
            # the model of a finished training may have been removed
            if job.key not in self.finished or job.key in missing:
                pending.append(job)
                missing |= {
                    training.key for training in _used(job) if not bundle_folder(self.folder, training).is_dir()
                }
        ordered = pending[::-1]
        self.progress.batch(len(required), len(required) - len(pending))
        self._uses = Counter(training.key for job in ordered for training in _used(job))
        if self.workers == 1:
            for job in ordered:
                self._end(job, self._blocked(job) or run_job(job, self.corpora, self.folder))
        elif ordered:
            try:
                self._in_workers(ordered)
            except BaseException:
                _remove_unfinished(self.folder)
                raise
        with contextlib.suppress(OSError):  # the folder is missing or contains models
            (self.folder / "bundles").rmdir()

    def _blocked(self, job: Job) -> str:
        """Return the error message of a failed job that this job needs; empty if none failed."""
        return next((self.failed[t.key] for t in job.needs if t.key in self.failed), "")

    def _end(self, job: Job, result: dict[str, Any] | str) -> None:
        """Record a result and remove the bundles that no other job uses, unless models are kept."""
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
        """Run jobs in worker processes. The processes are stopped at the end, and on an error or Ctrl-C."""
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
                "again, with fewer --jobs if it ran out of memory"
            ) from None
        finally:
            for worker in workers:
                worker.stop()


def _needs(job: Job) -> dict[str, Job]:
    """Return the direct and indirect dependencies of a job by key, in the order in which they must run."""
    jobs: dict[str, Job] = {}
    for needed in job.needs:
        jobs |= {**_needs(needed), needed.key: needed}
    return jobs


def _used(job: Job) -> Sequence[Training]:
    """Return the trainings whose bundles a job creates or uses."""
    return [job] if isinstance(job, Training) else job.needs


def _ready(waiting: Mapping[str, Job], running: Iterable[Job]) -> list[Job]:
    """Return the jobs whose dependencies are finished, tests before trainings."""
    unfinished = {*waiting, *(job.key for job in running)}
    ready = [job for job in waiting.values() if not any(t.key in unfinished for t in job.needs)]
    return sorted(ready, key=lambda job: isinstance(job, Training))


def _remove_unfinished(folder: Path) -> None:
    """Remove partial files of stopped workers."""
    for file in folder.glob("jobs/.*.tmp"):
        file.unlink(missing_ok=True)
    for part in folder.glob("bundles/.*.part"):
        shutil.rmtree(part, ignore_errors=True)


def _set_up(corpora: Corpora, folder: Path, plugins: Sequence[str]) -> Handler:
    """Return the job handler of a worker process after loading the plug-in files."""
    for file in plugins:
        registry.load_file(file)
    return lambda job, send: send(run_job(job, corpora, folder))
