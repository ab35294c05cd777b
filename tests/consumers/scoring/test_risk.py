"""Risk of re-identification: figures counted by hand, laws that hold for all numbers, and what must never be said."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caspipe.consumers.scoring import Pair, Profile, RiskSettings, by_patient, found_profile, profile_of, risk_of
from caspipe.consumers.scoring.bootstrap import exact, jeffreys
from caspipe.consumers.scoring.risk_profile import Identifiers, design_effect, is_direct
from caspipe.consumers.scoring.risk_report import shown, text
from caspipe.pipeline.errors import ConsumerError

MakePair = Callable[..., Pair]


def profile(group: str = "", **kinds: tuple[int, ...]) -> Profile:
    return Profile({kind: Identifiers(*counts) for kind, counts in kinds.items()}, group)


def test_a_name_said_twice_is_one_identifier_and_one_mention_left_is_a_leak(pair: MakePair) -> None:
    made = profile_of(
        pair(
            "<PERSON>Ann Lee</PERSON> and <PERSON>ANN LEE</PERSON>, <PERSON>Bo Ray</PERSON>, <AGE>9</AGE>",
            "<PERSON>Ann Lee</PERSON> and ANN LEE, <PERSON>Bo</PERSON> Ray, <DATE>9</DATE>",
        )
    )
    assert made.kinds == {"PERSON": Identifiers(2, 2, 0), "AGE": Identifiers(1, 0, 0)}


def test_what_is_left_of_punctuation_is_no_leak_and_what_was_never_touched_is_unseen(pair: MakePair) -> None:
    made = profile_of(
        pair(
            "<PERSON>Lee, Ann</PERSON> <PERSON>Bo</PERSON>",
            "<PERSON>Lee</PERSON>, <PERSON>Ann</PERSON> Bo",
        )
    )
    assert made.kinds == {"PERSON": Identifiers(2, 1, 1)}


def test_finds_are_counted_as_different_texts() -> None:
    line = "Ann, ann, Bo"
    from caspipe.consumers.scoring import Mark

    marks = [Mark(0, 3, "PERSON"), Mark(5, 8, "PERSON"), Mark(10, 12, "PERSON"), Mark(10, 12, "PERSON")]
    assert found_profile(line, marks).kinds == {"PERSON": Identifiers(2)}


def test_a_label_that_is_no_kind_of_ours_counts_as_direct() -> None:
    assert is_direct("BADGE_OF_THE_WARD") and is_direct("LOCATION_STREET")
    assert not is_direct("LOCATION_CITY")


def test_documents_of_a_patient_count_as_one() -> None:
    a, b, c = profile("p", PERSON=(1, 0, 0)), profile("", DATE=(1, 1, 1)), profile("p", PERSON=(1, 1, 0), AGE=(1, 0, 0))
    merged = by_patient([a, b, c])
    assert [p.group for p in merged] == ["p", ""]
    assert merged[0].kinds == {"PERSON": Identifiers(2, 1, 0), "AGE": Identifiers(1, 0, 0)}


def test_nothing_missed_leaves_the_rule_of_three() -> None:
    low, high = exact(0, 100) or (None, None)
    assert low == 0
    assert high == pytest.approx(1 - 0.05 ** (1 / 100))
    assert high == pytest.approx(3 / 100, abs=0.001)
    assert exact(100, 100) == (pytest.approx(0.05 ** (1 / 100)), 1.0)
    assert exact(0, 0) is None


def test_the_exact_interval_is_that_of_the_published_table() -> None:
    # 3 of 10: Clopper and Pearson's limits as tabulated, 0.0667 and 0.6525
    low, high = exact(3, 10) or (0, 0)
    assert (round(low, 4), round(high, 4)) == (0.0667, 0.6525)
    with pytest.raises(ConsumerError, match="expected hits from 0 to 10, got 11"):
        exact(11, 10)


def test_an_identifier_leaks_with_half_a_leak_more_than_was_seen() -> None:
    assert jeffreys(0, 9) == pytest.approx(0.05)
    assert jeffreys(9, 9) == pytest.approx(0.95)


def test_what_is_expected_of_direct_identifiers_is_counted_by_hand() -> None:
    # nine names, none leaked: each leaks with 0.5/10; documents with two and with seven are at risk with 1 - 0.95² and 1 - 0.95⁷
    risk = risk_of([profile(PERSON=(2, 0, 0)), profile(PERSON=(7, 0, 0))])
    assert risk.expected[0].shares["direct"].value == pytest.approx((1 - 0.95**2 + 1 - 0.95**7) / 2)


def test_what_is_expected_of_indirect_identifiers_is_counted_by_hand() -> None:
    # three dates of which one leaked: (1 + 1/2) / 4 = 0.375; two or three of three leak with 3 · 0.375² · 0.625 + 0.375³
    p = 0.375
    one = risk_of([profile(DATE=(3, 1, 1))])
    assert one.expected[0].shares["indirect"].value == pytest.approx(3 * p * p * (1 - p) + p**3)
    three = risk_of([profile(DATE=(3, 1, 1))], settings=RiskSettings(at_least=3))
    assert three.expected[0].shares["indirect"].value == pytest.approx(p**3)


def test_hidden_leaks_count_less() -> None:
    # one name of one leaked: 0.75, of which one in ten is noticed; a second document holds nothing
    listed = [profile(PERSON=(1, 1, 1), DATE=(1, 0, 0)), profile(DATE=(1, 0, 0))]
    risk = risk_of(listed, settings=RiskSettings(hidden={"PERSON": 0.9}))
    assert risk.expected[0].shares["direct"].value == pytest.approx(0.75 * 0.1 / 2)
    assert risk.observed["direct"].share.value == pytest.approx(0.1 / 2)
    assert risk.observed["direct"].leaking == 1
    all_kinds = RiskSettings(hidden={"": 0.5, "PERSON": 0.25})
    assert (all_kinds.noticed("PERSON_DOCTOR"), all_kinds.noticed("DATE")) == (0.75, 0.5)


def test_hidden_indirect_identifiers_are_a_risk_where_enough_of_them_are_noticed() -> None:
    # three dates leaked, each noticed with 1/2: two or three of them with 1/2
    risk = risk_of([profile(DATE=(3, 3, 3))], settings=RiskSettings(hidden={"": 0.5}))
    assert risk.observed["indirect"].share.value == pytest.approx(0.5)


def test_evenly_spread_finds_are_corrected_by_recall() -> None:
    # 4 of 9 names protected, 4 unseen, 1 in part: leak (5.5 / 10), unseen 0.55 · (4.5 / 6). One find in every document:
    # unseen ones are Poisson with rate unseen / seen, the find itself is left in part with (leak - unseen) / seen
    leak, unseen = 0.55, 0.55 * 4.5 / 6
    seen = 1 - unseen
    risk = risk_of([profile(PERSON=(9, 5, 4))], {"ward": [profile(PERSON=(1,))] * 4})
    assert risk.expected[1].assumed == []
    safe = (1 - (leak - unseen) / seen) * math.exp(-unseen / seen)
    assert risk.expected[1].shares["direct"].value == pytest.approx(1 - safe)


def test_a_kind_that_is_hardly_ever_found_is_as_frequent_as_in_the_scored_documents() -> None:
    # three of four professions unseen: leak 3.5 / 5; one in every second document there: variance 1/3, so Poisson
    scored = [profile(PROFESSION=(1, 1, 1)), profile(), profile(PROFESSION=(1, 1, 1)), profile()] * 2
    scored[0] = profile(PROFESSION=(1, 0, 0))
    risk = risk_of(scored, {"ward": [profile(DATE=(1,)), profile()]}, RiskSettings(at_least=1)).expected[1]
    assert risk.assumed == ["PROFESSION"]
    assert risk.shares["indirect"].value == pytest.approx(1 - math.exp(-0.5 * 0.7))


def test_professions_that_come_together_are_assumed_to_come_together() -> None:
    # four in one of two documents, none protected: mean 2, variance 8, so shape 2²/6; leak 4.5 / 5
    scored = [profile(PROFESSION=(4, 4, 4)), profile()]
    risk = risk_of(scored, {"ward": [profile()]}, RiskSettings(at_least=1)).expected[1]
    shape = 4 / 6
    assert risk.shares["indirect"].value == pytest.approx(1 - (shape / 2 / (shape / 2 + 0.9)) ** shape)


def test_a_document_without_finds_can_hold_what_was_missed() -> None:
    listed = [profile(PERSON=(1,)), profile(DATE=(1,))] * 10
    scored = [profile(PERSON=(10, 5, 5), DATE=(10, 0, 0))]
    few = risk_of(scored, {"ward": listed}).expected[1].shares["direct"].value
    assert few is not None
    # half of the documents have a find that leaks in part hardly ever; all may hold an unseen name
    assert few > 0.5 * jeffreys(5, 10)


def test_the_model_of_finds_agrees_with_a_simulation() -> None:
    """Gamma-Poisson names, dates likewise, found by a system with known recall; the truth is what leaked."""
    draw = random.Random(7)
    protected, partly = 0.8, 0.05

    def document(mean: float, shape: float) -> tuple[int, int]:
        rate = draw.gammavariate(shape, mean / shape)
        number, at = 0, draw.expovariate(1)
        while at < rate:
            number, at = number + 1, at + draw.expovariate(1)
        fates = [draw.random() for _ in range(number)]
        return sum(f < protected + partly for f in fates), sum(f >= protected for f in fates)

    names, dates = [document(1.5, 0.7) for _ in range(6000)], [document(4, 2) for _ in range(6000)]
    ward = [profile(PERSON=(n,), DATE=(d,)) for (n, _), (d, _) in zip(names, dates, strict=True)]
    scored = [profile(PERSON=(2000, 400, 300), DATE=(2000, 400, 300))]
    risk = risk_of(scored, {"ward": ward}, RiskSettings(draws=1)).expected[1].shares
    assert risk["direct"].value == pytest.approx(sum(leaked > 0 for _, leaked in names) / 6000, abs=0.02)
    assert risk["indirect"].value == pytest.approx(sum(leaked > 1 for _, leaked in dates) / 6000, abs=0.02)


def test_leaks_in_one_document_widen_the_intervals() -> None:
    apart = [profile(PERSON=(5, 1, 1)) for _ in range(10)]
    together = [profile(PERSON=(5, 5, 5)), profile(PERSON=(5, 5, 5)), *[profile(PERSON=(5, 0, 0)) for _ in range(8)]]
    assert design_effect(apart) == 1
    # residuals 4 (twice) and -1 (eight times): 40 · 10/9, over 50 · 0.2 · 0.8
    assert design_effect(together) == pytest.approx(40 * 10 / 9 / 8)
    narrow, wide = (risk_of(p).kinds[0].recall for p in (apart, together))
    assert narrow.value == wide.value == 0.8
    assert narrow.low is not None and wide.low is not None and wide.low < narrow.low


def test_no_reference_is_unknown_and_not_zero() -> None:
    risk = risk_of([profile(DATE=(2, 0, 0)), profile()])
    assert risk.observed["direct"].share.value is None
    assert risk.observed["either"].share.value is None
    assert risk.expected[0].shares["direct"].value is None
    assert risk.observed["indirect"].share.value == 0
    assert risk.observed["indirect"].share.high == pytest.approx(1 - 0.05**0.5)
    assert "PERSON" in risk.absent and "ID" in risk.absent
    assert shown(risk.observed["direct"].share) == "unknown"


def test_a_kind_that_the_reference_never_holds_bounds_the_risk() -> None:
    scored = [profile(PERSON=(9, 0, 0), DATE=(9, 0, 0))]
    ward = [profile(PERSON=(1,), DATE=(1,)), profile(PHONE=(2,), PERSON=(1,), DATE=(1,))]
    shares = risk_of(scored, {"ward": ward}).expected[1]
    assert shares.unknown == {"PHONE": 1}
    value, most = shares.shares["direct"].value, shares.shares["direct"].at_most
    assert value is not None and most == pytest.approx((value + 1) / 2)
    assert shares.shares["indirect"].at_most is None


def test_one_leak_of_unknown_kind_and_one_of_a_known_kind_are_two() -> None:
    # ages are not in the reference; with one age taken as leaked, one date more is enough
    scored = [profile(PERSON=(1, 0, 0), DATE=(9, 0, 0))]
    ward = [profile(DATE=(1,), AGE=(1,))] * 2
    share = risk_of(scored, {"ward": ward}).expected[1].shares["indirect"]
    leak, unseen = 0.05, 0.05 * 0.5
    safe = (1 - (leak - unseen) / (1 - unseen)) * math.exp(-unseen / (1 - unseen))
    assert share.at_most == pytest.approx(1 - safe)


def test_a_general_kind_takes_the_recall_of_those_below_it() -> None:
    scored = [profile(PERSON_PATIENT=(4, 1, 1), PERSON_DOCTOR=(5, 0, 0), LOCATION_STREET=(3, 3, 0), DATE=(1, 0, 0))]
    ward = [profile(PERSON=(1,), LOCATION=(1,))] * 2
    risk = risk_of(scored, {"ward": ward}).expected[1]
    leak = jeffreys(1, 9)
    unseen = leak * jeffreys(1, 1)
    safe = (1 - (leak - unseen) / (1 - unseen)) * math.exp(-unseen / (1 - unseen))
    assert risk.shares["direct"].value == pytest.approx(1 - safe)
    assert risk.unknown == {"LOCATION": 2}, "a street is direct: its recall says nothing of towns"


COUNTS = st.integers(0, 6).flatmap(
    lambda n: st.integers(0, n).flatmap(lambda leaked: st.integers(0, leaked).map(lambda unseen: (n, leaked, unseen)))
)
PROFILES = st.lists(
    st.dictionaries(st.sampled_from(["PERSON", "ID_SSN", "DATE", "AGE", "LOCATION_CITY"]), COUNTS).map(
        lambda kinds: profile(**kinds)
    ),
    min_size=1,
    max_size=12,
)
FEW = RiskSettings(draws=40)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(PROFILES, PROFILES, st.integers(1, 4))
def test_intervals_hold_the_estimate_and_shares_are_shares(scored: list[Profile], other: list[Profile], k: int) -> None:
    risk = risk_of(scored, {"ward": other}, RiskSettings(at_least=k, draws=40))
    shares = [leaks.share for leaks in risk.observed.values()] + [kind.recall for kind in risk.kinds]
    shares += [share for corpus in risk.expected for share in corpus.shares.values()]
    for share in shares:
        if share.value is not None and share.low is not None and share.high is not None:
            assert 0 <= share.low <= share.value <= share.high <= 1
        if share.at_most is not None:
            assert 0 <= (share.value or 0) <= share.at_most + 1e-9 <= 1 + 1e-8
    json.dumps(asdict(risk), allow_nan=False)
    assert text(risk) == text(risk_of(scored, {"ward": other}, RiskSettings(at_least=k, draws=40)))


@settings(max_examples=60, deadline=None)
@given(PROFILES)
def test_one_more_leak_never_lowers_a_risk(scored: list[Profile]) -> None:
    before = risk_of(scored, settings=FEW)
    at = next(
        ((n, k) for n, p in enumerate(scored) for k, f in p.kinds.items() if f.leaked < f.values),
        None,
    )
    if at is None:
        return
    n, kind = at
    found = scored[n].kinds[kind]
    worse = Profile({**scored[n].kinds, kind: found._replace(leaked=found.leaked + 1)})
    after = risk_of([*scored[:n], worse, *scored[n + 1 :]], settings=FEW)
    for by in ("direct", "indirect", "either"):
        pairs = [
            (before.observed[by].share.value, after.observed[by].share.value),
            (before.expected[0].shares[by].value, after.expected[0].shares[by].value),
        ]
        for old, new in pairs:
            assert (old is None) == (new is None)
            assert old is None or new is None or new >= old - 1e-9


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"at_least": 0}, "expected 1 to 20 indirect identifiers that must leak, got 0"),
        ({"hidden": {"DATE": 1.0}}, "expected a share of hidden leaks from 0 to below 1 for DATE, got 1"),
        ({"hidden": {"": -0.1}}, "expected a share of hidden leaks from 0 to below 1, got -0.1"),
        ({"draws": 0}, "draws: expected 1 or more, got 0"),
    ],
)
def test_settings_out_of_range_are_refused(given_: dict[str, object], message: str) -> None:
    with pytest.raises(ConsumerError) as caught:
        RiskSettings(**given_)  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_no_documents_are_an_error() -> None:
    with pytest.raises(ConsumerError, match="risk: scored documents: no documents"):
        risk_of([])


SCORED = [
    profile(PERSON=(2, 0, 0), DATE=(3, 2, 2)),
    profile(PERSON=(1, 1, 0), DATE=(1, 0, 0)),
    profile(AGE=(1, 0, 0)),
    profile(),
]


def test_the_text_says_what_is_known_and_what_is_not() -> None:
    ward = [profile(PERSON=(1,), PHONE=(1,)), profile(DATE=(2,)), profile()]
    risk = risk_of(SCORED, {"ward.yaml": ward}, RiskSettings(hidden={"PERSON": 0.7}, draws=200))
    made = text(risk)
    assert made == (Path(__file__).parent / "risk_report.txt").read_text(encoding="utf-8")


def test_the_page_holds_tables_and_runs_nothing() -> None:
    from caspipe.consumers.scoring.risk_report import risk_page

    page = risk_page(risk_of(SCORED, {"<ward>": [profile(PHONE=(1,)), profile(PERSON=(1,))]}, FEW)).decode()
    assert "<script" not in page and "<ward>" not in page and "&lt;ward&gt;" in page
    assert "default-src &#x27;none&#x27;" in page or "default-src 'none'" in page
    for words in ("Share of documents at risk", "Leaks by kind", "How often kinds occur", "What to know"):
        assert words in page
    assert page.count('<svg class="interval"') == 3 * 3


def test_the_picture_has_a_row_for_everything_and_is_the_same_each_time(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs matplotlib: pip install 'caspipe[plots]'")
    from caspipe.consumers.scoring import plots
    from caspipe.consumers.scoring.risk_report import risk_plot

    risk = risk_of(SCORED, {"ward": [profile(PHONE=(1,)), profile(PERSON=(1,), DATE=(1,))]}, FEW)
    for name in ("a.svg", "b.svg"):
        plots.save(risk_plot(risk), tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    labels = [label.get_text() for label in risk_plot(risk).axes[0].get_yticklabels()]
    assert labels[:3] == ["direct, observed", "direct, expected: scored documents", "direct, expected: ward"]
    assert len(labels) == 9
