"""Score the date and age finders on marked narratives, under the three criteria of the VigiBase system.

    python benchmarks/score_vaers.py ../shared/corpora/vaers_dev/narratives.jsonl [--errors]

A prediction hits a gold span of its kind under *strict* if both have the same offsets, under *covering* if it contains
the gold span, under *overlapping* if they share a code point. Precision is the share of predictions that hit, recall the
share of gold spans that are hit. Intervals: Wilson score, 95 %; for F1 a bootstrap over documents (1,000 draws).
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from caspipe.annotators.ages import AgeAnnotator
from caspipe.annotators.dates.annotator import DateAnnotator
from caspipe.typesystem import Cas, PhiCandidate

Span = tuple[int, int]
Document = dict[str, tuple[list[Span], list[Span]]]
"""Kind -> (predicted, gold)."""

CRITERIA: dict[str, Callable[[Span, Span], bool]] = {
    "strict": lambda p, g: p == g,
    "covering": lambda p, g: p[0] <= g[0] and g[1] <= p[1],
    "overlapping": lambda p, g: p[0] < g[1] and g[0] < p[1],
}
KINDS = ("DATE", "AGE")


def wilson(hits: int, total: int, z: float = 1.96) -> tuple[float, float]:
    """Return Wilson's score interval of a share (Wilson 1927, J Am Stat Assoc 22)."""
    if total == 0:
        return 0.0, 1.0
    share = hits / total
    center = share + z * z / (2 * total)
    spread = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return (center - spread) / (1 + z * z / total), (center + spread) / (1 + z * z / total)


def counts(documents: Iterable[Document], kinds: Sequence[str], criterion: str) -> tuple[int, int, int, int]:
    """Return the numbers of predictions that hit, predictions, gold spans hit, and gold spans."""
    holds = CRITERIA[criterion]
    good = predicted = found = gold = 0
    for document in documents:
        for kind in kinds:
            p, g = document[kind]
            good += sum(any(holds(x, y) for y in g) for x in p)
            found += sum(any(holds(x, y) for x in p) for y in g)
            predicted, gold = predicted + len(p), gold + len(g)
    return good, predicted, found, gold


def f1(good: int, predicted: int, found: int, gold: int) -> float:
    """Return the harmonic mean of precision and recall; 1 if there are neither gold spans nor predictions."""
    if not predicted and not gold:
        return 1.0
    precision, recall = good / predicted if predicted else 0.0, found / gold if gold else 0.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def bootstrap(documents: list[Document], kinds: Sequence[str], criterion: str) -> tuple[float, float]:
    """Return the 95 % interval of F1 over resampled documents."""
    draw = random.Random(1)
    each = [counts([d], kinds, criterion) for d in documents]
    values = sorted(
        f1(*(sum(column) for column in zip(*draw.choices(each, k=len(each)), strict=True))) for _ in range(1000)
    )
    return values[25], values[974]


def predict(text: str) -> list[PhiCandidate]:
    """Return the candidates of both finders."""
    view = Cas(text).view()
    found = [*DateAnnotator().annotate(view), *AgeAnnotator().annotate(view)]
    view.add_all(found)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="JSON lines with text and spans (begin, end, kind)")
    parser.add_argument("--errors", action="store_true", help="list the offsets of strict misses and false hits")
    options = parser.parse_args()
    documents: list[Document] = []
    for line in options.file.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        found = predict(record["text"])
        document = {
            kind: (
                [(c.begin, c.end) for c in found if c.kind.top.name == kind],
                [(s["begin"], s["end"]) for s in record["spans"] if s["kind"] == kind],
            )
            for kind in KINDS
        }
        documents.append(document)
        if options.errors:
            for kind, (p, g) in document.items():
                for name, spans in (("missed", sorted(set(g) - set(p))), ("false", sorted(set(p) - set(g)))):
                    for begin, end in spans:
                        print(record["id"], kind, name, begin, end)
    print(f"{'kind':8}{'criterion':13}{'precision':>24}{'recall':>24}{'F1':>24}")
    for label, kinds in (*((k, (k,)) for k in KINDS), ("both", KINDS)):
        for criterion in CRITERIA:
            good, predicted, hit, gold = counts(documents, kinds, criterion)
            cells = [(good / max(predicted, 1), wilson(good, predicted)), (hit / max(gold, 1), wilson(hit, gold))]
            cells.append((f1(good, predicted, hit, gold), bootstrap(documents, kinds, criterion)))
            print(f"{label:8}{criterion:13}" + "".join(f"{v:9.3f} [{lo:.3f}, {hi:.3f}]" for v, (lo, hi) in cells))


if __name__ == "__main__":
    main()
