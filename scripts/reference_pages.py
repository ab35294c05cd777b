"""Generate the reference pages of the documentation site from the code.

    python scripts/reference_pages.py FOLDER        write the pages to a folder, to look at them

`mkdocs` calls `pages` through `scripts/mkdocs_hook.py`, so the generated pages are never stored in the repository.
"""

from __future__ import annotations

import importlib
import inspect
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from estimator_checks import page as estimator_checks_page

from caspipe.annotators.sequence import features
from caspipe.annotators.sequence.feature import Feature, FormFeature, ValueFeature
from caspipe.pipeline.application.cli.main import app
from caspipe.pipeline.assembly.assemble import RunOptions
from caspipe.pipeline.assembly.schema import pipeline_schema
from caspipe.pipeline.contract import params, registry
from caspipe.pipeline.contract.component import (
    AnalysisEngine,
    Annotator,
    CasConsumer,
    CollectionReader,
    Component,
    Part,
)
from caspipe.pipeline.contract.type_hints import inner_classes
from caspipe.typesystem import HIPAA, POLICIES, PhiKind

PAGES = {
    "readers": ("Readers", (CollectionReader,)),
    "engines": ("Annotators and engines", (Annotator, AnalysisEngine)),
    "consumers": ("Consumers", (CasConsumer,)),
}
GENERATED = "This page is generated from the code. `caspipe describe NAME` prints the same in a terminal."


def pages() -> dict[str, str]:
    """Return path below `docs/` -> content of every generated page."""
    made = {f"reference/{name}.md": component_page(title, roles) for name, (title, roles) in PAGES.items()}
    return made | {
        "reference/parts.md": parts_page(),
        "reference/kinds.md": kinds_page(),
        "reference/command-line.md": command_line_page(),
        "reference/run-options.md": run_options_page(),
        "reference/estimator-checks.md": estimator_checks_page(),
        "reference/caspipe.schema.json": json.dumps(pipeline_schema(), indent=1) + "\n",
    }


def components(roles: tuple[type[Component], ...]) -> list[type[Component]]:
    """Return the components of caspipe that have one of some roles, by name."""
    ours = (c for c in registry.components() if c.__module__.startswith("caspipe."))
    return sorted((c for c in ours if issubclass(c, roles)), key=lambda c: c.name)


def component_page(title: str, roles: tuple[type[Component], ...]) -> str:
    """Return the page of all components of some roles."""
    lines = [f"# {title}", "", GENERATED, ""]
    for cls in components(roles):
        lines += [f"## `{cls.name}`", "", inspect.cleandoc(cls.__doc__ or ""), ""]
        if not issubclass(cls, CasConsumer):
            needs, makes = (", ".join(t.__name__ for t in types) for types in (cls.inputs, cls.outputs))
            lines += [f"Needs: {needs or 'nothing'}. Creates: {makes or 'nothing'}.", ""]
        lines += parameter_table(cls)
    return "\n".join(lines).rstrip() + "\n"


def parts_page() -> str:
    """Return the page of the parts that parameters take: operators, strategies, features, studies."""
    families: dict[type[Part], None] = {}
    for cls in components((Component,)):
        for parameter in params.parameters(cls):
            families |= {c: None for c in inner_classes(parameter.hint) if issubclass(c, Part)}
    lines = ["# Parts", "", "A part is a named piece inside a component, such as a masking operator. " + GENERATED, ""]
    for family in sorted(families, key=lambda f: f.__name__):
        lines += [f"## {family.__name__}", ""]
        for part in registry.parts(family):
            lines += [f"### `{part.name}`", "", inspect.cleandoc(part.__doc__ or ""), "", *parameter_table(part)]
    return "\n".join(lines).rstrip() + "\n"


def run_options_page() -> str:
    """Return the page of the `run:` section of a configuration."""
    lines = ["# Options of a run", "", "The `run:` section of a configuration. " + GENERATED, ""]
    return "\n".join([*lines, *parameter_table(RunOptions)]).rstrip() + "\n"


def parameter_table(cls: type[Any]) -> list[str]:
    """Return a Markdown table of the parameters of a component, part or dataclass."""
    rows = []
    for p in params.parameters(cls):
        default = "required" if p.required else f"`{shown(p.default)}`"
        cells = (f"`{p.name}`", p.type_name.replace("|", "\\|"), default, " ".join(p.doc.split()).replace("|", "\\|"))
        rows.append(f"| {' | '.join(cells)} |".replace("\\\\", "\\"))
    return ["| parameter | type | default | meaning |", "|---|---|---|---|", *rows, ""] if rows else []


