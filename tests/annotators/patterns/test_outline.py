"""The outline of a pattern: it occurs wherever the pattern occurs, and differs little from those of other patterns."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caspipe.annotators.patterns import RuleFile
from caspipe.annotators.patterns.outline import DIGIT, LETTER, outline
from caspipe.annotators.patterns.rule import unmark
from caspipe.annotators.patterns.syntax import compile_pattern


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("[A-Z]{2}-?0[1-9]{3}mg", f"{LETTER}+-?{DIGIT}{DIGIT}{{3}}{LETTER}+"),
        ("(?P<hit>[2-9][a-z]?x*)(?i:k{0,2})", f"(?P<hit>{DIGIT}{LETTER}*)(?i:{LETTER}*)"),
        (r"\d[-. ](?:a|b)\b", rf"\d[\x20\x2d\x2e](?:{LETTER}+|{LETTER}+)\b"),
        (r"[0-9A-F]{4}", rf"[0-9{LETTER[1:-1]}]{{4}}"),
        (r"\pL{2}5", r"\pL{2}5"),
        (r"\Qab\E", r"\Qab\E"),
        (r"\x{b0}é", r"\x{b0}é"),
        (r"[/é]", r"[\x2f\x{80}-\x{10ffff}]"),
    ],
)
def test_an_outline_has_letters_digits_and_signs(pattern: str, expected: str) -> None:
    assert outline(pattern) == expected


IDENTIFIERS = RuleFile.load("identifiers")


def test_the_outline_of_a_rule_occurs_in_its_examples() -> None:
    for rule in IDENTIFIERS.rules:
        for pattern in rule.patterns:
            shape = compile_pattern(outline(pattern.pattern))
            for line, _ in (*rule.examples, *rule.counter_examples):
                text = unmark(line)[0]
                assert shape.search(text) or not pattern.search(text), f"{rule.file}:{rule.line}"


PIECES = st.sampled_from(
    [
        "a",
        "Z",
        "7",
        "[ab]?",
        "[^a]",
        "[0-9]{2}",
        "(?i:s)",
        "(?i:[k])",
        r"\W",
        r"\S",
        "(?:ab|c)?",
        "a{0,2}",
        "-",
        "[-/]",
        "é",
    ]
)


@given(st.lists(PIECES, min_size=1, max_size=4), st.text("abcsSkKZ7-/ éſK\u212a", max_size=10))
@settings(max_examples=400, deadline=None)
def test_an_outline_occurs_wherever_the_pattern_occurs(pieces: list[str], text: str) -> None:
    pattern = "".join(pieces)
    if compile_pattern(pattern).search(text) is not None:
        assert compile_pattern(outline(pattern)).search(text) is not None
