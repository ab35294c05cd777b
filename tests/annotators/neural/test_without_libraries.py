"""What people see who have not installed the extras: the core works, and a pipeline that needs more says what to install."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.neural import parts
from caspipe.annotators.neural.inputs import Vocabulary, batch_by_length, characters_of, split_sequences
from caspipe.annotators.sequence.arrays import pack, unpack
from caspipe.pipeline import Pipeline
from caspipe.pipeline.errors import ConfigError, ResourceError


def trainer(**given_: object) -> Pipeline:
    return Pipeline.parse(
        yaml.safe_dump(
            {
                "reader": {"synthetic": {"documents": 2, "seed": 1}},
                "engines": ["segmenter"],
                "consumers": [{"neural_trainer": {"model": "m", **given_}}],
            }
        )
    )


def test_a_trainer_without_pytorch_says_which_extra_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ResourceError) as told:
        trainer().consumers[0].open()
    assert "neural_trainer: needs PyTorch: pip install 'caspipe[neural]'" in str(told.value)


@pytest.mark.slow
def test_importing_everything_brings_in_neither_pytorch_nor_onnx() -> None:
    code = (
        "import sys; from caspipe.pipeline.contract import registry; list(registry.components());"
        "print([m for m in ('torch', 'onnx', 'onnxruntime', 'transformers') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("given_", "told"),
    [
        ({"encoder": {"lstn": {}}}, "did you mean lstm?"),
        ({"encoder": {"window": {"size": 4}}}, "size: expected an odd number from 1 to 51, got 4"),
        ({"encoder": {"id_cnn": {"width": 2}}}, "width: expected an odd number, got 2"),
        ({"dropout": 1.0}, "dropout: expected a number from 0 to below 1, got 1.0"),
        ({"balance": 1.0}, "balance and class_weights need the decoder softmax"),
        ({"tokens": None, "characters": None}, "a network needs an input"),
        ({"epochs": 0}, "epochs: expected 1 or more, got 0"),
        ({"characters": {"char_cnn": {"widths": [2]}}}, "widths: expected odd numbers of at least 1, got [2]"),
    ],
)
def test_faults_of_a_configuration_are_told_before_anything_is_read(given_: dict[str, object], told: str) -> None:
    with pytest.raises(ConfigError) as error:
        trainer(**given_)
    assert told in str(error.value)


@given(
    st.lists(st.integers(0, 30), max_size=12),
    st.integers(1, 40),
    st.sampled_from(["sentence", "document"]),
)
def test_sequences_hold_every_token_once_and_are_never_too_long(lengths: list[int], longest: int, what: str) -> None:
    ends = np.cumsum([0, *lengths]).tolist()
    sentences = list(itertools.pairwise(ends))
    found = split_sequences(sentences, what, longest)  # type: ignore[arg-type]
    assert [i for a, b in found for i in range(a, b)] == list(range(ends[-1]))
    assert all(0 < b - a <= longest for a, b in found)
    if what == "sentence":
        assert all(any(a >= s and b <= e for s, e in sentences) for a, b in found)


@given(st.lists(st.integers(1, 50), max_size=20), st.integers(1, 100))
def test_batches_hold_every_sequence_once(lengths: list[int], tokens: int) -> None:
    made = list(batch_by_length(lengths, tokens))
    assert sorted(i for some in made for i in some) == list(range(len(lengths)))
    assert all(len(some) == 1 or len(some) * max(lengths[i] for i in some) <= tokens for some in made)


def test_long_forms_are_spelled_by_their_ends() -> None:
    assert characters_of("a" * 50 + "z") == "a" * 20 + "a" * 19 + "z"
    assert characters_of("word\0\n") == "word\n"
    assert len(characters_of("")) == len(characters_of("\0")) == 1


def test_a_vocabulary_knows_what_it_holds_and_nothing_else() -> None:
    words = Vocabulary(["b", "a"])
    assert [words.index_of(w) for w in ("b", "a", "c")] == [2, 3, 1] and len(words) == 4


@given(
    st.dictionaries(st.from_regex(r"[a-z]{1,5}", fullmatch=True), st.lists(st.text(max_size=5), max_size=5), max_size=3)
)
def test_arrays_and_strings_come_back_as_they_were(strings: dict[str, list[str]]) -> None:
    arrays = {"x.weight": np.arange(6, dtype=np.float32).reshape(2, 3)}
    raw = pack(arrays, strings)
    found, texts = unpack(raw)
    assert texts == strings and (found["x.weight"] == arrays["x.weight"]).all() and raw == pack(arrays, strings)


@given(st.binary(max_size=200))
def test_what_is_no_archive_is_refused(raw: bytes) -> None:
    with pytest.raises(ValueError, match="weights cannot be read"):
        unpack(raw)


def test_numbers_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="expected numbers"):
        unpack(pack({"x": np.array([np.nan])}, {}))


def test_vectors_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    with pytest.raises(ResourceError):
        parts.PretrainedEmbedding(file=tmp_path / "none.txt").words({"a": 1})
