"""The component `copier`: brings the annotations of a cleaned text to the original one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...pipeline.contract.component import AnalysisEngine, component
from ...pipeline.errors import CasError
from ...typesystem import INITIAL_VIEW, Annotation, Cas, DocumentAnnotation, OffsetMap, Sentence, Token, View
from ...typesystem.references import reference_attributes
from .cleaner import CLEANED_VIEW, check_view

_DISJOINT = (Sentence, Token)


@component("copier")
class Copier(AnalysisEngine):
    """Copies the annotations of a view that the `cleaner` created to the original text, and removes that view.

    A copy covers exactly the characters that its span was made from: a date across two lines has the line break and all white
    space in it. It keeps its source, and replaces what the same component annotated in the original text before.
    Sentences or tokens that the original text has from another component are kept, and none are added.
    """

    view: str = CLEANED_VIEW
    """The view to copy from."""
    keep: bool = False
    """Keep the view. It contains the original text, so no output with it must be released."""

    def __post_init__(self) -> None:
        check_view(self.view)

    @property
    def copied_view(self) -> str:
        return self.view

    def process(self, cas: Cas) -> None:
        if not (cas.has_view(INITIAL_VIEW) and cas.has_view(self.view)):
            return
        source, target = cas.view(self.view), cas.view()
        if source.offset_map is None:
            raise CasError(
                f"view {self.view} has no map to the original text: it was not created by a cleaner in this run"
            )
        copies: dict[int, Annotation] = {}
        for type_ in source.types():
            if not issubclass(type_, Annotation) or issubclass(type_, DocumentAnnotation):
                continue
            items = [item for item in source.select(type_) if type(item) is type_]
            for made_by in sorted({item.source for item in items} - {""}):
                target.remove_from_source([type_], made_by)
            if not (type_ in _DISJOINT and target.count(type_)):
                copies |= _copies(items, source.offset_map, disjoint=type_ in _DISJOINT)
        _relink(copies, source)
        target.add_all(copies.values())
        if not self.keep:
            cas.drop_view(self.view)


def _copies(items: Sequence[Annotation], offsets: OffsetMap, *, disjoint: bool) -> dict[int, Annotation]:
    """Return a copy of each annotation at its original offsets, by the identity of the annotation.

    `disjoint`: only the first of several that were made from the same characters (`less` and `than` from `<`) is copied.
    """
    copies: dict[int, Annotation] = {}
    last = 0
    for item in items:
        begin, end = offsets.to_old(item.begin, item.end)
        if disjoint:
            begin = max(begin, last)
            if begin >= end:
                continue
            last = end
        copies[id(item)] = item.moved(begin, end)
    return copies


def _relink(copies: Mapping[int, Annotation], source: View) -> None:
    """Let copies refer to copies. A reference to an annotation that was not copied becomes empty."""

    def copy_of(value: Any) -> Any:
        if isinstance(value, Annotation) and value.sofa is source.sofa:
            return copies.get(id(value))
        return value

    for copied in copies.values():
        for name in reference_attributes(type(copied)):
            value = getattr(copied, name, None)
            if isinstance(value, list):
                value = type(value)(found for v in value if (found := copy_of(v)) is not None or v is None)
            if value is not None:
                setattr(copied, name, copy_of(value))
