"""Run the tutorials that are read like notebooks: their Python blocks share one namespace.

A block with a title is written to that file. `sh` blocks run in the folder of the notebook; a `text` block is the exact output
of the block before it.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import warnings
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

START = Path(__file__).resolve().parents[2] / "docs" / "start"
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```', re.DOTALL | re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["scikit-learn"])
def test_the_notebook_prints_what_the_page_shows(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    space: dict[str, Any] = {"__name__": "notebook"}
    output = ""
    for language, title, content in BLOCK.findall((START / f"{name}.md").read_text(encoding="utf-8")):
        if title:
            Path(title).write_text(content, encoding="utf-8")
        elif language == "python":
            with redirect_stdout(io.StringIO()) as printed, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(compile(content, f"{name}.md", "exec"), space)
            output = printed.getvalue()
        elif language == "sh":
            command = ["bash", "-euc", content]
            done = subprocess.run(
                command, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, f"{content}\n{done.stdout}\n{done.stderr}"
            output = done.stdout
        elif language == "text":
            assert output == content
    assert {"detector", "tagger"} <= space.keys()
