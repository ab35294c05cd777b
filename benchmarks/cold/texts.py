"""Lifelike notes, each given once: phi_notes, MTSamples and VAERS, and further ones with other names and numbers.

The open notes come first, in a fixed random order. If more are wanted than there are, further ones are composed from phi_notes:
every marked name, place, date and number is replaced by another one (readers/augmentation), and so are the digits of all other
numbers. Their other words are those of the notes that they were composed from.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path

from caspipe.pipeline.application.evaluation.documents import Collection, read_documents
from caspipe.pipeline.storage.shipped_corpora import corpus_folder
from caspipe.readers.augmentation import AugmentReader
from caspipe.readers.augmentation.options import Case, Noise, Structure, Wrap
from caspipe.readers.augmentation.pieces import Piece, pieces_of, text_of
from caspipe.readers.augmentation.substitution.corpus import Corpus
from caspipe.readers.corpora.marked import MarkedReader

SHORTEST, LONGEST = 700, 2600
"""Characters of a note. Shorter and longer documents of the corpora are left out, so that times by document can be compared."""
WARM = 20
"""Number of notes that a process works on before it is measured."""
SEED = 1
_DIGIT = re.compile(r"(?<=\d)\d")
_WORD = re.compile(r"\w+")
_OPEN = {
    "MTSamples": ("mtsamples/unlabelled.jsonl.gz",),
    "VAERS": ("vaers_unlabelled/narratives.jsonl.gz",),
}
"""Files of the open corpora, by name."""


@dataclass(frozen=True)
class Notes:
    """Notes for one measurement: `warm` are others than `new`."""

    warm: list[str] = field(repr=False)
    new: list[str] = field(repr=False)
    counts: dict[str, int]
    """Number of notes in `warm` and `new` together, by origin."""
    skipped: list[str]
    """Reasons why a corpus was left out."""

    @property
    def mean(self) -> float:
        """Return the mean number of characters of the new notes."""
        return sum(map(len, self.new)) / max(len(self.new), 1)

    @property
    def origin(self) -> str:
        """Return the corpora and the numbers of their notes, for the page."""
        return ", ".join(f"{many:,} {name}" for name, many in self.counts.items())

    def write(self, folder: Path) -> None:
        """Write `warm.jsonl` and `new.jsonl`, a JSON string in each line."""
        for name, texts in (("warm", self.warm), ("new", self.new)):
            write(folder / f"{name}.jsonl", texts)


def write(file: Path, texts: Iterable[str]) -> None:
    with file.open("w", encoding="ascii") as out:
        out.writelines(json.dumps(text) + "\n" for text in texts)


def read(file: Path) -> Iterator[str]:
    with file.open(encoding="ascii") as lines:
        for line in lines:
            yield json.loads(line)


def notes(corpora: Path, wanted: int) -> Notes:
    """Return `wanted` new notes and a few to warm up: open ones, then composed ones. The same arguments give the same notes."""
    given, skipped = opened(corpora)
    random.Random(SEED).shuffle(given)
    total = wanted + WARM
    taken = given[:total]
    counts: dict[str, int] = {}
    for origin, _ in taken:
        counts[origin] = counts.get(origin, 0) + 1
    texts = [text for _, text in taken]
    if len(texts) < total:
        counts["composed from phi_notes"] = total - len(texts)
        texts += islice(composed(set(texts)), total - len(texts))
    return Notes(texts[:WARM], texts[WARM:], dict(sorted(counts.items(), key=lambda one: -one[1])), skipped)


def opened(corpora: Path) -> tuple[list[tuple[str, str]], list[str]]:
    """Return (origin, text) of the open notes, each text once, and the reasons why a corpus was left out."""
    found = [("of phi_notes", text_of(pieces)) for pieces in _marked()]
    skipped = []
    for name, files in _OPEN.items():
        for file in files:
            if not (corpora / file).is_file():
                skipped.append(f"{name}: no {file} in the folder of the open corpora (--corpora)")
                continue
            with gzip.open(corpora / file, "rt", encoding="utf-8") as lines:
                found += [(f"of {name}", json.loads(line)["text"]) for line in lines]
    unique = {text: origin for origin, text in reversed(found) if SHORTEST <= len(text) <= LONGEST}
    return [(origin, text) for text, origin in reversed(unique.items())], skipped


def composed(known: set[str]) -> Iterator[str]:
    """Yield notes of phi_notes with other names, places, dates and numbers, without end; none of `known`, and none twice."""
    reader = AugmentReader(
        reader=MarkedReader(folder=corpus_folder("shipped:phi-notes-train")),
        substitute=1.0,
        pool=0.0,
        seed=SEED,
        case=Case(lower=0, upper=0, lower_names=0, upper_names=0),
        wrap=Wrap(share=0),
        noise=Noise(typos=0, names=0, ocr=0, spaces=0, accents=0),
        structure=Structure(share=0),
    )
    sources = [pieces for pieces in _marked() if SHORTEST <= len(text_of(pieces)) <= LONGEST]
    given = {hash(text) for text in known}  # hashes: a hundred thousand texts would not fit
    values = Corpus()
    for copy in count():
        for number, pieces in enumerate(sources):
            name = f"{number}~{copy}"
            text = text_of(reader.changed(_renumbered(pieces, name), name, values))
            if hash(text) not in given:
                given.add(hash(text))
                yield text


def _renumbered(pieces: Sequence[Piece], name: str) -> list[Piece]:
    """Return the document with other digits after the first one of each number outside of marks."""
    digits = random.Random(f"{SEED} {name}")
    return [(text if mark else _DIGIT.sub(lambda _: digits.choice("0123456789"), text), mark) for text, mark in pieces]


def _marked() -> list[list[Piece]]:
    """Return the documents of phi_notes with their marks."""
    return [
        pieces_of(cas)
        for part in ("train", "dev")
        for cas in read_documents(Collection(corpus_folder(f"shipped:phi-notes-{part}"), "marked"))
    ]


def new_forms(texts: Sequence[str], known: Iterable[str] = ()) -> float:
    """Return the share of the words of `texts` whose form is in no earlier text and not in `known`."""
    seen = {form for text in known for form in _WORD.findall(text)}
    words = fresh = 0
    for text in texts:
        forms = _WORD.findall(text)
        words += len(forms)
        fresh += len(set(forms) - seen)
        seen.update(forms)
    return fresh / max(words, 1)
