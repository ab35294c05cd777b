"""Score the leak gate: how often it stops documents of the shipped pipelines, what it repairs, whether it finds planted values.

    python -m benchmarks.score_leak_gate [--corpora ../shared/corpora] [--documents 300] [--only phi_notes] [--places]

Stopped documents: the pipeline masks a document, and the gate checks it without repair. If a corpus has reference annotations, a
place that one of them covers is a leak of the pipeline; others are false alarms. Then the same is done with repair. False spans
are those that no reference annotation touches, for each 1,000 words (without reference: all of them). Leaks are reference
annotations with a readable letter or digit: in all documents without a gate, in those that the gate lets pass without repair,
and in those that it lets pass with repair. Planted values: one masked value of a document is written
back at a random blank of its masked text (seeded): unchanged, in capitals, in small letters, with a soft hyphen, with line breaks
for blanks, and for names only the last word. Recall is the share of planted values that the gate finds at that place. Times are
medians over documents, for all checks except the rules, and for the rules; with repair, the mean with all checks.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import runpy
import statistics
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.narratives import narratives
from benchmarks.score_vaers import wilson
from caspipe.annotators.leak_gate import LeakGate
from caspipe.pipeline.assembly.shipped import folder
from caspipe.pipeline.contract.component import Component
from caspipe.pipeline.contract.leaks import leaks_of, repaired
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import DEIDENTIFIED_VIEW, GOLD_VIEW, Cas, Leak, MaskedSpan, OffsetMap, Phi, PhiKind

FORMS: dict[str, Callable[[str], str]] = {
    "unchanged": lambda v: v,
    "in capitals": str.upper,
    "in small letters": str.lower,
    "soft hyphen": lambda v: v[: len(v) // 2] + "\u00ad" + v[len(v) // 2 :],
    "line breaks": lambda v: "\n".join(v.split()),
    "last word": lambda v: v.split()[-1],
}
Plant = tuple[str, str, bool]
"""Kind, form, found."""


def sets(corpora: Path, documents: int) -> Iterator[tuple[str, str, str]]:
    """Yield title, configuration and reader of each available set that a reader of caspipe reads."""
    yield "bundled samples", "deidentify", f"text: {{folder: {folder() / 'samples'}}}"
    yield "bundled samples, Spanish", "deidentify-es", f"text: {{folder: {folder() / 'samples-es'}}}"
    yield "synthetic", "deidentify", f"synthetic: {{documents: {documents}, seed: 99}}"
    if (corpora / "vaers_dev").exists():
        files = corpora.resolve() / "vaers_dev" / "narratives.jsonl"
        yield "VAERS dev", "deidentify", f"jsonl: {{files: {files}, spans_field: spans}}"
    if (corpora / "vaers_unlabelled").exists():
        files = corpora.resolve() / "vaers_unlabelled" / "narratives.jsonl.gz"
        yield "VAERS, more", "deidentify", f"jsonl: {{files: {files}}}"
    if (corpora / "meddocan").exists():
        yield "MEDDOCAN dev", "deidentify-es", f"i2b2: {{folder: {corpora.resolve() / 'meddocan' / 'dev'}}}"


def noted(corpora: Path) -> Iterator[tuple[str, str, list[Cas]]]:
    """Yield title, configuration and documents of the clinical notes."""
    notes, samples = corpora / "phi_notes", corpora / "mtsamples"
    for part in ("train", "dev") if notes.exists() else ():
        parse = runpy.run_path(str(notes / "marks.py"))["parse"]
        parsed = [d for path in sorted((notes / part).glob("*.txt")) for d in parse(path)]
        yield f"phi_notes {part}", "deidentify", [marked(d["id"], d["text"], d["spans"]) for d in parsed]
    for part, title in (
        (("unlabelled", "MTSamples"), ("annotated_dev", "MTSamples annotated")) if samples.exists() else ()
    ):
        with gzip.open(samples / f"{part}.jsonl.gz", "rt", encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        yield title, "deidentify", [marked(f"{part}-{n}", r["text"], spans_of(r)) for n, r in enumerate(rows, 1)]


def spans_of(row: dict[str, Any]) -> list[tuple[int, int, str]] | None:
    """Return the annotations of a row, or None if it is not annotated."""
    if "spans" not in row:
        return None
    return [
        (s["begin"], s["end"], s.get("kind") or s["label"]) if isinstance(s, dict) else (s[0], s[1], s[2])
        for s in row["spans"]
    ]


def marked(id: str, text: str, spans: list[tuple[int, int, str]] | None) -> Cas:
    """Return a document with reference annotations; those that need not be found (`?DATE_YEAR`) have the kind PROFESSION, all
    others PERSON, since only their places count."""
    cas = Cas(text, id=id)
    if spans is not None:
        gold = cas.create_view(GOLD_VIEW, text)
        gold.add_all([Phi(b, e, kind=PhiKind.PROFESSION if k[0] == "?" else PhiKind.PERSON) for b, e, k in spans])
    return cas


def readable(cas: Cas) -> int:
    """Return the number of reference annotations with a readable letter or digit."""
    if not cas.has_view(GOLD_VIEW):
        return 0
    hidden = bytearray(len(cas.text))
    for s in cas.view(DEIDENTIFIED_VIEW).select(MaskedSpan):
        hidden[s.original_begin : s.original_end] = b"\1" * (s.original_end - s.original_begin)
    needed = [g for g in cas.view(GOLD_VIEW).select(Phi) if g.kind is not PhiKind.PROFESSION]
    return sum(any(cas.text[i].isalnum() and not hidden[i] for i in range(g.begin, g.end)) for g in needed)


def repair(gate: LeakGate, documents: list[Cas], passing: list[Cas]) -> str:
    """Let the gate repair the documents. Returns the second part of their line; `passing` passed without repair."""
    before, without = sum(map(readable, passing)), sum(map(readable, documents))
    began = time.process_time()
    for cas in documents:
        gate.process(cas)
    seconds = time.process_time() - began
    refused = [cas for cas in documents if leaks_of(cas)]
    after = sum(readable(cas) for cas in documents if not leaks_of(cas))
    added = [(cas, phi) for cas in documents for phi in repaired(cas)]
    false = sum(
        not (cas.has_view(GOLD_VIEW) and cas.view(GOLD_VIEW).select(Phi, overlapping=(phi.begin, phi.end)))
        for cas, phi in added
    )
    words = sum(len(cas.text.split()) for cas in documents)
    holding = sum(bool(repaired(cas)) for cas in documents)
    gold = any(cas.has_view(GOLD_VIEW) for cas in documents)
    leaking = f"{without:8}{before:7}{after:7}" if gold else f"{'':22}"
    return (
        f"{len(refused):9}{len(refused) / len(documents):8.2%}{holding:8}{len(added):7}{1000 * false / words:9.2f}{leaking}"
        f"{seconds / len(documents) * 1e3:8.2f}"
    )


def masked(config: str, documents: Iterable[Cas]) -> tuple[list[Cas], LeakGate]:
    """Return the documents after the engines of a shipped configuration, and its gate, which is bound to its masker."""
    pipeline = Pipeline.load(folder() / f"{config}.yaml")
    gates = [e for e in pipeline.engines if isinstance(e, LeakGate)]
    gate = gates[0] if gates else LeakGate()
    others: list[Component] = [e for e in pipeline.engines if not isinstance(e, LeakGate)]
    gate.open()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # no key: dates become placeholders
        with Pipeline(others) as made:
            return [made.process(cas) for cas in documents], gate


def leaks(gate: LeakGate, cas: Cas) -> list[Leak]:
    """Return the leaks for which the gate stops a document."""
    gate.process(cas)
    return leaks_of(cas)


def is_true(cas: Cas, leak: Leak) -> bool:
    """Return True if a reference annotation covers a part of the place."""
    offsets = cas.view(DEIDENTIFIED_VIEW).offset_map
    begin, end = offsets.to_old(leak.begin, leak.end) if offsets else (leak.begin, leak.end)
    return bool(cas.view(GOLD_VIEW).select(Phi, overlapping=(begin, end)))


def planted(cas: Cas, value: str, at: int) -> Cas:
    """Return a copy with a value in the masked text, between two blanks, at an offset outside the replacements."""
    made = cas.copy()
    old = made.view(DEIDENTIFIED_VIEW)
    text, spans = old.text, old.select(MaskedSpan)
    word = f" {value} "
    here, _ = (old.offset_map or OffsetMap(())).to_old(at, at)
    pieces = [(s.original_begin, s.original_end, s.end - s.begin) for s in spans]
    made.drop_view(DEIDENTIFIED_VIEW)
    new = made.create_view(DEIDENTIFIED_VIEW, text[:at] + word + text[at:])
    new.offset_map = OffsetMap(sorted([*pieces, (here, here, len(word))]))
    for s in spans:
        shift = len(word) if s.begin >= at else 0
        new.add(s.moved(s.begin + shift, s.end + shift))
    return made


def plants(gate: LeakGate, documents: list[Cas], seed: int) -> Iterator[Plant]:
    """Yield the results for one value of each kind of each document, planted in each form."""
    draw = random.Random(seed)
    for cas in documents:
        view = cas.view(DEIDENTIFIED_VIEW)
        spans = view.select(MaskedSpan)
        free = [i for i, c in enumerate(view.text) if c.isspace() and not any(s.begin <= i < s.end for s in spans)]
        of_kind: dict[PhiKind, list[MaskedSpan]] = {}
        for span in spans:
            of_kind.setdefault(span.kind, []).append(span)
        if not free or leaks(gate, cas):
            continue
        for kind, found in of_kind.items():
            span, at = draw.choice(found), draw.choice(free)
            value = cas.text[span.original_begin : span.original_end]
            for form, change in FORMS.items():
                word = change(value)
                if (form == "unchanged" or word != value) and (form != "last word" or kind.top.name == "PERSON"):
                    end = at + len(word) + 2
                    hit = any(x.begin < end and at < x.end for x in leaks(gate, planted(cas, word, at)))
                    yield kind.name, form, hit


def table(found: list[Plant]) -> Iterator[str]:
    """Yield the lines of the table of recall by kind and form."""
    total, hits = Counter((k, f) for k, f, _ in found), Counter((k, f) for k, f, hit in found if hit)
    yield f"{'':24}" + "".join(f"{f:>18}" for f in FORMS)
    kinds = sorted({k for k, _, _ in found})
    for kind in kinds:
        cells = [f"{hits[kind, f]}/{total[kind, f]}" if total[kind, f] else "" for f in FORMS]
        yield f"{kind:24}" + "".join(f"{c:>18}" for c in cells)


def seconds(gate: LeakGate, documents: list[Cas]) -> float:
    """Return the median over documents of the best of five times."""
    best = []
    for cas in documents:
        times = []
        for _ in range(5):
            started = time.perf_counter()
            leaks(gate, cas)
            times.append(time.perf_counter() - started)
        best.append(min(times))
    return statistics.median(best)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, default=Path("../shared/corpora"), help="folder of the open corpora")
    parser.add_argument("--documents", type=int, default=300, help="synthetic documents")
    parser.add_argument(
        "--places", action="store_true", help="also print document, offsets, kind and check of every place"
    )
    parser.add_argument("--only", default="", help="only sets whose title contains this; no planted values")
    given = parser.parse_args()
    todo = [
        (t, c, list(Pipeline.parse(f"reader: {{{r}}}\nengines: []").reader or ()))
        for t, c, r in sets(given.corpora, given.documents)
    ]
    todo.insert(2, ("narratives", "deidentify", [Cas(t, id=str(i)) for i, t in enumerate(narratives(300), 1)]))
    todo += noted(given.corpora)
    todo = [t for t in todo if given.only in t[0]]
    kept: list[Cas] = []
    print(
        f"{'':28}{'documents':>10}{'stopped':>9}{'share':>8}{'places':>8}{'leaks':>7}{'alarms':>8}"
        f"{'values us':>11}{'rules us':>10}  {'95 % interval':18}{'refused':>9}{'share':>8}{'repaired':>8}{'spans':>7}"
        f"{'false/k':>9}{'without':>8}{'before':>7}{'after':>7}{'ms':>8}"
    )
    for title, config, documents in todo:
        done, gate = masked(config, documents)
        checking = LeakGate(case=gate.case, repair=False)
        checking.open()
        found = [(cas, leaks(checking, cas)) for cas in done]
        stopped = [(cas, hits) for cas, hits in found if hits]
        gold = any(cas.has_view(GOLD_VIEW) for cas in done)
        true = sum(is_true(cas, h) for cas, hits in stopped for h in hits) if gold else 0
        places = sum(len(hits) for _, hits in stopped)
        judged = f"{true:7}{places - true:8}" if gold else f"{'':15}"
        parts = []
        for checks in (("values", "known_phi"), ("rules",)):
            part = LeakGate(checks=checks, case=gate.case, repair=False)
            part.open()
            parts.append(seconds(part, done[:100]) * 1e6)
        low, high = wilson(len(stopped), len(done))
        share = len(stopped) / len(done)
        print(
            f"{title:28}{len(done):10}{len(stopped):9}{share:8.2%}{places:8}"
            f"{judged}{parts[0]:11.0f}{parts[1]:10.0f}  [{max(low, 0):6.2%}, {high:6.2%}]",
            end="  ",
        )
        kept += [cas.copy() for cas in done] if title in ("bundled samples", "synthetic") else []
        print(repair(gate, done, [cas for cas, hits in found if not hits]))
        if given.places:
            for cas, hits in stopped:
                for h in hits:
                    print(f"    {cas.id} {h!r}")
    if given.only:
        return
    print("\nshare of planted values that were found (bundled samples, synthetic)")
    gate = LeakGate()
    gate.open()
    print("\n".join(table(list(plants(gate, kept, 1)))))


if __name__ == "__main__":
    main()
