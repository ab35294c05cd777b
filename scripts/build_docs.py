"""Writes the pages that are made from the code: docs/components.md, docs/kinds.md and docs/caspipe.schema.json.

python scripts/build_docs.py            write them
python scripts/build_docs.py --check    say which are out of date, exit 1 if any
"""

from __future__ import annotations

import inspect
import json
import sys
from pathlib import Path
from typing import Any

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
from caspipe.typesystem import HIPAA, POLICIES, PhiKind

DOCS = Path(__file__).resolve().parent.parent / "docs"
ROLES = {"Readers": CollectionReader, "Annotators": Annotator, "Engines": AnalysisEngine, "Consumers": CasConsumer}


def ours() -> list[type[Component]]:
    return [c for c in registry.components() if c.__module__.startswith("caspipe.")]


def components_page() -> str:
    """Every component with its parameters, and the parts that parameters take."""
    lines = ["# Components", "", "Made by `make docs` from the code; `caspipe describe NAME` prints the same.", ""]
    families: dict[type[Part], None] = {}
    for title, role in ROLES.items():
        lines += [f"## {title}", ""]
        for cls in ours():
            if issubclass(cls, role):
                lines += [f"### `{cls.name}`", "", inspect.cleandoc(cls.__doc__ or ""), ""]
                needs, makes = (", ".join(t.__name__ for t in types) for types in (cls.inputs, cls.outputs))
                lines += (
                    [f"Needs: {needs or 'nothing'}. Makes: {makes or 'nothing'}.", ""]
                    if role is not CasConsumer
                    else []
                )
                lines += parameter_table(cls)
                families |= {
                    c: None for p in params.parameters(cls) for c in params.inner_classes(p.hint) if issubclass(c, Part)
                }
    for family in families:
        lines += [f"## Parts: {family.__name__.lower()}", ""]
        for part in registry.parts(family):
            lines += [f"### `{part.name}`", "", inspect.cleandoc(part.__doc__ or ""), "", *parameter_table(part)]
    return "\n".join(lines).rstrip() + "\n"


def parameter_table(cls: type[Any]) -> list[str]:
    rows = []
    for p in params.parameters(cls):
        default = "required" if p.required else f"`{shown(p.default)}`"
        rows.append(f"| `{p.name}` | {p.type_name} | {default} | {' '.join(p.doc.split())} |".replace("\\", "\\\\"))
    return ["| parameter | type | default | |", "|---|---|---|---|", *rows, ""] if rows else []


def shown(value: Any) -> str:
    if isinstance(value, Part):
        return value.name
    if isinstance(value, dict) and any(isinstance(v, Part) for v in value.values()):
        return ", ".join(f"{k}: {shown(v)}" for k, v in value.items())
    if isinstance(value, list | tuple) and any(isinstance(v, PhiKind) for v in value):
        return ", ".join(str(v) for v in value)
    return str(value) if value not in ("", [], {}, None) else "none"


def kinds_page() -> str:
    """The taxonomy with its place in other schemes, and what each policy masks."""
    lines = [
        "# PHI kinds",
        "",
        "Made by `make docs` from `typesystem/phi.py`. HIPAA: the letter of 45 CFR 164.514(b)(2)(i); a kind without one lies",
        "outside Safe Harbor. Direct: identifies a person on its own. The last columns: does the policy mask it?",
        "",
        f"| kind | HIPAA | direct | i2b2-2014 | VigiBase | MEDDOCAN | {' | '.join(POLICIES)} | |",
        "|---|---|---|---|---|---|" + "---|" * (len(POLICIES) + 1),
    ]
    for kind in PhiKind:
        i2b2 = f"{kind.in_scheme('i2b2-2014')}: {kind.in_scheme('i2b2-2014-sub')}"
        policies = " | ".join("masks" if p.masks(kind) else "-" for p in POLICIES.values())
        name = f"**{kind.name}**" if kind.parent is None else kind.name
        cells = (
            name,
            kind.hipaa or "-",
            "yes" if kind.direct else "-",
            i2b2,
            kind.in_scheme("vigibase"),
            kind.in_scheme("meddocan"),
        )
        lines.append(f"| {' | '.join(cells)} | {policies} | {kind.description} |")
    lines += ["", "## The 18 identifiers of Safe Harbor", ""]
    lines += [f"- **{letter}** {what}" for letter, what in HIPAA.items()]
    return "\n".join(lines) + "\n"


def pages() -> dict[Path, str]:
    return {
        DOCS / "components.md": components_page(),
        DOCS / "kinds.md": kinds_page(),
        DOCS / "caspipe.schema.json": json.dumps(pipeline_schema(), indent=1) + "\n",
    }


def main() -> int:
    stale = [path for path, text in pages().items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv:
        for path in stale:
            print(f"{path.name} is out of date: run make docs")
        return bool(stale)
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
        print(path.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
