"""Jobs over cores: trainings first, their tests as soon as they can, finished ones skipped, each result kept at once."""

from __future__ import annotations

import contextlib
import multiprocessing
import shutil
import signal
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, Protocol

from ....typesystem import Cas
from ...contract import registry
from ...errors import CaspipeError
from .job import Job, Training, bundle_folder, reason, stored, work

Corpora = Mapping[str, Sequence[Cas]]


class Progress(Protocol):
    """Told of a batch of jobs: how many there are and how many of them were finished before, then of each one that ends."""

    def batch(self, jobs: int, finished: int) -> None: ...

    def done(self, what: str, failed: bool) -> None: ...


class Silent:
    """Shows nothing."""

    def batch(self, jobs: int, finished: int) -> None: ...

    def done(self, what: str, failed: bool) -> None: ...


class JobScheduler:
    """Runs jobs in `workers` processes, or in this one if it is 1. Results do not depend on their number."""

    def __init__(
        self, folder: Path, corpora: Corpora, workers: int, progress: Progress | None = None, keep_models: bool = False
    ) -> None:
        self.folder = folder
        self.corpora = corpora
        self.workers = workers
        self.progress: Progress = progress or Silent()
        self.keep_models = keep_models
        self.finished: dict[str, dict[str, Any]] = {}
        self.failed: dict[str, str] = {}
        """Why a job failed, by its key."""
        self.trainings: dict[str, Training] = {}
        """Every training asked for, by its key."""
        self.skipped = 0
        """Jobs whose result was there already."""

    def run(self, jobs: Iterable[Job]) -> None:
        """Do the jobs and what they need; results are in `finished`, failures in `failed`.

        Ctrl-C (KeyboardInterrupt) passes on: what was finished stays. Raises CaspipeError if a worker process dies.
        """
        wanted = {job.key: job for job in jobs}
        for job in list(wanted.values()):
            wanted |= _needs(job)
        self.trainings |= {key: job for key, job in wanted.items() if isinstance(job, Training)}
        left: dict[str, Job] = {}
        for key, job in wanted.items():
            if key in self.finished:
                continue
            result = stored(self.folder, job)
            if result is not None:
                self.finished[key] = result
                self.skipped += 1
            else:
                left[key] = job
        for job in list(left.values()):  # a model that was tested before may be gone, and is needed once more
            left |= {
                t.key: t for t in job.needs if isinstance(t, Training) and not bundle_folder(self.folder, t).is_dir()
            }
        ordered = _in_order(left.values())
        self.progress.batch(len(wanted), len(wanted) - len(left))
        uses = _Uses(ordered, self)
        if self.workers == 1:
            for job in ordered:
                self._end(job, self._attempt(job), uses)
        elif ordered:
            try:
                self._in_pool(ordered, uses)
            except BaseException:
                _tidy(self.folder)
                raise
        with contextlib.suppress(OSError):  # not there, or models are kept in it
            (self.folder / "bundles").rmdir()

    def _attempt(self, job: Job) -> dict[str, Any] | str:
        if blocked := self._blocked(job):
            return blocked
        try:
            return work(job, self.corpora, self.folder)
        except Exception as error:
            return reason(error, job)

    def _blocked(self, job: Job) -> str:
        return next((self.failed[t.key] for t in job.needs if t.key in self.failed), "")

    def _end(self, job: Job, result: dict[str, Any] | str, uses: _Uses) -> None:
        if isinstance(result, str):
            self.failed[job.key] = result
        else:
            self.finished[job.key] = result
        self.progress.done(job.model if isinstance(job, Training) else job.system, isinstance(result, str))
        uses.over(job)

    def _in_pool(self, ordered: list[Job], uses: _Uses) -> None:
        waiting = {job.key: job for job in ordered}
        running: dict[Future[dict[str, Any]], Job] = {}
        with _pool(min(self.workers, len(ordered)), self.corpora) as pool:
            while waiting or running:
                for job in _ready(waiting, running):
                    if len(running) > self.workers:
                        break
                    del waiting[job.key]
                    if blocked := self._blocked(job):
                        self._end(job, blocked, uses)
                    else:
                        running[pool.submit(_do, job, self.folder)] = job
                if not running:
                    continue
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    job = running.pop(future)
                    try:
                        result: dict[str, Any] | str = future.result()
                    except BrokenProcessPool:
                        raise CaspipeError(
                            f"a worker process died ({len(self.finished)} jobs are finished and kept): run the same command "
                            "again, with fewer --jobs if memory was short"
                        ) from None
                    except Exception as error:
                        result = reason(error, job)
                    self._end(job, result, uses)


