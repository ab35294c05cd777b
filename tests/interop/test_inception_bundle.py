"""Bundles for INCEpTION before Apache UIMA for Java: strictly read with the bundle's own type system, spans where they were."""

from __future__ import annotations

import warnings
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from review_exports import documents, make_bundle
from uima import Uima

from caspipe.pipeline import Pipeline
from caspipe.pipeline.assembly.shipped import folder, locate
from caspipe.typesystem import Cas, CaspipeWarning, TypeSystem, read_xmi
from caspipe.typesystem.review_layers import CANDIDATE_LAYER, NAMED_ENTITY, PHI_LAYER

pytestmark = pytest.mark.java

LAYERS = (PHI_LAYER, CANDIDATE_LAYER, NAMED_ENTITY)


def utf16(text: str, offset: int) -> int:
    return len(text[:offset].encode("utf-16-le", "surrogatepass")) // 2


def check(java: Uima, path: Path) -> int:
    """Loads every document of a bundle in Java and compares; returns how many spans there were."""
    with zipfile.ZipFile(path) as archive:
        types = archive.read("TypeSystem.xml")
        files = [archive.read(n) for n in archive.namelist() if n.startswith("documents/")]
    spans = 0
    for data, answer in zip(files, java.check([(f, types) for f in files]), strict=True):
        assert "error" not in answer, answer
        view = read_xmi(data, TypeSystem.from_xml(types)).view()
        ours = sorted(
            (layer, utf16(view.text, a.begin), utf16(view.text, a.end), a.covered_text)
            for layer in LAYERS
            if layer in TypeSystem.from_xml(types)
            for a in view.select(layer)
        )
        assert ours == sorted(
            (f["type"], f["features"]["begin"], f["features"]["end"], f["covered"])
            for f in answer["fs"]
            if f["type"] in LAYERS
        )
        documents_ = [f for f in answer["fs"] if f["type"].endswith(("DocumentAnnotation", "DocumentMetaData"))]
        assert len(documents_) == 1
        spans += len(ours)
    return spans


@pytest.mark.parametrize("parameters", [{"candidates": True}, {"mode": "named-entity"}], ids=str)
def test_the_bundled_samples(parameters: dict[str, Any], java: Uima, tmp_path: Path) -> None:
    pipeline = Pipeline.load(locate("deidentify"), ["masker.DATE.shift.key=interop"])
    made = []
    for path in sorted((folder() / "samples").glob("*.txt")):
        cas = pipeline.process(path.read_text(encoding="utf-8"))
        cas.id = path.stem
        made.append(cas)
    assert check(java, make_bundle(tmp_path, made, **parameters)) > 100


@given(several=st.lists(documents(), min_size=30, max_size=30))
@settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.data_too_large])
def test_odd_documents(several: list[Cas], java: Uima, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaspipeWarning)
        path = make_bundle(tmp_path, several)
    check(java, path)
