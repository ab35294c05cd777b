"""Splits: whole, disjoint, balanced, grouped, and the same for the same seed."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.sequence.folds import folds, held_out, holdout, parts, rarest, shuffled, subset

groups_of = st.lists(st.integers(0, 9), min_size=10, max_size=60).filter(lambda g: len(set(g)) >= 5)


@given(groups=groups_of, n=st.integers(2, 5), seed=st.integers(0, 99))
def test_every_document_is_tested_once_and_no_group_stands_on_both_sides(groups: list[int], n: int, seed: int) -> None:
    made = folds(groups, n, seed)
    assert sorted(i for _, test in made for i in test) == list(range(len(groups)))
    for train, test in made:
        assert sorted(train + test) == list(range(len(groups)))
        assert not {groups[i] for i in train} & {groups[i] for i in test}


@given(count=st.integers(5, 80), n=st.integers(2, 5), seed=st.integers(0, 99))
def test_parts_of_single_documents_differ_by_one_at_most(count: int, n: int, seed: int) -> None:
    sizes = [len(p) for p in parts(range(count), n, seed)]
    assert max(sizes) - min(sizes) <= 1


def test_large_groups_do_not_pile_up_in_one_part() -> None:
    groups = ["a"] * 10 + ["b"] * 10 + ["c"] * 10 + list(range(30))
    assert sorted(len(p) for p in parts(groups, 3, 1)) == [20, 20, 20]


def test_another_seed_makes_other_folds_and_the_same_seed_the_same() -> None:
    assert folds(range(30), 5, 1) == folds(range(30), 5, 1)
    assert folds(range(30), 5, 1) != folds(range(30), 5, 2)


def test_folds_do_not_depend_on_the_hash_seed() -> None:
    code = "from caspipe.annotators.sequence.folds import folds; print(folds([str(i // 2) for i in range(20)], 3, 7))"
    out = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(out) == 1


def test_too_few_groups_are_told_by_number() -> None:
    with pytest.raises(ValueError, match=r"expected at least 3 documents or groups of documents for 3 parts, got 2"):
        folds(["a", "a", "b"], 3, 1)


@given(groups=groups_of, share=st.floats(0.05, 0.9), seed=st.integers(0, 99))
def test_a_held_back_part_is_never_empty_nor_everything(groups: list[int], share: float, seed: int) -> None:
    train, test = holdout(groups, share, seed)
    assert train
    assert test
    assert sorted(train + test) == list(range(len(groups)))
    assert not {groups[i] for i in train} & {groups[i] for i in test}


@given(count=st.integers(1, 50), low=st.floats(0.01, 1), high=st.floats(0.01, 1))
def test_smaller_subsets_lie_in_larger_ones(count: int, low: float, high: float) -> None:
    small, large = (subset(range(count), share, "label", 3) for share in sorted((low, high)))
    assert set(small) <= set(large)
    assert len(small) == max(1, round(min(low, high) * count))
    assert small == sorted(small)


def test_the_whole_share_is_everything_and_none_is_nothing() -> None:
    assert subset("abc", 1.0, 1) == ["a", "b", "c"]
    assert subset("abc", 0.0, 1) == []


def test_a_shuffle_follows_from_its_labels() -> None:
    assert shuffled(range(20), 1, "a") == shuffled(range(20), 1, "a") != shuffled(range(20), 1, "b")


@given(st.lists(st.sampled_from("aaabbc"), min_size=20, max_size=90), st.integers(2, 5), st.integers(0, 99))
def test_all_parts_have_the_strata_in_the_same_proportion(strata: list[str], n: int, seed: int) -> None:
    made = parts(range(len(strata)), n, seed, strata)
    assert sorted(i for part in made for i in part) == list(range(len(strata)))
    for stratum in set(strata):
        if strata.count(stratum) >= n:
            counts = [sum(strata[i] == stratum for i in part) for part in made]
            small = sum(strata.count(s) for s in set(strata) if strata.count(s) < n)
            assert max(counts) - min(counts) <= 1 + small


@given(groups=groups_of, n=st.integers(2, 5), seed=st.integers(0, 99))
def test_strata_never_divide_a_group(groups: list[int], n: int, seed: int) -> None:
    strata = [str(i % 3) for i in range(len(groups))]
    for train, test in folds(groups, n, seed, strata):
        assert not {groups[i] for i in train} & {groups[i] for i in test}


def test_without_strata_chance_may_leave_a_part_without_a_rare_genre() -> None:
    genres = ["letter"] * 45 + ["log"] * 5
    plain, spread = (parts(range(50), 5, 7, strata) for strata in ((), genres))
    assert sorted(sum(genres[i] == "log" for i in part) for part in plain) != [1] * 5
    assert [sum(genres[i] == "log" for i in part) for part in spread] == [1] * 5


def test_a_stratified_holdout_has_the_mix_of_the_whole() -> None:
    genres = ["letter"] * 40 + ["log"] * 8
    train, test = holdout(range(48), 0.25, 3, genres)
    assert (len(test), sum(genres[i] == "log" for i in test)) == (12, 2)
    assert sorted(train + test) == list(range(48))


def test_strata_smaller_than_the_number_of_parts_count_as_the_largest() -> None:
    assert len(parts(range(6), 3, 1, ["a", "b", "c", "d", "e", "f"])) == 3


def test_a_held_out_share_takes_copies_with_their_document() -> None:
    sources = ["a", "b", "c", "d"] * 3
    held = held_out(sources, 0.5, "1/held out")
    assert len({sources[i] for i in held}) == 2 and len(held) == 6
    assert held == held_out(sources, 0.5, "1/held out")
    assert held_out(sources, 0, "1") == set()
    assert len(held_out(sources, 0.01, "1")) == 3
    assert held_out(sources, 0.01, "1", least=0) == set()


def test_the_rarest_content_of_a_document_is_its_stratum() -> None:
    assert rarest([{"DATE", "NAME"}, {"DATE"}, {"DATE", "NAME", "URL"}, set()]) == ["NAME", "DATE", "URL", ""]
