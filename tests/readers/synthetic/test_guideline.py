"""The gold spans follow one guideline: what the rules for dates and ages find in clean text is gold, with the same ends."""

from __future__ import annotations

import pytest

from caspipe.pipeline.pipeline import Pipeline
from caspipe.readers.synthetic.reader import SyntheticReader
from caspipe.typesystem import GOLD_VIEW, Phi


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engine", "kind", "precision", "recall"), [("dates", "DATE", 0.97, 0.95), ("ages", "AGE", 0.9, 0.65)]
)
def test_gold_is_what_the_rules_mark(engine: str, kind: str, precision: float, recall: float) -> None:
    pipeline = Pipeline.parse(f"engines: [segmenter, {engine}]")
    same = found = meant = 0
    for cas in SyntheticReader(documents=250, seed=77, noise=0):
        gold = {(p.begin, p.end) for p in cas.view(GOLD_VIEW).select(Phi) if p.kind.top.name == kind}
        ours = {(p.begin, p.end) for p in pipeline.process(cas.text).select(Phi)}
        same, found, meant = same + len(gold & ours), found + len(ours), meant + len(gold)
    assert same / found > precision
    assert same / meant > recall
