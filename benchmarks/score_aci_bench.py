"""Score `known_phi` on ACI-Bench: recall of the patient's names and age as given, of names with one typo, and false hits.

    python benchmarks/score_aci_bench.py [--corpus FOLDER] [--seed N] [--show]

Gold spans in the note and the dialogue of each encounter of train and valid: every whole-word occurrence, in any case, of the
patient's given name and family name, and every `N year(s) old` (blanks or hyphens) with the patient's age. A gold span is found
if one candidate covers all of it. The known facts come from the metadata: names, age, the doctor's name. A false hit is a
candidate that overlaps no gold span and no occurrence of the doctor's name. For the typos each gold name gets one edit of a
letter: a replacement, an insertion, a deletion, or a swap of two neighbors.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import random
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from caspipe.annotators.known_phi import KnownPhiAnnotator
from caspipe.typesystem import Cas, KnownPhi, PhiCandidate, PhiKind

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpora" / "aci_bench"
LETTERS = "abcdefghijklmnopqrstuvwxyz"
Span = tuple[int, int]


@dataclass
class Case:
    """One text with the facts of its record."""

    id: str
    field: str
    text: str
    known: list[tuple[PhiKind, str, str]]
    names: list[str]
    doctor: list[str]
    age: str


@dataclass
class Score:
    """Counts of one run."""

    found: int = 0
    gold: int = 0
    ages_found: int = 0
    ages: int = 0
    false: int = 0
    documents: int = 0
    shown: list[str] = field(default_factory=list)


def cases(corpus: Path) -> Iterator[Case]:
    csv.field_size_limit(1 << 30)
    for part in ("train", "valid"):
        with (corpus / f"{part}_metadata.csv").open(encoding="utf-8") as file:
            records = {row["encounter_id"]: row for row in csv.DictReader(file)}
        with gzip.open(corpus / f"{part}.csv.gz", "rt", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                record = records[row["encounter_id"]]
                names = [record[k].strip() for k in ("patient_firstname", "patient_familyname") if record[k].strip()]
                doctor = record["doctor_name"].strip()
                age = record["patient_age"].strip()
                known = [(PhiKind.PERSON, " ".join(names), "patient")] if names else []
                known += [(PhiKind.PERSON, doctor, "doctor")] if doctor else []
                known += [(PhiKind.AGE, age, "patient")] if age else []
                for name in ("dialogue", "note"):
                    bare = re.sub(r"^Dr\. ", "", doctor).split()
                    yield Case(row["encounter_id"], name, row[name], known, names, bare, age)


def whole_words(words: list[str], text: str) -> list[Span]:
    """Return every whole-word occurrence of the words, in any case."""
    found = {m.span() for w in words for m in re.finditer(rf"(?<!\w){re.escape(w)}(?!\w)", text, re.IGNORECASE)}
    return sorted(found)


def gold_ages(age: str, text: str) -> list[Span]:
    number = re.match(r"\d+", age)
    if not number:
        return []
    unit = "months?" if "month" in age else "years?"
    return [m.span() for m in re.finditer(rf"(?<!\w){number.group()}[\s-]+{unit}[\s-]+old\b", text, re.IGNORECASE)]


def typo(word: str, rng: random.Random) -> str:
    """Return the word with one letter changed, added, left out or swapped with the next; always a different word."""
    while True:
        kind = rng.choice(("change", "add", "leave", "swap"))
        at = rng.randrange(len(word))
        letter = rng.choice(LETTERS)
        letter = letter.upper() if word[at].isupper() else letter
        if kind == "change":
            made = word[:at] + letter + word[at + 1 :]
        elif kind == "add":
            made = word[:at] + letter.lower() + word[at:]
        elif kind == "leave":
            made = word[:at] + word[at + 1 :]
        else:
            made = word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :]
        if made.lower() != word.lower() and made:
            return made


def damaged(case: Case, rng: random.Random) -> tuple[str, list[Span]]:
    """Return the text with a typo in each gold name, and the new spans of the names."""
    parts: list[str] = []
    spans: list[Span] = []
    at = size = 0
    for begin, end in whole_words(case.names, case.text):
        wrong = typo(case.text[begin:end], rng)
        parts += [case.text[at:begin], wrong]
        size += begin - at + len(wrong)
        spans.append((size - len(wrong), size))
        at = end
    return "".join([*parts, case.text[at:]]), spans


def candidates(annotator: KnownPhiAnnotator, text: str, case: Case) -> list[PhiCandidate]:
    cas = Cas(text)
    for kind, value, role in case.known:
        cas.add(KnownPhi(kind=kind, value=value, role=role))
    return list(annotator.annotate(cas.view()))


def run(annotator: KnownPhiAnnotator, all_cases: list[Case], seed: int | None, show: bool) -> Score:
    """Score all texts as they are (`seed` None) or with typos in the names."""
    score = Score()
    for case in all_cases:
        rng = random.Random(f"{seed} {case.id} {case.field}")
        text, names = damaged(case, rng) if seed is not None else (case.text, whole_words(case.names, case.text))
        ages = gold_ages(case.age, text)
        hits = [(c.begin, c.end) for c in candidates(annotator, text, case)]
        covered = [any(b <= begin and end <= e for b, e in hits) for begin, end in names]
        score.gold += len(names)
        score.found += sum(covered)
        score.ages += len(ages)
        score.ages_found += sum(any(b <= begin and end <= e for b, e in hits) for begin, end in ages)
        true = [*names, *ages, *whole_words(case.doctor, text)]
        wrong = [(b, e) for b, e in hits if not any(b < end and begin < e for begin, end in true)]
        score.false += len(wrong)
        score.documents += 1
        if show:
            missed = [s for s, ok in zip(names, covered, strict=True) if not ok]
            for label, spans in (("missed", missed), ("false", wrong)):
                score.shown += [f"{label} {case.id} {case.field}: {_context(text, *s)}" for s in spans]
    return score


def _context(text: str, begin: int, end: int) -> str:
    return f"{text[max(0, begin - 40) : begin]}[{text[begin:end]}]{text[end : end + 30]}".replace("\n", " / ")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    parser.add_argument("--seed", type=int, default=1, help="first seed of the typos")
    parser.add_argument("--seeds", type=int, default=5, help="number of runs with typos")
    parser.add_argument("--show", action="store_true", help="print misses and false hits (public corpus text)")
    options = parser.parse_args()
    annotator = KnownPhiAnnotator()
    annotator.open()
    all_cases = list(cases(options.corpus))
    exact = run(annotator, all_cases, None, options.show)
    print(f"{exact.documents} texts of {exact.documents // 2} encounters")
    print(f"exact: names {exact.found}/{exact.gold} = {exact.found / exact.gold:.4f}", end="; ")
    print(f"ages {exact.ages_found}/{exact.ages} = {exact.ages_found / exact.ages:.4f}", end="; ")
    both = (exact.found + exact.ages_found) / (exact.gold + exact.ages)
    print(f"together {both:.4f}")
    print(f"false hits: {exact.false} in {exact.documents} texts = {10 * exact.false / exact.documents:.2f} in 10")
    runs = [run(annotator, all_cases, options.seed + i, options.show) for i in range(options.seeds)]
    for i, one in enumerate(runs):
        print(f"one typo, seed {options.seed + i}: names {one.found}/{one.gold} = {one.found / one.gold:.4f}", end="; ")
        print(f"false hits {10 * one.false / one.documents:.2f} in 10")
    for line in [*exact.shown, *(line for one in runs for line in one.shown)]:
        print(line)
    views = []
    for case in all_cases:
        cas = Cas(case.text)
        for kind, value, role in case.known:
            cas.add(KnownPhi(kind=kind, value=value, role=role))
        views.append(cas.view())
    start = time.perf_counter()
    for view in views:
        for _ in annotator.annotate(view):
            pass
    seconds = time.perf_counter() - start
    size = sum(len(v.text) for v in views)
    print(f"speed: {1e6 * seconds / size * 2000:.0f} us per 2,000 code points ({size / seconds / 1e6:.1f} MB/s)")


if __name__ == "__main__":
    main()
