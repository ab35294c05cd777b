"""One text and everything that was found in it."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from operator import gt
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from .annotation import TYPES, Annotation, AnnotationBase, FeatureStructure
from .errors import CasError, TypeSystemError
from .index import Index, LateIndex
from .text import OffsetMap, Sofa, shown
from .tokens import TokenTable
from .types import TYPE_PRIORITY, Token

if TYPE_CHECKING:
    from .typesystem import TypeSystem

F = TypeVar("F", bound=FeatureStructure)
A = TypeVar("A", bound=Annotation)
Span = tuple[int, int]

_RANK = {t.uima_name: i for i, t in enumerate(TYPE_PRIORITY)}


def type_rank(type_: type[FeatureStructure]) -> tuple[int, str]:
    """Sort key of a type among annotations of equal span: declared priority first, then the UIMA name.

    A document with a type system of its own sorts by `TypeSystem.rank`, which knows further priorities.
    """
    return _RANK.get(type_.uima_name, len(_RANK)), type_.uima_name


class View:
    """One text (Sofa) and the feature structures indexed over it.

    `select` gives annotations in UIMA order: begin ascending, end descending, type priority, insertion.
    """

    __slots__ = ("_indexes", "_merged", "_others", "_tokens", "_typesystem", "offset_map", "sofa", "text")

    def __init__(self, sofa: Sofa, typesystem: TypeSystem | None = None) -> None:
        self.sofa = sofa
        self.text = sofa.text or ""
        """The text, in Unicode code points. Immutable."""
        self.offset_map: OffsetMap | None = None
        """From the initial view's text to this one's, where this view was made from it by replacing spans."""
        self._typesystem = typesystem
        self._indexes: dict[type[Annotation], Index[Any]] = {}
        self._others: dict[type[FeatureStructure], list[Any]] = {}
        self._merged: dict[type[FeatureStructure], Index[Any]] = {}
        self._tokens: TokenTable | None = None

    @property
    def name(self) -> str:
        return self.sofa.name

    # -- changing ------------------------------------------------------------------------------------------------

    def add(self, item: F) -> F:
        """Indexes a feature structure in this view and returns it. Raises CasError for offsets outside the text."""
        self.add_all((item,))
        return item

    def add_all(self, items: Iterable[FeatureStructure]) -> None:
        """Indexes feature structures; on a CasError those before the faulty one are in."""
        sofa, indexes = self.sofa, self._indexes
        limit = len(self.text) if sofa.text is not None else sys.maxsize  # offsets into data that is not text
        last: Any = None
        index: Any = None
        item: Any
        for item in items:
            kind = item.__class__
            if kind is not last:  # most come type by type: what the type asks for is settled once
                if not issubclass(kind, Annotation):
                    self._add_other(item)
                    continue
                last, index = kind, indexes.get(kind)
                if index is None:
                    index = indexes[kind] = Index(kind)
                if self._tokens is not None and issubclass(kind, Token):
                    self._tokens = None
            if item._sofa is not sofa:
                if item._sofa is not None:
                    raise CasError(f"{item!r} belongs to another text ({item._sofa!r}): copy it before adding it here")
                if not 0 <= item._begin <= item._end <= limit:
                    raise CasError(f"{item!r} lies outside the text of view {shown(self.name)} (0:{limit})")
                item._sofa = sofa
            index.append(item)
        if self._merged:
            self._merged.clear()

    def _add_other(self, item: Any) -> None:
        """Indexes a feature structure without a span."""
        if isinstance(item, AnnotationBase):
            if item._sofa not in (None, self.sofa):
                raise CasError(f"{item!r} belongs to another Sofa ({item._sofa!r})")
            item._sofa = self.sofa
        self._others.setdefault(type(item), []).append(item)

    def fill(self, type_: type[FeatureStructure], items: list[Any]) -> None:
        """Indexes many instances of one type that are known to belong here: `add_all` for readers, without its checks."""
        if not items:
            return
        if not issubclass(type_, Annotation):
            self._others.setdefault(type_, []).extend(items)
        elif len(self._indexes.get(type_, ())):
            self.add_all(items)
        else:
            self._indexes[type_] = Index.of(type_, items)
        self._merged.clear()
        self._tokens = None

    def add_spans(self, type_: type[Annotation], begins: list[int], ends: list[int], source: str = "") -> None:
        """Indexes disjoint, sorted spans of one type as columns: objects are made only when asked for.

        The lists are kept, not copied. Raises CasError where they are unsorted, overlap or leave the text, or the type
        has features that must be given.
        """
        if len(begins) != len(ends):
            raise CasError(f"{type_.__name__}: {len(begins)} begins but {len(ends)} ends")
        if begins and (begins[0] < 0 or ends[-1] > len(self.text)):
            raise CasError(f"{type_.__name__}: spans {begins[0]}..{ends[-1]} leave the text of view {shown(self.name)}")
        if any(map(gt, begins, ends)) or any(map(gt, ends, begins[1:])):
            raise CasError(f"{type_.__name__}: spans must be sorted and disjoint")
        if len(self._indexes.get(type_, ())):
            for b, e in zip(begins, ends, strict=True):
                item = type_(b, e)
                item._source = source
                self.add(item)
            return
        index: Index[Any] = Index(type_)
        index.set_columns(begins, ends, source, self.sofa)
        self._indexes[type_] = index
        self._merged.clear()
        if issubclass(type_, Token):
            self._tokens = None

    def add_lazily(self, type_: type[Annotation], add: Callable[[View], None]) -> None:
        """Lets the annotations of a type that has none here be made when somebody first looks at them, if ever.

        `add` is given an empty view over the same text to add them to; it must not depend on what can change until then.
        """

        def make() -> Index[Any]:
            scratch = View(self.sofa, self._typesystem)
            add(scratch)
            return scratch._indexes.get(type_) or Index(type_)

        if len(self._indexes.get(type_, ())):
            add(self)
            return
        self._indexes[type_] = LateIndex(type_, make)
        self._merged.clear()
        if issubclass(type_, Token):
            self._tokens = None

    def remove(self, item: FeatureStructure) -> None:
        """Takes a feature structure out of the index. Raises CasError where it is not in it."""
        if isinstance(item, Annotation):
            index = self._indexes.get(type(item))
            if index is None or not index.remove(item):
                raise CasError(f"{item!r} is not indexed in view {shown(self.name)}")
            self._merged.clear()
            if isinstance(item, Token):
                self._tokens = None
            return
        kept = [x for x in self._others.get(type(item), []) if x is not item]
        if len(kept) == len(self._others.get(type(item), [])):
            raise CasError(f"{item!r} is not indexed in view {shown(self.name)}")
        self._others[type(item)] = kept

    def remove_from_source(self, types: Iterable[type[FeatureStructure]], source: str) -> None:
        """Takes out what one component made of some types, so that it can work anew."""
        for type_ in types:
            index = self._indexes.get(cast(Any, type_))
            if index is not None and index.withdraw(source):
                self._merged.clear()
                if type_ is Token:
                    self._tokens = None

    def replace(self, old: FeatureStructure, new: F) -> F:
        """Removes one feature structure and adds another; nothing changes where either is refused (CasError)."""
        self.remove(old)
        try:
            return self.add(new)
        except CasError:
            self.add(old)
            raise

    # -- looking -------------------------------------------------------------------------------------------------

    @overload
    def select(
        self,
        type_: type[A],
        *,
        covered_by: Annotation | Span | None = None,
        covering: Annotation | Span | None = None,
        overlapping: Annotation | Span | None = None,
    ) -> list[A]: ...
    @overload
    def select(self, type_: type[F]) -> list[F]: ...
    @overload
    def select(
        self,
        type_: str,
        *,
        covered_by: Annotation | Span | None = None,
        covering: Annotation | Span | None = None,
        overlapping: Annotation | Span | None = None,
    ) -> list[Any]: ...
    def select(
        self,
        type_: type[Any] | str,
        *,
        covered_by: Annotation | Span | None = None,
        covering: Annotation | Span | None = None,
        overlapping: Annotation | Span | None = None,
    ) -> list[Any]:
        """Feature structures of a type and its subtypes, annotations in UIMA order; a fresh list.

        `covered_by`: only those inside the span; `covering`: only those around it; `overlapping`: only those that share a
        code point with it. The span is an annotation, which is itself left out, or a pair of offsets. A type may be given
        by its UIMA name. Raises CasError for an unknown name.
        """
        cls = self._resolve(type_)
        index = self._index(cls)
        found: list[Any] | None = None
        if covered_by is not None:
            begin, end = covered_by if isinstance(covered_by, tuple) else (covered_by._begin, covered_by._end)
            found = index.covered_by(begin, end)
        if covering is not None:
            begin, end = covering if isinstance(covering, tuple) else (covering._begin, covering._end)
            found = _both(found, index.covering(begin, end))
        if overlapping is not None:
            begin, end = overlapping if isinstance(overlapping, tuple) else (overlapping._begin, overlapping._end)
            found = _both(found, index.overlapping(begin, end))
        if found is None:
            others = [x for t in sorted(self._others, key=self._rank) if issubclass(t, cls) for x in self._others[t]]
            return others + index.items if others else list(index.items)
        for span in (covered_by, covering, overlapping):
            if isinstance(span, cls):  # it is no answer to the question about itself
                found = [a for a in found if a is not span]
        return found

    def spans(self, type_: type[Annotation]) -> tuple[list[int], list[int]]:
        """Begins and ends of the annotations of a type, in UIMA order: the fast way to read them. Leave the lists alone."""
        return self._index(type_).columns()

    def set_feature(self, type_: type[Annotation], name: str, values: list[Any]) -> None:
        """Sets a feature of all annotations of a type, in UIMA order: a tagger's tags, without an object for each token.

        The list is kept, not copied. Raises CasError where there are not as many values as annotations.
        """
        index = self._index(type_)
        if len(values) != len(index):
            raise CasError(f"{type_.__name__}.{name}: {len(values)} values for {len(index)} annotations")
        index.set_feature(name, values)
        if issubclass(type_, Token):
            self._tokens = None

    def feature(self, type_: type[Annotation], name: str) -> list[Any]:
        """A feature of all annotations of a type, in UIMA order. Leave the list alone."""
        return self._index(type_).feature(name)

    def has_only_spans(self, type_: type[Annotation]) -> bool:
        """Whether the annotations of exactly this type came as columns and are nothing but spans still."""
        index = self._indexes.get(type_)
        return index is None or index.bare

    def columns(self, type_: type[Annotation]) -> tuple[list[int], list[int], str] | None:
        """Begins, ends and source of the annotations of a type and its subtypes, where they are columns and nothing but
        spans still; None for all others. Leave the lists alone."""
        found = self._index(type_).spans_only
        return found[:3] if found else None

    def count(self, type_: type[FeatureStructure]) -> int:
        """How many feature structures of the type and its subtypes are indexed."""
        n = sum(len(index) for t, index in self._indexes.items() if issubclass(t, type_))
        return n + sum(len(xs) for t, xs in self._others.items() if issubclass(t, type_))

    def types(self) -> list[type[FeatureStructure]]:
        """The types that have feature structures here, in order of type priority."""
        found: list[type[FeatureStructure]] = [t for t, index in self._indexes.items() if len(index)]
        found += [t for t, xs in self._others.items() if xs]
        return sorted(found, key=self._rank)

    def __iter__(self) -> Iterator[FeatureStructure]:
        """Everything indexed: non-annotations, then annotations in UIMA order."""
        return iter(cast(list[FeatureStructure], self.select(FeatureStructure)))

    @property
    def tokens(self) -> TokenTable:
        """The tokens as columns; computed once, anew after tokens were added or removed."""
        if self._tokens is None:
            begins, ends = self.spans(Token)
            self._tokens = TokenTable(self.text, begins, ends, self)
        return self._tokens

    def covered_text(self, item: Annotation) -> str:
        """The text under an annotation."""
        return self.text[item._begin : item._end]

    def line_column(self, offset: int) -> tuple[int, int]:
        """Line and column (from 1) of a code point."""
        starts = [0, *(i + 1 for i, c in enumerate(self.text) if c == "\n")]
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def show(self, *types: type[Annotation]) -> Any:
        """The spans drawn over the text, for notebooks. Without types: Phi."""
        from .display import Display

        return Display(self, types)

    def __repr__(self) -> str:
        counts = ", ".join(f"{self.count(t)} {t.__name__}" for t in self.types())
        return f"<View {self.name}: {len(self.text)} code points; {counts or 'no annotations'}>"

    # -- inside --------------------------------------------------------------------------------------------------

    def _resolve(self, type_: type[Any] | str) -> type[Any]:
        if not isinstance(type_, str):
            return type_
        if self._typesystem is not None:
            try:
                return self._typesystem[type_]
            except TypeSystemError as e:
                raise CasError(str(e)) from None
        if type_ not in TYPES:
            from .description import nearest

            raise CasError(f"no type called {type_}{nearest(type_, TYPES)}")
        return TYPES[type_]

    @property
    def _rank(self) -> Callable[[type[Any]], Any]:
        return type_rank if self._typesystem is None else self._typesystem.rank

    def _index(self, cls: type[Any]) -> Index[Any]:
        merged = self._merged.get(cls)
        if merged is not None:
            return merged
        parts = [t for t in self._indexes if issubclass(t, cls)]
        if len(parts) == 1:
            return self._indexes[parts[0]]
        parts.sort(key=self._rank)
        whole = Index.merged((self._indexes[t] for t in parts), cls)
        self._merged[cls] = whole
        return whole

    def __getstate__(self) -> dict[str, Any]:
        return {s: getattr(self, s) for s in self.__slots__ if s not in ("_merged", "_tokens", "_typesystem")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        self._typesystem = None  # the document gives it back
        self._merged = {}
        self._tokens = None


def _both(found: list[Any] | None, further: list[Any]) -> list[Any]:
    """What is in both answers; `found` is None where there is none yet."""
    if found is None:
        return further
    here = {id(a) for a in further}
    return [a for a in found if id(a) in here]
