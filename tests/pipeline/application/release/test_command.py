"""The command line of a release: its help, and completion of names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from releasing import caspipe, reviewer
from typer.testing import CliRunner

from caspipe.pipeline.application.cli.main import app


@pytest.mark.attack("review-decisions")
def test_the_help_has_examples() -> None:
    told = " ".join(caspipe("release", "--help").output.split())
    for example in ("caspipe release out --review anna", "caspipe release out --xmi edited", "--only-reviewed"):
        assert example in told


@pytest.mark.attack("review-decisions")
def test_names_of_reviewers_are_completed(run: Path) -> None:
    with reviewer(run, "anna") as anna:
        anna.done("a")
    with reviewer(run, "ben") as ben:
        ben.done("a")
    words = f"caspipe release {run} --review "
    environment = {"_CASPIPE_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": "4"}
    result = CliRunner().invoke(app, [], prog_name="caspipe", env={**os.environ, **environment})
    assert result.output.split() == ["anna", "ben"]
