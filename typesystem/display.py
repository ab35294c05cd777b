"""Draws a view for notebooks: its text with the spans of some types marked. Everything is escaped, nothing is loaded."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from .annotation import Annotation
from .types import Phi
from .view import View

_COLOURS = (
    "#ffd9b3",
    "#cfe8ff",
    "#d5f5d5",
    "#f6d5e5",
    "#e6dcff",
    "#fff3b0",
    "#c9f2ee",
    "#f2d9c4",
    "#dfe6c8",
    "#e3e3e3",
)
_STYLE = (
    "font-family:sans-serif;line-height:1.9;white-space:pre-wrap;overflow-wrap:anywhere;"
    "color:#111;background:#fff;padding:.5em"
)
_MARK = "border-radius:.25em;padding:.1em .2em;color:#111;background:{colour}"
_LABEL = "font-size:.65em;font-weight:600;vertical-align:super;margin-left:.2em;user-select:none"


class Display:
    """The spans of `types` (without any: Phi) drawn over the text of a view, in the notebook's output cell.

    Where spans overlap, the stretch they share is drawn with the labels of all of them. Its `repr` holds no text.
    """

    __slots__ = ("types", "view")

    def __init__(self, view: View, types: Sequence[type[Annotation]]) -> None:
        self.view = view
        self.types = tuple(types) or (Phi,)

    def _spans(self) -> list[Annotation]:
        found: dict[int, Annotation] = {}
        for type_ in self.types:
            found.update((id(a), a) for a in self.view.select(type_))
        return sorted(found.values(), key=lambda a: (a.begin, -a.end))

    def _repr_html_(self) -> str:
        text, spans = self.view.text, self._spans()
        labels = sorted({label(a) for a in spans})
        colour = {name: _COLOURS[i % len(_COLOURS)] for i, name in enumerate(labels)}
        out = [f'<div style="{_STYLE}">']
        at = 0
        for begin, end, inside in stretches(spans, len(text)):
            out.append(escape(text[at:begin]))
            names = [label(a) for a in inside]
            told = ", ".join(f"{label(a)} {a.begin}:{a.end}{f' ({a.source})' if a.source else ''}" for a in inside)
            style = _MARK.format(colour=colour[names[0]])
            shown = " ".join(name for name, a in zip(names, inside, strict=True) if a.end == end)
            tag = f'<span style="{_LABEL}">{escape(shown)}</span>' if shown else ""
            out.append(f'<mark style="{style}" title="{escape(told)}">{escape(text[begin:end])}{tag}</mark>')
            at = end
        out.append(escape(text[at:]))
        out.append("</div>")
        return "".join(out)

    def __repr__(self) -> str:
        names = ", ".join(t.__name__ for t in self.types)
        return f"<Display of view {self.view.name}: {len(self._spans())} spans of {names}>"


def label(annotation: Annotation) -> str:
    """What a span is called: its kind, group or tag where it has one, else its type."""
    for feature in ("kind", "group", "tag", "value"):
        value: Any = getattr(annotation, feature, None)
        name = getattr(value, "name", None)
        if isinstance(name, str):
            return name
    return type(annotation).__name__


def stretches(spans: Sequence[Annotation], limit: int) -> list[tuple[int, int, list[Annotation]]]:
    """(begin, end, the spans over it) of each stretch of text under the same spans; empty spans stand alone.

    `spans` in UIMA order. Text under no span is left out.
    """
    edges = sorted({min(e, limit) for a in spans for e in (a.begin, a.end)})
    starting: dict[int, list[Annotation]] = {}
    for a in spans:
        starting.setdefault(a.begin, []).append(a)
    found: list[tuple[int, int, list[Annotation]]] = []
    active: list[Annotation] = []
    for i, edge in enumerate(edges):
        active = [a for a in active if a.end > edge]
        here = starting.get(edge, [])
        empty = [a for a in here if a.end == edge]
        if empty:
            found.append((edge, edge, empty))
        active += [a for a in here if a.end > edge]
        if active and i + 1 < len(edges):
            found.append((edge, edges[i + 1], list(active)))
    return found
