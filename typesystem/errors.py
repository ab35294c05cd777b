"""The errors of the CAS, with one base class for every error of caspipe, and what may be shown of other errors."""

import re
import sys
from pathlib import Path
from typing import ClassVar

_SOURCE = re.compile(r"[\w.-]{1,100}")


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
    return f"{class_name(category)} from {code_place(filename, line)}"


def class_name(cls: type[BaseException]) -> str:
    """Return the name of an exception class, or of its first base that a module defines under its name.

    A class that is made while a document is processed can have any name, also one with text of the document.
    """
    for base in cls.__mro__:
        found: object = sys.modules.get(base.__module__)
        for part in base.__qualname__.split("."):
            found = getattr(found, part, None)
        if found is base and base.__name__ == base.__qualname__.rpartition(".")[2] and base.__name__.isidentifier():
            return base.__name__
    return "Exception"


def code_place(filename: str, line: int) -> str:
    """Return file and line of code; generated code can have any file name, so only files that exist are named."""
    name = filename.replace("\\", "/").rpartition("/")[2]
    try:
        is_file = Path(filename).is_file()
    except (OSError, ValueError):
        is_file = False
    return f"{name if is_file and _SOURCE.fullmatch(name) else '(generated code)'}:{line}"
