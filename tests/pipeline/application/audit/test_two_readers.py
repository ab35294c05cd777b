"""Agreement and capture-recapture against numbers counted by hand and simulated readers."""

from __future__ import annotations

import numpy as np
import pytest

from caspipe.pipeline.application.audit.findings import Finding
from caspipe.pipeline.application.audit.two_readers import Recapture, compare_readers


def finding(
    number: int, leaks: int, kinds: dict[str, int] | None = None, places: tuple[tuple[int, int, str], ...] = ()
) -> Finding:
    return Finding(number, "", leaks, leaks, 0, kinds or {}, places)


def test_agreement_by_hand() -> None:
    # 10 documents: both find a leak in 2, the first alone in 1, the second alone in 1, neither in 6
    first = {n: finding(n, int(n in (1, 2, 3))) for n in range(1, 11)}
    second = {n: finding(n, int(n in (1, 2, 4))) for n in range(1, 11)}
    both = compare_readers(("a", "b"), first, second)
    assert (both.documents, both.both_clean) == (10, 6)
    assert both.leaking == Recapture(3, 3, 2)
    assert both.agreement == 0.8
    assert both.agreement_on_leaks == pytest.approx(4 / 6)
    assert both.kappa == pytest.approx((0.8 - 0.58) / 0.42)


def test_only_documents_that_both_read_count() -> None:
    both = compare_readers(("a", "b"), {1: finding(1, 1), 2: finding(2, 0)}, {2: finding(2, 0), 3: finding(3, 1)})
    assert (both.documents, both.leaking, both.kappa, both.agreement_on_leaks) == (1, Recapture(0, 0, 0), None, None)


def test_lincoln_petersen_and_chapman_by_hand() -> None:
    r = Recapture(20, 15, 10)
    assert r.total == 25
    assert r.lincoln_petersen == 30
    assert r.chapman == pytest.approx(21 * 16 / 11 - 1)
    assert r.missed == pytest.approx(21 * 16 / 11 - 26)
    variance = 21 * 16 * 10 * 5 / (11 * 11 * 12)
    assert r.missed_at_most(0.95) == pytest.approx(r.missed + 1.6448536 * variance**0.5)
    assert Recapture(2, 1, 0).lincoln_petersen is None
    assert Recapture(3, 3, 3).missed == 0


def test_the_estimate_finds_what_simulated_readers_miss() -> None:
    random = np.random.default_rng(3)
    there, estimates = 60, []
    for _ in range(500):
        a, b = random.random(there) < 0.8, random.random(there) < 0.7
        estimates.append(Recapture(int(a.sum()), int(b.sum()), int((a & b).sum())).chapman)
    assert np.mean(estimates) == pytest.approx(there, abs=0.5)


def test_leaks_are_the_same_where_marked_places_overlap_else_by_kind() -> None:
    marked = finding(1, 2, {"PERSON": 1, "DATE": 1}, ((3, 9, "PERSON"), (20, 24, "DATE")))
    other = finding(1, 2, {"PERSON_DOCTOR": 1, "ID": 1}, ((5, 9, "PERSON_DOCTOR"), (30, 33, "ID")))
    typed = finding(1, 3, {"PERSON_DOCTOR": 2, "DATE": 1})
    assert compare_readers(("a", "b"), {1: marked}, {1: other}).leaks == Recapture(2, 2, 1)
    assert compare_readers(("a", "b"), {1: marked}, {1: typed}).leaks == Recapture(2, 3, 2)
    untold = finding(1, 2)
    assert compare_readers(("a", "b"), {1: untold}, {1: finding(1, 1)}).leaks.both == 1
