"""Read the structure of caspipe off its source: modules, imports, definitions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOPS = ("typesystem", "pipeline", "annotators", "readers", "consumers")


@dataclass(frozen=True)
class Import:
    """One import of our own code: the imported module, the line, and if it is inside a function."""

    module: str
    line: int
    inside_function: bool


@dataclass(frozen=True)
class Module:
    """One source file."""

    name: str
    path: Path
    is_package: bool

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def package(self) -> str:
        return self.name if self.is_package else self.name.rpartition(".")[0]


def modules(root: Path = ROOT) -> dict[str, Module]:
    """Return every module of caspipe by dotted name, without the leading `caspipe.`."""
    found = {}
    for top in TOPS:
        for path in sorted((root / top).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            is_package = parts[-1] == "__init__"
            name = ".".join(parts[:-1] if is_package else parts)
            found[name] = Module(name, path, is_package)
    return found


def imports(module: Module, known: dict[str, Module]) -> list[Import]:
    """Return the imports of our own modules, those for type checkers and inside functions included."""
    return [
        Import(target, node.lineno, inside)
        for node, inside in _import_nodes(module.tree, False)
        for target in _targets(node, module, known)
        if target != module.name
    ]


def _import_nodes(node: ast.AST, inside: bool) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, inside
        else:
            yield from _import_nodes(child, inside or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef))


def _targets(node: ast.Import | ast.ImportFrom, module: Module, known: dict[str, Module]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            name = alias.name.removeprefix("caspipe.")
            if name != alias.name and name in known:
                yield name
        return
    if node.level:
        base = module.package.split(".")
        base = base[: len(base) - node.level + 1]
        start = ".".join([*base, *([node.module] if node.module else [])])
    elif (node.module or "").startswith("caspipe"):
        start = (node.module or "").removeprefix("caspipe").removeprefix(".")
    else:
        return
    for alias in node.names:
        below = f"{start}.{alias.name}".strip(".")
        if below in known:
            yield below
        elif start in known:
            yield start


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the strongly connected components with more than one module (Tarjan 1972)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in sorted(graph[name]):
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            start = stack.index(name)
            if len(stack) - start > 1:
                found.append(sorted(stack[start:]))
            del stack[start:]

    for name in sorted(graph):
        if name not in index:
            visit(name)
    return found
