"""Checks that earlier components create what later ones need, in the view that they work on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...typesystem import INITIAL_VIEW, FeatureStructure, Phi, PhiCandidate
from ..contract import registry
from ..contract.component import Annotator, CasConsumer, CollectionReader, Component
from ..errors import Fault, nearest
from .steps import Config, Step

Need = type[FeatureStructure] | str


@dataclass(slots=True)
class _ViewContent:
    """The types and features that the components so far create in one view."""

    makers: dict[type[FeatureStructure], str] = field(default_factory=dict)
    """Types, with the id of the first component that creates each."""
    filled: set[str] = field(default_factory=set)
    """Features that were set: `Token:pos`."""
    waiting: dict[str, Component] = field(default_factory=dict)
    """Components, by id, whose candidates are still to be copied to the original text."""

    def maker(self, needed: Need) -> str | None:
        """Return the id of a component that creates a type or sets a feature (then empty), or None."""
        if isinstance(needed, str):
            return "" if needed in self.filled else None
        return next((id for made, id in self.makers.items() if issubclass(made, needed)), None)

    def add(self, part: Component) -> None:
        for made in part.outputs:
            self.makers.setdefault(made, part.id)
        self.filled.update(part.sets)

    def take(self, other: _ViewContent) -> None:
        """Receive what a component copies from another view."""
        self.makers = {**other.makers, **self.makers}
        self.filled |= other.filled
        other.waiting.clear()


def check_capabilities(
    reader: CollectionReader | None,
    engines: Sequence[Component],
    consumers: Sequence[CasConsumer],
    config: Config,
    faults: list[Fault],
) -> None:
    """Report inputs that no earlier component creates. A reader that declares FeatureStructure may provide anything.

    A view that an engine creates over a changed text (`created_view`) is apart: what it has is not in the original text before
    another engine copies it (`copied_view`), and candidates in it must be copied before they are resolved. All other views,
    which readers provide, count as one.
    """
    steps = {s.id: s for s in (*config.engines, *config.consumers)}
    contents: dict[str, _ViewContent] = defaultdict(_ViewContent, {INITIAL_VIEW: _ViewContent()})
    initial = contents[INITIAL_VIEW]
    if reader is not None:
        initial.makers = dict.fromkeys(reader.outputs, "reader")
    complete = FeatureStructure in initial.makers

    def report(part: Component, what: str) -> None:
        step = steps.get(part.id)
        faults.append(step.fault((), what) if step else Fault(part.id, what, config.file))

    for part in (*engines, *consumers):
        view = _view_of(part, steps.get(part.id))
        if view not in contents:
            if len(contents) > 1 and not complete and (hint := nearest(view, contents)):
                report(part, f"no earlier component creates view {view}{hint}")
            view = INITIAL_VIEW
        for needed in part.needs():
            if contents[view].maker(needed) is None and not (complete and view == INITIAL_VIEW):
                report(part, _lack(part, needed, view, contents, engines))
        if Phi in part.outputs and view == INITIAL_VIEW:
            for name, content in contents.items():
                for waiting in content.waiting.values():
                    report(waiting, _stranded(name, part))
                content.waiting.clear()
        if part.copied_view:
            if part.copied_view not in contents:
                report(part, f"no earlier component creates view {part.copied_view}; cleaner would create it")
            initial.take(contents[part.copied_view])
        contents[view].add(part)
        if view != INITIAL_VIEW and (PhiCandidate in part.outputs or Phi in part.outputs):
            contents[view].waiting[part.id] = part
        if part.created_view:
            contents[part.created_view] = _ViewContent()


def _view_of(part: Component, step: Step | None) -> str:
    given = step.given.get("view") if step is not None and isinstance(part, Annotator) else None
    return str(given or part.input_view)


def _stranded(view: str, resolver: Component) -> str:
    return (
        f"works on view {view}, which no component copies to the original text before {resolver.id}; copier would do it"
    )


def _lack(
    part: Component, needed: Need, view: str, contents: Mapping[str, _ViewContent], engines: Sequence[Component]
) -> str:
    """Describe an unmet need: which part of the component needs it, and which components would create it."""
    need = part.explain_need(needed)
    reason = f" ({need})" if need else ""
    place = "" if view == INITIAL_VIEW else f" in view {view}"
    if isinstance(needed, str):
        setters = [c.name for c in registry.components() if needed in c.sets]
        hint = f"; {' or '.join(setters)} would set it" if setters else ""
        return f"needs {needed}{place}{reason}, which no earlier component sets{hint}"
    creators = [c for c in registry.components() if any(issubclass(o, needed) for o in c.outputs)]
    makers = [c.name for c in creators if c.role == "engine"] or [c.name for c in creators]
    earlier = [f"{maker} creates it, but in view {v}" for v, c in contents.items() if (maker := c.maker(needed))]
    later = [e.id for e in engines if any(issubclass(o, needed) for o in e.outputs) and e is not part]
    hint = f"; {' or '.join(makers)} would create it" if makers else ""
    hint = f"; {later[0]} creates it, but comes later" if later else hint
    hint = f"; {earlier[0]}" if earlier else hint
    return f"needs {needed.__name__}{place}{reason}, which no earlier component creates{hint}"
