"""Type systems: generated, loaded, merged, extended; names, priorities, run-time classes."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from type_descriptions import NS, RULE, a_type, described, load

from caspipe.typesystem import (
    Annotation,
    Cas,
    CasError,
    DocumentAnnotation,
    DocumentMetaData,
    Feature,
    FeatureStructure,
    Phi,
    PhiKind,
    Sentence,
    Token,
    TypeSystem,
    TypeSystemError,
    read_xmi,
    uima_type,
    write_xmi,
)

# -- generated ---------------------------------------------------------------------------------------------------


def test_our_types_are_generated_from_the_classes() -> None:
    ts = TypeSystem()
    phi = ts.describe("caspipe.Phi")
    assert phi.supertype == "uima.tcas.Annotation"
    assert [(f.name, f.range) for f in phi.features] == [
        ("kind", "uima.cas.String"),
        ("confidence", "uima.cas.Double"),
        ("value", "uima.cas.String"),
        ("reason", "uima.cas.String"),
        ("source", "uima.cas.String"),
    ]
    assert ts.features("caspipe.PhiCandidate")["winner"].range == "caspipe.Phi"
    assert ts.features(Token.uima_name)["pos"].range.endswith("lexmorph.type.pos.POS")
    assert "source" not in ts.features(Token.uima_name)
    assert ts["caspipe.Phi"] is Phi
    assert ts[Sentence.uima_name] is Sentence
    assert ts.where("caspipe.Phi") == "caspipe"


def test_a_class_of_a_plug_in_is_a_type_like_ours() -> None:
    @uima_type("org.example.WardBadge")
    class WardBadge(Phi):
        """A badge."""

        number: str
        tags: list[str] = []  # noqa: RUF012
        previous: Phi | None = None
        photo: bytes = b""

    ts = TypeSystem()
    described = ts.describe("org.example.WardBadge")
    assert (described.supertype, described.description) == ("caspipe.Phi", "A badge.")
    assert [f.name for f in described.features] == ["number", "tags", "previous", "photo"]
    cas = Cas("badge 12")
    badge = cas.add(WardBadge(0, 8, kind=PhiKind.ID, number="12", tags=["a", ""], photo=b"\x00\xff"))
    badge.previous = badge
    badge._source = "wards"
    again: Any = read_xmi(write_xmi(cas)).select(Phi)[0]
    assert (type(again), again.number, again.tags, again.previous, again.photo) == (
        WardBadge,
        "12",
        ["a", ""],
        again,
        b"\x00\xff",
    )
    assert again.source == "wards"


def test_the_generated_file_is_stable_ordered_and_complete() -> None:
    ts = TypeSystem()
    xml = ts.to_xml()
    assert TypeSystem.from_xml(xml).to_xml() == xml
    names = [line.strip() for line in xml.decode().splitlines() if line.strip().startswith("<name>") and "." in line]
    assert names == sorted(names)
    whole = ts.create_type(
        "a.T", Annotation, [Feature("all", "uima.cas.FSArray", "caspipe.Phi", True, description="<&>")]
    )
    feature = ts.to_xml([whole]).decode()
    assert feature.index("<elementType>caspipe.Phi</elementType>") < feature.index("<multipleReferencesAllowed>true")
    assert "&lt;&amp;&gt;" in feature


def test_a_part_of_the_types_comes_with_all_it_refers_to() -> None:
    part = TypeSystem().to_xml([Token])
    assert b"segmentation.type.Token" in part
    assert b"lexmorph.type.pos.POS" in part
    assert b"caspipe.Phi" not in part
    assert list(TypeSystem.from_xml(part)) == list(TypeSystem())


# -- loaded ------------------------------------------------------------------------------------------------------


def test_a_foreign_type_becomes_a_class_with_its_features() -> None:
    ts = load(
        a_type("a.Base", value="uima.cas.String"),
        a_type("a.Sub", "a.Base", n="uima.cas.Integer", ok="uima.cas.Boolean"),
    )
    Sub = ts["a.Sub"]
    item = Sub(2, 5, value="v")
    assert (item.begin, item.end, item.value, item.n, item.ok, item.source) == (2, 5, "v", 0, False, "")
    assert issubclass(Sub, ts["a.Base"])
    assert issubclass(Sub, Annotation)
    assert Sub(begin=1, end=2, n=4).n == 4
    assert repr(item) == "<Sub 2:5>"
    with pytest.raises(TypeError, match=r"^a\.Sub has no feature m; features: n, ok, value$"):
        Sub(0, 1, m=3)
    with pytest.raises(AttributeError):
        item.other = 1
    assert ts.subsumes("a.Base", "a.Sub")
    assert ts.subtypes("a.Base") == ["a.Sub"]


def test_the_same_description_gives_the_same_class() -> None:
    one, two = load(a_type("a.T", v="uima.cas.String")), load(a_type("a.T", v="uima.cas.String"))
    other = load(a_type("a.T", v="uima.cas.Integer"))
    assert one["a.T"] is two["a.T"]
    assert other["a.T"] is not one["a.T"]
    assert pickle.loads(pickle.dumps(one["a.T"])) is one["a.T"]
    assert pickle.loads(pickle.dumps(one)) == one == two != other


def test_foreign_tokens_are_tokens() -> None:
    ts = load(
        a_type(Token.uima_name, lemma="uima.cas.String", order="uima.cas.Integer"),
        a_type(Sentence.uima_name),
        a_type("uima.tcas.DocumentAnnotation", site="uima.cas.String"),
    )
    T = ts[Token.uima_name]
    assert issubclass(T, Token)
    assert ts[Sentence.uima_name] is Sentence
    cas = Cas("She ran", typesystem=ts)
    cas.view().add_all([T(0, 3, pos="PRP", lemma="she", order=1), Sentence(0, 7)])
    assert cas.view().tokens.forms == ["She"]
    cas.add(T(4, 7, pos="VBD", lemma="run", order=2))
    assert cas.view().tokens.forms == ["She", "ran"]
    again = read_xmi(write_xmi(cas), ts)
    assert [(t.pos, t.lemma, t.order) for t in again.select(Token)] == [("PRP", "she", 1), ("VBD", "run", 2)]
    D, M = ts["uima.tcas.DocumentAnnotation"], ts[DocumentMetaData.uima_name]
    assert M.__mro__.index(DocumentMetaData) < M.__mro__.index(D)
    assert issubclass(D, DocumentAnnotation)


def test_names_that_a_class_uses_already_get_an_underscore() -> None:
    ts = load(
        a_type(
            "a.T",
            source="uima.cas.String",
            source_="uima.cas.String",
            features="uima.cas.String",
            pos="uima.cas.String",
        )
    )
    item = ts["a.T"](0, 1, source="x", source_="y", features="z", pos="p")
    assert (item["source"], item["source_"], item["features"], item.pos, item.source) == ("x", "y", "z", "p", "")
    with pytest.raises(KeyError, match=r"a\.T has no feature nothing; features: source, source_, features, pos"):
        item["nothing"]
    with pytest.raises(KeyError):
        FeatureStructure()["x"]
    assert (item["begin"], item["end"], item["sofa"]) == (0, 1, None)


@pytest.mark.parametrize(
    ("types", "message"),
    [
        ([a_type("a.T", "a.Missing")], "t.xml:1: type a.T: no supertype a.Missing"),
        (
            [a_type("a.T", v="String")],
            "t.xml:1: feature a.T:v: no type String for its range; did you mean uima.cas.String?",
        ),
        ([a_type("a.T", "a.U"), a_type("a.U", "a.T")], "t.xml:1: type a.T is its own ancestor: a.T < a.U < a.T"),
        ([a_type("a.T", "uima.cas.Integer")], "t.xml:1: type a.T: nothing derives from uima.cas.Integer"),
        ([a_type("a.T", "uima.cas.FSArray")], "t.xml:1: type a.T: nothing derives from uima.cas.FSArray"),
        (
            [a_type("a.T", "uima.cas.String", v="uima.cas.String")],
            "t.xml:1: type a.T: a subtype of uima.cas.String has no features",
        ),
        (
            [a_type("a.T", "uima.cas.String"), a_type("a.U", "a.T")],
            "t.xml:1: type a.U: nothing derives from a.T",
        ),
        (
            [a_type("uima.tcas.Annotation", "uima.cas.AnnotationBase", x="uima.cas.String")],
            "t.xml:1: uima.tcas.Annotation is UIMA's own type and takes no further feature (x)",
        ),
        (
            [a_type("a.T", begin="uima.cas.String")],
            "feature a.T:begin: range is uima.cas.String in t.xml:1, but uima.cas.Integer in the supertype "
            "uima.tcas.Annotation (UIMA itself)",
        ),
        (
            [a_type("a.T", v="uima.cas.String"), a_type("a.T", v="uima.cas.Integer")],
            "feature a.T:v: range is uima.cas.String in t.xml:1, but uima.cas.Integer in t.xml:1",
        ),
        (
            [a_type("a.A"), a_type("a.B"), a_type("a.T", "a.A"), a_type("a.T", "a.B")],
            "type a.T: supertype is a.A in t.xml:1, but a.B in t.xml:1, and neither refines the other",
        ),
        (
            [a_type("a-b.T")],
            f"t.xml:1: type 'a-b.T' has '-'; {RULE}",
        ),
        (
            [a_type("a._T")],
            f"t.xml:1: type 'a._T' has a part that begins with '_'; {RULE}",
        ),
        (
            [a_type("a.T", **{"1x": "uima.cas.String"})],
            f"t.xml:1: feature of a.T '1x' has a part that begins with '1'; {RULE}",
        ),
        ([a_type("")], "t.xml:1: type without a name"),
        ([a_type("a.T", "")], "t.xml:1: type a.T without a supertypeName"),
        ([a_type("a.T", v="")], "t.xml:1: feature a.T:v without a rangeTypeName"),
        (
            [a_type(Sentence.uima_name, id="uima.cas.Integer")],
            f"feature {Sentence.uima_name}:id: range is uima.cas.String in caspipe, but uima.cas.Integer in t.xml:1",
        ),
    ],
)
def test_contradictions_are_told_with_both_places(types: list[str], message: str) -> None:
    with pytest.raises(TypeSystemError) as e:
        load(*types)
    assert str(e.value) == message


def test_what_is_no_type_system_is_refused() -> None:
    with pytest.raises(TypeSystemError, match=r"^t.xml:1: expected a typeSystemDescription, got taeDescription$"):
        TypeSystem.from_xml(b"<taeDescription/>", where="t.xml")
    with pytest.raises(TypeSystemError, match="imports are resolved relative to a file"):
        TypeSystem.from_xml(described(imports='<imports><import location="x.xml"/></imports>').encode())


def test_same_definitions_twice_are_one_and_supertypes_are_refined() -> None:
    ts = load(
        a_type("a.T", v="uima.cas.String"),
        a_type("a.T", "a.Mid", v="uima.cas.String", w="uima.cas.Integer"),
        a_type("a.Mid"),
    )
    assert ts.describe("a.T").supertype == "a.Mid"
    assert list(ts.features("a.T")) == ["sofa", "begin", "end", "v", "w"]


def test_a_type_may_stand_between_ours_and_annotation() -> None:
    ts = load(a_type("a.Mid", m="uima.cas.String"), a_type("caspipe.Phi", "a.Mid", more="uima.cas.String"))
    P = ts["caspipe.Phi"]
    item = P(0, 1, kind=PhiKind.DATE, m="m", more="x")
    assert isinstance(item, Phi)
    assert isinstance(item, ts["a.Mid"])
    cas = Cas("abc", typesystem=ts)
    item._source = "s"
    cas.add(item)
    (again,) = pickle.loads(pickle.dumps(read_xmi(write_xmi(cas), ts))).select("a.Mid")
    assert (again.m, again.more, again.kind, again.source) == ("m", "x", PhiKind.DATE, "s")


def test_a_document_of_types_from_a_file_is_unpickled_in_a_process_that_never_saw_them(tmp_path: Path) -> None:
    ts = load(
        a_type("a.Mid", m="uima.cas.String", next="a.Mid"), a_type("caspipe.Phi", "a.Mid", more="uima.cas.String")
    )
    cas = Cas("abc", typesystem=ts)
    first = cas.add(ts["a.Mid"](0, 1, m="m"))
    cas.add(ts["caspipe.Phi"](1, 2, kind=PhiKind.DATE, more="x", next=first))
    (tmp_path / "cas").write_bytes(pickle.dumps(cas))
    code = (
        "import pickle, sys; cas = pickle.load(open(sys.argv[1], 'rb')); a, b = cas.select('a.Mid'); "
        "from caspipe.typesystem import Phi, read_xmi, write_xmi; "
        "again = read_xmi(write_xmi(cas), cas.typesystem).select(Phi)[0]; "
        "print(a.m, b.more, b.next is a, type(a) is cas.typesystem['a.Mid'], isinstance(b, Phi), again.next.m)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "cas")], capture_output=True, text=True, check=True
    )
    assert done.stdout == "m x True True True m\n"


# -- created -----------------------------------------------------------------------------------------------------


def test_a_refused_type_leaves_the_type_system_as_it_was() -> None:
    ts = TypeSystem()
    before = ts.to_xml()
    with pytest.raises(
        TypeSystemError,
        match=r"create_type\(a\.T\): feature a\.T:v: no type caspipe\.Phy for its range; did you mean caspipe\.Phi\?",
    ):
        ts.create_type("a.T", features={"v": "caspipe.Phy"})
    assert ts.to_xml() == before
    assert "a.T" not in ts
    with pytest.raises(TypeSystemError, match=r"^no type called a\.T$"):
        ts["a.T"]
    with pytest.raises(TypeSystemError, match="is a type of values"):
        ts["uima.cas.Integer"]


def test_select_by_name_knows_the_documents_types() -> None:
    ts = TypeSystem()
    ts.create_type("a.Badge", features={"v": Phi})
    cas = Cas("abc", typesystem=ts)
    assert cas.select("a.Badge") == []
    with pytest.raises(CasError, match=r"^no type called a\.Bagde; did you mean a\.Badge\?$"):
        cas.select("a.Bagde")
    with pytest.raises(CasError, match=r"^no type called caspipe\.Phy; did you mean caspipe\.Phi\?$"):
        Cas("abc").select("caspipe.Phy")


def test_writing_what_the_type_system_lacks_is_refused() -> None:
    ts = TypeSystem()
    cas = Cas("abc", typesystem=ts)
    cas.add(ts.create_type("a.Badge")(0, 1))
    with pytest.raises(TypeSystemError, match=r"^no type called a\.Badge"):
        write_xmi(cas, typesystem=TypeSystem())
    other = TypeSystem()
    other.create_type("a.Badge", features={"v": "uima.cas.String"})
    more = TypeSystem()
    cas = Cas("abc", typesystem=more)
    cas.add(more.create_type("a.Badge", features={"v": "uima.cas.Integer"})(0, 1))
    with pytest.raises(
        CasError, match=r"^type a\.Badge: feature v is another in the type system \(from create_type\(a\.Badge\)\)$"
    ):
        write_xmi(cas, typesystem=other)


# -- priorities --------------------------------------------------------------------------------------------------


def test_type_priorities_order_equal_spans() -> None:
    ts = TypeSystem()
    A, B, C = (ts.create_type(f"a.{n}") for n in "ABC")
    S = ts.create_type("a.Sub", C)
    cas = Cas("abc", typesystem=ts)
    cas.view().add_all([A(0, 1), B(0, 1), C(0, 1), S(0, 1), Token(0, 1)])
    names = lambda: [type(a).__name__ for a in cas.copy().select(Annotation)]  # noqa: E731
    assert names() == ["Token", "A", "B", "C", "Sub"]  # ours, then by name
    ts.add_priority(C, B)
    ts.add_priority(B, "uima.tcas.DocumentAnnotation")
    assert names() == ["C", "Sub", "B", "Token", "A"]  # subtypes go with their supertype
    with pytest.raises(
        TypeSystemError, match=r"^type priorities contradict each other about a\.B, a\.C$|about a\.C, a\.B"
    ):
        ts.add_priority(B, C)
    assert names() == ["C", "Sub", "B", "Token", "A"]
    with pytest.raises(TypeSystemError, match=r"no type called a\.X"):
        ts.add_priority("a.X")


def test_type_priorities_are_read_from_files(tmp_path: Path) -> None:
    path = tmp_path / "p.xml"
    path.write_text(
        f"<typePriorities {NS}><priorityLists><priorityList><type>caspipe.ListHit</type><type>caspipe.Phi</type></priorityList>"
        "</priorityLists></typePriorities>"
    )
    ts = load(a_type("a.T")).merge(TypeSystem.load(path))
    assert ts.priorities == (("caspipe.ListHit", "caspipe.Phi"),)
    assert ts.rank(ts["caspipe.ListHit"]) < ts.rank(Phi) < ts.rank(Sentence) < ts.rank(ts["a.T"])


@given(st.lists(st.permutations(["a.A", "a.B", "a.C", "a.D"]).map(lambda p: p[:2]), max_size=5))
def test_merged_priorities_agree_with_every_list_or_are_refused(lists: list[list[str]]) -> None:
    ts = TypeSystem()
    for n in "ABCD":
        ts.create_type(f"a.{n}")
    try:
        whole = TypeSystem(ts.foreign(), lists)
    except TypeSystemError as e:
        assert "contradict" in str(e)
        closed = {(a, b) for a, b in lists}
        for _ in range(4):
            closed |= {(a, d) for a, b in closed for c, d in closed if b == c}
        assert any((a, a) in closed for a in ("a.A", "a.B", "a.C", "a.D"))
        return
    for first, second in lists:
        assert whole.rank(whole[first]) < whole.rank(whole[second])
