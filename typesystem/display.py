"""Draw a view for notebooks: its text with the spans of some types marked, everything escaped, nothing loaded."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from .annotation import Annotation

_COLORS = "#ffd9b3 #cfe8ff #d5f5d5 #f6d5e5 #e6dcff #fff3b0 #c9f2ee #f2d9c4 #dfe6c8 #e3e3e3".split()
_STYLE = (
    "font-family:sans-serif;line-height:1.9;white-space:pre-wrap;overflow-wrap:anywhere;"
    "color:#111;background:#fff;padding:.5em"
)
_MARK = "border-radius:.25em;padding:.1em .2em;color:#111;background:{color}"
_LABEL = "font-size:.65em;font-weight:600;vertical-align:super;margin-left:.2em;user-select:none"


class Display:
    """Spans drawn over the text of a view, in the output cell of a notebook. Its `repr` contains no text.

    A stretch of text under several spans has the labels of all of them.
    """

    __slots__ = ("spans", "text", "types", "view")

    def __init__(self, view: str, text: str, spans: Sequence[Annotation], types: Sequence[type[Annotation]]) -> None:
        self.view, self.text, self.types = view, text, types
        self.spans = sorted(spans, key=lambda a: (a.begin, -a.end))

    def _repr_html_(self) -> str:
        labels = sorted({label(a) for a in self.spans})
        color = {name: _COLORS[i % len(_COLORS)] for i, name in enumerate(labels)}
        parts = [f'<div style="{_STYLE}">']
        last = 0
        for begin, end, spans in stretches(self.spans, len(self.text)):
            names = [label(a) for a in spans]
            title = ", ".join(f"{label(a)} {a.begin}:{a.end}{f' ({a.source})' if a.source else ''}" for a in spans)
            style = _MARK.format(color=color[names[0]])
            ending = " ".join(name for name, a in zip(names, spans, strict=True) if a.end == end)
            tag = f'<span style="{_LABEL}">{escape(ending)}</span>' if ending else ""
            parts.append(escape(self.text[last:begin]))
            parts.append(f'<mark style="{style}" title="{escape(title)}">{escape(self.text[begin:end])}{tag}</mark>')
            last = end
        return "".join([*parts, escape(self.text[last:]), "</div>"])

    def __repr__(self) -> str:
        names = ", ".join(t.__name__ for t in self.types)
        return f"<Display of view {self.view}: {len(self.spans)} spans of {names}>"


def label(annotation: Annotation) -> str:
    """Return the label of a span: its kind, group or tag if it has one, else its type."""
    for feature in ("kind", "group", "tag", "value"):
        value: Any = getattr(annotation, feature, None)
        name = getattr(value, "name", None)
        if isinstance(name, str):
            return name
    return type(annotation).__name__


def stretches(spans: Sequence[Annotation], limit: int) -> list[tuple[int, int, list[Annotation]]]:
    """Return (begin, end, spans) of each stretch of text that is covered by the same spans, and of each empty span.

    `spans` are in UIMA order.
    """
    edges = sorted({min(e, limit) for a in spans for e in (a.begin, a.end)})
    starting: dict[int, list[Annotation]] = {}
    for a in spans:
        starting.setdefault(a.begin, []).append(a)
    result: list[tuple[int, int, list[Annotation]]] = []
    active: list[Annotation] = []
    for i, edge in enumerate(edges):
        active = [a for a in active if a.end > edge]
        if empty := [a for a in starting.get(edge, ()) if a.end == edge]:
            result.append((edge, edge, empty))
        active += [a for a in starting.get(edge, ()) if a.end > edge]
        if active and i + 1 < len(edges):
            result.append((edge, edges[i + 1], list(active)))
    return result
