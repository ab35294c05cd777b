"""The rules of the architecture: layers, cycles, sizes, private names. Each rule is also shown to fail on a violation."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from source import ROOT, Module, cycles, imports, modules

LAYERS = (
    "typesystem.markup",
    "typesystem",
    "typesystem.xmi",
    "typesystem.json_cas",
    "typesystem.xcas",
    "typesystem.cassis",
    "pipeline.storage",
    "pipeline.contract",
    "annotators",
    "readers",
    "consumers",
    "pipeline.assembly",
    "pipeline.packaging",
    "pipeline.running",
    "annotators.estimators",
    "pipeline.application.evaluation",
    "pipeline.application.training",
    "pipeline.application.experiment",
    "pipeline.application.audit",
    "pipeline.application.review",
    "pipeline.application.selftest",
    "pipeline.application.release",
    "pipeline.application.service",
    "pipeline.application.cli",
)
"""Folders from the bottom up. A module may import from its own folder and from folders above it in this list."""
MODULE_LAYERS = {
    "typesystem": "typesystem.cassis",
    "typesystem.errors": "typesystem.markup",
    "pipeline.errors": "pipeline.storage",
    "pipeline.pipeline": "pipeline.running",
    "pipeline": "pipeline.application.cli",
    "pipeline.application": "pipeline.application.evaluation",
    "pipeline.application.http_server": "pipeline.application.evaluation",
    "pipeline.application.http_protocol": "pipeline.application.evaluation",
}
"""Single modules at the top of a folder, and the layer they belong to. The public packages re-export from every layer."""
PUBLIC_PACKAGES = ("typesystem", "pipeline")
DISPATCHERS = ("pipeline.application.cli.main", "pipeline.application.cli.serve", "pipeline.application.cli.review")
"""Modules that import one command's module, or a server that needs an optional extra, when the command runs."""
LIMITS = {"file": 400, "function": 60, "class": 250}
VAGUE = {"util", "utils", "helper", "helpers", "manager", "base", "common", "misc"}
SHARED_SLOTS = {"typesystem": {"_begin", "_end", "_source", "_sofa"}}
"""Slots of feature structures that modules of one folder set directly: properties would double the time to read a document."""
NOT_PRIVATE = {"_replace", "_asdict", "_fields", "_make", "_exit", "_getframe", "_MISSING_TYPE"}
NOT_PRIVATE |= {
    "_xmi_id_generator",
    "_current_view",
    "_jsc",
    "_Element",
}  # of cassis, PySpark, lxml


def layer(name: str) -> int:
    """Return the position of a module in LAYERS. Raise AssertionError if its folder is not listed."""
    if name in MODULE_LAYERS:
        return LAYERS.index(MODULE_LAYERS[name])
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        prefix = ".".join(parts[:length])
        if prefix in LAYERS:
            return LAYERS.index(prefix)
    raise AssertionError(f"{name}: its folder is not in LAYERS")


def upward_imports(known: dict[str, Module]) -> Iterator[str]:
    """Yield imports that go up, between sibling families, or to a public package from inside it."""
    families = ("annotators", "readers", "consumers")
    above = LAYERS.index("consumers")
    for name, module in known.items():
        for found in imports(module, known):
            top, other = name.split(".")[0], found.module.split(".")[0]
            public = found.module in PUBLIC_PACKAGES and top == found.module
            if found.module == "typesystem" and top != "typesystem":
                continue  # everybody else imports the CAS by its public package
            across = top in families and other in families and top != other and layer(name) <= above
            if layer(found.module) > layer(name) or across or public:
                yield f"{name}:{found.line} imports {found.module}"


def lazy_imports(known: dict[str, Module]) -> Iterator[str]:
    """Yield imports of our own modules inside functions, outside the dispatchers of the command line."""
    for name, module in known.items():
        for found in imports(module, known):
            if found.inside_function and name not in DISPATCHERS:
                yield f"{name}:{found.line} imports {found.module} inside a function"


def import_cycles(known: dict[str, Module]) -> list[list[str]]:
    """Return the groups of modules that import each other, type-only and function-level imports included."""
    return cycles({name: {i.module for i in imports(module, known)} for name, module in known.items()})


def oversized(known: dict[str, Module]) -> Iterator[str]:
    """Yield files, functions and classes that are too long."""
    for name, module in known.items():
        lines = module.text.count("\n")
        if lines > LIMITS["file"]:
            yield f"{name}: {lines} lines"
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                kind = "function"
            elif isinstance(node, ast.ClassDef):
                kind = "class"
            else:
                continue
            length = (node.end_lineno or 0) - node.lineno + 1
            if length > LIMITS[kind]:
                yield f"{name}.{node.name}: {kind} of {length} lines"


