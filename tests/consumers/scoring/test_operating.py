"""The search for an operating point on curves whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caspipe.consumers.scoring.operating import Choice, choose, measured
from caspipe.pipeline.errors import ConsumerError


def curve(*points: tuple[int, int], gold: int = 100, units: int = 10) -> np.ndarray:
    """Settings by (found, marked), spread evenly over units; what is found is marked once."""
    made = np.zeros((len(points), units, 4))
    for n, (found, marked) in enumerate(points):
        for place, total in enumerate((gold, found, marked, found)):
            made[n, :, place] = np.diff(np.linspace(0, total, units + 1).round())
    return made


def test_the_most_precise_setting_that_reaches_the_target_is_chosen() -> None:
    counts = curve((90, 92), (96, 104), (97, 110), (99, 150))
    assert choose(counts, 0.95) == Choice(1, True)
    assert choose(counts, 0.965) == Choice(2, True)
    assert choose(counts, 0.99) == Choice(3, True)


def test_where_none_reaches_it_the_highest_recall_is_told_as_not_reached() -> None:
    assert choose(curve((90, 92), (96, 104), (96, 100)), 0.995) == Choice(2, False)


def test_of_equally_precise_settings_the_higher_recall_wins_then_the_first() -> None:
    assert choose(curve((95, 95), (98, 98), (98, 98)), 0.9) == Choice(1, True)


def test_certainty_asks_for_more_than_the_target() -> None:
    counts = curve((960, 970), (980, 1100), gold=1000)
    assert choose(counts, 0.955) == Choice(0, True)
    assert choose(counts, 0.955, level=0.95) == Choice(1, True)
    assert choose(curve((100, 120)), 0.99) == Choice(0, True)
    assert choose(curve((100, 120)), 0.99, level=0.95) == Choice(0, False)  # a hundred hits do not prove 0.99


def test_misses_that_cluster_in_documents_make_it_less_certain() -> None:
    clustered = np.zeros((1, 40, 4))
    clustered[0, :, :] = (25, 25, 25, 25)
    clustered[0, 0, 1:] = 0  # one document of forty is missed whole
    alone = measured(clustered[0], "recall")
    assert alone.value == 0.975
    assert alone.wilson is not None and alone.bootstrap is not None
    assert alone.bootstrap[0] < alone.wilson[0]


def test_nothing_to_find_means_nothing_to_choose() -> None:
    assert choose(curve((0, 5), gold=0), 0.9) is None
    assert measured(np.zeros((3, 4)), "precision").value is None
    assert measured(curve((100, 100))[0], "recall").bootstrap is None  # every resample gives 1
    assert measured(curve((100, 100))[0], "recall").wilson == pytest.approx((0.963, 1.0), abs=1e-3)


@pytest.mark.parametrize("target", [0.0, 1.5, float("nan")])
def test_targets_out_of_range_are_refused(target: float) -> None:
    with pytest.raises(ConsumerError, match="target recall: expected a share above 0 and up to 1"):
        choose(curve((1, 1)), target)


POINTS = st.lists(
    st.tuples(st.integers(0, 100), st.integers(0, 60)).map(lambda p: (p[0], p[0] + p[1])), min_size=1, max_size=8
)


@pytest.mark.slow
@given(POINTS, st.integers(1, 100))
@settings(max_examples=300, deadline=None)
def test_no_other_setting_does_better(points: list[tuple[int, int]], percent: int) -> None:
    target = percent / 100
    choice = choose(curve(*points), target)
    assert choice is not None
    recall = [found / 100 for found, _ in points]
    precision = [found / marked if marked else 0.0 for found, marked in points]
    good = [n for n in range(len(points)) if recall[n] >= target]
    assert choice.reached == bool(good)
    if good:
        assert choice.setting in good
        assert precision[choice.setting] == max(precision[n] for n in good)
    else:
        assert recall[choice.setting] == max(recall)
