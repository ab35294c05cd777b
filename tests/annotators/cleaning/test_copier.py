"""Annotations of the cleaned text on the original one: exact offsets, sources, references; and pipelines that forget a step."""

from __future__ import annotations

import pytest

from caspipe.annotators.cleaning.cleaner import Cleaner
from caspipe.annotators.cleaning.copier import Copier
from caspipe.pipeline.contract.conformance import check_component
from caspipe.pipeline.errors import CasError, ComponentError, ConfigError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import (
    Annotation,
    Cas,
    Chunk,
    PhiCandidate,
    PhiKind,
    Sentence,
    Token,
    TypeSystem,
    View,
    uima_type,
)

TEXT = "Seen by Dr.  John\r\n   Smith & team, 13\n August\t2005; CRP <5.\n\nShe  left."


def cleaned(text: str = TEXT) -> tuple[Cas, View]:
    cas = Cas(text)
    Cleaner().process(cas)
    return cas, cas.view("cleaned")


def find(view: View, part: str) -> tuple[int, int]:
    begin = view.text.index(part)
    return begin, begin + len(part)


def faults(yaml: str) -> str:
    with pytest.raises(ConfigError) as told:
        Pipeline.parse(yaml)
    return str(told.value)


def test_a_copy_covers_the_characters_that_its_span_was_made_from() -> None:
    cas, view = cleaned()
    for part, kind in (("John Smith", PhiKind.PERSON), ("13 August 2005", PhiKind.DATE)):
        view.add(
            PhiCandidate(*find(view, part), kind=kind, confidence=0.7, value=part, rule="r").set_source("x/finder")
        )
    Copier().process(cas)
    assert [
        (c.covered_text, c.kind.name, c.confidence, c.value, c.rule, c.source) for c in cas.select(PhiCandidate)
    ] == [
        ("John\r\n   Smith", "PERSON", 0.7, "John Smith", "r", "x/finder"),
        ("13\n August\t2005", "DATE", 0.7, "13 August 2005", "r", "x/finder"),
    ]
    assert [v.name for v in cas.views] == ["_InitialView"]


def test_the_view_stays_if_asked() -> None:
    cas, view = cleaned()
    view.add(Chunk(0, 4, tag="VP"))
    Copier(keep=True).process(cas)
    assert cas.view("cleaned") is view
    assert view.count(Chunk) == 1
    assert [c.covered_text for c in cas.select(Chunk)] == ["Seen"]


def test_tokens_stay_disjoint_and_keep_their_tags() -> None:
    cas = Pipeline.parse(
        "engines: [cleaner, {segmenter: {view: cleaned}}, {tagger: {view: cleaned}}, {chunker: {view: cleaned}}, copier]"
    ).process(TEXT)
    tokens = cas.select(Token)
    assert [t.covered_text for t in tokens] == (
        "Seen by Dr . John Smith & team , 13 August 2005 ; CRP < 5 . She left .".split()
    )
    tags = {t.covered_text: t.pos for t in tokens}
    assert tags["&"] == "CC" and tags["Smith"] == "NNP" and all(tags.values())
    assert "".join(s.covered_text for s in cas.select(Sentence))[-9:] == "She  left."[-9:]
    assert cas.view().tokens.pos == [t.pos for t in tokens]
    assert any(
        c.covered_text == "Dr.  John\r\n   Smith" or "John\r\n   Smith" in c.covered_text for c in cas.select(Chunk)
    )


def test_what_a_component_made_before_is_replaced_and_tokens_of_others_are_kept() -> None:
    cas, view = cleaned("a  b")
    cas.add(Token(0, 1).set_source("other"))
    cas.add(PhiCandidate(0, 1, kind=PhiKind.AGE).set_source("finder"))
    cas.add(PhiCandidate(0, 1, kind=PhiKind.ID).set_source("second"))
    view.add_spans(Token, [0, 2], [1, 3], "segmenter")
    view.add(PhiCandidate(0, 3, kind=PhiKind.DATE).set_source("finder"))
    Copier().process(cas)
    assert [(t.begin, t.source) for t in cas.select(Token)] == [(0, "other")]
    assert sorted((c.source, c.kind.name, c.end) for c in cas.select(PhiCandidate)) == [
        ("finder", "DATE", 4),
        ("second", "ID", 1),
    ]


def test_references_lead_to_copies() -> None:
    @uima_type("test.copier.Pair")
    class Pair(Annotation):
        first: Annotation | None = None
        others: list[Annotation] = []  # noqa: RUF012
        note: str = ""

    cas, view = cleaned("a  b  c")
    initial = cas.add(Chunk(0, 1, tag="NP"))
    one, two = view.add(Chunk(0, 1, tag="X")), view.add(Chunk(2, 5, tag="Y"))
    unindexed = Chunk(0, 1, tag="Z")
    view.add(unindexed)
    view.remove(unindexed)
    view.add(Pair(0, 5, first=two, others=[one, initial, unindexed, two], note="kept"))
    Copier().process(cas)
    (pair,) = cas.select(Pair)
    x, y = (c for c in cas.select(Chunk) if c is not initial)
    assert pair.first is y and pair.others == [x, initial, y] and pair.note == "kept"
    assert (y.begin, y.end) == (3, 7)


