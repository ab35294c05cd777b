"""XCAS that UIMA for Java wrote: the document is that of the XMI it wrote of the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from documents import WIDE, documents
from graphs import graph
from hypothesis import HealthCheck, Phase, given, settings
from uima import why_not
from xcas import written

from caspipe.typesystem import ByteArray, Cas, TypeSystem, read_xcas, read_xmi, write_jsoncas, write_xmi

pytestmark = [pytest.mark.java, pytest.mark.skipif(bool(why_not()), reason=why_not() or "Java is here")]


def examples(number: int) -> list[Cas]:
    """Random documents. Without empty strings and nulls in arrays: XCAS cannot tell them apart, and XMI neither."""
    made: list[Cas] = []

    @settings(max_examples=number, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(documents(odd=False, empty_strings=False))
    def collect(cas: Cas) -> None:
        made.append(cas)

    collect()
    return made


def test_random_documents_are_the_same_in_both_forms(tmp_path: Path) -> None:
    made, types = examples(150), WIDE.to_xml()
    both = written([(write_xmi(cas, offset_map=True), types) for cas in made], tmp_path)
    for xcas, xmi in both:
        read = read_xcas(xcas, WIDE)
        assert graph(read, single=True) == graph(read_xmi(xmi, WIDE), single=True)
        again = read_xmi(write_xmi(read, offset_map=True), WIDE)
        assert graph(again, single=True) == graph(read, single=True)


def test_sofas_that_are_not_text_are_the_same_in_both_forms(tmp_path: Path) -> None:
    cas = Cas()
    cas.create_view("picture", None, mime="image/png", uri="file:/x.png")
    cas.create_view("sound", None, mime="audio/wav", array=ByteArray(b"\x00\xff"))
    ((xcas, xmi),) = written([(write_xmi(cas), TypeSystem().to_xml())], tmp_path)
    assert graph(read_xcas(xcas)) == graph(read_xmi(xmi))
    assert bytes(read_xcas(xcas).view("sound").sofa.array) == b"\x00\xff"  # type: ignore[arg-type]  # a ByteArray


def test_documents_of_other_tools_are_the_same_in_both_forms(tmp_path: Path, shared: Path) -> None:
    paths = sorted((shared / "xmi_zoo").glob("*.xmi"))
    types = [TypeSystem.load(p.with_name(p.name.removesuffix(".xmi") + ".typesystem.xml")) for p in paths]
    given = [(write_xmi(read_xmi(path, ts)), ts.to_xml()) for path, ts in zip(paths, types, strict=True)]
    compared = 0
    for (xcas, xmi), path, ts in zip(written(given, tmp_path), paths, types, strict=True):
        read, other = read_xcas(xcas, ts), read_xmi(xmi, ts)
        if not _has_empty_strings(other):
            assert graph(read, single=True) == graph(other, single=True), path.name
            compared += 1
    assert compared > 25


def _has_empty_strings(cas: Cas) -> bool:
    """In arrays, where XCAS makes null of them."""
    return b'%TYPE":"uima.cas.StringArray","%ELEMENTS":[' in write_jsoncas(cas) and b'""' in write_jsoncas(cas)
