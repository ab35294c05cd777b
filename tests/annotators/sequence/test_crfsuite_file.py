"""CRFsuite's model files are read exactly, and what is no such file is told."""

from __future__ import annotations

import random
from pathlib import Path

import pycrfsuite
import pytest

from caspipe.annotators.sequence.crfsuite_file import parse


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    file = tmp_path_factory.mktemp("crfsuite") / "m.crfsuite"
    trainer = pycrfsuite.Trainer("lbfgs", {"c2": 0.1, "max_iterations": 10}, verbose=False)
    words = ["a-->b", "\N{GREEK SMALL LETTER ALPHA}", "0:token=x y", "\N{GRINNING FACE}", "="]
    for i in range(len(words)):
        trainer.append([[words[i], "every"], [words[i - 1]]], ["O", "B-ID"] if i % 2 else ["B-ID", "I-ID"])
    trainer.train(str(file))
    return file.read_bytes()


def test_names_and_weights_are_those_of_the_dump(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "m.crfsuite"
    file.write_bytes(data)
    tagger = pycrfsuite.Tagger()
    tagger.open(str(file))
    info, weights = tagger.info(), parse(data)
    assert weights.labels == sorted(weights.labels, key=lambda x: int(info.labels[x]))
    ours = {
        (weights.attributes[r], weights.labels[c]): v
        for r, c, v in zip(weights.rows, weights.columns, weights.values, strict=True)
    }
    clean = {k: v for k, v in ours.items() if "-->" not in k[0]}  # the dump of names with an arrow is broken
    dumped = {k: v for k, v in info.state_features.items() if k in clean}
    assert len(clean) == len(dumped) > 8
    assert all(abs(clean[k] - v) <= 5e-7 for k, v in dumped.items())
    assert weights.transitions is not None
    for (a, b), v in info.transitions.items():
        assert abs(weights.transitions[weights.labels.index(a), weights.labels.index(b)] - v) <= 5e-7
    assert {"a-->b", "\N{GREEK SMALL LETTER ALPHA}", "0:token=x y", "\N{GRINNING FACE}", "=", "every"} == set(
        weights.attributes
    )


@pytest.mark.parametrize("junk", [b"", b"lCRF", b"PK\x03\x04" + bytes(100), bytes(200)])
def test_what_is_no_model_of_crfsuite_is_told(junk: bytes) -> None:
    with pytest.raises(ValueError):
        parse(junk)


def test_truncated_and_damaged_files_are_told(data: bytes) -> None:
    chance = random.Random(5)
    for cut in range(0, len(data), 11):
        with pytest.raises(ValueError):
            parse(data[:cut])
    for _ in range(300):
        changed = bytearray(data)
        changed[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        try:
            parse(bytes(changed)).verify()
        except ValueError:
            continue
