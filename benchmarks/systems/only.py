"""Define an engine that keeps only the candidates of some components: input of a model is not its own finding."""

from __future__ import annotations

from dataclasses import field

from caspipe.pipeline.contract.component import AnalysisEngine, component
from caspipe.typesystem import INITIAL_VIEW, Cas, PhiCandidate, PhiKind


@component("only", inputs=[PhiCandidate], outputs=[PhiCandidate])
class OnlyEngine(AnalysisEngine):
    """Removes the candidates of all components except the named ones."""

    sources: list[str]
    """Components or aggregates whose candidates are kept; an entry matches any element of the path of a source."""
    others: list[PhiKind] = field(default_factory=list)
    """Kinds, with their subkinds, whose candidates are kept from all components: kinds that the named ones did not learn."""

    def process(self, cas: Cas) -> None:
        if not cas.has_view(INITIAL_VIEW):
            return
        view = cas.view()
        for candidate in view.select(PhiCandidate):
            named = not set(candidate.source.split("/")).isdisjoint(self.sources)
            if not named and not any(map(candidate.kind.is_a, self.others)):
                view.remove(candidate)
