"""The engine: boundaries, groups, windows, typographic characters, overlaps, linear time."""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caspipe.annotators.patterns import RuleFile, engine
from caspipe.annotators.patterns.byte_text import plain
from caspipe.annotators.patterns.engine import (
    DIGIT_GATE_SIZE,
    GATE_SIZE,
    OVERLAP,
    WINDOW,
    RuleMatch,
    RuleMatcher,
    outermost,
    value_of,
)
from caspipe.annotators.patterns.gate import head
from caspipe.annotators.patterns.rule import unmark
from caspipe.typesystem import PhiKind

from .rule_files import covered, rule_file

IDENTIFIERS = RuleFile.load("identifiers")
FINDER = IDENTIFIERS.matcher


def found(folder: Path, rule: str, text: str) -> list[str]:
    file = rule_file(folder, f"rules: [{{name: a, kind: ID, {rule}}}]")
    return covered(text, file.matcher.find(text))


@pytest.mark.parametrize(
    ("boundary", "expected"),
    [
        ("word", ["12-34", "78-90", "12-34", "12-34"]),
        ("joined", ["78-90", "12-34"]),
        ("none", ["12-34", "78-90", "12-34", "12-34", "12-34", "12-34"]),
    ],
)
def test_a_match_begins_and_ends_where_the_boundary_allows(tmp_path: Path, boundary: str, expected: list[str]) -> None:
    text = "12-34-5, 78-90. 1.12-34; x12-34, 12-34x and (12-34)"
    assert found(tmp_path, f"pattern: '[0-9]{{2}}-[0-9]{{2}}', boundary: {boundary}", text) == expected


def test_a_match_that_breaks_the_boundary_does_not_hide_the_next(tmp_path: Path) -> None:
    assert found(tmp_path, "pattern: '[a-z]*[0-9]{3}'", "Xab123 ab456 7777 888é 999") == ["ab456", "999"]
    assert found(tmp_path, "pattern: 'b[a-z-]*'", "ab-ab-b x") == ["b"]


def test_letters_outside_ascii_are_letters(tmp_path: Path) -> None:
    assert found(tmp_path, "pattern: '[0-9]{3}'", "é123 123é 123 Ж123 123Ж") == ["123"]


def test_the_group_is_marked_and_the_search_continues_after_it(tmp_path: Path) -> None:
    assert found(tmp_path, "pattern: '(?:^|,)([0-9])(?:,|$)', group: 1", "1,2,3") == ["1", "2", "3"]
    assert found(tmp_path, "pattern: 'no (?P<hit>[0-9]+)?', group: hit", "no no 5") == ["5"]


def test_case_is_exact_unless_the_rule_says_otherwise(tmp_path: Path) -> None:
    assert found(tmp_path, "pattern: 'mrn [0-9]+'", "MRN 5 mrn 6") == ["mrn 6"]
    assert found(tmp_path, "pattern: 'mrn [0-9]+', case: ignore", "MRN 5 mrn 6") == ["MRN 5", "mrn 6"]


def test_typographic_spaces_dashes_and_digits_are_read_as_ascii(tmp_path: Path) -> None:
    text = "😀 12\u00a034\u2011\uff15\u0666 é"
    assert found(tmp_path, "pattern: '12 34-[0-9]{2}'", text) == ["12\u00a034\u2011\uff15\u0666"]
    (hit,) = rule_file(tmp_path, "rules: [{name: a, kind: ID, pattern: '12 34-[0-9]{2}'}]").matcher.find(text)
    assert hit.value == "123456"


@given(st.text(max_size=60))
def test_plain_text_keeps_every_offset(text: str) -> None:
    made = plain(text)
    assert len(made) == len(text)
    assert all(a == b for a, b in zip(text, made, strict=True) if a.isascii())


def test_values_are_normalized_as_the_rule_says() -> None:
    assert value_of("ab-12 Cd", "compact") == "AB12CD"
    assert value_of("ab-12 Cd", "digits") == "12"
    assert value_of("ab-12 Cd", "lower") == "ab-12 cd"
    assert value_of("ab-12 Cd", "text") == "ab-12 Cd"


def test_a_validator_raises_confidence_and_its_failure_vetoes_nothing(tmp_path: Path) -> None:
    rule = "{name: a, kind: ID_CARD, pattern: '[0-9]{16}', confidence: 0.3, validator: luhn, valid_adds: 0.5, otherwise: ID}"
    hits = rule_file(tmp_path, f"rules: [{rule}]").matcher.find("4012888888881881 4012888888881882")
    assert [(h.kind, h.confidence) for h in hits] == [(PhiKind.ID_CARD, 0.8), (PhiKind.ID, 0.3)]


