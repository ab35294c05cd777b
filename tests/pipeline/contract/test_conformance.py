"""One battery over every component, ours and plugged in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from caspipe.pipeline.contract import registry
from caspipe.pipeline.contract.component import AnalysisEngine, Annotator
from caspipe.pipeline.contract.conformance import SECRET, check_component
from caspipe.typesystem import Cas, Phi, PhiKind, Sentence, View

OURS = [c for c in registry.components() if c.__module__.startswith("caspipe.")]


@pytest.mark.parametrize("cls", OURS, ids=lambda c: f"{c.role}-{c.name}")
def test_every_component_keeps_the_contract(cls: type) -> None:
    assert not [f"{f.check}: {f.fault}" for f in check_component(cls) if f.fault]


class Undocumented(Annotator):
    pass


Undocumented.outputs = ()


def faults_of(cls: type) -> list[str]:
    import dataclasses

    made = dataclasses.dataclass(kw_only=True, eq=False, repr=False)(cls)
    made.name = cls.__name__
    return [f"{f.check}: {f.fault}" for f in check_component(made) if f.fault]


@pytest.mark.slow
def test_the_battery_notices_what_is_not_documented() -> None:
    class Bare(Annotator):
        depth: int = 1

        def annotate(self, view: View) -> Iterator[Phi]:
            yield from ()

    found = faults_of(Bare)
    assert any(f.startswith("says what it is") for f in found)
    assert "documents its parameters: no docstring after depth" in found
    assert "declares what it makes: an annotator without outputs can make nothing" in found


@pytest.mark.slow
def test_the_battery_notices_text_in_errors_and_undeclared_outputs() -> None:
    class Talkative(Annotator):
        """Quotes."""

        def annotate(self, view: View) -> Iterator[Phi]:
            if SECRET in view.text:
                raise ValueError(view.text)
            yield Phi(0, 0, kind=PhiKind.ID)

    found = faults_of(Talkative)
    assert "survives plain text: ValueError, whose message holds text of the document" in found
    assert any("made Phi, but declares nothing as outputs" in f for f in found)


@pytest.mark.slow
def test_the_battery_notices_impure_and_unsteady_components() -> None:
    class Impure(Annotator):
        """Changes the view."""

        def annotate(self, view: View) -> Iterator[Phi]:
            view.add(Sentence(0, 0))
            yield from ()

    class Growing(AnalysisEngine):
        """Adds more each time."""

        def process(self, cas: Cas) -> None:
            cas.add(Sentence(0, 0))

    assert any("annotate() changed the view" in f for f in faults_of(Impure))
    assert any("it must be idempotent" in f for f in faults_of(Growing))
