"""The matcher against a plain search through all phrases, and by example."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.lexicon import Lexicon
from caspipe.annotators.lexicon.match import SKIP_RUN, SKIP_TOTAL, LexiconMatch, Matcher, singulars
from caspipe.annotators.lexicon.normalization import tokens_of
from caspipe.annotators.lexicon.term import Term, TermSource

Span = tuple[int, int, str]


def lexicon(*terms: str | Term, name: str = "own") -> Lexicon:
    """A lexicon of `form` or `form=GROUP` strings or of terms."""
    made = [t if isinstance(t, Term) else Term(*t.partition("=")[::2]) for t in terms]
    return Lexicon.of(TermSource(name, iter(made)))


def found(matcher: Matcher, text: str) -> list[str]:
    tokens = tokens_of(text)
    return [" ".join(tokens[h.first : h.last]) for h in matcher.find(tokens)]


WORDS = st.sampled_from(["ache", "back", "pain", "left", "B12", "ALL", "all", "o"])
PHRASE = st.lists(WORDS, min_size=1, max_size=4)
TERMS = st.lists(st.tuples(PHRASE, st.sampled_from(["G", "H"])), min_size=1, max_size=8)
TEXT = st.lists(st.one_of(WORDS, st.sampled_from([",", "x"])), max_size=20)


def spans(hits: list[LexiconMatch]) -> list[Span]:
    return [(h.first, h.last, h.entry.group) for h in hits]


def agrees(phrase: list[str], tokens: list[str]) -> bool:
    """The abbreviation rule, written anew: capitals and codes must match as they are, other words in any case."""
    exact = {"B12", "ALL"}
    return [w if w in exact else w.lower() for w in phrase] == [
        t if w in exact else t.lower() for w, t in zip(phrase, tokens, strict=True)
    ]


def every_span(terms: list[tuple[list[str], str]], tokens: list[str]) -> set[Span]:
    return {
        (i, i + len(phrase), group)
        for phrase, group in terms
        for i in range(len(tokens) - len(phrase) + 1)
        if agrees(phrase, tokens[i : i + len(phrase)])
        and (len(phrase) > 1 or phrase[0] not in ("B12", "ALL") or phrase[0] == tokens[i])
    }


def shouted(phrase: list[str]) -> bool:
    """A phrase all in capitals says nothing about case."""
    return len(phrase) > 1 and " ".join(phrase).isupper()


@given(TERMS, TEXT)
def test_every_phrase_is_found_and_nothing_else(terms: list[tuple[list[str], str]], tokens: list[str]) -> None:
    terms = [(phrase, group) for phrase, group in terms if not shouted(phrase)]
    own = Lexicon.of(TermSource("own", iter([Term(" ".join(phrase), group) for phrase, group in terms])))
    hits = Matcher(own, longest="none", plurals=False).find(tokens)
    assert set(spans(hits)) == every_span(terms, tokens)
    assert len(hits) == len(set(spans(hits)))


@given(TERMS, TEXT)
def test_the_longest_of_a_group_holds_every_other_of_it(terms: list[tuple[list[str], str]], tokens: list[str]) -> None:
    own = Lexicon.of(TermSource("own", iter([Term(" ".join(phrase), group) for phrase, group in terms])))
    every = set(spans(Matcher(own, longest="none").find(tokens)))
    inside_group = {a for a in every if any(b != a and b[2] == a[2] and b[0] <= a[0] and a[1] <= b[1] for b in every)}
    assert set(spans(Matcher(own, longest="group").find(tokens))) == every - inside_group
    inside_any = {a for a in every if any(b[:2] != a[:2] and b[0] <= a[0] and a[1] <= b[1] for b in every)}
    assert set(spans(Matcher(own, longest="all").find(tokens))) == every - inside_any


def with_gaps(phrase: list[str], tokens: list[str]) -> set[tuple[int, int]]:
    """Every span in which the phrase's tokens stand in order, with gaps no longer than cTAKES allows."""
    ends: set[tuple[int, int]] = set()

    def step(first: int, at: int, word: int, left: int) -> None:
        if word == len(phrase):
            ends.add((first, at))
            return
        for gap in range((SKIP_RUN if word else 0) + 1):
            if gap <= left and at + gap < len(tokens) and tokens[at + gap].lower() == phrase[word].lower():
                step(first, at + gap + 1, word + 1, left - gap)

    for start in range(len(tokens)):
        step(start, start, 0, SKIP_TOTAL)
    return ends


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=4), st.lists(st.sampled_from("abcx"), max_size=12))
def test_skipping_finds_what_a_plain_search_with_gaps_finds(phrase: list[str], tokens: list[str]) -> None:
    own = lexicon(Term(" ".join(phrase), "G"))
    hits = Matcher(own, longest="none", skip=True).find(tokens)
    assert {(h.first, h.last) for h in hits} == with_gaps(phrase, tokens)


def test_a_gap_lowers_the_confidence_and_ends_at_a_sentence() -> None:
    matcher = Matcher(lexicon("blood culture=LAB_PROCEDURE"), skip=True)
    tokens = tokens_of("blood, urine, sputum cultures; blood and culture")
    assert [(h.first, h.last, round(h.confidence, 3)) for h in matcher.find(tokens)] == [(7, 10, 0.9)]
    assert matcher.find(tokens, breaks={9}) == []


