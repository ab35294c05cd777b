"""Optional reference spans are neither missed nor false, in every criterion and scheme. All texts are our own."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from caspipe.consumers.scoring import CRITERIA, SCHEMES, Mark, Pair, pair_of, pair_of_two, score
from caspipe.consumers.scoring.alignment import mistakes
from caspipe.consumers.scoring.confusion import confusion_of
from caspipe.consumers.scoring.credit import credit_of
from caspipe.consumers.scoring.curves import curve
from caspipe.typesystem import GOLD_VIEW, OPTIONAL, Cas, Phi, PhiCandidate, PhiKind, SpanAttribute

MakePair = Callable[..., Pair]
TEXT = "Ivy Fern, cook, came on Tue 3 May to Lund."
FERN, COOK, TUESDAY, MAY, LUND = (0, 8), (10, 14), (24, 27), (28, 33), (37, 41)


def cas(*found: tuple[tuple[int, int], str]) -> Cas:
    """A document with two obligatory and two optional reference spans, and found spans with a candidate for each."""
    made = Cas(TEXT, id="a")
    view = made.create_view(GOLD_VIEW, TEXT)
    gold = [Phi(*span, kind=PhiKind.of(k)) for span, k in ((FERN, "PERSON"), (MAY, "DATE"))]
    optional = [Phi(*span, kind=PhiKind.of(k)) for span, k in ((COOK, "PROFESSION"), (TUESDAY, "DATE_WEEKDAY"))]
    view.add_all([*gold, *optional])
    view.add_all([SpanAttribute(of=phi, name=OPTIONAL) for phi in optional])
    view.add(SpanAttribute(of=gold[0], name="certainty", value="low"))
    made.view().add_all([Phi(*span, kind=PhiKind.of(k)) for span, k in found])
    made.view().add_all([PhiCandidate(*span, kind=PhiKind.of(k)).set_source("rules") for span, k in found])
    return made


RIGHT = ((FERN, "PERSON"), (MAY, "DATE"))
BOTH = (*RIGHT, (COOK, "PROFESSION"), (TUESDAY, "DATE"))
FALSE = (*BOTH, (LUND, "LOCATION"))


def values(found: tuple[tuple[tuple[int, int], str], ...]) -> list[object]:
    pairs = [pair_of(cas(*found))]
    tables = [score(pairs, list(CRITERIA)).rows(), *(score(pairs, scheme=name).rows() for name in SCHEMES)]
    return [row for rows in tables for row in rows]


def test_an_optional_span_that_is_not_found_is_not_missed() -> None:
    scores = score([pair_of(cas(*RIGHT))], [name for name in CRITERIA if name not in ("false-spans", "safe-removed")])
    assert {row.score if row.applies == ("score",) else row.recall for row in scores.table} == {1.0}
    assert pair_of(cas()).gold == [Mark(*FERN, "PERSON"), Mark(*MAY, "DATE")]


def test_an_optional_span_that_is_found_changes_no_figure_of_any_criterion_or_scheme() -> None:
    assert values(BOTH) == values(RIGHT)


def test_a_false_span_is_false_next_to_optional_ones() -> None:
    scores = score([pair_of(cas(*FALSE))], ["strict", "masking", "characters", "token-binary", "false-spans"])
    assert scores.value("strict", "micro", "precision") == 2 / 3
    assert scores.value("masking", "micro", "precision") == 4 / 5
    assert scores.value("characters", "micro", "precision") == 13 / 17
    assert scores.value("false-spans", "micro", "score") == 1000 / 10


def test_a_found_span_that_holds_more_than_an_optional_one_is_ignored_too() -> None:
    assert pair_of(cas(*RIGHT, ((10, 20), "PROFESSION"))).system == pair_of(cas(*RIGHT)).system


def test_of_a_found_span_over_both_sorts_the_optional_part_is_not_false() -> None:
    scores = score(
        [pair_of(cas((FERN, "PERSON"), ((24, 33), "DATE")))], ["masking", "token-binary", "overlapping", "strict"]
    )
    assert scores.value("masking", "micro", "precision") == 1
    assert scores.value("token-binary", "micro", "precision") == 1
    assert scores.value("overlapping", "micro", "precision") == 1
    assert scores.value("strict", "micro", "precision") == 1 / 2  # its bounds are others than those of the date
    tokens = score([pair_of(cas((FERN, "PERSON"), ((24, 33), "DATE")))], scheme="i2b2-2014")
    assert tokens.value("token", "micro", "precision") == 1


def test_characters_of_optional_spans_are_neither_right_nor_wrong() -> None:
    scores = score([pair_of(cas((FERN, "PERSON"), ((24, 33), "DATE")))], ["characters"])
    assert scores.value("characters", "micro", "precision") == 13 / 14  # the space between weekday and date


def test_breakdowns_leave_optional_spans_out() -> None:
    pair = pair_of(cas(*FALSE))
    assert confusion_of([pair]).counts == {("PERSON", "PERSON"): 1, ("DATE", "DATE"): 1, ("(spurious)", "LOCATION"): 1}
    (share,) = credit_of([pair]).shares
    assert (share.proposed, share.right, share.gold) == (3, 2, 2)
    assert [(p.kept, p.right) for p in curve([pair]).points] == [(3, 2)]
    assert [(m.group, m.begin) for m in mistakes(pair)] == [("false", LUND[0])]


def test_an_optional_mark_under_an_obligatory_one_does_not_hide_it(pair: MakePair) -> None:
    made = pair("<DATE>Tue 3 May</DATE>", "<DATE>Tue</DATE> 3 May", optional=[Mark(0, 3, "DATE_WEEKDAY")])
    assert made.system == [Mark(0, 3, "DATE")]
    assert score([made], ["masking"]).value("masking", "micro", "recall") == 1 / 3


def test_optional_spans_can_be_treated_as_others() -> None:
    made = cas(*BOTH)
    assert len(pair_of_two(made, made, GOLD_VIEW, "_InitialView", optional=False).gold) == 4


def test_an_optional_span_outside_the_text_is_an_error(pair: MakePair) -> None:
    with pytest.raises(Exception, match="document d: optional span 1: 0:99 is not a span of the text"):
        score([pair("text", optional=[Mark(0, 99, "DATE")])])
