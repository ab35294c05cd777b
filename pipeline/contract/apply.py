"""Running one engine over one document."""

from __future__ import annotations

from typing import Any

from ...typesystem import Annotation, Cas
from ..errors import ComponentError, UndeclaredError
from .component import AnalysisEngine, Annotator, Component, Spans


def apply(engine: Component, cas: Cas, view_name: str | None = None) -> int:
    """Run an engine: check what an annotator yields and add it to the view. Return the number of added annotations.

    Raises UndeclaredError if an annotator yields a type that is not among its outputs.
    """
    if isinstance(engine, AnalysisEngine):
        engine.process(cas)
        return 0
    if not isinstance(engine, Annotator):
        raise ComponentError(engine.id, TypeError(f"{type(engine).__name__} is not an engine"))
    view = cas.view(view_name) if view_name else cas.view()
    outputs, source = engine.outputs, engine.id
    view.remove_from_source(outputs, source)  # annotations of an earlier run of this engine over the same document
    batch: list[Annotation] = []
    columns: list[Spans] = []
    for item in engine.annotate(view):
        if isinstance(item, Spans):
            columns.append(item)
            kind: type[Any] = item.type
        else:
            batch.append(item.set_source(source))
            kind = item.__class__
        if kind not in outputs:
            declared = ", ".join(o.__name__ for o in outputs) or "nothing"
            raise UndeclaredError(f"made {kind.__name__}, but declares {declared} as outputs")
    for spans in columns:
        view.add_spans(spans.type, spans.begins, spans.ends, source)
    view.add_all(batch)
    return len(batch) + sum(len(s.begins) for s in columns)
