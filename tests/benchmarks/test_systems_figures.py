"""Tests of the figures of a row against manual counts on synthetic documents."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.systems.corpora import CORPORA
from benchmarks.systems.measure import figures, found
from benchmarks.systems.results import Result, path_of, read
from caspipe.consumers.scoring import Mark, Pair
from caspipe.pipeline import Pipeline

TEXT = "Ana Lind of Oslo came on 3 May."
NAMES, SYNTHETIC = CORPORA["names"], CORPORA["synthetic"]


def pair(gold: list[Mark], system: list[Mark], id: str = "d1") -> Pair:
    return Pair(id, TEXT, gold, system, ([], []))


GOLD = [Mark(0, 8, "PERSON_PATIENT"), Mark(12, 16, "LOCATION_CITY"), Mark(25, 30, "DATE")]


def test_every_figure_of_a_small_document_is_as_counted_by_hand() -> None:
    system = [Mark(0, 3, "PERSON"), Mark(12, 16, "ORGANIZATION"), Mark(25, 30, "DATE")]
    made = figures([pair(GOLD, system)], SYNTHETIC, binary=False)
    assert made["strict"]["f1"] == pytest.approx(1 / 3)  # the date
    assert made["overlapping"]["recall"] == pytest.approx(2 / 3)  # and half of the name
    assert made["strict-binary"]["recall"] == pytest.approx(2 / 3)  # the date, and Oslo as something else
    assert made["token-binary"]["recall"] == pytest.approx(4 / 5)  # all tokens but Lind
    assert made["token-binary"]["precision"] == 1
    assert made["masking"]["recall"] == pytest.approx(4 / 5)
    assert made["documents"] == {
        "share": 0,
        "share_low": 0,
        "share_high": pytest.approx(0.793, abs=1e-3),
        "documents": 1,
    }


def test_kinds_that_the_corpus_does_not_annotate_count_on_neither_side() -> None:
    system = [Mark(0, 8, "PERSON"), Mark(17, 21, "DATE")]
    made = figures([pair(GOLD, system)], NAMES, binary=False)
    assert (made["strict"]["precision"], made["strict"]["recall"]) == (1, 0.5)
    assert made["token-binary"]["precision"] == 1


def test_what_is_masked_as_another_kind_leaks_nothing_but_is_not_found_either() -> None:
    system = [Mark(0, 8, "PERSON"), Mark(12, 16, "ID")]
    made = figures([pair(GOLD, system)], NAMES, binary=False)
    assert (made["masking"]["recall"], made["documents"]["share"]) == (1, 1)
    assert made["strict-binary"]["recall"] == 0.5


def test_a_binary_system_has_no_figures_by_kind_and_its_marks_could_be_any() -> None:
    system = [Mark(0, 8, "OTHER"), Mark(12, 16, "OTHER"), Mark(17, 21, "OTHER")]
    made = figures([pair(GOLD, system)], NAMES, binary=True)
    assert "strict" not in made and "covering" not in made
    assert made["strict-binary"]["precision"] == pytest.approx(2 / 3)
    assert made["token-binary"]["recall"] == 1
    assert made["masking"]["precision"] == pytest.approx(3 / 4)
    assert "strict" in figures([pair(GOLD, system)], NAMES, binary=False)


def test_tokens_are_the_segmenters_whatever_the_system_cut() -> None:
    cut = replace(pair(GOLD, GOLD), tokens=([0, 12], [2, 13]))
    assert figures([cut], SYNTHETIC, False) == figures([pair(GOLD, GOLD)], SYNTHETIC, False)


def test_intervals_hold_their_figure_and_close_where_all_documents_are_alike() -> None:
    mixed = [pair(GOLD, GOLD[: n % 4], f"d{n}") for n in range(40)]
    made = figures(mixed, SYNTHETIC, False)["strict"]
    low, value, high = made["f1_low"], made["f1"], made["f1_high"]
    assert low is not None and value is not None and high is not None and low < value < high
    alike = figures([pair(GOLD, GOLD[:1], f"d{n}") for n in range(10)], SYNTHETIC, False)["strict"]
    assert alike["recall_low"] == alike["recall"] == alike["recall_high"]


def test_documents_are_read_processed_and_timed_without_masking() -> None:
    pipeline = Pipeline.parse("engines: [segmenter, dates, ages, resolver, {masker: {default: placeholder}}]")
    pairs, seconds = found(pipeline, [{"synthetic": {"documents": 3, "seed": 5}}])
    assert len(pairs) == 3 and seconds > 0
    assert all(p.gold for p in pairs) and any(p.system for p in pairs)


def test_a_row_comes_back_from_its_file(tmp_path: Path) -> None:
    result = Result(
        "S1 combined", "vaers", 3, {"strict": {"f1": 0.5, "f1_low": None}}, 10.0, 7, None, None, ["a"], "d", "m"
    )
    file = path_of(tmp_path, result.row, result.corpus)
    result.write(file)
    assert file.name == "s1-combined-vaers.json"
    assert read(file) == result
    assert "token R n/a" in result.told()
    assert result.interval("strict", "f1") is None
    file.write_text('{"row": 1}', encoding="utf-8")
    with pytest.raises(ValueError, match="expected an object with row, corpus, documents"):
        read(file)
