"""Somebody else's annotator works without a change to our code: installed, by dotted path, and as a file."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "plugin_badges"
TEXT = "Handed over by ER-20417 on 3/4/2020."
MASKED = "Handed over by [ID] on [DATE]."

BY_FILE = """\
engines:
  - segmenter
  - badges: {departments: [ER]}
  - dates
  - masker
"""


def run(*command: str, **environment: str) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **environment}, timeout=600
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="session")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with caspipe and the plug-in installed as anybody would install them."""
    folder = tmp_path_factory.mktemp("clean")
    venv.create(folder, with_pip=True)
    pip = str(folder / "bin" / "pip")
    run(pip, "install", "--quiet", "--disable-pip-version-check", str(ROOT), str(EXAMPLE))
    return folder / "bin"


@pytest.mark.slow
def test_an_installed_plug_in_is_found_by_its_entry_point(clean: Path, tmp_path: Path) -> None:
    caspipe = str(clean / "caspipe")
    config = str(EXAMPLE / "badges" / "badges.yaml")
    assert "badges" in run(caspipe, "list")
    assert "departments" in run(caspipe, "describe", "badges")
    assert run(caspipe, "annotate", TEXT, "--config", config, "--masked") == MASKED + "\n"
    assert "org.example.Badge" in run(caspipe, "typesystem")
    assert "badges" in run(caspipe, "schema")


@pytest.mark.slow
def test_an_installed_caspipe_runs_the_shipped_pipeline(clean: Path, tmp_path: Path) -> None:
    out = run(str(clean / "caspipe"), "run", "deidentify", "--set", f"run.output={tmp_path}")
    assert "0 quarantined" in out
    assert len(list((tmp_path / "release" / "text").glob("*.txt"))) == 10


@pytest.mark.slow
def test_a_class_is_named_by_its_dotted_path(tmp_path: Path) -> None:
    config = tmp_path / "p.yaml"
    config.write_text(BY_FILE.replace("badges:", "badges:BadgeAnnotator:"), encoding="utf-8")
    command = (
        sys.executable,
        "-m",
        "caspipe.pipeline.application.cli.main",
        "annotate",
        TEXT,
        "-c",
        str(config),
        "--masked",
    )
    assert run(*command, PYTHONPATH=str(EXAMPLE)) == MASKED + "\n"


def test_a_plug_in_is_a_file(tmp_path: Path) -> None:
    config = tmp_path / "p.yaml"
    config.write_text(BY_FILE, encoding="utf-8")
    plugin = str(EXAMPLE / "badges" / "__init__.py")
    command = (
        sys.executable,
        "-m",
        "caspipe.pipeline.application.cli.main",
        "annotate",
        TEXT,
        "-c",
        str(config),
        "--plugin",
        plugin,
        "-m",
    )
    assert run(*command) == MASKED + "\n"
