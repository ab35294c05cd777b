"""What all commands of the command line share: arguments, exit codes, and how errors and warnings are told."""

from __future__ import annotations

import importlib.util
import re
import sys
import warnings
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...errors import CaspipeError, ConfigError, ResourceError

if TYPE_CHECKING:
    from ...pipeline import Pipeline

EXIT_CONFIG = 2
EXIT_INCOMPLETE = 3
EXIT_FAILED = 4
EXIT_INTERRUPTED = 130


def shipped_configs(incomplete: str) -> list[str]:
    from ...assembly.shipped import names

    return [n for n in names() if n.startswith(incomplete)]


def component_names(incomplete: str) -> list[str]:
    from ...contract import registry

    return [c.name for c in registry.components() if c.name.startswith(incomplete)]


def reader_names(incomplete: str) -> list[str]:
    return _of_role("reader", incomplete)


def consumer_names(incomplete: str) -> list[str]:
    return _of_role("consumer", incomplete)


def _of_role(role: str, incomplete: str) -> list[str]:
    from ...contract import registry

    return [c.name for c in registry.components() if c.role == role and c.name.startswith(incomplete)]


def choices(*names: str) -> Callable[[str], list[str]]:
    """Completion of an option that takes one of some words."""
    return lambda incomplete: [n for n in names if n.startswith(incomplete)]


Config = Annotated[
    str,
    typer.Argument(metavar="CONFIG", help="YAML file, or the name of a shipped one.", autocompletion=shipped_configs),
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME.PARAM=VALUE", help="Overrides a parameter; may be given again."),
]
Plugin = Annotated[
    list[Path] | None, typer.Option("--plugin", metavar="FILE.py", help="Python file with components of yours.")
]

Verify = Annotated[
    Path | None,
    typer.Option(
        "--verify", metavar="PUBLIC", help="Public key that a bundle must be signed with.", show_default=False
    ),
]


def guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    """Errors we raise on purpose become their message and an exit code; anything else is a bug and shows its trace."""

    @wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
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
    from ....typesystem.errors import warning_text

    text = f"warning: {warning_text(message, category, filename, lineno)}"
    typer.secho(text, err=True, fg=typer.colors.YELLOW if sys.stderr.isatty() else None)


def one_a_line(app: typer.Typer) -> None:
    """Lists the examples after each help one below the other: `a` | `b` on one line reads like a pipe and is hard to copy."""
    for command in app.registered_commands:
        command.epilog = command.epilog and listed(command.epilog)
    for group in app.registered_groups:
        if group.typer_instance is not None:
            one_a_line(group.typer_instance)


def listed(epilog: str) -> str:
    """The examples of an epilog as a Markdown list, what follows them as a paragraph."""
    examples = re.match(r"(Examples?:) (?=`)", epilog)
    if examples is None:
        return epilog
    told, _, more = epilog[examples.end() :].partition("`. ")
    if more:
        told += "`"
    items = "".join(f"\n\n- {item}" for item in re.split(r"(?<=[`)]) \| (?=`)", told))
    return examples[1] + items + (f"\n\n{more}" if more else "")


def complain(message: str) -> None:
    typer.secho(message, err=True, fg=typer.colors.RED if sys.stderr.isatty() else None)


def need(command: str, extra: str, *modules: str) -> None:
    """Raises ResourceError where the modules that an extra brings are not installed; to be called before any work."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        raise ResourceError(f"caspipe {command} needs {' and '.join(missing)}: pip install 'caspipe[{extra}]'")


def load(config: str, overrides: list[str] | None, plugins: list[Path] | None, verify: Path | None = None) -> Pipeline:
    from ...assembly.shipped import locate
    from ...contract import registry
    from ...pipeline import Pipeline
    from ...storage.secrets import warn_of_command_line

    for plugin in plugins or []:
        registry.load_file(str(plugin))
    made = Pipeline.load(locate(config), overrides or [], verify=verify)
    warn_of_command_line([*made.engines, *made.consumers])
    return made
