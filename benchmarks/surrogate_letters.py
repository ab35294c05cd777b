"""Mask discharge letters with surrogates, write them for reading, and check what a program can check.

    python -m benchmarks.surrogate_letters [--documents 30] [--skip 0] [--output out-surrogates] [--gold]

The letters are the first discharge letters and summaries of the shipped corpus phi-notes (train, then dev). They are
found and masked by the default pipeline with `--surrogates` and a fixed key; with `--gold`, the reference marks are
masked instead, which separates faults of surrogates from those of the finders. OUTPUT/text has the masked letters,
OUTPUT/pairs.csv each original beside its surrogate. Checked: no masked word of three letters or more in a surrogate of
its document except words for types of places and titles, ZIP codes within the state beside them, towns within the state
beside them, one surrogate for each name.
"""

from __future__ import annotations

import argparse
import csv
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from caspipe.annotators.lexicon import Lexicon
from caspipe.annotators.masking.masker import Masker
from caspipe.annotators.masking.operators.shift import Shift
from caspipe.annotators.masking.surrogates.names import parts_of
from caspipe.annotators.masking.surrogates.regions import state_of_zip
from caspipe.pipeline.assembly.shipped import locate
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import DEIDENTIFIED_VIEW, GOLD_VIEW, Cas, Leak, MaskedSpan, Phi, PhiKind

KEY = "surrogate-letters-2026-a-key-for-reading-only"
GENRE = re.compile(r"(?i)discharge (?:letter|summary)|hospital discharge")
_WORD = re.compile(r"[^\W\d_]{3,}")
_PLACE = re.compile(r"([A-Z][A-Za-z.' -]+), ([A-Z]{2}) (\d{5})(?!\d)")


def letters(skip: int, count: int) -> Iterator[Cas]:
    """Yield discharge letters with their reference marks."""
    for part in ("train", "dev"):
        pipeline = Pipeline.parse(f"reader: {{marked: {{folder: 'shipped:phi-notes-{part}'}}}}\nengines: []")
        assert pipeline.reader is not None
        pipeline.reader.open()
        found = (cas for cas in pipeline.reader if GENRE.search(cas.metadata.get("genre", "")))
        for cas in islice(found, skip, skip + count):
            count -= 1
            yield cas
        if count <= 0:
            return


def masked(gold: bool, documents: list[Cas]) -> Iterator[Cas]:
    """Yield the documents, masked with surrogates."""
    settings = ["masker.surrogates=true", f"masker.DATE.shift.key={KEY}"]
    pipeline = Pipeline.load(locate("deidentify"), settings)
    masker = Masker(kinds={PhiKind.DATE: Shift(key=KEY)}, surrogates=True)
    for document in documents:
        cas = Cas(document.text, id=document.id)
        if gold:
            cas.view().add_all(Phi(p.begin, p.end, kind=p.kind) for p in document.view(GOLD_VIEW).select(Phi))
            masker.process(cas)
        yield cas if gold else pipeline.process(cas)


def pairs(cas: Cas) -> Iterator[tuple[str, str, str, str]]:
    """Yield kind, operator, original and surrogate of each replacement."""
    for span in cas.view(DEIDENTIFIED_VIEW).select(MaskedSpan):
        yield span.kind.name, span.operator, cas.text[span.original_begin : span.original_end], span.covered_text


def false_spans(original: Cas, cas: Cas) -> int:
    """Count replacements of text that no reference mark touches; articles do not count."""
    gold = original.view(GOLD_VIEW)
    spans = [s for s in cas.view(DEIDENTIFIED_VIEW).select(MaskedSpan) if s.operator != "article"]
    return sum(not gold.select(Phi, overlapping=(s.original_begin, s.original_end)) for s in spans)


def faults(cas: Cas) -> Counter[str]:
    """Count what a program can see to be wrong."""
    counted: Counter[str] = Counter()
    for kind, operator, old, new in pairs(cas):
        if operator == "surrogate" and new.startswith("["):
            counted[f"placeholder: {kind}"] += 1
        kept = {p.text.casefold() for p in parts_of(old) if not p.role} | {"van", "der"}
        words = {w.casefold() for w in _WORD.findall(old)} - kept
        if operator == "surrogate" and kind.startswith("PERSON") and words & {w.casefold() for w in _WORD.findall(new)}:
            counted["part of a name kept"] += 1
    cities, states = Lexicon.load("cities"), Lexicon.load("us_states")
    for town, state, code in _PLACE.findall(cas.deidentified):
        if not states.has(state):
            continue
        counted["addresses"] += 1
        counted["state and ZIP code differ"] += state_of_zip(code) != state
        last = " ".join(town.split()[-3:])
        there = {e.columns.get("state") for n in range(3) for e in cities.entries(" ".join(last.split()[n:]))}
        counted["town not in the state"] += state not in there
    return counted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--documents", type=int, default=30)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--output", type=Path, default=Path("out-surrogates"))
    parser.add_argument("--gold", action="store_true")
    options = parser.parse_args()
    folder = options.output / "text"
    shutil.rmtree(options.output, ignore_errors=True)
    folder.mkdir(parents=True)
    total: Counter[str] = Counter()
    with (options.output / "pairs.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["letter", "kind", "operator", "original", "surrogate"])
        originals = list(letters(options.skip, options.documents))
        pairs_of_views = zip(originals, masked(options.gold, originals), strict=True)
        for number, (original, cas) in enumerate(pairs_of_views, 1):
            (folder / f"{number:03d}.txt").write_text(cas.deidentified, encoding="utf-8")
            table.writerows([number, *pair] for pair in pairs(cas))
            total.update(faults(cas))
            total["replacements that no reference mark touches"] += false_spans(original, cas)
            total["letters with leaks that stay"] += bool(cas.view(DEIDENTIFIED_VIEW).select(Leak))
            total.update({"letters": 1, "replacements": len(list(pairs(cas)))})
    for name, count in sorted(total.items()):
        print(f"{count:6}  {name}")


if __name__ == "__main__":
    main()
