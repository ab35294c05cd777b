"""The component `names`: marked-up lines, modes, kinds, any text, time."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marked_spans import Marked, cases, disagreement

from caspipe.annotators.names import NameAnnotator, cued, sites
from caspipe.annotators.names.cued import find_cued
from caspipe.annotators.names.sites import find_sites
from caspipe.annotators.names.token_context import TokenContext
from caspipe.annotators.segmenting.segmenter import Segmenter
from caspipe.pipeline.contract.component import Spans
from caspipe.typesystem import Cas, PhiCandidate, PhiKind, Sentence, Token, View


@pytest.fixture(scope="session")
def names() -> NameAnnotator:
    annotator = NameAnnotator()
    annotator.open()
    return annotator


def segmented(text: str) -> View:
    view = Cas(text).view()
    for spans in Segmenter().annotate(view):
        assert isinstance(spans, Spans)
        view.add_spans(spans.type, spans.begins, spans.ends)
    return view


def found(annotator: NameAnnotator, text: str) -> list[PhiCandidate]:
    return list(annotator.annotate(segmented(text)))


@pytest.mark.slow
@pytest.mark.parametrize("case", cases("names.txt"), ids=lambda case: case.name)
def test_the_marked_spans_and_no_others_are_found(case: Marked, names: NameAnnotator) -> None:
    assert disagreement(case, found(names, case.text)) == ""


@pytest.mark.parametrize("surname", "Nguyen Okonkwo Müller García Wójcik Yılmaz O'Neill Al-Sayed Ng Brannigan".split())
def test_any_name_after_a_title_is_found(surname: str, names: NameAnnotator) -> None:
    text = f"She was seen by Dr. {surname} for a rash."
    hits = [(c.begin, c.end) for c in found(names, text)]
    assert hits == [(20, 20 + len(surname))]


@pytest.mark.parametrize("template", ["the patient {} felt ill", "Dr. {} called", "Spoke with {} today", "{} called."])
@pytest.mark.parametrize("name", ["Mary Smith", "Robert Johnson", "Linda Garcia", "Thomas Nguyen"])
def test_swapping_the_name_moves_nothing_but_the_span(template: str, name: str, names: NameAnnotator) -> None:
    text = template.format(name)
    begin = text.index(name)
    assert [(c.begin, c.end) for c in found(names, text)] == [(begin, begin + len(name))]


def test_precise_modes_need_more_evidence(names: NameAnnotator) -> None:
    texts = [case.text for case in cases("names.txt")]
    covered = []
    for mode in ("precision", "balanced", "recall"):
        annotator = NameAnnotator(mode=mode, words=names.words)
        covered.append(
            {(i, at) for i, t in enumerate(texts) for c in found(annotator, t) for at in range(c.begin, c.end)}
        )
    assert covered[0] < covered[1] < covered[2]


def test_only_the_requested_kinds_are_marked(names: NameAnnotator) -> None:
    places = NameAnnotator(kinds=[PhiKind.LOCATION_CITY], words=names.words)
    text = "Dr. Smith lives in Austin, Texas near Walgreens."
    assert [(c.begin, c.end, c.kind) for c in found(places, text)] == [(19, 25, PhiKind.LOCATION_CITY)]


def test_confidence_and_rule_show_the_evidence(names: NameAnnotator) -> None:
    titled, alone = found(names, "Dr. Smith left. Kathy stayed.")
    assert (titled.rule, alone.rule) == ("title", "given name")
    assert titled.confidence > 0.9 > alone.confidence > 0.3


def test_a_text_in_capitals_keeps_its_names(names: NameAnnotator) -> None:
    text = "PATIENT WAS SEEN BY DR. SMITH AND BY MARY JOHNSON, RN, FOR A RASH AND FEVER."
    assert {text[c.begin : c.end] for c in found(names, text)} == {"SMITH", "MARY JOHNSON"}


def test_it_can_be_pickled_before_and_after_it_is_opened(names: NameAnnotator) -> None:
    text = "Seen by Dr. Smith."
    for annotator in (NameAnnotator(), names):
        again = pickle.loads(pickle.dumps(annotator))
        if annotator is not names:
            again.open()
        assert [(c.begin, c.end) for c in found(again, text)] == [(12, 17)]


def test_the_word_lists_have_one_name() -> None:
    from caspipe.annotators.names.words import Words
    from caspipe.pipeline.errors import ResourceError

    assert Words.names() == ["english"]
    with pytest.raises(ResourceError, match=r"no set of word lists called 'englisch'; did you mean english\?"):
        Words.load("englisch")


WORDS = [
    *"Dr. Mr. Smith Mary John will Will May , . : ( ) 's MD RN patient my husband in at Dallas TX Hospital of St. and".split(),
    *"J. J A de la van – é 12 - @ Pfizer".split(),
    "\n",
]


@given(st.lists(st.sampled_from(WORDS), max_size=30), st.sampled_from([" ", "  ", "\n", ""]))
@settings(max_examples=300, deadline=None)
def test_any_sequence_of_cues_gives_valid_and_reproducible_spans(
    names: NameAnnotator, parts: list[str], blank: str
) -> None:
    text = blank.join(parts)
    view = segmented(text)
    first = [(c.begin, c.end, c.kind.name, c.confidence, c.rule) for c in names.annotate(view)]
    assert first == [(c.begin, c.end, c.kind.name, c.confidence, c.rule) for c in names.annotate(view)]
    borders = {*view.tokens.begins, *view.tokens.ends}
    for begin, end, _, confidence, rule in first:
        assert begin < end and {begin, end} <= borders
        assert 0 < confidence < 1 and rule
    assert first == sorted(first, key=lambda c: c[:2])


@given(st.text(max_size=80))
@settings(max_examples=200, deadline=None)
def test_no_text_raises_an_error(names: NameAnnotator, text: str) -> None:
    assert all(0 <= c.begin < c.end <= len(text) for c in found(names, text))


@pytest.mark.slow
def test_a_long_document_takes_linear_time(names: NameAnnotator) -> None:
    import time

    def seconds(copies: int) -> float:
        view = segmented(
            "Dr. Mary Smith of St. Mary's Hospital in Austin, Texas saw Will Young, Jones and Smith.\n" * copies
        )
        start = time.process_time()
        assert sum(1 for _ in names.annotate(view)) >= copies
        return time.process_time() - start

    seconds(50)
    assert seconds(2000) < 40 * max(seconds(200), 0.01)


@pytest.mark.parametrize("spans", [[(0, 4), (4, 4), (5, 9)], [(0, 0), (0, 4)], [(9, 9)], [(0, 4), (5, 9), (10, 10)]])
def test_empty_tokens_of_other_tools_do_no_harm(spans: list[tuple[int, int]]) -> None:
    cas = Cas("Anna Berg. ")
    cas.view().add_all([Sentence(0, 10), *(Token(b, e) for b, e in spans)])
    names = NameAnnotator()
    names.open()
    assert all(c.begin < c.end for c in names.annotate(cas.view()))


class _Every:
    """Contains every word."""

    def __contains__(self, word: object) -> bool:
        return True


def test_tokens_that_are_not_tried_tell_no_name(names: NameAnnotator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sites and cued names are only looked for at words that tell them: trying every token finds the same."""
    texts = ["\n".join(case.text for case in cases("names.txt")[i::40]) for i in range(40)]
    contexts = [TokenContext(segmented(text), names.words) for text in texts]
    tried = [[*find_sites(doc), *find_cued(doc)] for doc in contexts]
    monkeypatch.setattr(sites, "_TELLING", _Every())
    monkeypatch.setattr(cued, "_CUES", _Every())
    assert tried == [[*find_sites(doc), *find_cued(doc)] for doc in contexts]
    assert sum(map(len, tried)) > 100
