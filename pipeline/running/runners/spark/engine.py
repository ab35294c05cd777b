"""On an executor: the engine of a Python worker, loaded once from the package and kept between tasks."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from .....typesystem.errors import class_name
from ....assembly.assembly import Assembly
from ....errors import ResourceError
from ....packaging.loading import VERIFY_VARIABLE, load_package
from ..work import Failed, Item, Result, Work, read_again
from .shipping import Ticket, manifest_of

E = TypeVar("E")

_MOST = 2
"""Limit of engines that a worker keeps."""
_ENGINES: dict[str, Any] = {}


def engine(ticket: Ticket, make: Callable[[], E]) -> E:
    """Return what `make` created for this ticket, now or in an earlier task of this worker."""
    known: E | None = _ENGINES.get(ticket.token)
    if known is None:
        while len(_ENGINES) >= _MOST:
            _ENGINES.pop(next(iter(_ENGINES))).close()
        known = _ENGINES[ticket.token] = make()
    return known


def load_assembly(ticket: Ticket) -> Assembly:
    """Load the package of a ticket without opening it. Raises ResourceError if its manifest is not the expected one."""
    from pyspark import SparkFiles

    path = Path(SparkFiles.get(ticket.file))
    digest, _ = manifest_of(path)
    if digest != ticket.digest:
        raise ResourceError(f"{ticket.file}: expected a manifest with SHA-256 {ticket.digest}, found {digest}")
    given: Mapping[str, str] = ticket.variables.value if ticket.variables is not None else {}
    # the driver guarantees the package by its hash, and checked its signature if one was required
    with _environment(given, [VERIFY_VARIABLE]):
        return Assembly.from_config(load_package(path, trust=True))


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
    """Processes documents and catches components that try to end the process, to report them by name."""

    def __init__(self, assembly: Assembly) -> None:
        self._step = -1
        self._names = assembly.step_names

    def watch(self, component: int, size: int) -> None:
        """Note the start of a component."""
        self._step = component

    def do(self, work: Work, item: Item, attempts: int = 1) -> Result:
        """Return the result of `work.do`, also if a component called `sys.exit`."""
        try:
            return work.do(item, attempts)
        except (SystemExit, KeyboardInterrupt, GeneratorExit) as error:
            name = self._names[self._step] if self._step >= 0 else work.assembly.reader_name
            cause = class_name(type(error))
            failed = Failed(name, cause, f"{name}: {cause}: it tried to end its worker", "crash")
            text, kept, content = read_again(work.assembly, item, work.salt)
            return Result(item.number, item.id, content, failed=failed, text=text, kept=kept, attempts=attempts)
