"""One battery over every component, ours and plugged in."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

import pytest

from caspipe.pipeline.contract import registry
from caspipe.pipeline.contract.component import AnalysisEngine, Annotator, CasConsumer, CollectionReader
from caspipe.pipeline.contract.conformance import SECRET, Finding, check_component
from caspipe.typesystem import Cas, Phi, PhiKind, Sentence, View

OURS = [c for c in registry.components() if c.__module__.startswith("caspipe.")]


@pytest.mark.parametrize("cls", OURS, ids=lambda c: f"{c.role}-{c.name}")
def test_every_component_keeps_the_contract(cls: type) -> None:
    assert not [f"{f.check}: {f.fault}" for f in check_component(cls) if f.fault]


class Undocumented(Annotator):
    pass


Undocumented.outputs = ()


def findings_of(cls: type, *texts: str) -> list[Finding]:
    """Return the findings of a class without the one that classes of functions cannot be pickled."""
    component = dataclasses.dataclass(kw_only=True, eq=False, repr=False)(cls)
    component.name = cls.__name__
    return [f for f in check_component(component, *texts) if "pickled" not in f.check]


def faults_of(cls: type, *texts: str) -> list[str]:
    return [f"{f.check}: {f.fault}" for f in findings_of(cls, *texts) if f.fault]


@pytest.mark.slow
def test_the_battery_notices_what_is_not_documented() -> None:
    class Bare(Annotator):
        depth: int = 1

        def annotate(self, view: View) -> Iterator[Phi]:
            yield from ()

    found = faults_of(Bare)
    assert any(f.startswith("has a docstring") for f in found)
    assert "documents its parameters: no docstring after depth" in found
    assert "declares its outputs: an annotator without outputs cannot add annotations" in found


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


@pytest.mark.slow
def test_an_annotator_that_finds_nothing_is_noted_until_a_text_is_given() -> None:
    class Beyond(Annotator):
        """Ends a span after the end of the text."""

        def annotate(self, view: View) -> Iterator[Phi]:
            if "CT-1" in view.text:
                yield Phi(0, len(view.text) + 1000, kind=PhiKind.ID)

    Beyond.outputs = (Phi,)
    assert [f.check for f in findings_of(Beyond) if f.note] == ["finds something"]
    assert [f.check for f in findings_of(Beyond, "See CT-1.") if f.fault] == ["survives text 1"]


@pytest.mark.slow
def test_a_long_message_is_cut_and_text_in_it_is_reported() -> None:
    class Quoting(Annotator):
        """Quotes long texts."""

        def annotate(self, view: View) -> Iterator[Phi]:
            if len(view.text) > 1000:
                raise ValueError(view.text)
            yield from ()

    Quoting.outputs = (Phi,)
    found = faults_of(Quoting)
    assert found == ["survives a line of 1 MB: ValueError, whose message holds text of the document"]


@pytest.mark.slow
def test_a_word_of_a_given_text_is_not_repeated() -> None:
    class Lookup(Annotator):
        """Looks up every word."""

        def annotate(self, view: View) -> Iterator[Phi]:
            yield from ()
            if "Okafor" in view.text:
                {}[view.text.split()[-1]]

    Lookup.outputs = (Phi,)
    (fault,) = faults_of(Lookup, "Seen by Dr. Okafor")
    assert re.fullmatch(r"survives text 1: \S*: KeyError at test_conformance\.py:\d+", fault)


class Lines(CollectionReader):
    """Reads numbered documents."""

    ids = ("a", "b")

    def __iter__(self) -> Iterator[Cas]:
        return (Cas("text", id=id) for id in self.ids)


def test_readers_are_read_twice() -> None:
    class Repeating(Lines):
        """Gives one id to two documents."""

        ids = ("a", "a")

    class Exhausted(Lines):
        """Can be read only once."""

        def open(self) -> None:
            self.documents = super().__iter__()

        def __iter__(self) -> Iterator[Cas]:
            return self.documents

    assert faults_of(Lines) == []
    assert faults_of(Repeating) == ["gives every document an id of its own: 1 ids are used again by a later document"]
    assert faults_of(Exhausted) == ["reads the same documents again: the second pass gave other documents"]


def test_consumers_write_roll_back_and_abort() -> None:
    class Appending(CasConsumer):
        """Writes a line at once and cannot remove it."""

        def process(self, cas: Cas) -> None:
            self.output.mkdir(exist_ok=True)
            with (self.output / "ids.txt").open("a") as file:
                file.write(cas.id)

    class Leaving(CasConsumer):
        """Leaves its temporary file."""

        def open(self) -> None:
            self.output.mkdir(exist_ok=True)
            (self.output / ".part").touch()

        def process(self, cas: Cas) -> None:
            pass

    assert faults_of(Appending) == ["rolls back a document that failed: 1 files differ: ids.txt"]
    assert faults_of(Leaving) == [
        "leaves no temporary files: .part",
        "leaves no temporary files if the run is aborted: .part",
    ]
