"""On an executor: the engine of a Python worker, made once from the bundle and kept from task to task."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ....errors import ResourceError
from ....packaging.loading import CODE_VARIABLE, VERIFY_VARIABLE
from ..work import Failed, Item, Result, Work, read_again
from .shipping import described

if TYPE_CHECKING:
    from ....pipeline import Pipeline
    from .shipping import Ticket

E = TypeVar("E")

_MOST = 2
"""Engines that a worker keeps."""
_ENGINES: dict[str, Any] = {}


def engine(ticket: Ticket, make: Callable[[], E]) -> E:
    """What `make` made for this ticket, now or in an earlier task of this worker."""
    found: E | None = _ENGINES.get(ticket.token)
    if found is None:
        while len(_ENGINES) >= _MOST:
            _ENGINES.pop(next(iter(_ENGINES))).close()
        found = _ENGINES[ticket.token] = make()
    return found


def pipeline_of(ticket: Ticket) -> Pipeline:
    """The pipeline in the bundle that a ticket is for, not open. Raises ResourceError where another bundle lies in its place."""
    from pyspark import SparkFiles

    from ....pipeline import Pipeline

    path = Path(SparkFiles.get(ticket.file))
    found, _ = described(path)
    if found != ticket.digest:
        raise ResourceError(f"{ticket.file}: expected a manifest with SHA-256 {ticket.digest}, found {found}")
    given: Mapping[str, str] = ticket.variables.value if ticket.variables is not None else {}
    # whoever sent the task vouches for the bundle by its hash, and checked its signature where one was asked for
    with _environment({**given, CODE_VARIABLE: "allow"}, [VERIFY_VARIABLE]):
        return Pipeline.load(path)


@contextlib.contextmanager
def _environment(given: Mapping[str, str], without: list[str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in (*given, *without)}
    os.environ.update(given)
    for name in without:
        os.environ.pop(name, None)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


class Careful:
    """Work that knows where it is, so that a component which ends the process can be named in place of the process's end."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._at = -1
        self._parts = [e.id for e in pipeline.engines] + [f"consumers/{c.id}" for c in pipeline.consumers]

    def watch(self, component: int, size: int) -> None:
        """Takes note of the step that begins."""
        self._at = component

    def do(self, work: Work, item: Item, attempts: int = 1) -> Result:
        """The result of `work.do`, also where a component called `sys.exit`."""
        try:
            return work.do(item, attempts)
        except (SystemExit, KeyboardInterrupt, GeneratorExit) as error:
            name = self._parts[self._at] if self._at >= 0 else work._reader_id()
            cause = type(error).__name__
            failed = Failed(name, cause, f"{name}: {cause}: it tried to end its worker", "crash")
            text, content = read_again(work.pipeline, item, work.salt)
            return Result(item.number, item.id, content, failed=failed, text=text, attempts=attempts)