def test_confidence_stays_between_zero_and_one(tmp_path: Path) -> None:
    rule = "{name: a, kind: ID, pattern: '[0-9]', confidence: 0.9, context: [{near: [up], adds: 1}, {near: [down], adds: -1}]}"
    matcher = rule_file(tmp_path, f"rules: [{rule}]").matcher
    assert [h.confidence for h in matcher.find("up 1")] == [1.0]
    assert [h.confidence for h in matcher.find("down 1")] == [0.0]


def hit(begin: int, end: int, confidence: float, rule: str = "r", order: int = 0, list: str = "") -> RuleMatch:
    return RuleMatch(begin, end, rule, None if list else PhiKind.ID, confidence, order, list)


def test_only_matches_inside_more_certain_ones_are_dropped() -> None:
    outer, inner, surer, crossing = hit(0, 9, 0.5), hit(2, 5, 0.5), hit(3, 4, 0.6), hit(8, 12, 0.1)
    assert list(outermost([outer, inner, surer, crossing])) == [outer, surer, crossing]
    twin, sure_twin = hit(0, 3, 0.4), hit(0, 3, 0.6)
    assert list(outermost([sure_twin, twin])) == [sure_twin]
    assert list(outermost([hit(0, 9, 0.9), hit(2, 5, 0.5, list="x")])) == [hit(0, 9, 0.9), hit(2, 5, 0.5, list="x")]


@st.composite
def hits(draw: st.DrawFn) -> list[RuleMatch]:
    spans = draw(
        st.lists(st.tuples(st.integers(0, 30), st.integers(1, 12), st.sampled_from([0.2, 0.5, 0.9])), max_size=12)
    )
    made = [hit(b, b + n, c, order=i) for i, (b, n, c) in enumerate(spans)]
    return sorted(made, key=lambda h: (h.begin, -h.end, -h.confidence, h.order))


@given(hits())
def test_dropping_matches_never_uncovers_a_character(given_hits: list[RuleMatch]) -> None:
    kept = list(outermost(given_hits))
    assert {i for h in kept for i in range(h.begin, h.end)} == {i for h in given_hits for i in range(h.begin, h.end)}


@pytest.mark.parametrize("border", [WINDOW - OVERLAP, WINDOW])
def test_matches_at_the_borders_of_windows_are_found_once(tmp_path: Path, border: int) -> None:
    rule = "{name: a, kind: ID, pattern: 'no[.]? (?P<hit>[0-9]{3} [0-9]{4})', group: hit}"
    matcher = rule_file(tmp_path, f"rules: [{rule}, {{name: b, kind: ID, pattern: '[0-9]{{4}} [0-9]{{4}}'}}]").matcher
    for at in range(border - 24, border + 4):
        text = "é" + "x" * (at - 2) + " no. 555 0199 1234 5678 9012 " + "y" * WINDOW
        assert covered(text, matcher.find(text)) == ["555 0199", "0199 1234", "5678 9012"]


def test_a_long_text_gives_the_matches_of_its_pieces() -> None:
    line = "Seen 3/4/2021, MRN 1234567, call 617-555-0199 or +44 20 7946 0123; é 1234 Elm Street, jane@example.org.\n"
    one = [(h.begin, h.end, h.rule) for h in FINDER.find(line)]
    many = [(h.begin, h.end, h.rule) for h in FINDER.find(line * 700)]
    assert many == [(i * len(line) + b, i * len(line) + e, rule) for i in range(700) for b, e, rule in one]


PIECES = st.sampled_from(
    "617-555-0199|MRN 12345|@|.com|é|12|-|.| |\n|(|:|John|Street|SSN|536-22-1234|IL|0|x|://|www.|4012888888881881|ext".split(
        "|"
    )
)


@given(st.lists(st.one_of(PIECES, st.text(max_size=3)), max_size=15).map("".join))
@settings(max_examples=150, deadline=None)
def test_no_match_begins_or_ends_inside_a_run_of_letters_or_digits(text: str) -> None:
    free = {r.name for r in IDENTIFIERS.rules if r.boundary == "none"}
    for h in FINDER.find(text):
        assert 0 <= h.begin < h.end <= len(text)
        if h.rule not in free:
            assert not (h.begin and text[h.begin - 1].isalnum() and text[h.begin].isalnum())
            assert not (h.end < len(text) and text[h.end - 1].isalnum() and text[h.end].isalnum())


