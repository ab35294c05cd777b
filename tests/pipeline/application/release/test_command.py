"""The command line of a release: its help, and completion of names."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path

import pytest
from releasing import caspipe, make_run, manifest, reviewer
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


@pytest.mark.attack("review-decisions")
def test_the_status_of_a_run_names_the_review_of_its_release(run: Path, tmp_path: Path) -> None:
    assert "release/" not in caspipe("status", run).output
    assert json.loads(caspipe("status", run, "--json").output)["reviewed_release"] is None
    with reviewer(run, "anna") as anna:
        anna.add("c", "quellmore")
        anna.done("c")
    caspipe("release", run, "--review", "anna")
    ended = manifest(run)["run"]["ended"]
    made = f"release/ was made after this run on {ended}, from the review by anna (2 entries), 3 documents\n"
    assert made in caspipe("status", run).output
    known = json.loads(caspipe("status", run, "--json").output)["reviewed_release"]
    assert known == {"by": {"anna": 2}, "ended": ended, "documents": 3}
    (run / "release" / "manifest.json").unlink()
    assert "release/ was made after this run, from the review by anna (2 entries)\n" in caspipe("status", run).output
    edited = shutil.copytree(run / "restricted" / "xmi", tmp_path / "edited")
    caspipe("release", run, "--xmi", edited)
    assert ", from edited documents, 3 documents\n" in caspipe("status", run).output
    time.sleep(1.1)  # the start of a run is kept in seconds
    make_run(run.parent, replace_release=True)
    assert "release/" not in caspipe("status", run).output
