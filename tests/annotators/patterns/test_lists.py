"""Deny and allow lists: any case, spaces and dashes; never inside words."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.patterns.lists import StringList, pieces
from caspipe.typesystem import PhiKind

from .rule_files import covered, rule_file


@pytest.mark.parametrize(
    ("entry", "text", "expected"),
    [
        ("St. Elsewhere", "at ST ELSEWHERE and st.  elsewhere", ["ST ELSEWHERE", "st.  elsewhere"]),
        ("St. Elsewhere", "St.\nElsewhere", ["St.\nElsewhere"]),
        ("Ward K-9", "ward k9, Ward K 9, Ward K–9", ["ward k9", "Ward K 9", "Ward K–9"]),
        ("K9", "K99, AK9, K9a, K 9", ["K 9"]),
        ("Müller", "MÜLLER, Mullers", ["MÜLLER"]),
        ("Straße", "STRASSE", ["STRASSE"]),
        ("a b", "a x b", []),
        ("a b", "a ..... b", []),
        ("???", "???", []),
    ],
)
def test_strings_are_found_in_any_spelling(entry: str, text: str, expected: list[str]) -> None:
    assert [text[b:e] for b, e, _ in StringList([(entry, 0)]).find(text)] == expected


def test_the_longest_string_wins_and_hits_are_disjoint() -> None:
    strings = StringList([("New York", 0), ("New York City", 1), ("York", 2), ("City Hall", 3)])
    text = "New York City Hall, New York, York"
    assert [(text[b:e], n) for b, e, n in strings.find(text)] == [("New York City", 1), ("New York", 0), ("York", 2)]


@given(st.text("aB1- .", min_size=1, max_size=8), st.text("aB1- .,", max_size=20))
def test_a_match_is_always_a_spelling_of_the_string(entry: str, text: str) -> None:
    for begin, end, _ in StringList([(entry, 0)]).find(text):
        assert pieces(text[begin:end]) == pieces(entry)


def test_a_deny_list_marks_and_an_allow_list_removes(tmp_path: Path) -> None:
    (tmp_path / "staff.txt").write_text("# our people\nAnna Berg\n\nJ. Roe\n", encoding="utf-8")
    file = rule_file(
        tmp_path,
        """\
        rules:
          - {name: number, kind: PHONE, pattern: '[0-9]{3}-[0-9]{3}-[0-9]{4}'}
        deny:
          - {name: staff, kind: PERSON_DOCTOR, files: staff.txt, strings: [4711]}
        allow:
          strings: [800-822-7967, Roe]
          patterns: ['999-[0-9]{3}-[0-9]{4}']
        """,
    )
    text = "ANNA BERG and J. Roe, 617-555-0199, 800 822 7967, 800-822-7967, 999-555-0199, 4711"
    hits = file.matcher.find(text)
    assert covered(text, hits) == ["ANNA BERG", "J. Roe", "617-555-0199", "4711"]
    assert [h.kind for h in hits] == [
        PhiKind.PERSON_DOCTOR,
        PhiKind.PERSON_DOCTOR,
        PhiKind.PHONE,
        PhiKind.PERSON_DOCTOR,
    ]
    assert hits[0].rule == "staff" and hits[0].confidence == 1.0


def test_an_allowed_string_covers_the_matches_inside_it(tmp_path: Path) -> None:
    file = rule_file(
        tmp_path,
        """\
        rules: [{name: number, kind: ID, pattern: '[0-9]{5}'}]
        allow: {strings: ['Poison line 12345']}
        """,
    )
    text = "poison line 12345 but 12345"
    assert [h.begin for h in file.matcher.find(text)] == [22]
