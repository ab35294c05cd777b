"""Score `names` on open corpora, and count its marks in real adverse-event narratives, where names are rare.

    python benchmarks/score_names.py [--corpora FOLDER] [--mode recall|balanced|precision] [--show KIND]

Presidio's synthetic sentences: precision, recall and F1 of PERSON, GPE (against LOCATION) and ORGANIZATION, strict (same
span) and overlapping; `within PHI` are false hits on text that is PHI of another kind (streets, companies), `plain` those
on ordinary text. ACI-Bench: recall of the patient's given and family names (known from the metadata, not shown to the
component), in notes and in transcripts without capitals. VAERS: marks in 100 documents, by kind; nearly all PERSON marks
there are false, since the reports were cleaned before publication. Medians of five runs give the time.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import re
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, cast

from caspipe.annotators.names import NameAnnotator
from caspipe.annotators.segmenting.segmenter import Segmenter
from caspipe.pipeline.contract.component import Spans
from caspipe.typesystem import Cas, PhiCandidate, View

CORPORA = Path(__file__).resolve().parents[2] / "shared" / "corpora"
KINDS = {"PERSON": ("PERSON",), "GPE": ("LOCATION",), "ORGANIZATION": ("ORGANIZATION", "LOCATION_HOSPITAL")}
Span = tuple[int, int]


def segmented(text: str) -> View:
    view = Cas(text).view()
    for spans in Segmenter().annotate(view):
        assert isinstance(spans, Spans)
        view.add_spans(spans.type, spans.begins, spans.ends)
    return view


def overlaps(a: Span, others: list[Span]) -> bool:
    return any(a[0] < end and begin < a[1] for begin, end in others)


def presidio(annotator: NameAnnotator, corpora: Path) -> Iterator[str]:
    with gzip.open(corpora / "presidio_synth" / "synth_dataset_v2.json.gz", "rt", encoding="utf-8") as file:
        records: list[dict[str, Any]] = json.load(file)
    counts: Counter[tuple[str, str]] = Counter()
    for record in records:
        found = list(annotator.annotate(segmented(record["full_text"])))
        everything = [(s["start_position"], s["end_position"]) for s in record["spans"]]
        for kind, ours in KINDS.items():
            gold = [(s["start_position"], s["end_position"]) for s in record["spans"] if s["entity_type"] == kind]
            system = [(c.begin, c.end) for c in found if c.kind.name.startswith(ours)]
            counts[kind, "gold"] += len(gold)
            counts[kind, "system"] += len(system)
            counts[kind, "strict"] += len(set(gold) & set(system))
            counts[kind, "found"] += sum(overlaps(g, system) for g in gold)
            counts[kind, "right"] += sum(overlaps(s, gold) for s in system)
            false = [s for s in system if not overlaps(s, gold)]
            counts[kind, "within PHI"] += sum(overlaps(s, everything) for s in false)
            counts[kind, "plain"] += sum(not overlaps(s, everything) for s in false)
    for kind in KINDS:
        n = {what: counts[kind, what] for what in ("gold", "system", "strict", "found", "right", "within PHI", "plain")}
        strict = _prf(n["strict"], n["strict"], n["system"], n["gold"])
        loose = _prf(n["right"], n["found"], n["system"], n["gold"])
        yield f"presidio {kind}: strict {strict}; overlapping {loose}; false: {n['within PHI']} within PHI, {n['plain']} plain"


def _prf(right: int, found: int, system: int, gold: int) -> str:
    precision, recall = right / max(system, 1), found / max(gold, 1)
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    return f"P {precision:.3f} R {recall:.3f} F1 {f1:.3f}"


def aci_bench(annotator: NameAnnotator, corpora: Path) -> Iterator[str]:
    csv.field_size_limit(1 << 30)
    counts: Counter[tuple[str, str]] = Counter()
    for part in ("train", "valid"):
        with (corpora / "aci_bench" / f"{part}_metadata.csv").open(encoding="utf-8") as file:
            records = {row["encounter_id"]: row for row in csv.DictReader(file)}
        with gzip.open(corpora / "aci_bench" / f"{part}.csv.gz", "rt", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                record = records[row["encounter_id"]]
                names = f"{record['patient_firstname']} {record['patient_familyname']}".split()
                for field in ("note", "dialogue"):
                    found = [
                        (c.begin, c.end) for c in annotator.annotate(segmented(row[field])) if "PERSON" in c.kind.name
                    ]
                    gold = [
                        m.span() for n in names for m in re.finditer(rf"(?i)(?<!\w){re.escape(n)}(?!\w)", row[field])
                    ]
                    counts[field, "gold"] += len(gold)
                    counts[field, "found"] += sum(any(b <= g[0] and g[1] <= e for b, e in found) for g in gold)
    for field in ("note", "dialogue"):
        covered, total = counts[field, "found"], counts[field, "gold"]
        yield f"aci_bench {field}: patient's names covered {covered}/{total} = {covered / total:.3f}"


def vaers(annotator: NameAnnotator, corpora: Path, show: str) -> Iterator[str]:
    with gzip.open(corpora / "vaers_unlabelled" / "narratives.jsonl.gz", "rt", encoding="utf-8") as file:
        views = [segmented(json.loads(line)["text"]) for line in file]
    found: list[list[PhiCandidate]] = [list(annotator.annotate(view)) for view in views]
    counts = Counter(c.kind.name for one in found for c in one)
    shares = ", ".join(f"{kind} {100 * n / len(views):.2f}" for kind, n in sorted(counts.items()))
    yield f"vaers: marks in 100 documents: {shares or 'none'} ({len(views)} documents)"
    for view, one in zip(views, found, strict=True):
        for c in one:
            if show and c.kind.name.startswith(show):
                text = view.text
                around = f"{text[max(0, c.begin - 30) : c.begin]}[{text[c.begin : c.end]}]{text[c.end : c.end + 30]}"
                yield f"  {c.kind.name} {c.confidence:.2f} {c.rule}: {' '.join(around.split())}"
    times = []
    for _ in range(5):
        start = time.perf_counter()
        for view in views:
            for _candidate in annotator.annotate(view):
                pass
        times.append(time.perf_counter() - start)
    size = sum(len(view.text) for view in views)
    yield f"speed: {statistics.median(times) / size * 2000 * 1e6:.0f} us per 2,000 code points"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpora", type=Path, default=CORPORA)
    parser.add_argument("--mode", choices=("recall", "balanced", "precision"), default="balanced")
    parser.add_argument(
        "--show", default="", metavar="KIND", help="print the VAERS marks of a kind (public domain text)"
    )
    options = parser.parse_args()
    mode = cast(Literal["recall", "balanced", "precision"], options.mode)
    annotator = NameAnnotator(mode=mode)
    annotator.open()
    print(f"names, mode {mode}")
    for part in (presidio(annotator, options.corpora), aci_bench(annotator, options.corpora)):
        for line in part:
            print(line)
    for line in vaers(annotator, options.corpora, options.show):
        print(line)


if __name__ == "__main__":
    main()
