"""Run the Python and YAML examples of the README and the documentation."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if page.parent.name != "start"),
]
"""The tutorials in `docs/start` have tests of their own."""
BLOCK = re.compile(r"^```(python|yaml)( [^\n]*)?\n(.*?)^```(?:\n+```text\n(.*?)^```)?", re.DOTALL | re.MULTILINE)


def blocks(language: str) -> list[tuple[str, str, str | None]]:
    found = []
    for page in PAGES:
        if not page.exists():
            continue
        for n, match in enumerate(BLOCK.finditer(page.read_text(encoding="utf-8")), 1):
            if match[1] == language and "not-run" not in (match[2] or ""):
                found.append((f"{page.relative_to(ROOT)}#{n}", match[3], match[4]))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "code", "output"), blocks("python"), ids=lambda v: v if v and v.count("\n") == 0 else ""
)
def test_python_examples_print_what_the_page_says(
    name: str, code: str, output: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CASPIPE_KEY", raising=False)
    (tmp_path / "configs").symlink_to(ROOT / "configs")
    program = tmp_path / "example.py"
    program.write_text(code, encoding="utf-8")
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    if output is not None:
        assert done.stdout == output


@pytest.mark.parametrize(
    ("name", "code", "output"), blocks("yaml"), ids=lambda v: v if v and v.count("\n") == 0 else ""
)
def test_yaml_examples_assemble(
    name: str, code: str, output: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from caspipe.pipeline.pipeline import Pipeline

    monkeypatch.chdir(ROOT)
    if re.search(r"^(engines|reader|consumers):", code, re.MULTILINE):
        Pipeline.parse(code)


def test_doctests_hold() -> None:
    import doctest
    import importlib

    failed = 0
    for top in ("typesystem", "pipeline", "annotators", "readers", "consumers"):
        for path in sorted((ROOT / top).rglob("*.py")):
            if ">>>" in path.read_text(encoding="utf-8"):
                module = importlib.import_module("caspipe." + ".".join(path.relative_to(ROOT).with_suffix("").parts))
                with redirect_stdout(io.StringIO()):
                    failed += doctest.testmod(module).failed
    assert failed == 0