@given(st.text(max_size=40))
@settings(max_examples=100, deadline=None)
def test_the_same_text_gives_the_same_matches(text: str) -> None:
    assert FINDER.find(text) == FINDER.find(text)


def seconds(pattern_file: RuleFile, text: str) -> float:
    best = 1e9
    for _ in range(3):
        start = time.thread_time()
        pattern_file.matcher.find(text)
        best = min(best, time.thread_time() - start)
    return best


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["ab-", "1.", "a@", "b", "1 ", "x.y"])
def test_time_grows_linearly_with_the_text(tmp_path: Path, unit: str) -> None:
    file = rule_file(
        tmp_path,
        r"rules: [{name: a, kind: ID, patterns: ['b[a-z-]*', '(?:[0-9]+\.)+x', '[a-z.]+@[a-z.]+\.[a-z]+', '(?:x.?)*y.*z']}]",
    )
    file.matcher.find(unit * 1000)
    small, large = seconds(file, unit * (40_000 // len(unit))), seconds(file, unit * (160_000 // len(unit)))
    assert large < 4 * 2.5 * max(small, 0.002)  # linear is 4, quadratic 16


def test_a_match_longer_than_a_window_is_found_whole(tmp_path: Path) -> None:
    text = "x " * 1000 + "https://example.org/" + "a" * 5000 + " y" * 5000
    assert [h.end - h.begin for h in FINDER.find(text)] == [5020]
    text = "x " * 1000 + "https://example.org/" + "é" * 3000 + " y" * 5000
    assert [h.end - h.begin for h in FINDER.find(text)] == [3020]


EXAMPLES = [line for rule in IDENTIFIERS.rules for line, _ in (*rule.examples, *rule.counter_examples)]


@cache
def _each_alone() -> RuleMatcher:
    """Return a matcher of the shipped rules with one combined pass for each pattern."""
    with mock.patch.multiple(engine, GATE_SIZE=1, DIGIT_GATE_SIZE=1):
        return RuleMatcher(IDENTIFIERS.rules, IDENTIFIERS.deny, IDENTIFIERS.allow)


@given(st.lists(st.sampled_from(EXAMPLES), min_size=1, max_size=6), st.sampled_from(["\n", " ", ", ", ""]))
@settings(max_examples=60, deadline=None)
def test_the_grouping_of_patterns_changes_no_match(lines: list[str], joint: str) -> None:
    text = joint.join(unmark(line)[0] for line in lines)
    assert FINDER.find(text) == _each_alone().find(text)


def test_every_pattern_is_in_one_pass() -> None:
    numbers = sorted(n for group, _ in FINDER.gates for n in group)
    assert numbers == list(range(len(FINDER.compiled)))
    assert max(len(group) for group, _ in FINDER.gates) <= max(GATE_SIZE, DIGIT_GATE_SIZE)


def test_few_patterns_that_begin_with_a_digit_share_a_pass() -> None:
    figures = [g for g, _ in FINDER.gates if {head(FINDER.compiled[n][2].pattern) for n in g} == {"digit"}]
    assert len(figures) > 1
    assert max(map(len, figures)) <= DIGIT_GATE_SIZE


PIECES = (
    "call 617-555-0134, MRN 00417732, 12 Oak Street Springfield, IL 62704 a@b.org fax: 10.0.0.1 on 078-05-1120".split(
        " "
    )
)


@given(st.lists(st.sampled_from([*PIECES, "12", "at", "x", "\n"]), max_size=14).map(" ".join))
def test_a_search_for_kinds_gives_the_matches_of_these_kinds(text: str) -> None:
    for kinds in ((PhiKind.ID, PhiKind.PHONE), (PhiKind.EMAIL,), (PhiKind.LOCATION,), (PhiKind.DATE,)):
        all_kinds = [m for m in FINDER.find(text) if m.kind is not None and any(map(m.kind.is_a, kinds))]
        assert FINDER.find(text, kinds=kinds) == all_kinds


def test_a_search_for_other_kinds_does_not_search_for_places() -> None:
    with mock.patch.object(RuleMatcher, "_search", return_value=0) as search:
        FINDER.find("12 Oak Street, Springfield, IL 62704", kinds=(PhiKind.EMAIL,))
    assert not search.called
    gates = [
        numbers for numbers, _ in FINDER.gates if any(FINDER.compiled[n][0].kind is PhiKind.EMAIL for n in numbers)
    ]
    assert len(gates) < len(FINDER.gates) / 4
