"""Compare the look-up of terms in the whole document with the look-up in sentences and in phrases: terms found, and time.

    python -m benchmarks.score_windows [phi_notes] [MTSamples] [VAERS] [--corpora FOLDER] [--documents N]

Corpora: phi_notes (train and dev), which ships with caspipe; the unmarked parts of MTSamples and VAERS, if the folder of the
open corpora has them. `kept` are terms that the look-up in the whole document finds too, `lost` those it does not find any more,
with the share of them outside every window, `new` shorter terms inside a lost one. Time is processor time of `terms` alone, in
milliseconds per document, the median of five rounds; below the table, that of tagger and chunker, which the phrases need.
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.notes.documents import CORPORA, phi_notes
from caspipe.annotators.lexicon.term_annotator import TermAnnotator
from caspipe.annotators.lexicon.windows import chunk_windows, sentence_windows
from caspipe.annotators.segmenting.segmenter import Segmenter
from caspipe.annotators.tagging.chunker import Chunker
from caspipe.annotators.tagging.tagger import Tagger
from caspipe.pipeline.contract.apply import apply
from caspipe.typesystem import Cas, View

FILES = {"MTSamples": "mtsamples/unlabelled.jsonl.gz", "VAERS": "vaers_unlabelled/narratives.jsonl.gz"}
ROUNDS = 5
Term = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Variant:
    """A setting of `terms`: the name of its row and its parameters."""

    name: str
    parameters: dict[str, Any]


VARIANTS = (
    Variant("sentence", {"window": "sentence"}),
    Variant("chunk: NP, VP", {"window": "chunk"}),
    Variant("chunk: NP", {"window": "chunk", "chunks": ["NP"]}),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="CORPUS", help="phi_notes, MTSamples, VAERS; all by default")
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="folder of the open corpora")
    parser.add_argument("--documents", type=int, help="at most this many documents of each corpus")
    given = parser.parse_args()
    print("| corpus | window | terms | kept | lost | of these outside every window | new | `terms` (ms) |")
    print("|---|---|---|---|---|---|---|---|")
    notes = []
    for name, texts in corpora(given.corpora):
        if given.names and name not in given.names:
            continue
        rows, note = compared(name, texts[: given.documents])
        print("\n".join(rows), flush=True)
        notes.append(note)
    print("\n".join(["", *notes]))


def corpora(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the names and texts of the corpora that are there."""
    yield "phi_notes", [d.text for part in ("train", "dev") for d in phi_notes(part)]
    for name, file in FILES.items():
        if (folder / file).is_file():
            with gzip.open(folder / file, "rt", encoding="utf-8") as lines:
                yield name, [json.loads(line)["text"] for line in lines]


def compared(corpus: str, texts: list[str]) -> tuple[list[str], str]:
    """Return a table row for each window, and a sentence on tagger, chunker and lost terms."""
    documents = [Cas(text) for text in texts]
    engines = {engine.name: engine for engine in (Segmenter(), Tagger(), Chunker())}
    seconds = {name: timed(lambda e=engine: [apply(e, cas) for cas in documents]) for name, engine in opened(engines)}
    views = [cas.view() for cas in documents]
    whole = TermAnnotator()
    whole.open()
    before = found(whole, views)
    total = sum(map(len, before))
    rows = [f"| {corpus} | document | {total:,} | | | | | {per_document(whole, views)} |"]
    lost_forms: Counter[str] = Counter()
    for variant in VARIANTS:
        annotator = TermAnnotator(**variant.parameters)
        annotator.open()
        after = found(annotator, views)
        lost = [(n, term) for n, (a, b) in enumerate(zip(before, after, strict=True)) for term in sorted(a - b)]
        new = sum(len(b - a) for a, b in zip(before, after, strict=True))
        outside = count_outside(annotator, views, lost)
        if variant.parameters.get("chunks") is None and variant.parameters["window"] == "chunk":
            lost_forms.update(views[n].text[term[0] : term[1]].casefold() for n, term in lost)
        terms = sum(map(len, after))
        rows.append(
            f"| {corpus} | {variant.name} | {terms:,} | {share(terms - new, total)} | {len(lost):,} | {share(outside, len(lost))}"
            f" | {new:,} | {per_document(annotator, views)} |"
        )
    common = ", ".join(
        f"{form} ({count})" for form, count in sorted(lost_forms.items(), key=lambda i: (-i[1], i[0]))[:12]
    )
    size = sum(map(len, texts)) / len(texts)
    each = ", ".join(f"{name} {taken / len(texts) * 1000:.2f}" for name, taken in seconds.items())
    note = f"{corpus}: {len(texts):,} documents of {size:,.0f} characters; first round of {each} ms. Most often lost: {common}."
    return rows, note


def opened(engines: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, engine in engines.items():
        engine.open()
        yield name, engine


def found(annotator: TermAnnotator, views: list[View]) -> list[set[Term]]:
    """Return the terms of each document."""
    return [{(t.begin, t.end, t.group.value) for t in annotator.annotate(view)} for view in views]


def count_outside(annotator: TermAnnotator, views: list[View], lost: list[tuple[int, Term]]) -> int:
    """Return how many of the lost terms, with the number of their document, share no token with a window."""
    inside: dict[int, set[int]] = {}
    for n in {n for n, _ in lost}:
        sentences = annotator.window == "sentence"
        windows = sentence_windows(views[n]) if sentences else chunk_windows(views[n], annotator.chunks)
        inside[n] = {token for first, last in windows for token in range(first, last)}
    tokens = [(n, views[n].tokens.at(begin), views[n].tokens.at(end - 1) + 1) for n, (begin, end, _) in lost]
    return sum(inside[n].isdisjoint(range(first, last)) for n, first, last in tokens)


def per_document(annotator: TermAnnotator, views: list[View]) -> str:
    taken = statistics.median(timed(lambda: found(annotator, views)) for _ in range(ROUNDS))
    return f"{taken / len(views) * 1000:.2f}"


def timed(work: Callable[[], Any]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else ""


if __name__ == "__main__":
    main()
