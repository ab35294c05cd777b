"""Run each tutorial from its page alone, in an empty folder, as a new user would.

A block with a title is written to that file. `sh` blocks run in one shell session; a `text` block after one is its exact output.
Blocks marked `not-run` need a person or much time.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

START = Path(__file__).resolve().parents[2] / "docs" / "start"
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?( not-run)?\n(.*?)^```', re.DOTALL | re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["data-steward", "engineer", "researcher"])
def test_the_tutorial_works_from_an_empty_folder(name: str, tmp_path: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "CASPIPE_KEY"}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    exports = ""
    output = ""
    for language, title, skipped, content in BLOCK.findall((START / f"{name}.md").read_text(encoding="utf-8")):
        if title:
            (tmp_path / title).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / title).write_text(content, encoding="utf-8")
        elif language == "sh" and not skipped:
            done = subprocess.run(
                ["bash", "-euc", exports + content], cwd=tmp_path, env=environment, capture_output=True, text=True
            )
            assert done.returncode == 0, f"{content}\n{done.stdout}\n{done.stderr}"
            exports += "".join(line + "\n" for line in content.splitlines() if line.startswith("export "))
            output = done.stdout
        elif language == "text":
            assert output == content
    assert exports or output, f"no command of {name}.md was run"


@pytest.mark.slow
def test_the_reference_is_generated_for_every_component() -> None:
    sys.path.insert(0, str(START.parents[1] / "scripts"))
    from reference_pages import pages

    from caspipe.pipeline.contract import registry

    made = pages()
    everything = "\n".join(made.values())
    ours = [c.name for c in registry.components() if c.__module__.startswith("caspipe.")]
    assert len(ours) > 70
    assert not [name for name in ours if f"## `{name}`" not in everything]
    assert "## `caspipe model export-onnx`" in made["reference/command-line.md"]