def test_types_of_files_are_copied_too() -> None:
    types = TypeSystem()
    note = types.create_type("org.Note", Annotation, {"text": "uima.cas.String"})
    cas = Cas("a  b", typesystem=types)
    Cleaner().process(cas)
    cas.view("cleaned").add(note(0, 3, text="t"))
    Copier().process(cas)
    assert [(n.begin, n.end, n.text) for n in cas.select("org.Note")] == [(0, 4, "t")]


def test_a_view_without_a_map_is_refused_and_a_missing_one_has_nothing_to_copy() -> None:
    cas = Cas("a")
    Copier().process(cas)
    cas.create_view("cleaned", "a")
    with pytest.raises(CasError, match="view cleaned has no map to the original text"):
        Copier().process(cas)


def test_an_engine_after_the_copier_finds_no_view() -> None:
    pipeline = Pipeline.parse("engines: [cleaner, {dates: {view: cleaned}}, copier, {segmenter: {view: cleaned}}]")
    with pytest.raises(ComponentError, match=r"segmenter: CasError: document .* has no view cleaned"):
        pipeline.process("a")


def test_the_component_obeys_the_contract() -> None:
    assert [f for f in check_component(Copier) if f.fault] == []


START = "reader: {text: {folder: .}}\nengines: "


@pytest.mark.parametrize(
    "engines",
    [
        "cleaner, {dates: {view: cleaned}}, resolver, masker",
        "cleaner, {dates: {view: cleaned}}, masker, copier",
        "cleaner, ages, {dates: {view: cleaned}}, resolver, copier, masker",
        "cleaner, {dates: {view: cleaned}}",
    ],
)
@pytest.mark.parametrize("reader", ["text", "xmi"])
def test_candidates_that_nobody_copies_before_they_are_resolved_are_an_error(engines: str, reader: str) -> None:
    told = faults(f"reader: {{{reader}: {{folder: .}}}}\nengines: [{engines}]")
    assert (
        "dates: works on view cleaned, which no component copies to the original text before resolver; copier would do it"
        in told
    )


def test_an_engine_that_looks_at_the_wrong_text_is_an_error() -> None:
    told = faults(START + "[cleaner, {segmenter: {view: cleaned}}, names, copier, masker]")
    assert "names: needs Token, which no earlier component creates; segmenter creates it, but in view cleaned" in told
    told = faults(START + "[segmenter, cleaner, {names: {view: cleaned}}, copier, masker]")
    assert (
        "names: needs Token in view cleaned, which no earlier component creates; segmenter creates it, but in view "
        "_InitialView" in told
    )
    told = faults(START + "[cleaner, {names: {view: cleaned}}, copier, masker]")
    assert "names: needs Token in view cleaned, which no earlier component creates; segmenter would create it" in told


def test_a_view_that_nobody_creates_is_an_error() -> None:
    assert "copier: no earlier component creates view cleaned; cleaner would create it" in faults(
        START + "[dates, copier]"
    )


def test_a_misspelt_view_is_an_error() -> None:
    told = faults(START + "[cleaner, {aggregate: {view: cleand, engines: [segmenter, dates]}}, copier, masker]")
    assert "dates: no earlier component creates view cleand; did you mean cleaned?" in told


def test_what_comes_after_the_copier_may_use_what_it_copied() -> None:
    Pipeline.parse(START + "[cleaner, {segmenter: {view: cleaned}}, copier, names, masker]")


def test_an_aggregate_gives_its_view_to_its_engines() -> None:
    rules = "{id: rules, view: cleaned, engines: [segmenter, dates, {ages: {view: _InitialView}}]}"
    pipeline = Pipeline.parse(f"engines: [cleaner, {{aggregate: {rules}}}, copier]")
    assert pipeline.views == {"rules/segmenter": "cleaned", "rules/dates": "cleaned", "rules/ages": "_InitialView"}
    cas = pipeline.process("On 13\n August 2005 a 65  year old man")
    assert [c.covered_text for c in cas.select(PhiCandidate)] == ["13\n August 2005", "65  year old"]


def test_an_engine_that_cannot_take_the_view_of_its_aggregate_says_so() -> None:
    told = faults("engines: [cleaner, {aggregate: {view: cleaned, engines: [dates, resolver]}}, copier]")
    assert "resolver.view: no such parameter" in told
