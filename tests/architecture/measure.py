"""Print the structure of a checkout as numbers: lines, import cycles, sizes.

python tests/architecture/measure.py [CHECKOUT]
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from source import ROOT, TOPS, cycles, imports, modules


def numbers(root: Path) -> dict[str, int | str]:
    """Return the name of each number and its value."""
    known = modules(root)
    found = {name: imports(module, known) for name, module in known.items()}
    groups = cycles({name: {i.module for i in of} for name, of in found.items()})
    sizes = [
        (type(node).__name__, (node.end_lineno or 0) - node.lineno + 1)
        for module in known.values()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    ]
    functions = [lines for kind, lines in sizes if kind != "ClassDef"]
    assets = [p for top in TOPS for p in (root / top).rglob("*") if p.suffix in (".js", ".css", ".html", ".j2")]
    return {
        "lines of Python": sum(module.text.count("\n") for module in known.values()),
        "lines of HTML, CSS, JavaScript and templates": sum(p.read_text("utf-8").count("\n") for p in assets),
        "modules": len(known),
        "import cycles": len(groups),
        "files in the largest cycle": max(map(len, groups), default=0),
        "imports of our own modules inside functions": sum(i.inside_function for of in found.values() for i in of),
        "files over 400 lines": sum(module.text.count("\n") > 400 for module in known.values()),
        "functions over 60 lines": sum(lines > 60 for lines in functions),
        "functions over 40 lines": sum(lines > 40 for lines in functions),
        "classes over 250 lines": sum(kind == "ClassDef" and lines > 250 for kind, lines in sizes),
        "modules at the top of pipeline/": len(list((root / "pipeline").glob("*.py"))),
        "modules at the top of readers/ and consumers/": sum(
            len(list((root / top).glob("*.py"))) for top in ("readers", "consumers")
        ),
    }


if __name__ == "__main__":
    for name, value in numbers(Path(sys.argv[1]) if sys.argv[1:] else ROOT).items():
        print(f"{value:>8}  {name}")
