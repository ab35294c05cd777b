"""The adaptive threshold on one token: which way the thresholds work, and what happens where something is missing."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.inverse.decision import VERDICTS, Mode, Thresholds, verdict_of

PAIR = Thresholds("hybrid", low=0.8, unknown=0.9, high=0.95)
PROBABILITY = st.floats(0, 1)
MODES: tuple[Mode, ...] = ("hybrid", "rules", "deep")


@pytest.mark.parametrize(
    ("verdict", "safe", "rule"),
    [
        ("safe", 0.85, ""),
        ("safe", 0.75, "lists say safe, p(safe) not above 0.8"),
        ("unknown", 0.92, ""),
        ("unknown", 0.85, "in no list, p(safe) not above 0.9"),
        ("unsafe", 0.97, ""),
        ("unsafe", 0.92, "lists say unsafe, p(safe) not above 0.95"),
        ("never_safe", 1.0, "never safe"),
        ("of a foreign tool", 1.0, "never safe"),
    ],
)
def test_the_verdict_chooses_the_threshold(verdict: str, safe: float, rule: str) -> None:
    assert PAIR.masked(verdict, 1 - safe) == rule


def test_a_probability_at_the_threshold_is_not_above_it() -> None:
    assert Thresholds("hybrid", 0.5, 0.5, 0.5).masked("safe", 0.5)
    assert not Thresholds("hybrid", 0.5, 0.5, 0.5).masked("safe", 0.4999)
    assert Thresholds("hybrid", 1.0, 1.0, 1.0).masked("safe", 0.0)


def test_the_network_alone_holds_everything_against_the_high_threshold() -> None:
    deep = Thresholds("deep", low=0.1, unknown=0.1, high=0.95)
    for verdict in (*VERDICTS, None):
        assert deep.masked(verdict, 0.10) == "p(safe) not above 0.95"
        assert deep.masked(verdict, 0.01) == ""


def test_lists_alone_need_no_score() -> None:
    rules = Thresholds("rules", 0.9, 0.9, 0.9)
    assert [rules.masked(v, None) for v in VERDICTS] == ["", "in no list", "lists say unsafe", "never safe"]
    assert rules.masked(None, 0.0) == "no verdict"


@pytest.mark.parametrize(
    ("verdict", "score", "rule"), [(None, 0.0, "no verdict"), ("safe", None, "no score"), (None, None, "no verdict")]
)
def test_what_is_missing_masks_the_token(verdict: str | None, score: float | None, rule: str) -> None:
    assert PAIR.masked(verdict, score) == rule
    assert Thresholds("deep", 0, 0, 0).masked(None, None) == "no score"


def test_a_score_that_is_no_number_masks_the_token() -> None:
    assert PAIR.masked("safe", math.nan)
    assert Thresholds("deep", 0, 0, 0).masked("safe", math.nan)


@given(st.sampled_from(MODES), st.sampled_from([*VERDICTS, None]), PROBABILITY, PROBABILITY, PROBABILITY)
def test_a_higher_probability_of_phi_never_opens_a_token(
    mode: Mode, verdict: str | None, low: float, score: float, more: float
) -> None:
    thresholds = Thresholds(mode, low, low, max(low, 0.9))
    if thresholds.masked(verdict, min(score, more)):
        assert thresholds.masked(verdict, max(score, more))


@given(st.sampled_from(MODES), PROBABILITY, PROBABILITY, PROBABILITY)
def test_a_stricter_verdict_never_opens_a_token(mode: Mode, low: float, more: float, score: float) -> None:
    low, high = sorted((low, more))
    thresholds = Thresholds(mode, low, high, high)
    opened = [not thresholds.masked(v, score) for v in VERDICTS]
    assert opened == sorted(opened, reverse=True)


@given(st.sampled_from(["hybrid", "rules"]), st.sampled_from(VERDICTS), PROBABILITY)
def test_the_verdict_can_be_told_from_the_rule(mode: Mode, verdict: str, score: float) -> None:
    rule = Thresholds(mode, 1.0, 1.0, 1.0).masked(verdict, score)
    assert verdict_of(rule) == (verdict if rule else None)
    assert verdict_of("no score") is verdict_of("p(safe) not above 1") is None
