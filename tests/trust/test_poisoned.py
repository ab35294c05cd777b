"""A thousand documents, seventeen of them bad: every bad one is found out and kept aside, every good one is released."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from . import corpus

pytestmark = pytest.mark.server

CONFIG = """\
reader:
  - text: {folder: notes, encoding: utf-8}
  - jsonl: {folder: records}
engines: [segmenter, dates, identifiers, names, poison, resolver, masker, leak_gate: {repair: false}]
consumers: [text, jsonl, csv, xmi, report]
run: {names: id, limits: {seconds: 12, memory_mb: 1500}}
"""


def run(folder: Path, out: str, *arguments: str) -> tuple[int, str]:
    plugin = Path(__file__).with_name("poison.py")
    call = [sys.executable, "-m", "caspipe.pipeline.application.cli.main", "run", "run.yaml", "--plugin", str(plugin)]
    done = subprocess.run(
        [*call, "--set", f"run.output={out}", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def failures(out: Path) -> dict[str, tuple[int, str, str, str]]:
    """What is wrong -> number, reason, component, cause, of every document kept aside."""
    found: dict[str, tuple[int, str, str, str]] = {}
    for path in sorted((out / "restricted/quarantine").glob("*.json")):
        told: dict[str, Any] = json.loads(path.read_text())
        name = told["document"].partition("bad_")[2] or ("twice" if "good_twin" in told["document"] else "broken_line")
        found[name] = (told["number"], told["reason"], told["component"], told["cause"])
    return found


def released(out: Path) -> dict[str, bytes]:
    """Every file but the report, with its timings, and the ledger."""
    files = [p for p in out.rglob("*") if p.is_file() and p.name != "report.html" and "ledger." not in p.name]
    return {p.relative_to(out).as_posix(): p.read_bytes() for p in sorted(files)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("poisoned")
    corpus.write(made)
    (made / "run.yaml").write_text(CONFIG)
    return made


def test_of_a_thousand_documents_the_seventeen_bad_ones_are_kept_aside_twice_the_same(folder: Path) -> None:
    code, said = run(folder, "first", "--workers", "2")
    assert code == 3, said
    assert "1,000 documents read, 983 released, 17 quarantined, 0 skipped" in said
    assert corpus.SECRET not in said
    assert "warning: 2 released documents with no text" in said
    assert "warning: 1 released document with control characters" in said
    assert "warning: 1 released document with lone surrogates" in said
    assert "warning: 1 released document with a line of more than a million characters" in said
    found = failures(folder / "first")
    assert {name: told[1] for name, told in found.items()} == {name: reason for name, (reason, _) in corpus.BAD.items()}
    assert all(found[name][2].startswith(component) for name, (_, component) in corpus.BAD.items()), found
    first = released(folder / "first")
    leaked = [n for n, data in first.items() if n.startswith("release/") and corpus.SECRET.encode() in data]
    assert not leaked
    assert len([n for n in first if n.startswith("release/text/")]) == 983
    assert len(first["release/documents.jsonl"].splitlines()) == 983
    assert not [n for n in first if n.endswith(".tmp")]

    code, said = run(folder, "second", "--workers", "3")
    assert code == 3, said
    assert failures(folder / "second") == found
    assert released(folder / "second") == first

    code, said = run(folder, "first", "--workers", "2", "--resume")
    assert code == 3, said
    assert released(folder / "first") == first
