"""Noise: what it does to text, and what it leaves alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from caspipe.readers.synthetic.draws import Draws
from caspipe.readers.synthetic.library import Layout
from caspipe.readers.synthetic.noise import Abbreviations, roughen, slip
from caspipe.readers.synthetic.pieces import Piece, join

SHORT = Abbreviations([("patient", "pt"), ("history of", "h/o"), ("history", "hx")])
PIECES: list[Piece] = [
    ("The patient, ", ""), ("Ann Smith", "PERSON_PATIENT"), (", was seen on ", ""), ("3/4/2020", "DATE"),
    (" by Dr. ", ""), ("O'Brien", "PERSON_DOCTOR"), (". History of asthma; no fever.\nPlan: rest, fluids.\n", ""),
]  # fmt: skip


def always(**shares: float) -> Layout:
    none = {"upper": 0.0, "lower": 0.0, "wrap": 0.0, "flat": 0.0, "short": 0.0}
    return Layout("x", **{**none, **shares})


def test_no_noise_changes_nothing() -> None:
    assert roughen(PIECES, Draws(1, 1, "noise"), 0.0, always(upper=1, wrap=1), SHORT) == PIECES


def test_abbreviations_keep_the_capital_and_take_the_longest() -> None:
    texts = {SHORT.apply("History of gout. The patient", Draws(1, n, "noise")) for n in range(30)}
    assert texts == {
        "H/o gout. The pt",
        "History of gout. The pt",
        "H/o gout. The patient",
        "History of gout. The patient",
    }


def test_documents_in_capitals_or_small_letters() -> None:
    upper = join(roughen(PIECES, Draws(1, 3, "noise"), 0.3, always(upper=1), SHORT))[0]
    lower = join(roughen(PIECES, Draws(1, 3, "noise"), 0.3, always(lower=1), SHORT))[0]
    assert upper == upper.upper()
    assert lower == lower.lower()


@given(st.integers(0, 10**6))
def test_line_ends_change_one_for_one(number: int) -> None:
    wrapped = roughen(PIECES * 4, Draws(1, number, "noise"), 0.3, always(wrap=4), SHORT)
    flat = roughen(PIECES * 4, Draws(1, number, "noise"), 0.3, always(flat=4), SHORT)
    assert join(wrapped)[0].replace("\n", " ") == join(flat)[0].replace("\n", " ")
    assert join(wrapped)[1] == join(flat)[1]
    assert "\n" not in join(flat)[0].rstrip("\n")
    assert max(map(len, join(wrapped)[0].split("\n"))) <= 112


@given(st.text("abcXYZ 0-'", min_size=2, max_size=12), st.integers(0, 1000))
def test_a_slip_is_one_edit(text: str, number: int) -> None:
    draws = Draws(1, number, "slip")
    at = draws.below(len(text) - 1)
    slipped = slip(text, at, draws)
    assert OSA.distance(text, slipped) <= 1
    if not text[at].isalpha():
        assert slipped == text


def test_every_sort_of_noise_happens() -> None:
    texts = [join(roughen(PIECES, Draws(1, n, "noise"), 1.0, always(), SHORT))[0] for n in range(600)]
    assert any("  " in t for t in texts)
    assert any(".Hist" in t or ".H" in t for t in texts)
    assert any("\u2019" in t for t in texts)
    assert any("smith" in t for t in texts)
    assert any("Smith" not in t and "SMITH" not in t and "smith" not in t for t in texts)
    assert any("seen on3/4/2020" in t for t in texts)
