"""A type that grows while a document contains instances of it: nothing leaves the index, and the new features are there."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from itertools import count, pairwise
from typing import Any

import pytest

from caspipe.typesystem import (
    Annotation,
    Cas,
    Feature,
    FeatureStructure,
    Phi,
    PhiKind,
    Token,
    TypeSystem,
    read_jsoncas,
    read_xmi,
    uima_type,
    write_jsoncas,
    write_xmi,
)

TEXT = "She ran"
X, Y = {"x": "uima.cas.String"}, {"y": "uima.cas.Integer"}
_numbers = count()


@pytest.fixture
def name() -> Iterator[str]:
    """Return the name of a type that no other test declares: declared classes stay for the whole process."""
    return f"growing.T{next(_numbers)}"


def grown_by_create_type(cas: Cas, types: TypeSystem, name: str) -> type[Any]:
    return types.create_type(name, Annotation, Y)


def grown_by_merge(cas: Cas, types: TypeSystem, name: str) -> type[Any]:
    other = TypeSystem()
    other.create_type(name, Annotation, Y)
    merged = types.merge(other)
    cas.set_typesystem(merged)
    return merged[name]


def grown_by_a_class(cas: Cas, types: TypeSystem, name: str) -> type[Any]:
    @uima_type(name)
    class Late(Annotation):
        x: str | None = None
        y: int = 0

    Late.__qualname__ = name.replace(".", "_")
    globals()[Late.__qualname__] = Late  # pickle finds classes by module and name
    return Late


WAYS = [grown_by_create_type, grown_by_merge, grown_by_a_class]


def document(name: str) -> tuple[Cas, TypeSystem, Any]:
    types = TypeSystem()
    first = types.create_type(name, Annotation, X)
    cas = Cas(TEXT, typesystem=types)
    return cas, types, cas.add(first(0, 3, x="she"))


@pytest.mark.parametrize("grow", WAYS)
def test_an_annotation_stays_selected_by_name_and_by_each_class_when_its_type_grows(grow: Any, name: str) -> None:
    cas, types, item = document(name)
    before = type(item)
    after = grow(cas, types, name)
    assert cas.select(name) == [item]
    assert cas.select(before) == cas.select(after) == [item]
    assert cas.select(Annotation) == [item]
    assert cas.view().count(after) == cas.view().count(before) == 1
    assert cas.view().spans(after) == ([0], [3])
    late = cas.add(after(4, 7, y=2))
    assert cas.select(name) == cas.select(before) == cas.select(after) == [item, late]


@pytest.mark.parametrize("grow", WAYS)
def test_existing_instances_have_the_new_features_with_their_defaults(grow: Any, name: str) -> None:
    cas, types, item = document(name)
    grow(cas, types, name)
    assert cas.select(name) == [item]
    assert (item.x, item["x"], item.y, item["y"]) == ("she", "she", 0, 0)
    item.y = 5
    item["y"] += 1
    assert (item.x, item.y) == ("she", 6)
    with pytest.raises(AttributeError):
        item.z = 1
    assert list(item.features) == ["x", "y"]
    assert (repr(item), isinstance(item, Annotation), item.covered_text) == (
        f"<{type(item).__name__} 0:3>",
        True,
        "She",
    )


def test_the_new_features_are_there_as_soon_as_create_type_returns(name: str) -> None:
    _, types, item = document(name)
    grown = types.create_type(name, Annotation, Y)
    item.y = 3
    assert item.y == 3
    assert isinstance(item, grown)
    assert issubclass(type(item), grown)
    assert not isinstance(Phi(0, 1, kind=PhiKind.ID), grown)


@pytest.mark.parametrize("grow", WAYS)
def test_files_pickles_and_copies_have_the_values_of_a_grown_type(grow: Any, name: str) -> None:
    cas, types, item = document(name)
    grow(cas, types, name)
    assert cas.select(name) == [item]
    item.y = 7
    for again in (
        read_xmi(write_xmi(cas), cas.typesystem),
        read_jsoncas(write_jsoncas(cas)),
        pickle.loads(pickle.dumps(cas)),
        cas.copy(),
        cas.copy().copy(),
    ):
        (found,) = again.select(name)
        assert (found.begin, found.end, found.x, found.y) == (0, 3, "she", 7)
        found.y = 8
        assert write_xmi(again).count(b'y="8"') == 1
    moved = item.moved(4, 7)
    twin = copy.copy(item)
    moved.y = twin.y = 9
    assert (item.y, moved.x, moved.covered_text if moved.sofa else moved.begin) == (7, "she", 4)


def test_documents_with_references_are_pickled_as_rows_after_growth(name: str) -> None:
    types = TypeSystem()
    node = types.create_type(name, Annotation, {"next": name})
    cas = Cas(TEXT, typesystem=types)
    items = [cas.add(node(0, 1)) for _ in range(5000)]
    for first, second in pairwise(items):
        first.next = second
    types.create_type(name, Annotation, {"back": name, **Y})
    items[-1].back = items[0]
    for again in (pickle.loads(pickle.dumps(cas)), cas.copy()):
        found = again.select(name)
        assert found[-1].back is found[0]
        assert found[0].next is found[1]
        assert found[0].back is None
        assert again.typesystem is not None
        again.add(again.typesystem[name](0, 3))
        assert len(again.select(name)) == 5001


def test_subtypes_grow_with_their_supertype(name: str) -> None:
    cas, types, item = document(name)
    sub = cas.add(types.create_type(f"{name}Sub", name, {"s": "uima.cas.String"})(0, 1, s="a"))
    grown = types.create_type(name, Annotation, Y)
    assert cas.select(grown) == cas.select(name) == [item, sub]
    sub.y = 4
    assert (sub.x, sub.s, sub.y, item.y) == (None, "a", 4, 0)
    assert cas.select(f"{name}Sub") == [sub]
    types.create_type(f"{name}Sub", name, {"t": "uima.cas.String"})
    assert cas.select(name) == [item, sub]
    assert (sub.t, sub.y) == (None, 4)
    assert not hasattr(item, "t")


def test_a_supertype_created_later_finds_the_instances_of_its_new_subtype(name: str) -> None:
    cas, types, item = document(name)
    middle = types.create_type(f"{name}Mid", Annotation, {"m": "uima.cas.String"})
    assert cas.select(middle) == []
    types.create_type(name, f"{name}Mid")
    assert cas.select(middle) == cas.select(f"{name}Mid") == [item]
    item.m = "between"
    assert read_xmi(write_xmi(cas), types).select(middle)[0].m == "between"


def test_a_class_declared_later_is_the_supertype_of_what_is_indexed(name: str) -> None:
    cas, types, item = document(name)
    sub = cas.add(types.create_type(f"{name}Sub", name)(4, 7))

    @uima_type(name)
    class Late(Annotation):
        x: str
        tags: list[str] = []  # noqa: RUF012

    assert cas.select(Late) == cas.select(name) == [item, sub]
    sub.tags.append("a")
    assert (item.tags, sub.tags) == ([], ["a"])
    cas.add(Late(4, 5, x="r"))
    assert [(a.begin, a.end) for a in cas.select(name)] == [(0, 3), (4, 7), (4, 5)]


def test_a_document_without_a_type_system_finds_instances_by_a_class_declared_later(name: str) -> None:
    other = TypeSystem()
    cas = Cas(TEXT)
    item = cas.add(other.create_type(name, Annotation, X)(0, 3))

    @uima_type(name)
    class Late(Annotation):
        x: str
        y: int = 1

    assert cas.select(Late) == cas.select(name) == [item]
    assert item.y == 1


def test_a_declared_type_grows_too_and_columns_become_objects_with_the_new_feature() -> None:
    types = TypeSystem()
    cas = Cas(TEXT, typesystem=types)
    phi = cas.add(Phi(0, 3, kind=PhiKind.PERSON))
    cas.view().add_spans(Token, [0, 4], [3, 7])
    types.create_type(Token.uima_name, Annotation, {"lemma": "uima.cas.String"})
    types.create_type("caspipe.Phi", Annotation, {"more": "uima.cas.String"})
    assert cas.select("caspipe.Phi") == cas.select(Phi) == [phi]
    assert not cas.view().has_only_spans(Token)
    for token, lemma in zip(cas.select(Token), ["she", "run"], strict=True):
        token.lemma = lemma
    phi.more = "x"
    assert isinstance(phi, Phi)
    later = cas.add(Phi(4, 7, kind=PhiKind.AGE))
    assert later.more is None
    cas.remove(later)
    assert cas.view().tokens.forms == ["She", "ran"]
    for again in (read_xmi(write_xmi(cas), types), pickle.loads(pickle.dumps(cas))):
        assert [t.lemma for t in again.select(Token)] == ["she", "run"]
        assert [(p.kind, p.more) for p in again.select(Phi)] == [(PhiKind.PERSON, "x")]
    cas.view().remove_from_source([Phi], "")
    assert cas.select("caspipe.Phi") == []


def test_columns_and_instances_of_a_declared_class_that_come_after_growth_have_the_new_feature() -> None:
    types = TypeSystem()
    cas = Cas(TEXT, typesystem=types)
    types.create_type(Token.uima_name, Annotation, {"lemma": "uima.cas.String"})
    cas.view().add_lazily(Token, lambda view: view.add_spans(Token, [0], [1], "cutter"))
    cas.view().remove_from_source([Token], "cutter")
    cas.view().add_lazily(Token, lambda view: view.add_spans(Token, [0], [3], "segmenter"))
    cas.add(Token(4, 7))
    assert [(t.lemma, t.pos) for t in cas.select(Token)] == [(None, "")] * 2
    assert cas.view().columns(Token) is None
    assert cas.view().tokens.forms == ["She", "ran"]


def test_the_old_class_still_makes_instances_with_all_features_once_they_are_added(name: str) -> None:
    cas, types, item = document(name)
    old = type(item)
    types.create_type(name, Annotation, Y)
    new = cas.add(types[name](0, 3))
    late = cas.add(old(0, 3))
    assert cas.select(name) == [item, new, late]  # equal spans in order of insertion, whatever their class
    assert late.y == 0


def test_a_feature_whose_attribute_name_is_taken_gets_another_one_and_is_written(name: str) -> None:
    types = TypeSystem()
    cas = Cas(TEXT, typesystem=types)
    item = cas.add(types.create_type(name, Annotation, {"source": "uima.cas.String"})(0, 3, source="a"))
    grown = types.create_type(name, Annotation, {"source_": "uima.cas.String"})  # the attribute of `source` so far
    cas.add(grown(4, 7, source="c", source_="d"))
    item["source_"] = "b"
    for again in (read_xmi(write_xmi(cas), types), read_jsoncas(write_jsoncas(cas)), cas.copy()):
        assert [(a["source"], a["source_"]) for a in again.select(name)] == [("a", "b"), ("c", "d")]


def test_growing_twice_keeps_values(name: str) -> None:
    cas, types, item = document(name)
    types.create_type(name, Annotation, Y)
    item.y = 1
    types.create_type(name, Annotation, {"z": "uima.cas.Boolean"})
    assert (item.x, item.y, item.z) == ("she", 1, False)
    cas.remove(item)
    assert cas.select(name) == []
    cas.add(item)
    assert cas.select(name) == [item]


def test_only_the_document_of_the_type_system_that_grew_changes(name: str) -> None:
    cas, types, item = document(name)
    other, _, same = document(name)
    assert type(same) is type(item)  # equal descriptions, one class
    types.create_type(name, Annotation, Y)
    assert hasattr(item, "y")
    assert not hasattr(same, "y")
    assert b"y=" not in write_xmi(other)
    assert b'y="0"' in write_xmi(cas)


def test_what_is_only_referred_to_grows_too(name: str) -> None:
    types = TypeSystem()
    target = types.create_type(f"{name}Target", FeatureStructure, X)
    holder = types.create_type(
        name, Annotation, [Feature("one", target.uima_name), Feature("all", "uima.cas.FSArray", target.uima_name)]
    )
    cas = Cas(TEXT, typesystem=types)
    one, two = target(x="1"), target(x="2")
    cas.add(holder(0, 3, one=one, all=[None, two]))
    types.create_type(target.uima_name, FeatureStructure, Y)
    one.y, two.y = 1, 2
    (again,) = read_xmi(write_xmi(cas), types).select(name)
    assert (again.one.y, again.all[1].y) == (1, 2)


def test_records_without_a_span_grow_too(name: str) -> None:
    types = TypeSystem()
    record = types.create_type(name, FeatureStructure, X)
    cas = Cas(TEXT, typesystem=types)
    item = cas.add(record(x="a"))
    grown = types.create_type(name, FeatureStructure, Y)
    assert cas.select(grown) == cas.select(record) == cas.select(name) == [item]
    assert item.y == 0
    late = cas.add(grown(y=1))
    assert cas.select(name) == [item, late]
    assert [x.y for x in pickle.loads(pickle.dumps(cas)).select(name)] == [0, 1]
    cas.remove(item)
    assert cas.select(name) == [late]
