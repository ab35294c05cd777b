"""Consumer of token and label columns. All texts are ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from caspipe.consumers.corpora.conll import ConllConsumer
from caspipe.readers.corpora.conll import ConllReader
from caspipe.typesystem import Cas, CasError, CaspipeWarning, PhiKind, Sentence, Token

from round_trips import document, gold, read, written  # isort: skip


def spans(*named: tuple[int, int, str]) -> list[tuple[int, int, PhiKind]]:
    return [(b, e, PhiKind.of(kind)) for b, e, kind in named]


def lines(tmp_path: Path, *cases: Cas, **options: Any) -> list[str]:
    written(ConllConsumer(**options), tmp_path, cases)
    return (tmp_path / "restricted/documents.conll").read_text(encoding="utf-8").split("\n")


TEXT = "Mr Ivy Lee came\nBorn today."


@pytest.mark.parametrize(
    ("tags", "labels"),
    [
        ("IOB2", ["B-PERSON", "I-PERSON", "B-DATE"]),
        ("BILOU", ["B-PERSON", "L-PERSON", "U-DATE"]),
        ("IO", ["I-PERSON", "I-PERSON", "I-DATE"]),
    ],
)
def test_tokens_labels_sentences_and_documents(tmp_path: Path, tags: Any, labels: list[str]) -> None:
    cas = document(TEXT, spans((3, 10, "PERSON"), (21, 26, "DATE")))
    one, two, date = labels
    made = lines(tmp_path, cas, document("a", [], id="b c\td"), tags=tags)
    assert made == [
        "-DOCSTART- ward/note-1\tO", "",
        "Mr\tO", f"Ivy\t{one}", f"Lee\t{two}", "came\tO", "",
        "Born\tO", f"today\t{date}", ".\tO", "", "-DOCSTART- b c d\tO", "", "a\tO", "", "",
    ]  # fmt: skip
    first, second = read(ConllReader(files=tmp_path / "restricted/documents.conll", tags=tags))
    assert (first.id, second.id, first.text) == (
        "documents/ward/note-1",
        "documents/b c d",
        "Mr Ivy Lee came\nBorn today.\n",
    )
    assert gold(first) == gold(cas)


def test_the_documents_own_tokens_sentences_and_tags_are_used(tmp_path: Path) -> None:
    cas = document("Seen:by Ivy", spans((8, 11, "PERSON")))
    cas.view().add_spans(Token, [0, 5, 8], [5, 7, 11])
    cas.view().add_all([Sentence(0, 5), Sentence(5, 11)])
    cas.view("gold").add_all([Token(0, 5, pos="VB"), Token(5, 7, pos="IN"), Token(8, 11, pos="NNP")])
    made = lines(tmp_path, cas, columns=["token", "pos", "begin", "end", "label"])
    assert made == [
        "-DOCSTART- ward/note-1\t-X-\t0\t0\tO", "",
        "Seen:\tVB\t0\t5\tO", "", "by\tIN\t5\t7\tO", "Ivy\tNNP\t8\t11\tB-PERSON", "", "",
    ]  # fmt: skip


def test_no_sentence_ends_inside_a_span(tmp_path: Path) -> None:
    made = lines(tmp_path, document("to Ivy\nLee\nnow", spans((3, 10, "PERSON"))))
    assert made[2:] == ["to\tO", "Ivy\tB-PERSON", "Lee\tI-PERSON", "", "now\tO", "", ""]


@pytest.mark.parametrize(
    ("unaligned", "rows", "told"),
    [
        (
            "split",
            ["aged", "53", "años", "MK", "7", "x"],
            "conll: 2 spans did not begin and end with tokens (tokens were split there)",
        ),
        (
            "widen",
            ["aged", "53años", "MK7", "x"],
            "conll: 2 spans did not begin and end with tokens (they were widened)",
        ),
    ],
)
def test_spans_that_are_not_aligned_are_counted(tmp_path: Path, unaligned: Any, rows: list[str], told: str) -> None:
    cas = document("aged 53años MK7 x", spans((5, 7, "AGE"), (14, 15, "ID")))
    cas.view().add_spans(Token, [0, 5, 12, 16], [4, 11, 15, 17])
    consumer = ConllConsumer(unaligned=unaligned)
    consumer.output = tmp_path
    consumer.process(cas)
    with pytest.warns(CaspipeWarning) as warned:
        consumer.close()
    assert [str(w.message) for w in warned] == [told]
    made = (tmp_path / "restricted/documents.conll").read_text(encoding="utf-8").split("\n")[2:-2]
    assert [row.split("\t")[0] for row in made] == rows
    assert [row for row in made if not row.endswith("\tO")] == (
        ["53\tB-AGE", "7\tB-ID"] if unaligned == "split" else ["53años\tB-AGE", "MK7\tB-ID"]
    )


def test_words_that_no_token_covers_are_written_where_a_span_has_them(tmp_path: Path) -> None:
    cas = document("Ivy \u2603\u2603 x", spans((0, 6, "PERSON")))
    cas.view().add_spans(Token, [0, 7], [3, 8])
    assert lines(tmp_path, cas)[2:] == ["Ivy\tB-PERSON", "\u2603\u2603\tI-PERSON", "x\tO", "", ""]


def test_what_cannot_be_said_is_counted(tmp_path: Path) -> None:
    cas = document("ab  c", spans((0, 1, "AGE"), (1, 2, "ID"), (2, 4, "ID")), [(0, "certainty", "low")])
    cas.view().add_spans(Token, [0, 4], [2, 5])
    consumer = ConllConsumer(unaligned="widen")
    consumer.output = tmp_path
    consumer.process(cas)
    with pytest.warns(CaspipeWarning) as warned:
        consumer.close()
    assert [str(w.message).removeprefix("conll: ") for w in warned] == [
        "3 spans did not begin and end with tokens (they were widened)",
        "2 spans without a token of their own were left out",
        "1 attributes of spans were left out: the format cannot store them",
    ]


def test_a_token_like_the_mark_begins_no_document(tmp_path: Path) -> None:
    cas = document("a -DOCSTART- b", [])
    cas.view().add_spans(Token, [0, 2, 13], [1, 12, 14])
    written(ConllConsumer(), tmp_path, [cas])
    (back,) = read(ConllReader(files=tmp_path / "restricted/documents.conll"))
    assert back.text == "a _DOCSTART_ b\n"


def test_overlaps_and_columns_are_checked(tmp_path: Path) -> None:
    cas = document("Ivy Lee", spans((0, 3, "PERSON"), (0, 7, "PERSON")))
    with pytest.raises(CasError, match="spans 0:3 and 0:7 overlap"):
        ConllConsumer().process(cas)
    assert lines(tmp_path, cas, overlaps="longest")[2:4] == ["Ivy\tB-PERSON", "Lee\tI-PERSON"]
    for columns in (["label"], ["label", "token"], ["token", "token"]):
        with pytest.raises(ValueError, match="columns: expected token first, and every name once"):
            ConllConsumer(columns=columns)  # type: ignore[arg-type]  # as YAML gives them
