"""The draw: reproducible, fair, and a larger one begins with the smaller."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from caspipe.pipeline.application.audit.sampling import (
    Sample,
    allocation,
    draw,
    draw_by_stratum,
    read_sample,
    sample_id,
    strata_of,
)
from caspipe.pipeline.errors import ReaderError

NUMBERS = range(1, 1_001)


def test_a_seed_draws_the_same_again_whatever_the_order_of_documents() -> None:
    first = draw(NUMBERS, 50, 7)
    assert first == draw(list(reversed(NUMBERS)), 50, 7)
    assert first[:5] == [11, 203, 254, 498, 636]  # on every machine
    assert first != draw(NUMBERS, 50, 8)


def test_nothing_is_drawn_twice_and_all_are_drawn_where_there_are_not_enough() -> None:
    assert len(set(draw(NUMBERS, 300, 0))) == 300
    assert sorted(draw(NUMBERS, 5_000, 0)) == list(NUMBERS)


@given(st.integers(0, 1000), st.integers(0, 60), st.integers(0, 60))
def test_a_larger_sample_begins_with_the_smaller_one(seed: int, size: int, more: int) -> None:
    assert draw(NUMBERS, size + more, seed)[:size] == draw(NUMBERS, size, seed)


def test_every_document_is_as_likely_as_any_other() -> None:
    hits = Counter(n for seed in range(2_000) for n in draw(range(20), 5, seed))
    assert stats.chisquare([hits[n] for n in range(20)]).pvalue > 0.001
    first = Counter(draw(range(20), 5, seed)[0] for seed in range(2_000))
    assert stats.chisquare([first[n] for n in range(20)]).pvalue > 0.001


@given(
    st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 500), min_size=1),
    st.integers(1, 300),
    st.integers(0, 50),
)
def test_strata_get_what_there_is_and_never_less_of_a_larger_sample(
    populations: dict[str, int], size: int, more: int
) -> None:
    sizes, larger = allocation(populations, size), allocation(populations, size + more)
    total = sum(populations.values())
    assert sum(sizes.values()) == max(min(size, total), len(populations))
    assert all(1 <= sizes[s] <= larger[s] <= populations[s] for s in populations)


def test_rare_strata_are_read_more_often_than_their_share() -> None:
    sizes = allocation({"common": 9_600, "rare": 400}, 120)
    assert sizes == {"common": 100, "rare": 20}


def test_the_stratum_is_the_rarest_kind_of_a_document() -> None:
    kinds = {1: ["DATE"], 2: ["DATE", "ID"], 3: [], 4: ["DATE", "FAX"], 5: ["ID", "DATE"]}
    assert strata_of(kinds) == {1: "DATE", 2: "ID", 3: "none", 4: "FAX", 5: "ID"}


def test_a_draw_by_strata_holds_each_and_is_the_same_again() -> None:
    stratum = {n: "rare" if n % 50 == 0 else "common" for n in NUMBERS}
    drawn = draw_by_stratum(stratum, 60, 3)
    sizes = allocation(Counter(stratum.values()), 60)
    assert Counter(stratum[n] for n in drawn) == sizes
    assert drawn == draw_by_stratum(dict(reversed(stratum.items())), 60, 3)
    assert draw_by_stratum(stratum, 90, 3) != drawn and set(drawn) <= set(draw_by_stratum(stratum, 90, 3))


def sample() -> Sample:
    return Sample("audit-0", "r", {"name": "ward"}, 10, 4, "kind", (7, 2), {"DATE": 9, "ID": 1}, {7: "DATE", 2: "ID"})


def test_a_sample_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "sample.json"
    path.write_text(json.dumps(sample().as_json()), encoding="utf-8")
    assert read_sample(path) == sample()
    assert json.loads(path.read_bytes())["fraction"] == 0.2


@pytest.mark.parametrize("data", ["", "[]", '{"format": 1}', "{}"])
def test_what_is_no_sample_is_refused(tmp_path: Path, data: str) -> None:
    path = tmp_path / "sample.json"
    path.write_text(data, encoding="utf-8")
    with pytest.raises(ReaderError, match="expected a sample written by `caspipe audit sample`"):
        read_sample(path)


def test_the_id_tells_releases_seeds_and_ways_apart_and_looks_like_no_number() -> None:
    ids = {sample_id(*given) for given in (("a", 0, "none"), ("b", 0, "none"), ("a", 1, "none"), ("a", 0, "kind"))}
    assert len(ids) == 4 and all(i.startswith("audit-") for i in ids)
