"""The combined pass: without optional tails, and without missing a pattern."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caspipe.annotators.patterns import RuleFile
from caspipe.annotators.patterns.gate import Gate, broadened, head, without_head, without_tail
from caspipe.annotators.patterns.syntax import compile_pattern


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("ab(?:c(d)?e*)", "ab(?:c)"),
        ("a|b?", "a|b?"),
        ("(?:a|b(c|d)?)(?:e)?", "(?:a|b)"),
        ("(?i:a(?:b|cd?)?)", "(?i:a)"),
        ("(?P<hit>[0-9]{3}(?: x[0-9]+)?)", "(?P<hit>[0-9]{3})"),
        (r"a\)?", "a"),
        (r"a\[b]?", r"a\[b"),
        ("x{0,3}y{0,2}", "x{0,3}y{0,2}"),
        ("(?i)ab?", "(?i)ab?"),
        (r"\Q(\Ea?", r"\Q(\E"),
        ("a+b{2}", "a+b{2}"),
        ("a(b", "a(b"),
        ("(?P<h>[\\p{L})]+(?:x)?)", "(?P<h>[\\p{L})]+)"),
    ],
)
def test_optional_elements_at_the_end_are_cut(pattern: str, expected: str) -> None:
    assert without_tail(pattern) == expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("(?:c(d)?e*)?ab", "ab"),
        ("a?|bc", "a?|bc"),
        ("(?:a?b|c{0,3}d)e", "(?:b|d)e"),
        (r"(?:\+|\b00)?\b1[-. ]", r"\b1[-. ]"),
        ("(?P<hit>(?:x )?[0-9]{3})", "(?P<hit>[0-9]{3})"),
        ("(?:a?b)+c", "(?:a?b)+c"),
        ("(?i)a?b", "(?i)a?b"),
    ],
)
def test_optional_elements_at_the_beginning_are_cut(pattern: str, expected: str) -> None:
    assert without_head(pattern) == expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("[a-z]{2,20}x{0,3}y{1,4}z{3}w", "[a-z]{2,}x*y+z{3}w"),
        (r"[{1,2}]\{1,2}\x{c0}\pL{1,2}a", r"[{1,2}]\{1,2}\x{c0}\pL+a"),
        (r"\Q{1,2}\E{1,2}?a", r"\Q{1,2}\E+a"),
        ("b{0,2}(?:a{2,3}c)d{0,3}", "(?:a{2,}c)"),
    ],
)
def test_repeats_have_no_upper_bound_in_the_combined_pass(pattern: str, expected: str) -> None:
    assert broadened(pattern) == expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"(?i:\b(?:tele)?phones?\b)", "word"),
        ("(?:^|\\b)(?P<hit>mrn)", "word"),
        (r"\b[0-9]{3}", "digit"),
        ("(?P<hit>[2-9])", "digit"),
        (r"\d+", "digit"),
        ("12", "digit"),
        ("[A-Z0-9]{3}", "other"),
        (r"\+1", "other"),
        ("(?:[^0-9]|^)7", "other"),
        ("", "other"),
    ],
)
def test_patterns_are_classified_by_their_beginning(pattern: str, expected: str) -> None:
    assert head(pattern) == expected


PIECES = st.sampled_from(
    ["a", "b", "[ab]", "a?", "b*", "(?:ab)?", "(a|b?)", "(?:a|b(?:a)?)", "a{0,2}", "b{2}", "b{1,2}", "(?P<x>a)"]
)


@given(st.lists(PIECES, min_size=1, max_size=4), st.text("ab ", max_size=12))
@settings(max_examples=300, deadline=None)
def test_a_cut_pattern_matches_wherever_the_pattern_matches(pieces: list[str], text: str) -> None:
    pattern = "".join(pieces)
    if pattern.count("(?P<x>") < 2 and compile_pattern(pattern).search(text) is not None:
        for cut in (without_tail(pattern), without_head(pattern), broadened(pattern)):
            assert compile_pattern(cut).search(text) is not None


def test_the_gate_passes_every_pattern_that_occurs() -> None:
    gate = Gate(["abc(?:d)?", "[0-9]{3}", "x"])
    assert list(gate.occurring(b"abc 12")) == [0]
    assert list(gate.occurring(b"123 x")) == [1, 2]
    assert list(gate.occurring(b"")) == []


def test_a_gate_without_memory_passes_every_pattern() -> None:
    gate = Gate(["a", "b"])
    gate.automaton = Silent()
    assert list(gate.occurring(b"zzz")) == [0, 1]


class Silent:
    """Returns nothing, like re2 if its automaton does not fit into memory."""

    def Match(self, piece: bytes) -> None:
        return None


def test_no_example_of_a_shipped_rule_is_lost_in_the_gate() -> None:
    rules = RuleFile.load("identifiers")
    assert not rules.faults()  # examples run through the gate
