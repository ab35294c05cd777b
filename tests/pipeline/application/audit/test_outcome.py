"""What an audit says: the curve, the forecast, the picture and the sentence for the protocol."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.pipeline.application.audit.bounds import hypergeometric
from caspipe.pipeline.application.audit.findings import Finding, Findings
from caspipe.pipeline.application.audit.outcome import ANY, Outcome, compute_outcome
from caspipe.pipeline.application.audit.outcome_page import bound_plot, outcome_page
from caspipe.pipeline.application.audit.outcome_text import percent, summary
from caspipe.pipeline.application.audit.sampling import Sample

N = 2_000


def audited(read: int, leaking: dict[int, int], *, drawn: int = 400, population: int = N) -> Outcome:
    """So many documents read in order; `leaking`: number -> leaks."""
    sample = Sample("audit-1", "r", {"name": "ward"}, population, 0, "none", tuple(range(1, drawn + 1)))
    found = {n: Finding(n, "ab", leaking.get(n, 0), leaking.get(n, 0), 0) for n in range(1, read + 1)}
    return compute_outcome(Findings(sample, {"ab": found}))


@pytest.mark.slow
@given(st.integers(1, 400), st.lists(st.integers(1, 400), max_size=5))
def test_the_curve_falls_but_for_finds_and_ends_at_the_bound(read: int, leaking: list[int]) -> None:
    made = audited(read, {n: 1 for n in leaking if n <= read})
    for before, after in zip(made.curve, made.curve[1:], strict=False):
        assert after.read > before.read
        assert after.found > before.found or after.rate <= before.rate
    last = made.curve[-1]
    assert (last.read, last.found, last.rate) == (read, made.any.found, made.any.of_release)
    assert made.forecast[0].rate == made.any.of_release
    rates = [p.rate for p in made.forecast]
    assert rates == sorted(rates, reverse=True) and made.forecast[-1].read <= N


def test_many_documents_are_drawn_with_few_points_but_every_find() -> None:
    leaking = dict.fromkeys(range(7, 3000, 501), 1)
    made = audited(3_000, leaking, drawn=3_000, population=100_000)
    assert len(made.curve) < 300
    assert {p.read for p in made.curve} >= leaking.keys()


def test_as_many_more_as_told_bring_the_bound_down() -> None:
    made = audited(200, {5: 2})
    for wanted in made.goals:
        assert wanted.more is not None
        n = 200 + wanted.more
        assert hypergeometric(1, n, N) <= wanted.target * N < hypergeometric(1, n - 1, N)


def test_a_target_below_what_was_found_cannot_be_reached() -> None:
    made = audited(100, dict.fromkeys(range(1, 12), 1))
    assert [w.more is None for w in made.goals] == [False, True, True]


def test_the_picture_stays_inside_its_frame_and_marks_the_finds() -> None:
    picture = bound_plot(audited(200, {1: 1, 150: 3}))
    assert picture.count('class="find"') == 2 * 2
    for css, width, height in (("wide", 920, 400), ("narrow", 360, 340)):
        svg = re.search(rf'<svg class="{css}".*?</svg>', picture, re.DOTALL)
        assert svg is not None
        for path in re.findall(r'class="(?:bound|ahead)" d="M([^"]+)"', svg[0]):
            for point in path.split("L"):
                x, y = map(float, point.split())
                assert 0 <= x <= width and 0 <= y <= height


@pytest.mark.parametrize("read", [1, 2, 3])
def test_the_smallest_audits_have_a_page_too(read: int) -> None:
    assert b"Release audit" in outcome_page(audited(read, {1: 1}, drawn=3, population=3))


def test_the_sentence_for_the_protocol() -> None:
    assert summary(audited(300, {})) == (
        "300 of 2,000 released documents, drawn at random, were read; none of them contains a leak. With 95 % confidence, at "
        "most 18 of the 2,000 documents (0.90 %) contain a leak that such readers notice."
    )
    assert "2 of them contain a leak" in summary(audited(300, {1: 1, 2: 4}))


def test_the_page_loads_and_runs_nothing() -> None:
    page = outcome_page(audited(20, {3: 1})).decode()
    assert "default-src 'none'" in page and "<script" not in page and "http" not in page.replace("http-equiv", "")


def test_shares_have_as_many_digits_as_matter() -> None:
    assert [percent(s) for s in (1.0, 0.5, 0.0378, 0.00149, 0.000123, 0.0)] == [
        "100 %",
        "50.0 %",
        "3.78 %",
        "0.15 %",
        "0.012 %",
        "0 %",
    ]


def test_classes_of_identifiers_are_bounded_apart() -> None:
    sample = Sample("audit-1", "r", {}, N, 0, "none", tuple(range(1, 101)))
    found = {n: Finding(n, "ab", 0, 0, 0) for n in range(1, 101)}
    found[4] = Finding(4, "ab", 1, 1, 0, {"PERSON": 1})
    found[5] = Finding(5, "ab", 1, 0, 1, {"DATE": 1})
    found[6] = Finding(6, "ab", 2, 0, 2, {"DATE": 1, "LOCATION_CITY": 1})
    made = compute_outcome(Findings(sample, {"ab": found}))
    assert {name: b.found for name, b in made.bounds.items()} == {
        ANY: 3,
        "direct identifier": 1,
        "quasi-identifier": 2,
        "1 direct or 2 quasi": 2,
        "DATE": 2,
        "LOCATION": 1,
        "PERSON": 1,
    }
    assert made.bounds["PERSON"].documents == hypergeometric(1, 100, N)