class _Uses:
    """Counts who still needs each bundle, and removes it after the last, unless models are kept."""

    def __init__(self, jobs: Iterable[Job], schedule: JobScheduler) -> None:
        self.schedule = schedule
        self.left: dict[str, int] = {}
        for job in jobs:
            for key in {job.key} if isinstance(job, Training) else {t.key for t in job.needs}:
                self.left[key] = self.left.get(key, 0) + 1

    def over(self, job: Job) -> None:
        for training in [job] if isinstance(job, Training) else job.needs:
            self.left[training.key] = self.left.get(training.key, 1) - 1
            if self.left[training.key] == 0 and not self.schedule.keep_models:
                shutil.rmtree(bundle_folder(self.schedule.folder, training), ignore_errors=True)


def _in_order(jobs: Iterable[Job]) -> list[Job]:
    """Return each job right behind those it needs, so that few bundles lie about at any time."""
    left = {job.key: job for job in jobs}
    made: dict[str, Job] = {}

    def place(job: Job) -> None:
        if job.key not in made:
            for needed in job.needs:
                if needed.key in left:
                    place(needed)
            made[job.key] = job

    for job in left.values():
        place(job)
    return list(made.values())


def _needs(job: Job) -> dict[str, Job]:
    """Return all that a job needs, directly or through others, by key."""
    found: dict[str, Job] = {}
    for needed in job.needs:
        found |= {**_needs(needed), needed.key: needed}
    return found


def _ready(waiting: Mapping[str, Job], running: Mapping[Any, Job]) -> list[Job]:
    """Jobs that wait for no other, tests before trainings."""
    pending = {*waiting, *(job.key for job in running.values())}
    ready = [job for job in waiting.values() if not any(t.key in pending for t in job.needs)]
    return sorted(ready, key=lambda job: isinstance(job, Training))


def _tidy(folder: Path) -> None:
    """Remove what workers were in the middle of writing when they were ended."""
    for file in folder.glob("jobs/.*.tmp"):
        file.unlink(missing_ok=True)
    for part in folder.glob("bundles/.*.part"):
        shutil.rmtree(part, ignore_errors=True)


# -- processes ---------------------------------------------------------------------------------------------------

_CORPORA: Corpora = {}


def _adopt(corpora: Corpora, plugins: Sequence[str]) -> None:
    """Set up a worker with documents and plug-in files: inherited by a fork, else sent once."""
    global _CORPORA
    _CORPORA = corpora
    for file in plugins:
        registry.load_file(file)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends a worker without a word; whole results stay


def _do(job: Job, folder: Path) -> dict[str, Any]:
    try:
        return work(job, _CORPORA, folder)
    except Exception as error:
        raise CaspipeError(reason(error, job)) from None  # what was raised may quote a document, or may not pickle


def _plugins() -> list[str]:
    """Files that `--plugin` loaded."""
    loaded = [m for name, m in sorted(sys.modules.items()) if name.startswith("caspipe_plugin_")]
    return [m.__file__ for m in loaded if m.__file__]


@contextlib.contextmanager
def _pool(workers: int, corpora: Corpora) -> Iterator[ProcessPoolExecutor]:
    """Yield a pool whose processes end with it, at once after an error or Ctrl-C."""
    forks = "fork" in multiprocessing.get_all_start_methods() and threading.active_count() == 1
    context = multiprocessing.get_context("fork" if forks else "spawn")
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_adopt, initargs=(corpora, _plugins()))
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - before:
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
