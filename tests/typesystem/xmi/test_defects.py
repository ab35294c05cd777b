"""Defects known of other tools (dkpro-cassis 0.12.0, Apache UIMA 2.10), each with the right behaviour of ours.

The names in brackets are those of the lists in the project's notes: numbers for `1.`, B numbers for the comparison with UIMA.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from small import back, types, xmi

from caspipe.typesystem import (
    Annotation,
    Cas,
    CasError,
    DocumentMetaData,
    Feature,
    FormatError,
    Phi,
    PhiKind,
    Sentence,
    StringArray,
    Token,
    TypeSystem,
    read_xmi,
    write_xmi,
)

EMOJI = "😀😀😀 abc def"


def test_order_is_that_of_uima_for_supertypes_and_equal_begins() -> None:  # 1, 2
    cas = Cas("nine long.")
    cas.view().add_all([Token(0, 2), Sentence(0, 9), Token(0, 9), Phi(0, 5, kind=PhiKind.DATE)])
    expected = [("Sentence", 0, 9), ("Token", 0, 9), ("Phi", 0, 5), ("Token", 0, 2)]
    for document in (cas, back(cas)):
        assert [(type(a).__name__, a.begin, a.end) for a in document.select(Annotation)] == expected


def test_offsets_of_what_is_only_referred_to_do_not_drift() -> None:  # 3, B1, B2
    ts, T = types(next="my.T")
    cas = Cas(EMOJI, typesystem=ts)
    cas.add(T(0, 1, next=T(4, 7)))
    for _ in range(3):
        cas = back(cas)
        (first,) = cas.select(T)
        assert first.next.covered_text == "abc"
        assert first.next.sofa is cas.view().sofa
        assert first.next not in cas.select(T)


@pytest.mark.parametrize("character", ["\x00", "\x0b", "\x0c", "\x1f", "\ufffe", "\uffff", "\ud800", "\udfff"])
def test_characters_xml_cannot_carry_cost_nothing(character: str) -> None:  # 4, 5, B19
    ts, T = types(value="uima.cas.String")
    text = f"a{character}b 😀{character} end"
    cas = Cas(text, typesystem=ts)
    cas.add(T(len(text) - 3, len(text), value=f"{character}x"))
    again = back(cas)
    assert again.text == text
    (item,) = again.select(T)
    assert (item.covered_text, item.value) == ("end", f"{character}x")
    other = Cas(text, id="d9")
    with pytest.raises(CasError, match=r"^document d9: view _InitialView: a character that XML 1.0 cannot carry$"):
        write_xmi(other, on_illegal="error")


def test_an_illegal_character_in_a_feature_is_named_by_document_type_and_feature() -> None:  # 4
    ts, T = types(value="uima.cas.String")
    cas = Cas("abc", id="d1", typesystem=ts)
    cas.add(T(0, 1, value="secret\x0c"))
    with pytest.raises(CasError) as e:
        write_xmi(cas, on_illegal="error")
    assert str(e.value) == "document d1: my.T: feature value (uima.cas.String): a character that XML 1.0 cannot carry"


def test_null_in_an_array_is_null() -> None:  # 6, B4
    ts = TypeSystem()
    T = ts.create_type("my.T", Annotation, [Feature("all", "uima.cas.FSArray", "uima.cas.TOP", False)])
    cas = Cas("abc", typesystem=ts)
    one = T(0, 1)
    cas.view().add_all([one, T(1, 2, all=[one, None, one])])
    data = write_xmi(cas)
    assert b'<cas:NULL xmi:id="0"/>' in data
    first, second = read_xmi(data, ts).select(T)
    assert second.all == [first, None, first]


@pytest.mark.parametrize(
    ("range_", "value", "message"),
    [
        ("Integer", "5", "expected int, got str"),
        ("Integer", 1.0, "expected int, got float"),
        ("Integer", True, "expected int, got bool"),
        ("Integer", 2**31, "expected -2147483648 to 2147483647"),
        ("Long", 2**63, "expected -9223372036854775808 to 9223372036854775807"),
        ("Short", -(2**15) - 1, "expected -32768 to 32767"),
        ("Byte", 200, "expected -128 to 127"),
        ("Double", "x", "expected float, got str"),
        ("Float", 1e39, "expected a float of 32 bits"),
        ("Boolean", "false", "expected bool, got str"),
        ("Boolean", 1, "expected bool, got int"),
        ("String", 7, "expected str, got int"),
        ("String", ["a"], "expected str, got list"),
        ("ByteArray", [256], "expected bytes of -128 to 255"),
        ("IntegerArray", ["1"], "expected int, got str"),
        ("StringArray", "abc", "expected a list, got str"),
        ("FSArray", ["abc"], "expected feature structures, got str"),
        ("TOP", "abc", "expected a feature structure (uima.cas.TOP), got str"),
    ],
)  # 7, B7, B8, B9, B25
def test_values_of_the_wrong_type_or_range_are_refused_by_name(range_: str, value: Any, message: str) -> None:
    ts, T = types(f=f"uima.cas.{range_}")
    cas = Cas("abc", id="d1", typesystem=ts)
    cas.add(T(0, 1, f=value))
    with pytest.raises(CasError) as e:
        write_xmi(cas)
    assert str(e.value) == f"document d1: my.T: feature f (uima.cas.{range_}): {message}"


@pytest.mark.parametrize(("begin", "end"), [(-1, 2), (3, 2), (0, 4), (9, 9)])
def test_offsets_outside_the_text_are_refused(begin: int, end: int) -> None:  # 8, B20
    cas = Cas("abc", id="d")
    with pytest.raises(CasError, match="lies outside the text"):
        cas.add(Token(begin, end))
    ts, T = types(next="my.T")
    cas = Cas("abc", id="d", typesystem=ts)
    cas.add(T(0, 1, next=T(begin, end)))
    with pytest.raises(
        CasError, match=rf"^document d: my.T {begin}:{end} lies outside the text of view _InitialView \(0:3\)$"
    ):
        write_xmi(cas)


def test_unknown_features_and_types_survive_lenient_reading() -> None:  # 9, 10, 11
    ts, T = types(known="uima.cas.String")
    data = xmi(
        '<my:T xmi:id="2" sofa="1" begin="0" end="3" known="k" extra="e" to="3"/>\n'
        '<my:New xmi:id="3" some="thing"/>\n<my:T xmi:id="4" sofa="1" begin="4" end="7" to="3"/>\n',
        "2 4",
    )
    with pytest.raises(FormatError, match=r":5:1: my.T has no feature extra$"):
        read_xmi(data, ts)
    cas = read_xmi(data, ts, lenient=True)
    first, second = cas.select("my.T")
    assert (first.known, first.extra, first.to.some) == ("k", "e", "thing")
    assert second.to is first.to
    again = read_xmi(write_xmi(cas), cas.typesystem)
    assert again.select("my.T")[0].to.some == "thing"
    assert T.uima_name == "my.T"


def test_subtypes_of_string_are_strings() -> None:  # 12, B14
    ts = TypeSystem()
    assert ts.create_type("my.Lab", "uima.cas.String", allowed_values=["high", "low"]) is str
    T = ts.create_type("my.T", Annotation, {"lab": "my.Lab"})
    cas = Cas("abc", typesystem=ts)
    cas.add(T(0, 1, lab="high"))
    assert back(cas).select(T)[0].lab == "high"
    assert b"<value><string>high</string></value>" in ts.to_xml()
    assert TypeSystem.from_xml(ts.to_xml()).allowed_values("my.Lab") == ("high", "low")


def test_features_come_as_attributes_or_elements_references_by_id_or_href() -> None:  # 14
    ts = TypeSystem()
    T = ts.create_type(
        "my.T",
        Annotation,
        [
            Feature("n", "uima.cas.Integer"),
            Feature("s", "uima.cas.String"),
            Feature("to", "my.T"),
            Feature("all", "uima.cas.IntegerArray"),
            Feature("bytes", "uima.cas.ByteArray"),
            Feature("some", "uima.cas.FSArray"),
            Feature("words", "uima.cas.StringArray"),
        ],
    )
    data = xmi(
        '<my:T xmi:id="2"><sofa href="#1"/><begin>0</begin>\n  <end>3</end><n>7</n><s>a &lt;b</s><to href="#3"/>'
        "<all>2</all><all>4</all><bytes>-1</bytes><bytes>127</bytes>"
        '<some href="#2"/><some href="#3"/><words>x</words><words/></my:T>\n<my:T xmi:id="3" sofa="1" begin="4" end="7"/>',
        "2 3",
    )
    first, second = read_xmi(data, ts).select(T)
    assert (first.begin, first.end, first.n, first.s, first.to) == (0, 3, 7, "a <b", second)
    assert (first.all, first.bytes, first.some, first.words) == ([2, 4], b"\xff\x7f", [first, second], ["x", ""])


def test_sofas_with_a_uri_or_an_array_are_kept() -> None:  # 15, B6
    from caspipe.typesystem import ByteArray

    cas = Cas()
    cas.create_view("picture", None, mime="image/png", uri="file:///x.png")
    cas.create_view("sound", None, mime="audio/wav", array=ByteArray(b"\x00\xff\x80"))
    again = back(cas)
    assert again.view("picture").sofa.uri == "file:///x.png"
    sound = again.view("sound").sofa
    assert (sound.mime, bytes(sound.array), type(sound.array)) == ("audio/wav", b"\x00\xff\x80", ByteArray)  # type: ignore[call-overload]
    again.view("picture").add(Annotation(5, 9))  # offsets into what is not text are not checked
    assert back(again).view("picture").select(Annotation)[0].end == 9


@pytest.mark.parametrize("duplicate", [lambda c: pickle.loads(pickle.dumps(c)), copy.deepcopy, copy.copy, Cas.copy])
def test_documents_with_foreign_types_pickle_and_copy(duplicate: Callable[[Cas], Cas]) -> None:  # 16
    ts, T = types(next="my.T", value="uima.cas.String")
    cas = Cas("abc", typesystem=ts)
    first = T(0, 1, value="v")
    first.next = first
    cas.add(first)
    twin = duplicate(cas)
    (item,) = twin.select("my.T")
    assert item.next is item
    assert type(item) is T
    assert write_xmi(twin) == write_xmi(cas)


def test_begin_and_end_cannot_be_changed_under_the_index() -> None:  # 17
    cas = Cas("abc")
    token = cas.add(Token(0, 1))
    with pytest.raises(AttributeError):
        token.begin = 1
    assert cas.view().replace(token, Token(1, 2)).begin == 1
    assert [t.begin for t in cas.select(Token)] == [1]


def test_empty_and_null_strings_in_arrays_and_lists_stay_apart() -> None:  # B3
    ts = TypeSystem()
    T = ts.create_type(
        "my.T",
        Annotation,
        [Feature("a", "uima.cas.StringArray"), Feature("l", "uima.cas.StringList"), Feature("s", "uima.cas.TOP")],
    )
    cas = Cas("abc", typesystem=ts)
    cas.add(T(0, 1, a=["", None, "None", " "], l=["", "None"], s=StringArray([None, ""])))
    (item,) = back(cas).select(T)
    assert (item.a, item.l, list(item.s)) == (["", None, "None", " "], ["", "None"], [None, ""])


def test_null_references_need_no_cas_null() -> None:  # B5
    ts = TypeSystem()
    T = ts.create_type("my.T", Annotation, [Feature("all", "uima.cas.FSArray"), Feature("to", "my.T")])
    data = xmi('<my:T xmi:id="2" sofa="1" begin="0" end="3" all="0 2" to="0"/>', "2").replace(
        b'<cas:NULL xmi:id="0"/>', b""
    )
    (item,) = read_xmi(data, ts).select(T)
    assert (item.all, item.to) == ([None, item], None)


def test_an_annotation_is_in_one_view() -> None:  # B10
    cas = Cas("abc")
    other = cas.create_view("other", "abc")
    token = cas.add(Token(0, 1))
    with pytest.raises(CasError, match="belongs to another text"):
        other.add(token)


def test_ids_never_clash_when_feature_structures_move_between_documents() -> None:  # B11
    ts = TypeSystem()
    R = ts.create_type("my.R", "uima.cas.TOP", {"s": "uima.cas.String"})
    first = Cas("abc", typesystem=ts)
    first.add(R(s="one"))
    moved = back(first)
    second = back(first)
    second.add(moved.select(R)[0])
    assert [r.s for r in back(second).select(R)] == ["one", "one"]


@pytest.mark.parametrize("package", ["org.xmi", "org.xmitools", "org.xml", "a.xmlns", "XMI"])
def test_packages_that_uima_passes_over_get_another_prefix(package: str) -> None:  # B12
    ts = TypeSystem()
    T = ts.create_type(f"{package}.T")
    cas = Cas("abc", typesystem=ts)
    cas.add(T(0, 1))
    assert b"<p:T " in write_xmi(cas)
    assert len(back(cas).select(T)) == 1


def test_features_added_to_document_annotation_are_in_the_type_system() -> None:  # B13
    ts = TypeSystem()
    D = ts.create_type("uima.tcas.DocumentAnnotation", "uima.tcas.Annotation", {"docId": "uima.cas.String"})
    cas = Cas("abc", id="note", typesystem=ts)
    cas.add(D(0, 3, docId="x", language="de"))
    again = read_xmi(write_xmi(cas), TypeSystem.from_xml(ts.to_xml()))
    (document,) = again.select("uima.tcas.DocumentAnnotation")
    assert (document["docId"], document.language) == ("x", "de")
    M = ts[DocumentMetaData.uima_name]
    assert issubclass(M, D)
    assert issubclass(M, DocumentMetaData)
    assert M(0, 3, docId="y", documentTitle="t").docId == "y"


@pytest.mark.parametrize("name", ["a-b.T", "_a.T", "a..T", "a.1T", "a.T$", "a.😀", "", "a.T "])
def test_names_uima_refuses_are_refused(name: str) -> None:  # names
    with pytest.raises(Exception, match="expected letters, digits and underscores"):
        TypeSystem().create_type(name)


@pytest.mark.parametrize("name", ["Gefäß", "a.b.Müller_2", "中.文"])
def test_names_uima_takes_are_taken(name: str) -> None:
    ts = TypeSystem()
    T = ts.create_type(name, Annotation, {"größe": "uima.cas.Double"})
    cas = Cas("abc", typesystem=ts)
    cas.add(T(0, 1, größe=1.5))
    assert back(cas).select(T)[0].größe == 1.5


@pytest.mark.parametrize(
    "name", ["class", "from", "in", "is", "for", "not", "self", "type", "xmiID", "source", "features", "text", "None"]
)
def test_features_may_be_called_like_anything(name: str) -> None:  # B17
    ts, T = types(**{name: "uima.cas.String"})
    cas = Cas("abc", typesystem=ts)
    item = T(0, 1, **{name: "v"})
    item._source = "engine"
    cas.add(item)
    (again,) = pickle.loads(pickle.dumps(back(cas))).select(T)
    assert again[name] == "v"
    again[name] = "w"
    assert again[name] == "w"
    assert again.source == ""


def test_begin_end_and_sofa_of_a_record_are_plain_features() -> None:  # B18
    ts = TypeSystem()
    R = ts.create_type(
        "my.R", "uima.cas.TOP", {"begin": "uima.cas.String", "end": "uima.cas.Double", "sofa": "uima.cas.Integer"}
    )
    cas = Cas("abc", typesystem=ts)
    cas.add(R(begin="b", end=2.5, sofa=7))
    (item,) = back(cas).select(R)
    assert (item.begin, item.end, item.sofa) == ("b", 2.5, 7)


def test_texts_beyond_ten_megabytes_are_read() -> None:  # B21
    text = "0123456789\n" * 1_000_000
    cas = Cas(text)
    cas.add(Token(len(text) - 3, len(text) - 1))
    again = back(cas)
    assert again.text == text
    assert again.select(Token)[0].covered_text == "89"


def test_an_offset_inside_a_surrogate_pair_is_a_fault_or_widened() -> None:  # B24
    ts, T = types()
    data = xmi('<my:T xmi:id="2" sofa="1" begin="1" end="3"/>', "2", text=EMOJI)
    with pytest.raises(
        FormatError, match=r":5:1: my.T: offsets 1:3 \(UTF-16 code units\) divide a character of two units$"
    ):
        read_xmi(data, ts)
    cas = read_xmi(data, ts, lenient=True)
    assert [(a.begin, a.end) for a in cas.select(T)] == [(0, 2)]
    assert cas.metadata["xmi:notes"] == "my.T 1:3 widened to whole characters"


def test_a_view_without_a_sofa_is_the_initial_view() -> None:  # B23
    ts = TypeSystem()
    R = ts.create_type("my.R", "uima.cas.TOP", {"s": "uima.cas.String"})
    data = (
        b'<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:my="http:///my.ecore" '
        b'xmi:version="2.0"><my:R xmi:id="1" s="x"/><cas:View members="1"/></xmi:XMI>'
    )
    cas = read_xmi(data, ts)
    assert cas.view().sofa.text is None
    assert cas.select(R)[0].s == "x"
    assert b"cas:Sofa" not in write_xmi(cas)
    assert b'<cas:View members="1"/>' in write_xmi(cas)