def shown(value: Any) -> str:
    """Return a default value as it would be written in YAML."""
    if isinstance(value, Part):
        return value.name
    if isinstance(value, dict) and any(isinstance(v, Part) for v in value.values()):
        return ", ".join(f"{k}: {shown(v)}" for k, v in value.items())
    if isinstance(value, list | tuple) and any(isinstance(v, PhiKind) for v in value):
        return ", ".join(str(v) for v in value)
    return str(value) if value not in ("", [], {}, None) else "none"


def kinds_page() -> str:
    """Return the page of the PHI kinds, their names in other schemes, and what each policy masks."""
    lines = [
        "# PHI kinds",
        "",
        "Generated from `typesystem/phi.py`. *HIPAA* is the letter of 45 CFR 164.514(b)(2)(i); kinds without a letter are",
        "outside Safe Harbor. *Direct* kinds identify a person on their own. The last columns say if a policy masks the kind.",
        "",
        f"| kind | HIPAA | direct | i2b2-2014 | VigiBase | MEDDOCAN | {' | '.join(POLICIES)} | description |",
        "|---|---|---|---|---|---|" + "---|" * (len(POLICIES) + 1),
    ]
    for kind in PhiKind:
        cells = (
            f"**{kind.name}**" if kind.parent is None else kind.name,
            kind.hipaa or "-",
            "yes" if kind.direct else "-",
            f"{kind.in_scheme('i2b2-2014')}: {kind.in_scheme('i2b2-2014-sub')}",
            kind.in_scheme("vigibase"),
            kind.in_scheme("meddocan"),
            *("masks" if p.masks(kind) else "-" for p in POLICIES.values()),
            kind.description,
        )
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "## The 18 identifiers of Safe Harbor", ""]
    lines += [f"- **{letter}** {identifier}" for letter, identifier in HIPAA.items()]
    return "\n".join(lines) + "\n"


def command_line_page() -> str:
    """Return the page of every command with its arguments and options."""
    lines = ["# Command line", "", "Generated from the commands. `caspipe COMMAND --help` prints the same.", ""]
    for path, command in commands(typer.main.get_command(app), "caspipe"):
        if hasattr(command, "list_commands") and not command.invoke_without_command:
            continue
        context = command.context_class(command, info_name=path)
        usage = " ".join(command.collect_usage_pieces(context))
        lines += [f"## `{path}`", "", inspect.cleandoc(command.help or "").replace("\b", ""), ""]
        lines += ["```text", f"{path} {usage}", "```", ""]
        rows = [record for p in command.get_params(context) if (record := option_row(p, context))]
        lines += ["| option | meaning |", "|---|---|", *rows, ""] if rows else []
        if command.epilog:
            lines += [inspect.cleandoc(command.epilog), ""]
    return "\n".join(lines).rstrip() + "\n"


def commands(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield (`caspipe model list`, command) for a command and everything below it, without hidden ones."""
    yield path, command
    if hasattr(command, "list_commands"):
        context = command.context_class(command)
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if child is not None and not child.hidden:
                yield from commands(child, f"{path} {name}")


def option_row(parameter: Any, context: Any) -> str:
    """Return one row of a command's table; an empty string for hidden parameters."""
    if getattr(parameter, "hidden", False):
        return ""
    names = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
    if parameter.param_type_name == "argument":
        names = f"`{parameter.metavar or parameter.name.upper()}`"
    text = " ".join((getattr(parameter, "help", "") or "").split()).replace("|", "\\|")
    return f"| {names} | {text} |"


def feature_tables() -> str:
    """Return one table per module of token features: the features, what they depend on, and their parameters."""
    lines: list[str] = []
    for name in features.__all__:
        module = importlib.import_module(f"{features.__name__}.{name}")
        own = [c for c in vars(module).values() if inspect.isclass(c) and issubclass(c, Feature) and c.name]
        own = [c for c in own if c.__module__ == module.__name__]
        if own:
            lines += [f"### {inspect.cleandoc(module.__doc__ or '').splitlines()[0]}", ""]
            lines += ["| feature | of | meaning | parameters |", "|---|---|---|---|", *map(feature_row, own), ""]
    return "\n".join(lines)


def feature_row(cls: type[Feature]) -> str:
    """Return the table row of one feature."""
    sort = "form" if issubclass(cls, FormFeature) else "number" if issubclass(cls, ValueFeature) else "token"
    text = " ".join(" ".join(p.split()) for p in inspect.cleandoc(cls.__doc__ or "").split("\n\n"))
    given = "; ".join(f"`{p.name}`: {' '.join(p.doc.split())}" for p in params.parameters(cls) if p.name != "window")
    needs = [t.__name__ for t in cls.inputs] + list(cls.sets)
    if needs:
        text += f" Needs: {', '.join(f'`{n}`' for n in needs)}."
    escaped = (cell.replace("|", "\\|") for cell in (text, given or "none"))
    return f"| `{cls.name}` | {sort} | " + " | ".join(escaped) + " |"


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for name, content in pages().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
        print(folder / name)
