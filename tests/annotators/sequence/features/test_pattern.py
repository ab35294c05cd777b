"""Shapes over several tokens."""

from __future__ import annotations

import time
from typing import Any

import pytest

from caspipe.annotators.sequence.features.pattern import RegexClass, shapes


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("mail ana.b@example.org.", [("EMAIL", "ana.b@example.org")]),
        ("josé@exämple.org", [("EMAIL", "josé@exämple.org")]),
        ("see http://x.example/z?a=1.", [("URL", "http://x.example/z?a=1")]),
        ("WWW.example.org, now", [("URL", "WWW.example.org")]),
        ("on 3/4/2020 10:30", [("DATE", "3/4/2020"), ("TIME", "10:30")]),
        ("2020-04-03", [("DATE", "2020-04-03")]),
        ("3.4.20.", [("DATE", "3.4.20")]),
        ("٣/٤/٢٠٢٠", [("DATE", "٣/٤/٢٠٢٠")]),
        ("at 23:59:59", [("TIME", "23:59:59")]),
        ("10.1.2.3", [("IP", "10.1.2.3")]),
        ("call 555-0123-456", [("PHONE", "555-0123-456")]),
        ("call 555-0123", [("PHONE", "555-0123")]),
        ("+34 91 123 45 67", [("PHONE", "+34 91 123 45 67")]),
        ("(020) 7946 0000", [("PHONE", "(020) 7946 0000")]),
        ("555-0123 120/80", [("PHONE", "555-0123")]),
        ("5-10 days", [("RANGE", "5-10")]),
        ("2010–2014", [("RANGE", "2010–2014")]),
        ("by J. K. and A.B.C.", [("INITIALS", "J. K."), ("INITIALS", "A.B.C.")]),
        ("J.Smith", [("INITIALS", "J.")]),
        ("Ö. left", [("INITIALS", "Ö.")]),
        (
            "[**Name 12**] is XXXX aged ___ <NAME>",
            [("PLACEHOLDER", p) for p in ("[**Name 12**]", "XXXX", "___", "<NAME>")],
        ),
    ],
)
def test_what_has_a_shape(text: str, found: list[tuple[str, str]]) -> None:
    assert [(kind, text[b:e]) for b, e, kind in shapes(text)] == found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain words only",
        "at @ home",
        "a@b",
        "awww.x",
        "xhttp://y",
        "45",
        "1.5",
        "120/80",
        "3/4",
        "3/4.2020",
        "1 2 3",
        "v1.2.3x",
        "p.m.",
        "end OK.",
        "XX",
        "maxxxx",
        "Xxxtra",
        "a_b",
        "<b>",
        "[**" + "y" * 61 + "**]",
        "1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6"[:11],
        "12345678901234567 8 9",
    ],
)
def test_near_misses(text: str) -> None:
    assert shapes(text) == []


def test_the_first_token_of_a_shape_is_told_from_the_others(column: Any) -> None:
    assert column(RegexClass(), "on 3/4/2020 .") == [
        ("3", "B-DATE"),
        ("/", "I-DATE"),
        ("4", "I-DATE"),
        ("/", "I-DATE"),
        ("2020", "I-DATE"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        "1/1/2020,",
        "1.1.2020-",
        "1 ",
        "a",
        "_",
        "a.",
        "A.",
        "@",
        "a@a.",
        "http://",
        "[**",
        "<A",
        "x",
        "+1(",
        "()",
        "1-",
        "é.",
        "X" * 63 + "1",
    ],
)
def test_time_is_linear_in_the_text(piece: str) -> None:
    def seconds(n: int) -> float:
        text = piece * (n // len(piece))
        best = 9.0
        for _ in range(3):
            start = time.perf_counter()
            shapes(text)
            best = min(best, time.perf_counter() - start)
        return best

    assert seconds(80_000) < 16 * seconds(20_000) + 0.05
