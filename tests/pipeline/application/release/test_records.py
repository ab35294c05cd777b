"""Case reports and resources are released again from their source files."""

from __future__ import annotations

from pathlib import Path

import e2b_files
import pytest
from releasing import caspipe, reviewer

from caspipe.pipeline.pipeline import Pipeline

CONFIG = """
name: cases
reader:
  e2b: {folder: cases}
engines:
  - segmenter
  - known_phi
  - dates
  - identifiers
  - names
  - resolver
  - masker:
      DATE: {shift: {days: [-365, 365], key: "${RELEASE_KEY:-}"}}
      default: placeholder
  - leak_gate
consumers:
  - e2b: {folder: release/e2b}
  - xmi: {folder: restricted/xmi}
run: {output: out, workers: 0}
"""


@pytest.mark.attack("review-decisions")
def test_case_reports_are_the_same_without_a_decision(tmp_path: Path) -> None:
    cases = tmp_path / "cases"
    cases.mkdir()
    (cases / "a.xml").write_bytes(e2b_files.r3())
    (tmp_path / "cases.yaml").write_text(CONFIG)
    run = tmp_path / "out"
    Pipeline.load(tmp_path / "cases.yaml", [f"run.output={run}"]).run()
    before = {p.name: p.read_bytes() for p in (run / "release" / "e2b").glob("*")}
    assert before
    with reviewer(run) as anna:
        first = anna.session.catalogue.ids[0]
        anna.done(first)
    result = caspipe("release", run, "--review", "anna")
    assert result.exit_code == 0, result.output
    assert {p.name: p.read_bytes() for p in (run / "release" / "e2b").glob("*")} == before
    assert caspipe("audit", "verify", run).exit_code == 0
