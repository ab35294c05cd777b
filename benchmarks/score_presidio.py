"""Score the component `identifiers` on the synthetic sentences of presidio-research (MIT): precision, recall, F1 per kind.

    python benchmarks/score_presidio.py [path/to/synth_dataset_v2.json.gz] [--misses KIND] [--false KIND]

`strict`: same begin and end. `overlap`: a hit of the kind shares a character with a gold span of the kind. `covered`: share of
gold spans of which every letter and digit is inside a hit of any kind, as masking needs. The data are generated; see the README
in their folder for license and origin.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from pathlib import Path

from caspipe.annotators.identifiers import IdentifierAnnotator
from caspipe.typesystem import Cas, PhiCandidate

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpora" / "presidio_synth" / "synth_dataset_v2.json.gz"
KINDS = {
    "PHONE_NUMBER": ("PHONE", "FAX"),
    "EMAIL_ADDRESS": ("EMAIL",),
    "DOMAIN_NAME": ("URL",),
    "IP_ADDRESS": ("IP",),
    "US_SSN": ("ID_SSN",),
    "CREDIT_CARD": ("ID_CARD",),
    "IBAN_CODE": ("ID_BANK_ACCOUNT",),
    "ZIP_CODE": ("LOCATION_ZIP",),
    "STREET_ADDRESS": ("LOCATION_STREET",),
    "US_DRIVER_LICENSE": ("ID_LICENSE",),
}
Span = tuple[int, int]


def overlap(a: Span, b: Span) -> bool:
    """Return True if two spans share a character."""
    return a[0] < b[1] and b[0] < a[1]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    arguments.add_argument("corpus", nargs="?", type=Path, default=CORPUS)
    arguments.add_argument("--misses", help="show the gold spans of this kind that are not covered")
    arguments.add_argument("--false", help="show the hits of this kind that do not overlap a gold span of it")
    given = arguments.parse_args()
    finder = IdentifierAnnotator()
    finder.open()
    count: Counter[tuple[str, str]] = Counter()
    with gzip.open(given.corpus, "rt", encoding="utf-8") as file:
        for document in json.load(file):
            text = document["full_text"]
            found = [a for a in finder.annotate(Cas(text).view()) if isinstance(a, PhiCandidate)]
            covered = {i for a in found for i in range(a.begin, a.end)}
            spans = document["spans"]
            for name, kinds in KINDS.items():
                gold = [(s["start_position"], s["end_position"]) for s in spans if s["entity_type"] == name]
                hits = [(a.begin, a.end) for a in found if a.kind.name.startswith(kinds)]
                count[name, "gold"] += len(gold)
                count[name, "hits"] += len(hits)
                count[name, "same"] += len(set(gold) & set(hits))
                count[name, "met"] += sum(any(overlap(g, h) for h in hits) for g in gold)
                count[name, "right"] += sum(any(overlap(g, h) for g in gold) for h in hits)
                whole = [g for g in gold if all(i in covered for i in range(*g) if text[i].isalnum())]
                count[name, "covered"] += len(whole)
                if given.misses == name:
                    for b, e in (g for g in gold if g not in whole):
                        print("missed", repr(text[max(0, b - 40) : b]), repr(text[b:e]), repr(text[e : e + 20]))
                if given.false == name:
                    for b, e in (h for h in hits if not any(overlap(g, h) for g in gold)):
                        print("false ", repr(text[max(0, b - 40) : b]), repr(text[b:e]), repr(text[e : e + 20]))
    print(
        f"{'':18}{'gold':>6}{'hits':>6}   {'strict P':>8}{'R':>7}{'F1':>7}   {'overlap P':>9}{'R':>7}{'F1':>7}   covered"
    )
    for name in KINDS:
        gold, hits = count[name, "gold"] or 1, count[name, "hits"] or 1
        strict = scores(count[name, "same"] / hits, count[name, "same"] / gold)
        loose = scores(count[name, "right"] / hits, count[name, "met"] / gold)
        print(
            f"{name:18}{count[name, 'gold']:6}{count[name, 'hits']:6}   {strict}   {loose}   {count[name, 'covered'] / gold:7.3f}"
        )


def scores(precision: float, recall: float) -> str:
    """Return precision, recall and F1 as three columns."""
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return f"{precision:8.3f}{recall:7.3f}{f1:7.3f}"


if __name__ == "__main__":
    main()
