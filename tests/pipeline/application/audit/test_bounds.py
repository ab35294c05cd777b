"""The bounds against other ways to get them: scipy, whole numbers, every possible sample, and simulated releases."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from caspipe.pipeline.application.audit.bounds import (
    Stratum,
    check_confidence,
    clopper_pearson,
    hypergeometric,
    mean_leaks_bound,
    probability_at_most,
    required_reading,
    stratified,
    upper_bound,
)
from caspipe.pipeline.errors import ReaderError


@pytest.mark.parametrize(("found", "read"), [(0, 200), (1, 200), (7, 200), (3, 3), (0, 1), (50, 60)])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_the_share_is_scipys_one_sided_exact_limit(found: int, read: int, confidence: float) -> None:
    other = stats.binomtest(found, read, alternative="less").proportion_ci(confidence, "exact").high
    assert clopper_pearson(found, read, confidence) == pytest.approx(other, abs=1e-9)


def test_without_a_find_it_is_the_rule_of_three() -> None:
    assert clopper_pearson(0, 300) == pytest.approx(1 - 0.05 ** (1 / 300))
    assert clopper_pearson(0, 300) == pytest.approx(3 / 300, rel=0.01)


def exact_tail(found: int, read: int, leaking: int, population: int) -> Fraction:
    """In whole numbers."""
    ways = sum(math.comb(leaking, i) * math.comb(population - leaking, read - i) for i in range(found + 1))
    return Fraction(ways, math.comb(population, read))


@given(st.data())
def test_the_number_of_documents_is_the_largest_that_whole_numbers_allow(data: st.DataObject) -> None:
    population = data.draw(st.integers(1, 80))
    read = data.draw(st.integers(1, population))
    found = data.draw(st.integers(0, read))
    alpha = data.draw(st.sampled_from([Fraction(1, 20), Fraction(1, 100), Fraction(1, 5)]))
    possible = range(found, population - read + found + 1)
    largest = max(k for k in possible if k == found or exact_tail(found, read, k, population) >= alpha)
    assert hypergeometric(found, read, population, float(1 - alpha)) == largest


@pytest.mark.parametrize("leaking", [0, 5, 400, 9_000])
def test_the_tail_is_scipys_for_large_populations(leaking: int) -> None:
    ours = probability_at_most(4, 500, leaking, 1_000_000)
    assert ours == pytest.approx(float(stats.hypergeom.cdf(4, 1_000_000, leaking, 500)), rel=1e-6)


def test_a_finite_release_has_the_tighter_bound_and_a_whole_reading_none_but_the_finds() -> None:
    for population in (250, 1_000, 50_000):
        assert hypergeometric(1, 200, population) / population <= clopper_pearson(1, 200)
    assert hypergeometric(3, 200, 200) == 3
    assert hypergeometric(0, 200, 10_000_000) / 10_000_000 == pytest.approx(clopper_pearson(0, 200), rel=1e-3)


def test_the_bound_covers_the_truth_as_often_as_it_says_in_every_possible_sample() -> None:
    population, read = 12, 5
    for leaking in range(population + 1):
        samples = list(itertools.combinations(range(population), read))
        covered = sum(hypergeometric(sum(d < leaking for d in s), read, population, 0.9) >= leaking for s in samples)
        assert covered / len(samples) >= 0.9


@pytest.mark.parametrize(
    "spread", [(0.02, 0.02, 0.02), (0.0, 0.0, 0.3), (0.01, 0.0, 0.0), (0.0, 0.08, 0.3), (0.0, 0.5, 0.0)]
)
def test_the_bound_of_strata_covers_simulated_releases_however_leaks_are_spread(spread: tuple[float, ...]) -> None:
    populations, reads = (4_000, 300, 40), (120, 40, 20)
    leaking = [round(n * share) for n, share in zip(populations, spread, strict=True)]
    random = np.random.default_rng(7)
    draws = np.array(
        [random.hypergeometric(k, n - k, m, 2_000) for k, n, m in zip(leaking, populations, reads, strict=True)]
    )
    tallies, counts = np.unique(draws.T, axis=0, return_counts=True)
    covered = 0
    for found, times in zip(tallies.tolist(), counts.tolist(), strict=True):
        parts = [Stratum(n, m, x) for n, m, x in zip(populations, reads, found, strict=True)]
        covered += times * (stratified(parts, 0.9) >= sum(leaking))
    assert covered / 2_000 >= 0.9 - 0.013  # two standard errors of the simulation


@given(st.data())
def test_the_bound_of_strata_never_refuses_what_is_not_refuted(data: st.DataObject) -> None:
    """Two small strata, every way to spread leaks over them: any spread that finds as few too often lies below the bound."""
    a, b = (data.draw(st.integers(1, 14)) for _ in range(2))
    parts = []
    for population in (a, b):
        read = data.draw(st.integers(0, population))
        parts.append(Stratum(population, read, data.draw(st.integers(0, min(read, 2)))))
    found, read = sum(p.found for p in parts), sum(p.read for p in parts)
    if not read:
        return
    most = stratified(parts, 0.9)
    ranges = [range(p.found, p.population - p.read + p.found + 1) for p in parts]
    for leaking in itertools.product(*ranges):
        pmfs = [
            stats.hypergeom(p.population, k, p.read).pmf(np.arange(found + 1))
            for p, k in zip(parts, leaking, strict=True)
        ]
        if np.convolve(*pmfs)[: found + 1].sum() >= 0.1 + 1e-9:
            assert sum(leaking) <= most


def test_proportional_strata_have_clopper_and_pearsons_bound() -> None:
    parts = [Stratum(10_000, 100, 1), Stratum(5_000, 50, 0), Stratum(1_000, 10, 1)]
    assert stratified(parts) == math.floor(160 * clopper_pearson(2, 160) / 0.01 + 1e-9)


def test_a_stratum_that_nobody_read_may_leak_wholly() -> None:
    read = upper_bound([Stratum(1_000, 100, 0), Stratum(50, 0, 0)])
    assert read.documents >= 50
    assert stratified([Stratum(1_000, 1_000, 3), Stratum(50, 0, 0)]) == 53


def test_the_estimate_of_strata_weighs_them_by_their_size() -> None:
    made = upper_bound([Stratum(900, 90, 9), Stratum(100, 50, 50)])
    assert made.share == pytest.approx((90 + 100) / 1_000)
    assert made.of_release == made.documents / 1_000


@pytest.mark.parametrize("target", [0.01, 0.005, 0.001])
@pytest.mark.parametrize("found", [0, 1, 4])
@pytest.mark.parametrize("population", [3_000, 100_000, None])
def test_as_many_as_told_must_be_read_and_one_less_is_too_few(
    found: int, target: float, population: int | None
) -> None:
    n = required_reading(found, target, population)
    if n is None:
        assert population is not None and found > target * population
        return

    def reached(read: int) -> bool:
        if population is None:
            return float(stats.beta.ppf(0.95, found + 1, read - found)) <= target
        leaking = math.floor(target * population) + 1  # one too many: must be refuted
        return leaking > population - read + found or stats.hypergeom.cdf(found, population, leaking, read) < 0.05

    assert reached(n) and not reached(n - 1)


def test_without_a_find_it_is_the_exact_rule_of_three() -> None:
    for target, told in ((0.01, 299), (0.005, 598), (0.001, 2995)):
        assert required_reading(0, target, None) == told == math.ceil(math.log(0.05) / math.log1p(-target))


def test_leaks_without_a_find_are_bounded_by_the_rule_of_three() -> None:
    assert mean_leaks_bound([[]], [Stratum(10_000, 300, 0)], worst=1) == pytest.approx(-math.log(0.05) / 300)


def test_single_leaks_are_bounded_as_garwood_bounds_a_poisson_count() -> None:
    made = mean_leaks_bound([[1, 1, 1]], [Stratum(10_000, 200, 3)], worst=1)
    assert made == pytest.approx(stats.chi2.ppf(0.95, 2 * (3 + 1)) / 2 / 200)


def test_bunches_of_leaks_widen_the_bound() -> None:
    part = [Stratum(10_000, 200, 3)]
    alone = mean_leaks_bound([[1] * 12], [Stratum(10_000, 200, 12)], worst=1)
    bunched = mean_leaks_bound([[4, 4, 4]], part, worst=1)
    assert alone is not None and bunched is not None and bunched > alone > 12 / 200


def test_bunches_that_nobody_saw_are_assumed() -> None:
    part = [Stratum(10_000, 200, 0)]
    assert mean_leaks_bound([[]], part, worst=4) == pytest.approx(4 * -math.log(0.05) / 200)
    assert mean_leaks_bound([[9]], part) == mean_leaks_bound([[9]], part, worst=9)


def test_of_a_stratum_nobody_read_there_is_no_bound_on_leaks() -> None:
    assert mean_leaks_bound([[1], []], [Stratum(100, 10, 1), Stratum(5, 0, 0)]) is None


@pytest.mark.parametrize("share", [0.01, 0.05, 0.2])
def test_the_bound_on_leaks_covers_simulated_bunches(share: float) -> None:
    """Documents leak with the probability `share`, and then one to six times."""
    random = np.random.default_rng(11)
    sizes, chances = np.arange(1, 7), np.array([0.5, 0.2, 0.1, 0.1, 0.05, 0.05])
    truth = share * float(sizes @ chances)
    covered = 0
    for _ in range(1_000):
        leaking = int(random.binomial(200, share))
        leaks = random.choice(sizes, leaking, p=chances).tolist()
        made = mean_leaks_bound([leaks], [Stratum(1_000_000, 200, leaking)], worst=6)
        covered += made is not None and made >= truth
    assert covered / 1_000 >= 0.95 - 0.014


@pytest.mark.parametrize("confidence", [0.5, 0.79, 1.0, 95.0])
def test_a_confidence_out_of_range_is_refused(confidence: float) -> None:
    with pytest.raises(ReaderError, match=r"--confidence: expected a number from 0\.8 to 0\.9999"):
        check_confidence(confidence)


def test_nothing_read_is_nothing_known() -> None:
    with pytest.raises(ReaderError, match="no document was read"):
        upper_bound([Stratum(100, 0, 0)])
