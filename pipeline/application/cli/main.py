"""The entry point `caspipe`: it imports the module of the command that was called, and no other."""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import sys
import traceback
from collections.abc import Iterator
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from ....typesystem.errors import class_name
from ....typesystem.garbage_collection import start_garbage_collection
from ...storage.kept_regexes import KEPT
from .plain_arguments import PlainParameters

COMMANDS = {
    "init": ("project", "Write a project: a commented pipeline, a key, a sample note, and a README."),
    "run": ("run", "Run a pipeline: reader, engines, consumers."),
    "status": ("run", "Show the progress of a run: documents done, failures by reason, speed."),
    "retry": (
        "run",
        "Run a pipeline again for documents that were not released, and for those that have changed since.",
    ),
    "merge": ("run", "Combine the parts of a run that `caspipe run --shard` made."),
    "show": ("project", "Print a shipped pipeline or one of yours."),
    "annotate": ("annotate", "Find PHI in one text and show it, colored on a terminal."),
    "list": ("components", "List every component, shipped and plugged in."),
    "describe": ("components", "Explain a component: what it reads and makes, and its parameters."),
    "validate": ("components", "Assemble a pipeline and run the examples of its rule files; read no document."),
    "schema": ("components", "Print the JSON Schema of configurations, for completion in editors."),
    "typesystem": ("components", "Print the UIMA type system of every known component as XML."),
    "new": ("components", "Write the skeleton of a plug-in: the component and its test."),
    "check": ("components", "Run the contract battery over the components of modules."),
    "why": ("annotate", "Explain what was found at one offset of a text, which candidate won, and why."),
    "evaluate": ("evaluate", "Score a pipeline, or the annotations of another system, against a reference."),
    "experiment": (
        "experiment",
        "Run or resume an experiment such as a cross-validation, a learning curve or a comparison.",
    ),
    "synthesize": (
        "synthesize",
        "Write synthetic narratives with their PHI spans. Document i of a seed is always the same.",
    ),
    "convert": (
        "convert",
        "Read documents with any reader and write them with any consumer, without finding or masking PHI.",
    ),
    "view": ("view", "Write a page with the original and masked text of one document, and the source of each span."),
    "diff": ("diff", "Compare two annotated collections of the same documents, span by span."),
    "doctor": ("doctor", "Run INCEpTION's import checks: errors are what it rejects, warnings what it drops silently."),
    "selftest": ("selftest", "Attack the own installation and configuration with planted notes."),
    "pack": (
        "pack",
        "Pack a pipeline: configuration, models, lexicons, rules, plug-ins, type system, and the hash of each.",
    ),
    "review": ("review", "Open a page in the browser to check, correct and complete annotations."),
    "release": ("release", "Release the documents of a run with the decisions of their review."),
    "serve": ("serve", "Serve a pipeline over HTTP: documents in, masked documents out; suggestions for INCEpTION."),
    "lexicon": ("lexicon", "Lexicons: lists and terminologies that annotators look words up in."),
    "train": ("train", "Train models: `caspipe train CONFIG` runs a training pipeline."),
    "model": ("model", "Models: trained files that `crf`, `svm` and similar annotators apply."),
    "audit": ("audit", "Draw documents to read, bound the leaks, sign the release."),
    "key": ("key", "Keys: a secret for shifts and pseudonyms, a key pair for signatures."),
}
"""Module and summary of each command, in the order of the help. With the summaries here the help imports no command."""


class Dispatcher(PlainParameters, TyperGroup):
    """A group that imports a command when it is called; help and completion show the summaries above."""

    listing = False

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = dict.fromkeys(COMMANDS)  # type: ignore[assignment]  # names only, see `get_command`

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        module, summary = COMMANDS[cmd_name]
        if self.listing:
            return TyperCommand(cmd_name, help=summary)
        return load_command(module, cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        with self._listing():
            super().format_help(ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        with self._listing():
            return super().shell_complete(ctx, incomplete)

    @contextlib.contextmanager
    def _listing(self) -> Iterator[None]:
        self.listing = True
        try:
            yield
        finally:
            self.listing = False


def load_command(module: str, name: str) -> Any:
    """Import a module and return its command: one of several in its application, or the application itself as a group."""
    app = importlib.import_module(f".{module}", __package__).app
    group = typer.main.get_group(app)
    start_garbage_collection()
    return group if app.info.name == name else group.commands[name]


app = typer.Typer(
    cls=Dispatcher,
    name="caspipe",
    help="UIMA for Python: pipelines from YAML around one CAS; de-identification of clinical narratives.",
    epilog="Exit codes: 0 all documents released; 2 wrong configuration or usage; 3 some documents quarantined or skipped; "
    "4 the run failed; 130, 143 or 129 interrupted by Ctrl-C, SIGTERM or SIGHUP.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"caspipe {version('caspipe')}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line."""
    gc.disable()  # until the command is imported
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal or pipe that is not UTF-8 gets escapes, not a crash
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except Exception as error:
        _report_bug(error)
        sys.exit(1)
    finally:
        KEPT.save()


def _report_bug(error: Exception) -> None:
    """Print where an unexpected error was raised, but not its message, which may quote a document."""
    lines = traceback.format_tb(error.__traceback__)
    sys.stderr.write(
        f"Traceback (most recent call last):\n{''.join(lines)}{class_name(type(error))}: (message withheld)\n"
    )


if __name__ == "__main__":
    main()
