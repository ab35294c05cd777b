"""The table of figures: what is undefined, what it looks like as JSON, CSV, text and data frame, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable

import pytest

from caspipe.consumers.scoring import Mark, Pair, Tally, at_level, measures, score
from caspipe.consumers.scoring.report import Report
from caspipe.consumers.scoring.scores import Scores
from caspipe.pipeline.errors import ConsumerError

MakePair = Callable[..., Pair]
SECRET = "Featherstone"


@pytest.fixture
def scores(pair: MakePair) -> Scores:
    line = f"by <PERSON>{SECRET}</PERSON> aged <AGE>5</AGE>"
    return score([pair(line, f"<ID>by</ID> <PERSON>{SECRET}</PERSON> aged 5")], ["strict", "documents"])


def test_undefined_figures_are_none_and_print_as_undefined(scores: Scores) -> None:
    assert scores.value("strict", "ID", "recall") is None
    assert scores.value("strict", "AGE", "precision") is None
    assert (scores.value("strict", "ID"), scores.value("strict", "AGE")) == (None, None)
    line = next(x for x in scores.to_text().splitlines() if " AGE " in x and x.startswith("strict"))
    assert line.split() == ["strict", "AGE", "1", "0", "0", "0", "1", "undefined", "0.000", "undefined"]


def test_nothing_to_find_and_nothing_found_has_no_figures(pair: MakePair) -> None:
    empty = score([pair("plain text")])
    assert [empty.value("strict", "micro", f) for f in ("precision", "recall", "f1")] == [None] * 3
    assert [empty.value("strict", "macro", f) for f in ("precision", "recall", "f1")] == [None] * 3
    none = score([])
    assert none.value("overlapping") is None
    assert none.documents == []


def test_rows_come_by_kind_then_micro_then_macro(scores: Scores) -> None:
    assert [(r.criterion, r.kind) for r in scores.table] == [
        ("strict", "AGE"),
        ("strict", "ID"),
        ("strict", "PERSON"),
        ("strict", "micro"),
        ("strict", "macro"),
        ("documents", "AGE"),
        ("documents", "PERSON"),
        ("documents", "micro"),
    ]


def test_a_kind_that_never_occurred_is_undefined_but_a_criterion_or_figure_must_exist(scores: Scores) -> None:
    assert scores.value("strict", "URL") is None
    with pytest.raises(ConsumerError, match=r"no criterion 'strct' was scored; did you mean strict\?"):
        scores.value("strct")
    with pytest.raises(ConsumerError, match=r"documents, micro: no figure 'f1'; expected one of score"):
        scores.value("documents")


def test_json_and_csv_hold_the_same_figures_and_no_text(scores: Scores) -> None:
    data = json.loads(scores.to_json())
    assert data["documents"] == 1
    rows = list(csv.DictReader(io.StringIO(scores.to_csv())))
    assert len(rows) == len(data["rows"]) == len(scores.table)
    for row, plain in zip(rows, data["rows"], strict=True):
        for figure in ("precision", "recall", "f1", "score"):
            assert row[figure] in ("undefined", "") if plain[figure] is None else float(row[figure]) == plain[figure]
    assert rows[0]["precision"] == "undefined"
    assert rows[0]["score"] == ""
    for text in (scores.to_json(), scores.to_csv(), scores.to_text(), repr(scores)):
        assert SECRET not in text


def test_a_data_frame_needs_pandas_and_says_so(scores: Scores, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ConsumerError, match=r"a data frame needs pandas: pip install 'caspipe\[analysis\]'"):
        scores.to_dataframe()


def test_a_data_frame_has_the_rows_of_the_table(scores: Scores) -> None:
    pytest.importorskip("pandas", reason="needs pandas")
    frame = scores.to_dataframe()
    assert list(frame["kind"]) == [r.kind for r in scores.table]
    assert frame["recall"].isna().sum() == sum(r.recall is None for r in scores.table)


def test_a_tally_takes_its_last_document_back(pair: MakePair) -> None:
    tally = Tally(measures(["strict", "token"]))
    tally.add(pair("<AGE>5</AGE>", "<AGE>5</AGE>", "a"))
    tally.add(pair("<AGE>5</AGE>", "5", "b"))
    tally.rollback()
    tally.rollback()  # there is none to take back any more
    scores = Scores(tally)
    assert scores.documents == ["a"]
    assert scores.value("strict") == scores.value("token") == 1


def test_counts_by_document_are_given_for_resampling(pair: MakePair) -> None:
    scores = score([pair("5", "5", "a"), pair("<AGE>5</AGE> x", "<AGE>5</AGE> <ID>x</ID>", "b")])
    kinds, counts = scores.counts("strict")
    assert kinds == ["AGE", "ID"]
    assert counts.tolist() == [[[0, 0, 0, 0], [0, 0, 0, 0]], [[1, 1, 1, 1], [0, 0, 1, 0]]]


@pytest.mark.parametrize(
    ("mark", "what"),
    [
        (Mark(0, 99, "AGE"), r"0:99 is not a span of the text \(0:2\)"),
        (Mark(1, 1, "AGE"), r"1:1 is not a span of the text \(0:2\)"),
        (Mark(-1, 1, "AGE"), r"-1:1 is not a span of the text"),
        (Mark(0, 1, "AGE", confidence=float("nan")), "expected a confidence from 0 to 1, got nan"),
        (Mark(0, 1, "AGE", confidence=1.5), "expected a confidence from 0 to 1, got 1.5"),
    ],
)
@pytest.mark.parametrize("side", ["gold", "system"])
def test_spans_outside_the_text_and_confidences_that_are_none_are_errors(mark: Mark, what: str, side: str) -> None:
    faulty = Pair("ward/7", "ab", [], [], ([0], [2]))
    getattr(faulty, side).append(mark)
    with pytest.raises(ConsumerError, match=f"^document ward/7: {side} span 1: {what}"):
        score([faulty])


def test_kinds_can_be_compared_at_other_levels(pair: MakePair) -> None:
    document = pair(
        "<PERSON_PATIENT>Ann</PERSON_PATIENT> <FAX>12</FAX>", "<PERSON_DOCTOR>Ann</PERSON_DOCTOR> <PHONE>12</PHONE>"
    )
    found = {
        level: score([at_level(document, level)]).value("strict")  # type: ignore[arg-type]
        for level in ("kind", "top", "vigibase", "i2b2-2014", "i2b2-2014-sub")
    }
    assert found == {"kind": 0, "top": 1 / 2, "vigibase": 1, "i2b2-2014": 1, "i2b2-2014-sub": 0}
    assert at_level(pair("<own-label>x</own-label>"), "top").gold[0].kind == "own-label"


def test_a_report_holds_several_schemes(pair: MakePair) -> None:
    documents = [pair("<AGE>5</AGE>", "<AGE>5</AGE>")]
    report = Report({"": score(documents), "conll": score(documents, scheme="conll")})
    rows = json.loads(report.render(".json"))["rows"]
    assert {(r["scheme"], r["criterion"]) for r in rows} >= {("", "strict"), ("conll", "chunk")}
    assert report.render(".csv").splitlines()[0].startswith("scheme,criterion,kind,gold,system,tp,fp,fn,precision")
    assert "conll, 1 documents" in report.render(".txt")
    with pytest.raises(ConsumerError, match=r"ends in one of .json, .csv, .txt, got .xls"):
        report.render(".xls")
