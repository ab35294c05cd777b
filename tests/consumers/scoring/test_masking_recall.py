"""Masking recall without tokens that tell nothing, counted by hand."""

from __future__ import annotations

from caspipe.consumers.scoring import Mark, Pair, score
from caspipe.typesystem.tokenize import token_spans

TEXT = "Aged 34 years old, on the 1st of March; two years."


def counted(system: list[tuple[int, int]]) -> tuple[int | None, int | None]:
    begins, ends = token_spans(TEXT)
    gold = [Mark(0, 17, "AGE"), Mark(26, 38, "DATE")]
    marks = [Mark(begin, end, "OTHER") for begin, end in system]
    pair = Pair("one", TEXT, gold, marks, (list(begins), list(ends)))
    (whole,) = (r for r in score([pair], criteria=["masking-telling"]).table if r.kind == "micro")
    return whole.gold, whole.tp


def test_units_and_words_of_grammar_do_not_count_beside_others() -> None:
    assert TEXT[0:17] == "Aged 34 years old"
    assert TEXT[26:38] == "1st of March"
    assert counted([(5, 7), (26, 29), (33, 38)]) == (3, 3)


def test_what_tells_must_be_masked() -> None:
    assert counted([(0, 4), (8, 17)]) == (3, 0)


def test_a_span_of_such_words_alone_counts_as_a_whole() -> None:
    begins, ends = token_spans(TEXT)
    pair = Pair("one", TEXT, [Mark(44, 49, "AGE")], [], (list(begins), list(ends)))
    assert TEXT[44:49] == "years"
    (whole,) = (r for r in score([pair], criteria=["masking-telling"]).table if r.kind == "micro")
    assert (whole.gold, whole.tp) == (1, 0)
