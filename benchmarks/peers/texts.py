"""Load the texts for all peers, and their gold spans."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..cold.texts import notes as new_notes
from ..narratives import narratives

Gold = tuple[int, int, str]
LONG = 2000
"""Number of characters of a long text, as in the other benchmarks."""
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
"""Entities of the presidio-research sentences -> kinds of caspipe."""


class AbsentError(Exception):
    """The corpora are missing."""


@dataclass(frozen=True)
class Texts:
    """`sets`: name -> texts; `gold`: name -> index and spans of each annotated text."""

    told: str
    sets: dict[str, list[str]]
    gold: dict[str, list[tuple[int, list[Gold]]]] = field(default_factory=dict)

    def write(self, folder: Path) -> None:
        """Write a file of JSON strings for each set."""
        for name, texts in self.sets.items():
            lines = "".join(json.dumps(text) + "\n" for text in texts)
            (folder / f"{name}.jsonl").write_text(lines, encoding="ascii")


def joined(texts: Sequence[str], size: int = LONG) -> Iterator[str]:
    """Yield the same texts, joined to texts of about `size` characters."""
    parts: list[str] = []
    for text in texts:
        parts.append(text)
        if sum(map(len, parts)) + len(parts) - 1 >= size:
            yield "\n".join(parts)
            parts = []
    if parts:
        yield "\n".join(parts)


def cold(corpora: Path, documents: int) -> Texts:
    """Return the new notes of benchmarks/bench_cold.py, the same ones in the same order. Nothing is repeated."""
    found = new_notes(corpora, documents)
    missing = "".join(f" Left out: {reason}." for reason in found.skipped)
    told = f"{documents:,} notes and {len(found.warm)} others to warm up: {found.origin}.{missing}"
    return Texts(told, {"warm": found.warm, "notes": found.new})


def synthetic(documents: int) -> Texts:
    """Return generated narratives, without gold spans."""
    notes = list(narratives(documents, 400, seed=2))
    told = f"{len(notes):,} generated narratives (benchmarks/narratives.py, seed 2)"
    return Texts(told, {"warm": list(narratives(20)), "notes": notes, "long": list(joined(notes))})


def vaers(corpora: Path, documents: int) -> Texts:
    """Return the available VAERS narratives, annotated ones first, and sentences of presidio-research for kinds missing in VAERS.

    Raises AbsentError if the corpora are missing.
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
    told = f"{len(notes):,} VAERS narratives, all those of the open corpora"
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
