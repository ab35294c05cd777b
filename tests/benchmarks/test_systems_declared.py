"""Tests of the table of the comparison: its declarations are valid, and invalid ones are rejected."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.systems.corpora import CORPORA, AbsentError, check
from benchmarks.systems.declared import Row, Way, assembled, combinations, rows
from caspipe.pipeline import Pipeline
from caspipe.typesystem import Cas, Phi, PhiCandidate

ROWS = rows()
TRAININGS = {t.name: t for row in ROWS.values() for way in row.ways.values() for t in way.trainings}
MADE = [
    (row.name, corpus)
    for row in ROWS.values()
    for corpus, way in row.ways.items()
    if all(t.shipped for t in way.trainings)
]


@pytest.mark.parametrize(("row", "corpus"), MADE)
def test_rows_without_bundles_of_their_own_assemble_and_end_in_phi(row: str, corpus: str) -> None:
    way = ROWS[row].ways[corpus]
    pipeline = assembled(way, {t.name: t.name for t in way.trainings})
    assert any(Phi in engine.outputs for engine in pipeline.engines)


@pytest.mark.parametrize("name", sorted(TRAININGS))
def test_every_training_has_a_configuration_with_a_trainer(name: str) -> None:
    training = TRAININGS[name]
    pipeline = Pipeline.load(training.path, training.overrides)
    assert any(getattr(consumer, "trained_as", "") for consumer in pipeline.consumers)


def test_the_rows_of_the_first_system_are_declared_for_every_corpus() -> None:
    for name in ("S1-RegEx", "S1-SVM", "S1-CRF", "S1 combined"):
        assert list(ROWS[name].ways) == list(CORPORA)


def table(tmp_path: Path, text: str) -> dict[str, Row]:
    file = tmp_path / "table.yaml"
    file.write_text(text, encoding="utf-8")
    return rows(file)


def test_one_way_stands_for_all_english_corpora_unless_one_has_its_own(tmp_path: Path) -> None:
    found = table(
        tmp_path,
        "trainings: {}\nrows: {A: {title: t, english: {engines: [segmenter]}, vaers: {engines: [dates]}}}",
    )
    assert {name: way.engines for name, way in found["A"].ways.items()} == {
        "names": ["segmenter"],
        "synthetic": ["segmenter"],
        "vaers": ["dates"],
    }
    with pytest.raises(AbsentError, match="A: nothing is declared for MEDDOCAN dev"):
        found["A"].way(CORPORA["meddocan"])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{title: t, englsh: {engines: []}}", r"rows.A: no key englsh; known: title, binary, english, meddocan"),
        ("{title: t, english: {engines: [], trainings: [x]}}", r"rows.A.names: no training x"),
        ("{title: t, english: {engines: [], pipeline: deidentify}}", r"expected either engines or pipeline"),
        ("{title: t, english: {trainings: []}}", r"expected either engines or pipeline"),
    ],
)
def test_a_table_that_means_nothing_is_refused(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        table(tmp_path, f"trainings: {{}}\nrows: {{A: {text}}}")


def test_a_place_that_no_training_has_is_refused() -> None:
    with pytest.raises(ValueError, match="@other: not among the trainings of this row: mine"):
        assembled(Way((), [{"crf": {"model": "@other"}}]), {"mine": "en-phi-crf"})


def test_a_place_is_found_behind_the_sign_of_an_override_and_an_address_is_left_alone() -> None:
    way = Way((), pipeline="deidentify", overrides=("crf.model=@mine", "reader.text.folder=a@b"))
    pipeline = assembled(way, {"mine": "en-phi-crf"})
    crf = next(engine for engine in pipeline.engines if engine.name == "crf")
    assert vars(crf)["model"] == "en-phi-crf"


def test_all_stands_for_every_row_and_corpus() -> None:
    assert len(list(combinations("all", "all", ROWS))) == len(ROWS) * len(CORPORA)
    assert [(r.name, c.name) for r, c in combinations("S1-CRF", "vaers", ROWS)] == [("S1-CRF", "vaers")]
    with pytest.raises(ValueError, match="no S9; expected all or one of S1-RegEx"):
        list(combinations("S9", "all", ROWS))


def test_an_absent_corpus_is_told_with_its_folder(tmp_path: Path) -> None:
    (tmp_path / "meddocan" / "train").mkdir(parents=True)
    with pytest.raises(AbsentError, match=r"MEDDOCAN dev: no folder meddocan/dev in .*--corpora or CASPIPE_CORPORA"):
        check(CORPORA["meddocan"], tmp_path)


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ("sources: [ages]", ["AGE"]),
        ("sources: [rules]", ["DATE", "AGE"]),
        ("sources: [], others: [DATE]", ["DATE"]),
        ("sources: [rules/ages]", []),
    ],
)
def test_only_named_sources_and_kinds_keep_their_candidates(given: str, left: list[str]) -> None:
    only = f"{{benchmarks.systems.only:OnlyEngine: {{{given}}}}}"
    rules = "{aggregate: {id: rules, engines: [dates, ages]}}"
    cas = Pipeline.parse(f"engines: [segmenter, {rules}, {only}]").process(Cas("Seen on 3/4/2020, 91 years old."))
    assert [c.kind.top.name for c in cas.select(PhiCandidate)] == left
    assert [p.kind.top.name for p in cas.select(Phi)] == left
