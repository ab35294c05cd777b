"""Windows over long texts: nothing is left out, nothing is said twice."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.pretrained.windows import edge_distance, merge_windows, pad_rows, split_windows


@st.composite
def sizes(draw: st.DrawFn) -> tuple[int, int, int]:
    room = draw(st.integers(1, 40))
    return draw(st.integers(0, 300)), room, draw(st.integers(0, room - 1))


@given(sizes())
def test_windows_cover_everything_and_share_what_was_asked_for(size: tuple[int, int, int]) -> None:
    count, room, overlap = size
    windows = split_windows(count, room, overlap)
    assert sorted({i for first, last in windows for i in range(first, last)}) == list(range(count))
    assert {last - first for first, last in windows} <= {min(room, count)}
    for (_, last), (first, _) in pairwise(windows):
        assert last - first >= overlap


def test_five_windows_of_a_long_text() -> None:
    assert split_windows(23, 7, 3) == [(0, 7), (4, 11), (8, 15), (12, 19), (16, 23)]
    assert split_windows(22, 7, 3) == [(0, 7), (4, 11), (8, 15), (12, 19), (15, 22)]
    assert split_windows(7, 7, 3) == [(0, 7)]
    assert split_windows(0, 7, 3) == []


def test_context_counts_from_the_windows_edges_but_not_from_the_texts() -> None:
    assert edge_distance((4, 9), 20).tolist() == [1, 2, 3, 2, 1]
    assert edge_distance((0, 5), 20).tolist() == [5, 4, 3, 2, 1]
    assert edge_distance((15, 20), 20).tolist() == [1, 2, 3, 4, 5]
    assert len(set(edge_distance((0, 5), 5).tolist())) == 1


@given(sizes(), st.sampled_from(["weighted", "max_context"]), st.integers(0, 2**16))
def test_windows_that_agree_are_merged_to_what_they_say(size: tuple[int, int, int], how: str, seed: int) -> None:
    count, room, overlap = size
    scores = np.random.default_rng(seed).normal(size=(count, 3)).astype(np.float32)
    found = list(
        merge_windows(
            ((w, scores[w[0] : w[1]], edge_distance(w, count)) for w in split_windows(count, room, overlap)), how
        )
    )  # type: ignore[arg-type]
    at = 0
    for first, stretch in found:
        assert first == at
        at += len(stretch)
    assert at == count
    if count:
        assert np.concatenate([s for _, s in found]) == pytest.approx(scores, abs=1e-5)


def test_where_windows_differ_the_one_with_more_context_counts_more() -> None:
    windows = [((0, 4), 0.0), ((2, 6), 1.0)]

    def said() -> list[tuple[tuple[int, int], np.ndarray, np.ndarray]]:  # type: ignore[type-arg]
        return [(w, np.full((4, 1), value, dtype=np.float32), edge_distance(w, 6)) for w, value in windows]

    weighted = np.concatenate([s for _, s in merge_windows(said(), "weighted")])[:, 0].tolist()
    assert weighted == pytest.approx([0, 0, 1 / 3, 2 / 3, 1, 1])
    chosen = np.concatenate([s for _, s in merge_windows(said(), "max_context")])[:, 0].tolist()
    assert chosen == [0, 0, 0, 1, 1, 1]


def test_what_no_window_held_whole_has_no_score() -> None:
    windows = [((0, 2), np.zeros((2, 2, 1), dtype=np.float32), np.array([[1, 1], [1, 0]], dtype=np.float32))]
    [(base, scores)] = merge_windows(windows, "weighted")
    assert base == 0
    assert np.isnan(scores[:, :, 0]).tolist() == [[False, False], [False, True]]


def test_rows_are_filled_up_and_the_mask_says_where() -> None:
    ids, mask = pad_rows([[5, 6, 7], [8]], 9)
    assert ids.tolist() == [[5, 6, 7], [8, 9, 9]]
    assert mask.tolist() == [[1, 1, 1], [1, 0, 0]]
