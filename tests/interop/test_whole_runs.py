"""What `caspipe run` writes, before Apache UIMA for Java: every document accepted, same offsets, same covered texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from uima import Uima

from caspipe.pipeline import Pipeline
from caspipe.pipeline.assembly.shipped import folder, locate
from caspipe.typesystem import Annotation, Phi, TypeSystem, read_xmi
from caspipe.typesystem.markup.xml_text import replace_illegal

pytestmark = pytest.mark.java


def utf16(text: str, offset: int) -> int:
    return len(text[:offset].encode("utf-16-le")) // 2


def run(notes: Path, out: Path) -> list[Path]:
    overrides = [f"reader.text.folder={notes}", f"run.output={out}", "masker.DATE.shift.key=interop"]
    report = Pipeline.load(locate("deidentify"), overrides).run()
    assert report.documents.released == report.documents.read == len(list(notes.glob("*.txt")))
    return sorted((out / "restricted" / "xmi").glob("*.xmi"))


def phis(answer: dict[str, Any]) -> list[tuple[int, int, str, str]]:
    found = []
    for item in answer["fs"]:
        if item["type"] == "caspipe.Phi":
            features = item["features"]
            found.append((features["begin"], features["end"], features["kind"], item["covered"]))
    return sorted(found)


def check(java: Uima, files: list[Path]) -> int:
    types = files[0].with_name("TypeSystem.xml")
    spans = 0
    for path, answer in zip(files, java.check([(f, types) for f in files]), strict=True):
        assert "error" not in answer, (path.name, answer)
        cas = read_xmi(path, TypeSystem.load(types))
        ours = sorted(
            (utf16(cas.text, p.begin), utf16(cas.text, p.end), p.kind.name, replace_illegal(p.covered_text)[0])
            for p in cas.select(Phi)
        )
        assert phis(answer) == ours, path.name
        assert len([f for f in answer["fs"] if "begin" in f.get("features", {})]) >= cas.view().count(Annotation)
        spans += len(ours)
    return spans


def test_the_bundled_samples(java: Uima, tmp_path: Path) -> None:
    files = run(folder() / "samples", tmp_path)
    assert len(files) == 10
    assert check(java, files) > 100


def test_emoji_and_control_characters(java: Uima, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    text = (
        "\U0001f600\U0001f468\u200d\U0001f469 Seen on 3/4/2020 \U0001f1e9\U0001f1ea by Dr. Smith\x0c, "
        "MRN 00123456\x00\r\nnext \ufffe line"
    )
    (notes / "odd.txt").write_bytes(text.encode("utf-8"))
    files = run(notes, tmp_path / "out")
    assert check(java, files) >= 3
    assert read_xmi(files[0], TypeSystem.load(files[0].with_name("TypeSystem.xml"))).text == text


@pytest.mark.parametrize("corpus", ["vaers_dev/narratives.jsonl"])
def test_real_narratives(corpus: str, java: Uima, shared: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for line in (shared / "corpora" / corpus).read_text(encoding="utf-8").splitlines():
        document = json.loads(line)
        (notes / f"{document['id']}.txt").write_text(document["text"], encoding="utf-8", newline="")
    files = run(notes, tmp_path / "out")
    assert len(files) == 100
    assert check(java, files) > 140
