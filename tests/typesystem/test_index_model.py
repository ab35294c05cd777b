"""The index of a view against a list that is sorted on every access, over random sequences of operations."""

from __future__ import annotations

import pickle
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from caspipe.typesystem import Annotation, Cas, CasError, FeatureStructure, Token, TypeSystem, uima_type
from caspipe.typesystem.annotation import TYPES

LENGTH = 12
_runs = count()
offsets = st.tuples(st.integers(0, LENGTH), st.integers(0, LENGTH)).map(lambda p: (min(p), max(p)))
kinds = st.integers(0, 3)
picks = st.integers(0, 1000)


class Model(RuleBasedStateMachine):
    """`self.items` are the indexed annotations in order of insertion; `self.gone` was removed or never added.

    The types: Base, Sub below Base, Other, and caspipe's Token.
    """

    @initialize()
    def start(self) -> None:
        run = f"model.r{next(_runs)}"
        self.names = [f"{run}.Base", f"{run}.Sub", f"{run}.Other", Token.uima_name]
        self.types = TypeSystem()
        base = self.types.create_type(self.names[0], Annotation, {"next": "uima.tcas.Annotation"})
        self.types.create_type(self.names[1], base)
        self.types.create_type(self.names[2])
        self.classes: list[list[Any]] = [[self.types[n]] for n in self.names]
        """Every class that each type ever had."""
        self.cas = Cas("x" * LENGTH, typesystem=self.types)
        self.view = self.cas.view()
        self.items: list[Any] = []
        self.gone: list[Any] = []
        self.features: dict[str, set[str]] = {n: set() for n in self.names}
        self.steps = 0

    # -- changes -------------------------------------------------------------------------------------------------

    @rule(kind=kinds, which=picks, span=offsets)
    def add(self, kind: int, which: int, span: tuple[int, int]) -> None:
        classes = self.classes[kind]
        self.items.append(self.view.add(classes[which % len(classes)](*span)))

    @rule(kind=kinds, spans=st.lists(offsets, min_size=5, max_size=40))
    def add_many(self, kind: int, spans: list[tuple[int, int]]) -> None:
        made = [self.classes[kind][-1](*span) for span in spans]
        self.view.add_all(made)
        self.items += made

    @rule(kind=st.sampled_from([2, 3]), first=st.integers(0, 5))
    def add_columns(self, kind: int, first: int) -> None:
        cls = self.classes[kind][-1]
        known = {id(x) for x in self.items}
        self.view.add_spans(cls, [first, first + 2], [first + 2, first + 5], "columns")
        self.items += [x for x in self.view.select(cls) if id(x) not in known]

    @precondition(lambda self: self.items)
    @rule(which=picks)
    def add_again(self, which: int) -> None:
        item = self.items[which % len(self.items)]
        assert self.view.add(item) is item

    @precondition(lambda self: self.gone)
    @rule(which=picks)
    def add_what_was_removed(self, which: int) -> None:
        self.items.append(self.view.add(self.gone.pop(which % len(self.gone))))

    @precondition(lambda self: self.items)
    @rule(which=picks)
    def remove(self, which: int) -> None:
        item = self.items.pop(which % len(self.items))
        self.view.remove(item)
        with pytest.raises(CasError, match="is not indexed in view"):
            self.view.remove(item)
        self.gone.append(item)

    @rule(kind=kinds)
    def remove_from_source(self, kind: int) -> None:
        name = self.names[kind]
        self.view.remove_from_source([self.classes[kind][0]], "columns")
        self.gone += [x for x in self.items if x.uima_name == name and x.source == "columns"]
        self.items = [x for x in self.items if not (x.uima_name == name and x.source == "columns")]

    @precondition(lambda self: self.items)
    @rule(which=picks, kind=kinds, span=offsets, referring=picks)
    def replace(self, which: int, kind: int, span: tuple[int, int], referring: int) -> None:
        old = self.items[which % len(self.items)]
        holders = [x for x in self.items if x.uima_name in self.names[:2] and x is not old]
        if holders:
            holders[referring % len(holders)].next = old
        new = self.view.replace(old, self.classes[kind][-1](*span))
        self.items = [x for x in self.items if x is not old] + [new]
        self.gone.append(old)
        assert not [x for x in self.items if getattr(x, "next", None) is old]
        if holders:
            assert holders[referring % len(holders)].next is new

    # -- types that grow -----------------------------------------------------------------------------------------

    @precondition(lambda self: sum(map(len, self.features.values())) < 6)
    @rule(kind=kinds, merged=st.booleans())
    def grow(self, kind: int, merged: bool) -> None:
        name, feature = self.names[kind], f"f{sum(map(len, self.features.values()))}"
        parent = self.types.describe(name).supertype
        if merged:
            other = TypeSystem(self.types.foreign())
            other.create_type(name, parent, {feature: "uima.cas.Integer"})
            self.types = self.types.merge(other)
            self.cas.set_typesystem(self.types)
        else:
            self.types.create_type(name, parent, {feature: "uima.cas.Integer"})
        self._grew(name, feature)

    def _grew(self, name: str, feature: str) -> None:
        for n, classes in zip(self.names, self.classes, strict=True):
            if self.types.subsumes(name, n):
                self.features[n].add(feature)
                classes.append(self.types[n])

    @precondition(lambda self: self.names[2] not in TYPES)
    @rule()
    def declare(self) -> None:
        @uima_type(self.names[2])
        class Late(Annotation):
            late: int = 7

        Late.__qualname__ = self.names[2].replace(".", "_")
        globals()[Late.__qualname__] = Late
        self.view.select(Late)
        self._grew(self.names[2], "late")

    def teardown(self) -> None:
        if hasattr(self, "names"):
            TYPES.pop(self.names[2], None)
            globals().pop(self.names[2].replace(".", "_"), None)

    # -- copies --------------------------------------------------------------------------------------------------

    @rule(copied=st.booleans())
    def pickle(self, copied: bool) -> None:
        before: list[Any] = self.view.select(FeatureStructure)
        cas = self.cas.copy() if copied else pickle.loads(pickle.dumps(self.cas))
        after = dict(zip(map(id, before), cas.select(FeatureStructure), strict=True))
        self.cas, self.view, self.types, self.gone = cas, cas.view(), cas.typesystem, []
        self.items = [after[id(x)] for x in self.items]

    # -- agreement -----------------------------------------------------------------------------------------------

    def expected(self, name: str) -> list[Any]:
        items = [x for x in self.items if self.types.subsumes(name, x.uima_name)]
        return sorted(
            items, key=lambda x: (x.begin, -x.end, self.types.rank(type(x)))
        )  # stable: then in order of insertion

    def same(self, got: list[Any], expected: list[Any]) -> None:
        assert list(map(id, got)) == list(map(id, expected))

    @rule(kind=st.integers(0, 4), which=picks, window=offsets)
    def select(self, kind: int, which: int, window: tuple[int, int]) -> None:
        name = (*self.names, "uima.tcas.Annotation")[kind]
        classes = (*self.classes, [Annotation])[kind]
        expected, (begin, end) = self.expected(name), window
        for type_ in (name, classes[which % len(classes)]):
            self.same(self.view.select(type_), expected)
            within = [x for x in expected if begin <= x.begin and x.end <= end]
            around = [x for x in expected if x.begin <= begin and x.end >= end]
            beside = [x for x in expected if x.begin < end and x.end > begin]
            self.same(self.view.select(type_, covered_by=window), within)
            self.same(self.view.select(type_, covering=window), around)
            self.same(self.view.select(type_, overlapping=window), beside)
        assert self.view.count(classes[-1]) == len(expected)
        assert self.view.spans(classes[0]) == ([x.begin for x in expected], [x.end for x in expected])

    @invariant()
    def everything_is_in_order(self) -> None:
        if self.steps % 3 == 0:  # not after each step, so that several are seen together
            self.same(self.view.select(Annotation), self.expected("uima.tcas.Annotation"))
        self.steps += 1

    @rule()
    def every_annotation_has_the_features_of_its_type(self) -> None:
        self.view.select(Annotation)
        for item in self.items:
            for feature in self.features[item.uima_name]:
                assert item[feature] is not None
                setattr(item, feature, item[feature] + 1)


Model.TestCase.settings = settings(
    max_examples=60, stateful_step_count=50, deadline=None, suppress_health_check=list(HealthCheck)
)
TestIndexAgainstAList = Model.TestCase
