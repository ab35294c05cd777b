"""Arguments and options that several commands share, the completion of their values, and what they name."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Annotated

import typer

from ....typesystem.garbage_collection import garbage_collection_paused
from ...assembly import shipped
from ...contract import registry
from ...errors import ConfigError, Fault, nearest
from ...packaging.loading import VERIFY_VARIABLE, BundleWarning, looks_like_package
from ...pipeline import Pipeline
from ...storage.secrets import warn_of_command_line
from ...storage.shipped_corpora import PREFIX, corpora

Completion = Callable[[str], list[str]]


def choices(*names: str) -> Completion:
    """Return the completion of an option that takes one of the given words."""
    return lambda incomplete: [n for n in names if n.startswith(incomplete)]


def shipped_configs(incomplete: str) -> list[str]:
    return choices(*shipped.names())(incomplete)


def shipped_corpora(incomplete: str) -> list[str]:
    return choices(*(f"{PREFIX}{name}" for name in corpora()))(incomplete)


def component_names(incomplete: str) -> list[str]:
    return choices(*(c.name for c in registry.components()))(incomplete)


def reader_names(incomplete: str) -> list[str]:
    return choices(*(c.name for c in registry.components() if c.role == "reader"))(incomplete)


def consumer_names(incomplete: str) -> list[str]:
    return choices(*(c.name for c in registry.components() if c.role == "consumer"))(incomplete)


Config = Annotated[
    str,
    typer.Argument(metavar="CONFIG", help="YAML file, or the name of a shipped one.", autocompletion=shipped_configs),
]
SourcePath = Annotated[
    Path | None,
    typer.Argument(
        metavar="SOURCE", help="Folder, archive or file to read, instead of those in CONFIG.", show_default=False
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME.PARAM=VALUE", help="Override a parameter; repeatable."),
]
Plugin = Annotated[
    list[Path] | None, typer.Option("--plugin", metavar="FILE.py", help="Python file with your own components.")
]
Verify = Annotated[
    Path | None,
    typer.Option(
        "--verify", metavar="PUBLIC", help="Public key that a package must be signed with.", show_default=False
    ),
]
Surrogates = Annotated[
    bool,
    typer.Option(
        "--surrogates",
        help="Write realistic surrogates, not placeholders; needs the key. As `--set masker.surrogates=true`.",
    ),
]
Pages = Annotated[
    bool,
    typer.Option(
        "--html",
        help="Write a page for each document in restricted/html, original and masked text side by side. As `--set "
        "consumers.html={}`.",
    ),
]
SiteFile = Annotated[
    Path | None,
    typer.Option("--site", metavar="FILE", help="List of words that are never or always PHI: YAML, CSV or TSV."),
]
Trust = Annotated[
    bool,
    typer.Option("--trust", help="Do not confine a package that is not signed by a trusted key; its plug-ins run."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")]
NoProgress = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]
Kinds = Annotated[
    list[str] | None,
    typer.Option(metavar="LABEL=KIND", help="Meaning of a label in the files; `LABEL=` drops it; repeatable."),
]
JsonFile = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Also write the results as JSON.")]


def load_plugins(files: list[Path] | None) -> None:
    """Register the components of Python files."""
    for file in files or []:
        registry.load_file(str(file))


@garbage_collection_paused()
def load(
    config: str,
    overrides: list[str] | None,
    plugins: list[Path] | None,
    verify: Path | None = None,
    *,
    trust: bool = False,
) -> Pipeline:
    """Load a pipeline from a file or by the name of a shipped one."""
    load_plugins(plugins)
    file = shipped.locate(config)
    say_trusted(file, verify, trust)
    pipeline = Pipeline.load(file, overrides or [], verify=verify, trust=trust)
    warn_of_command_line([*pipeline.engines, *pipeline.consumers])
    return pipeline


def overrides_of(
    set_: list[str] | None,
    *,
    source: Path | None = None,
    site: Path | None = None,
    surrogates: bool = False,
    html: bool = False,
) -> list[str]:
    """Return the overrides of `--set`, with those that SOURCE, `--site`, `--surrogates` and `--html` stand for.

    Raises ConfigError if SOURCE does not exist.
    """
    given = [*_reading(source), *(["consumers.html={}"] if html else []), *(set_ or [])]
    if site is not None:
        given.append(f"site.lists={json.dumps(str(site))}")
    return [*given, "masker.surrogates=true"] if surrogates else given


def _reading(source: Path | None) -> list[str]:
    """Return the overrides that make the reader of a pipeline read another folder, archive or file."""
    if source is None:
        return []
    if not source.exists():
        near = sorted(p.name for p in source.parent.iterdir()) if source.parent.is_dir() else []
        raise ConfigError([Fault("SOURCE", f"no such file or folder{nearest(source.name, near)}", str(source))])
    used, unused = ("folder", "files") if source.is_dir() else ("files", "folder")
    return [f"reader.{used}={json.dumps(str(source))}", f"reader.{unused}=null"]


def say_trusted(file: Path, verify: Path | None, trust: bool) -> None:
    """Say that a package is trusted because of `--trust`."""
    if trust and verify is None and VERIFY_VARIABLE not in os.environ and looks_like_package(file):
        warnings.warn(
            f"{file}: not confined because of --trust; it is not signed by a trusted key", BundleWarning, stacklevel=2
        )


def kinds_faults(kinds: list[str]) -> list[Fault]:
    """Return the faults of the values of `--kinds`."""
    return [Fault(f"--kinds {k}", "expected LABEL=KIND") for k in kinds if "=" not in k or k.startswith("=")]


def name_faults(option: str, what: str, values: list[str], known: Collection[str]) -> list[Fault]:
    """Return the faults of an option's values that are not among the known names. `what`: `no level`, for example."""
    among = f"; expected one of {', '.join(known)}"
    return [Fault(option, f"{what} called {v!r}{nearest(v, known) or among}") for v in values if v not in known]


def word_faults(name: str, value: str, known: tuple[str, ...]) -> list[Fault]:
    """Return the fault of a value that is not among the words of its option."""
    message = f"expected one of {', '.join(known)}, got {value}{nearest(value, known)}"
    return [Fault(name, message)] if value not in known else []
