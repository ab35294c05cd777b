"""Type systems guessed from documents."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

from caspipe.typesystem import (
    Annotation,
    Cas,
    FormatError,
    Phi,
    TypeSystem,
    infer_types,
    read_jsoncas,
    read_xmi,
    write_xmi,
)

DATA = (
    b'<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:n="http:///org/note.ecore" '
    b'xmlns:noNamespace="http:///uima/noNamespace.ecore" xmlns:caspipe="http:///caspipe.ecore" xmi:version="2.0">'
    b'<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" sofaString="abc def"/>'
    b'<n:Span xmi:id="2" sofa="1" begin="0" end="3" size="3" code="007" score="0.5" ok="true" rare="5" to="9" '
    b'all="9 2" refs="4 4"/>'
    b'<n:Span xmi:id="3" sofa="1" begin="4" end="7" size="-4" code="12" score="1.0E-5" ok="false"/>'
    b'<n:Record xmi:id="4" begin="0" end="3" sofa="x"><words>a</words><words></words><links href="#2"/></n:Record>'
    b'<noNamespace:Plain xmi:id="9" v="1.50"/>'
    b'<caspipe:Phi xmi:id="5" sofa="1" begin="0" end="3" kind="DATE" confidence="0.25" site="north"/>'
    b'<cas:View sofa="1" members="2 3 4 5"/></xmi:XMI>'
)


def test_ranges_follow_from_what_occurs() -> None:
    ts = infer_types(DATA)
    ranges = {n: f.range.removeprefix("uima.cas.") for n, f in ts.features("org.note.Span").items()}
    assert ts.describe("org.note.Span").supertype == "uima.tcas.Annotation"
    assert {n: r for n, r in ranges.items() if n not in ("sofa", "begin", "end")} == {
        "size": "Integer",  # whole numbers throughout
        "code": "String",  # 007 is no number
        "score": "Double",
        "ok": "Boolean",
        "rare": "String",  # a number, but not always there: null is not 0
        "to": "TOP",  # nothing but a reference keeps 9 alive
        "all": "FSArray",
        "refs": "String",
    }
    record = {n: f.range.removeprefix("uima.cas.") for n, f in ts.features("org.note.Record").items()}
    assert ts.describe("org.note.Record").supertype == "uima.cas.TOP"
    assert record == {
        "begin": "Integer",
        "end": "Integer",
        "sofa": "String",
        "words": "StringArray",
        "links": "FSArray",
    }
    assert "Plain" in ts
    assert "site" in ts.features("caspipe.Phi")
    assert ts.where("org.note.Span") == "(bytes) (inferred)"


def test_a_document_without_type_system_is_read_changed_and_written() -> None:
    ts = infer_types(DATA)
    cas = read_xmi(DATA, ts)
    first, second = cas.select("org.note.Span")
    assert (first.code, first.ok, first.to.v, second.score) == ("007", True, "1.50", 1e-5)
    assert first.all == [first.to, first]
    phi: Any = cas.select(Phi)[0]
    assert (phi.site, phi.confidence) == ("north", 0.25)
    first.code = "008"
    again = read_xmi(write_xmi(cas), TypeSystem.from_xml(ts.to_xml()))
    assert [s.code for s in again.select("org.note.Span")] == ["008", "12"]
    assert [type(x).uima_name for x in again.view()].count("Plain") == 0


def test_what_is_known_is_not_guessed() -> None:
    data = write_xmi(Cas("abc"))
    assert infer_types(data) == TypeSystem()
    assert read_xmi(data, lenient=True).typesystem is None
    known = TypeSystem()
    known.create_type("org.note.Span", Annotation, {"size": "uima.cas.String"})
    cas = read_xmi(DATA, known, lenient=True)
    assert cas.select("org.note.Span")[0].size == "3"
    assert cas.typesystem is not None
    assert cas.typesystem.features("org.note.Span")["score"].range == "uima.cas.Double"


def test_names_uima_would_refuse_are_faults_or_others() -> None:
    data = DATA.replace(b"n:Record", b"n:Re-cord").replace(b"size=", b"_si.ze=")
    with pytest.raises(FormatError, match=r"org\.note\.Span has no feature _si\.ze"):
        read_xmi(data, infer_types(data))
    cas = read_xmi(data, lenient=True)
    assert [r.words for r in cas.select("org.note.Re_cord")] == [["a", ""]]
    assert [s.x_si_ze for s in cas.select("org.note.Span")] == [3, -4]
    assert "Re-cord: UIMA does not allow this name: read as Re_cord" in cas.metadata["xmi:notes"]
    assert cas.typesystem is not None
    again = read_xmi(write_xmi(cas), TypeSystem.from_xml(cas.typesystem.to_xml()))
    assert [s.x_si_ze for s in again.select("org.note.Span")] == [3, -4]


@pytest.mark.slow
def test_documents_with_the_same_guesses_share_one_type_system_and_let_go_of_it() -> None:
    one, two = read_xmi(DATA, lenient=True), read_xmi(DATA.replace(b"abc", b"xyz"), lenient=True)
    assert one.typesystem is two.typesystem is not None
    assert infer_types(DATA) is one.typesystem
    made = []
    for i in range(40):  # more than are kept
        cas = read_xmi(DATA.replace(b"n:Span", b"n:Span%d" % i), lenient=True)
        made.append(weakref.ref(type(cas.select(f"org.note.Span{i}")[0])))
    gc.collect()
    assert [ref() is not None for ref in made] == [False] * 8 + [True] * 32


def test_a_feature_unknown_to_a_type_and_those_below_it_has_one_range() -> None:
    types = TypeSystem()
    types.create_type("org.note.Span", Annotation)
    types.create_type("org.note.Below", "org.note.Span", {"size": "uima.cas.String"})
    types.create_type("org.note.Other", "org.note.Span")
    data = DATA.replace(b'<n:Span xmi:id="3"', b'<n:Other xmi:id="3"').replace(b'ok="false"', b'ok="hardly"')
    cas = read_xmi(data, types, lenient=True)
    assert cas.typesystem is not None
    span, other = (cas.typesystem.features(f"org.note.{n}") for n in ("Span", "Other"))
    assert span["size"].range == other["size"].range == "uima.cas.String"  # as the type below has it
    assert (span["score"].range, span["ok"].range) == ("uima.cas.Double", "uima.cas.String")
    assert [f.name for f in cas.typesystem.describe("org.note.Other").features] == []
    assert [a.ok for a in cas.select("org.note.Span")] == ["true", "hardly"]
    flat = read_jsoncas(
        b'{"%FEATURE_STRUCTURES":[{"%ID":1,"%TYPE":"uima.cas.Sofa","sofaID":"_InitialView","sofaString":"abc"},'
        b'{"%ID":2,"%TYPE":"org.note.Span","@sofa":1,"begin":0,"end":1,"ok":1,"size":"3"},'
        b'{"%ID":3,"%TYPE":"org.note.Other","@sofa":1,"begin":0,"end":2,"ok":"no"}],'
        b'"%VIEWS":{"_InitialView":{"%SOFA":1,"%MEMBERS":[2]}}}',
        types,
        lenient=True,
    )
    assert flat.typesystem is not None
    assert flat.typesystem.features("org.note.Other")["ok"].range == "uima.cas.String"
