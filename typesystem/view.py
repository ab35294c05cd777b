"""One text and everything that was annotated in it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import gt
from typing import Any, TypeVar, cast, overload
from weakref import WeakSet

from .annotation import TYPES, Annotation, AnnotationBase, FeatureStructure
from .description import nearest
from .display import Display
from .errors import CasError, TypeSystemError
from .index import Index, LazyIndex
from .references import redirect
from .text import OffsetMap, Sofa, shown
from .tokens import TokenTable
from .type_indexes import TypeIndexes, in_both
from .types import Phi, Token
from .typesystem import TypeSystem

F = TypeVar("F", bound=FeatureStructure)
A = TypeVar("A", bound=Annotation)
Where = Annotation | tuple[int, int] | None
"""A condition of `select`: an annotation, or begin and end."""


class View:
    """One text (Sofa) and the feature structures indexed over it.

    `select` returns annotations in UIMA order: begin ascending, end descending, type priority, insertion.
    """

    __slots__ = ("__weakref__", "_siblings", "_sofa", "_text", "_tokens", "indexes", "offset_map")

    def __init__(self, sofa: Sofa, typesystem: TypeSystem | None = None) -> None:
        self._sofa = sofa
        self._text = sofa.text or ""
        self.offset_map: OffsetMap | None = None
        """From the initial view's text to this one's, if this view was made from it by replacing spans."""
        self.indexes = TypeIndexes(typesystem)
        self._tokens: TokenTable | None = None
        self._siblings: WeakSet[View] | None = None

    @property
    def name(self) -> str:
        return self._sofa.name

    @property
    def sofa(self) -> Sofa:
        """The text, or other data, that the annotations of the view belong to."""
        return self._sofa

    @property
    def text(self) -> str:
        """The text, in Unicode code points. It never changes: create another view for another text."""
        return self._text

    def join(self, siblings: WeakSet[View] | None) -> None:
        """Set all views of the document, which `replace` changes too; None if this is its only view."""
        self._siblings = siblings

    # -- changing ------------------------------------------------------------------------------------------------

    def add(self, item: F) -> F:
        """Index a feature structure in this view, unless it is indexed already, and return it.

        Raises CasError for offsets outside the text, and for an annotation of another text.
        """
        self.add_all((item,))
        return item

    def add_all(self, items: Iterable[FeatureStructure]) -> None:
        """Index feature structures as `add` does. On a CasError, those before the faulty one are indexed."""
        sofa = self._sofa
        limit = len(self._text) if sofa.text is not None else sys.maxsize  # offsets into data that is not text
        last: Any = None
        item: Any
        for item in items:
            kind = item.__class__
            if kind is not last:  # items usually come type by type: look up each type once
                if not issubclass(kind, Annotation):
                    _claim(item, sofa)
                    self.indexes.add_other(item)
                    continue
                last, (index, merged, become) = kind, self.indexes.receiver(kind)
                append = index.append
                self._forget_tokens(kind)
            if item._sofa is not sofa:
                if item._sofa is not None:
                    raise CasError(f"{item!r} belongs to another text ({item._sofa!r}): copy it before adding it here")
                if not 0 <= item._begin <= item._end <= limit:
                    raise CasError(f"{item!r} lies outside the text of view {shown(self.name)} (0:{limit})")
                item._sofa = sofa
            elif item in index:
                continue
            if become is not kind:
                item.__class__ = become
            append(item)
            for whole in merged:
                whole.append(item)

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
        if fault := _column_fault(begins, ends, len(self._text), shown(self.name)):
            raise CasError(f"{type_.__name__}: {fault}")
        type_ = self.indexes.moved.get(type_, type_)
        if self.indexes.has(type_):
            self.add_all(type_(b, e).set_source(source) for b, e in zip(begins, ends, strict=True))
            return
        index: Index[Any] = Index(type_)
        index.set_columns(begins, ends, source, self.sofa)
        self._put(type_, index)

    def add_lazily(self, type_: type[Annotation], add: Callable[[View], None]) -> None:
        """Index the annotations of a type that has none in this view; make them when they are first accessed.

        `add` gets an empty view over the same text to add them to. It must not depend on anything that can change meanwhile.
        """
        if self.indexes.has(type_) or type_ in self.indexes.moved:
            add(self)
        else:
            self._put(type_, LazyIndex(type_, lambda: _made(self, type_, add)))

    def _put(self, type_: type[Annotation], index: Index[Any]) -> None:
        self.indexes.put(type_, index)
        self._forget_tokens(type_)

    def remove(self, item: FeatureStructure) -> None:
        """Remove a feature structure from the index. References to it stay. Raises CasError if it is not indexed."""
        if not self.indexes.remove(item):
            raise CasError(f"{item!r} is not indexed in view {shown(self.name)}")
        self._forget_tokens(type(item))

    def remove_from_source(self, types: Iterable[type[FeatureStructure]], source: str) -> None:
        """Remove the annotations of some types that one component made, so that it can run again."""
        for type_ in types:
            if self.indexes.remove_from_source(type_, source):
                self._forget_tokens(type_)

    def replace(self, old: FeatureStructure, new: F) -> F:
        """Remove one feature structure, add another, and redirect all references in the document to the new one.

        References of the new one itself stay. Raises CasError, without a change, if `old` is not indexed or `new` cannot be.
        """
        if old not in self.indexes:
            raise CasError(f"{old!r} is not indexed in view {shown(self.name)}")
        self.add(new)
        if old is not new:
            self.remove(old)
            for view in self._siblings or (self,):
                redirect(view.indexes.roots(), old, new)
        return new

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
        cls = _class_named(type_, self.indexes.typesystem) if isinstance(type_, str) else type_
        index = self.indexes.of(cls)
        if covered_by is None and covering is None and overlapping is None:
            return self.indexes.others_of(cls) + index.items if self.indexes.others else index.items[:]
        return _near(index, covered_by, covering, overlapping)

    def spans(self, type_: type[Annotation]) -> tuple[list[int], list[int]]:
        """Return begins and ends of the annotations of a type, in UIMA order, without making objects. Do not change the lists."""
        return self.indexes.of(type_).columns()

    def set_feature(self, type_: type[Annotation], name: str, values: list[Any]) -> None:
        """Set a feature of all annotations of a type, in UIMA order: a tagger's tags, without an object per token.

        The list is kept, not copied. Raises CasError if the numbers of values and annotations differ.
        """
        index = self.indexes.of(type_)
        if len(values) != len(index):
            raise CasError(f"{type_.__name__}.{name}: {len(values)} values for {len(index)} annotations")
        index.set_feature(name, values)
        self._forget_tokens(type_)

    def feature(self, type_: type[Annotation], name: str) -> list[Any]:
        """Return a feature of all annotations of a type, in UIMA order. Do not change the list."""
        return self.indexes.of(type_).feature(name)

    def rows(self, type_: type[A]) -> Sequence[A]:
        """Return the annotations of a type for reading only: columns make each when it is read. Do not change or keep them."""
        return self.indexes.of(type_).rows

    def forget_words(self) -> None:
        """Free the words of the tokens that were read. They are read again when they are needed."""
        self._tokens = None

    def has_only_spans(self, type_: type[Annotation]) -> bool:
        """Return whether the annotations of exactly this type were added as columns and have no features so far."""
        return all(index.has_only_spans for index in self.indexes.exactly(type_))

    def columns(self, type_: type[Annotation]) -> tuple[list[int], list[int], str] | None:
        """Return begins, ends and source of the annotations of a type, if they are columns without features; else None.

        Do not change the lists.
        """
        columns = self.indexes.of(type_).spans_only
        return columns[:3] if columns else None

    def count(self, type_: type[FeatureStructure]) -> int:
        """Return how many feature structures of the type and its subtypes are indexed."""
        return self.indexes.count(type_)

    def types(self) -> list[type[FeatureStructure]]:
        """Return the types with feature structures in this view, in order of type priority."""
        return self.indexes.types()

    def __iter__(self) -> Iterator[FeatureStructure]:
        """Iterate over everything indexed: non-annotations, then annotations in UIMA order."""
        return iter(cast(list[FeatureStructure], self.select(FeatureStructure)))

    @property
    def tokens(self) -> TokenTable:
        """The tokens as columns, computed again after a change of the tokens."""
        if self._tokens is None:
            begins, ends = self.spans(Token)
            self._tokens = TokenTable(self._text, begins, ends, lambda: self.feature(Token, "pos"))
        return self._tokens

    def covered_text(self, item: Annotation) -> str:
        """Return the text under an annotation."""
        return self._text[item._begin : item._end]

    def line_column(self, offset: int) -> tuple[int, int]:
        """Return line and column (from 1) of a code point."""
        return self._text.count("\n", 0, offset) + 1, offset - self._text.rfind("\n", 0, offset)

    def show(self, *types: type[Annotation]) -> Display:
        """Draw the spans of some types (default: Phi) over the text, for notebooks."""
        shown_types = types or (Phi,)
        spans = {id(a): a for type_ in shown_types for a in self.select(type_)}
        return Display(self.name, self._text, list(spans.values()), shown_types)

    def __repr__(self) -> str:
        counts = ", ".join(f"{self.count(t)} {t.__name__}" for t in self.types())
        return f"<View {self.name}: {len(self._text)} code points; {counts or 'no annotations'}>"

    def __getstate__(self) -> tuple[Any, ...]:
        return self._sofa, self.offset_map, self.indexes  # the document restores its type system and siblings

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._sofa, self.offset_map, self.indexes = state
        self._text, self._tokens, self._siblings = self._sofa.text or "", None, None


def _made(view: View, type_: type[Annotation], add: Callable[[View], None]) -> Index[Any]:
    """Return the index of what a function adds to an empty view over the same text."""
    scratch = View(view.sofa, view.indexes.typesystem)
    add(scratch)
    return scratch.indexes.annotations.get(type_) or Index(type_)


def _claim(item: FeatureStructure, sofa: Sofa) -> None:
    """Record the Sofa that a feature structure without a span belongs to, if it can. Raises CasError for another one."""
    if isinstance(item, AnnotationBase):
        if item._sofa not in (None, sofa):
            raise CasError(f"{item!r} belongs to another Sofa ({item._sofa!r})")
        item._sofa = sofa


def _class_named(name: str, typesystem: TypeSystem | None) -> type[Any]:
    if typesystem is not None:
        try:
            return typesystem[name]
        except TypeSystemError as e:
            raise CasError(str(e)) from None
    if name not in TYPES:
        raise CasError(f"no type called {name}{nearest(name, TYPES)}")
    return TYPES[name]


def _near(index: Index[Any], covered_by: Where, covering: Where, overlapping: Where) -> list[Any]:
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
    excluded = [
        span
        for span in (covered_by, covering, overlapping)
        if isinstance(span, Annotation) and index.covers(type(span))
    ]
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
