"""The best disjoint set, against every set there is."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from caspipe.annotators.stacking.interval_selection import best_disjoint

SPANS = st.lists(
    st.tuples(st.integers(0, 12), st.integers(1, 6), st.integers(-4, 16)).map(
        lambda t: ((t[0], t[0] + t[1]), t[2] / 8)
    ),
    max_size=9,
)


def brute(spans: list[tuple[int, int]], gains: list[float]) -> float:
    """The greatest sum of gains of any disjoint set."""
    best = 0.0
    for size in range(1, len(spans) + 1):
        for chosen in itertools.combinations(range(len(spans)), size):
            ordered = sorted(spans[i] for i in chosen)
            if all(a[1] <= b[0] for a, b in itertools.pairwise(ordered)):
                best = max(best, sum(gains[i] for i in chosen))
    return best


@given(SPANS)
@settings(max_examples=300, deadline=None)
def test_it_is_disjoint_in_text_order_and_no_other_set_gains_more(given_: list[tuple[tuple[int, int], float]]) -> None:
    spans, gains = [s for s, _ in given_], [g for _, g in given_]
    chosen = best_disjoint(spans, gains)
    assert all(spans[a][1] <= spans[b][0] for a, b in itertools.pairwise(chosen))
    assert all(gains[i] > 0 for i in chosen)
    assert sum(gains[i] for i in chosen) == brute(spans, gains)  # eighths add up exactly


def test_two_short_spans_beat_a_longer_better_one() -> None:
    assert best_disjoint([(0, 4), (0, 9), (5, 9)], [0.3, 0.5, 0.3]) == [0, 2]


def test_nothing_is_chosen_of_nothing_or_without_gain() -> None:
    assert best_disjoint([], []) == []
    assert best_disjoint([(0, 4)], [0.0]) == []
