"""Imports go down only: the floors of docs/explanation/architecture.md, read off the source."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONTRACT = {
    "leaks",
    "digests",
    "file_names",
    "hashing",
    "keys",
    "component",
    "registry",
    "params",
    "resources",
    "errors",
    "yaml_source",
    "files",
    "database",
    "spark_session",
}
ASSEMBLY = {
    "bundle",
    "ledger",
    "limits",
    "observing",
    "dependencies",
    "imports",
    "effective",
    "signing",
    "config",
    "assemble",
    "chain",
    "aggregate",
    "schema",
    "report",
    "quarantine",
    "pipeline",
    "run",
    "contract",
    "skeleton",
    "shipped",
}
FORBIDDEN = {"util", "utils", "helper", "helpers", "manager", "base", "common", "misc"}


def floor(parts: tuple[str, ...]) -> tuple[int, str]:
    """The floor of a module and its wing."""
    top = parts[0]
    if top == "typesystem":
        return 0, top
    if top in ("annotators", "readers", "consumers"):
        return 3, top
    if top == "pipeline":
        name = parts[1] if len(parts) > 1 else "__init__"
        if name in CONTRACT or name == "__init__":
            return 2, top
        if name in ASSEMBLY or name == "runners":
            return 4, top
        return 5, top
    return 6, top


def modules() -> list[tuple[tuple[str, ...], Path]]:
    found = []
    for top in ("typesystem", "pipeline", "annotators", "readers", "consumers"):
        for path in sorted((ROOT / top).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found.append((parts[:-1] if parts[-1] == "__init__" else parts, path))
    return found


def imports(parts: tuple[str, ...], path: Path) -> set[tuple[str, ...]]:
    """Modules of ours that a module imports, also inside functions; imports for type checkers do not count."""
    package = parts if path.stem == "__init__" else parts[:-1]
    found: set[tuple[str, ...]] = set()

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            return
        if isinstance(node, ast.ImportFrom) and node.level:
            start = package[: len(package) - node.level + 1]
            target = start + tuple((node.module or "").split(".")) if node.module else start
            if target:
                found.add(target)
            else:
                found.update((alias.name,) for alias in node.names)
            if target and len(target) == 1:
                found.update(
                    (*target, alias.name) for alias in node.names if (ROOT / target[0] / f"{alias.name}.py").exists()
                )
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("caspipe."):
            found.add(tuple((node.module or "").split(".")[1:]))
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(ast.parse(path.read_text(encoding="utf-8")))
    return found


def test_imports_go_down_only() -> None:
    wrong = []
    for parts, path in modules():
        own, wing = floor(parts)
        for target in sorted(imports(parts, path)):
            other, other_wing = floor(target)
            up = other > own
            across = own == other == 3 and wing != other_wing
            lexicon_cli = parts[-1] == "cli_lexicon"
            if (up or across) and not lexicon_cli:
                wrong.append(f"{'.'.join(parts)} imports {'.'.join(target)}")
    assert not wrong


def test_the_contract_does_not_know_components_by_name() -> None:
    for parts, path in modules():
        if floor(parts)[0] == 4:
            assert not {t for t in imports(parts, path) if t[0] in ("annotators", "readers", "consumers")}, path


def test_no_module_is_a_drawer() -> None:
    assert not [path for parts, path in modules() if FORBIDDEN & set(parts)]
