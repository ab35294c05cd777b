"""Our XMI before Apache UIMA for Java, and Java's before us: sofas, types, UTF-16 offsets, covered texts, features."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
from documents import WIDE, documents
from graphs import differences, for_java, from_java, graph
from hypothesis import HealthCheck, Phase, given, settings
from uima import Uima

from caspipe.typesystem import (
    Annotation,
    ByteArray,
    Cas,
    DocumentAnnotation,
    DocumentMetaData,
    Feature,
    FormatError,
    Phi,
    PhiCandidate,
    PhiKind,
    Replacement,
    Sentence,
    Token,
    TypeSystem,
    read_xmi,
    replace_spans,
    write_xmi,
)

pytestmark = pytest.mark.java


def zoo(shared: Path) -> list[Path]:
    return sorted((shared / "xmi_zoo").glob("*.xmi"))


def types_of(path: Path) -> Path:
    return path.with_name(path.name.removesuffix(".xmi") + ".typesystem.xml")


def without_made(cas: Cas, like: Cas) -> Cas:
    """A document as Java wrote it, without the document annotations and the initial view that Java added."""
    for view in cas.views:
        if not like.has_view(view.name):
            cas.drop_view(view.name)
        elif not like.view(view.name).select(DocumentAnnotation):
            for made in view.select(DocumentAnnotation):
                view.remove(made)
    return cas


def test_documents_of_other_tools_are_read_strictly_and_come_back(shared: Path) -> None:
    assert len(zoo(shared)) >= 32
    for path in zoo(shared):
        types = TypeSystem.load(types_of(path))
        cas = read_xmi(path, types)
        again = read_xmi(write_xmi(cas), types)
        assert graph(again) == graph(cas), path.name
        assert write_xmi(again) == write_xmi(cas), path.name
        assert again.origin is not None
        assert cas.origin is not None
        assert set(again.origin.items) <= set(cas.origin.items), f"{path.name}: xmi:ids changed"
        assert graph(pickle.loads(pickle.dumps(cas))) == graph(cas), path.name
        loose = read_xmi(path, lenient=True)
        assert write_xmi(read_xmi(write_xmi(loose), loose.typesystem)) == write_xmi(loose), path.name
        assert TypeSystem.from_xml(types.to_xml()) == types, path.name


def test_java_sees_documents_of_other_tools_as_we_do(java: Uima, shared: Path) -> None:
    read = [(path, TypeSystem.load(types_of(path))) for path in zoo(shared)]
    ours = [(read_xmi(path, types), types) for path, types in read]
    before = java.check([(path, types_of(path)) for path, _ in read])
    after = java.check([(write_xmi(cas), types.to_xml()) for cas, types in ours], again=True)
    for (path, types), (cas, _), there, here in zip(read, ours, before, after, strict=True):
        assert "error" not in there, (path.name, there.get("error"))
        assert "error" not in here, (path.name, here.get("error"))
        found = [d for d in differences(for_java(cas), from_java(there)) if not d.endswith(".language")]
        assert not found, (path.name, found)  # we take an absent language for x-unspecified, as UIMA's own default is
        assert not differences(for_java(read_xmi(write_xmi(cas), types)), from_java(here)), path.name
        assert graph(read_xmi(here["again"], types)) == graph(cas), path.name


def examples(odd: bool, number: int) -> list[Cas]:
    """Random documents, collected so that one virtual machine sees them all."""
    made: list[Cas] = []

    @settings(
        max_examples=number,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(documents(odd=odd))
    def collect(cas: Cas) -> None:
        made.append(cas)

    collect()
    return made


def test_java_sees_random_documents_as_we_do(java: Uima) -> None:
    made = [(cas, odd) for odd in (False, True) for cas in examples(odd, 120)]
    types = WIDE.to_xml()
    written = [write_xmi(cas, offset_map=True) for cas, _ in made]
    answers = java.check([(data, types) for data in written], again=True)
    for (_, odd), data, answer in zip(made, written, answers, strict=True):
        assert "error" not in answer, answer.get("error")
        read = read_xmi(data, WIDE)
        if not odd:  # what XML cannot carry, Java sees replaced
            assert not differences(for_java(read), from_java(answer))
        again = without_made(read_xmi(answer["again"], WIDE), read)
        assert graph(again, single=True) == graph(read, single=True)


def deidentified() -> Cas:
    cas = Cas("Seen 😀 on 3/4/2020 by Dr. Smith.\r\n\tBP\x0c 120/80", id="note-1")
    cas.metadata = {"source": "test"}
    view = cas.view()
    date = view.add(Phi(10, 18, kind=PhiKind.DATE, value="2020-03-04"))
    date._source = "dates"
    view.add_all(
        [PhiCandidate(10, 18, kind=PhiKind.DATE, winner=date, rule="d"), Sentence(0, 32), Token(0, 4, pos="VBN")]
    )
    text, offsets = replace_spans(cas.text, [Replacement(10, 18, "[DATE]")])
    cas.create_view("deidentified", text).offset_map = offsets
    cas.create_view("gold", cas.text).add(Phi(22, 31, kind=PhiKind.PERSON_DOCTOR))
    return cas


def test_java_reads_a_deidentified_document(java: Uima) -> None:
    cas = deidentified()
    answers = java.check(
        [
            (write_xmi(cas, offset_map=True), TypeSystem().to_xml()),
            (write_xmi(cas, views=["deidentified"]), TypeSystem().to_xml()),
        ],
        again=True,
    )
    whole, masked = answers
    assert [v["name"] for v in whole["views"]] == ["_InitialView", "deidentified", "gold"]
    phi = next(f for f in whole["fs"] if f["type"] == "caspipe.Phi" and f["features"]["kind"] == "DATE")
    assert (phi["covered"], phi["features"]["begin"], phi["features"]["source"]) == ("3/4/2020", 11, "dates")
    doctor = next(f for f in whole["fs"] if f["features"].get("kind") == "PERSON_DOCTOR")
    assert doctor["covered"] == "Dr. Smith"
    (document,) = [f for f in whole["fs"] if f["type"] == DocumentMetaData.uima_name]
    assert document["features"]["documentId"] == "note-1"
    assert {"_InitialView", "deidentified"} >= {v["name"] for v in masked["views"]}
    assert [v["text"] for v in masked["views"] if v["name"] == "deidentified"] == [
        cas.deidentified.replace("\x0c", " ")
    ]
    assert all(f["type"] != "caspipe.Phi" for f in masked["fs"])
    again = without_made(read_xmi(whole["again"]), cas)
    assert again.text == cas.text
    assert again.metadata == cas.metadata
    found = again.view("deidentified").offset_map
    assert found is not None
    assert cas.view("deidentified").offset_map is not None
    assert found.segments() == [(10, 18, 10, 16)]


def test_java_reads_sofas_that_are_not_text(java: Uima) -> None:
    cas = Cas()
    cas.create_view("picture", None, mime="image/png", uri="file:/x.png")
    cas.create_view("sound", None, mime="audio/wav", array=ByteArray(b"\x00\xff"))
    (answer,) = java.check([(write_xmi(cas), TypeSystem().to_xml())], again=True)
    views = {v["name"]: v for v in answer["views"]}
    assert views["picture"]["uri"] == "file:/x.png"
    assert answer["fs"][views["sound"]["array"]]["elements"] == [0, -1]
    assert graph(without_made(read_xmi(answer["again"]), cas)) == graph(cas)


REFUSED_BY_BOTH: dict[str, tuple[str, str]] = {
    "an unknown type": ('<my:U xmi:id="2"/>', ""),
    "an unknown feature": ('<my:T xmi:id="2" sofa="1" begin="0" end="1" w="1"/>', ""),
    "a dangling reference": ('<my:T xmi:id="2" sofa="1" begin="0" end="1" to="9"/>', ""),
    "a number with a blank": ('<my:T xmi:id="2" sofa="1" begin="0" end="1" n=" 5"/>', ""),
    "a number out of range": ('<my:T xmi:id="2" sofa="1" begin="0" end="1" n="2147483648"/>', ""),
    "a double of another spelling": ('<my:T xmi:id="2" sofa="1" begin="0" end="1" d="inf"/>', ""),
    "a member that is not there": ("", "7"),
    "a control character": ('<my:T xmi:id="2" sofa="1" begin="0" end="1" s="&#11;"/>', ""),
}


def small(rows: str, members: str) -> bytes:
    return (
        '<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:my="http:///my.ecore" '
        'xmi:version="2.0"><cas:NULL xmi:id="0"/><cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" sofaString="abc"/>'
        f'{rows}<cas:View sofa="1" members="{members}"/></xmi:XMI>'
    ).encode()


def small_types() -> TypeSystem:
    ts = TypeSystem()
    features = {"n": "Integer", "d": "Double", "s": "String", "b": "Boolean", "to": "TOP"}
    ts.create_type("my.T", Annotation, {k: f"uima.cas.{v}" for k, v in features.items()})
    return ts


@pytest.mark.parametrize("fault", REFUSED_BY_BOTH)
def test_what_java_refuses_we_refuse(java: Uima, fault: str) -> None:
    data = small(*REFUSED_BY_BOTH[fault])
    with pytest.raises(FormatError):
        read_xmi(data, small_types())
    (answer,) = java.check([(data, small_types().to_xml())])
    assert "error" in answer


VALUES = [
    ("n", "+5"), ("n", ""), ("d", "1e5"), ("d", ".5"), ("d", "5."), ("d", "1.5f"), ("d", "NaN"), ("d", "-Infinity"), ("d", ""),
    ("b", "TRUE"), ("b", "1"), ("b", ""), ("s", ""), ("s", "&#10;&#13;&#9; &quot;"), ("to", "0"),
]  # fmt: skip


def test_values_mean_to_us_what_they_mean_to_java(java: Uima) -> None:
    data = [small(f'<my:T xmi:id="2" sofa="1" begin="0" end="1" {name}="{value}"/>', "2") for name, value in VALUES]
    answers = java.check([(d, small_types().to_xml()) for d in data])
    for d, answer, (name, value) in zip(data, answers, VALUES, strict=True):
        assert "error" not in answer, (name, value, answer.get("error"))
        assert not differences(for_java(read_xmi(d, small_types())), from_java(answer)), (name, value)


def test_java_takes_our_type_system_files(java: Uima) -> None:
    ts = WIDE.merge(small_types())
    ts.create_type("my.Lab", "uima.cas.String", allowed_values=["a<b", "c"], description="A & B")
    ts.create_type("my.Value", Annotation, [Feature("lab", "my.Lab"), Feature("all", "uima.cas.FSArray", "my.T", True)])
    ts.create_type("uima.tcas.DocumentAnnotation", "uima.tcas.Annotation", {"site": "uima.cas.String"})
    cas = Cas("abc", typesystem=ts)
    cas.add(ts["my.Value"](0, 1, lab="a<b"))
    cas.add(ts["uima.tcas.DocumentAnnotation"](0, 3, site="north"))
    (answer,) = java.check([(write_xmi(cas), ts.to_xml())])
    assert "error" not in answer, answer.get("error")
    values: list[dict[str, Any]] = [f["features"] for f in answer["fs"] if "features" in f]
    assert any(v.get("lab") == "a<b" for v in values)
    assert any(v.get("site") == "north" for v in values)
