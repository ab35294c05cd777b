"""The texts that every peer gets, and what is known to stand in them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..narratives import narratives

Gold = tuple[int, int, str]
LONG = 2000
"""Characters of a long text, as in the other benchmarks."""
SYNTHETIC_KINDS = {
    "PERSON": "PERSON",
    "STREET_ADDRESS": "LOCATION",
    "GPE": "LOCATION",
    "ZIP_CODE": "LOCATION",
    "ORGANIZATION": "ORGANIZATION",
    "DATE_TIME": "DATE",
    "AGE": "AGE",
    "PHONE_NUMBER": "PHONE",
    "EMAIL_ADDRESS": "EMAIL",
    "DOMAIN_NAME": "URL",
    "IP_ADDRESS": "IP",
    "US_SSN": "ID",
    "CREDIT_CARD": "ID",
    "IBAN_CODE": "ID",
    "US_DRIVER_LICENSE": "ID",
}
"""Entities of presidio-research's sentences as our kinds."""


class AbsentError(Exception):
    """The corpora are not there."""


@dataclass(frozen=True)
class Texts:
    """`sets`: name -> texts; `gold`: name -> for each text that is annotated its place and its spans."""

    told: str
    sets: dict[str, list[str]]
    gold: dict[str, list[tuple[int, list[Gold]]]] = field(default_factory=dict)

    def write(self, folder: Path) -> None:
        """A file of JSON strings for each set."""
        for name, texts in self.sets.items():
            lines = "".join(json.dumps(text) + "\n" for text in texts)
            (folder / f"{name}.jsonl").write_text(lines, encoding="ascii")


def joined(texts: Sequence[str], size: int = LONG) -> Iterator[str]:
    """The same texts, as many of them together as make `size` characters."""
    parts: list[str] = []
    for text in texts:
        parts.append(text)
        if sum(map(len, parts)) + len(parts) - 1 >= size:
            yield "\n".join(parts)
            parts = []
    if parts:
        yield "\n".join(parts)


def synthetic(documents: int) -> Texts:
    """Generated narratives; nothing is known of what stands in them."""
    notes = list(narratives(documents, 400, seed=2))
    told = f"{len(notes):,} generated narratives (benchmarks/narratives.py, seed 2)"
    return Texts(told, {"warm": list(narratives(20)), "notes": notes, "long": list(joined(notes))})


def vaers(corpora: Path, documents: int) -> Texts:
    """The VAERS narratives there are, the annotated ones first, and presidio-research's sentences for kinds that VAERS lacks.

    Raises AbsentError where the corpora are not there.
    """
    files = [
        corpora / "vaers_dev" / "narratives.jsonl",
        corpora / "vaers_unlabelled" / "narratives.jsonl.gz",
        corpora / "presidio_synth" / "synth_dataset_v2.json.gz",
    ]
    for file in files:
        if not file.is_file():
            raise AbsentError(f"no {file.parent.name}/{file.name} among the open corpora (--corpora, --synthetic)")
    annotated = [json.loads(line) for line in files[0].read_text(encoding="utf-8").splitlines()]
    with gzip.open(files[1], "rt", encoding="utf-8") as lines:
        others = [json.loads(line) for line in lines]
    notes = [d["text"] for d in (*annotated, *others)][:documents]
    gold = [(i, [(s["begin"], s["end"], s["kind"]) for s in d["spans"]]) for i, d in enumerate(annotated)]
    with gzip.open(files[2], "rt", encoding="utf-8") as data:
        sentences = json.load(data)
    known = [
        (
            i,
            [
                (s["start_position"], s["end_position"], SYNTHETIC_KINDS[s["entity_type"]])
                for s in d["spans"]
                if s["entity_type"] in SYNTHETIC_KINDS
            ],
        )
        for i, d in enumerate(sentences)
    ]
    told = f"{len(notes):,} VAERS narratives, all there are in the open corpora"
    if len(notes) < len(annotated) + len(others):
        told = f"the first {len(notes):,} VAERS narratives of the open corpora"
    return Texts(
        told,
        {
            "warm": list(narratives(20)),
            "notes": notes,
            "long": list(joined(notes)),
            "sentences": [d["full_text"] for d in sentences],
        },
        {"notes": [g for g in gold if g[0] < len(notes)], "sentences": known},
    )
