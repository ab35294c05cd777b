"""Errors of pipelines. Messages contain the location, the expected and actual values, and the nearest valid name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ..typesystem.errors import CasError, CaspipeError, FormatError, TypeSystemError, class_name, code_place

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
    """A fault of a configuration. `where`: component and parameter; `what`: the message; `file` and `line`: its position."""

    where: str
    what: str
    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        position = f"{self.file}:{self.line}: " if self.line else f"{self.file}: " if self.file else ""
        return f"{position}{self.where}: {self.what}" if self.where else f"{position}{self.what}"


class ConfigError(CaspipeError, ValueError):
    """A configuration is invalid. `faults` contains all faults in file order; the message lists them."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = list(faults)
        super().__init__("\n".join(map(str, self.faults)))


class ResourceError(CaspipeError):
    """A lexicon, model or rule file is missing, damaged or in an unknown format. The message names the file."""


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
    """The output is not writable, such as a full disk or a read-only folder. The run cannot continue."""


class UndeclaredError(CasError):
    """A component created a type that it does not declare."""

    reason = "undeclared"


class TimeLimitError(CaspipeError):
    """A document or a component took longer than its limit."""

    reason = "time"


class ComponentError(CaspipeError):
    """A component failed on a document. The message contains the component and the cause, but no document text.

    `cause` is the class name of the exception. Its message is included only for errors of caspipe, because other messages may
    contain document text.
    """

    def __init__(self, component: str, cause: BaseException) -> None:
        self.component = component
        self.cause = class_name(type(cause))
        self.fatal: bool = isinstance(cause, OutputError) or getattr(cause, "fatal", False)
        """True if the run cannot continue."""
        self.code: str = "memory" if isinstance(cause, MemoryError) else "error"
        """The reason code of the failure."""
        if not isinstance(cause, Exception):  # such as `exit()`, which would end a worker
            self.code = "crash"
        elif isinstance(cause, CaspipeError):
            self.code = cause.code if isinstance(cause, ComponentError) else cause.reason
        details = f": {cause}" if isinstance(cause, CaspipeError) else _code_line(cause)
        super().__init__(f"{component}: {self.cause}{details}")


def _code_line(error: BaseException) -> str:
    """Return the file and line that raised an error whose message must not be shown."""
    trace = error.__traceback__
    if trace is None:
        return ""
    while trace.tb_next is not None:
        trace = trace.tb_next
    return f" at {code_place(trace.tb_frame.f_code.co_filename, trace.tb_lineno)}"


@contextmanager
def guarded(component: str) -> Iterator[None]:
    """Convert errors of other libraries to a ComponentError with only their class and line."""
    try:
        yield
    except CaspipeError:
        raise
    except Exception as error:
        raise ComponentError(component, error) from None
