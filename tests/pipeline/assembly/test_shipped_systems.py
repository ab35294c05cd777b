"""The systems of the sources ship as configurations: those that train assemble as they are, those that apply name their model."""

from __future__ import annotations

from pathlib import Path

import pytest

from caspipe.pipeline import Pipeline
from caspipe.pipeline.assembly.shipped import locate, names
from caspipe.pipeline.errors import ConfigError

SYSTEMS = [name for name in names() if name.startswith("systems/")]
NEEDS_A_MODEL = ("_apply", "_fine_tune")
WITHOUT_TRAINING = ("_berman",)


@pytest.mark.parametrize("name", [n for n in SYSTEMS if not n.endswith((*NEEDS_A_MODEL, *WITHOUT_TRAINING))])
def test_a_training_assembles_without_pytorch_and_without_corpora(name: str) -> None:
    assert any(c.name == "neural_trainer" for c in Pipeline.load(locate(name)).consumers)


@pytest.mark.parametrize("name", [n for n in SYSTEMS if n.endswith(NEEDS_A_MODEL)])
def test_what_applies_a_model_says_that_there_is_none_yet(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError) as told:
        Pipeline.load(locate(name)).open()
    assert "no model or file called" in str(told.value)


def test_each_source_has_its_own_settings_a_scaled_and_a_quick_variant() -> None:
    for system in ("s2", "s3", "s4", "s5"):
        own = [n for n in SYSTEMS if n.startswith(f"systems/{system}_")]
        assert any("source" in n for n in own) and any("quick" in n for n in own) and len(own) >= 4
