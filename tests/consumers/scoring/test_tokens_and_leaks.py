"""Scores by token, character and document, and masking recall, against numbers counted by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.consumers.scoring import CRITERIA, Level, Mark, Pair, at_level, score
from caspipe.consumers.scoring.leaks import merged, shared, uncovered

MakePair = Callable[..., Pair]


def test_tokens_count_by_kind_and_as_phi(pair: MakePair) -> None:
    scores = score(
        [
            pair(
                "<PERSON>Ann Lee</PERSON> of <LOCATION>New York City</LOCATION>",
                "<PERSON>Ann Lee of</PERSON> <LOCATION>New York</LOCATION> City",
            )
        ],
        ["token", "token-binary"],
    )
    assert (scores.value("token", "PERSON", "precision"), scores.value("token", "PERSON", "recall")) == (2 / 3, 1)
    assert (scores.value("token", "LOCATION", "precision"), scores.value("token", "LOCATION", "recall")) == (1, 2 / 3)
    assert scores.value("token") == scores.value("token-binary") == pytest.approx(4 / 5)


def test_a_token_belongs_to_every_span_that_touches_it(pair: MakePair) -> None:
    straddled = pair("patient<PERSON>Smith</PERSON>", "<PERSON>patient</PERSON>Smith")
    assert len(straddled.tokens[0]) == 1
    assert score([straddled], ["token"]).value("token") == 1
    assert score([straddled], ["overlapping"]).value("overlapping") == 0


def test_masking_recall_asks_whether_a_token_is_masked_not_as_what(pair: MakePair) -> None:
    scores = score(
        [pair("<PERSON>Ann Lee</PERSON>, <DATE>3/4/2020</DATE>", "<ID>Ann</ID> Lee, <ID>3/4/2020</ID>")],
        ["masking", "masking-hipaa"],
    )
    assert scores.value("masking", "PERSON", "recall") == 1 / 2
    assert scores.value("masking", "DATE", "recall") == 3 / 3
    assert (scores.value("masking", "micro", "precision"), scores.value("masking", "micro", "recall")) == (1, 4 / 5)


def test_a_larger_token_finds_what_it_holds_and_is_false_as_well(pair: MakePair) -> None:
    """§4.4.1: "count it once as a correctly recognised PHI token and once as a token which was falsely recognised"."""
    scores = score([pair("on 1<DATE>March</DATE> x", "on <DATE>1March</DATE> x")], ["masking"])
    assert scores.value("masking", "micro", "recall") == 1
    assert scores.value("masking", "micro", "precision") == 1 / 2


def test_masking_recall_of_hipaa_leaves_the_other_kinds_out(pair: MakePair) -> None:
    scores = score(
        [pair("<AGE>40</AGE> <AGE_OVER_89>91</AGE_OVER_89> <PROFESSION>cook</PROFESSION>", "<AGE>40</AGE> 91 cook")],
        ["masking", "masking-hipaa"],
    )
    assert scores.value("masking", "micro", "recall") == 1 / 3
    assert scores.value("masking-hipaa", "micro", "recall") == 0


GOLD = (
    "<PERSON_PATIENT>Ann Lee</PERSON_PATIENT>, <AGE>40</AGE>, of <LOCATION_STATE>Ohio</LOCATION_STATE> saw "
    "<PERSON_DOCTOR>Bo Ray</PERSON_DOCTOR> at <LOCATION_HOSPITAL>Mercy</LOCATION_HOSPITAL> on <DATE>May 4</DATE> for pain"
)
FOUND = (
    "<PERSON_DOCTOR>Ann</PERSON_DOCTOR> Lee, <DATE>40</DATE>, of <LOCATION>Ohio</LOCATION> saw "
    "<PERSON_PATIENT>Bo Ray</PERSON_PATIENT> at Mercy on <DATE>May 4</DATE> for <PERSON_DOCTOR>pain</PERSON_DOCTOR>"
)


@pytest.mark.parametrize("level", ["kind", "i2b2-2014-sub"])
def test_binary_hipaa_leaves_tokens_of_other_kinds_out_on_both_sides(pair: MakePair, level: Level) -> None:
    """Required by HIPAA: Ann, Lee, May, 4. Found of them: Ann (as another kind), May, 4. Marked in vain: pain. Not counted:
    the age, the state, the doctor and the hospital, found or not."""
    scores = score([at_level(pair(GOLD, FOUND), level)], ["token-binary-hipaa", "token-binary"])
    assert scores.value("token-binary-hipaa", "micro", "recall") == 3 / 4
    assert scores.value("token-binary-hipaa", "micro", "precision") == 3 / 4
    assert scores.value("token-binary-hipaa", "micro", "f1") == 3 / 4
    assert scores.value("token-binary", "micro", "recall") == 7 / 9
    assert scores.value("token-binary", "micro", "precision") == 7 / 8


def test_hipaa_recall_does_not_depend_on_the_level_of_kinds(pair: MakePair) -> None:
    document = pair("<AGE>40</AGE> <LOCATION_STATE>Ohio</LOCATION_STATE> <DATE>May</DATE>", "40 Ohio <DATE>May</DATE>")
    levels: tuple[Level, ...] = ("kind", "top", "i2b2-2014-sub")
    assert [
        score([at_level(document, x)], ["masking-hipaa"]).value("masking-hipaa", "micro", "recall") for x in levels
    ] == [1] * 3


def test_the_share_of_safe_tokens_removed(pair: MakePair) -> None:
    """Safe: Seen, by, at, 10, with, fever, and the, of and 2 of a later line; by, fever and half of `with` are masked."""
    text = "Seen <PERSON>by Ann Lee</PERSON> at 10 wi<ID>th fever</ID>.\nThe 2 of <DATE>May</DATE>"
    gold = "Seen by <PERSON>Ann Lee</PERSON> at 10 with fever.\nThe 2 of <DATE>May</DATE>"
    scores = score([pair(gold, text)], ["safe-removed", "masking"])
    assert scores.value("safe-removed", "micro", "score") == 3 / 9
    assert scores.value("masking", "micro", "precision") == 3 / 6  # Ann, Lee, May; by, th, fever
    assert [row.gold for row in scores.table if row.criterion == "safe-removed"] == [9]


def test_a_word_that_is_partly_phi_is_not_safe(pair: MakePair) -> None:
    scores = score([pair("pre<PERSON>Smith</PERSON> x", "<PERSON>preSmith</PERSON> x")], ["safe-removed"])
    assert scores.value("safe-removed", "micro", "score") == 0


def test_optional_spans_are_not_safe(pair: MakePair) -> None:
    made = pair("the old <PERSON>Ann</PERSON>", "<PERSON>the old Ann</PERSON>")
    assert score([made], ["safe-removed"]).value("safe-removed", "micro", "score") == 1
    optional = Pair("x", made.text, made.gold, made.system, made.tokens, optional=[Mark(0, 3, "OTHER")])
    assert score([optional], ["safe-removed"]).value("safe-removed", "micro", "score") == 1 / 1
    assert [row.gold for row in score([optional], ["safe-removed"]).table] == [1]


def test_without_safe_tokens_the_share_is_undefined(pair: MakePair) -> None:
    assert (
        score([pair("<PERSON>Ann</PERSON>.", "Ann.")], ["safe-removed"]).value("safe-removed", "micro", "score") is None
    )


def test_characters_are_counted_once_whatever_the_spans_overlap(pair: MakePair) -> None:
    scores = score(
        [pair("x <PERSON>Ann <ID>Lee</ID></PERSON> y", "x Ann <ID>Lee y</ID>")],
        ["characters"],
    )
    assert scores.value("characters", "micro", "recall") == 3 / 7
    assert scores.value("characters", "micro", "precision") == 3 / 5
    assert scores.value("characters", "PERSON", "recall") == 3 / 7
    assert scores.value("characters", "ID", "recall") == 1


def test_a_document_leaks_if_one_letter_or_digit_stays(pair: MakePair) -> None:
    scores = score(
        [
            pair("by <PERSON>Ann Lee</PERSON>.", "by <PERSON>Ann</PERSON> <ID>Lee</ID>.", "blank between"),
            pair("on <DATE>3/4/2020</DATE>.", "on <DATE>3/4/202</DATE>0.", "a digit"),
            pair("by <PERSON>Bo</PERSON> on <DATE>3/4</DATE>", "by <PERSON>Bo</PERSON> on 3/4", "one of two"),
            pair("nothing to protect", "<ID>nothing</ID> to protect", "empty"),
        ],
        ["documents"],
    )
    assert scores.value("documents", "micro", "score") == 1 / 3
    assert scores.value("documents", "PERSON", "score") == 2 / 2
    assert scores.value("documents", "DATE", "score") == 0 / 2
    row = next(r for r in scores.table if r.kind == "micro")
    assert (row.gold, row.tp, row.fn) == (3, 1, 2)


def test_nothing_found_leaves_precision_undefined_everywhere(pair: MakePair) -> None:
    scores = score([pair("by <PERSON>Ann</PERSON>")], list(CRITERIA))
    for row in scores.table:
        if "precision" in row.applies:
            assert row.precision is None, row.criterion
            assert row.shown("precision") == "undefined"
        if "f1" in row.applies:
            assert row.f1 is None, row.criterion


SPANS = (
    st.lists(st.tuples(st.integers(0, 25), st.integers(1, 6)).map(lambda s: (s[0], s[0] + s[1])))
    .map(sorted)
    .map(merged)
)


@given(SPANS, SPANS)
def test_sweeps_over_spans_are_set_operations_on_characters(
    left: list[tuple[int, int]], right: list[tuple[int, int]]
) -> None:
    def points(spans: list[tuple[int, int]]) -> list[int]:
        return [i for b, e in spans for i in range(b, e)]

    mine, others = set(points(left)), set(points(right))
    assert points(list(shared(left, right))) == sorted(mine & others)
    assert points(list(uncovered(left, right))) == sorted(mine - others)


def test_masking_recall_and_tokens_differ_in_what_a_token_is(pair: MakePair) -> None:
    mail = pair("<EMAIL>a.lee@x.org</EMAIL>", "<EMAIL>a.lee</EMAIL>@x.org")
    assert score([mail], ["masking"]).value("masking", "micro", "recall") == 2 / 4
    assert score([mail], ["token-binary"]).value("token-binary", "micro", "recall") == pytest.approx(
        3 / len(mail.tokens[0])
    )


def test_a_reference_span_is_covered_if_no_letter_or_digit_of_it_is_left(pair: MakePair) -> None:
    scores = score(
        [
            pair(
                "<PERSON>Ann-Lee Fern</PERSON>, <DATE>3/4/2020</DATE>, <DATE>May</DATE>",
                "<ID>Ann</ID>-<PERSON>Lee</PERSON> <ID>Fern</ID>, <DATE>3/4</DATE>/2020, May",
            )
        ],
        ["covered"],
    )
    assert scores.value("covered", "PERSON", "recall") == 1
    assert scores.value("covered", "DATE", "recall") == 0
    assert scores.value("covered", "micro", "recall") == 1 / 3


def test_false_spans_are_counted_for_each_1000_words_of_all_documents(pair: MakePair) -> None:
    one = pair("<PERSON>Ann</PERSON> in New York", "<PERSON>Ann in</PERSON> <LOCATION>New</LOCATION> <ID>York</ID>")
    scores = score([one, pair("nothing to see here, at all")], ["false-spans"])
    assert scores.value("false-spans", "micro", "score") == 2 * 1000 / 10
    (row,) = scores.table
    assert (row.gold, row.system, row.precision) == (None, None, None)
