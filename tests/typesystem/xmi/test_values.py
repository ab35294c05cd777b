"""Values, names, arrays and references in XMI: what UIMA for Java makes of them, and ground that others lose."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest
from small import back, types, xmi

from caspipe.typesystem import (
    Annotation,
    Cas,
    CasError,
    Feature,
    FormatError,
    FSArray,
    Token,
    TypeSystem,
    read_xmi,
    write_xmi,
)


@pytest.mark.parametrize(
    ("text", "value"), [("true", True), ("TRUE", True), ("false", False), ("1", False), ("", False)]
)
def test_booleans_are_read_as_java_reads_them(text: str, value: bool) -> None:  # after B23
    ts, T = types(b="uima.cas.Boolean")
    assert read_xmi(xmi(f'<my:T xmi:id="2" sofa="1" begin="0" end="1" b="{text}"/>', "2"), ts).select(T)[0].b is value


@pytest.mark.parametrize(
    ("range_", "text", "value"),
    [
        ("Integer", "+5", 5),
        ("Integer", "", 0),
        ("Double", "1e5", 1e5),
        ("Double", "1.5d", 1.5),
        ("Float", "Infinity", float("inf")),
        ("Double", " 1\t", 1.0),
        ("Double", "+NaN", "NaN"),
        ("Double", "-0x1.8p1d", -3.0),
        ("Float", "0x1p9999", float("inf")),
        ("Integer", "\u0663", 3),
        ("Double", "-Infinity", float("-inf")),
        ("Long", "-9223372036854775808", -(2**63)),
    ],
)
def test_numbers_are_read_as_java_reads_them(range_: str, text: str, value: Any) -> None:
    ts, T = types(n=f"uima.cas.{range_}")
    (item,) = read_xmi(xmi(f'<my:T xmi:id="2" sofa="1" begin="0" end="1" n="{text}"/>', "2"), ts).select(T)
    assert item.n == value or (value == "NaN" and item.n != item.n)


@pytest.mark.parametrize(
    ("range_", "text"),
    [
        ("Integer", " 5"),
        ("Integer", "5.0"),
        ("Integer", "True"),
        ("Integer", "2147483648"),
        ("Integer", "1_0"),
        ("Byte", "200"),
        ("Double", "nan"),
        ("Double", "inf"),
        ("Double", "1,5"),
        ("Integer", "9" * 5000),
        ("Double", "1 1"),
        ("Double", "0x1"),
        ("ByteArray", "4"),
        ("LongArray", "1 x"),
    ],
)
def test_numbers_java_refuses_are_refused(range_: str, text: str) -> None:
    ts, _ = types(n=f"uima.cas.{range_}")
    with pytest.raises(
        FormatError, match=r"^\(bytes\):5:1: my.T: expected (a whole number|a number|pairs of hexadecimal)"
    ):
        read_xmi(xmi(f'<my:T xmi:id="2" sofa="1" begin="0" end="1" n="{text}"/>', "2"), ts)


def test_the_same_last_part_of_two_packages_gets_two_prefixes() -> None:  # namespaces
    ts = TypeSystem()
    names = ["a.t.T", "b.t.T", "cas.T", "x.cas.T", "x.tcas.T", "T", "t2.T"]
    cas = Cas("abc", typesystem=ts)
    for name in names:
        cas.add(ts.create_type(name)(0, 1))
    data = write_xmi(cas)
    again = read_xmi(data, ts)
    assert sorted(type(a).uima_name for a in again.select(Annotation)) == sorted(names)
    assert b'xmlns:noNamespace="http:///uima/noNamespace.ecore"' in data


def test_line_ends_tabs_and_markup_survive_everywhere() -> None:
    ts = TypeSystem()
    T = ts.create_type("my.T", Annotation, [Feature("s", "uima.cas.String"), Feature("a", "uima.cas.StringArray")])
    odd = " \r\n\t\n\r<&>\"']]> \x7f\x85\u2028 "
    cas = Cas(odd, typesystem=ts)
    cas.add(T(0, len(odd), s=odd, a=[odd, "", odd]))
    for pretty in (False, True):
        again = back(cas, pretty=pretty)
        (item,) = again.select(T)
        assert (again.text, item.s, item.a) == (odd, odd, [odd, "", odd])


def test_arrays_are_inline_or_shared_as_the_type_system_says() -> None:
    ts = TypeSystem()
    T = ts.create_type(
        "my.T",
        Annotation,
        [
            Feature("inline", "uima.cas.FSArray"),
            Feature("shared", "uima.cas.FSArray", None, True),
            Feature("any", "uima.cas.TOP"),
        ],
    )
    cas = Cas("abc", typesystem=ts)
    one, two = T(0, 1), T(1, 2)
    array = FSArray([one, two])
    one.inline = two.inline = array
    one.shared = two.shared = one.any = array
    cas.view().add_all([one, two])
    data = write_xmi(cas)
    assert data.count(b"<cas:FSArray") == 1
    first, second = read_xmi(data, ts).select(T)
    assert first.shared is second.shared is first.any
    assert first.inline == second.inline == list(first.shared) == [first, second]


def test_a_plain_list_in_a_shared_feature_keeps_its_identity() -> None:
    ts = TypeSystem()
    T = ts.create_type(
        "my.T",
        Annotation,
        [Feature("a", "uima.cas.IntegerArray", None, True), Feature("l", "uima.cas.FSList", None, True)],
    )
    cas = Cas("abc", typesystem=ts)
    numbers, heads = [1, 2], []
    one, two = T(0, 1, a=numbers, l=heads), T(1, 2, a=numbers, l=heads)
    heads += [one, two]
    cas.view().add_all([one, two])
    first, second = back(cas).select(T)
    assert first.a is second.a
    assert first.l is second.l
    assert (list(first.a), list(first.l)) == ([1, 2], [first, second])


def test_a_list_in_a_circle_cannot_be_inline() -> None:
    from caspipe.typesystem.arrays import LISTS

    ts = TypeSystem()
    T = ts.create_type(
        "my.T", Annotation, [Feature("l", "uima.cas.IntegerList"), Feature("m", "uima.cas.IntegerList", None, True)]
    )
    circle: Any = LISTS["uima.cas.IntegerList"][1](1)
    circle.tail = circle
    cas = Cas("abc", typesystem=ts)
    item = cas.add(T(0, 1, m=circle))
    again = back(cas).select(T)[0]
    assert again.m.tail is again.m
    item.l = circle
    with pytest.raises(CasError, match=r"my\.T: feature l"):
        write_xmi(cas)


# -- further ground that other implementations lose --------------------------------------------------------------


@pytest.mark.parametrize("duplicate", [lambda c: pickle.loads(pickle.dumps(c)), Cas.copy])
def test_chains_as_long_as_the_document_pickle(duplicate: Callable[[Cas], Cas]) -> None:
    from caspipe.typesystem.arrays import linked

    ts = TypeSystem()
    T = ts.create_type(
        "my.T",
        Annotation,
        [Feature("next", "my.T"), Feature("l", "uima.cas.IntegerList", None, True), Feature("a", "uima.cas.FSArray")],
    )
    cas = Cas("a" * 3000, id="d", typesystem=ts)
    numbers = linked("uima.cas.IntegerList", range(3000))
    last = None
    for i in range(3000):
        last = cas.add(T(i, i + 1, next=last, l=numbers, a=[last]))
    twin = duplicate(cas)
    assert write_xmi(twin) == write_xmi(cas)
    first, second = twin.select(T)[:2]
    assert first.l is second.l
    assert second.next is first is second.a[0]


def test_what_is_indexed_twice_is_written_once() -> None:
    cas = Cas("abc")
    token = cas.add(Token(0, 1))
    cas.add(token)
    assert len(back(cas).select(Token)) == 1


def test_a_reference_into_another_document_is_refused() -> None:
    ts, T = types(next="my.T")
    first, second = Cas("abc", typesystem=ts), Cas("abc", id="d2", typesystem=ts)
    item = first.add(T(0, 1))
    second.add(T(0, 1, next=item))
    with pytest.raises(CasError, match=r"^document d2: <T 0:1> is referred to, but belongs to another document$"):
        write_xmi(second)


def test_a_reference_of_the_wrong_type_is_a_fault_or_null() -> None:
    ts, T = types(next="my.T", all="uima.cas.FSArray")
    data = xmi('<my:T xmi:id="2" sofa="1" begin="0" end="1" next="1"/>', "2")
    with pytest.raises(
        FormatError, match=r"my\.T: feature next refers to xmi:id 1: expected my\.T, got uima\.cas\.Sofa$"
    ):
        read_xmi(data, ts)
    cas = read_xmi(data, ts, lenient=True)
    assert cas.select(T)[0].next is None
    assert "expected my.T, got uima.cas.Sofa" in cas.metadata["xmi:notes"]


def test_a_feature_may_refer_to_a_sofa() -> None:
    ts, T = types(any="uima.cas.TOP", where="uima.cas.Sofa")
    cas = Cas("abc", typesystem=ts)
    other = cas.create_view("other", "def")
    cas.add(T(0, 1, any=other.sofa, where=cas.view().sofa))
    again = back(cas)
    (item,) = again.select(T)
    assert (item.any, item.where) == (again.view("other").sofa, again.view().sofa)


def test_numbers_near_the_limit_leave_room() -> None:
    ts, T = types()
    data = xmi('<my:T xmi:id="2147483647" sofa="1" begin="0" end="1"/>', "2147483647")
    cas = read_xmi(data, ts)
    cas.add(T(1, 2))
    again = back(cas)
    assert again.origin is not None
    assert sorted(again.origin.items) == [2, 2147483647]


def test_annotations_that_are_not_spans_belong_to_their_sofa() -> None:
    ts = TypeSystem()
    T = ts.create_type("my.Mark", "uima.cas.AnnotationBase", {"n": "uima.cas.Integer"})
    cas = Cas("abc", typesystem=ts)
    item = cas.add(T(n=3))
    assert item.sofa is cas.view().sofa
    other = cas.create_view("other", "abc")
    with pytest.raises(CasError, match="belongs to another Sofa"):
        other.add(item)
    again = back(cas)
    assert [(m.n, m.sofa) for m in again.select(T)] == [(3, again.view().sofa)]
