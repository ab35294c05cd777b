"""JSON CAS: the form that is written, and what other tools write and is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsoncas_documents import SOFA, TYPES, data, rows, t, types

from caspipe.typesystem import (
    Annotation,
    ByteArray,
    Cas,
    CasError,
    DocumentMetaData,
    FormatError,
    FSArray,
    IntegerArray,
    KnownPhi,
    Phi,
    PhiCandidate,
    PhiKind,
    Sentence,
    StringArray,
    Token,
    TypeSystem,
    read_jsoncas,
    read_xmi,
    save_jsoncas,
    write_jsoncas,
    write_xmi,
)
from caspipe.typesystem.arrays import linked


def written(cas: Cas, **options: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(write_jsoncas(cas, **options))
    return found


def of_type(document: dict[str, Any], name: str) -> list[dict[str, Any]]:
    return [r for r in document["%FEATURE_STRUCTURES"] if r["%TYPE"] == name]


# -- what is written ---------------------------------------------------------------------------------------------


def test_the_form_is_that_of_uima_for_java() -> None:
    cas = Cas("😀 ab", typesystem=TYPES)
    one = cas.add(TYPES["my.T"](2, 4, n=3, s="x"))
    cas.add(TYPES["my.T"](0, 1, to=one, d=float("nan"), aFSArray=[one, None], aByteArray=b"\x00\xff"))
    found = written(cas)
    assert list(found) == ["%TYPES", "%FEATURE_STRUCTURES", "%VIEWS"]
    sofa, *items = found["%FEATURE_STRUCTURES"]
    assert sofa == {
        "%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaNum": 1, "sofaID": "_InitialView", "mimeType": "text/plain",
        "sofaString": "😀 ab",
    }  # fmt: skip
    assert all(list(r)[:2] == ["%ID", "%TYPE"] for r in found["%FEATURE_STRUCTURES"])
    two, one_ = of_type(found, "my.T")
    assert (one_["@sofa"], one_["begin"], one_["end"], one_["n"], one_["s"]) == (1, 3, 5, 3, "x")
    assert (two["begin"], two["end"], two["@to"], two["#d"]) == (0, 2, one_["%ID"], "NaN")
    by_id = {r["%ID"]: r for r in items}
    assert by_id[two["@aFSArray"]] == {
        "%ID": two["@aFSArray"], "%TYPE": "uima.cas.FSArray", "%ELEMENTS": [one_["%ID"], None],
    }  # fmt: skip
    assert by_id[two["@aByteArray"]]["%ELEMENTS"] == "AP8="
    assert found["%VIEWS"] == {"_InitialView": {"%SOFA": 1, "%MEMBERS": [two["%ID"], one_["%ID"]]}}


def test_the_types_that_are_used_go_along() -> None:
    cas = Cas("ab", typesystem=TYPES)
    cas.add(TYPES["my.T"](0, 1))
    minimal = written(cas)["%TYPES"]
    assert list(minimal) == ["my.T"]
    assert minimal["my.T"]["%NAME"] == "my.T"
    assert minimal["my.T"]["%SUPER_TYPE"] == "uima.tcas.Annotation"
    assert minimal["my.T"]["to"] == {"%NAME": "to", "%RANGE": "my.T"}
    assert minimal["my.T"]["one"] == {"%NAME": "one", "%RANGE": "my.T[]", "%MULTIPLE_REFERENCES_ALLOWED": True}
    assert minimal["my.T"]["aFSArray"]["%RANGE"] == "uima.cas.TOP[]"
    assert minimal["my.T"]["aIntegerArray"]["%RANGE"] == "uima.cas.Integer[]"
    assert set(written(cas, mode="full")["%TYPES"]) > {"my.T", "caspipe.Phi"}
    none = write_jsoncas(cas, mode="none")
    assert "%TYPES" not in json.loads(none)
    assert read_jsoncas(none, TYPES).view().count(Annotation) == 1
    with pytest.raises(FormatError, match=r"%FEATURE_STRUCTURES\[1\] \(%ID 2\): no type my\.T in the type system"):
        read_jsoncas(none)


def test_a_document_needs_no_type_system_beside_it() -> None:
    cas = Cas("ab cd", id="d1", typesystem=TYPES)
    cas.metadata = {"k": "v", "empty": ""}
    cas.add(TYPES["my.T"](0, 2, n=7))
    cas.add(Token(0, 2, pos="NN"))
    cas.add(Phi(3, 5, kind=PhiKind.AGE))
    again = read_jsoncas(write_jsoncas(cas))
    assert again.id == "d1"
    assert again.metadata == {"k": "v", "empty": ""}
    assert [x.n for x in again.select("my.T")] == [7]
    assert [x.pos for x in again.select(Token)] == ["NN"]
    assert again.view().count(Annotation) == 4  # and the DocumentMetaData that carries the id
    same = read_jsoncas(write_jsoncas(again))
    assert same.typesystem is again.typesystem  # documents with the same types share them


def test_own_types_alone_need_no_type_system_at_all() -> None:
    cas = Cas("ab")
    cas.add(Sentence(0, 2))
    assert read_jsoncas(write_jsoncas(cas)).typesystem is None


def test_nothing_is_lost_that_xml_cannot_carry() -> None:
    text = "a\x00\x0b\ud800b\udfff\ufffe\r\n"
    cas = Cas(text, typesystem=TYPES)
    values = ["", None, "\x01", "\ud83d"]
    cas.add(TYPES["my.T"](2, len(text), s="\x0c", aStringArray=values, top=StringArray(values)))
    document = write_jsoncas(cas)
    assert b"caspipe.Metadata" not in document
    again = read_jsoncas(document)
    assert again.text == text
    (item,) = again.select("my.T")
    assert (item.begin, item.end, item.s, item.aStringArray, list(item.top)) == (2, len(text), "\x0c", values, values)


def test_halves_that_json_would_join_come_back_as_two() -> None:
    pair = "\ud83d\ude00"  # two code points here, one character in JSON
    cas = Cas(f"{pair} x 😀 y", typesystem=TYPES)
    cas.add(TYPES["my.T"](1, 2, s=pair, aStringArray=[f"a{pair}"]))
    cas.add(TYPES["my.T"](6, 7))
    cas.metadata = {"m": pair}
    again = read_jsoncas(write_jsoncas(cas))
    assert again.text == cas.text
    assert again.metadata == cas.metadata
    one, two = again.select("my.T")
    assert (one.begin, one.end, one.s, one.aStringArray) == (1, 2, pair, [f"a{pair}"])
    assert again.view().covered_text(two) == cas.text[6:7]


def test_what_features_share_stays_one() -> None:
    cas = Cas("abc", typesystem=TYPES)
    shared, alone = FSArray([]), IntegerArray([1, 2])
    one, two = (cas.add(TYPES["my.T"](i, i + 1)) for i in (0, 1))
    one.aFSArray, two.top, one.aIntegerArray = shared, shared, alone
    one.aStringList = linked("uima.cas.StringList", ["x", "y"])
    two.top = one.aStringList
    document = json.loads(write_jsoncas(cas))
    assert len(of_type(document, "uima.cas.NonEmptyStringList")) == 2
    again = read_jsoncas(data(document))
    first, second = again.select("my.T")
    assert first.aStringList is second.top
    assert type(first.aIntegerArray) is list
    assert write_jsoncas(read_jsoncas(write_jsoncas(again))) == write_jsoncas(again)
    assert list(read_xmi(write_xmi(again), TYPES).select("my.T")[0].aStringList) == ["x", "y"]


def test_lists_that_share_their_end_as_java_writes_them_are_plain() -> None:
    nodes = [
        {"%ID": 10, "%TYPE": "uima.cas.EmptyStringList"},
        {"%ID": 11, "%TYPE": "uima.cas.NonEmptyStringList", "head": "x", "@tail": 10},
        {"%ID": 12, "%TYPE": "uima.cas.NonEmptyStringList", "head": "y", "@tail": 10},
    ]
    cas = read_jsoncas(
        data(
            rows(
                t(2, **{"@aStringList": 11}),
                t(3, **{"@aStringList": 12}),
                t(4, **{"@aStringList": 10}),
                *nodes,
                members=[2, 3, 4],
            )
        ),
        TYPES,
    )
    assert [x.aStringList for x in cas.select("my.T")] == [["x"], ["y"], []]
    assert type(cas.select("my.T")[0].aStringList) is list


def test_only_some_views_and_types_are_written() -> None:
    cas = Cas("original", id="secret-id")
    cas.metadata = {"k": "v"}
    cas.add(KnownPhi(kind=PhiKind.PERSON, value="x"))
    cas.create_view("deidentified", "masked").add(Sentence(0, 6))
    cas.add(PhiCandidate(0, 3, kind=PhiKind.AGE))
    only = write_jsoncas(cas, views=["deidentified"])
    for word in (b"original", b"secret-id", b"KnownPhi", b"Metadata"):
        assert word not in only
    assert [r["%TYPE"] for r in written(cas, types=[PhiCandidate])["%FEATURE_STRUCTURES"]] == [
        "uima.cas.Sofa", "uima.cas.Sofa", "caspipe.PhiCandidate", DocumentMetaData.uima_name,
        "caspipe.Metadata", "uima.cas.StringArray", "uima.cas.StringArray",
    ]  # fmt: skip


def test_sofas_that_are_not_text_come_before_what_refers_to_them() -> None:
    cas = Cas()
    cas.create_view("sound", None, mime="audio/wav", array=ByteArray(b"\x00\xff"))
    cas.create_view("picture", None, mime="image/png", uri="file:/x.png")
    document = written(cas)
    assert [r["%TYPE"] for r in document["%FEATURE_STRUCTURES"]] == [
        "uima.cas.ByteArray", "uima.cas.Sofa", "uima.cas.Sofa",
    ]  # fmt: skip
    again = read_jsoncas(write_jsoncas(cas))
    assert bytes(again.view("sound").sofa.array) == b"\x00\xff"  # type: ignore[arg-type]  # a ByteArray
    assert again.view("picture").sofa.uri == "file:/x.png"
    assert write_jsoncas(again) == write_jsoncas(cas)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ({"n": "x"}, "my.T: feature n (uima.cas.Integer): expected int, got str"),
        ({"n": 2**31}, "my.T: feature n (uima.cas.Integer): expected -2147483648 to 2147483647"),
        ({"s": 5}, "my.T: feature s (uima.cas.String): expected str, got int"),
        ({"b": 1}, "my.T: feature b (uima.cas.Boolean): expected bool, got int"),
        ({"f": 1e39}, "my.T: feature f (uima.cas.Float): expected a float of 32 bits"),
        ({"to": "x"}, "my.T: feature to (my.T): expected a feature structure (my.T), got str"),
        ({"aStringArray": "abc"}, "my.T: feature aStringArray (uima.cas.StringArray): expected a list, got str"),
        ({"aIntegerArray": ["a"]}, "my.T: feature aIntegerArray (uima.cas.IntegerArray): expected int, got str"),
        ({"aStringList": 5}, "my.T: feature aStringList (uima.cas.StringList): expected a list, got int"),
    ],
)
def test_what_cannot_be_written_is_named_without_its_value(features: dict[str, Any], message: str) -> None:
    cas = Cas("abc", id="d1", typesystem=TYPES)
    cas.add(TYPES["my.T"](0, 1, **features))
    with pytest.raises(CasError) as e:
        write_jsoncas(cas)
    assert str(e.value) == f"document d1: {message}"


def test_a_file_is_saved_whole(tmp_path: Path) -> None:
    cas = Cas("abc")
    save_jsoncas(cas, tmp_path / "d.json", mode="none")
    assert (tmp_path / "d.json").read_bytes() == write_jsoncas(cas, mode="none")
    assert read_jsoncas(tmp_path / "d.json", id="x").id == "x"


# -- what others write -------------------------------------------------------------------------------------------


def test_anchors_a_header_and_the_form_by_id_are_read() -> None:
    item = {"%TYPE": "my.T", "@sofa": 1, "^begin": 1, "^end": 3, "%FLAGS": ["DocumentAnnotation"]}
    document = {
        "%HEADER": {"%VERSION": "1.0.0"},
        "%FEATURE_STRUCTURES": {"7": item, "1": {k: v for k, v in SOFA.items() if k != "%ID"}},
        "%VIEWS": {"_InitialView": {"%SOFA": 1, "%MEMBERS": [7]}},
    }
    cas = read_jsoncas(data(document), TYPES)
    assert [(x.begin, x.end) for x in cas.select("my.T")] == [(1, 3)]
    assert '"%ID":7,' in write_jsoncas(cas).decode()


def test_a_sofa_may_come_last_and_arrays_by_their_element_type() -> None:
    array = {"%ID": 3, "%TYPE": "my.T[]", "%ELEMENTS": [2, None, 0]}
    numbers = {"%ID": 4, "%TYPE": "uima.cas.Double[]", "%ELEMENTS": [1, 2.5, "NaN", "-Infinity", "Inf", None]}
    document = rows(t(2, **{"@aFSArray": 3, "@aDoubleArray": 4}), array, numbers, members=[2])
    document["%FEATURE_STRUCTURES"].append(document["%FEATURE_STRUCTURES"].pop(0))
    (item,) = read_jsoncas(data(document), TYPES).select("my.T")
    assert item.aFSArray == [item, None, None]
    assert repr(item.aDoubleArray) == "[1.0, 2.5, nan, -inf, inf, 0.0]"


def test_absent_and_null_features_are_what_nobody_set() -> None:
    absent, null = t(2), t(3, n=None, s=None, **{"@to": None, "@aFSArray": None, "@one": 0})
    one, two = read_jsoncas(data(rows(absent, null, members=[2, 3])), TYPES).select("my.T")
    for item in (one, two):
        assert (item.n, item.s, item.to, item.aFSArray, item.one, item.b) == (0, None, None, None, None, False)


def test_a_byte_order_mark_and_utf_16_are_read() -> None:
    document = json.dumps(rows(t(2, s="ü"), members=[2]), ensure_ascii=False)
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        assert read_jsoncas(document.encode(encoding), TYPES).select("my.T")[0].s == "ü"


def test_more_sets_of_keys_than_functions_are_read_all_the_same() -> None:
    names = ["n", "d", "f", "s", "b", "y", "l", "@to", "@top"]
    values = {"n": 1, "d": 1.5, "f": 1.5, "s": "x", "b": True, "y": 2, "l": 3, "@to": 2, "@top": 2}
    made = []
    for i in range(2 ** len(names)):
        chosen = [name for j, name in enumerate(names) if i >> j & 1]
        made.append(t(i + 2, **{name: values[name] for name in chosen}))
    made.append(t(600, **{"#d": "NaN"}))
    found = read_jsoncas(data(rows(*made, members=[600, *range(2, 514)])), types()).select("my.T")
    assert len(found) == 513
    assert sum(x.n for x in found) == sum(bool(x.to) for x in found) == 256
    assert sum(x.s == "x" and x.b for x in found) == 128


def test_types_of_the_document_join_those_that_are_known() -> None:
    token = {
        "%NAME": Token.uima_name, "%SUPER_TYPE": "uima.tcas.Annotation",
        "lemma": {"%NAME": "lemma", "%RANGE": "uima.cas.String", "%DESCRIPTION": "base form"},
        "pos": {"%NAME": "pos", "%RANGE": "de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS"},
    }  # fmt: skip
    lab = {"%NAME": "my.Lab", "%SUPER_TYPE": "uima.cas.String", "%ALLOWED_VALUES": {"high": "", "low": "too low"}}
    document = rows(
        {"%ID": 2, "%TYPE": Token.uima_name, "@sofa": 1, "begin": 0, "end": 3, "lemma": "zeb"},
        members=[2],
        **{"%TYPES": {Token.uima_name: token, "my.Lab": lab, "my.X": {"%NAME": "my.X", "%SUPER_TYPE": "my.Y"},
                      "my.Y": {"%NAME": "my.Y", "lab": {"%NAME": "lab", "%RANGE": "my.Lab"}}}},
    )  # fmt: skip
    cas = read_jsoncas(data(document))
    (found,) = cas.select(Token)
    assert found["lemma"] == "zeb"
    assert cas.typesystem is not None
    assert cas.typesystem.allowed_values("my.Lab") == ("high", "low")
    assert cas.typesystem.supertypes("my.X") == ["my.Y", "uima.cas.TOP"]
    again = read_jsoncas(write_jsoncas(cas, mode="full"))
    assert again.typesystem == cas.typesystem


def test_a_document_annotation_with_more_features_keeps_them() -> None:
    ts = TypeSystem()
    ts.create_type("uima.tcas.DocumentAnnotation", "uima.tcas.Annotation", {"site": "uima.cas.String"})
    cas = Cas("abc", typesystem=ts)
    cas.add(ts["uima.tcas.DocumentAnnotation"](0, 3, site="north"))
    assert [d["site"] for d in read_jsoncas(write_jsoncas(cas)).select("uima.tcas.DocumentAnnotation")] == ["north"]


def test_packages_that_xmi_cannot_have_are_no_trouble_here() -> None:
    ts = TypeSystem()
    ts.create_type("org.xml.Node", Annotation, {"name": "uima.cas.String"})
    cas = Cas("abc", typesystem=ts)
    cas.add(ts["org.xml.Node"](0, 1, name="x"))
    assert [x.name for x in read_jsoncas(write_jsoncas(cas)).select("org.xml.Node")] == ["x"]


def test_a_feature_structure_may_have_the_number_of_a_sofa() -> None:
    cas = read_jsoncas(data(rows(t(1, n=7), members=[1])), types())
    (found,) = cas.select("my.T")
    assert (found.n, found.sofa) == (7, cas.view().sofa)
    again = written(cas)["%FEATURE_STRUCTURES"]
    assert {row["%TYPE"]: row["%ID"] for row in again} == {"my.T": 1, "uima.cas.Sofa": 2}
    assert read_jsoncas(write_jsoncas(cas)).select("my.T")[0].n == 7


def test_an_empty_document_of_java_is_read() -> None:
    cas = read_jsoncas(b'{"%TYPES": {}, "%VIEWS": {"_InitialView": {"%SOFA": 1, "%MEMBERS": []}}}')
    assert (cas.view().sofa.text, list(cas.view())) == (None, [])
