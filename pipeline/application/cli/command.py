"""The parts that all commands share: the application they register with, exit codes, and how errors and warnings are reported."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
import warnings
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TextIO, TypeVar

import typer

from ....typesystem.errors import warning_text
from ...errors import CaspipeError, ConfigError, ResourceError
from .plain_arguments import PlainCommand

EXIT_DIFFERENT = 1
EXIT_CONFIG = 2
EXIT_INCOMPLETE = 3
EXIT_FAILED = 4
EXIT_INTERRUPTED = 130

P = ParamSpec("P")
R = TypeVar("R")


class CommandApp(typer.Typer):
    """A Typer application whose commands report our errors as messages and exit codes, and list their examples."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"rich_markup_mode": "markdown", **options})

    def command(  # type: ignore[override]  # the parameters that we use
        self, name: str | None = None, *, epilog: str | None = None, **options: Any
    ) -> Callable[[Callable[P, R]], Callable[P, R]]:
        """Register a command; `epilog` has its examples."""
        options = {"cls": PlainCommand, **options}
        register = super().command(name, epilog=epilog and list_examples(epilog), **options)

        def add(function: Callable[P, R]) -> Callable[P, R]:
            register(report_errors(function))
            return function

        return add


def report_errors(function: Callable[P, R]) -> Callable[P, R]:
    """Turn the errors we raise on purpose into a message and an exit code; other exceptions are bugs and keep their trace."""

    @wraps(function)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("default", UserWarning)
                warnings.showwarning = _warn
                return function(*args, **kwargs)
        except ConfigError as error:
            complain("\n".join(map(str, error.faults)))
            raise typer.Exit(EXIT_CONFIG) from None
        except CaspipeError as error:
            complain(str(error))
            raise typer.Exit(EXIT_FAILED) from None
        except BrokenPipeError:
            raise typer.Exit(0) from None

    return wrapped


def _warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: Any = None,
    line: str | None = None,
) -> None:
    text = f"warning: {warning_text(message, category, filename, lineno)}"
    typer.secho(text, err=True, fg=color(typer.colors.YELLOW, sys.stderr))


def list_examples(epilog: str) -> str:
    """Return an epilog with its examples as a Markdown list: `a` | `b` on one line reads like a pipe and is hard to copy."""
    examples = re.match(r"(Examples?:) (?=`)", epilog)
    if examples is None:
        return epilog
    commands, _, remark = epilog[examples.end() :].partition("`. ")
    if remark:
        commands += "`"
    items = "".join(f"\n\n- {item}" for item in re.split(r"(?<=[`)]) \| (?=`)", commands))
    return examples[1] + items + (f"\n\n{remark}" if remark else "")


def color(name: str, stream: TextIO) -> str | None:
    """Return the color for a message: none if the stream is not a terminal, or NO_COLOR is set."""
    return name if stream.isatty() and not os.environ.get("NO_COLOR") else None


def complain(message: str) -> None:
    """Print a message on standard error, in red on a terminal."""
    typer.secho(message, err=True, fg=color(typer.colors.RED, sys.stderr))


def require_extra(command: str, extra: str, *modules: str) -> None:
    """Raise ResourceError if modules of an optional extra are not installed. Call it before any work."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        raise ResourceError(f"caspipe {command} needs {' and '.join(missing)}: pip install 'caspipe[{extra}]'")


def folder_size(path: Path) -> int:
    """Return the bytes of a file, or of the files directly in a folder."""
    return sum(f.stat().st_size for f in path.iterdir()) if path.is_dir() else path.stat().st_size
