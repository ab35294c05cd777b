"""Every complete configuration on a page has a finder of names: a copy of one without it would release every name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from caspipe.pipeline import Pipeline
from caspipe.typesystem import phi

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^( *)```ya?ml[^\n]*\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
TITLED = re.compile(r'^```\w+ title="([^"]+)"[^\n]*\n(.*?)^```', re.DOTALL | re.MULTILINE)
FINDERS = {"names", "crf", "svm", "neural", "transformer", "gliner", "ensemble"}
"""Components that find names of people that are in no record and no list of the site."""
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "examples").rglob("*.yaml"))]


def configurations(page: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line and content of the complete configurations of a page: with a reader and a masker."""
    text = page.read_text(encoding="utf-8")
    found = (
        [(1, text)]
        if page.suffix == ".yaml"
        else [(text[: m.start()].count("\n") + 1, m[2]) for m in BLOCK.finditer(text)]
    )
    for line, block in found:
        try:
            data = yaml.safe_load(block)
        except yaml.YAMLError:
            continue
        if (
            isinstance(data, dict)
            and "reader" in data
            and "masker" in names(data.get("engines"))
            and "include" not in data
        ):
            yield line, data


def names(engines: Any) -> set[str]:
    """Return the names of the components in a list of engines, also those of aggregates."""
    every: set[str] = set()
    for step in engines if isinstance(engines, list) else ():
        for name, given in step.items() if isinstance(step, dict) else [(step, None)]:
            every.add(str(name))
            if name == "aggregate" and isinstance(given, dict):
                every |= names(given.get("engines"))
            if name == "include":
                every |= FINDERS
    return every


@pytest.mark.attack("own-kinds")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_complete_configuration_finds_names(page: Path) -> None:
    lacking = [line for line, data in configurations(page) if not names(data["engines"]) & FINDERS]
    assert lacking == []


@pytest.mark.attack("own-kinds")
def test_the_page_on_own_kinds_masks_names_and_own_kinds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(phi, "_REGISTRY", dict(phi._REGISTRY))  # the kinds of the page end with the test
    monkeypatch.setenv("CASPIPE_KEY", "a key of the tests, long enough")
    for title, content in TITLED.findall((ROOT / "docs/how-to/own-kinds.md").read_text(encoding="utf-8")):
        (tmp_path / title).write_text(content, encoding="utf-8")
    (tmp_path / "notes").mkdir()
    note = "Patient: Annabel Quellmore, seen on 3 May 2020 in W-301 by Dr. Robert Tollivant. ARM-NORTH of the trial."
    (tmp_path / "notes/a.txt").write_text(note)
    report = Pipeline.load("wards-and-arms.yaml", ["run.workers=0"]).run()
    (text,) = (path.read_text() for path in (tmp_path / "out/release/text").iterdir())
    assert report.documents.released == 1 and "[WARDCODE]" in text and {"STUDY_ARM", "WARDCODE"} <= report.kinds.keys()
    assert not any(
        word in text for word in ("Annabel", "Quellmore", "Robert", "Tollivant", "ARM-NORTH", "W-301", "2020")
    )


def test_there_are_configurations_to_check() -> None:
    assert sum(len(list(configurations(page))) for page in PAGES) > 10
