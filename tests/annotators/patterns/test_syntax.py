"""Fragments, verbose patterns, and explanations of invalid patterns."""

from __future__ import annotations

import pytest

from caspipe.annotators.patterns.syntax import PatternError, compile_pattern, expand


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("a{digits}b", "a(?:[0-9]{2,3})b"),
        ("[{digits}]", "[{digits}]"),
        (r"\{digits}", r"\{digits}"),
        (r"\p{Lu}{2}\x{e9}", r"\p{Lu}{2}\x{e9}"),
        ("{both}", "(?:(?:[0-9]{2,3})-x y)"),
        ("no. #5", "no. #5"),
        ("a\n  b # {unknown} here\n c[ #]", "abc[ #]"),
        ("a\\ b\n", "a\\ b"),
        ("\\#\n", "\\#"),
        ("[]] {verbose}", "[]] (?:xy)"),
    ],
)
def test_fragments_are_inserted_and_verbose_patterns_lose_their_spaces(pattern: str, expected: str) -> None:
    fragments = {"digits": "[0-9]{2,3}", "both": "{digits}-x y", "verbose": "x # comment\n y"}
    assert expand(pattern, fragments) == expected


def test_an_unknown_fragment_is_named_with_the_nearest() -> None:
    with pytest.raises(PatternError, match=r"^no fragment called digit; did you mean digits\?$"):
        expand("{digit}", {"digits": "[0-9]"})


def test_a_fragment_that_contains_itself_is_rejected() -> None:
    with pytest.raises(PatternError, match=r"^fragment a contains itself: a > b > a$"):
        expand("{a}", {"a": "x{b}", "b": "{a}"})


REFUSED = {
    "a(?=b)": "look-ahead `(?=` is not supported: mark a `group` and write what follows behind it, or use `after` context",
    "a(?!b)": "negative look-ahead `(?!` is not supported: use `not_after` context or a `filter`",
    "(?<=a)b": "look-behind `(?<=` is not supported: mark a `group` and write what precedes in front of it, "
    "or use `before` context",
    "(?<!a)b": "negative look-behind `(?<!` is not supported: use `not_before` context or a `filter`; "
    "`boundary` keeps hits off words already",
    r"(a)\1": r"back-reference \1 is not supported: write the alternatives out, or use a `validator`",
    "(?P<x>a)(?P=x)": "back-reference `(?P` is not supported: write the alternatives out, "
    "or a `validator` that compares the parts",
    "a++": "possessive quantifier `++` is not supported: write the plain one: matching takes linear time anyway",
    "(?>a)": "atomic group `(?>` is not supported: write `(?:`: matching takes linear time anyway",
    "a{1,1001}": "repeat {1,1001} counts to more than 1000 (nested repeats multiply): write `+` or `*`, or a smaller bound",
    "a{3,2}": "repeat {3,2} has its bounds in the wrong order",
    r"a\Z": r"escape \Z is not supported: write `\z` for the end of the text",
    r"\u00e9": r"escape \u is not supported: write `\x{...}` for a code point",
    "(?x)a": "`(?x` is not supported: use `case: ignore`, or `(?i:...)`",
    "[a": "missing ]: [a",
    "a)": "unexpected ): a)",
}


@pytest.mark.parametrize("pattern", REFUSED)
def test_syntax_that_re2_rejects_is_explained_with_an_alternative(pattern: str) -> None:
    with pytest.raises(PatternError) as caught:
        compile_pattern(pattern)
    assert str(caught.value) == REFUSED[pattern]
