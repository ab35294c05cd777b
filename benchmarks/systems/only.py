"""An engine that lets only some components have a say: evidence that a model looked at is not its own finding."""

from __future__ import annotations

from dataclasses import field

from caspipe.pipeline.contract.component import AnalysisEngine, component
from caspipe.typesystem import INITIAL_VIEW, Cas, PhiCandidate, PhiKind


@component("only", inputs=[PhiCandidate], outputs=[PhiCandidate])
class OnlyEngine(AnalysisEngine):
    """Removes the candidates of all components but those that are named."""

    sources: list[str]
    """Components or aggregates whose candidates stay; an entry matches any element of a source's path."""
    others: list[PhiKind] = field(default_factory=list)
    """Kinds, with those below them, whose candidates stay whoever made them: what the named components have not learnt."""

    def process(self, cas: Cas) -> None:
        if not cas.has_view(INITIAL_VIEW):
            return
        view = cas.view()
        for candidate in view.select(PhiCandidate):
            named = not set(candidate.source.split("/")).isdisjoint(self.sources)
            if not named and not any(map(candidate.kind.is_a, self.others)):
                view.remove(candidate)
