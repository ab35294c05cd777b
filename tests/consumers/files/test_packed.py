"""Consumers that write no compressed files refuse names of compressed files."""

from __future__ import annotations

from pathlib import Path

import pytest

from caspipe.pipeline.contract import params, registry
from caspipe.pipeline.contract.component import CasConsumer
from caspipe.pipeline.errors import ConfigError
from caspipe.pipeline.pipeline import Pipeline

ONE_FILE = ("jsonl", "csv", "parquet", "conll", "marked", "doccano", "prodigy", "label_studio", "errors", "report")


def fault(consumer: str, **given: str) -> str:
    faults: list[str] = []
    params.build(registry.find(consumer, "consumer"), given, lambda at, what: faults.append(what))
    return "\n".join(faults)


@pytest.mark.parametrize("ending", [".gz", ".GZ", ".zip", ".zst", ".bz2", ".xz"])
@pytest.mark.parametrize("consumer", ONE_FILE)
def test_the_name_of_a_compressed_file_is_refused(consumer: str, ending: str) -> None:
    """Its bytes would be plain, and the readers of caspipe would call them damaged."""
    assert fault(consumer, file=f"restricted/all.txt{ending}") == (
        f"file: expected a name without {ending}, as nothing is compressed, got restricted/all.txt{ending}: "
        "write restricted/all.txt, and compress it after the run"
    )


@pytest.mark.parametrize("name", ["all.jsonl", "all.gz.jsonl", "gz", "all.gzx", "my.zip/all.jsonl"])
def test_other_names_are_accepted(name: str) -> None:
    assert fault("jsonl", file=f"release/{name}") == ""


def test_a_suffix_is_checked_too() -> None:
    what = "suffix: expected a name without .gz, as nothing is compressed, got {}: {}"
    assert fault("text", suffix=".txt.gz") == what.format(".txt.gz", "write .txt, and compress it after the run")
    assert fault("text", suffix=".gz") == what.format(".gz", "compress the files after the run")
    assert fault("text", suffix=".orig") == ""


def test_every_consumer_of_one_file_is_checked() -> None:
    """INCEpTION's review project is a zip."""
    found = [c for c in registry.components() if issubclass(c, CasConsumer) and c.__module__.startswith("caspipe.")]
    named = {c.name for c in found if any(p.name == "file" for p in params.parameters(c))}
    assert named - {"inception"} == set(ONE_FILE)


def test_the_place_in_the_configuration_is_said(tmp_path: Path) -> None:
    path = tmp_path / "my.yaml"
    path.write_text("engines: []\nconsumers:\n  - jsonl: {file: release/all.jsonl.gz}\n")
    with pytest.raises(ConfigError, match=r"my\.yaml:3: jsonl: file: expected a name without \.gz"):
        Pipeline.load(path)
