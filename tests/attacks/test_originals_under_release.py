"""Consumers that write original text are refused below release/, wherever the path comes from; so is a manifest of it."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from caspipe.consumers.files.text import TextConsumer
from caspipe.consumers.uima.xmi import XmiConsumer
from caspipe.pipeline import CasConsumer, Pipeline, component
from caspipe.pipeline.application.cli.main import app
from caspipe.pipeline.assembly.originals import misplaced
from caspipe.pipeline.contract import registry
from caspipe.pipeline.errors import ConfigError

REASON = "is in release/, and what {} writes may contain original text: expected another folder, such as restricted/{}"
ORIGINALS: dict[str, dict[str, Any]] = {
    "xmi": {"folder": "release/xmi"},
    "jsoncas": {"folder": "release/jsoncas", "views": ["deidentified", "gold"]},
    "html": {"folder": "release/html"},
    "brat": {"folder": "release/brat"},
    "i2b2": {"folder": "release/i2b2"},
    "conll": {"file": "release/documents.conll"},
    "doccano": {"file": "release/doccano.jsonl"},
    "prodigy": {"file": "release/prodigy.jsonl"},
    "label_studio": {"file": "release/tasks.json"},
    "marked": {"file": "release/marked.txt"},
    "inception": {"file": "release/project.zip"},
    "text": {"folder": "release/original", "view": "_InitialView"},
    "csv": {"file": "release/found.csv", "annotations": "found"},
    "jsonl": {"file": "release/all.jsonl", "include": ["original"]},
    "parquet": {"file": "release/all.parquet", "include": ["offsets"]},
    "sql": {"url": "sqlite:///release/all.db", "include": ["phi"]},
    "errors": {"file": "release/errors.html"},
    "report": {"file": "release/report.html"},
}
MASKED: dict[str, dict[str, Any]] = {
    "text": {},
    "jsonl": {"fields": ["id", "text", "metadata"]},
    "csv": {"text": True},
    "parquet": {},
    "sql": {"url": "sqlite:///release/notes.db"},
    "xmi": {"folder": "release/xmi", "views": ["deidentified"]},
    "jsoncas": {"folder": "release/jsoncas", "views": ["deidentified"]},
    **{name: {**ORIGINALS[name], "annotations": "masked"}
       for name in ("brat", "i2b2", "conll", "doccano", "prodigy", "label_studio", "marked", "inception")},
    "fhir": {},
    "e2b": {},
    "scorer": {},
    "breakdown": {},
    "utility": {},
}  # fmt: skip


def config(*consumers: Any, output: Path | str = "out") -> str:
    return json.dumps(
        {
            "engines": ["segmenter", "dates", "resolver", "masker"],
            "consumers": consumers,
            "run": {"output": str(output)},
        }
    )


def faults(text: str, *overrides: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        Pipeline.parse(text, overrides)
    return [str(fault) for fault in caught.value.faults]


@pytest.mark.attack("originals-under-release")
@pytest.mark.parametrize("name", ORIGINALS)
def test_originals_are_refused(name: str) -> None:
    (fault,) = faults(config({name: ORIGINALS[name]}))
    assert f"what {name} writes may contain original text" in fault


@pytest.mark.attack("originals-under-release")
@pytest.mark.parametrize("name", MASKED)
def test_masked_text_and_numbers_are_not(name: str) -> None:
    (consumer,) = Pipeline.parse(config({name: MASKED[name]})).consumers
    assert not consumer.writes_original()


@pytest.mark.attack("originals-under-release")
@pytest.mark.parametrize(
    "path", ["release", "release/", "./release/x", "x/../release/x", "Release/x", "{out}/release/x"]
)
def test_no_way_to_write_the_path_leads_there(tmp_path: Path, path: str) -> None:
    out = tmp_path / "out"
    (fault,) = faults(config({"xmi": {"folder": path.format(out=out)}}, output=out))
    assert "is in release/" in fault
    (fault,) = faults(config("xmi", output=out), f"xmi.folder={path.format(out=out)}")
    assert "is in release/" in fault


@pytest.mark.attack("originals-under-release")
@pytest.mark.parametrize("path", ["released/x", "restricted/release", "xrelease", "../release", "restricted/../x"])
def test_other_folders_are_allowed(tmp_path: Path, path: str) -> None:
    Pipeline.parse(config({"xmi": {"folder": path}}, output=tmp_path / "out"))


@pytest.mark.attack("originals-under-release")
def test_a_link_does_not_lead_there(tmp_path: Path) -> None:
    (tmp_path / "out/release").mkdir(parents=True)
    (tmp_path / "out/aside").symlink_to("release")
    assert "is in release/" in faults(config({"xmi": {"folder": "aside/x"}}, output=tmp_path / "out"))[0]
    (tmp_path / "there").mkdir()
    (tmp_path / "two").mkdir()
    (tmp_path / "two/release").symlink_to(tmp_path / "there")
    assert (
        "is in release/" in faults(config({"xmi": {"folder": str(tmp_path / "there/x")}}, output=tmp_path / "two"))[0]
    )


@pytest.mark.attack("originals-under-release")
def test_all_faults_are_told_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(
        "engines: [segmenter, dates, resolver, masker]\n"
        "consumers:\n  - html:\n      folder: release/html\n  - xmi: {folder: release}\n  - nothing\n"
    )
    result = CliRunner().invoke(app, ["validate", str(path)])
    assert result.exit_code == 2
    told = (result.output + result.stderr).splitlines()
    assert f"{path}:4: html.folder: release/html {REASON.format('html', 'html')}" in told
    assert f"{path}:5: xmi.folder: release {REASON.format('xmi', 'xmi')}" in told
    assert any(line.startswith(f"{path}:6: consumers: no consumer called 'nothing'") for line in told)


@component("t_undeclared")
class Undeclared(CasConsumer):
    """A consumer of others that does not say what it writes."""

    file: Path = Path("release/x.tsv")
    names: list[str] = dataclasses.field(default_factory=list)


@pytest.mark.attack("originals-under-release")
def test_what_a_consumer_does_not_say_counts_as_original(tmp_path: Path) -> None:
    registry.find("t_undeclared", "consumer")
    assert "t_undeclared.file: release/x.tsv is in release/" in faults(config("t_undeclared"))[0]
    Pipeline.parse(config({"t_undeclared": {"file": "x.tsv"}}))
    given = {"file": "x.tsv", "names": ["a", "release/b"]}  # a path may be written as a string
    assert "t_undeclared.names: release/b is in release/" in faults(config({"t_undeclared": given}))[0]


@pytest.mark.attack("originals-under-release")
def test_a_program_is_refused_when_it_runs(tmp_path: Path, notes: Any = None) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.txt").write_text("Dr. Zorblatt")
    made = Pipeline.parse(
        json.dumps({"reader": {"text": {"folder": str(tmp_path / "in")}}, "run": {"output": str(tmp_path / "out")}})
    )
    made.consumers = [XmiConsumer(folder=Path("release/xmi")), TextConsumer()]
    for consumer in made.consumers:
        consumer.output = made.output
    with pytest.raises(ConfigError, match=r"^consumers/xmi\.folder: release/xmi is in release/"):
        made.run()
    assert not (tmp_path / "out").exists()
    assert list(misplaced(made.consumers[1], made.output)) == []


@pytest.mark.attack("originals-under-release")
def test_originals_are_readable_by_their_owner_only(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.txt").write_text("Dr. Zorblatt")
    consumers = [
        {"xmi": {"views": ["deidentified", "_InitialView"]}},
        {"xmi": {"id": "m", "folder": "m", "views": ["deidentified"]}},
    ]
    made = json.loads(config(*consumers, output=tmp_path / "out"))
    Pipeline.parse(json.dumps({**made, "reader": {"text": {"folder": str(tmp_path / "in")}}})).run()
    modes = {
        p.relative_to(tmp_path / "out").as_posix(): p.stat().st_mode & 0o077 for p in (tmp_path / "out").rglob("*.xmi")
    }
    assert modes["restricted/xmi/a.xmi"] == 0
    assert modes["m/000001.xmi"] == 0o666 & ~_umask() & 0o077


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.attack("originals-under-release")
@pytest.mark.parametrize("way", ["private file", "private folder", "view"])
def test_no_manifest_of_a_folder_with_original_text(tmp_path: Path, way: str) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.txt").write_text("Dr. Zorblatt")
    out, reader = tmp_path / "out", {"text": {"folder": str(tmp_path / "in")}}
    made = {**json.loads(config("text", "jsonl", "xmi", "html", output=out)), "reader": reader}
    Pipeline.parse(json.dumps(made)).run()
    assert CliRunner().invoke(app, ["audit", "manifest", str(out)]).exit_code == 0
    if way == "private file":
        (out / "restricted/html/a.html").rename(out / "release/a.html")
        told = "1 files in {} are readable by their owner only, as a run writes files with original text: a.html"
    elif way == "private folder":
        (out / "restricted/html").rename(out / "release/html")
        (out / "release/html/a.html").chmod(0o644)
        told = "2 files in {} are readable by their owner only, as a run writes files with original text: html/a.html"
    else:
        (out / "release/a.xmi").write_bytes((out / "restricted/xmi/a.xmi").read_bytes())
        told = (
            "1 files in {} have the view _InitialView, which is the original text: a.xmi; move them out of the release"
        )
    before = (out / "release/manifest.json").read_bytes()
    result = CliRunner().invoke(app, ["audit", "manifest", str(out)])
    assert result.exit_code == 4
    assert told.format(out / "release") in result.output + result.stderr
    assert (out / "release/manifest.json").read_bytes() == before
