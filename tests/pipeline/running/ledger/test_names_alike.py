"""Two names of one file: what a run wrote stays, where an earlier run wrote it under a name that differs in case only.

A file system that does not tell the names apart is played by a folder that is a link to the other one.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import running

CONSUMERS = "[text, html]"
FOLDERS = ("release/text", "restricted/html")


def read(tmp_path: Path, out: Path, documents: list[tuple[str, str]], *overrides: str) -> None:
    file = running.records(tmp_path / "r.jsonl", documents)
    running.run(out, f"{{jsonl: {{files: {json.dumps(str(file))}}}}}", *overrides, consumers=CONSUMERS)


def named_anew(out: Path, before: str, now: str) -> None:
    """The folder has another name, and goes by the old one too."""
    for folder in FOLDERS:
        (out / folder / before).rename(out / folder / now)
        (out / folder / before).symlink_to(now)


def released(out: Path) -> dict[str, str]:
    return {p.relative_to(out).as_posix(): p.read_text() for p in sorted((out / "release/text").rglob("*.txt"))}


@pytest.mark.slow
@pytest.mark.parametrize("resume", ["false", "true"])
def test_a_document_whose_name_changed_in_case_only_stays(tmp_path: Path, resume: str) -> None:
    out = tmp_path / "out"
    read(tmp_path, out, [("Ward/a", "one"), ("Ward/b", "two"), ("c", "three")])
    named_anew(out, "Ward", "ward")
    read(tmp_path, out, [("ward/a", "one"), ("c", "three")], f"run.resume={resume}")
    assert released(out) == {"release/text/ward/a.txt": "one", "release/text/c.txt": "three"}
    assert sorted(p.name for p in (out / "restricted/html/ward").iterdir()) == ["a.html"]


@pytest.mark.slow
@pytest.mark.parametrize("resume", ["false", "true"])
def test_a_document_that_fails_does_not_take_one_of_the_same_name_with_it(tmp_path: Path, resume: str) -> None:
    out = tmp_path / "out"
    read(tmp_path, out, [("ward/a", "one"), ("ward/b", "two")])
    named_anew(out, "ward", "Ward")
    read(
        tmp_path,
        out,
        [("Ward/a", "other"), ("ward/a", "do=fails"), ("ward/b", "do=fails")],
        f"run.resume={resume}",
        "run.limit=3",
    )
    assert released(out) == {"release/text/Ward/a.txt": "other"}


@pytest.mark.slow
def test_names_that_are_told_apart_are_two_files(tmp_path: Path) -> None:
    out = tmp_path / "out"
    read(tmp_path, out, [("Ward/a", "one")])
    read(tmp_path, out, [("ward/a", "one")])
    assert released(out) == {"release/text/ward/a.txt": "one"}
