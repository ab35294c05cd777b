"""The choice of an epoch by lists and network together: counted by hand, and compared with the annotators."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml

from caspipe.annotators.neural.adaptive_rule import Verdicts, masking, verdicts_of
from caspipe.annotators.neural.examples import held_out_documents
from caspipe.annotators.neural.selecting import Masking, Scores, check_choice, rank, usable
from caspipe.annotators.neural.trainer import NeuralTrainer
from caspipe.annotators.sequence.feature import Words
from caspipe.pipeline import Pipeline
from caspipe.pipeline.errors import ConfigError, ConsumerError
from caspipe.readers.synthetic import SyntheticReader
from caspipe.typesystem import GOLD_VIEW, Phi, PhiCandidate

LISTS = {"safe_lists": {"case": "ambiguous"}}
TOKENS = [
    # gold label, verdict of the lists, probability of PHI, masked with the thresholds 0.8 and 0.9
    ("O", "safe", 0.15, False),
    ("O", "safe", 0.25, True),
    ("O", "unsafe", 0.15, True),
    ("O", "unknown", 0.05, False),
    ("B-PERSON", "unsafe", 0.99, True),
    ("I-PERSON", "safe", 0.10, False),
    ("B-DATE", "never_safe", 0.00, True),
    ("B-AGE", None, 0.00, True),
]


def test_recall_is_of_hipaa_and_precision_of_all_kinds() -> None:
    labels, verdicts, probabilities, masked = (list(column) for column in zip(*TOKENS, strict=True))
    of_tokens = Verdicts(verdicts, [True] * 8)  # type: ignore[arg-type]
    got = masking([(labels, of_tokens, np.array(probabilities))], (0.8, 0.9), "iob2")  # type: ignore[list-item]
    assert sum(masked) == 5  # type: ignore[arg-type]
    assert got == Masking(recall=2 / 3, precision=3 / 5, safe_removed=2 / 4)


def test_punctuation_is_not_counted() -> None:
    documents = [
        (["O", "B-DATE", "O"], Verdicts([None, "safe", None], [False, True, False]), np.array([1.0, 1.0, 0.0]))
    ]
    assert masking(documents, (0.8, 0.9), "iob2") == Masking(1.0, 1.0, 0.0)


def test_verdicts_of_the_tokens_of_a_document() -> None:
    view = Pipeline.parse(yaml.safe_dump({"engines": ["segmenter", LISTS]})).process("Fever, on 3 March.").view()
    found = verdicts_of(Words(view))
    assert found.of_tokens == ["safe", "safe", "safe", "unsafe", "never_safe", "safe"]
    assert found.maskable == [True, False, True, True, True, False]


NOTHING = Scores(0.5, *[0.0] * 7)


def test_an_epoch_that_masks_everything_is_never_chosen() -> None:
    everything = NOTHING.with_masking(Masking(1.0, 0.45, 1.0))
    nearly = NOTHING.with_masking(Masking(0.999, 0.30, 0.99))
    fine, shy = (NOTHING.with_masking(Masking(r, p, 0.1)) for r, p in ((0.97, 0.41), (0.9, 0.8)))
    epochs = [everything, nearly, shy, fine]
    assert max(epochs, key=lambda s: rank(s, "masking_recall", 0.4)) is fine
    assert max(epochs, key=lambda s: rank(s, "masking_recall", 0.9)) is shy
    assert max([everything, nearly], key=lambda s: rank(s, "masking_recall", 0.4)) is nearly
    assert [usable(s, "masking_recall", 0.4) for s in epochs] == [False, False, True, True]
    with pytest.raises(
        ConsumerError, match=r"^test: select: masking_recall: every token of the held-out documents is PHI"
    ):
        check_choice(everything, 1, "masking_recall", 0.4, "test")
    with pytest.warns(
        match=r"no epoch reaches precision_floor 0.4: the most precise one, 1, is chosen \(precision 0.300\)"
    ):
        check_choice(nearly, 1, "masking_recall", 0.4, "test")


def test_only_scored_epochs_can_be_compared() -> None:
    with pytest.raises(ValueError, match=r"^masking_recall: the epoch was not scored by lists and network together$"):
        rank(replace(NOTHING), "masking_recall", 0.4)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"precision_floor": 0.0}, "select: masking_recall needs a precision_floor above 0"),
        ({"precision_floor": 1.5}, "precision_floor: expected a number from 0 to 1, got 1.5"),
        (
            {"precision_floor": 0.4, "thresholds": (0.9, 0.8)},
            r"thresholds: expected \[low, high\] with 0 <= low <= high <= 1, got \[0.9, 0.8\]",
        ),
        (
            {"precision_floor": 0.4, "binary": True},
            "select: masking_recall needs the kinds of tokens, but binary replaces",
        ),
    ],
)
def test_impossible_criteria_are_refused(given: dict[str, object], told: str) -> None:
    with pytest.raises(ValueError, match=f"^{told}"):
        NeuralTrainer(model=Path("x"), select="masking_recall", **given)  # type: ignore[arg-type]


TRAINER = {
    "model": "small",
    "first_level": True,
    "encoding": "io",
    "tokens": {"random": {"dim": 32, "lower": True}},
    "characters": {"char_cnn": {"dim": 8, "filters": 12, "post_space": 3}},
    "encoder": {"lstm": {"width": 32}},
    "optimizer": {"adam": {"rate": 0.01}},
    "batch": 8,
    "epochs": 5,
    "patience": 0,
    "held_out": 0.2,
    "select": "masking_recall",
    "precision_floor": 0.4,
}


def training(folder: Path, engines: list[object], **more: object) -> Pipeline:
    config = {
        "reader": {"synthetic": {"documents": 40, "seed": 3}},
        "engines": engines,
        "consumers": [{"neural_trainer": {**TRAINER, **more}}],
        "run": {"output": str(folder), "on_error": "stop"},
    }
    return Pipeline.parse(yaml.safe_dump(config))


def test_the_lists_must_have_decided_before() -> None:
    with pytest.raises(ConfigError, match="select masking_recall"):
        training(Path("out"), ["segmenter"])


@pytest.mark.neural
@pytest.mark.parametrize("decoder", ["softmax", "crf"])
def test_the_scores_of_an_epoch_are_those_of_the_annotators(tmp_path: Path, decoder: str) -> None:
    """Lists, the written network and `adaptive_threshold` on the held-out documents mask the tokens that were counted."""
    pytest.importorskip("torch", reason="needs PyTorch: pip install 'caspipe[neural]'")
    training(tmp_path, ["segmenter", LISTS], decoder=decoder).run()
    applied = {
        "engines": [
            *(
                "segmenter",
                LISTS,
                {"neural": {"model": str(tmp_path / "small"), "token_scores": True, "confidence": False}},
            ),
            {"adaptive_threshold": {"low": 0.8, "high": 0.9, "join": None, "instead_of": ["neural"]}},
        ],
    }
    pipeline = Pipeline.parse(yaml.safe_dump(applied)).open()
    documents = list(pipeline.stream(SyntheticReader(documents=40, seed=3)))
    held = held_out_documents([cas.id for cas in documents], 0.2, 1, "test")
    both = hipaa = kept = masked = safe = 0
    for cas in (documents[i] for i in sorted(held)):
        tokens = {(t.begin, t.end) for t in cas.select(PhiCandidate) if t.source == "adaptive_threshold"}
        gold = cas.view(GOLD_VIEW).select(Phi)
        for begin, end, form in zip(
            cas.view().tokens.begins, cas.view().tokens.ends, cas.view().tokens.forms, strict=True
        ):
            if not any(map(str.isalnum, form)):
                continue
            kinds = [p.kind.top for p in gold if p.begin < end and begin < p.end]
            found = (begin, end) in tokens
            hipaa += bool(kinds and kinds[0].hipaa)
            both += bool(kinds and kinds[0].hipaa) and found
            kept += bool(kinds) and found
            masked += found
            safe += not kinds and found
    model = yaml.safe_load((tmp_path / "small" / "model.json").read_text(encoding="utf-8"))
    best = model["history"][model["epoch"] - 1]
    assert hipaa > 0 and masked > 0
    assert best["masking_recall"] == pytest.approx(both / hipaa, abs=1e-4)
    assert best["masking_precision"] == pytest.approx(kept / masked, abs=1e-4)
    by_epoch = [row["masking_safe_removed"] for row in model["history"]]
    assert best["masking_safe_removed"] < 1 and safe and len(by_epoch) == 5
