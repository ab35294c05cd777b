"""What can go wrong with a document: one root, so that callers can catch everything of caspipe's by one name."""

from typing import ClassVar


class CaspipeError(Exception):
    """Root of every error caspipe raises on purpose. Its message never holds text of a document."""

    reason: ClassVar[str] = "error"
    """Code of what befell a document, for quarantine, ledger and metrics: error, unreadable, leak, time, memory, crash ..."""


class CasError(CaspipeError, ValueError):
    """A view, type or annotation is not what the operation needs."""


class TypeSystemError(CaspipeError, ValueError):
    """A type system is malformed, or two of them contradict each other."""


class FormatError(CaspipeError, ValueError):
    """A file is not what its format says. Names file, line and column where they are known."""


class CaspipeWarning(UserWarning):
    """Something a person should know about a run. Like the errors, it never quotes a document, so its text may be shown.

    Of any other warning only the class and the line of code are shown: its text may quote a document.
    """


def warning_text(message: Warning | str, category: type[Warning], filename: str, line: int) -> str:
    """What may be shown of a warning."""
    if issubclass(category, CaspipeWarning):
        return str(message)
    return f"{category.__name__} from {filename.replace(chr(92), '/').rpartition('/')[2]}:{line}"
