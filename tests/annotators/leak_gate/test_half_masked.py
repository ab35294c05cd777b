"""The borders of masked spans tell whether a divided word can be masked in part: the result is that of the whole search."""

from __future__ import annotations

import re
from unittest.mock import patch

from hypothesis import example, given
from hypothesis import strategies as st

from caspipe.annotators.leak_gate import half_masked_words
from caspipe.annotators.leak_gate.divided_words import ValueWords
from caspipe.annotators.leak_gate.half_masked_words import find_half_masked
from caspipe.annotators.leak_gate.masked_values import MaskedValue
from caspipe.annotators.names.words import Words
from caspipe.typesystem import MaskedSpan, PhiKind

WORDS = Words.load("english")
NAMES = ["Zorblatt", "Jane Zorblatt", "Quellmore", "Ann", "Müller", "Jo Li", "Emszley"]
TABLE = ValueWords([MaskedValue(PhiKind.PERSON, name) for name in NAMES], WORDS)
PIECES = [
    *"zorb latt Zorblatt JaneZorblatt Quell more mul ler Mü ann an n Z o r b l i Jo Zor blatts 1 s @ ! - * . | <b> [b]".split(),
    *(
        " ",
        " ",
        "  ",
        "\n> ",
        "\n12: ",
        "\xa0",
        "&nbsp;",
        "%5A",
        "=5A",
        "\\u005a",
        "О",
        "\u00ad",
        "ﬁ",
        "²",
        "ʼ",
        "_",
        "'",
    ),
]


def span(begin: int, end: int) -> MaskedSpan:
    return MaskedSpan(begin, end, kind=PhiKind.PERSON, operator="redact", original_begin=begin, original_end=end)


texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=14).map("".join)


@given(texts, st.lists(st.integers(0, 60), max_size=6))
@example("Zorb-latt", [0, 4])
@example("seen: Zorb\n12: latt", [6, 10, 15, 19])
@example("Z o r b l a t t", [0, 7])
@example("Zor-blatts", [0, 9])
@example("Zorb!att", [0, 4])
@example("jzorblatt99", [1, 9])
@example("Zor%62latt", [0, 3])
@example("Zor&#98;latt", [0, 3])
@example("Zor[b]blatt", [0, 3])
@example("JaneZorblatt", [0, 4])
@example("Jane Zorblatt", [0, 4])
def test_the_result_is_that_of_the_whole_search(text: str, bounds: list[int]) -> None:
    cut = sorted({min(bound, len(text)) for bound in bounds})
    pairs = zip(cut[::2], cut[1::2], strict=False)
    spans = [span(b, e) for b, e in pairs]
    short = list(find_half_masked(text, spans, TABLE))
    with patch.object(half_masked_words, "may_cross", lambda *_: True):
        assert list(find_half_masked(text, spans, TABLE)) == short


def test_most_notes_are_not_searched() -> None:
    text = "Jane Zorblatt was seen by Dr. Emszley for 45% of the visits at Quellmore; Ann and Jo Li left."
    spans = [span(m.start(), m.end()) for m in re.finditer("Jane Zorblatt|Emszley|Quellmore|Ann|Jo Li", text)]
    with patch.object(half_masked_words, "find_divided_words") as search:
        assert list(find_half_masked(text, spans, TABLE)) == []
    search.assert_not_called()
