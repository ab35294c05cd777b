"""Schemes of shared tasks: small documents counted by hand after the official scripts, peculiarities included."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from caspipe.consumers.scoring import SCHEMES, Entity, Mark, Pair, score
from caspipe.consumers.scoring.schemes.conll import chunks_of_labels, pair_of_labels
from caspipe.pipeline.errors import ConsumerError

MakePair = Callable[..., Pair]


def figures(scores: object, criterion: str, kind: str = "micro") -> tuple[float | None, ...]:
    return tuple(scores.value(criterion, kind, f) for f in ("precision", "recall"))  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("scheme", "criterion"),
    [("i2b2-2014", "token"), ("i2b2-2014", "strict"), ("meddocan", "ner"), ("meddocan", "spans"), ("conll", "chunk")],
)
def test_f1_is_zero_as_the_scripts_print_it_where_nothing_was_found(
    pair: MakePair, scheme: str, criterion: str
) -> None:
    scores = score([pair("by <PERSON>Ann Lee</PERSON>")], scheme=scheme)
    assert (scores.value(criterion, "micro", "precision"), scores.value(criterion, "micro", "f1")) == (None, 0)


# -- i2b2 2014 ---------------------------------------------------------------------------------------------------


def test_i2b2_compares_category_type_and_offsets(pair: MakePair) -> None:
    scores = score(
        [
            pair(
                "<PERSON_PATIENT>Ann</PERSON_PATIENT> <PERSON_DOCTOR>Lee</PERSON_DOCTOR> <DATE>3/4</DATE>",
                "<PERSON_INITIALS>Ann</PERSON_INITIALS> <PERSON>Lee</PERSON> <DATE_YEAR>3/4</DATE_YEAR>",
            )
        ],
        scheme="i2b2-2014",
    )
    assert figures(scores, "strict") == (
        2 / 3,
        2 / 3,
    )  # a patient is no doctor; initials and patients are both NAME/PATIENT
    assert figures(scores, "strict", "NAME") == (1 / 2, 1 / 2)
    assert figures(scores, "binary-strict") == (1, 1)
    assert figures(scores, "hipaa-strict") == (2 / 3, 1)  # doctors are not on the list; the system called one a patient


def test_i2b2_tokens_are_runs_of_ascii_letters_and_digits(pair: MakePair) -> None:
    scores = score(
        [pair("<PERSON>José-Lee</PERSON> <DATE>3/4</DATE>", "José<PERSON>-Lee</PERSON> <DATE>3/4</DATE>")],
        scheme="i2b2-2014",
    )
    assert figures(scores, "token") == (3 / 3, 3 / 4)  # Jos, Lee, 3, 4


def test_i2b2_a_tag_without_ascii_letters_is_one_token_at_its_end(pair: MakePair) -> None:
    scores = score([pair("<OTHER>№</OTHER> <ID_SSN>12</ID_SSN>", "<OTHER>№</OTHER> 12")], scheme="i2b2-2014")
    assert figures(scores, "token") == (1, 1 / 2)


def test_i2b2_relaxed_lets_the_end_differ_by_two_and_the_begin_not_at_all(pair: MakePair) -> None:
    gold = "<PERSON>Ann's</PERSON> x <DATE>3/4/20</DATE> y <ID>12345</ID> z <AGE>65 years</AGE>"
    system = "<PERSON>Ann</PERSON>'s x <DATE>3</DATE>/4/20 y 1<ID>2345</ID> z <AGE>65 years</AGE>"
    scores = score([pair(gold, system)], scheme="i2b2-2014")
    assert figures(scores, "strict") == (1 / 4, 1 / 4)
    assert figures(scores, "relaxed") == (2 / 4, 2 / 4)


def test_i2b2_relaxed_counts_hits_on_the_side_with_fewer_tags() -> None:
    text = "0123456789012345"
    gold = [Mark(0, 10, "ID"), Mark(0, 13, "ID"), Mark(0, 14, "ID")]  # the last is alike the one before, and collapses
    scores = score([Pair("d", text, gold, [Mark(0, 12, "ID")], ([0], [16]))], scheme="i2b2-2014")
    row = next(r for r in scores.table if (r.criterion, r.kind) == ("relaxed", "micro"))
    assert (row.tp, row.fp, row.fn) == (1, 0, 0)


def test_i2b2_never_takes_idnum_for_hipaa_though_its_guideline_does(pair: MakePair) -> None:
    scores = score([pair("<ID>77</ID> <ID_SSN>88</ID_SSN>", "<ID>77</ID> 88")], scheme="i2b2-2014")
    row = next(r for r in scores.table if (r.criterion, r.kind) == ("hipaa-strict", "micro"))
    assert (row.gold, row.system) == (1, 0)


def test_i2b2_binary_strict_lets_a_tag_of_the_category_phi_hit_its_like_only(pair: MakePair) -> None:
    gold = "<OTHER>red car</OTHER> <OTHER>blue car</OTHER> <ID>77</ID>"
    system = "<OTHER>red car</OTHER> <PROFESSION>blue car</PROFESSION> <PHONE>77</PHONE>"
    scores = score([pair(gold, system)], scheme="i2b2-2014")
    assert figures(scores, "binary-strict") == (2 / 3, 2 / 3)
    assert figures(scores, "binary-token") == (1, 1)


def test_i2b2_macro_is_the_mean_over_documents_with_0_for_undefined(pair: MakePair) -> None:
    documents = [
        pair("<AGE>5</AGE> <AGE>6</AGE>", "<AGE>5</AGE> 6", "half"),
        pair("<AGE>5</AGE>", "5", "nothing found"),
        pair("5", "5", "nothing there"),
    ]
    scores = score(documents, scheme="i2b2-2014")
    assert figures(scores, "strict", "macro") == pytest.approx((1 / 3, 0.5 / 3))
    assert scores.value("strict", "macro", "f1") == pytest.approx(2 * (1 / 3 * 0.5 / 3) / (1 / 3 + 0.5 / 3))
    assert figures(scores, "strict") == (1, 1 / 3)


# -- MEDDOCAN ----------------------------------------------------------------------------------------------------


def test_meddocan_merges_neighbours_with_no_letter_or_digit_between(pair: MakePair) -> None:
    gold = "<PERSON_PATIENT>Ana</PERSON_PATIENT> <PERSON_PATIENT>Ruiz</PERSON_PATIENT> de <LOCATION_CITY>Lugo</LOCATION_CITY>"
    system = "<PERSON_PATIENT>Ana Ruiz</PERSON_PATIENT> de <LOCATION_COUNTRY>Lugo</LOCATION_COUNTRY>"
    scores = score([pair(gold, system, sentences=2)], scheme="meddocan")
    assert figures(scores, "ner") == (0, 0)
    assert figures(scores, "spans") == (1 / 2, 1 / 3)
    assert figures(scores, "spans-merged") == (1, 1)  # Ana Ruiz and Lugo
    assert scores.value("leak", "micro", "score") == 3 / 2


def test_meddocan_counts_a_span_and_the_merged_one_around_it_as_two_hits(pair: MakePair) -> None:
    both = "<PERSON>Ana</PERSON> <PERSON>Ruiz</PERSON> y <AGE>5</AGE>"
    scores = score([pair(both, "<PERSON>Ana</PERSON> <PERSON>Ruiz</PERSON> y 5")], scheme="meddocan")
    row = next(r for r in scores.table if r.criterion == "spans-merged")
    assert (row.tp, row.fp, row.fn) == (3, 0, 1)


def test_meddocan_leak_is_undefined_where_sentences_were_not_counted(pair: MakePair) -> None:
    line = "<AGE>5</AGE>"
    scores = score([pair(line, sentences=3), pair(line, id="e")], scheme="meddocan")
    assert scores.value("leak", "micro", "score") is None
    assert "undefined" in scores.to_text()


# -- CoNLL -------------------------------------------------------------------------------------------------------


def test_conll_counts_chunks_by_first_token_last_token_and_type() -> None:
    gold = [["B-PER", "I-PER", "O", "B-LOC", "O"], ["B-LOC", "I-LOC"]]
    system = [["B-PER", "O", "O", "B-LOC", "B-ORG"], ["B-LOC", "I-LOC"]]
    scores = score([pair_of_labels("d", gold, system)], scheme="conll")
    assert figures(scores, "chunk") == (2 / 4, 2 / 3)
    assert figures(scores, "chunk", "LOC") == (1, 1)
    assert figures(scores, "chunk", "ORG") == (0, None)
    assert scores.value("chunk", "macro", "recall") == pytest.approx((0 + 1 + 0) / 3)  # ORG: undefined counts as 0
    assert scores.value("accuracy", "micro", "score") == 5 / 7
    assert scores.value("accuracy", "not O", "score") == 4 / 5


@pytest.mark.parametrize(
    ("labels", "conlleval", "strict"),
    [
        ("O I-A I-A", [("A", 1, 3)], []),
        ("B-A I-B I-B", [("A", 0, 1), ("B", 1, 3)], [("A", 0, 1)]),
        ("B-A B-A I-A", [("A", 0, 1), ("A", 1, 3)], [("A", 0, 1), ("A", 1, 3)]),
        ("S-A B-A E-A I-A", [("A", 0, 1), ("A", 1, 3), ("A", 3, 4)], [("A", 1, 2)]),
    ],
)
def test_labels_that_are_no_proper_iob2_are_read_as_the_programs_do(
    labels: str, conlleval: list[tuple[str, int, int]], strict: list[tuple[str, int, int]]
) -> None:
    assert list(chunks_of_labels(labels.split())) == conlleval
    assert list(chunks_of_labels(labels.split(), "strict")) == strict


def test_conll_accuracy_compares_the_labels_that_were_given() -> None:
    scores = score([pair_of_labels("d", [["O", "I-LOC", "I-LOC"]], [["O", "B-LOC", "I-LOC"]])], scheme="conll")
    assert figures(scores, "chunk") == (1, 1)  # the same chunk
    assert scores.value("accuracy", "micro", "score") == 2 / 3
    assert scores.value("accuracy", "not O", "score") == 1 / 2


@pytest.mark.parametrize("label", ["", "B", "B-", "X-PER", "PER"])
def test_what_is_no_label_is_an_error(label: str) -> None:
    with pytest.raises(ConsumerError, match=r"label 2: expected O or one of B-, I-, E-, S- and a type"):
        list(chunks_of_labels(["O", label]))


def test_label_sequences_must_have_the_same_lengths() -> None:
    with pytest.raises(ConsumerError, match="different numbers of sentences or labels"):
        pair_of_labels("d", [["O"]], [["O", "O"]])


def test_a_token_that_two_spans_touch_goes_to_the_first(pair: MakePair) -> None:
    scores = score([pair("<ID>AB</ID><DATE>CD</DATE> x", "<ID>ABCD</ID> x")], scheme="conll")
    assert figures(scores, "chunk") == (1, 1)


# -- TAB ---------------------------------------------------------------------------------------------------------


def tab(text: str, entities: list[Entity], masked: list[tuple[int, int]]) -> Pair:
    return Pair("d", text, [], [Mark(b, e, "MASK") for b, e in masked], ([], []), entities=entities)


def test_tab_an_entity_is_masked_if_all_its_mentions_are() -> None:
    text = "Mr Smith met Jones. Smith left."
    entities = [
        Entity("PERSON", True, ((0, 8, True), (20, 25, True))),
        Entity("PERSON", False, ((13, 18, True),)),
    ]
    scores = score([tab(text, entities, [(3, 8), (13, 18)])], scheme="tab")
    assert scores.value("entity", "DIRECT", "recall") == 0  # the second Smith is open
    assert scores.value("entity", "QUASI", "recall") == 1
    assert scores.value("entity", "micro", "recall") == 1 / 2
    assert scores.value("mention", "micro", "recall") == 2 / 3  # `Mr ` may stay
    assert scores.value("token", "micro", "recall") == 3 / 4
    assert scores.value("mention", "micro", "precision") == 2 / 2  # the mask lies inside the mention
    assert scores.value("entity-macro", "micro", "score") == 1 / 2


def test_tab_a_mention_that_needs_no_mask_leaves_its_entity_masked() -> None:
    entities = [Entity("ORG", False, ((0, 3, True), (4, 7, False)))]
    scores = score([tab("ABC ABC", entities, [(0, 3)])], scheme="tab")
    assert scores.value("entity", "QUASI", "recall") == 1
    assert scores.value("mention", "micro", "recall") == 1 / 2
    assert scores.value("entity", "DIRECT", "recall") is None


def test_tab_annotators_count_as_several_references() -> None:
    entities = [
        Entity("DATE", False, ((0, 4, True),), "first"),
        Entity("DATE", False, ((5, 9, True),), "second"),
    ]
    scores = score([tab("1999 2001", entities, [(0, 4)])], scheme="tab")
    assert scores.value("entity", "QUASI", "recall") == 1 / 2
    assert scores.value("token", "micro", "precision") == 1 / 2


def test_tab_links_mentions_by_kind_and_text_where_nobody_linked_them(pair: MakePair) -> None:
    gold = "<PERSON>Lee</PERSON> and <PERSON>LEE</PERSON>, <DATE>1999</DATE>"
    scores = score([pair(gold, "<PERSON>Lee</PERSON> and LEE, <ID>1999</ID>")], scheme="tab")
    assert scores.value("entity", "DIRECT", "recall") == 0 / 1
    assert scores.value("entity", "QUASI", "recall") == 1 / 1
    assert scores.value("mention", "micro", "precision") == 1
    nothing = score([pair("plain", "<ID>plain</ID>")], scheme="tab")
    assert nothing.value("mention", "micro", "precision") == 0


# -- all ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_perfect_system_has_figures_of_1_and_no_system_none_that_are_undefined_but_precision(
    scheme: str, pair: MakePair
) -> None:
    line = "<PERSON_PATIENT>Ann</PERSON_PATIENT> of <LOCATION_CITY>Lugo</LOCATION_CITY>, <DATE>3/4</DATE>"
    for row in score([pair(line, line, sentences=1)], scheme=scheme).table:
        for figure in row.applies:
            assert getattr(row, figure) == (0 if row.criterion == "leak" else 1), (row.criterion, row.kind, figure)
    for row in score([pair(line)], scheme=scheme).table:
        if row.gold:
            assert row.tp == 0 or row.criterion == "accuracy"


def test_an_unknown_name_is_an_error_that_names_the_nearest() -> None:
    with pytest.raises(ConsumerError, match=r"no scheme called 'medocan'; did you mean meddocan\?"):
        score([], scheme="medocan")
    with pytest.raises(ConsumerError, match=r"no criterion called 'strikt'; did you mean strict\?"):
        score([], ["strikt"])
    assert score([], scheme="seqeval").criteria == ["chunk", "accuracy"]