def private_access(known: dict[str, Module]) -> Iterator[str]:
    """Yield imports of private names, and private attributes that the module itself does not define."""
    for name, module in known.items():
        own = private_definitions(module)
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").startswith("caspipe")):
                for alias in node.names:
                    if is_private(alias.name) and f"{module.package}.{alias.name}" not in known:
                        yield f"{name}:{node.lineno} imports {alias.name}"
            elif isinstance(node, ast.Attribute) and is_private(node.attr) and node.attr not in own:
                if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
                    continue  # inherited
                if node.attr in SHARED_SLOTS.get(name.split(".")[0], ()):
                    continue
                yield f"{name}:{node.lineno} uses .{node.attr}"


def private_definitions(module: Module) -> set[str]:
    """Return the private names that a module defines or assigns as attributes of `self`."""
    found = set(NOT_PRIVATE)
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            if isinstance(node.value, ast.Name) and node.value.id in ("self", "made", "cls", "new"):
                found.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
            found.add(node.value)  # __slots__
    return found


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_"


KNOWN = modules()


def test_imports_go_down_only() -> None:
    assert list(upward_imports(KNOWN)) == []


def test_no_import_cycle() -> None:
    assert import_cycles(KNOWN) == []


def test_own_modules_are_imported_at_the_top() -> None:
    assert list(lazy_imports(KNOWN)) == []


def test_no_file_function_or_class_is_too_long() -> None:
    assert list(oversized(KNOWN)) == []


def test_no_module_uses_private_names_of_another() -> None:
    assert list(private_access(KNOWN)) == []


def test_the_top_of_pipeline_stays_small() -> None:
    assert len(list((ROOT / "pipeline").glob("*.py"))) <= 5


def test_no_module_has_a_vague_name() -> None:
    assert not [name for name in KNOWN if VAGUE & set(name.split("."))]


def tree(folder: Path, files: dict[str, str]) -> dict[str, Module]:
    """Write source files below a folder and return them as modules."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
        for parent in (folder / name).relative_to(folder).parents:
            if str(parent) != ".":
                (folder / parent / "__init__.py").touch()
    return modules(folder)


def test_an_upward_import_is_found(tmp_path: Path) -> None:
    known = tree(
        tmp_path, {"typesystem/x.py": "from ..pipeline.storage.y import z\n", "pipeline/storage/y.py": "z = 1\n"}
    )
    assert list(upward_imports(known)) == ["typesystem.x:1 imports pipeline.storage.y"]


def test_an_import_across_families_is_found(tmp_path: Path) -> None:
    known = tree(tmp_path, {"readers/x.py": "from ..annotators.y import z\n", "annotators/y.py": "z = 1\n"})
    assert list(upward_imports(known)) == ["readers.x:1 imports annotators.y"]


def test_a_folder_that_is_not_listed_is_found(tmp_path: Path) -> None:
    known = tree(tmp_path, {"pipeline/extra/x.py": "from ..storage.y import z\n", "pipeline/storage/y.py": "z = 1\n"})
    with pytest.raises(AssertionError, match=r"pipeline\.extra\.x: its folder is not in LAYERS"):
        list(upward_imports(known))


@pytest.mark.parametrize(
    "back",
    [
        "from .x import f\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .x import f\n",
        "def g():\n    from .x import f\n    return f\n",
        "def g():\n    import caspipe.readers.x\n",
    ],
)
def test_a_cycle_is_found_however_it_is_hidden(tmp_path: Path, back: str) -> None:
    known = tree(tmp_path, {"readers/x.py": "from .y import g\n", "readers/y.py": back})
    assert import_cycles(known) == [["readers.x", "readers.y"]]


def test_an_import_inside_a_function_is_found(tmp_path: Path) -> None:
    known = tree(tmp_path, {"readers/x.py": "def f():\n    from .y import z\n", "readers/y.py": "z = 1\n"})
    assert list(lazy_imports(known)) == ["readers.x:2 imports readers.y inside a function"]


def test_what_is_too_long_is_found(tmp_path: Path) -> None:
    body = "    x = 1\n"
    text = f"def f():\n{body * 60}class C:\n{body * 250}" + "y = 1\n" * 100
    known = tree(tmp_path, {"readers/x.py": text})
    assert list(oversized(known)) == [
        "readers.x: 412 lines",
        "readers.x.f: function of 61 lines",
        "readers.x.C: class of 251 lines",
    ]


def test_private_names_of_others_are_found(tmp_path: Path) -> None:
    text = (
        "from . import y\nfrom .y import _z\ny._z()\nclass C:\n    def f(self, other):\n"
        "        return self._own, other._own, other._far\n    _own = 1\n"
    )
    known = tree(tmp_path, {"readers/x.py": text, "readers/y.py": "def _z(): ...\n"})
    assert list(private_access(known)) == [
        "readers.x:2 imports _z",
        "readers.x:3 uses ._z",
        "readers.x:6 uses ._far",
    ]


if __name__ == "__main__":  # python tests/architecture/test_rules.py [FOLDER]: list what breaks a rule
    checks = (upward_imports, lazy_imports, oversized, private_access)
    violations = [line for check in checks for line in check(KNOWN)] + [f"cycle: {c}" for c in import_cycles(KNOWN)]
    print(*(line for line in violations if line.startswith((*(sys.argv[1:] or [""]), "cycle"))), sep="\n")
