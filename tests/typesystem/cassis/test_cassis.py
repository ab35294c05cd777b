"""Documents to and from cassis: what a user of cassis finds there."""

from __future__ import annotations

import cassis
import pytest

from caspipe.typesystem import (
    Annotation,
    ByteArray,
    Cas,
    CasError,
    Feature,
    Phi,
    PhiCandidate,
    PhiKind,
    Sentence,
    Token,
    TypeSystem,
    from_cassis,
    to_cassis,
)

POS = "de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS"


def test_our_document_in_cassis() -> None:
    cas = Cas("😀 She ran", id="d")
    cas.metadata = {"a": "b"}
    won = cas.add(Phi(2, 5, kind=PhiKind.PERSON))
    won._source = "rules"
    cas.view().add_all([Sentence(0, 9), Token(2, 5, pos="PRP"), PhiCandidate(2, 5, kind=PhiKind.PERSON, winner=won)])
    cas.view().add_spans(Sentence, [2], [9])
    there = to_cassis(cas)
    assert there.sofa_string == "😀 She ran"
    (phi,) = there.select("caspipe.Phi")
    assert (phi.get_covered_text(), phi.kind, phi.source, phi.confidence) == ("She", "PERSON", "rules", 1.0)
    assert there.select("caspipe.PhiCandidate")[0].winner is phi
    assert [t.pos.PosValue for t in there.select(Token.uima_name)] == ["PRP"]
    assert [p.coarseValue for p in there.select(POS)] == ["PRON"]
    assert len(there.select(Sentence.uima_name)) == 2
    again = from_cassis(there)
    assert (again.id, again.metadata) == ("d", {"a": "b"})
    assert [(type(t), t.pos) for t in again.select(Token)] == [(Token, "PRP")]
    (candidate,) = again.select(PhiCandidate)
    assert (candidate.winner, candidate.kind) == (again.select(Phi)[0], PhiKind.PERSON)
    assert candidate.winner.source == "rules"
    assert len(there.to_xmi()) > 100


def test_a_cassis_document_becomes_ours_with_its_types() -> None:
    ts = cassis.TypeSystem()
    T = ts.create_type("my.T")
    for name, range_ in (("n", "Integer"), ("s", "String"), ("all", "FSArray"), ("words", "StringList")):
        ts.create_feature(T, name, f"uima.cas.{range_}")
    ts._defines_predefined_type("uima.tcas.DocumentAnnotation")
    source = cassis.Cas(ts)
    source.sofa_string = "one 😀 two"
    source.sofa_mime = "text/plain"
    other = source.create_view("other")
    other.sofa_string = "three"
    two = T(begin=6, end=9, n=2)
    Array, Node, End = (ts.get_type(f"uima.cas.{n}") for n in ("FSArray", "NonEmptyStringList", "EmptyStringList"))
    one = T(begin=0, end=3, s="x", all=Array(elements=[two]), words=Node(head="w", tail=End()))
    source.add(one)
    source.add(two)
    other.add(T(begin=0, end=5))
    cas = from_cassis(source)
    first, second = cas.select("my.T")
    assert (first.covered_text, first.s, first.all, first.words) == ("one", "x", [second], ["w"])
    assert (second.covered_text, second.n) == ("two", 2)
    assert [t.covered_text for t in cas.view("other").select("my.T")] == ["three"]
    assert cas.typesystem is not None
    assert cas.typesystem.where("my.T").startswith("cassis type system:")


def test_an_offset_outside_the_text_is_refused() -> None:
    source = cassis.Cas()
    source.sofa_string = "abc"
    source.add(source.typesystem.get_type("uima.tcas.Annotation")(begin=2, end=9))
    with pytest.raises(
        CasError, match=r"^uima\.tcas\.Annotation 2:9 lies outside the text of view _InitialView \(0:3\)$"
    ):
        from_cassis(source)


def test_what_cassis_cannot_hold_is_refused_by_name() -> None:
    ts = TypeSystem()
    T = ts.create_type("my.T", Annotation, {"class": "uima.cas.String"})
    cas = Cas("abc", typesystem=ts)
    cas.add(T(0, 1))
    with pytest.raises(CasError, match=r"^type my\.T: cassis does not support a feature with such a name$"):
        to_cassis(cas)
    wrong = Cas("abc", id="d", typesystem=ts)
    R = ts.create_type("my.R", Annotation, {"n": "uima.cas.Integer"})
    wrong.add(R(0, 1, n="5"))
    with pytest.raises(CasError, match=r"^document d: my\.R: feature n \(uima\.cas\.Integer\): expected int, got str$"):
        to_cassis(wrong)


def test_bytes_nulls_and_names_python_reserves_pass_through() -> None:
    ts = TypeSystem()
    T = ts.create_type(
        "my.T",
        Annotation,
        [
            Feature("self", "uima.cas.String"),
            Feature("type", "uima.cas.String"),
            Feature("b", "uima.cas.ByteArray"),
            Feature("a", "uima.cas.FSArray"),
        ],
    )
    cas = Cas("abc", typesystem=ts)
    cas.create_view("data", None, mime="x/y", array=ByteArray(b"\xff\x00"))
    cas.add(T(0, 1, self="s", type="t", b=b"\x80\x7f", a=[None]))
    again = from_cassis(to_cassis(cas))
    (item,) = again.select("my.T")
    assert (item["self"], item["type"], item.b, item.a) == ("s", "t", b"\x80\x7f", [None])
    assert again.view("data").sofa.array == b"\xff\x00"
