"""Run the declarations on docs/reference/features.md."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from caspipe.annotators.sequence.feature import Feature
from caspipe.annotators.sequence.features import __all__ as modules
from caspipe.pipeline.contract import params

ROOT = Path(__file__).resolve().parents[4]


def test_the_features_that_the_page_lists_can_be_declared() -> None:
    assert "kind" in modules
    text = (ROOT / "docs" / "reference" / "features.md").read_text(encoding="utf-8")
    blocks = [
        yaml.safe_load(b)["features"]
        for b in re.findall(r"^```yaml not-run\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    ]
    assert len(blocks) == 2
    for declared in blocks:
        made = params.convert(list[Feature], declared, _refuse, ())
        assert len({feature.label for feature in made}) == len(declared)


def _refuse(at: object, what: str) -> None:
    raise AssertionError(what)
