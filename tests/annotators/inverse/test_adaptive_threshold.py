"""The combiner on documents: what is masked, as what, joined how, and why. Scores are made up."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.inverse import AdaptiveThreshold
from caspipe.annotators.resolving.resolver import Resolver
from caspipe.pipeline import Pipeline
from caspipe.pipeline.contract.apply import apply
from caspipe.typesystem import Cas, Phi, PhiCandidate, PhiKind, Sentence, Token, TokenScore, TokenVerdict
from caspipe.typesystem.tokenize import token_spans

PERSON, DATE, OTHER, DOCTOR = PhiKind.PERSON, PhiKind.DATE, PhiKind.OTHER, PhiKind.PERSON_DOCTOR


def document(
    text: str,
    verdicts: dict[str, str] | None = None,
    scores: dict[str, tuple[float, PhiKind]] | None = None,
    sentences: list[tuple[int, int]] | None = None,
) -> Cas:
    """A document whose tokens have the verdicts and scores of their form; where None is given, no token has any."""
    cas = Cas(text)
    view = cas.view()
    begins, ends = token_spans(text)
    view.add_spans(Token, begins, ends, "segmenter")
    for begin, end in sentences or [(0, len(text))]:
        view.add(Sentence(begin, end))
    for begin, end in zip(begins, ends, strict=True):
        form = text[begin:end]
        if verdicts is not None:
            view.add(TokenVerdict(begin, end, verdict=verdicts.get(form, "safe")))
        if scores is not None:
            score, kind = scores.get(form, (0.0, OTHER))
            view.add(TokenScore(begin, end, score=score, kind=kind))
    return cas


def masked(cas: Cas, **parameters: Any) -> list[tuple[str, str]]:
    apply(AdaptiveThreshold(**parameters), cas)
    return [(cas.text[c.begin : c.end], c.kind.name) for c in cas.select(PhiCandidate)]


def test_low_is_asked_where_lists_say_safe_and_high_where_they_do_not() -> None:
    scores = dict.fromkeys(("one", "two", "three"), (0.15, PERSON)) | {"four": (0.03, PERSON)}
    cas = document("one two three four", {"two": "unsafe", "three": "never_safe", "four": "unsafe"}, scores)
    assert masked(cas, low=0.8, high=0.95, join=None) == [("two", "OTHER"), ("three", "OTHER")]
    assert masked(cas, low=0.9, high=0.95, join=None) == [("one", "OTHER"), ("two", "OTHER"), ("three", "OTHER")]


def test_words_in_no_list_have_a_threshold_of_their_own_on_request() -> None:
    cas = document("abc def", {"abc": "unknown"}, {"abc": (0.08, OTHER)})
    assert masked(cas) == [("abc", "OTHER")]
    assert masked(cas, unknown=0.9) == []


def test_the_rule_says_why_without_the_text() -> None:
    cas = document("one two three", {"two": "unsafe", "three": "never_safe"}, {"one": (0.2, DATE), "two": (0.1, DATE)})
    masked(cas, join=None)
    assert [(c.rule, c.confidence) for c in cas.select(PhiCandidate)] == [
        ("lists say safe, p(safe) not above 0.9", 0.2),
        ("lists say unsafe, p(safe) not above 0.95", 0.1),
        ("never safe", 0.0),
    ]


def test_everything_is_masked_where_nothing_ran_before() -> None:
    for mode in ("hybrid", "rules", "deep"):
        assert masked(document("all of this, and that"), mode=mode) == [("all of this", "OTHER"), ("and that", "OTHER")]


def test_without_a_network_the_lists_decide_alone() -> None:
    cas = document("seen by Zyqq today", {"Zyqq": "unknown"})
    assert masked(cas, mode="rules") == [("Zyqq", "OTHER")]
    assert masked(cas, mode="hybrid") == [("seen by Zyqq today", "OTHER")]


def test_without_lists_the_network_decides_alone() -> None:
    cas = document("seen by Zyqq today", None, {"Zyqq": (0.9, PERSON)})
    assert masked(cas, mode="deep") == [("Zyqq", "PERSON")]


def test_the_kind_is_a_guess_of_the_network_from_a_probability_on() -> None:
    cas = document("Zyqq", {"Zyqq": "unsafe"}, {"Zyqq": (0.3, PERSON)})
    assert masked(cas) == [("Zyqq", "OTHER")]
    assert masked(cas, guess=0.3) == [("Zyqq", "PERSON")]


def test_neighbours_of_one_kind_become_one_span() -> None:
    scores = dict.fromkeys(("Ann", "Lee-Zyqq", "Roe"), (0.9, PERSON)) | {"Boston": (0.9, PhiKind.LOCATION_CITY)}
    text = "Ann Lee-Zyqq, Roe Boston and Ann\nRoe"
    assert masked(document(text, {}, scores)) == [
        ("Ann Lee-Zyqq", "PERSON"),
        ("Roe", "PERSON"),
        ("Boston", "LOCATION_CITY"),
        ("Ann", "PERSON"),
        ("Roe", "PERSON"),
    ]
    assert [form for form, _ in masked(document(text, {}, scores), join=None)][:2] == ["Ann", "Lee-Zyqq"]
    assert ("Ann Lee-Zyqq, Roe", "PERSON") in masked(document(text, {}, scores), join=" ,")


def test_a_joined_span_speaks_with_its_surest_token() -> None:
    cas = document("Ann Zyqq", {}, {"Ann": (0.7, PERSON), "Zyqq": (0.9, DOCTOR)})
    assert masked(cas) == [("Ann Zyqq", "PERSON_DOCTOR")]
    assert cas.select(PhiCandidate)[0].confidence == 0.9


def test_nothing_is_joined_across_sentences_or_wide_gaps() -> None:
    scores = dict.fromkeys(("Ann", "Zyqq"), (0.9, PERSON))
    assert len(masked(document("Ann Zyqq", {}, scores, [(0, 3), (4, 8)]))) == 2
    assert len(masked(document("Ann    Zyqq", {}, scores))) == 2
    assert len(masked(document("Ann   Zyqq", {}, scores))) == 1


def test_a_score_on_part_of_a_token_is_no_score() -> None:
    cas = document("Zyqq here", {})
    cas.view().add(TokenScore(0, 2, score=0.0, kind=OTHER))
    cas.view().add(TokenScore(5, 9, score=0.0, kind=OTHER))
    assert masked(cas) == [("Zyqq", "OTHER")]


def test_of_several_networks_and_lists_the_strictest_counts() -> None:
    cas = document("Zyqq ran home", {}, {})
    cas.view().add(TokenScore(0, 4, score=0.9, kind=PERSON))
    cas.view().add(TokenVerdict(9, 13, verdict="never_safe"))
    assert masked(cas) == [("Zyqq", "PERSON"), ("home", "OTHER")]


def test_a_score_that_is_no_number_masks_and_has_full_confidence() -> None:
    cas = document("Zyqq ran", {}, {"Zyqq": (float("nan"), PERSON)})
    assert masked(cas) == [("Zyqq", "OTHER")]
    assert cas.select(PhiCandidate)[0].confidence == 1.0


def test_candidates_of_the_network_itself_step_back_on_request() -> None:
    cas = document("Zyqq ran", {}, {"Zyqq": (0.6, PERSON)})
    own = PhiCandidate(0, 4, kind=PERSON)
    own._source = "models/neural"
    cas.view().add(own)
    apply(AdaptiveThreshold(low=0.3, high=0.9, instead_of=["neural"]), cas)
    apply(Resolver(), cas)
    assert own.reason == "vetoed: the adaptive threshold decides"
    assert not cas.select(Phi)
    apply(AdaptiveThreshold(low=0.3, high=0.9), cas)
    assert own.reason == ""
    apply(Resolver(), cas)
    assert [(p.begin, p.end) for p in cas.select(Phi)] == [(0, 4)]


@pytest.mark.parametrize(
    ("given_", "fault"),
    [
        ({"low": 1.5}, "low: expected a number from 0 to 1, got 1.5"),
        ({"unknown": -1.0}, "unknown: expected a number from 0 to 1, got -1.0"),
        ({"low": 0.99, "high": 0.9}, r"low: expected at most high \(0.9\), got 0.99"),
        ({"instead_of": ["known_phi"]}, "instead_of: known_phi is never replaced"),
    ],
)
def test_wrong_parameters_are_told(given_: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        AdaptiveThreshold(**given_)


def test_what_a_mode_needs_must_be_made_upstream() -> None:
    rules = Pipeline.parse("engines: [segmenter, safe_lists, {adaptive_threshold: {mode: rules}}]")
    assert [e.id for e in rules.engines][:3] == ["segmenter", "safe_lists", "adaptive_threshold"]
    from caspipe.pipeline.errors import ConfigError

    with pytest.raises(ConfigError, match="TokenScore"):
        Pipeline.parse("engines: [segmenter, safe_lists, adaptive_threshold]")


WORDS = "Ann Lee ran home 12 - , . 'll Zyqq".split()


@given(
    st.lists(
        st.tuples(
            st.sampled_from(WORDS), st.floats(0, 1), st.sampled_from(["safe", "unknown", "unsafe", "never_safe"])
        ),
        max_size=12,
    ),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_joining_masks_the_same_tokens(items: list[tuple[str, float, str]], one: float, other: float) -> None:
    text = " ".join(word for word, _, _ in items)
    low, high = sorted((one, other))
    cas = Cas(text)
    begins, ends = token_spans(text)
    cas.view().add_spans(Token, begins, ends, "segmenter")
    for begin, end, (_, score, verdict) in zip(begins, ends, items, strict=False):
        cas.view().add(TokenScore(begin, end, score=score, kind=PERSON))
        cas.view().add(TokenVerdict(begin, end, verdict=verdict))

    def tokens(join: str | None) -> set[int]:
        apply(AdaptiveThreshold(low=low, high=high, join=join), cas)
        spans = [(c.begin, c.end) for c in cas.select(PhiCandidate)]
        assert all(e <= b for (_, e), (b, _) in itertools.pairwise(spans)), "spans are disjoint"
        return {
            b for b, e in zip(begins, ends, strict=True) if text[b:e].isalnum() and any(x <= b < y for x, y in spans)
        }

    assert tokens(None) == tokens(" -'’")
