"""The scores of an epoch, counted by hand, and the choice of the best epoch."""

from __future__ import annotations

from dataclasses import replace

import pytest

from caspipe.annotators.neural.selecting import Scores, Select, check_choice, check_reference, rank, scores, usable
from caspipe.annotators.sequence.labels import Encoding
from caspipe.pipeline.errors import ConsumerError
from caspipe.typesystem import CaspipeWarning

GOLD = ["B-DATE", "I-DATE", "O", "B-AGE", "O", "B-PERSON", "O", "O"]
FOUND = ["B-DATE", "O", "O", "B-DATE", "B-AGE", "B-PROFESSION", "B-LOCATION", "O"]
MIDDLING = Scores(0.5, 0.8, 0.9, 0.85, 0.8, 0.9, 0.85, 0.1)


def test_scores_of_an_epoch_count_spans_tokens_and_tokens_of_hipaa() -> None:
    got = scores([(GOLD, FOUND, [(0, 8)])], "iob2")
    assert got == Scores(
        f1=0.0,
        token_precision=3 / 5,  # DATE, AGE, PERSON of five labels
        token_recall=3 / 4,
        token_f1=6 / 9,
        hipaa_precision=1 / 3,  # three labels of HIPAA kinds: DATE, DATE on an age, LOCATION
        hipaa_recall=1 / 3,  # of DATE, DATE, PERSON; HIPAA does not name PROFESSION
        hipaa_f1=2 / 6,
        safe_removed=2 / 4,
    )
    spans = scores([(GOLD[:5], ["B-DATE", "O", "O", "B-AGE", "B-AGE"], [(0, 5)])], "iob2")
    assert spans.f1 == 0.4


@pytest.mark.parametrize("encoding", ["io", "iob2", "bilou"])
def test_a_criterion_of_hipaa_needs_held_out_tokens_of_its_kinds(encoding: Encoding) -> None:
    prefix = {"io": "", "iob2": "B-", "bilou": "U-"}[encoding]
    others, hipaa = ["O", f"{prefix}AGE", f"{prefix}LOCATION_STATE"], ["O", f"{prefix}PERSON_DOCTOR"]
    check_reference([others, hipaa], "hipaa_f1", encoding, "test")
    check_reference([others], "recall", encoding, "test")
    check_reference([], "hipaa_f1", encoding, "test")
    expected = "^test: select: hipaa_f1 needs tokens of HIPAA kinds: 1 held-out documents have none$"
    with pytest.raises(ConsumerError, match=expected):
        check_reference([others], "hipaa_f1", encoding, "test")


def test_nothing_found_scores_zero() -> None:
    assert scores([(GOLD, ["O"] * 8, [(0, 8)])], "iob2") == Scores(*[0.0] * 8)
    assert scores([], "iob2") == Scores(*[0.0] * 8)


@pytest.mark.parametrize(
    ("select", "better"),
    [
        ("f1", {"f1": 0.6, "hipaa_f1": 0.2, "token_recall": 0.1, "hipaa_recall": 0.1}),
        ("hipaa_f1", {"hipaa_f1": 0.9, "f1": 0.1, "token_recall": 0.1, "hipaa_recall": 0.1}),
        ("recall", {"token_recall": 0.95, "f1": 0.1, "hipaa_recall": 0.1, "hipaa_precision": 0.1}),
        ("hipaa_recall", {"hipaa_recall": 0.95, "f1": 0.1, "token_recall": 0.1, "token_precision": 0.1}),
    ],
)
def test_each_criterion_prefers_its_own_score(select: Select, better: dict[str, float]) -> None:
    assert rank(replace(MIDDLING, **better), select, 0.75) > rank(MIDDLING, select, 0.75)


@pytest.mark.parametrize(
    ("select", "precision", "recall"),
    [("recall", "token_precision", "token_recall"), ("hipaa_recall", "hipaa_precision", "hipaa_recall")],
)
def test_the_epoch_with_most_recall_must_reach_the_precision_asked_for(
    select: Select, precision: str, recall: str
) -> None:
    rash, fine, shy = (replace(MIDDLING, **{precision: p, recall: r}) for p, r in ((0.5, 1.0), (0.8, 0.9), (0.99, 0.2)))
    assert max((rash, fine, shy), key=lambda s: rank(s, select, 0.75)) is fine
    assert max((rash, fine, shy), key=lambda s: rank(s, select, 0.999)) is shy
    assert [usable(s, select, 0.75) for s in (rash, fine, shy)] == [False, True, True]


@pytest.mark.parametrize("select", ["recall", "hipaa_recall"])
def test_an_epoch_that_masks_everything_is_the_worst(select: Select) -> None:
    """Even without a floor, and although its recall is perfect and its precision is the share of PHI."""
    everything = Scores(0.3, 0.4, 1.0, 0.57, 0.4, 1.0, 0.57, safe_removed=1.0)
    nearly_nothing = Scores(0.0, 0.1, 0.01, 0.02, 0.1, 0.01, 0.02, safe_removed=0.01)
    assert rank(everything, select, 0.0) < rank(nearly_nothing, select, 0.0)
    assert rank(everything, select, 0.9) < rank(nearly_nothing, select, 0.9)
    assert not usable(everything, select, 0.0) and usable(nearly_nothing, select, 0.0)


@pytest.mark.parametrize("select", ["recall", "hipaa_recall"])
def test_a_floor_that_no_epoch_reaches_is_a_warning(select: Select) -> None:
    expected = r"^test: no epoch reaches precision_floor 0.9: the most precise one, 3, is chosen \(precision 0.800\)$"
    with pytest.warns(CaspipeWarning, match=expected):
        check_choice(MIDDLING, 3, select, 0.9, "test")
    check_choice(MIDDLING, 3, select, 0.8, "test")
    check_choice(None, 3, select, 0.9, "test")
    check_choice(MIDDLING, 3, "f1", 0.9, "test")


def test_an_epoch_that_masks_everything_is_never_kept() -> None:
    expected = "^test: select: recall: every token of the held-out documents is PHI after every epoch$"
    with pytest.raises(ConsumerError, match=expected):
        check_choice(replace(MIDDLING, safe_removed=1.0), 3, "recall", 0.0, "test")
