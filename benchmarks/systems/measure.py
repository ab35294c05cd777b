"""Measure one system on one corpus: every figure of its row."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from caspipe.consumers.scoring import Pair, Scores, at_level, bootstrap_interval, pair_of, score, wilson
from caspipe.consumers.scoring.counts import Figure
from caspipe.pipeline import Pipeline
from caspipe.pipeline.application.evaluation.documents import with_trained
from caspipe.typesystem.tokenize import token_spans

from .corpora import Corpus

OF_KINDS = ("strict", "covering", "overlapping")
WHATEVER = ("strict-binary", "covering-binary", "overlapping-binary", "token-binary")
DRAWS = 1000
OTHER = "OTHER"
"""First-level kind of the marks of binary systems."""


def found(pipeline: Pipeline, readers: Sequence[Mapping[str, Any]]) -> tuple[list[Pair], float]:
    """Return the marks of the engines without maskers for each document, and the processor seconds of the engines.

    Models and lists are loaded before; reading and comparing are not counted. Raises RuntimeError if a document cannot be read,
    ComponentError if an engine fails, because figures over the other documents would be those of a different corpus.
    """
    reader = Pipeline.parse(json.dumps({"reader": list(readers), "engines": ["segmenter"]})).reader
    assert reader is not None
    pipeline.engines = with_trained(pipeline)
    pairs, seconds = [], 0.0
    reader.failed = []
    reader.open()
    try:
        with pipeline:
            for cas in reader:
                started = time.process_time()
                pipeline.process(cas)
                seconds += time.process_time() - started
                pairs.append(pair_of(cas))
    finally:
        reader.close()
    if reader.failed:
        raise RuntimeError(f"{len(reader.failed)} documents could not be read; the first is {reader.failed[0][0]}")
    return pairs, seconds


def figures(pairs: Iterable[Pair], corpus: Corpus, binary: bool) -> dict[str, dict[str, float | None]]:
    """Return criterion -> figures over all kinds with the bounds of their 95 % intervals, `f1_low` and `f1_high`.

    Intervals are bootstraps over documents; that of the share of documents without a leak is Wilson's. Kinds that the corpus
    does not annotate are left out on both sides, except for masking recall and leaks, because text that is masked as another
    kind is masked. Criteria by kind are left out for a binary system. All systems are scored on the tokens of the segmenter,
    even if they use other tokens.
    """
    listed = [at_level(replace(pair, candidates=[], tokens=_tokens(pair.text)), corpus.level) for pair in pairs]
    wanted = [_annotated(pair, corpus, binary) for pair in listed]
    masked = score([_known(pair, corpus) for pair in listed], ("masking", "documents"))
    scores = score(wanted, (*(() if binary else OF_KINDS), *WHATEVER, "masking"))
    made = {c: _with_interval(scores, c, ("precision", "recall", "f1")) for c in scores.criteria if c != "masking"}
    made["masking"] = _with_interval(masked, "masking", ("recall",)) | _with_interval(scores, "masking", ("precision",))
    made["documents"] = _without_leak(masked)
    return made


def _tokens(text: str) -> tuple[list[int], list[int]]:
    begins, ends = token_spans(text)
    return list(begins), list(ends)


def _annotated(pair: Pair, corpus: Corpus, binary: bool) -> Pair:
    """Return both sides with the annotated kinds of the corpus only; the marks of a binary system can be of any kind."""
    known = _known(pair, corpus)
    if not corpus.kinds:
        return known
    return replace(known, system=[m for m in pair.system if m.kind in corpus.kinds or (binary and m.kind == OTHER)])


def _known(pair: Pair, corpus: Corpus) -> Pair:
    return replace(pair, gold=[m for m in pair.gold if m.kind in corpus.kinds]) if corpus.kinds else pair


def _with_interval(scores: Scores, criterion: str, names: Sequence[Figure]) -> dict[str, float | None]:
    made: dict[str, float | None] = {}
    for name in names:
        low, high = bootstrap_interval(scores, criterion, "micro", name, draws=DRAWS, seed=1) or (None, None)
        made |= {name: scores.value(criterion, "micro", name), f"{name}_low": low, f"{name}_high": high}
    return made


def _without_leak(scores: Scores) -> dict[str, float | None]:
    row = next(r for r in scores.table if r.criterion == "documents" and r.kind == "micro")
    low, high = wilson(row.tp or 0, row.gold or 0) or (None, None)
    return {"share": row.score, "share_low": low, "share_high": high, "documents": float(row.gold or 0)}
