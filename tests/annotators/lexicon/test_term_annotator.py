"""Medical terms in texts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.lexicon import Lexicon
from caspipe.annotators.lexicon.term import Term, TermSource
from caspipe.annotators.lexicon.term_annotator import TermAnnotator
from caspipe.typesystem import Cas, MedicalTerm, Sentence, TermGroup, Token, View
from caspipe.typesystem.tokenize import token_spans

CASES = Path(__file__).parents[2] / "cases" / "terms.txt"
SHORT = {
    "SIGN": TermGroup.SIGN_SYMPTOM,
    "DISEASE": TermGroup.DISEASE_DISORDER,
    "DRUG": TermGroup.MEDICATION,
    "SITE": TermGroup.ANATOMICAL_SITE,
    "LAB": TermGroup.LAB_PROCEDURE,
}
MARK = re.compile(r"<(/?)([A-Z]+)>")


def view_of(text: str) -> View:
    view = Cas(text).view()
    view.add_spans(Token, *token_spans(text))
    return view


def opened(**parameters: Any) -> TermAnnotator:
    annotator = TermAnnotator(**parameters)
    annotator.open()
    return annotator


def lexicon(*terms: Term, name: str = "own") -> Lexicon:
    return Lexicon.of(TermSource(name, iter(terms), {}, ("ambiguous",)))


def marked(line: str) -> tuple[str, set[tuple[int, int, TermGroup]]]:
    """A case line -> its text and the spans marked in it, which may nest."""
    text, spans, stack, at = "", set(), [], 0
    for mark in MARK.finditer(line):
        text, at = text + line[at : mark.start()], mark.end()
        if mark[1]:
            name, begin = stack.pop()
            assert name == mark[2]
            spans.add((begin, len(text), SHORT[name]))
        else:
            stack.append((mark[2], len(text)))
    return text + line[at:], spans


def spans(annotator: TermAnnotator, text: str) -> set[tuple[int, int, TermGroup]]:
    return {(t.begin, t.end, t.group) for t in annotator.annotate(view_of(text))}


def texts(annotator: TermAnnotator, text: str) -> list[str]:
    return [text[t.begin : t.end] for t in annotator.annotate(view_of(text))]


@pytest.fixture(scope="module")
def default() -> TermAnnotator:
    return opened()


LINES = [line for line in CASES.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize("number", range(len(LINES)))
def test_the_pack_finds_the_terms_of_each_case(number: int, default: TermAnnotator) -> None:
    text, expected = marked(LINES[number])
    assert spans(default, text) == expected


def test_a_term_carries_its_concept() -> None:
    own = lexicon(Term("knee wobble", "SIGN_SYMPTOM", "C1", "Wobbling knee"), name="TEST")
    [term] = opened(lexicon=own).annotate(view_of("Knee wobble."))
    assert isinstance(term, MedicalTerm)
    assert (term.begin, term.end, term.group, term.concept_id) == (0, 11, TermGroup.SIGN_SYMPTOM, "C1")
    assert (term.terminology, term.preferred_name, term.confidence) == ("TEST", "Wobbling knee", 1.0)


def test_groups_and_length_narrow_what_is_marked() -> None:
    text = "arm pain after MRI, MI"
    assert texts(opened(groups=[TermGroup.ANATOMICAL_SITE]), text) == ["arm"]
    assert "MI" not in texts(opened(min_length=3), text)


def test_misspellings_are_marked_on_request_with_less_confidence() -> None:
    text = "severe hedache, diarrea and pnuemonia after amoxicilin; MII"
    assert texts(opened(), text) == []
    found = {text[t.begin : t.end]: t for t in opened(fuzzy=True).annotate(view_of(text))}
    assert {word: found[word].preferred_name for word in found} == {
        "hedache": "headache",
        "diarrea": "diarrhea",
        "amoxicilin": "amoxicillin",
    }
    assert found["hedache"].confidence == pytest.approx(1 - 1 / 7)
    assert "pnuemonia" in texts(opened(fuzzy=True, metric="osa"), text)


def test_known_words_are_never_misspellings() -> None:
    text = "The Ferber family felt fewer, feber, fever"  # Ferber is a surname, fewer a word
    assert texts(opened(fuzzy=True), text) == ["feber", "fever"]
    mine = lexicon(Term("feber"))
    assert texts(opened(fuzzy=True, known=[mine, Lexicon.load("common_words")]), "feber") == []


def test_short_drug_names_have_no_misspellings() -> None:
    own = lexicon(Term("celexa", "MEDICATION"), Term("fevers", "SIGN_SYMPTOM"))
    assert texts(opened(lexicon=own, fuzzy=True), "celexo fevurs") == ["fevurs"]
    assert texts(opened(lexicon=own, fuzzy=True, fuzzy_length_drugs=5), "celexo fevurs") == ["celexo", "fevurs"]
    assert texts(opened(lexicon=own, fuzzy=True, fuzzy_length=7), "celexo fevurs") == []


def test_gaps_are_allowed_on_request_but_not_across_sentences() -> None:
    text = "blood, urine cultures. Blood. Cultures"
    assert texts(opened(), text) == ["blood", "urine cultures", "Blood"]
    annotator = opened(skip=True, longest="none", groups=[TermGroup.LAB_PROCEDURE])
    view = view_of(text)
    assert "Blood. Cultures" in [text[t.begin : t.end] for t in annotator.annotate(view)]
    view.add_spans(Sentence, [0, 23, 30], [22, 29, 38])
    assert [text[t.begin : t.end] for t in annotator.annotate(view)] == ["blood, urine cultures", "urine cultures"]


def test_a_term_may_go_on_in_the_next_line_but_not_in_the_next_paragraph(default: TermAnnotator) -> None:
    assert texts(default, "shortness\nof breath") == ["shortness\nof breath"]
    assert texts(default, "shortness of\n\nbreath") == []


def test_names_of_people_count_as_drugs_in_lower_case_only() -> None:
    own = lexicon(Term("Kendrick", "MEDICATION", columns="1"), Term("flumbine", "MEDICATION", columns="0"))
    text = "Kendrick kendrick Flumbine"
    assert texts(opened(lexicon=own), text) == ["kendrick", "Flumbine"]
    assert texts(opened(lexicon=own, ambiguous="keep"), text) == ["Kendrick", "kendrick", "Flumbine"]
    assert texts(opened(lexicon=own, ambiguous="drop"), text) == ["Flumbine"]


def test_cleanup_prefers_anatomy_to_disease_and_disease_to_sign() -> None:
    sign, disease, site = "SIGN_SYMPTOM", "DISEASE_DISORDER", "ANATOMICAL_SITE"
    own = lexicon(
        Term("cataract", sign),
        Term("cataract", disease),
        Term("back pain", disease),
        Term("pain", sign),
        Term("navel", disease),
        Term("navel", site),
        Term("chill", sign),
    )
    text = "cataract, back pain, navel, chill"
    found = {(text[b:e], group.value) for b, e, group in spans(opened(lexicon=own, cleanup=True), text)}
    assert found == {("cataract", disease), ("back pain", disease), ("navel", site), ("chill", sign)}


WORDS = st.sampled_from(["a", "b", "c"])
TERMS = st.lists(
    st.tuples(st.lists(WORDS, min_size=1, max_size=3), st.sampled_from(["SIGN_SYMPTOM", "MEDICATION"])), max_size=5
)


@given(TERMS, TERMS, st.lists(WORDS, max_size=10), st.sampled_from(["none", "group", "all"]))
def test_two_terminologies_find_what_one_of_both_would(
    one: list[tuple[list[str], str]], two: list[tuple[list[str], str]], words: list[str], longest: str
) -> None:
    def made(terms: list[tuple[list[str], str]]) -> Lexicon:
        return lexicon(*[Term(" ".join(phrase), group) for phrase, group in terms])

    text = " ".join(words)
    parameters = {"longest": longest, "min_length": 1}
    apart = opened(lexicon=[made(one), made(two)], **parameters)
    together = opened(lexicon=made([*one, *two]), **parameters)
    assert spans(apart, text) == spans(together, text)


def test_the_first_terminology_speaks_for_a_span() -> None:
    one, two = (lexicon(Term("fever", "SIGN_SYMPTOM", c), name=c) for c in ("ONE", "TWO"))
    [term] = opened(lexicon=[one, two]).annotate(view_of("fever"))
    assert term.terminology == "ONE"
