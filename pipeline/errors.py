"""What can go wrong in a pipeline, and how it is said: where, what was expected, what was found, the nearest right name."""

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
    """`; did you mean X?` for the closest choice, else an empty string."""
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
    """A reader cannot go on: a folder that is not there, a file that is not what it should be."""

    reason = "unreadable"


class DuplicateError(ReaderError):
    """A document has an id that another one had before."""

    reason = "duplicate"


class ConsumerError(CaspipeError):
    """A consumer cannot write."""

    reason = "output"


class OutputError(ConsumerError):
    """Nothing can be written any more: a full disk, a folder that became read-only. The run cannot go on."""


class UndeclaredError(CasError):
    """A component made what it does not declare."""

    reason = "undeclared"


class TimeLimitError(CaspipeError):
    """A document or a component took longer than its limit."""

    reason = "time"


class ComponentError(CaspipeError):
    """A component failed on one document. Holds the document's number and the component, never the text.

    `cause` is the class name of what was raised; its message is kept only where caspipe itself wrote it, because other
    messages may quote the document.
    """

    def __init__(self, component: str, cause: BaseException) -> None:
        self.component = component
        self.cause = type(cause).__name__
        self.fatal: bool = isinstance(cause, OutputError) or getattr(cause, "fatal", False)
        """Whether the run cannot go on."""
        self.code: str = "memory" if isinstance(cause, MemoryError) else "error"
        """Reason code of what befell the document."""
        if not isinstance(cause, Exception):  # `exit()`: a worker would be gone
            self.code = "crash"
        elif isinstance(cause, CaspipeError):
            self.code = cause.code if isinstance(cause, ComponentError) else cause.reason
        own = f": {cause}" if isinstance(cause, CaspipeError) else _place(cause)
        super().__init__(f"{component}: {self.cause}{own}")


def _place(error: BaseException) -> str:
    """The line of code that raised, which is all that can be shown of a foreign error."""
    trace = error.__traceback__
    if trace is None:
        return ""
    while trace.tb_next is not None:
        trace = trace.tb_next
    return f" at {PurePath(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"


@contextmanager
def guarded(component: str) -> Iterator[None]:
    """Errors we raise on purpose pass; of any other only class and place are told (ComponentError)."""
    try:
        yield
    except CaspipeError:
        raise
    except Exception as error:
        raise ComponentError(component, error) from None
