"""One text and everything that was annotated in it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from operator import gt
from typing import Any, TypeVar, cast, overload

from .annotation import TYPES, Annotation, AnnotationBase, FeatureStructure
from .description import nearest
from .display import Display
from .errors import CasError, TypeSystemError
from .index import Index, LazyIndex, TypeIndexes, in_both
from .text import OffsetMap, Sofa, shown
from .tokens import TokenTable
from .types import Phi, Token
from .typesystem import TypeSystem, rank_among_equals

F = TypeVar("F", bound=FeatureStructure)
A = TypeVar("A", bound=Annotation)
Where = Annotation | tuple[int, int] | None
"""A condition of `select`: an annotation, or begin and end."""


class View:
    """One text (Sofa) and the feature structures indexed over it.

    `select` returns annotations in UIMA order: begin ascending, end descending, type priority, insertion.
    """

    __slots__ = ("_tokens", "_typesystem", "indexes", "offset_map", "sofa", "text")

    def __init__(self, sofa: Sofa, typesystem: TypeSystem | None = None) -> None:
        self.sofa = sofa
        self.text = sofa.text or ""
        """The text, in Unicode code points. Immutable."""
        self.offset_map: OffsetMap | None = None
        """From the initial view's text to this one's, if this view was made from it by replacing spans."""
        self.indexes = TypeIndexes()
        self._typesystem = typesystem
        self._tokens: TokenTable | None = None

    @property
    def name(self) -> str:
        return self.sofa.name

    def set_typesystem(self, typesystem: TypeSystem | None) -> None:
        """Set the types of the document that the view belongs to: they decide names and type priorities."""
        self._typesystem = typesystem
        self.indexes.changed()

    # -- changing ------------------------------------------------------------------------------------------------

    def add(self, item: F) -> F:
        """Index a feature structure in this view and return it. Raises CasError for offsets outside the text."""
        self.add_all((item,))
        return item

    def add_all(self, items: Iterable[FeatureStructure]) -> None:
        """Index feature structures. On a CasError, those before the faulty one are indexed."""
        sofa, indexes = self.sofa, self.indexes.annotations
        limit = len(self.text) if sofa.text is not None else sys.maxsize  # offsets into data that is not text
        last: Any = None
        index: Any = None
        item: Any
        for item in items:
            kind = item.__class__
            if kind is not last:  # items usually come type by type: look up each type once
                if not issubclass(kind, Annotation):
                    self._add_other(item)
                    continue
                last, index = kind, indexes.get(kind)
                if index is None:
                    index = indexes[kind] = Index(kind)
                self._forget_tokens(kind)
            if item._sofa is not sofa:
                if item._sofa is not None:
                    raise CasError(f"{item!r} belongs to another text ({item._sofa!r}): copy it before adding it here")
                if not 0 <= item._begin <= item._end <= limit:
                    raise CasError(f"{item!r} lies outside the text of view {shown(self.name)} (0:{limit})")
                item._sofa = sofa
            index.append(item)
        self.indexes.changed()

    def _add_other(self, item: Any) -> None:
        """Index a feature structure without a span."""
        if isinstance(item, AnnotationBase):
            if item._sofa not in (None, self.sofa):
                raise CasError(f"{item!r} belongs to another Sofa ({item._sofa!r})")
            item._sofa = self.sofa
        self.indexes.others.setdefault(type(item), []).append(item)

    def _forget_tokens(self, type_: type[Any]) -> None:
        if self._tokens is not None and issubclass(type_, Token):
            self._tokens = None

    def fill(self, type_: type[FeatureStructure], items: list[Any]) -> None:
        """Index instances of one type that are known to belong here: `add_all` for readers, without its checks."""
        if items:
            self.indexes.fill(type_, items)
            self._forget_tokens(type_)

    def add_spans(self, type_: type[Annotation], begins: list[int], ends: list[int], source: str = "") -> None:
        """Index disjoint, sorted spans of one type as columns: annotation objects are made only on demand.

        The lists are kept, not copied. Raises CasError if they are unsorted, overlap or leave the text.
        """
        if fault := _column_fault(begins, ends, len(self.text), shown(self.name)):
            raise CasError(f"{type_.__name__}: {fault}")
        if self._has(type_):
            for b, e in zip(begins, ends, strict=True):
                item = type_(b, e)
                item._source = source
                self.add(item)
            return
        index: Index[Any] = Index(type_)
        index.set_columns(begins, ends, source, self.sofa)
        self._put(type_, index)

    def add_lazily(self, type_: type[Annotation], add: Callable[[View], None]) -> None:
        """Index the annotations of a type that has none in this view; make them when they are first accessed.

        `add` gets an empty view over the same text to add them to. It must not depend on anything that can change meanwhile.
        """

        def make() -> Index[Any]:
            scratch = View(self.sofa, self._typesystem)
            add(scratch)
            return scratch.indexes.annotations.get(type_) or Index(type_)

        if self._has(type_):
            add(self)
        else:
            self._put(type_, LazyIndex(type_, make))

    def _has(self, type_: type[Annotation]) -> bool:
        return len(self.indexes.annotations.get(type_, ())) > 0

    def _put(self, type_: type[Annotation], index: Index[Any]) -> None:
        self.indexes.put(type_, index)
        self._forget_tokens(type_)

    def remove(self, item: FeatureStructure) -> None:
        """Remove a feature structure from the index. Raises CasError if it is not indexed."""
        if not self.indexes.remove(item):
            raise CasError(f"{item!r} is not indexed in view {shown(self.name)}")
        self._forget_tokens(type(item))

    def remove_from_source(self, types: Iterable[type[FeatureStructure]], source: str) -> None:
        """Remove the annotations of some types that one component made, so that it can run again."""
        for type_ in types:
            if self.indexes.remove_from_source(type_, source):
                self._forget_tokens(type_)

    def replace(self, old: FeatureStructure, new: F) -> F:
        """Remove one feature structure and add another; change nothing if either step is refused (CasError)."""
        self.remove(old)
        try:
            return self.add(new)
        except CasError:
            self.add(old)
            raise

    # -- looking -------------------------------------------------------------------------------------------------

    @overload
    def select(
        self, type_: type[A], *, covered_by: Where = None, covering: Where = None, overlapping: Where = None
    ) -> list[A]: ...
    @overload
    def select(self, type_: type[F]) -> list[F]: ...
    @overload
    def select(
        self, type_: str, *, covered_by: Where = None, covering: Where = None, overlapping: Where = None
    ) -> list[Any]: ...
    def select(
        self, type_: type[Any] | str, *, covered_by: Where = None, covering: Where = None, overlapping: Where = None
    ) -> list[Any]:
        """Return the feature structures of a type and its subtypes, annotations in UIMA order, as a new list.

        `covered_by`: only those inside the span; `covering`: only those around it; `overlapping`: only those that share a
        code point with it. The span is a pair of offsets, or an annotation, which is itself left out. A type may be given
        by its UIMA name. Raises CasError for an unknown name.
        """
        cls = _class_named(type_, self._typesystem) if isinstance(type_, str) else type_
        index = self._index(cls)
        if covered_by is None and covering is None and overlapping is None:
            others = self.indexes.others_of(cls, self._rank) if self.indexes.others else []
            return others + index.items
        return _near(index, cls, covered_by, covering, overlapping)

    def spans(self, type_: type[Annotation]) -> tuple[list[int], list[int]]:
        """Return begins and ends of the annotations of a type, in UIMA order, without making objects. Do not change the lists."""
        return self._index(type_).columns()

    def set_feature(self, type_: type[Annotation], name: str, values: list[Any]) -> None:
        """Set a feature of all annotations of a type, in UIMA order: a tagger's tags, without an object per token.

        The list is kept, not copied. Raises CasError if the numbers of values and annotations differ.
        """
        index = self._index(type_)
        if len(values) != len(index):
            raise CasError(f"{type_.__name__}.{name}: {len(values)} values for {len(index)} annotations")
        index.set_feature(name, values)
        self._forget_tokens(type_)

    def feature(self, type_: type[Annotation], name: str) -> list[Any]:
        """Return a feature of all annotations of a type, in UIMA order. Do not change the list."""
        return self._index(type_).feature(name)

    def has_only_spans(self, type_: type[Annotation]) -> bool:
        """Return whether the annotations of exactly this type were added as columns and have no features so far."""
        index = self.indexes.annotations.get(type_)
        return index is None or index.has_only_spans

    def columns(self, type_: type[Annotation]) -> tuple[list[int], list[int], str] | None:
        """Return begins, ends and source of the annotations of a type, if they are columns without features; else None.

        Do not change the lists.
        """
        columns = self._index(type_).spans_only
        return columns[:3] if columns else None

    def count(self, type_: type[FeatureStructure]) -> int:
        """Return how many feature structures of the type and its subtypes are indexed."""
        return self.indexes.count(type_)

    def types(self) -> list[type[FeatureStructure]]:
        """Return the types with feature structures in this view, in order of type priority."""
        return self.indexes.types(self._rank)

    def __iter__(self) -> Iterator[FeatureStructure]:
        """Iterate over everything indexed: non-annotations, then annotations in UIMA order."""
        return iter(cast(list[FeatureStructure], self.select(FeatureStructure)))

    @property
    def tokens(self) -> TokenTable:
        """The tokens as columns, computed again after a change of the tokens."""
        if self._tokens is None:
            begins, ends = self.spans(Token)
            self._tokens = TokenTable(self.text, begins, ends, lambda: self.feature(Token, "pos"))
        return self._tokens

    def covered_text(self, item: Annotation) -> str:
        """Return the text under an annotation."""
        return self.text[item._begin : item._end]

    def line_column(self, offset: int) -> tuple[int, int]:
        """Return line and column (from 1) of a code point."""
        return self.text.count("\n", 0, offset) + 1, offset - self.text.rfind("\n", 0, offset)

    def show(self, *types: type[Annotation]) -> Display:
        """Draw the spans of some types (default: Phi) over the text, for notebooks."""
        shown_types = types or (Phi,)
        spans = {id(a): a for type_ in shown_types for a in self.select(type_)}
        return Display(self.name, self.text, list(spans.values()), shown_types)

    def __repr__(self) -> str:
        counts = ", ".join(f"{self.count(t)} {t.__name__}" for t in self.types())
        return f"<View {self.name}: {len(self.text)} code points; {counts or 'no annotations'}>"

    @property
    def _rank(self) -> Callable[[type[Any]], Any]:
        return _own_rank if self._typesystem is None else self._typesystem.rank

    def _index(self, type_: type[Any]) -> Index[Any]:
        return self.indexes.of(type_, self._rank)

    def __getstate__(self) -> tuple[Any, ...]:
        return self.sofa, self.text, self.offset_map, self.indexes

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.sofa, self.text, self.offset_map, self.indexes = state
        self._typesystem = self._tokens = None  # the document restores its type system


def _class_named(name: str, typesystem: TypeSystem | None) -> type[Any]:
    if typesystem is not None:
        try:
            return typesystem[name]
        except TypeSystemError as e:
            raise CasError(str(e)) from None
    if name not in TYPES:
        raise CasError(f"no type called {name}{nearest(name, TYPES)}")
    return TYPES[name]


def _own_rank(type_: type[FeatureStructure]) -> tuple[int, str]:
    return rank_among_equals(type_.uima_name)


def _near(index: Index[Any], cls: type[Any], covered_by: Where, covering: Where, overlapping: Where) -> list[Any]:
    """Return the annotations of an index that meet all given conditions, without those that the conditions name."""
    selected: list[Any] | None = None
    for span, matching in (
        (covered_by, index.covered_by),
        (covering, index.covering),
        (overlapping, index.overlapping),
    ):
        if span is not None:
            items = matching(*(span if isinstance(span, tuple) else (span._begin, span._end)))
            selected = items if selected is None else in_both(selected, items)
    excluded = [span for span in (covered_by, covering, overlapping) if isinstance(span, cls)]
    return [a for a in selected or () if not any(a is span for span in excluded)] if excluded else selected or []


def _column_fault(begins: list[int], ends: list[int], limit: int, view: str) -> str:
    """Return why columns are not sorted, disjoint spans of a text, or an empty string."""
    if len(begins) != len(ends):
        return f"{len(begins)} begins but {len(ends)} ends"
    if begins and (begins[0] < 0 or ends[-1] > limit):
        return f"spans {begins[0]}..{ends[-1]} leave the text of view {view}"
    if any(map(gt, begins, ends)) or any(map(gt, ends, begins[1:])):
        return "spans must be sorted and disjoint"
    return ""
