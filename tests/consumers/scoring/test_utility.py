"""Utility: what survives masking and what was masked for nothing, against numbers counted by hand."""

from __future__ import annotations

import csv
import io
import json

from hypothesis import given
from hypothesis import strategies as st

from caspipe.consumers.scoring.intervals import Day, Moved
from caspipe.consumers.scoring.utility import MEASURES, Narrative, Utility, utility_of
from caspipe.typesystem import Replacement, replace_spans

TEXT = "Mr. Quill took warfarin 5 mg for two weeks. INR was 3.1 under warfarin. Ashgrove, 7 mg."


def narrative(*masked: str, gold: list[str] | None = None, terms: tuple[str, ...] = ("warfarin", "INR")) -> Narrative:
    """TEXT with the first occurrence of each word replaced by `[X]`."""

    def span(word: str) -> tuple[int, int]:
        return TEXT.index(word), TEXT.index(word) + len(word)

    text, offsets = replace_spans(TEXT, [Replacement(*s, "[X]") for s in sorted(map(span, masked))])
    groups = {"warfarin": "MEDICATION", "INR": "LAB_PROCEDURE"}
    found = [(*span(w), groups[w]) for w in terms]
    return Narrative(TEXT, text, offsets, found, (), None if gold is None else sorted(map(span, gold)))


def test_nothing_masked_loses_nothing() -> None:
    made = Utility.of(narrative())
    assert [made.share(m) for m in MEASURES] == [1.0, 1.0, 1.0, 1.0, None]
    assert (made.total["terms"], made.total["doses"], made.total["lab_values"], made.total["durations"]) == (2, 2, 1, 1)
    assert (made.holding, made.some_left, made.all_left) == (1, 1, 1)
    assert made.over_masking is None


def test_what_is_masked_is_lost_in_its_own_measure_only() -> None:
    made = Utility.of(narrative("Quill", "5 mg", "3.1"))
    assert [made.share(m) for m in MEASURES] == [1.0, 0.5, 0.0, 1.0, None]
    assert (made.holding, made.some_left, made.all_left) == (1, 1, 0)


def test_a_part_masked_is_lost() -> None:
    assert Utility.of(narrative("weeks")).share("durations") == 0.0


def test_a_replacement_that_says_the_same_loses_nothing() -> None:
    text, offsets = replace_spans("took 5 mg", [Replacement(5, 9, "5 mg")])
    made = Utility.of(Narrative("took 5 mg", text, offsets, gold=[]))
    assert made.share("doses") == 1.0
    assert made.masked == 0


def test_terms_are_counted_by_group_too() -> None:
    made = Utility.of(narrative("warfarin"))
    assert (made.share("terms"), made.share("terms:MEDICATION"), made.share("terms:LAB_PROCEDURE")) == (0.5, 0.0, 1.0)


def test_what_the_reference_marks_is_no_loss() -> None:
    made = Utility.of(narrative("Quill", "5 mg", gold=["Quill", "5 mg"]))
    assert (made.kept["doses"], made.total["doses"]) == (1, 1)
    assert made.over_masked == 0


def test_over_masked_characters_are_counted_by_hand() -> None:
    made = Utility.of(narrative("Quill took", "3.1", gold=["Mr. Quill", "Ashgrove"]))
    assert made.masked == 13
    assert made.over_masked == len(" took") + len("3.1")
    assert made.harmless == len(TEXT) - len("Mr. Quill") - len("Ashgrove")
    assert made.over_masking == 8 / 13
    assert made.over_masked_text == 8 / made.harmless


def test_without_a_reference_over_masking_is_undefined() -> None:
    made = Utility.of(narrative("Quill"))
    assert (made.over_masking, made.over_masked_text) == (None, None)


def test_documents_without_anything_worth_keeping_do_not_count_as_kept() -> None:
    text, offsets = replace_spans("Nothing here.", [])
    made = Utility.of(Narrative("Nothing here.", text, offsets))
    assert (made.documents, made.holding, made.all_left) == (1, 0, 0)


def test_dates_give_intervals() -> None:
    text, offsets = replace_spans("", [])
    dates = [Moved(Day("day", n), Day("day", n + 3)) for n in (1, 5, 9)] + [Moved(Day("day", 30), None)]
    assert Utility.of(Narrative("", text, offsets, dates=dates)).share("intervals") == 3 / 6


def test_sums_add_up_and_tables_agree() -> None:
    narratives = [narrative("Quill", "5 mg", gold=["Quill"]), narrative("INR", gold=[]), narrative()]
    made = utility_of(narratives)
    assert made.documents == 3
    assert made.kept["doses"] == 5
    rows = {r["measure"]: r for r in made.table}
    assert rows["doses"] == {"measure": "doses", "count": 5, "of": 6, "share": 5 / 6}
    assert rows["intervals"]["share"] is None
    assert json.loads(made.to_json()) == {"documents": 3, "measures": made.table}
    read = list(csv.DictReader(io.StringIO(made.to_csv())))
    assert [r["measure"] for r in read] == list(rows)
    assert {r["measure"]: r["share"] for r in read}["intervals"] == "undefined"
    assert str(made).splitlines()[2].split() == ["doses", "5", "6", "0.8333"]
    assert ["intervals", "0", "0", "undefined"] in [line.split() for line in str(made).splitlines()]


@given(st.lists(st.tuples(st.integers(0, len(TEXT)), st.integers(0, 9)), max_size=6), st.booleans())
def test_shares_are_shares_whatever_is_masked(cuts: list[tuple[int, int]], gold: bool) -> None:
    at, pieces = 0, []
    for begin, length in sorted(cuts):
        if begin >= at:
            at = min(begin + length, len(TEXT))
            pieces.append(Replacement(begin, at, "[X]"))
    text, offsets = replace_spans(TEXT, pieces)
    made = Utility.of(Narrative(TEXT, text, offsets, gold=[(4, 9)] if gold else None))
    assert all(r["share"] is None or 0 <= r["share"] <= 1 for r in made.table)
    assert made.masked == (sum(p.end - p.begin for p in pieces) if gold else 0)
