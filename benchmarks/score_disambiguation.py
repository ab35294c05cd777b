"""Score the vetoes of the disambiguation of medical words, right and wrong, independent of the finder.

    python benchmarks/score_disambiguation.py [--corpora FOLDER]

Names: every gold person and place of open corpora is proposed unchanged; vetoed ones would stay readable. Medical words: words of
the shipped dictionary, each with one letter changed, left out or added, or two swapped, and drug names without the lists of
drugs, so that only stems can match them. Each is proposed as a person: `It was ... again.` The variants are the defaults of the
module, swapped letters as one edit (`osa`), and the literal method of the source, in which every near miss of four letters or
more counts and names are not exempt. Prints figures only, no text.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import english_corpora  # noqa: E402  (in scripts)

from caspipe.annotators.disambiguation import Disambiguation  # noqa: E402
from caspipe.annotators.lexicon import Lexicon  # noqa: E402
from caspipe.annotators.lexicon.lexicon import COMBINED  # noqa: E402
from caspipe.pipeline import Pipeline  # noqa: E402
from caspipe.typesystem import Cas, Phi, PhiCandidate, PhiKind  # noqa: E402

CORPORA = ROOT.parent / "shared" / "corpora"
LETTER = {"protect": [], "known": [], "fuzzy_length": 4, "fuzzy_length_drugs": 4, "min_precision": 0.7}
VARIANTS: dict[str, dict[str, Any]] = {"default": {}, "osa": {"metric": "osa"}, "literal": LETTER}
SAMPLE, SHORTEST = 3_000, 7
REASONS = ("exact", "fuzzy", "stem")


def engine(**parameters: Any) -> Disambiguation:
    made = Disambiguation(sources=["gold"], keep_above=1, **parameters)
    made.open()
    return made


def judged(made: Disambiguation, cas: Cas, spans: list[tuple[int, int, PhiKind]]) -> Iterator[str]:
    """Yield the reason of the veto for each span, empty if the span is kept."""
    for begin, end, kind in spans:
        candidate = PhiCandidate(begin, end, kind=kind, confidence=1.0)
        candidate._source = "gold"
        cas.add(candidate)
    made.process(cas)
    for candidate in cas.view().select(PhiCandidate):
        yield candidate.reason
        cas.view().remove(candidate)


def documents(reader: str, steps: str = "[segmenter]") -> Iterator[Cas]:
    with Pipeline.parse(f"reader: {reader}\nengines: {steps}\n") as pipeline:
        assert pipeline.reader is not None
        yield from pipeline.stream(pipeline.reader)


def names(folder: Path) -> Iterator[tuple[str, list[Cas]]]:
    kinds = "kinds: {MISC: null}"
    for part in ("train", "held"):
        for name, pattern in (("wikigold", "*.txt"), ("btc", "*.conll")):
            place = folder / name if part == "train" else folder / "held" / name
            reader = f'{{conll: {{folder: "{place}", pattern: "{pattern}", {kinds}}}}}'
            yield f"{name}, {'nine tenths' if part == 'train' else 'held-back tenth'}", list(documents(reader))
    emerging = f'{{conll: {{folder: "{folder / "wnut17"}", pattern: "*.conll", kinds: {{product: null, creative-work: null}}}}}}'
    yield "wnut17", list(documents(emerging))
    yield "synthetic narratives, 300", list(documents("{synthetic: {documents: 300, seed: 5}}"))


def row(what: str, made: Disambiguation, given: list[tuple[Cas, list[tuple[int, int, PhiKind]]]]) -> str:
    counts: Counter[str] = Counter()
    for cas, spans in given:
        counts.update(next((r for r in REASONS if r in why), "kept") for why in judged(made, cas, spans))
    total = counts.total()
    cells = [f"{sum(counts[r] for r in REASONS):,}", *(f"{counts[r]:,}" for r in REASONS)]
    return f"| {what} | {total:,} | {' | '.join(cells)} | {1 - counts['kept'] / max(1, total):.4f} |"


def misspelt(words: list[str], edit: str) -> Iterator[str]:
    chance = random.Random(edit)
    for word in words:
        at = chance.randrange(1, len(word) - 1)
        letter = chance.choice("abcdefghijklmnopqrstuvwxyz")
        yield {
            "changed": word[:at] + letter + word[at + 1 :],
            "left out": word[:at] + word[at + 1 :],
            "added": word[:at] + letter + word[at:],
            "swapped": word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        }[edit].capitalize()


def sentences(words: list[str]) -> list[tuple[Cas, list[tuple[int, int, PhiKind]]]]:
    """Return one document with a line for each word, and the words proposed as persons."""
    text, spans = "", []
    for word in words:
        begin = len(text) + len("It was ")
        spans.append((begin, begin + len(word), PhiKind.PERSON))
        text += f"It was {word} again.\n"
    with Pipeline.parse("engines: [segmenter]\n") as pipeline:
        return [(pipeline.process(text), spans)]


def words_of(*lists: str) -> list[str]:
    """Return a sample of single words of lists: letters only, without names of people or places."""
    people = [Lexicon.load("names"), Lexicon.load("places")]
    found = {e.form.lower() for name in lists for e in Lexicon.load(name).all_entries() if e.form.isascii()}
    chosen = sorted(w for w in found if w.isalpha() and len(w) >= SHORTEST and not any(w in p for p in people))
    random.Random("sample").shuffle(chosen)
    return chosen[:SAMPLE]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--corpora", type=Path, default=CORPORA)
    options = parser.parse_args()
    engines = {name: engine(**parameters) for name, parameters in VARIANTS.items()}
    head = "| what | proposed | vetoed | exact | fuzzy | stem | share vetoed |\n|---|---|---|---|---|---|---|"
    print(f"Names (people and places), which must be kept\n\n{head}")
    with tempfile.TemporaryDirectory() as folder:
        english_corpora.prepare(options.corpora, Path(folder) / "prepared")
        for corpus, found in names(Path(folder) / "prepared"):
            tops = (PhiKind.PERSON, PhiKind.LOCATION)
            given = [
                (cas, [(p.begin, p.end, p.kind) for p in cas.view("gold").select(Phi) if p.kind.top in tops])
                for cas in found
            ]
            for variant in ("default", "literal"):
                print(row(f"{corpus}: {variant}", engines[variant], given))
    print(f"\nMedical words, which must be vetoed\n\n{head}")
    medical = words_of(*COMBINED["medical"])
    print(row("as in the dictionary", engines["default"], sentences([w.capitalize() for w in medical])))
    for edit in ("changed", "left out", "added", "swapped"):
        given = sentences(list(misspelt(medical, edit)))
        for variant in ("default", "osa") if edit == "swapped" else ("default",):
            print(row(f"one letter {edit}: {variant}", engines[variant], given))
    rest: list[Any] = [name for name in COMBINED["medical"] if name not in ("drug_names", "medications")]
    given = sentences([w.capitalize() for w in words_of("drug_names")])
    for least in (0.7, 0.95, 1.0):
        made = engine(dictionary=rest, min_precision=least)
        print(row(f"drug names by stems alone, precision {least:.2f} or more", made, given))


if __name__ == "__main__":
    main()
