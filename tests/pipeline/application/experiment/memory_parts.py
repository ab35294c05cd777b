"""A corpus, a trainer and an annotator small enough to be checked by hand: the model is the list of words it has seen."""

from __future__ import annotations

import dataclasses
import json
import os
import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from caspipe.pipeline.contract.component import (
    AnalysisEngine,
    Annotator,
    CasConsumer,
    CollectionReader,
    component,
)
from caspipe.pipeline.errors import ConsumerError
from caspipe.typesystem import GOLD_VIEW, Cas, Phi, PhiCandidate, PhiKind, Token, View

NAMES = [a + b for a in ("Ar", "Bel", "Cor", "Dan", "Er", "Fal") for b in ("mann", "sen", "ski", "ton", "well")]

PACE = "MEMORY_PARTS_PACE"
"""Variable that makes what is slow so many times as slow, for one process."""


@component("x_corpus", outputs=[Phi])
class SmallCorpus(CollectionReader):
    """Makes documents with names and numbers in gold; three documents in a row belong to one patient."""

    documents: int = 12
    """How many."""
    seed: int = 1
    """Other seeds, other names."""
    gold: bool = True
    """Whether there are reference annotations."""
    broken: int = 0
    """Number of the document that cannot be read, from 1; 0 for none."""

    def __iter__(self) -> Iterator[Cas]:
        for i in range(self.documents):
            if i + 1 == self.broken:
                self.failed.append((f"doc{i}", ConsumerError("expected UTF-8")))
                continue
            chance = random.Random(f"{self.seed}/{i}")
            name, number = chance.choice(NAMES), chance.randrange(100, 999)
            text = f"The patient {name} was seen. Record {number} was filed for {name} in ward 7."
            cas = Cas(text, id=f"doc{i}")
            cas.metadata["patient"] = f"p{i // 3}"
            if self.gold:
                view = cas.create_view(GOLD_VIEW, text)
                for m in re.finditer(name, text):
                    view.add(Phi(m.start(), m.end(), kind=PhiKind.PERSON))
                view.add(Phi(text.index(str(number)), text.index(str(number)) + 3, kind=PhiKind.ID))
            yield cas

    def __len__(self) -> int:
        return self.documents


@component("x_trainer", inputs=[Token, Phi])
class MemoryTrainer(CasConsumer):
    """Remembers the words it has seen as PHI often enough."""

    model: Path
    """Where the model goes."""
    C: float = 1.0
    """Times a word must have been seen."""
    alpha: float = 0.0
    """Share of its words that is forgotten, in alphabetical order."""
    features: list[str] = dataclasses.field(default_factory=lambda: ["token", "lower", "list:names", "list:places"])
    """Without `lower` capital letters matter; without `token` nothing is learnt from words of more than five letters."""
    fail: bool = False
    """Fails, quoting a document."""
    slow: float = 0.0
    """Seconds that a training takes."""

    def __post_init__(self) -> None:
        if self.C <= 0:
            raise ValueError(f"C: expected a number above 0, got {self.C:g}")

    def open(self) -> None:
        super().open()
        self.words: Counter[tuple[str, str]] = Counter()
        self.tokens = 0

    def process(self, cas: Cas) -> None:
        if self.fail:
            raise KeyError(cas.text)
        self.tokens += cas.view().count(Token)
        for phi in cas.view(GOLD_VIEW).select(Phi):
            word = phi.covered_text
            if "token" in self.features or len(word) <= 5:
                self.words[word.lower() if "lower" in self.features else word, phi.kind.name] += 1

    def close(self) -> None:
        time.sleep(self.slow * float(os.environ.get(PACE, "1")))
        kept = {word: kind for (word, kind), n in sorted(self.words.items()) if n >= self.C}
        kept = dict(list(kept.items())[round(self.alpha * len(kept)) :])
        if not kept:
            raise ConsumerError("x_trainer: nothing to learn")
        folder = self.output / self.model
        folder.mkdir(parents=True)
        facts = {"active_features": len(kept), "training": {"tokens": self.tokens}, "history": [{"epoch": 1}]}
        (folder / "model.json").write_text(json.dumps({"words": kept, **facts}), encoding="utf-8")

    def abort(self) -> None:
        pass


@component("x_lucky", inputs=[Token, Phi])
class LuckyTrainer(MemoryTrainer):
    """Remembers two thirds of the words, drawn at random."""

    seed: int = 0
    """Other seeds, other words."""

    def close(self) -> None:
        words = sorted(self.words)
        kept = random.Random(self.seed).sample(words, 2 * len(words) // 3)
        self.words = Counter({word: self.words[word] for word in kept})
        super().close()


@component("x_memory", inputs=[Token], outputs=[PhiCandidate])
class MemoryAnnotator(Annotator):
    """Marks the words its model remembers."""

    model: Path
    """The model."""
    least: int = 0
    """Shorter words are not marked (code points)."""

    def open(self) -> None:
        super().open()
        self.words = json.loads((self.model / "model.json").read_text(encoding="utf-8"))["words"]

    def annotate(self, view: View) -> Iterator[PhiCandidate]:
        for token in view.select(Token):
            kind = self.words.get(token.covered_text) or self.words.get(token.covered_text.lower())
            if kind and len(token.covered_text) >= self.least:
                sure = min(0.99, len(token.covered_text) / 10)
                yield PhiCandidate(token.begin, token.end, kind=PhiKind.of(kind), confidence=sure, rule="memory")


@component("x_digits", outputs=[PhiCandidate])
class DigitsAnnotator(Annotator):
    """Marks numbers of three digits, and one digit too much."""

    def annotate(self, view: View) -> Iterator[PhiCandidate]:
        for m in re.finditer(r"\d+", view.text):
            yield PhiCandidate(m.start(), m.end(), kind=PhiKind.ID, rule="digits")


@component("x_broken")
class BrokenEngine(AnalysisEngine):
    """Fails, quoting the document."""

    def process(self, cas: Cas) -> None:
        raise KeyError(cas.text)
