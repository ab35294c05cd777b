"""The shipped pipeline on single texts, and the marked-up case files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from caspipe.annotators.patterns.rule import unmark
from caspipe.pipeline import Pipeline
from caspipe.pipeline.assembly.shipped import locate
from caspipe.typesystem import Cas, KnownPhi, MaskedSpan, Phi, PhiCandidate, PhiKind

CASES = Path(__file__).parents[1] / "cases"
ROOT = CASES.parent.parent
KEY = "a secret for the tests only, of 32 characters or more"
SHIFT = f"masker.DATE.shift.key={KEY}"
_PIPELINES: dict[tuple[str, ...], Pipeline] = {}


def shipped(*overrides: str) -> Pipeline:
    """The shipped pipeline with overrides, opened once."""
    if overrides not in _PIPELINES:
        _PIPELINES[overrides] = Pipeline.load(locate("deidentify"), overrides).open()
    return _PIPELINES[overrides]


def process(text: str, *overrides: str, id: str = "note", known: dict[str, str] | None = None, **metadata: str) -> Cas:
    cas = Cas(text, id=id)
    cas.metadata.update(metadata)
    for kind, value in (known or {}).items():
        cas.add(KnownPhi(kind=PhiKind.of(kind), value=value, role="patient"))
    return shipped(*overrides).process(cas)


def masked(text: str, *overrides: str, **given_: Any) -> str:
    return process(text, *overrides, **given_).deidentified


def lines(file: str) -> list[Any]:
    """The marked-up lines of a case file, each named by its number."""
    numbered = enumerate((CASES / file).read_text(encoding="utf-8").splitlines(), 1)
    kept = [(n, line) for n, line in numbered if line.strip() and not line.startswith("# ")]
    return [pytest.param(unescaped(line), id=f"{file}:{n}") for n, line in kept]


def unescaped(line: str) -> str:
    """The line with `\\n` and `\\uXXXX` as what they stand for."""
    return re.sub(r"\\u([0-9a-fA-F]{4})", lambda m: chr(int(m[1], 16)), line.replace("\\n", "\n"))


def disagreement(line: str) -> str:
    """What differs between the marks and the final spans; empty where nothing does."""
    text, marks = unmark(line)
    spans = {(p.begin, p.end): p.kind for p in process(text).select(Phi)}
    faults = []
    for begin, end, name in marks:
        kind = spans.pop((begin, end), None)
        if kind is None or not kind.is_a(PhiKind.of(name)):
            faults.append(f"{begin}:{end} expected {name}, found {kind}")
    return "; ".join([*faults, *(f"{begin}:{end} falsely {kind}" for (begin, end), kind in sorted(spans.items()))])


def seen(cas: Cas) -> list[tuple[Any, ...]]:
    """All that a document holds after its way through the pipeline."""
    candidates = [
        (c.begin, c.end, c.kind.name, c.rule, c.source, c.reason, c.value, c.confidence)
        for c in cas.select(PhiCandidate)
    ]
    final = [(p.begin, p.end, p.kind.name, p.source, p.reason, p.value) for p in cas.select(Phi)]
    masked = [(m.begin, m.end, m.original_begin, m.operator) for m in cas.view("deidentified").select(MaskedSpan)]
    return [(cas.id, cas.text, cas.deidentified), *candidates, *final, *masked]
