"""Errors of pipelines. Messages say where, what was expected, what was found, and the nearest valid name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePath

from ..typesystem.errors import CasError, CaspipeError, FormatError, TypeSystemError

__all__ = [
    "CasError",
    "CaspipeError",
    "ComponentError",
    "ConfigError",
    "ConsumerError",
    "DuplicateError",
    "Fault",
    "FormatError",
    "OutputError",
    "ReaderError",
    "ResourceError",
    "TimeLimitError",
    "TypeSystemError",
    "UndeclaredError",
    "guarded",
    "nearest",
]


def nearest(name: str, choices: Iterable[str]) -> str:
    """Return `; did you mean X?` for the closest choice, or an empty string."""
    close = difflib.get_close_matches(str(name), sorted(choices), 1, 0.6)
    return f"; did you mean {close[0]}?" if close else ""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a configuration: `where` it is (component and parameter), `what` is wrong, and its place in the file."""

    where: str
    what: str
    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.line else f"{self.file}: " if self.file else ""
        return f"{place}{self.where}: {self.what}" if self.where else f"{place}{self.what}"


class ConfigError(CaspipeError, ValueError):
    """A configuration is wrong. `faults` holds every fault found, in file order; the message lists them all."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = list(faults)
        super().__init__("\n".join(map(str, self.faults)))


class ResourceError(CaspipeError):
    """A lexicon, model or rule file is missing, damaged or foreign. Names the file."""


class ReaderError(CaspipeError):
    """A reader cannot continue: a missing folder, or a file with an unexpected format."""

    reason = "unreadable"


class DuplicateError(ReaderError):
    """A document has the id of an earlier one."""

    reason = "duplicate"


class ConsumerError(CaspipeError):
    """A consumer cannot write."""

    reason = "output"


class OutputError(ConsumerError):
    """Nothing can be written any more: the disk is full, or a folder became read-only. The run cannot continue."""


class UndeclaredError(CasError):
    """A component created a type that it does not declare."""

    reason = "undeclared"


class TimeLimitError(CaspipeError):
    """A document or a component took longer than its limit."""

    reason = "time"


class ComponentError(CaspipeError):
    """A component failed on a document. Contains the component and the cause, never the text of the document.

    `cause` is the class name of the exception. Its message is kept only if caspipe wrote it, because other messages may quote
    the document.
    """

    def __init__(self, component: str, cause: BaseException) -> None:
        self.component = component
        self.cause = type(cause).__name__
        self.fatal: bool = isinstance(cause, OutputError) or getattr(cause, "fatal", False)
        """True if the run cannot continue."""
        self.code: str = "memory" if isinstance(cause, MemoryError) else "error"
        """Reason code of the failure."""
        if not isinstance(cause, Exception):  # `exit()`: a worker would be gone
            self.code = "crash"
        elif isinstance(cause, CaspipeError):
            self.code = cause.code if isinstance(cause, ComponentError) else cause.reason
        own = f": {cause}" if isinstance(cause, CaspipeError) else _place(cause)
        super().__init__(f"{component}: {self.cause}{own}")


def _place(error: BaseException) -> str:
    """Return the line of code that raised a foreign error, whose message must not be shown."""
    trace = error.__traceback__
    if trace is None:
        return ""
    while trace.tb_next is not None:
        trace = trace.tb_next
    return f" at {PurePath(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"


@contextmanager
def guarded(component: str) -> Iterator[None]:
    """Let our own errors pass, and turn others into a ComponentError with only their class and line."""
    try:
        yield
    except CaspipeError:
        raise
    except Exception as error:
        raise ComponentError(component, error) from None