@pytest.mark.parametrize(
    ("term", "text", "expected"),
    [
        ("Guillain-Barré syndrome", "GUILLAIN–BARRÉ SYNDROME", ["GUILLAIN–BARRÉ SYNDROME"]),
        ("Guillain-Barré syndrome", "Guillain Barré syndrome", ["Guillain Barré syndrome"]),
        ("follow up visit", "a follow-up visit", ["follow-up visit"]),
        ("heart attack", "heart-attack like", ["heart-attack"]),
        ("heart", "heart-attack", []),
        ("Crohn's disease", "Crohn’s disease", ["Crohn ’s disease"]),
        ("Crohn's disease", "Crohn disease", ["Crohn disease"]),
        ("St. Vitus dance", "St Vitus dance", ["St Vitus dance"]),
        ("COVID-19", "COVID-19 COVID 19 Covid-19", ["COVID - 19", "COVID 19"]),
        ("covid 19", "Covid-19", ["Covid - 19"]),
        ("type 2 diabetes", "Type-2 diabetes", ["Type - 2 diabetes"]),
        ("ALL", "all of ALL", ["ALL"]),
        ("CT of the head", "ct of the head; CT of THE head", ["CT of THE head"]),
        ("vitamin B12", "Vitamin B12, vitamin b12", ["Vitamin B12"]),
        ("PAIN IN ARM", "pain in arm", ["pain in arm"]),
        ("ﬁbrosis", "fibrosis", ["fibrosis"]),
        ("headache", "HEADACHES and headaches", ["headaches"]),
        ("biopsy", "two biopsies", ["biopsies"]),
        ("abscess", "abscesses", ["abscesses"]),
        ("blood culture", "blood cultures", ["blood cultures"]),
        ("aid", "AIDS aids", ["aids"]),
        ("knee", "k\u200bnee", ["k\u200bnee"]),
    ],
)
def test_spellings_of_one_term_are_found(term: str, text: str, expected: list[str]) -> None:
    assert found(Matcher(lexicon(term)), text) == expected


def test_a_source_may_say_that_case_counts_or_never_does() -> None:
    own = lexicon(Term("Weaver", "G", case="exact"), Term("MG TAB", "G", case="any"), Term("NACL", "G", case="any"))
    assert found(Matcher(own), "weaver Weaver mg tab nacl") == ["Weaver", "mg tab", "nacl"]


def test_only_the_groups_asked_for_are_found() -> None:
    own = lexicon("arm=ANATOMICAL_SITE", "arm pain=SIGN_SYMPTOM")
    assert found(Matcher(own, groups=["ANATOMICAL_SITE"]), "arm pain") == ["arm"]
    assert found(Matcher(own), "arm pain") == ["arm pain", "arm"]


def test_of_one_span_and_group_the_first_source_speaks() -> None:
    own = lexicon(Term("fever", "G", "1"), Term("Fever", "G", "2"), Term("fever", "H", "3"))
    assert [h.entry.concept for h in Matcher(own).find(["fever"])] == ["1", "3"]


def test_several_lexicons_are_searched_in_one_pass() -> None:
    one, two = lexicon("arm=G", "fever=G", name="one"), lexicon("arm pain=G", "Fever=G", "fever=H", name="two")
    hits = Matcher(one, two).find(tokens_of("arm pain, fever"))
    assert [(h.first, h.last, h.entry.list, h.entry.group) for h in hits] == [
        (0, 2, "two", "G"),
        (3, 4, "one", "G"),
        (3, 4, "two", "H"),
    ]
    assert Matcher().find(["arm"]) == []


def test_what_is_remembered_is_bounded_and_changes_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    own = lexicon("arm=G", "arm pain=G")
    text = tokens_of("arm pain and more arm pain of the arm")
    expected = Matcher(own).find(text)
    monkeypatch.setattr("caspipe.annotators.lexicon.match.MAX_STEPS", 3)
    matcher = Matcher(own)
    assert [matcher.find(text) for _ in range(4)] == [expected] * 4


def test_a_misspelling_is_found_once_per_term_and_never_for_abbreviations() -> None:
    near = {"hedache": ("headache",), "sevre": ("severe",), "B13": ("b12",)}
    own = lexicon("severe headache=G", "headache=G", "B12=G")
    matcher = Matcher(own, near=lambda _: lambda word: near.get(word, ()))
    hits = matcher.find(tokens_of("severe hedache; sevre headache; sevre hedache; B13"))
    assert [(h.first, h.last, round(h.confidence, 3)) for h in hits] == [(0, 2, 0.857), (3, 5, 0.8), (7, 8, 0.857)]


def test_a_group_may_ask_for_longer_misspelt_words() -> None:
    own = lexicon("celexa=MEDICATION", "fever=SIGN_SYMPTOM")
    near = {"celexo": ("celexa",), "fevver": ("fever",)}
    matcher = Matcher(
        own, near=lambda _: lambda word: near.get(word, ()), near_length=lambda e: 7 if e.group == "MEDICATION" else 5
    )
    assert found(matcher, "celexo fevver") == ["fevver"]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("headaches", ["headache", "headach"]),
        ("allergies", ["allergy", "allergie"]),
        ("masses", ["masse", "mass"]),
        ("virus", []),
        ("diagnosis", []),
        ("loss", []),
        ("gas", []),
        ("b12s", []),
    ],
)
def test_singulars_of_english_plurals(word: str, expected: list[str]) -> None:
    assert singulars(word) == expected
