"""Components that the tests of the pipeline assemble: small, and some of them broken on purpose."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path

from caspipe.pipeline.contract.component import (
    AnalysisEngine,
    Annotator,
    CasConsumer,
    CollectionReader,
    Part,
    component,
    part,
)
from caspipe.pipeline.contract.resources import Resource
from caspipe.pipeline.errors import ReaderError
from caspipe.typesystem import Cas, MedicalTerm, Phi, PhiCandidate, PhiKind, Sentence, TermGroup, View


class Hue(Part):
    """A family of parts."""


@part("plain")
class Plain(Hue):
    """No parameter."""


@part("shade")
class Shade(Hue):
    """With one."""

    depth: int = 3
    """How deep."""


class Wordlist(Resource):
    """A file of words."""

    kind = "word list"
    loads = 0

    def __init__(self, words: list[str]) -> None:
        self.words = words

    @classmethod
    def load(cls, name: str) -> Wordlist:
        Wordlist.loads += 1
        return cls(Path(name).read_text(encoding="utf-8").split())


@component("t_reader")
class ListReader(CollectionReader):
    """Yields the given texts."""

    texts: list[str] = dataclasses.field(default_factory=lambda: ["one 1", "two 22", "three 333"])
    """The texts."""
    broken: int = 0
    """Number of the document that cannot be read, from 1; 0 for none."""
    prefix: str = "doc"
    """How document ids begin."""

    def __iter__(self) -> Iterator[Cas]:
        for i, text in enumerate(self.texts, 1):
            if i == self.broken:
                self.failed.append((f"{self.prefix}{i}", ReaderError("expected UTF-8")))
            else:
                yield Cas(text, id=f"{self.prefix}{i}")

    def __len__(self) -> int:
        return len(self.texts)


@component("t_numbers", outputs=[PhiCandidate])
class NumberAnnotator(Annotator):
    """Marks digits."""

    least: int = 1
    """Fewest digits."""

    def annotate(self, view: View) -> Iterator[PhiCandidate]:
        for m in re.finditer(rf"\d{{{self.least},}}", view.text):
            yield PhiCandidate(m.start(), m.end(), kind=PhiKind.ID, rule="digits")


@component("t_lexicon", inputs=[Sentence], outputs=[MedicalTerm])
class LexiconAnnotator(Annotator):
    """Needs sentences."""

    group: TermGroup
    """The group."""
    words: Wordlist | None = None
    """The words."""
    min_length: int = 2
    """Shorter ones are left out (code points)."""
    hue: Hue = dataclasses.field(default_factory=Plain)
    """A part."""

    def annotate(self, view: View) -> Iterator[MedicalTerm]:
        yield from ()


@component("t_liar", outputs=[PhiCandidate])
class LyingAnnotator(Annotator):
    """Makes what it does not declare."""

    def annotate(self, view: View) -> Iterator[Sentence]:  # type: ignore[override]
        yield Sentence(0, 1)


@component("t_crash", inputs=[PhiCandidate])
class CrashingEngine(AnalysisEngine):
    """Fails on documents that hold a word, quoting them."""

    word: str = "two"
    """The word."""

    def process(self, cas: Cas) -> None:
        if self.word in cas.text:
            raise KeyError(f"cannot bear {cas.text}")


@component("t_phi", inputs=[PhiCandidate], outputs=[Phi])
class TrustingResolver(AnalysisEngine):
    """Believes every candidate."""

    def process(self, cas: Cas) -> None:
        for old in cas.select(Phi):
            cas.remove(old)
        for c in cas.select(PhiCandidate):
            phi = Phi(c.begin, c.end, kind=c.kind)
            phi._source = c.source
            cas.add(phi)


@component("t_consumer")
class ListConsumer(CasConsumer):
    """Notes what it was given, and fails where told."""

    fail_on: str = ""
    """Document id it fails on."""

    def open(self) -> None:
        super().open()
        self.log: list[str] = ["open"]

    def process(self, cas: Cas) -> None:
        if cas.id == self.fail_on:
            raise OSError(28, "No space left on device")
        self.log.append(cas.id)

    def rollback(self, document_id: str) -> None:
        if document_id in self.log:
            self.log.remove(document_id)

    def close(self) -> None:
        self.log.append("close")
