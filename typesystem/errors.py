"""The errors of the CAS, with one base class for every error of caspipe."""

from typing import ClassVar


class CaspipeError(Exception):
    """Base class of every error that caspipe raises on purpose. Its message never contains text of a document."""

    reason: ClassVar[str] = "error"
    """Why a document failed, for quarantine, ledger and metrics: error, unreadable, leak, time, memory, crash ..."""


class CasError(CaspipeError, ValueError):
    """A view, type or annotation does not fit the operation."""


class TypeSystemError(CaspipeError, ValueError):
    """A type system is malformed, or two of them contradict each other."""


class FormatError(CaspipeError, ValueError):
    """A file does not conform to its format. The message names file, line and column if they are known."""


class CaspipeWarning(UserWarning):
    """Something that a person should know about a run. Its text never quotes a document, so it may be shown.

    Of other warnings, only the class and the line of code are shown: their text may quote a document.
    """


def warning_text(message: Warning | str, category: type[Warning], filename: str, line: int) -> str:
    """Return the part of a warning that may be shown."""
    if issubclass(category, CaspipeWarning):
        return str(message)
    return f"{category.__name__} from {filename.replace(chr(92), '/').rpartition('/')[2]}:{line}"
