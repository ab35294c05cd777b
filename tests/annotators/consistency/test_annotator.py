"""Label consistency: what spreads through a document, and what must not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.annotators.consistency.annotator import ConsistencyAnnotator
from caspipe.annotators.disambiguation.veto import Veto
from caspipe.annotators.lexicon import Lexicon
from caspipe.annotators.segmenting.segmenter import Segmenter
from caspipe.pipeline.contract.apply import apply
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import Cas, MedicalTerm, PhiCandidate, PhiKind, TermGroup

MARKS = re.compile(r"[\[\]<>{}]")


def annotator(**options: Any) -> ConsistencyAnnotator:
    made = ConsistencyAnnotator(**options)
    made.open()
    return made


@pytest.fixture(scope="module")
def usual() -> ConsistencyAnnotator:
    return annotator()


def document(text: str, kind: str = "PERSON", confidence: float = 1.0, source: str = "names") -> Cas:
    """`[...]` is a candidate that was there before, `{...}` a medical term; `<...>` says where others are expected."""
    cas = Cas(MARKS.sub("", text))
    apply(Segmenter(), cas)
    for begin, end in spans(text, "[", "]"):
        candidate = PhiCandidate(begin, end, kind=PhiKind.of(kind), confidence=confidence)
        candidate._source = source
        cas.add(candidate)
    for begin, end in spans(text, "{", "}"):
        cas.add(MedicalTerm(begin, end, group=TermGroup.DISEASE_DISORDER))
    return cas


def spans(text: str, opening: str, closing: str) -> Iterator[tuple[int, int]]:
    for mark in re.finditer(f"{re.escape(opening)}[^{re.escape(closing)}]*{re.escape(closing)}", text):
        yield len(MARKS.sub("", text[: mark.start()])), len(MARKS.sub("", text[: mark.end()]))


def check(engine: ConsistencyAnnotator, text: str, **given: Any) -> list[PhiCandidate]:
    cas = document(text, **given)
    found = list(engine.annotate(cas.view()))
    assert [(c.begin, c.end) for c in found] == list(spans(text, "<", ">"))
    return found


@pytest.mark.parametrize(
    "text",
    [
        "[John Featherstone] came. <John Featherstone> left. <John\nFeatherstone> slept.",
        "[John Featherstone] came. <Featherstone> left, <Featherstone>'s wife and <John>’s dog too.",
        "[John Featherstone] came. <FEATHERSTONE> left. <JOHN FEATHERSTONE> slept.",
        "[JOHN FEATHERSTONE] came. <Featherstone> left.",
        "[Featherstone, John] came. <John Featherstone> left.",
        "[Ana Garrido de la Fuente] came. <Garrido de la Fuente> left; <Garrido> too, and de la mer.",
        "[Dr. Featherstone] came. <Dr. Featherstone> left, <Featherstone> too. Dr. No did not.",
        "[Ann Lund-Garrido] came. <Garrido> left with <Lund-Garrido>.",
        "[Lund-Garrido] came. McLund, Lundgren and Garridos left.",
        "[Rose Featherstone] came. Rose and a rose. Featherstones. <Rose Featherstone>.",
        "[Will May] came. Will in May. May left. <Will May>. WILL, MAY!",
        "[Garrido] came. <Garrido> left.",
        "[May] came. In May it rained, said May.",
        "[Lund] came. The lund is small. Lund left.",
        "[Lund] came. Write to lund@example.org or example.lund.org. <Lund> left.",
        "[Lund] and [lund] came. <Lund> left.",
        "[Jo Lund] came. Jo left. <Jo Lund> stayed. <LUND>.",
        "[Ann Wu] came. ANN is a test. Wu and WU left. <ANN WU> stayed.",
        "[Lund] came. He has {Lund's palsy}. <Lund> left.",
        "[Ann Smith] came. Smith left. And <Smith> stayed.",
        "[Garrido] came. \u0413\u0430\u0440\u0440\u0438\u0434\u043e left.",
        "[Lund] came. [Lund] Street.",
        "",
        "[\U0001f600 Lund] came. \U0001f468\u200d\U0001f469 <Lund> left.",
    ],
)
def test_names_spread_where_they_are_names(usual: ConsistencyAnnotator, text: str) -> None:
    check(usual, text)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("ID", "No. [AB-12/345] and <AB-12/345>, not AB-12/3456, AB 12 345, ab-12/345 or 12/345."),
        ("ID_CASE", "Case [4711123] and <4711123>; 47111234, 4711.123 and x4711123 are others."),
        ("ID", "Bed [12A], bed 12A."),
        ("PERSON_USERNAME", "User [Ann-Garrido] is <Ann-Garrido>, Garrido."),
        ("LOCATION", "In [Lund], then in Lund."),
        ("AGE", "Aged [71 years], aged 71 years."),
    ],
)
def test_numbers_spread_character_by_character_and_other_kinds_not_at_all(
    usual: ConsistencyAnnotator, kind: str, text: str
) -> None:
    check(usual, text, kind=kind)


def test_other_kinds_spread_whole_where_they_are_asked_for() -> None:
    engine = annotator(kinds=[PhiKind.LOCATION, PhiKind.ORGANIZATION, PhiKind.AGE, PhiKind.EMAIL])
    check(engine, "At [Lund General] and <Lund General>, in Lund.", kind="LOCATION_HOSPITAL")
    check(engine, "In [Lund], in <Lund>, <LUND>.", kind="LOCATION_CITY")
    check(engine, "Aged [71 years], <71 years>, 71.", kind="AGE")
    check(engine, "By [a@b.org], <a@b.org>, b@a.org.", kind="EMAIL")
    check(engine, "[Garrido], Garrido.", kind="PERSON")


def test_confidence_kind_and_rule_are_told() -> None:
    engine = annotator(factor=0.5, initials=True)
    text = "[Ann Lund] came. <Ann Lund>, <Lund>, <A.L.>, <A. L.>, <AL> and a.l. left; B.L., AB, A. Bl."
    found = check(engine, text, kind="PERSON_PATIENT", confidence=0.9)
    text = MARKS.sub("", text)
    assert {c.confidence for c in found} == {0.45}
    told = [(text[c.begin : c.end], c.kind.name, c.rule) for c in found]
    assert told == [
        ("Ann Lund", "PERSON_PATIENT", "same name"),
        ("Lund", "PERSON_PATIENT", "part of a name"),
        ("A.L.", "PERSON_INITIALS", "initials of a name"),
        ("A. L.", "PERSON_INITIALS", "initials of a name"),
        ("AL", "PERSON_INITIALS", "initials of a name"),
    ]


def test_the_surest_source_of_a_word_speaks(usual: ConsistencyAnnotator) -> None:
    cas = document("[Ann Lund] and Olof Lund came. Lund left.", kind="PERSON_DOCTOR", confidence=0.8)
    surer = PhiCandidate(13, 22, kind=PhiKind.PERSON_PATIENT, confidence=0.95)
    surer._source = "crf"
    cas.add(surer)
    (found,) = usual.annotate(cas.view())
    assert (found.begin, found.kind.name, found.confidence) == (29, "PERSON_PATIENT", 0.855)


def test_only_named_sources_above_the_threshold_count() -> None:
    text = "[Lund] came. Lund left."
    wanted = "[Lund] came. <Lund> left."
    engine = annotator(sources=["regex/names", "crf"], threshold=0.7)
    check(engine, wanted, source="regex/names", confidence=0.7)
    check(engine, wanted, source="models/crf")
    check(engine, text, source="names")
    check(engine, text, source="crfs")
    check(engine, text, source="crf", confidence=0.69)
    assert [*engine.referenced_components()] == [("sources", "regex/names"), ("sources", "crf")]


def test_what_was_vetoed_neither_spreads_nor_is_overruled(usual: ConsistencyAnnotator) -> None:
    cas = document("[Garrido] came. [Garrido] left. Garrido stayed.")
    for candidate in cas.select(PhiCandidate):
        candidate.reason = "vetoed: medical term"
    assert list(usual.annotate(cas.view())) == []
    cas.select(PhiCandidate)[0].reason = ""
    assert [(c.begin, c.end) for c in usual.annotate(cas.view())] == [(28, 35)]


def test_a_place_of_another_kind_is_marked_all_the_same(usual: ConsistencyAnnotator) -> None:
    cas = document("[Garrido] came. Garrido left.")
    other = PhiCandidate(15, 22, kind=PhiKind.LOCATION, confidence=0.4)
    other._source = "names"
    cas.add(other)
    assert [(c.begin, c.end) for c in usual.annotate(cas.view())] == [(14, 21)]


def test_case_can_be_the_same_or_any() -> None:
    check(annotator(case="same"), "[Garrido] came. GARRIDO and <Garrido> left.")
    check(annotator(case="any"), "[Garrido] came. <GARRIDO>, <garrido> and <Garrido> left. will, may.")
    check(annotator(), "[ann garrido] came. <garrido> left with anna.")


def test_parts_can_be_left_out_and_short_words_let_in() -> None:
    check(annotator(parts=False), "[Ann Garrido] came. <Ann Garrido> and Garrido left.")
    check(annotator(shortest=2), "[Bo Garrido] came. <Bo> left.")


def test_lists_of_another_language_can_be_given(tmp_path: Any) -> None:
    (tmp_path / "palabras.txt").write_text("calle\nblanco\n", encoding="utf-8")
    engine = annotator(common=[Lexicon.load(str(tmp_path / "palabras.txt"))], names=[])
    check(engine, "[Ana Blanco Will] vive en Blanco. Vino <Will>. <Ana> no.")


def test_a_frequent_name_among_rarer_words_spreads_by_its_share() -> None:
    check(annotator(name_share=100.0), "[Ann Smith] came. And Smith stayed.")
    check(annotator(name_share=0.0), "[Ann Rose] came. And <Rose> stayed. Rose left. May stayed.")


def test_it_runs_between_finders_and_resolver() -> None:
    pipeline = Pipeline.parse(
        "engines: [segmenter, names, terms, consistency, {veto: {sources: [consistency]}}, resolver]"
    )
    cas = pipeline.process("Seen by Dr. Garrido Featherstone. Garrido has Parkinson's disease.")
    ours = [c for c in cas.select(PhiCandidate) if c.source == "consistency"]
    assert all(c.rule and c.winner for c in ours)
    again = pipeline.process(cas)
    assert [(c.begin, c.end) for c in again.select(PhiCandidate) if c.source == "consistency"] == [
        (c.begin, c.end) for c in ours
    ]


def test_a_veto_may_take_it_back(usual: ConsistencyAnnotator) -> None:
    cas = document("[Foley] came. A Foley catheter.")
    apply(usual, cas)
    veto = Veto(sources=["consistency"], keep_above=1.0)
    veto.open()
    apply(veto, cas)
    assert [c.reason for c in cas.select(PhiCandidate)] == ["", "vetoed: eponym"]


@pytest.mark.parametrize("options", [{"threshold": 1.1}, {"factor": -0.1}, {"shortest": 0}, {"shortest_id": 0}])
def test_parameters_are_checked(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"^{next(iter(options))}: expected "):
        ConsistencyAnnotator(**options)


WORDS = st.sampled_from(
    ["Garrido", "GARRIDO", "garrido", "Ann", "Will", "de", "la", "-", ".", ",", "\n", "A", "G", "12345"]
)


@given(st.lists(WORDS, max_size=12), st.integers(0, 11), st.integers(1, 3), st.sampled_from(["PERSON", "ID"]))
def test_every_find_repeats_words_of_the_source_at_token_borders(
    usual: ConsistencyAnnotator, words: list[str], at: int, size: int, kind: str
) -> None:
    cas = Cas(" ".join(words))
    apply(Segmenter(), cas)
    tokens = cas.view().tokens
    if at >= len(tokens):
        return
    last = min(at + size, len(tokens))
    source = PhiCandidate(tokens.begins[at], tokens.ends[last - 1], kind=PhiKind.of(kind))
    source._source = "names"
    cas.add(source)
    found = list(usual.annotate(cas.view()))
    of_source = {form.lower() for form in tokens.forms[at:last]}
    for c in found:
        assert c.begin in tokens.begins
        assert c.end in tokens.ends
        first, end = tokens.begins.index(c.begin), tokens.ends.index(c.end) + 1
        assert {form.lower() for form in tokens.forms[first:end]} <= of_source
        assert not (source.begin <= c.begin and c.end <= source.end)
    assert sorted((c.begin, c.end) for c in found) == [(c.begin, c.end) for c in found]
    assert all(one.end <= two.begin or one.begin < two.begin for one, two in pairwise(found))
