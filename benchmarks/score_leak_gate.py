"""Score the leak gate: how often it stops documents of the shipped pipelines, and whether it finds planted values.

    python benchmarks/score_leak_gate.py [--corpora ../shared/corpora] [--documents 300] [--places]

Stopped documents: the pipeline masks a document, and the gate checks it. If a corpus has reference annotations, a place that one
of them covers is a leak of the pipeline; other places are false alarms. Planted values: one masked value of a document is written
back at a random blank of its masked text (seeded): unchanged, in capitals, in small letters, with a soft hyphen, with line breaks
for blanks, and for names only the last word. Recall is the share of planted values that the gate finds at that place. Times are
medians over documents, for all checks except the rules, and for the rules.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from benchmarks.narratives import narratives
from benchmarks.score_vaers import wilson
from caspipe.annotators.leak_gate import LeakGate
from caspipe.pipeline.assembly.shipped import folder
from caspipe.pipeline.contract.component import Component
from caspipe.pipeline.contract.leaks import leaks_of
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
    """Yield title, configuration and reader of each available set."""
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


def masked(config: str, documents: Iterable[Cas]) -> tuple[list[Cas], LeakGate]:
    """Return the documents after the engines of a shipped configuration, and its gate."""
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
    given = parser.parse_args()
    todo = [
        (t, c, list(Pipeline.parse(f"reader: {{{r}}}\nengines: []").reader or ()))
        for t, c, r in sets(given.corpora, given.documents)
    ]
    todo.insert(2, ("narratives", "deidentify", [Cas(t, id=str(i)) for i, t in enumerate(narratives(300), 1)]))
    kept: list[Cas] = []
    print(
        f"{'':28}{'documents':>10}{'stopped':>9}{'share':>8}{'places':>8}{'leaks':>7}{'alarms':>8}"
        f"{'values us':>11}{'rules us':>10}"
    )
    for title, config, documents in todo:
        done, gate = masked(config, documents)
        found = [(cas, leaks(gate, cas)) for cas in done]
        stopped = [(cas, hits) for cas, hits in found if hits]
        gold = any(cas.has_view(GOLD_VIEW) for cas in done)
        true = sum(is_true(cas, h) for cas, hits in stopped for h in hits) if gold else 0
        places = sum(len(hits) for _, hits in stopped)
        judged = f"{true:7}{places - true:8}" if gold else f"{'':15}"
        parts = []
        for checks in (("values", "known_phi"), ("rules",)):
            part = LeakGate(checks=checks, case=gate.case)
            part.open()
            parts.append(seconds(part, done[:100]) * 1e6)
        low, high = wilson(len(stopped), len(done))
        share = len(stopped) / len(done)
        print(
            f"{title:28}{len(done):10}{len(stopped):9}{share:8.2%}{places:8}"
            f"{judged}{parts[0]:11.0f}{parts[1]:10.0f}  [{max(low, 0):.2%}, {high:.2%}]"
        )
        if given.places:
            for cas, hits in stopped:
                for h in hits:
                    print(f"    {cas.id} {h!r}")
        kept += done if title in ("bundled samples", "synthetic") else []
    print("\nshare of planted values that were found (bundled samples, synthetic)")
    gate = LeakGate()
    gate.open()
    print("\n".join(table(list(plants(gate, kept, 1)))))


if __name__ == "__main__":
    main()
